package purchase_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/quayside/quayside/internal/fault"
	"github.com/quayside/quayside/internal/ingest"
	"github.com/quayside/quayside/internal/purchase"
)

// This file runs the steps of the model test on the service, and reads the result.

const slug = "purchase_order_lines"

// do runs a step on the service.
func (m *model) do(s step) error {
	by, line := m.who[s.by], m.book.lines[s.slots[0]]
	switch {
	case s.limit > 0:
		return m.lines.SetLimit(m.ctx, by, m.who[theLimited].Person, strconv.Itoa(s.limit), limitCurrency)
	case s.seen:
		return m.lines.SeeFlags(m.ctx, by, line.id)
	}
	switch s.way {
	case byKey:
		_, err := m.records.Write(m.ctx, ingest.Record{By: by, Slug: slug, Body: m.body(line, s.values), RequestID: "model"})
		return err
	case byFile:
		_, letter, err := m.records.Import(m.ctx, by, slug, m.body(line, s.values))
		if fault.Is(err, fault.Invalid) && letter == nil {
			return fmt.Errorf("refused and not kept: %w", err)
		}
		return err
	case byRetry:
		terms := ingest.Terms{}
		if s.sender != "" {
			sender := m.who[s.sender].Actor
			terms.Sender = &sender
		}
		_, err := m.records.Retry(m.ctx, by, slug, m.body(line, s.values), terms)
		return err
	case byResend:
		sent := m.body(line, s.values)
		_, err := m.records.Retry(m.ctx, by, slug, sent,
			ingest.Terms{External: true, Origin: &ingest.Origin{Key: m.who[s.sender].Key, Payload: sent}})
		return err
	case byGrid:
		_, err := m.records.Edit(m.ctx, by, slug, line.id, members(s.values), m.seen(s, s.slots[0]).Version)
		return err
	case inApp:
	}
	return m.act(s)
}

// act runs a step that is an action in the app.
func (m *model) act(s step) (err error) {
	by := m.who[s.by]
	var seen []purchase.Ref
	for _, slot := range s.slots {
		seen = append(seen, m.seen(s, slot))
	}
	switch s.action {
	case purchase.Create:
		wanted := purchase.NewLine{Changes: m.changes(s)}
		if s.answers > 0 {
			wanted.RecommendationKey = m.recommendation(s.answers)
		}
		draft := m.lines.Draft
		if s.confirmed {
			draft = m.lines.DraftConfirmed
		}
		_, err = draft(m.ctx, by, []purchase.NewLine{wanted})
	case purchase.Edit:
		if s.days {
			_, err = m.lines.Reschedule(m.ctx, by, seen, s.values["expected_arrival_date"], "they called")
			break
		}
		if s.confirms {
			_, err = m.lines.Confirm(m.ctx, by, m.book.lines[s.slots[0]].order, "", []purchase.Confirmed{
				{Ref: seen[0], Quantity: s.values["quantity_ordered"], Price: s.values["price_per_unit"]}})
			break
		}
		_, err = m.lines.Edit(m.ctx, by, seen[0], m.changes(s))
	case purchase.Submit:
		_, err = m.lines.Submit(m.ctx, by, seen)
	case purchase.Approve:
		_, err = m.lines.Approve(m.ctx, by, seen)
	case purchase.SendBack:
		_, err = m.lines.SendBack(m.ctx, by, seen, "too many")
	case purchase.Cancel:
		_, err = m.lines.Cancel(m.ctx, by, seen, "not needed")
	case purchase.Receive:
		arrival := purchase.Arrival{Ref: seen[0], Quantity: number(s.quantity)}
		_, err = m.lines.Receive(m.ctx, by, purchase.Delivery{Arrivals: []purchase.Arrival{arrival}, Over: s.confirmed})
	case purchase.CloseShort:
		_, err = m.lines.CloseShort(m.ctx, by, seen, "the rest never comes")
	case purchase.Correct:
		_, err = m.lines.Correct(m.ctx, by, seen[0], number(s.quantity), "counted again")
	case purchase.Reopen:
		_, err = m.lines.Reopen(m.ctx, by, seen)
	case purchase.Split:
		_, err = m.lines.Split(m.ctx, by, seen[0], number(s.quantity), s.values["expected_arrival_date"])
	}
	return err
}

// recommendation is the key of the nth recommendation for the article.
func (m *model) recommendation(n int) string {
	return purchase.RecommendationKey(m.tenant.ID, theArticle, purchase.Everywhere, n)
}

// seen returns a line in the version that the step's caller saw.
func (m *model) seen(s step, slot int) purchase.Ref {
	ref := purchase.Ref{ID: m.book.lines[slot].id, Version: m.book.lines[slot].version}
	if s.stale {
		ref.Version++
	}
	return ref
}

// changes returns a step's values as the app takes them. A new line names its product, if
// there is one; the SKU comes with it.
func (m *model) changes(s step) (changes purchase.Changes) {
	fields := map[string]**string{
		"order_no": &changes.OrderNo, "sku": &changes.SKU, "supplier_id": &changes.SupplierID,
		"quantity_ordered": &changes.QuantityOrdered,
		"price_per_unit":   &changes.PricePerUnit, "currency": &changes.Currency, "note": &changes.Note,
		"expected_arrival_date": &changes.ExpectedArrivalDate,
	}
	for name, value := range s.values {
		*fields[name] = set(value)
	}
	if product := m.book.articleOfSKU[s.values["sku"]]; s.action == purchase.Create && product != "" {
		changes.ProductID = set(product)
	}
	return changes
}

// members returns values as a JSON object. An empty text becomes null.
func members(values map[string]string) []byte {
	object := map[string]any{}
	for name, value := range values {
		object[name] = value
		switch {
		case value == "":
			object[name] = nil
		case strings.HasPrefix(name, "quantity") || name == "price_per_unit":
			object[name] = json.Number(value)
		}
	}
	text, err := json.Marshal(object)
	if err != nil {
		panic(err)
	}
	return text
}

// body returns a record of a line.
func (m *model) body(line bookLine, values map[string]string) []byte {
	return append([]byte(fmt.Sprintf(`{"external_id":%q,`, line.key)), members(values)[1:]...)
}

// factsOfLines selects the facts that the model compares, of every line.
const factsOfLines = `SELECT l.id, l.external_id, l.version, jsonb_strip_nulls(jsonb_build_object(
	'status', l.status, 'order', l.order_no, 'sku', l.sku, 'product', l.product_id, 'supplier', l.supplier_id, 'currency', l.currency,
	'quantity', trim_scale(l.quantity_ordered)::text, 'price', trim_scale(l.price_per_unit)::text, 'received', trim_scale(l.quantity_received)::text,
	'receipts', (SELECT trim_scale(coalesce(sum(r.quantity), 0))::text FROM workspace.receipts r WHERE r.tenant_id = l.tenant_id AND r.line_id = l.id),
	'received here', trim_scale(l.received_here)::text, 'note', l.note, 'day', l.expected_arrival_date::text, 'version', l.version::text, 'recommendation', l.recommendation_key,
	'created by', coalesce(l.created_by_user_id, l.created_by_agent_id)::text, 'approved by', l.approved_by::text,
	'money by', a.money_by ->> 'id', 'imported by', a.imported_by ->> 'id', 'submitted by', a.submitted_by ->> 'id',
	'ordered outside', (a.ordered_version IS NOT NULL)::text, 'self approved', coalesce(a.self_approved, false)::text, 'sealed', (a.money_hash IS NOT NULL)::text,
	'jumps', (SELECT '[' || coalesce(string_agg(f.flag, ' ' ORDER BY f.flag COLLATE "C"), '') || ']'
		FROM (SELECT *, format('{%s %s %s %s}', from_status, to_status, coalesce(trim_scale(claimed), -1), above::text) AS flag FROM workspace.line_flags) f
		WHERE f.tenant_id = l.tenant_id AND f.line_id = l.id AND f.seen_at IS NULL),
	'approved sku', a.approved_sku, 'approved product', a.approved_product_id, 'approved supplier', a.approved_supplier_id,
	'approved currency', a.approved_currency, 'approved order', a.approved_order_no, 'approved quantity', trim_scale(a.approved_quantity)::text,
	'approved price', trim_scale(a.approved_price)::text, 'approved total', trim_scale(a.approved_total)::text, 'approver''s limit', trim_scale(a.approver_limit)::text))
	FROM workspace.purchase_order_lines l LEFT JOIN workspace.line_approvals a ON a.tenant_id = l.tenant_id AND a.line_id = l.id
	WHERE l.tenant_id = $1 ORDER BY l.id`

// stored returns the facts of the lines in the database, by id. It tells the book the id and
// key of a line that the last step made.
func (m *model) stored(t *rapid.T) map[string]map[string]string {
	rows, err := m.admin.Query(m.ctx, factsOfLines, m.tenant.ID)
	require.NoError(t, err)
	type found struct {
		ID, Key string
		Version int64
		Facts   []byte
	}
	lines, err := pgx.CollectRows(rows, pgx.RowToStructByPos[found])
	require.NoError(t, err)
	stored := map[string]map[string]string{}
	for _, line := range lines {
		stored[line.ID] = m.decode(t, line.Facts)
		m.name(line.ID, line.Key)
	}
	return stored
}

// flags returns the flags that a reader of the line sees, sorted.
func (m *model) flags(t *rapid.T, id string) (kinds []string) {
	shown, err := m.lines.Line(m.ctx, m.who[theViewer], id)
	require.NoError(t, err)
	for _, flag := range shown.Flags {
		kinds = append(kinds, string(flag.Kind))
	}
	slices.Sort(kinds)
	return kinds
}

// name tells the book the id of a new line.
func (m *model) name(id, key string) {
	fresh := -1
	for slot := range m.book.lines {
		line := &m.book.lines[slot]
		if line.id == id {
			return
		}
		if line.id == "" && line.status != purchase.None && (line.key == key || line.key == "") {
			fresh = slot
		}
	}
	if fresh >= 0 {
		m.book.lines[fresh].id, m.book.lines[fresh].key = id, key
	}
}
