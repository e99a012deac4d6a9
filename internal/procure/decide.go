package procure

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"

	"github.com/quayside/quayside/internal/audit"
	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/fault"
	"github.com/quayside/quayside/internal/pg/q"
	"github.com/quayside/quayside/internal/purchase"
)

const (
	longestReason = 500
	// longestSnooze is for how many days a need may be put off.
	longestSnooze = 90
	// mostPicked is how many recommendations one call may draft.
	mostPicked = 200
)

// Pick is a recommendation that becomes a line. Nil fields are as suggested.
type Pick struct {
	Key                        string
	Quantity, Supplier, Note   *string
	Price, Currency, ArrivesOn *string
	OrderNo                    *string    // nil: a new order
	RestOn                     *time.Time // of a smaller quantity: when to suggest the rest; nil: as the rules say
}

// Draft makes lines from recommendations, all or none, with one new order for each supplier. What
// agents may not order, and articles that somebody has drafted apart from the queue, are refused
// unless a person confirms. A recommendation has at most one open line: who comes second is told
// which line holds it.
func (s *Service) Draft(ctx context.Context, by auth.Principal, picks []Pick, confirmed bool) ([]purchase.Line, error) {
	if err := by.Require(auth.DraftLines); err != nil {
		return nil, err
	}
	if len(picks) == 0 || len(picks) > mostPicked {
		return nil, fault.InField("lines", "lines", "draft between 1 and %d recommendations", mostPicked)
	}
	found, err := s.find(ctx, by, picks)
	if err != nil {
		return nil, err
	}
	var wanted []purchase.NewLine
	for i, pick := range picks {
		row := found[i]
		if row.Key != purchase.NormalKey(pick.Key) {
			return nil, s.purchase.Answered(ctx, by, pick.Key)
		}
		if !confirmed || by.Actor.Type == auth.ByAgent {
			if err := row.draftable(by); err != nil {
				return nil, err
			}
		}
		if err := pick.checkRest(by, row); err != nil {
			return nil, err
		}
		wanted = append(wanted, pick.line(row))
	}
	draft := s.purchase.Draft
	if confirmed && by.Actor.Type != auth.ByAgent {
		draft = s.purchase.DraftConfirmed
	}
	lines, err := draft(ctx, by, wanted)
	if err != nil {
		return nil, err
	}
	var products []string
	for _, row := range found {
		products = append(products, row.Product)
	}
	s.refresh(ctx, by, products)
	return lines, nil
}

// find returns the rows of the picks' keys, in their order. A key whose row is gone may belong to a
// line that holds it or has answered it; purchase says so.
func (s *Service) find(ctx context.Context, by auth.Principal, picks []Pick) (found []Recommendation, err error) {
	keys := make([]string, len(picks))
	for i, pick := range picks {
		keys[i] = purchase.NormalKey(pick.Key)
		if slices.Contains(keys[:i], keys[i]) {
			return nil, fault.InField("lines", "lines", "a recommendation is named twice")
		}
	}
	var rows []Recommendation
	err = s.cells.Reading(ctx, by.Tenant, readTimeout, func(tx pgx.Tx) error {
		queries := q.New(tx)
		left, err := purchase.LeftThisMonth(ctx, queries, by.Tenant, by.Workspace, time.Now().In(by.Zone))
		if err != nil {
			return err
		}
		for _, key := range keys {
			row, err := findKey(ctx, queries, by, left, key)
			if err != nil {
				return err
			}
			rows = append(rows, row)
		}
		return nil
	})
	return rows, err
}

// findKey returns the row that a key names, or named: a recommendation that was answered since has
// the article's next key by now.
func findKey(ctx context.Context, queries *q.Queries, by auth.Principal, left *purchase.BudgetLeft, key string) (
	Recommendation, error) {
	product, err := findProduct(ctx, queries, by, key)
	if err != nil {
		return Recommendation{}, err
	}
	rows, err := listWithin(ctx, queries, left,
		q.ListQueueParams{TenantID: by.Tenant, WorkspaceID: by.Workspace, Products: []string{product}, Most: 1})
	if err == nil && len(rows) == 0 {
		err = errNoKey
	}
	if err != nil {
		return Recommendation{}, err
	}
	return rows[0], nil
}

// errNoKey refuses a key that names no row.
var errNoKey = fault.New(fault.NotFound, "unknown_recommendation",
	"there is no such recommendation; take its key from the queue as it is")

// findProduct returns the article that a key is about.
func findProduct(ctx context.Context, queries *q.Queries, by auth.Principal, key string) (string, error) {
	from := purchase.RecommendationsLike(key)
	if from == "" {
		return "", errNoKey
	}
	product, err := queries.FindQueueProduct(ctx,
		q.FindQueueProductParams{TenantID: by.Tenant, WorkspaceID: by.Workspace, FromKey: from})
	if errors.Is(err, pgx.ErrNoRows) {
		return "", errNoKey
	}
	return product, err
}

// draftable refuses what needs a person's confirmation.
func (r Recommendation) draftable(by auth.Principal) error {
	switch {
	case r.Blocked != "" && by.Actor.Type == auth.ByAgent:
		return fault.New(fault.Conflict, "recommendation_blocked",
			"agents may not order %s (%s); a person can, after a look at it", fault.Shorten(r.Name), r.Blocked)
	case r.Blocked != "":
		return fault.New(fault.Conflict, "recommendation_blocked",
			"look at %s before you order it (%s); confirm that it is wanted all the same", fault.Shorten(r.Name), r.Blocked)
	case r.Drafted > 0 && r.Lock == nil:
		return fault.New(fault.Conflict, "already_drafted",
			"%s of %s are drafted already; confirm that more is wanted", showQuantity(r.Drafted), fault.Shorten(r.Name))
	}
	return nil
}

// checkRest refuses a day for a rest that there is not, or a day that is too near or too far.
func (p Pick) checkRest(by auth.Principal, r Recommendation) error {
	if p.RestOn == nil {
		return nil
	}
	part := p.Quantity != nil
	if part {
		quantity, err := strconv.ParseFloat(strings.TrimSpace(*p.Quantity), 64)
		part = err == nil && quantity < r.Suggested
	}
	if !part {
		return fault.InField("rest_on", "no_rest", "all that is suggested is ordered now, so there is no rest for a later day")
	}
	return checkDay(by, "rest_on", *p.RestOn)
}

// checkDay refuses a day for later that is not within the next months.
func checkDay(by auth.Principal, field string, day time.Time) error {
	today := time.Now().In(by.Zone)
	first := time.Date(today.Year(), today.Month(), today.Day(), 0, 0, 0, 0, time.UTC).AddDate(0, 0, 1)
	if last := first.AddDate(0, 0, longestSnooze); day.Before(first) || day.After(last) {
		return fault.InField(field, "range", "choose a day between %s and %s", first.Format(time.DateOnly),
			last.Format(time.DateOnly))
	}
	return nil
}

// line returns the line that the pick asks for. What was on its way when the row was computed is part of the suggestion, so that
// needs no confirmation; what came since does.
func (p Pick) line(r Recommendation) purchase.NewLine {
	line := purchase.NewLine{RecommendationKey: p.Key, RestOn: p.RestOn,
		Counted: &purchase.Counted{Open: r.OnOrder + r.Drafted, Suggested: r.Suggested},
		Changes: purchase.Changes{
			ProductID: &r.Product, QuantityOrdered: p.Quantity, SupplierID: p.Supplier, Note: p.Note, PricePerUnit: p.Price,
			Currency: p.Currency, ExpectedArrivalDate: p.ArrivesOn, OrderNo: p.OrderNo,
		}}
	if line.QuantityOrdered == nil {
		line.QuantityOrdered = new(strconv.FormatFloat(r.Suggested, 'f', -1, 64))
	}
	if line.ExpectedArrivalDate == nil && r.EarliestArrival != nil {
		line.ExpectedArrivalDate = new(r.EarliestArrival.Format(time.DateOnly))
	}
	other := p.Supplier != nil && *p.Supplier != r.Supplier
	if line.SupplierID == nil && r.Supplier != "" {
		line.SupplierID = &r.Supplier
	}
	if line.PricePerUnit == nil && r.Price != nil && !other { // another supplier's price is not known
		line.PricePerUnit, line.Currency = new(r.Price.String()), &r.Currency
	}
	return line
}

// Dismiss puts a need off for as long as the rules say, with a reason.
func (s *Service) Dismiss(ctx context.Context, by auth.Principal, key, reason string) error {
	reason = strings.TrimSpace(reason)
	if reason == "" {
		return fault.InField("reason", "reason", "give a reason of at most %d characters", longestReason)
	}
	return s.putOff(ctx, by, key, Dismissed, nil, reason)
}

// Snooze puts a need off until a day.
func (s *Service) Snooze(ctx context.Context, by auth.Principal, key string, until time.Time, reason string) error {
	if err := checkDay(by, "until", until); err != nil {
		return err
	}
	return s.putOff(ctx, by, key, Snoozed, &until, reason)
}

func (s *Service) putOff(ctx context.Context, by auth.Principal, key, kind string, until *time.Time, reason string) error {
	if err := by.Require(auth.DraftLines); err != nil {
		return err
	}
	if utf8.RuneCountInString(reason) > longestReason || strings.ContainsRune(reason, 0) {
		return fault.InField("reason", "reason", "give a reason of at most %d characters", longestReason)
	}
	decision := q.SuppressParams{TenantID: by.Tenant, WorkspaceID: by.Workspace, ID: uuid.Must(uuid.NewV7()), Kind: kind,
		Reason: reason, Actor: by.Actor.JSON(), RecommendationKey: key}
	data := audit.Data{"recommendation_key": key, "reason": reason}
	if until != nil {
		decision.Until = pgtype.Date{Time: *until, Valid: true}
		data["until"] = until.Format(time.DateOnly)
	}
	var product string
	err := s.cells.InTenant(ctx, by.Tenant, func(tx pgx.Tx) (err error) {
		if product, err = q.New(tx).Suppress(ctx, decision); err != nil {
			return err
		}
		return audit.Record(ctx, tx, by, audit.Action(fmt.Sprintf("recommendation.%s", kind)), product, data)
	})
	if errors.Is(err, pgx.ErrNoRows) {
		return fault.New(fault.NotFound, "unknown_recommendation",
			"there is no such recommendation any more; look at the queue again")
	}
	if err == nil {
		s.refresh(ctx, by, []string{product})
	}
	return err
}

// Restore takes back that a need was put off.
func (s *Service) Restore(ctx context.Context, by auth.Principal, key string) error {
	if err := by.Require(auth.DraftLines); err != nil {
		return err
	}
	var lifted []q.LiftSuppressionsRow
	err := s.cells.InTenant(ctx, by.Tenant, func(tx pgx.Tx) (err error) {
		lifted, err = q.New(tx).LiftSuppressions(ctx, q.LiftSuppressionsParams{
			TenantID: by.Tenant, WorkspaceID: by.Workspace, RecommendationKey: key, Actor: by.Actor.JSON(),
		})
		if err != nil {
			return err
		}
		if len(lifted) == 0 {
			return fault.New(fault.NotFound, "unknown_recommendation", "nothing is put off under this key")
		}
		return audit.Record(ctx, tx, by, "recommendation.restored", lifted[0].ProductID,
			audit.Data{"recommendation_key": key, "kind": lifted[0].Kind})
	})
	if err == nil {
		s.refresh(ctx, by, []string{lifted[0].ProductID})
	}
	return err
}

// refresh computes rows again after a decision, so that whoever decided sees it at once. It waits for
// another computation of single articles. If that takes too long or fails, the marks stay, and the
// keeper of the queue follows.
func (s *Service) refresh(ctx context.Context, by auth.Principal, products []string) {
	at := place{by.Tenant, by.Workspace}
	err := s.cells.InTenant(ctx, at.tenant, func(tx pgx.Tx) error {
		return q.New(tx).MarkQueue(ctx,
			q.MarkQueueParams{TenantID: at.tenant, WorkspaceID: at.workspace, Products: products})
	})
	if err == nil {
		err = s.cells.InTenant(ctx, at.tenant, func(tx pgx.Tx) error {
			if err := q.New(tx).WaitForQueue(ctx, at.workspace); err != nil {
				return err
			}
			_, err := s.computeMarked(ctx, tx, at)
			return err
		})
	}
	if err != nil {
		s.log.WarnContext(ctx, "rows of the queue were not computed at once", "err", err)
	}
}
