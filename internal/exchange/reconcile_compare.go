package exchange

import (
	"context"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/quayside/quayside/internal/inventory"
	"github.com/quayside/quayside/internal/pg/q"
	"github.com/quayside/quayside/internal/purchase"
)

// lineHere is a line here as the inventory system would have it, and its SKU.
type lineHere struct {
	inventory.Line
	sku string
}

// linesHere returns the lines of orders.
func (r *reading) linesHere(ctx context.Context, queries *q.Queries, numbers []string) (map[string][]lineHere, error) {
	rows, err := queries.ListExchangedLines(ctx, q.ListExchangedLinesParams{TenantID: r.by.Tenant, ConnectionID: r.id,
		WorkspaceID: r.by.Workspace, Numbers: numbers})
	lines := map[string][]lineHere{}
	for _, row := range rows {
		l := inventory.Line{Status: purchase.Status(row.Status), Variant: row.Variant, Supplier: row.Supplier,
			Currency: row.Currency, Quantity: row.QuantityOrdered, Price: row.PricePerUnit, Received: row.QuantityReceived}
		if row.ExpectedArrivalDate.Valid {
			l.Expected = &row.ExpectedArrivalDate.Time
		}
		lines[row.OrderNo] = append(lines[row.OrderNo], lineHere{l, row.Sku})
	}
	return lines, err
}

// compare compares a page of orders there with those here, and asks for a comparison of what differs. It returns the ids of those
// that the reconcile had not met before.
func (r *reading) compare(ctx context.Context, p *progress, orders []inventory.Order) (met []string, err error) {
	var known exchanged
	var before []string
	var lines map[string][]lineHere
	err = r.cells.InTenant(ctx, r.by.Tenant, func(tx pgx.Tx) error {
		queries := q.New(tx)
		before, err = queries.FindListed(ctx, q.FindListedParams{TenantID: r.by.Tenant, ConnectionID: r.id,
			Ids: each(orders, func(o inventory.Order) string { return o.ID })})
		if err != nil {
			return err
		}
		if known, err = r.find(ctx, queries, orders); err != nil {
			return err
		}
		numbers := []string{}
		for number := range known.byNumber {
			numbers = append(numbers, number)
		}
		lines, err = r.linesHere(ctx, queries, numbers)
		return err
	})
	if err != nil {
		return nil, err
	}
	unknown := []inventory.Order{}
	for _, order := range orders {
		if slices.Contains(before, order.ID) || slices.Contains(met, order.ID) {
			continue
		}
		met = append(met, order.ID)
		row := known.byID[order.ID]
		if row == nil {
			if !order.Deleted && r.mayLoad {
				p.Summary.count(Different{Number: order.Number, Kind: OnlyThere, State: unlinked(known, order.Number),
					Fields: []string{"it is not linked to an order here"}})
				unknown = append(unknown, order)
			}
			continue
		}
		if err := r.judge(ctx, p, row, lines[row.OrderNo], &order); err != nil {
			return nil, err
		}
	}
	return met, r.meet(ctx, unknown)
}

// unlinked returns the state of the order here that has a number, or none.
func unlinked(known exchanged, number string) State {
	if row := known.byNumber[number]; row != nil {
		return State(row.State)
	}
	return ""
}

// compareUnlisted looks at orders here that were not met there, and reports whether there are no more.
func (r *reading) compareUnlisted(ctx context.Context, p *progress) (done bool, err error) {
	var rows []q.FindUnlistedRow
	var lines map[string][]lineHere
	err = r.cells.InTenant(ctx, r.by.Tenant, func(tx pgx.Tx) error {
		queries := q.New(tx)
		rows, err = queries.FindUnlisted(ctx, q.FindUnlistedParams{TenantID: r.by.Tenant, ConnectionID: r.id, After: p.After,
			Began: p.Summary.BeganAt, Most: unlistedSlice})
		if err != nil {
			return err
		}
		lines, err = r.linesHere(ctx, queries, each(rows, func(row q.FindUnlistedRow) string { return row.OrderNo }))
		return err
	})
	if err != nil {
		return false, err
	}
	for _, row := range rows {
		found := q.FindExchangedRow(row)
		if err := r.judge(ctx, p, &found, lines[row.OrderNo], nil); err != nil {
			return false, err
		}
		p.After = row.OrderNo
	}
	return len(rows) < unlistedSlice, nil
}

// judge compares the hashes of an order's lines on both sides, and counts it. If it differs although it was synced, a comparison is
// asked for; otherwise somebody is at it already. The order there is nil if there is none.
func (r *reading) judge(ctx context.Context, p *progress, row *q.FindExchangedRow, here []lineHere, order *inventory.Order) error {
	ours, theirs, skus := []inventory.Line{}, []inventory.Line{}, map[string]string{}
	for _, l := range here {
		ours, skus[l.Variant] = append(ours, l.Line), l.sku
	}
	if order != nil {
		if row.ChangedThere != nil && row.ChangedThere.After(order.UpdatedAt) {
			p.Summary.count(Different{}) // it was merged since the page was read
			return nil
		}
		for _, remote := range inventory.Fold(*order) {
			theirs = append(theirs, remote.Line)
		}
	}
	if inventory.Digest(ours) == inventory.Digest(theirs) {
		p.Summary.count(Different{})
		return nil
	}
	found := Different{Number: row.OrderNo, Kind: Differs, State: State(row.State)}
	switch {
	case len(theirs) == 0:
		found.Kind = OnlyHere
	case len(ours) == 0:
		found.Kind = OnlyThere
	}
	for _, d := range inventory.Differences(ours, theirs) {
		found.Fields = append(found.Fields, tellDifference(d, skus))
	}
	p.Summary.count(found)
	if found.State != Synced {
		return nil
	}
	return r.ask(ctx, q.AskForOrderParams{OrderNo: row.OrderNo, State: string(Waiting)})
}

// tellDifference says in words what differs about a line.
func tellDifference(d inventory.Difference, skus map[string]string) string {
	name := skus[d.Variant]
	if name == "" {
		name = "article " + d.Variant + " there"
	}
	value := func(text string) string {
		if text == "" {
			return "none"
		}
		return text
	}
	return fmt.Sprintf("%s: %s is %s here, %s there", name, d.Field, value(d.Ours), value(d.Theirs))
}
