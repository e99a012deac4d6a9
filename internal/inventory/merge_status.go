package inventory

import (
	"github.com/shopspring/decimal"

	"github.com/quayside/quayside/internal/purchase"
)

// stage is what a status means to both sides. How much of an ordered line has arrived is no stage: it
// follows from the receipts.
type stage int

const (
	unknown stage = iota
	drafted       // draft here or pending approval
	ordered
	gone // cancelled here, deleted there
)

func stageOf(status purchase.Status) stage {
	switch status {
	case purchase.None:
		return unknown
	case purchase.Draft, purchase.PendingApproval:
		return drafted
	case purchase.Ordered, purchase.PartiallyReceived, purchase.Received:
		return ordered
	case purchase.Cancelled:
	}
	return gone
}

// stages merges the stages of a line, and reports whether there is more to compare.
func (m *merge) stages() bool {
	base, here, there := stageOf(purchase.Status(m.base.Values[FieldStatus])), stageOf(m.ours.Status), gone
	if m.theirs != nil {
		there = stageOf(m.theirs.Status)
	}
	switch {
	case here == gone && there == gone:
		m.agree(FieldStatus, string(purchase.Cancelled))
		return false
	case here == there:
		m.agree(FieldStatus, string(m.ours.Status))
		return true
	case there == gone:
		m.deletedThere(base, here)
		return false
	case here == gone:
		return m.cancelledHere(base, there)
	case here == drafted && (base == ordered || m.base.Sent.Values[FieldStatus] != ""):
		m.held = true // it went back for approval here; there it stays ordered
		m.agree(FieldStatus, string(purchase.Ordered))
		return true
	case here == drafted:
		m.setStatus(purchase.Ordered)
		m.notice(ApprovedElsewhere)
		return true
	case base != ordered:
		m.There.add(FieldStatus, m.ours)
		return true
	}
	choices := []Side{Ours, Theirs}
	if m.ours.Received.IsPositive() {
		choices = choices[:1] // what has arrived is no draft
	}
	switch m.ask(FieldStatus, SetBack, choices...) {
	case Ours:
		m.There.add(FieldStatus, m.ours)
		return true
	case Theirs:
		m.setStatus(purchase.Draft)
		return true
	}
	return false
}

// setStatus sets the status here to one that both sides then agree on.
func (m *merge) setStatus(status purchase.Status) {
	m.Here.add(FieldStatus, Line{Status: status})
	m.agree(FieldStatus, string(status))
}

// deletedThere merges a line that exists here and not there.
func (m *merge) deletedThere(base, here stage) {
	take := Ours
	if base != unknown && base != gone {
		take = Theirs
		if here != base || m.changedHere() || m.ours.Received.IsPositive() {
			take = m.ask(FieldStatus, DeletedThere, Ours, Theirs)
		}
	}
	switch take {
	case Ours:
		m.There = Write{Create: true, Line: m.ours}
		m.Base.Values, m.Base.Receipts = nil, nil // they were about the deleted line
	case Theirs:
		if m.ours.Received.IsPositive() {
			m.Here.Receipts = []Receipt{{Quantity: m.ours.Received.Neg(), At: m.ours.ReceivedAt}}
		}
		m.Base.Receipts = nil
		m.setStatus(purchase.Cancelled)
	}
}

// cancelledHere merges a line that was cancelled here and exists there. It reports whether there is more
// to compare.
func (m *merge) cancelledHere(base, there stage) bool {
	take := Ours
	if base != there || m.changedThere() || m.theirs.Received.IsPositive() {
		choices := []Side{Ours, Theirs}
		if m.theirs.Received.IsPositive() {
			choices = choices[1:] // what has arrived cannot be deleted there
		}
		take = m.ask(FieldStatus, CancelledHere, choices...)
	}
	switch take {
	case Ours:
		m.There = Write{Delete: true}
	case Theirs:
		m.prefer = Theirs
		m.setStatus(StatusOf(StateOf(m.theirs.Status)))
		return true
	}
	return false
}

// changedHere reports whether a field or the receipts changed here since both sides agreed.
func (m *merge) changedHere() bool {
	for _, f := range scalars {
		if b, agreed := m.base.Values[f]; agreed && m.ours.value(f) != b {
			return true
		}
	}
	_, here := m.receiptChanges()
	return !here.IsZero()
}

// changedThere reports whether a field or the receipts changed there since both sides agreed.
func (m *merge) changedThere() bool {
	for _, f := range scalars {
		if b, agreed := m.agreed(f); agreed && m.theirs.value(f) != b {
			return true
		}
	}
	there, _ := m.receiptChanges()
	return len(there) > 0
}

// mergeStatus sets the status here by what will have arrived, once both sides call the line ordered. It
// also decides whether a quantity from there is written: if the line is received, a smaller one means
// that the rest was given up, and what was ordered here stays.
func (m *merge) mergeStatus() {
	status := m.ours.Status
	if m.Here.Has(FieldStatus) {
		status = m.Here.Line.Status
	}
	if stageOf(status) != ordered || stageOf(m.theirs.Status) == drafted && m.ours.Received.IsZero() {
		return
	}
	total, received, quantity := m.now.total(), m.ours.Received.Add(sum(m.Here.Receipts)), m.ours.Quantity
	if m.Here.Has(FieldQuantity) {
		total, quantity = m.Here.Line.Quantity, m.Here.Line.Quantity
	}
	if status == purchase.Received && m.ours.Received.IsZero() && received.IsZero() && m.ask(FieldStatus, NoReceipt, Theirs) != Theirs {
		return
	}
	want := arrived(total, received)
	switch {
	case want == purchase.Received && m.Here.Has(FieldQuantity) && total.LessThan(m.ours.Quantity):
		m.Here.drop(FieldQuantity)
	case want != purchase.Received && !total.Equal(quantity): // it was closed short, and is open again
		m.Here.add(FieldQuantity, Line{Quantity: total})
	}
	if want != status {
		m.Here.add(FieldStatus, Line{Status: want})
	}
	if m.Here.Has(FieldStatus) && m.Here.Line.Status == m.ours.Status {
		m.Here.drop(FieldStatus)
	}
	if !m.There.Has(FieldStatus) && len(m.Conflicts) == 0 {
		m.agree(FieldStatus, string(want))
	}
}

// arrived returns the status of an ordered line by what has arrived.
func arrived(total, received decimal.Decimal) purchase.Status {
	switch {
	case !received.IsPositive():
		return purchase.Ordered
	case received.LessThan(total):
		return purchase.PartiallyReceived
	}
	return purchase.Received
}

func (w *Write) drop(f Field) {
	kept := []Field{}
	for _, field := range w.Fields {
		if field != f {
			kept = append(kept, field)
		}
	}
	w.Fields = kept
}
