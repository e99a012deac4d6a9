package purchase_test

import (
	"maps"
	"slices"

	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/purchase"
)

// This file is the rule book for records: files, retries and grid edits of people and agents,
// and what external systems send.

// mayWrite returns the roles that may send a record this way.
func mayWrite(way way) []auth.Role {
	switch way {
	case byFile, byGrid:
		return []auth.Role{auth.CompanyAdmin, auth.Buyer}
	case byRetry, byResend:
		return []auth.Role{auth.CompanyAdmin, auth.Buyer, auth.Agent}
	case inApp, byKey:
	}
	return nil
}

// inGrid are the fields that the table's grid lets people edit.
var inGrid = []string{"note"}

// write stores a record that a person or an agent caused, or returns the code of its refusal.
func (b *book) write(by member, s step) string {
	line := &b.lines[s.slots[0]]
	if !slices.Contains(mayWrite(s.way), by.role) {
		return "forbidden"
	}
	if s.way == byResend { // an external system's statement, sent again as it came
		return b.external(line, s.values, s.sender)
	}
	if s.way == byGrid && slices.ContainsFunc(slices.Collect(maps.Keys(s.values)),
		func(name string) bool { return !slices.Contains(inGrid, name) }) {
		return "locked"
	}
	before := *line
	after, code := line.claim(by, s.values)
	switch {
	case code != "":
		return code
	case s.stale:
		return "stale"
	case !differs(before, s.values):
		return ""
	}
	if s.sender != "" && after.amount != before.amount {
		after.importedBy = s.sender
	}
	after.count(before)
	*line = after
	return ""
}

// claim judges a record as an edit of the line, or as a new draft.
func (l *bookLine) claim(by member, values map[string]string) (after bookLine, code string) {
	after = *l
	action := purchase.Edit
	if l.status == purchase.None {
		action = purchase.Create
		after = bookLine{key: l.key, status: purchase.Draft, createdBy: by.name, moneyBy: by.name}
		after.price = none
	}
	changesQuantity := action == purchase.Create || whole(values["quantity_ordered"]) != l.quantity
	status, statusGiven := values["status"]
	received, receivedGiven := values["quantity_received"]
	switch {
	case changesQuantity && l.badQuantity(values):
		return after, "quantity"
	case !slices.Contains(mayTake(action, l.status), by.role):
		return after, "forbidden"
	case action == purchase.Edit && l.othersForAgent(by):
		return after, "not_yours"
	case statusGiven && status != string(after.status):
		return after, "status_claimed"
	case receivedGiven && whole(received) != l.received:
		return after, "receipt_claimed"
	}
	before := after
	after.put(values)
	if action == purchase.Create {
		return after, ""
	}
	return after, after.changedBy(by, before)
}

// differs reports whether a record changes a line.
func differs(line bookLine, values map[string]string) bool {
	said := line
	said.put(values)
	if status, given := values["status"]; given {
		said.status = purchase.Status(status)
	}
	if received, given := values["quantity_received"]; given {
		said.received = whole(received)
	}
	return line.status == purchase.None || said.amount != line.amount || said.order != line.order ||
		said.note != line.note ||
		said.status != line.status || said.received != line.received
}

// external stores an external system's record as it is sent, with two exceptions: receipts that people booked stay, and without
// the right to do so the system does not order what was drafted here.
func (b *book) external(line *bookLine, values map[string]string, system string) string {
	if !differs(*line, values) {
		return ""
	}
	before := *line
	after := before
	if before.status == purchase.None {
		after = bookLine{key: before.key, status: purchase.Draft}
		after.price = none
	}
	after.put(values)
	said, saysStatus := values["status"]
	if saysStatus {
		after.status = purchase.Status(said)
	}
	bound := before.createdBy != "" && system != theTrusted
	if bound && before.waits() && after.ordered() {
		after.status = before.status
	}
	if received, given := values["quantity_received"]; given {
		after.received = max(whole(received), min(before.here(), before.received))
	}
	if after.received != before.received {
		after.receipts = append(slices.Clone(before.receipts), receipt{"", after.received - before.received})
	}
	if before.status != purchase.None {
		after.followExternal(before, saysStatus)
	}
	after.arrived()
	told, refused := after, false
	if bound {
		refused = after.edited(system, before)
	}
	after.orderedOutside(before)
	if after.status == told.status || told.byReceipts() != before.byReceipts() { // or the rules moved it, and not the system
		after.flag(before)
	}
	after.contradict(before, values)
	if refused {
		after.flagAbove(before)
	}
	after.count(before)
	*line = after
	if b.doubled(line) {
		*line = before
		return "recommendation_locked"
	}
	return ""
}

// waits reports whether a line has not been ordered, or not since it was taken back.
func (l *bookLine) waits() bool {
	return l.status == purchase.Draft || l.status == purchase.PendingApproval ||
		l.status == purchase.Cancelled && l.approved == nil
}

// edited lets other values have the consequences of a person's edit. Where a person is refused because something has arrived,
// there are none. A line of which nothing has arrived is an order, whatever a record calls it.
func (l *bookLine) edited(system string, before bookLine) (refused bool) {
	called := l.status
	l.status, before.status = l.byReceipts(), before.byReceipts()
	settled := l.status
	defer func() {
		if l.status == settled {
			l.status = called
		}
	}()
	changed := l.amount != before.amount
	switch l.status {
	case purchase.PendingApproval:
		if changed && before.status == purchase.PendingApproval {
			l.status = purchase.Draft
			l.withdraw()
		}
	case purchase.Ordered, purchase.PartiallyReceived:
		if changed || l.order != before.order || l.status != before.status {
			if l.approved == nil { // it was ordered elsewhere, and nobody here has changed it
				l.approved = &approvedAmount{amount: before.amount, order: before.order, total: none, limit: none}
			}
			return l.changedOrder(member{name: system}) != ""
		}
	case purchase.Received:
		return true
	case purchase.None, purchase.Draft, purchase.Cancelled:
	}
	return false
}

func (l *bookLine) byReceipts() purchase.Status {
	if l.status == purchase.PartiallyReceived && l.received == 0 {
		return purchase.Ordered
	}
	return l.status
}

// flagAbove flags another deal that is above its approval, or above what was ordered elsewhere, once until somebody has seen it.
func (l *bookLine) flagAbove(before bookLine) {
	was := approvedAmount{amount: before.amount, order: before.order}
	if before.approved != nil {
		was = *before.approved
	}
	if (l.amount != before.amount || l.order != before.order) && l.above(was) && !l.flaggedAbove() {
		l.jumps = append(slices.Clone(l.jumps), jump{l.status, l.status, none, true})
	}
}

func (l *bookLine) flaggedAbove() bool {
	return slices.ContainsFunc(l.jumps, func(j jump) bool { return j.above })
}

// contradict flags a received quantity below what people booked, once until something else arrives.
func (l *bookLine) contradict(before bookLine, values map[string]string) {
	text, given := values["quantity_received"]
	said := claim{whole(text), len(l.receipts)}
	if !given || said.said == l.received || slices.Contains(l.claims, said) {
		return
	}
	l.claims = append(slices.Clone(before.claims), said)
	l.jumps = append(slices.Clone(l.jumps), jump{l.status, l.status, said.said, false})
}

// followExternal updates the approval after an external system's change, and the status of a
// received line whose receipts were taken back.
func (l *bookLine) followExternal(before bookLine, saysStatus bool) {
	if l.status != before.status &&
		(l.status == purchase.Draft || l.status == purchase.PendingApproval && before.status != purchase.Draft) {
		l.withdraw()
	}
	takenBack := before.status == purchase.Received && l.status == purchase.Received && l.received < before.received &&
		l.received < l.quantity
	if takenBack && !saysStatus {
		l.status = purchase.Ordered // arrived sets the final status
	}
}

// orderedOutside seals a line that an external system ordered, unless it was approved here.
func (l *bookLine) orderedOutside(before bookLine) {
	if !before.ordered() && l.ordered() && l.approvedBy == "" && l.approved == nil {
		l.approved, l.outside = &approvedAmount{amount: l.amount, order: l.order, total: none, limit: none}, true
	}
}

func (l *bookLine) ordered() bool {
	return l.status == purchase.Ordered || l.status == purchase.PartiallyReceived || l.status == purchase.Received
}

// flag records a change that people could not have made.
func (l *bookLine) flag(before bookLine) {
	from, to := before.status, l.status
	switch {
	case from == purchase.None:
	case from == to:
		if to == purchase.Received && l.received < before.received && l.received < l.quantity {
			l.jumps = append(slices.Clone(l.jumps), jump{from, to, none, false})
		}
	case from == purchase.Ordered && (to == purchase.PartiallyReceived || to == purchase.Received):
	case from == purchase.Ordered && to == purchase.Cancelled && l.received == 0:
	case from == purchase.PartiallyReceived && to == purchase.Received:
	default:
		l.jumps = append(slices.Clone(l.jumps), jump{from, to, none, false})
	}
}
