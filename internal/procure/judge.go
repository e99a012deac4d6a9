package procure

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"
	"github.com/shopspring/decimal"

	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/fault"
	"github.com/quayside/quayside/internal/pg/q"
	"github.com/quayside/quayside/internal/plausible"
)

const (
	// judgedAtOnce is the number of suggestions of one transaction.
	judgedAtOnce = 500
	// graceDays are how long counts and receipts of a past day may still come in before its verdict is
	// final.
	graceDays = 3
)

// judgeAll judges what was suggested, in every workspace whose queue is of a later day than its
// verdicts. The error of one workspace does not stop the others.
func (s *Service) judgeAll(ctx context.Context) error {
	var due []q.FindUnjudgedRow
	// Crosses tenants: it reads what is due, and then acts as each tenant.
	err := s.cells.InSystem(ctx, func(tx pgx.Tx) (err error) {
		due, err = q.New(tx).FindUnjudged(ctx)
		return err
	})
	for _, row := range due {
		at := place{row.TenantID, row.WorkspaceID}
		err = errors.Join(err, s.pauses.Try(work{at, workJudge}, func() (err error) {
			for more := true; more && ctx.Err() == nil; {
				more, err = s.judge(ctx, at)
			}
			return err
		}))
	}
	return err
}

// judge judges some suggestions of a workspace, and reports whether there are more. Several instances
// share the work: what one has taken, the others leave out.
func (s *Service) judge(ctx context.Context, at place) (more bool, err error) {
	err = s.cells.InTenant(ctx, at.tenant, func(tx pgx.Tx) error {
		c, err := begin(ctx, tx, at)
		if err != nil {
			return err
		}
		c.asOf = dayOf(c.settings.AsOf)
		taken, err := c.queries.TakeUnjudged(ctx, q.TakeUnjudgedParams{TenantID: at.tenant, WorkspaceID: at.workspace,
			Today: c.settings.AsOf, Most: judgedAtOnce})
		if err != nil || len(taken) == 0 {
			return err
		}
		more = len(taken) == judgedAtOnce
		return fault.Recovered(func() error { return c.judge(ctx, taken) })
	})
	return more && err == nil, err
}

// verdictRow is the verdict's part of a row of workspace.suggestions.
type verdictRow struct {
	Key             string           `json:"recommendation_key"`
	FirstOn         pgtype.Date      `json:"first_on"`
	SupplierID      *string          `json:"supplier_id"`
	Decision        Decided          `json:"decision"`
	DecidedOn       pgtype.Date      `json:"decided_on"`
	DecidedBy       *auth.Actor      `json:"decided_by"`
	LineID          *string          `json:"line_id"`
	LinePrice       *decimal.Decimal `json:"line_price"`
	LineCurrency    *string          `json:"line_currency"`
	OrderedQuantity *float64         `json:"ordered_quantity"`
	Known           *bool            `json:"known"`
	PreventedOn     pgtype.Date      `json:"prevented_on"`
	EmptyFrom       pgtype.Date      `json:"empty_from"`
	TooLate         int              `json:"empty_too_late"`
	Waiting         int              `json:"empty_waiting"`
	Supplier        int              `json:"empty_supplier"`
	TooFew          int              `json:"empty_too_few"`
	Overbuy         *float64         `json:"overbuy_quantity"`
	Beyond          *float64         `json:"overbuy_beyond"`
	JudgedOn        pgtype.Date      `json:"judged_on"`
	Closed          bool             `json:"closed"`
}

// judge judges the taken suggestions, and stores the verdicts.
func (c *computation) judge(ctx context.Context, taken []q.TakeUnjudgedRow) error {
	answers, err := c.readDecisions(ctx, taken)
	if err != nil {
		return err
	}
	facts, err := c.readFacts(ctx, taken, answers)
	if err != nil {
		return err
	}
	rows := make([]verdictRow, len(taken))
	for i, s := range taken {
		rows[i] = c.newVerdictRow(s, answers[i], facts[i])
	}
	all, err := json.Marshal(rows)
	if err != nil {
		return err
	}
	return c.queries.SaveVerdicts(ctx, q.SaveVerdictsParams{TenantID: c.at.tenant, Rows: all})
}

func (c *computation) newVerdictRow(s q.TakeUnjudgedRow, a answer, of Facts) verdictRow {
	r := verdictRow{Key: s.RecommendationKey, FirstOn: s.FirstOn, SupplierID: s.SupplierID, Decision: a.decision, DecidedOn: maybe(a.on),
		DecidedBy: a.by, JudgedOn: date(c.asOf)}
	if a.line != nil {
		quantity := a.line.QuantityOrdered.InexactFloat64()
		r.LineID, r.LinePrice, r.LineCurrency, r.OrderedQuantity = &a.line.ID, a.line.PricePerUnit, a.line.Currency, believedNumber(quantity)
		if a.line.SupplierID != nil {
			r.SupplierID = a.line.SupplierID
		}
	}
	// What is still asked for or drafted may be decided yet, however late.
	open := a.line == nil && (a.drafted || dayOf(s.LastOn) >= c.asOf)
	r.Closed = c.asOf > of.Until+graceDays && !open
	if a.decision == TakenBack {
		return r // the need goes on under the next key, and is judged there
	}
	v := of.Judge()
	if v.Passed {
		r.Known = &v.Known
	}
	r.PreventedOn, r.EmptyFrom = maybe(v.PreventedOn), maybe(v.EmptyFrom)
	r.TooLate, r.Waiting, r.Supplier, r.TooFew = v.Empty.TooLate, v.Empty.Waiting, v.Empty.Supplier, v.Empty.TooFew
	if v.Overbuy != nil && v.Beyond != nil {
		r.Overbuy, r.Beyond = believedNumber(*v.Overbuy), believedNumber(*v.Beyond)
	}
	return r
}

// believedNumber returns a quantity, or nil if it cannot be true.
func believedNumber(x float64) *float64 {
	if !plausible.Number(x) {
		return nil
	}
	return &x
}

// readFacts reads what the verdicts depend on.
func (c *computation) readFacts(ctx context.Context, taken []q.TakeUnjudgedRow, answers []answer) ([]Facts, error) {
	facts := make([]Facts, len(taken))
	position := map[string]int{}
	counts := q.ReadCountsParams{TenantID: c.at.tenant, WorkspaceID: c.at.workspace}
	for i, s := range taken {
		facts[i] = Facts{FirstOn: dayOf(s.FirstOn), Until: dayOf(s.Until), Today: c.asOf, LeadDays: int(s.LeadTimeDays),
			SafetyStock: s.SafetyStock}
		if a := answers[i]; a.line != nil {
			facts[i].Ordered = &Ordered{On: *a.on, Quantity: a.line.QuantityOrdered.InexactFloat64(), Asked: a.asked}
		}
		position[s.RecommendationKey] = i
		counts.Keys, counts.Products = append(counts.Keys, s.RecommendationKey), append(counts.Products, s.ProductID)
		counts.Froms = append(counts.Froms, s.FirstOn)
		counts.Tos = append(counts.Tos, date(min(facts[i].Until, c.asOf-1)))
	}
	found, err := c.queries.ReadCounts(ctx, counts)
	if err != nil {
		return nil, err
	}
	for _, r := range found {
		of := &facts[position[r.Key]]
		of.Counts = append(of.Counts, Count{Day: dayOf(r.Day), At: r.ClosedAt, Available: r.Available, Closing: float(r.Closing)})
	}
	return facts, errors.Join(c.readSold(ctx, counts, facts), c.readReceipts(ctx, taken, answers, facts))
}

// readSold reads on which days articles sold that had none left at some time.
func (c *computation) readSold(ctx context.Context, counts q.ReadCountsParams, facts []Facts) error {
	of := q.ReadSoldDaysParams{TenantID: c.at.tenant, WorkspaceID: c.at.workspace}
	position := map[string]int{}
	for i := range facts {
		for _, count := range facts[i].Counts {
			if count.Closing != nil && !below(0, *count.Closing) {
				of.Keys, of.Products = append(of.Keys, counts.Keys[i]), append(of.Products, counts.Products[i])
				of.Froms, of.Tos = append(of.Froms, counts.Froms[i]), append(of.Tos, counts.Tos[i])
				position[counts.Keys[i]] = i
				break
			}
		}
	}
	sold, err := c.queries.ReadSoldDays(ctx, of)
	for _, r := range sold {
		one := &facts[position[r.Key]]
		one.Sold = append(one.Sold, dayOf(r.Day))
	}
	return err
}

// readReceipts reads what arrived of the articles, since their last count before the suggestion.
func (c *computation) readReceipts(ctx context.Context, taken []q.TakeUnjudgedRow, answers []answer, facts []Facts) error {
	of := q.ReadReceiptsParams{TenantID: c.at.tenant, WorkspaceID: c.at.workspace, TimeZone: c.settings.TimeZone}
	position := map[string]int{}
	for i, s := range taken {
		position[s.RecommendationKey] = i
		since := dateOf(facts[i].FirstOn).Add(-24 * time.Hour) // zones differ by less than a day
		if counts := facts[i].Counts; len(counts) > 0 && counts[0].At.Before(since) {
			since = counts[0].At
		}
		of.Keys, of.Products = append(of.Keys, s.RecommendationKey), append(of.Products, s.ProductID)
		of.Skus, of.Since = append(of.Skus, s.Sku), append(of.Since, since)
	}
	found, err := c.queries.ReadReceipts(ctx, of)
	for _, r := range found {
		i := position[r.Key]
		receipt := Receipt{Day: dayOf(r.Day), At: r.ReceivedAt, Quantity: r.Quantity.InexactFloat64()}
		if line := answers[i].line; line != nil && line.ID == r.LineID {
			facts[i].Received = append(facts[i].Received, receipt)
		} else {
			facts[i].Others = append(facts[i].Others, receipt)
		}
	}
	return err
}
