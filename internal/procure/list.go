package procure

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"
	"github.com/shopspring/decimal"

	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/fault"
	"github.com/quayside/quayside/internal/freshness"
	"github.com/quayside/quayside/internal/pg/q"
	"github.com/quayside/quayside/internal/purchase"
)

// Group is what state a row is in for those who work the queue off.
type Group string

// The groups. A row is in the first of these that applies.
const (
	GroupDrafted  Group = "drafted" // a line answers it and is not ordered yet
	GroupPutOff   Group = "put_off" // somebody decided not to order for now
	GroupOrder    Group = "order"
	GroupExpedite Group = "expedite"
	GroupUpcoming Group = "upcoming"
	GroupNone     Group = "none" // asks for nothing, and is not listed
)

// Groups returns all groups that are listed, in the order in which people look at them.
func Groups() []Group {
	return []Group{GroupOrder, GroupExpedite, GroupUpcoming, GroupDrafted, GroupPutOff}
}

// readTimeout limits one statement.
const readTimeout = 10 * time.Second

// MostListed is how many rows a page has at most.
const MostListed = 200

// Filter says which rows are wanted. Empty fields do not restrict.
type Filter struct {
	Group    Group
	Supplier *string // an id; empty: articles without a supplier
	Search   string  // a part of the name or the SKU
	After    string  // the cursor of the page before
	Most     int
}

// Recommendation is a row of the queue.
type Recommendation struct {
	Key                                string
	Product, SKU, Name, Family         string
	Supplier, SupplierName             string
	Group                              Group
	Action                             Action
	Urgency                            Urgency
	Blocked                            Blocked // empty: agents may order it
	AsOf                               time.Time
	Available                          *float64
	OnOrder, Drafted, Overdue          float64
	NextArrival, LastArrival           *time.Time
	PerDay                             float64
	DaysOfCover, DaysOfCoverInclOpen   *float64
	LeadDays                           int
	LeadSource                         LeadSource
	SafetyStock, ReorderPoint, Target  float64
	Stockout, OrderBy, EarliestArrival *time.Time
	LateByDays                         int
	Raw, Suggested, Overbuy            float64
	Minimum, Multiple                  *decimal.Decimal
	Price, Cost                        *decimal.Decimal
	Currency                           string
	Lock                               *Lock
	PutOffUntil                        *time.Time
	Confidence                         string
	Gaps                               Gaps
	Reason                             []Part
	ComputedAt                         time.Time

	cursor string
}

// Cursor returns the cursor of the page that begins after the row.
func (r Recommendation) Cursor() string { return r.cursor }

// Lock is the line that answers a recommendation.
type Lock struct {
	Line, OrderNo, Status string
	Quantity              decimal.Decimal
}

// List returns a page of rows that ask for action, the most urgent first, and the cursor of the
// next page, which is empty after the last.
func (s *Service) List(ctx context.Context, by auth.Principal, f Filter) (rows []Recommendation, next string, err error) {
	if err := by.Require(auth.Read); err != nil {
		return nil, "", err
	}
	of, err := f.params(by)
	if err != nil {
		return nil, "", err
	}
	err = s.cells.Reading(ctx, by.Tenant, readTimeout, func(tx pgx.Tx) error {
		rows, err = list(ctx, q.New(tx), by, of)
		return err
	})
	if err == nil && len(rows) > f.Most {
		rows = rows[:f.Most]
		next = rows[f.Most-1].cursor
	}
	return rows, next, err
}

// params returns the filter as the statement takes it: with one row more than wanted, which tells
// whether another page follows.
func (f *Filter) params(by auth.Principal) (of q.ListQueueParams, err error) {
	if f.Most <= 0 || f.Most > MostListed {
		f.Most = MostListed
	}
	of = q.ListQueueParams{TenantID: by.Tenant, WorkspaceID: by.Workspace, Supplier: f.Supplier,
		Most: int32(f.Most) + 1} //nolint:gosec // bounded
	if f.Group != "" {
		of.InGroup = new(string(f.Group))
	}
	of.Search = containing(f.Search)
	of.AfterRank, of.AfterMargin, of.AfterProduct, err = readCursor(f.After)
	return of, err
}

// containing returns the pattern of texts that contain this one, or nil for all texts.
func containing(text string) *string {
	if text == "" {
		return nil
	}
	return new("%" + strings.NewReplacer(`\`, `\\`, `%`, `\%`, `_`, `\_`).Replace(text) + "%")
}

// cursorForm is what a cursor is made of: where its row is in the order of the list.
const cursorForm = "%d %g %s"

func newCursor(place int16, margin float64, product string) string {
	return base64.RawURLEncoding.EncodeToString(fmt.Appendf(nil, cursorForm, place, margin, product))
}

// readCursor returns where a page begins. Without a cursor, the product is nil.
func readCursor(cursor string) (place int16, margin float64, product *string, err error) {
	if cursor == "" {
		return 0, 0, nil, nil
	}
	product = new(string)
	text, err := base64.RawURLEncoding.DecodeString(cursor)
	if err == nil {
		_, err = fmt.Sscanf(string(text), cursorForm, &place, &margin, product)
	}
	if err != nil || !utf8.Valid(text) || bytes.ContainsRune(text, 0) {
		err = fault.InField("cursor", "cursor", "this cursor is not one that the list has returned")
	}
	return place, margin, product, err
}

// list returns rows as they are today: with what is left of the month's budget.
func list(ctx context.Context, queries *q.Queries, by auth.Principal, of q.ListQueueParams) ([]Recommendation, error) {
	left, err := purchase.LeftThisMonth(ctx, queries, by.Tenant, by.Workspace, time.Now().In(by.Zone))
	if err != nil {
		return nil, err
	}
	return listWithin(ctx, queries, left, of)
}

func listWithin(ctx context.Context, queries *q.Queries, left *purchase.BudgetLeft, of q.ListQueueParams) (
	rows []Recommendation, err error) {
	if err := queries.PlanForFilters(ctx); err != nil {
		return nil, err
	}
	found, err := queries.ListQueue(ctx, of)
	for _, one := range found {
		row, err := newRecommendation(one)
		if err != nil {
			return nil, err
		}
		row.Blocked = row.blocked(left)
		rows = append(rows, row)
	}
	return rows, err
}

// blocked returns the first reason why an agent may not order the row. The budget is not in the stored
// row, because every line of the month changes what is left of it. A line that answers the row is spent
// already.
func (r Recommendation) blocked(left *purchase.BudgetLeft) Blocked {
	if (r.Blocked == "" || r.Blocked == Suppressed) && r.Lock == nil && !left.Covers(r.Cost, r.Currency) {
		return OverBudget
	}
	return r.Blocked
}

func newRecommendation(r q.ListQueueRow) (Recommendation, error) {
	row := Recommendation{
		Key: r.RecommendationKey, Product: r.ProductID, SKU: text(r.Sku), Name: r.Name, Family: text(r.Family),
		Supplier: text(r.SupplierID), SupplierName: text(r.SupplierName), Group: Group(r.Action),
		Action: Action(r.Action), Urgency: Urgency(r.Urgency), Blocked: Blocked(text(r.BlockedReason)), AsOf: r.AsOf.Time,
		Available: r.Available, OnOrder: r.OpenPurchaseOrderQuantity, Drafted: r.DraftQuantity, Overdue: r.OverdueQuantity,
		NextArrival: at(r.NextArrivalDate), LastArrival: at(r.LastArrivalDate), PerDay: r.DemandPerDay,
		DaysOfCover: r.DaysOfCover, DaysOfCoverInclOpen: r.DaysOfCoverInclOpen,
		LeadDays: int(r.LeadTimeDays), LeadSource: LeadSource(r.LeadTimeSource),
		SafetyStock: r.SafetyStock, ReorderPoint: r.ReorderPoint, Target: r.TargetStock,
		Stockout: at(r.ProjectedStockoutDate), OrderBy: at(r.OrderByDate), EarliestArrival: at(r.EarliestArrivalDate),
		LateByDays: int(r.LateByDays), Raw: r.RawQuantity, Suggested: r.SuggestedQuantity, Overbuy: r.OverbuyQuantity,
		Minimum: r.Moq, Multiple: r.OrderMultiple,
		Price: r.UnitPrice, Cost: r.LineCost, Currency: text(r.Currency), PutOffUntil: at(r.SuppressedUntil),
		Confidence: r.Confidence, ComputedAt: r.ComputedAt,
		cursor: newCursor(r.Rank, r.MarginAtRisk, r.ProductID),
	}
	switch {
	case r.LockedByLineID != nil:
		row.Group = GroupDrafted
		row.Lock = &Lock{*r.LockedByLineID, r.LockedOrderNo, r.LockedStatus, r.LockedQuantity}
	case r.SuppressedUntil.Valid:
		row.Group = GroupPutOff
	}
	return row, errors.Join(json.Unmarshal(r.DataGaps, &row.Gaps), json.Unmarshal(r.Reason, &row.Reason))
}

func at(d pgtype.Date) *time.Time {
	if !d.Valid {
		return nil
	}
	return &d.Time
}

// Summary says how much there is to do.
type Summary struct {
	AsOf       *time.Time // nil: the queue was not computed yet
	ComputedAt *time.Time // when all rows were
	Groups     map[Group]int64
	Suppliers  []SupplierSum // of what to order, the most urgent first
	Month      purchase.Month
	Lag        *freshness.Lag // nil: what was stored is in the demand and in the queue
	// Uncomputed are articles that are not computed because of their data, and MoreUncomputed whether
	// there are others.
	Uncomputed     []Uncomputed
	MoreUncomputed bool
}

// SupplierSum is what is suggested to be ordered from a supplier, in one currency. An article
// without a price costs nothing here.
type SupplierSum struct {
	Supplier, Name, Currency string
	Lines, Critical          int64
	Cost                     decimal.Decimal
	LeftOut                  int64 // lines that are in no cost, because theirs cannot be true
	// Both are nil if there is none, or if it is in another currency.
	MinOrderValue, FreeShippingValue *decimal.Decimal
}

// Summarize returns the summary of the caller's workspace.
func (s *Service) Summarize(ctx context.Context, by auth.Principal) (sum Summary, err error) {
	if err := by.Require(auth.Read); err != nil {
		return sum, err
	}
	sum.Groups = map[Group]int64{}
	err = s.cells.Reading(ctx, by.Tenant, readTimeout, func(tx pgx.Tx) error {
		queries := q.New(tx)
		sum.Month, err = purchase.ThisMonth(ctx, queries, by.Tenant, by.Workspace, time.Now().In(by.Zone))
		if err != nil {
			return err
		}
		if sum.Lag, err = freshness.Of(ctx, queries, by.Tenant, by.Workspace, time.Now(), freshness.Shown); err != nil {
			return err
		}
		if sum.Uncomputed, sum.MoreUncomputed, err = listUncomputed(ctx, queries, by, nil); err != nil {
			return err
		}
		state, err := queries.QueueComputedAt(ctx,
			q.QueueComputedAtParams{TenantID: by.Tenant, WorkspaceID: by.Workspace})
		if errors.Is(err, pgx.ErrNoRows) {
			return nil
		}
		if err != nil {
			return err
		}
		sum.AsOf, sum.ComputedAt = &state.AsOf.Time, &state.ComputedAt
		rows, err := queries.SumQueue(ctx, q.SumQueueParams{TenantID: by.Tenant, WorkspaceID: by.Workspace})
		for _, r := range rows {
			sum.Groups[Group(r.InGroup)] += r.Lines
			if Group(r.InGroup) == GroupOrder {
				sum.Suppliers = append(sum.Suppliers, newSupplierSum(r))
			}
		}
		return err
	})
	return sum, err
}

// SumsOf returns what is suggested to be ordered from one supplier, by currency.
func SumsOf(ctx context.Context, queries *q.Queries, by auth.Principal, supplier string) (sums []SupplierSum, err error) {
	if err := queries.PlanForFilters(ctx); err != nil {
		return nil, err
	}
	rows, err := queries.SumQueue(ctx,
		q.SumQueueParams{TenantID: by.Tenant, WorkspaceID: by.Workspace, Supplier: &supplier})
	for _, r := range rows {
		if Group(r.InGroup) == GroupOrder {
			sums = append(sums, newSupplierSum(r))
		}
	}
	return sums, err
}

func newSupplierSum(r q.SumQueueRow) SupplierSum {
	s := SupplierSum{Supplier: r.SupplierID, Name: r.SupplierName, Currency: r.Currency, Lines: r.Lines,
		Critical: r.Critical, Cost: r.Cost, LeftOut: r.LeftOut}
	if r.SupplierCurrency != "" && r.SupplierCurrency != r.Currency {
		return s
	}
	if r.MinOrderValue.IsPositive() {
		s.MinOrderValue = &r.MinOrderValue
	}
	if !r.FreeShippingValue.IsNegative() {
		s.FreeShippingValue = &r.FreeShippingValue
	}
	return s
}
