package procure

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgtype"
	"github.com/shopspring/decimal"

	"github.com/quayside/quayside/internal/demand"
	"github.com/quayside/quayside/internal/pg/q"
	"github.com/quayside/quayside/internal/plausible"
)

// Blocked is why an agent may not order an article. People may, after confirming.
type Blocked string

// The reasons. The first that applies is given.
const (
	NoStock          Blocked = "no_stock" // nobody has reported any
	NoSupplier       Blocked = "no_supplier"
	NoPrice          Blocked = "no_price"
	InactiveSupplier Blocked = "inactive_supplier"
	NewProduct       Blocked = "new_product"
	Dead             Blocked = "dead"
	LastsYears       Blocked = "lasts_years" // what is suggested
	AmbiguousSKU     Blocked = "ambiguous_sku"
	StaleStock       Blocked = "stale_stock"
	OverBudget       Blocked = "over_budget" // found when a row is read; not stored
	Suppressed       Blocked = "suppressed"
)

// row is a row of workspace.queue_rows.
type row struct {
	TenantID            uuid.UUID         `json:"tenant_id"`
	WorkspaceID         uuid.UUID         `json:"workspace_id"`
	ProductID           string            `json:"product_id"`
	AsOf                pgtype.Date       `json:"as_of"`
	RecommendationKey   string            `json:"recommendation_key"`
	VariantExternalID   *string           `json:"variant_external_id"`
	SKU                 *string           `json:"sku"`
	Name                string            `json:"name"`
	Family              *string           `json:"family"`
	SupplierID          *string           `json:"supplier_id"`
	SupplierName        *string           `json:"supplier_name"`
	Action              Action            `json:"action"`
	Urgency             Urgency           `json:"urgency"`
	Rank                int               `json:"rank"`
	MarginAtRisk        float64           `json:"margin_at_risk"`
	BlockedReason       *Blocked          `json:"blocked_reason"`
	Available           *float64          `json:"available"`
	OnOrder             float64           `json:"open_purchase_order_quantity"`
	Drafted             float64           `json:"draft_quantity"`
	Overdue             float64           `json:"overdue_quantity"`
	NextArrival         pgtype.Date       `json:"next_arrival_date"`
	LastArrival         pgtype.Date       `json:"last_arrival_date"`
	DemandPerDay        float64           `json:"demand_per_day"`
	DaysOfCover         *float64          `json:"days_of_cover"`
	DaysOfCoverInclOpen *float64          `json:"days_of_cover_incl_open"`
	LeadTimeDays        int               `json:"lead_time_days"`
	LeadTimeSource      LeadSource        `json:"lead_time_source"`
	SafetyStock         float64           `json:"safety_stock"`
	ReorderPoint        float64           `json:"reorder_point"`
	TargetStock         float64           `json:"target_stock"`
	StockoutDate        pgtype.Date       `json:"projected_stockout_date"`
	OrderBy             pgtype.Date       `json:"order_by_date"`
	EarliestArrival     pgtype.Date       `json:"earliest_arrival_date"`
	LateByDays          int               `json:"late_by_days"`
	Raw                 float64           `json:"raw_quantity"`
	Suggested           float64           `json:"suggested_quantity"`
	Overbuy             float64           `json:"overbuy_quantity"`
	UnitPrice           *decimal.Decimal  `json:"unit_price"`
	Currency            *string           `json:"currency"`
	LineCost            *decimal.Decimal  `json:"line_cost"`
	LockedBy            *string           `json:"locked_by_line_id"`
	SuppressedUntil     pgtype.Date       `json:"suppressed_until"`
	Confidence          demand.Confidence `json:"confidence"`
	DataGaps            Gaps              `json:"data_gaps"`
	Reason              []Part            `json:"reason"`
	ReasonText          string            `json:"reason_text"`
	ComputedAt          time.Time         `json:"computed_at"`
	Digest              string            `json:"digest"` // as PostgreSQL reads bytes
}

// group returns the group that the row is listed in. What asks for nothing is in none.
func (r *row) group() Group {
	switch {
	case r.Action == ActionNone:
		return GroupNone
	case r.LockedBy != nil:
		return GroupDrafted
	case r.SuppressedUntil.Valid:
		return GroupPutOff
	}
	return Group(r.Action)
}

// ranks order the rows: what asks for nothing comes last.
var ranks = map[Urgency]int{UrgencyCritical: 0, UrgencyHigh: 1, UrgencyMedium: 2, UrgencyLow: 3}

const lastRank = 4

// newRow computes the row of an article.
func (c *computation) newRow(k *known) row {
	p := k.Plan()
	r := row{
		TenantID: c.at.tenant, WorkspaceID: c.at.workspace, ProductID: k.ID, AsOf: date(c.asOf),
		RecommendationKey: k.key, VariantExternalID: k.ExternalID, SKU: k.Sku, Name: k.Name, Family: k.Family,
		SupplierID: k.SupplierID, SupplierName: k.SupplierName,
		Action: p.Action, Urgency: p.Urgency, Rank: lastRank, Available: k.Available,
		OnOrder: p.OnOrder, Drafted: k.drafted, Overdue: p.Overdue,
		NextArrival: maybe(p.NextArrival), LastArrival: maybe(p.LastArrival),
		DemandPerDay: p.PerDay, DaysOfCover: p.DaysOfCover, DaysOfCoverInclOpen: p.DaysOfCoverInclOpen,
		LeadTimeDays: k.Lead.Days, LeadTimeSource: k.Lead.Source,
		SafetyStock: p.SafetyStock, ReorderPoint: p.ReorderPoint, TargetStock: p.TargetStock,
		StockoutDate: maybe(p.StockoutDate), OrderBy: maybe(p.OrderBy), EarliestArrival: maybe(p.EarliestArrival),
		LateByDays: p.LateByDays, Raw: p.Raw, Suggested: p.Suggested, Overbuy: p.Overbuy,
		Confidence: k.Demand.Confidence, DataGaps: k.gaps,
	}
	if p.Action != ActionNone {
		r.Rank = ranks[p.Urgency]
	}
	if k.lockedBy != "" {
		r.LockedBy = &k.lockedBy
	}
	c.price(k, &r)
	until := k.suppressedUntil(p)
	r.SuppressedUntil = maybe(until)
	r.BlockedReason = c.blocked(k, until, r.LineCost, r.Suggested)
	r.Reason = k.Reason(p, text(k.SupplierName))
	r.ReasonText = Text(r.Reason)
	return r
}

// price computes what the suggestion costs, and what is not earned until a new order lands. An
// amount without a currency is in the workspace's.
func (c *computation) price(k *known, r *row) {
	if k.UnitCost == nil {
		return
	}
	in := func(currency *string) string {
		if text(currency) == "" {
			return c.settings.BaseCurrency
		}
		return *currency
	}
	currency := in(k.CostCurrency)
	r.UnitPrice, r.Currency = k.UnitCost, &currency
	cost := k.UnitCost.Mul(decimal.NewFromFloat(r.Suggested))
	r.LineCost = &cost
	if k.Price != nil && in(k.Currency) == currency && plausible.Amount(*k.Price) && plausible.Amount(*k.UnitCost) {
		margin := amount(k.Price) - amount(k.UnitCost)
		r.MarginAtRisk = max(0, margin) * r.DemandPerDay * float64(max(1, r.LateByDays))
	}
}

// longestCover is for how many days of demand an agent may order. What lasts for longer follows from a mistake in the stock,
// in a level or in a minimum quantity, or is for a person to weigh.
const longestCover = 2 * 365

// blocked returns the first reason why an agent may not order, or nil. A cost of nothing, or that cannot be true, is as
// good as none.
func (c *computation) blocked(k *known, suppressed *demand.Day, cost *decimal.Decimal, suggested float64) *Blocked {
	for _, reason := range []struct {
		applies bool
		is      Blocked
	}{
		{k.Available == nil, NoStock},
		{k.SupplierID == nil, NoSupplier},
		{k.UnitCost == nil || !k.UnitCost.IsPositive() || !plausible.Amount(*k.UnitCost) || !plausible.Amount(*cost), NoPrice},
		{k.SupplierActive != nil && !*k.SupplierActive, InactiveSupplier},
		{k.Demand.Class == demand.New, NewProduct},
		{k.Demand.Class == demand.Dead, Dead},
		{suggested > longestCover*k.Demand.Velocity, LastsYears},
		{k.Ambiguous, AmbiguousSKU},
		{c.stale(k), StaleStock},
		{suppressed != nil, Suppressed},
	} {
		if reason.applies {
			return &reason.is
		}
	}
	return nil
}

// stale reports whether the stock was counted too long before the day began. It does not ask what
// time it is, so that a row depends on the day alone.
func (c *computation) stale(k *known) bool {
	counted := k.countedAt()
	if counted == nil {
		return true
	}
	year, month, dayOfMonth := dateOf(c.asOf).Date()
	began := time.Date(year, month, dayOfMonth, 0, 0, 0, 0, c.zone)
	return counted.Before(began.Add(-time.Duration(k.config.StockStaleHours) * time.Hour))
}

// save writes the rows that differ from those that are stored, and returns how many did.
func (c *computation) save(ctx context.Context, rows []row) (written int64, err error) {
	now := time.Now()
	of := q.DropChangedQueueRowsParams{TenantID: c.at.tenant, WorkspaceID: c.at.workspace}
	for i := range rows {
		content, err := json.Marshal(rows[i])
		if err != nil {
			return 0, fmt.Errorf("the row of article %s: %w", rows[i].ProductID, err)
		}
		digest := sha256.Sum256(content)
		rows[i].Digest, rows[i].ComputedAt = fmt.Sprintf(`\x%x`, digest[:16]), now
		of.Products, of.Digests = append(of.Products, rows[i].ProductID), append(of.Digests, digest[:16])
	}
	if err := c.queries.DropChangedQueueRows(ctx, of); err != nil {
		return 0, err
	}
	all, err := json.Marshal(rows)
	if err != nil {
		return 0, err
	}
	return c.queries.AddQueueRows(ctx, all)
}

func date(d demand.Day) pgtype.Date { return pgtype.Date{Time: dateOf(d), Valid: true} }

func maybe(d *demand.Day) pgtype.Date {
	if d == nil {
		return pgtype.Date{}
	}
	return date(*d)
}

// learntSince returns when the first delivery arrived that teaches something.
func learntSince(asOf demand.Day) time.Time {
	return dateOf(asOf - learntDays).Add(-24 * time.Hour) // zones differ by less than a day
}
