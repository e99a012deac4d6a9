package purchase_test

import (
	"fmt"
	"slices"
	"strings"

	"pgregory.net/rapid"

	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/purchase"
)

// This file draws the steps of the model test.

// way is how a change reaches a line.
type way string

const (
	inApp    way = "in the app"
	byFile   way = "by a file"
	byRetry  way = "by an edited retry"
	byResend way = "by sending an external record again"
	byGrid   way = "in the grid"
	byKey    way = "by ingest"
)

// step is one thing that somebody does.
type step struct {
	by        string
	way       way
	action    purchase.Action // in the app
	slots     []int           // more than one only for actions in the app
	stale     bool            // the caller saw another version
	values    map[string]string
	quantity  int  // received, left by a correction, or split off; none: all that is open
	confirmed bool // the caller confirms an over-receipt, or a draft of an article with open lines
	sender    string
	answers   int  // the recommendation of a new line, by its number; 0: none
	seen      bool // marks the flags as seen
	days      bool // an edit that sets the expected day of several lines
	confirms  bool // an edit that is what a supplier confirmed
	limit     int  // new limit of the approver who has one
}

// GoString formats the step for the script that a failure prints.
func (s step) GoString() string {
	var text strings.Builder
	switch {
	case s.seen:
		return fmt.Sprintf("%s looks at the flags of line %d", s.by, s.slots[0])
	case s.limit > 0:
		return fmt.Sprintf("%s sets the limit to %d", s.by, s.limit)
	case s.way == inApp:
		fmt.Fprintf(&text, "%s: %s %v", s.by, s.action, s.slots)
		if s.days {
			text.WriteString(" reschedule")
		}
		if s.confirms {
			text.WriteString(" as the supplier confirmed")
		}
	default:
		fmt.Fprintf(&text, "%s %s: line %d", s.by, s.way, s.slots[0])
	}
	if len(s.values) > 0 {
		fmt.Fprintf(&text, " %v", s.values)
	}
	if slices.Contains([]purchase.Action{purchase.Receive, purchase.Correct, purchase.Split}, s.action) {
		fmt.Fprintf(&text, " quantity %d", s.quantity)
	}
	for name, holds := range map[string]bool{" confirmed": s.confirmed, " at another version": s.stale,
		" sent first by " + s.sender: s.sender != "", fmt.Sprintf(" answers %d", s.answers): s.answers > 0} {
		if holds {
			text.WriteString(name)
		}
	}
	return text.String()
}

var ways = []way{inApp, inApp, inApp, inApp, inApp, inApp, inApp, inApp, byKey, byKey, byFile, byRetry, byGrid,
	byResend}

// draw draws a step. Most steps are plausible: a line in the right status, and somebody who
// may act on it.
func (m *model) draw(t *rapid.T) step {
	s := step{quantity: none, way: rapid.SampledFrom(ways).Draw(t, "way")}
	odd := rapid.IntRange(0, 39).Draw(t, "odd")
	switch {
	case odd == 1:
		return step{by: theAdmin, limit: rapid.SampledFrom(someLimits).Draw(t, "limit"), slots: []int{0}}
	case odd == 2 && m.there(0):
		return step{by: m.anybody(t), seen: true, slots: []int{0}}
	case s.way == inApp:
		m.drawAction(t, &s)
		return s
	}
	slot := rapid.IntRange(0, len(m.book.lines)-1).Draw(t, "line")
	if (s.way == byGrid) && !m.there(slot) {
		s.way = byKey
	}
	s.slots = []int{slot}
	s.values = m.drawRecord(t, s.way, slot)
	switch s.way {
	case byKey:
		s.by = rapid.SampledFrom(systems).Draw(t, "system")
	case byResend:
		s.sender = rapid.SampledFrom(systems).Draw(t, "system")
		s.by = m.somebody(t, mayWrite(s.way))
	case byGrid:
		s.stale = rapid.IntRange(0, 5).Draw(t, "stale") == 5
		s.by = m.somebody(t, mayWrite(s.way))
	case byRetry:
		if rapid.Bool().Draw(t, "another's") {
			s.sender = rapid.SampledFrom([]string{theAdmin, theApprover, theBuyer, theClerk}).Draw(t, "sender")
		}
		s.by = m.somebody(t, mayWrite(s.way))
	case inApp, byFile:
		s.by = m.somebody(t, mayWrite(s.way))
	}
	return s
}

// drawAction draws an action in the app.
func (m *model) drawAction(t *rapid.T, s *step) {
	slot := rapid.IntRange(0, len(m.book.lines)-1).Draw(t, "line")
	from := m.book.lines[slot].status
	s.slots = []int{slot}
	var fit []purchase.Action
	actions := appActions
	if len(m.book.lines) >= mostSlots {
		actions = actions[:len(actions)-splits]
	}
	for _, action := range actions {
		if mayTake(action, from) != nil {
			fit = append(fit, action)
		}
	}
	switch {
	case from == purchase.None:
		s.action = purchase.Create
	case rapid.IntRange(0, 9).Draw(t, "any action") == 9:
		s.action = rapid.SampledFrom(actions).Draw(t, "action")
	default:
		s.action = rapid.SampledFrom(fit).Draw(t, "action")
	}
	s.by = m.somebody(t, mayTake(s.action, from))
	s.stale = s.action != purchase.Create && rapid.IntRange(0, 14).Draw(t, "stale") == 14
	switch s.action {
	case purchase.Create:
		s.values = m.drawNew(t, slot)
		if rapid.IntRange(0, 2).Draw(t, "answers") == 2 {
			s.answers = rapid.IntRange(1, 3).Draw(t, "recommendation")
		}
		s.confirmed = rapid.IntRange(0, 2).Draw(t, "confirmed") > 0
	case purchase.Edit:
		if s.days = rapid.IntRange(0, 3).Draw(t, "days") == 3; s.days {
			s.values = m.drawDay(t, slot)
			s.slots = m.orderOf(slot)
			break
		}
		if s.confirms = mayConfirm(from) && rapid.IntRange(0, 2).Draw(t, "confirms") == 2; s.confirms {
			s.values = m.drawValues(t, slot, "quantity_ordered", "price_per_unit")
			break
		}
		s.values = m.drawValues(t, slot, "order_no", "sku", "supplier_id", "quantity_ordered", "price_per_unit", "currency",
			"note", "expected_arrival_date")
	case purchase.Receive:
		s.quantity = rapid.SampledFrom([]int{none, 5, 10, 20, 23}).Draw(t, "quantity")
		s.confirmed = rapid.IntRange(0, 3).Draw(t, "confirmed") == 3
	case purchase.Correct:
		s.quantity = rapid.SampledFrom([]int{0, 3, 8, 20}).Draw(t, "left")
	case purchase.Split:
		s.quantity = rapid.SampledFrom([]int{0, 1, 4, 8, 15, 20}).Draw(t, "part")
		s.values = m.drawDay(t, slot)
	case purchase.Submit, purchase.Approve, purchase.SendBack, purchase.Cancel, purchase.CloseShort, purchase.Reopen:
		if rapid.IntRange(0, 3).Draw(t, "whole order") == 3 {
			s.slots = m.orderOf(slot)
		}
	}
}

// appActions are the actions in the app. Those that lead on are drawn more often than those
// that end a line.
var appActions = []purchase.Action{
	purchase.Submit, purchase.Submit, purchase.Submit, purchase.Edit, purchase.Edit, purchase.Approve, purchase.Approve,
	purchase.Approve, purchase.Approve,
	purchase.Approve, purchase.Approve, purchase.SendBack, purchase.Cancel, purchase.Receive, purchase.CloseShort,
	purchase.Correct, purchase.Reopen, purchase.Split, purchase.Split,
}

const (
	splits    = 2 // at the end of appActions
	mostSlots = 6 // lines are no longer split then
)

func mayConfirm(from purchase.Status) bool {
	return from == purchase.Ordered || from == purchase.PartiallyReceived || from == purchase.Received
}

// there reports whether a line exists.
func (m *model) there(slot int) bool { return m.book.lines[slot].status != purchase.None }

// orderOf returns the lines of a line's order.
func (m *model) orderOf(slot int) (slots []int) {
	for other, line := range m.book.lines {
		if line.status != purchase.None && line.order == m.book.lines[slot].order {
			slots = append(slots, other)
		}
	}
	return slots
}

func (m *model) anybody(t *rapid.T) string { return rapid.SampledFrom(everybody).Draw(t, "by") }

// somebody returns, most of the time, somebody with one of the roles.
func (m *model) somebody(t *rapid.T, roles []auth.Role) string {
	var may []string
	for _, name := range everybody {
		if slices.Contains(roles, roleOf[name]) {
			may = append(may, name)
		}
	}
	if len(may) == 0 || rapid.IntRange(0, 7).Draw(t, "anybody") == 7 {
		return m.anybody(t)
	}
	return rapid.SampledFrom(may).Draw(t, "by")
}

// drawNew draws all values that a new line needs.
func (m *model) drawNew(t *rapid.T, slot int) map[string]string {
	values := map[string]string{"order_no": orderOf(slot), "sku": articlesOf(slot)[0], "quantity_ordered": "20",
		"price_per_unit": "20", "currency": "EUR", "supplier_id": theSupplier}
	for name, value := range m.drawValues(t, slot, "sku", "quantity_ordered", "price_per_unit", "currency") {
		if value != "0" {
			values[name] = value
		}
	}
	return values
}

// drawValues draws one or two fields with their values.
func (m *model) drawValues(t *rapid.T, slot int, names ...string) map[string]string {
	values := map[string]string{}
	for range rapid.IntRange(1, 2).Draw(t, "fields") {
		name := rapid.SampledFrom(names).Draw(t, "field")
		values[name] = rapid.SampledFrom(m.choices(name, slot)).Draw(t, name)
	}
	return values
}

// drawDay draws an expected day.
func (m *model) drawDay(t *rapid.T, slot int) map[string]string {
	const name = "expected_arrival_date"
	return map[string]string{name: rapid.SampledFrom(m.choices(name, slot)).Draw(t, name)}
}

// choices returns the values that a field takes in the model test; the empty one clears it.
// Each line has articles of its own, and there is one supplier.
func (m *model) choices(name string, slot int) []string {
	switch name {
	case "order_no":
		return []string{orderOf(slot), orderOf(0), "PO-OTHER"}
	case "sku":
		return articlesOf(slot)
	case "supplier_id":
		return []string{theSupplier, ""}
	case "quantity_ordered":
		return []string{"20", "21", "22", "10", "5", "40", "0"}
	case "quantity_received":
		return []string{"0", "5", "10", "20", "23"}
	case "price_per_unit":
		return []string{"20", "21", "22", "10", "50", ""}
	case "currency":
		return []string{"EUR", "EUR", "USD", ""}
	case "expected_arrival_date":
		return []string{"2026-12-01", "2027-01-31", ""}
	case "status":
		var names []string
		for _, status := range purchase.Statuses() {
			names = append(names, string(status))
		}
		return names
	}
	return []string{"", "by boat", "by train"}
}

// drawRecord draws a record of a line; for a new line, with all values that it needs.
func (m *model) drawRecord(t *rapid.T, way way, slot int) map[string]string {
	line := m.book.lines[slot]
	if way == byGrid && rapid.IntRange(0, 3).Draw(t, "locked") < 3 {
		return m.drawValues(t, slot, inGrid...)
	}
	values := m.drawValues(t, slot, "order_no", "sku", "supplier_id", "quantity_ordered", "quantity_received",
		"price_per_unit", "currency", "status", "note")
	if rapid.IntRange(0, 3).Draw(t, "as it stands") == 3 && m.there(slot) { // as in an exported file
		values["status"], values["quantity_received"] = string(line.status), fmt.Sprint(line.received)
	}
	if !m.there(slot) {
		for name, value := range m.drawNew(t, slot) {
			if _, given := values[name]; !given {
				values[name] = value
			}
		}
	}
	return values
}
