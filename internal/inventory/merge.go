package inventory

import (
	"maps"
	"slices"
	"time"

	"github.com/shopspring/decimal"

	"github.com/quayside/quayside/internal/purchase"
)

// Base is what both sides last agreed on about a line: the values by field, and the receipts there that
// are in our ledger. A field without a value was never agreed on. The zero Base is that of a line that
// was never synced.
type Base struct {
	Values    map[Field]string
	Receipts  []Receipt
	Sent      Sent
	UpdatedAt time.Time // of the order there, as last seen
}

// Sent is what was written there and not read back yet. When it appears there, it is our own echo and no
// change of theirs, even if the line has changed here since.
type Sent struct {
	Values   map[Field]string
	Receipts []Receipt
	Version  time.Time // the order's UpdatedAt before it was written: later versions show the outcome
}

// Side is one of the two systems.
type Side string

// The sides.
const (
	Ours   Side = "ours"
	Theirs Side = "theirs"
)

// Reason says why a person must decide.
type Reason string

// The reasons.
const (
	BothChanged   Reason = "both_changed"   // price, quantity, currency, supplier or article, to different values
	SetBack       Reason = "set_back"       // ordered here, and set back to a draft there
	DeletedThere  Reason = "deleted_there"  // and changed here, or a part has arrived
	CancelledHere Reason = "cancelled_here" // and changed there, or a part has arrived
	FixedThere    Reason = "fixed_there"    // changed here, but it can no longer be changed there
	TakenBack     Reason = "taken_back"     // receipts were taken back here, which cannot be told there
	NoRoom        Reason = "no_room"        // more arrived here than can be received there
	NoReceipt     Reason = "no_receipt"     // received here without a receipt, and nothing has arrived there
)

// Conflict is a question to a person: one field, both values side by side.
type Conflict struct {
	Field              Field
	Reason             Reason
	Base, Ours, Theirs string
	Choices            []Side // what can be carried out
}

// Decision is a person's answer to a conflict. It holds only for the values that the person saw.
type Decision struct {
	Field        Field
	Take         Side
	Ours, Theirs string
}

// Notice is something that a person should know about a merge that needed no decision.
type Notice string

// The notices.
const (
	ApprovedElsewhere Notice = "approved_elsewhere" // it was ordered there without an approval here
	ReceiptReplaced   Notice = "receipt_replaced"   // both sides booked receipts: those of the inventory system count
	AwaitsApproval    Notice = "awaits_approval"    // ordered there; changes wait until it is approved again here
	OrderFinished     Notice = "order_finished"     // the order is received there and takes no more lines
	AwaitsLines       Notice = "awaits_lines"       // waits until the order's other lines are ordered
)

// Write is what to write on one side about a line.
type Write struct {
	Create   bool // the line does not exist on this side
	Delete   bool // only there: here a line is cancelled
	Fields   []Field
	Line     Line      // the values of Fields; all of them if the line is created
	Receipts []Receipt // to book. Here: with signs, in this order. There: at most one, without an id
}

// Empty reports whether there is nothing to write.
func (w Write) Empty() bool {
	return !w.Create && !w.Delete && len(w.Fields) == 0 && len(w.Receipts) == 0
}

// Has reports whether a field is written.
func (w Write) Has(f Field) bool { return slices.Contains(w.Fields, f) }

func (w *Write) add(f Field, from Line) {
	if !w.Has(f) {
		w.Fields = append(w.Fields, f)
	}
	w.Line.set(f, from)
}

// Result is what a merge found.
type Result struct {
	Here, There Write
	Conflicts   []Conflict
	Notices     []Notice
	Base        Base // to be stored together with what is written here, before anything is written there
}

// Quiet reports whether both sides agree.
func (r Result) Quiet() bool { return r.Here.Empty() && r.There.Empty() && len(r.Conflicts) == 0 }

// Merge compares a line on both sides with what they last agreed on. A nil line does not exist on that
// side. While a line has a conflict, nothing is written there. What is written there becomes part of the
// base only when it is read back, so that a write whose outcome is unknown is simply compared again.
func Merge(base Base, ours *Line, theirs *Remote, decisions ...Decision) Result {
	m := merge{base: base, theirs: theirs, decisions: decisions}
	m.Base = base
	m.Base.Values, m.Base.Sent.Values = cloned(base.Values), cloned(base.Sent.Values)
	switch {
	case ours == nil && theirs == nil:
		return m.Result
	case ours == nil:
		return m.load()
	}
	m.ours, m.now = *ours, *ours
	if m.stages() {
		tell := m.mergeReceipts()
		m.mergeScalars()
		if !tell.IsZero() {
			m.tellReceipts(tell)
		}
		m.mergeStatus()
	}
	if len(m.Conflicts) > 0 || m.held {
		m.There = Write{}
	}
	if m.held {
		m.notice(AwaitsApproval)
	}
	return m.Result
}

func cloned(values map[Field]string) map[Field]string {
	if values == nil {
		return map[Field]string{}
	}
	return maps.Clone(values)
}

// merge is a merge under way.
type merge struct {
	Result
	base      Base
	ours      Line
	now       Line // ours without the receipts that those of the inventory system replace
	theirs    *Remote
	decisions []Decision
	prefer    Side // Theirs: a person took their whole line
	held      bool // it awaits a new approval here
}

// load makes a line here of one that exists only there.
func (m *merge) load() Result {
	m.Here = Write{Create: true, Line: m.theirs.Line, Receipts: m.theirs.Receipts}
	for _, f := range append([]Field{FieldStatus}, scalars...) {
		m.Base.Values[f] = m.theirs.value(f)
	}
	m.Base.Receipts = m.theirs.Receipts
	return m.Result
}

func (m *merge) notice(n Notice) { m.Notices = append(m.Notices, n) }

// ask returns the side that a person chose for a field, or lists a conflict and returns none.
func (m *merge) ask(f Field, reason Reason, choices ...Side) Side {
	c := Conflict{Field: f, Reason: reason, Base: m.base.Values[f], Ours: m.now.value(f), Choices: choices}
	if m.theirs != nil {
		c.Theirs = m.theirs.value(f)
	}
	for _, d := range m.decisions {
		if d.Field == f && d.Ours == c.Ours && d.Theirs == c.Theirs && slices.Contains(choices, d.Take) {
			return d.Take
		}
	}
	m.Conflicts = append(m.Conflicts, c)
	return ""
}

// mergeScalars merges the fields that have one value. If one side changed a field, it wins. If both did,
// the inventory system's arrival date counts, and a person decides about the rest. A value that is
// unknown here is filled in: the other side cannot be told to forget one.
func (m *merge) mergeScalars() {
	for _, f := range scalars {
		o, t := m.now.value(f), m.theirs.value(f)
		b, agreed := m.agreed(f)
		switch {
		case o == t:
			m.agree(f, o)
		case o == "", m.prefer == Theirs, agreed && o == b && t != b:
			m.takeTheirs(f)
		case agreed && t == b:
			m.takeOurs(f)
		case f == FieldExpected:
			m.takeTheirs(f)
		case slices.Contains(m.theirs.Fixed, f):
			m.takeOurs(f)
		default:
			switch m.ask(f, BothChanged, Ours, Theirs) {
			case Ours:
				m.takeOurs(f)
			case Theirs:
				m.takeTheirs(f)
			default:
				if f == FieldQuantity && len(m.Here.Receipts) > 0 {
					// The receipts change the quantity of a closed line: the conflict must not look solved.
					delete(m.Base.Values, f)
				}
			}
		}
	}
}

// agreed returns the value from which a field may have changed there: the last one that both sides had, or
// our own that came back.
func (m *merge) agreed(f Field) (value string, known bool) {
	value, known = m.base.Values[f]
	if sent, ours := m.base.Sent.Values[f]; ours && m.theirs != nil && m.theirs.value(f) == sent {
		m.Base.Values[f] = sent
		return sent, true
	}
	return value, known
}

// agree notes that both sides have a value.
func (m *merge) agree(f Field, value string) {
	m.Base.Values[f] = value
	if m.answered() {
		delete(m.Base.Sent.Values, f)
	}
}

// answered reports whether this version of the order is later than what was sent.
func (m *merge) answered() bool {
	return m.theirs != nil && m.theirs.Version.After(m.base.Sent.Version)
}

func (m *merge) takeTheirs(f Field) {
	m.Here.add(f, m.theirs.Line)
	m.agree(f, m.theirs.value(f))
}

// takeOurs writes a field there, if it can still be changed there. The quantity cannot go below what has
// arrived.
func (m *merge) takeOurs(f Field) {
	switch {
	case f == FieldQuantity && m.now.total().LessThan(m.theirs.Received):
		if m.theirs.Quantity.GreaterThan(m.theirs.Received) {
			m.There.add(f, Line{Quantity: m.theirs.Received})
		}
	case !slices.Contains(m.theirs.Fixed, f):
		m.There.add(f, m.now)
	case f == FieldQuantity && !m.now.total().Equal(m.now.Quantity):
		// The quantity differs because of receipts, which are compared next.
	case f == FieldExpected, m.ask(f, FixedThere, Theirs) == Theirs:
		m.takeTheirs(f)
	}
}

// receiptChanges returns the receipts there that are not in our ledger, negative ones for those that are
// gone there, and what was booked here that is not known there.
func (m *merge) receiptChanges() (there []Receipt, here decimal.Decimal) {
	current := []Receipt{}
	if m.theirs != nil {
		current = m.theirs.Receipts
	}
	for _, old := range m.base.Receipts {
		still := slices.IndexFunc(current, func(r Receipt) bool { return r.ID == old.ID })
		if still < 0 || !current[still].Quantity.Equal(old.Quantity) {
			there = append(there, Receipt{ID: old.ID, Quantity: old.Quantity.Neg(), At: old.At})
		}
	}
	for _, r := range current {
		known := slices.ContainsFunc(m.base.Receipts,
			func(old Receipt) bool { return r.ID == old.ID && r.Quantity.Equal(old.Quantity) })
		if !known {
			there = append(there, r)
		}
	}
	here = m.ours.Received.Sub(sum(m.base.Receipts))
	for _, sent := range m.base.Sent.Receipts {
		// Ours has the moment that we sent, and may be several rows.
		echo := func(r Receipt) bool { return r.At.UnixMilli() == sent.At.UnixMilli() && r.Quantity.IsPositive() }
		rows := slices.DeleteFunc(slices.Clone(there), func(r Receipt) bool { return !echo(r) })
		if len(rows) > 0 && sum(rows).Equal(sent.Quantity) {
			there, here = slices.DeleteFunc(there, echo), here.Sub(sent.Quantity)
		}
	}
	return there, here
}

// mergeReceipts merges what arrived, and returns what is to be told there. Receipts there are known by
// their row, so none is booked twice. If both sides booked something, those of the inventory system count,
// except that a receipt of the same quantity is the same receipt.
func (m *merge) mergeReceipts() (tell decimal.Decimal) {
	there, here := m.receiptChanges()
	m.Base.Receipts = m.theirs.Receipts
	if m.answered() {
		m.Base.Sent.Receipts = nil
	}
	same := slices.IndexFunc(there, func(r Receipt) bool { return r.Quantity.Equal(here) })
	switch {
	case here.IsZero():
		m.Here.Receipts = there
	case len(there) == 0:
		return here
	case sum(there).Equal(here): // the same deliveries were booked on both sides
	case same >= 0:
		m.Here.Receipts = slices.Delete(there, same, same+1)
	default:
		m.Here.Receipts = slices.Concat(there, []Receipt{{Quantity: here.Neg(), At: m.ours.ReceivedAt}})
		m.notice(ReceiptReplaced)
		m.now.Received = m.ours.Received.Sub(here)
		if m.ours.Status == purchase.Received && m.ours.Received.GreaterThanOrEqual(m.ours.Quantity) {
			m.now.Status = arrived(m.ours.Quantity, m.now.Received)
		}
	}
	return decimal.Zero
}

// tellReceipts receives there what was booked here. It cannot be told that something did not arrive
// after all; then a person decides, here or there.
func (m *merge) tellReceipts(quantity decimal.Decimal) {
	if stageOf(m.theirs.Status) == drafted && !m.There.Has(FieldStatus) {
		m.notice(AwaitsApproval) // a draft receives nothing
		return
	}
	reason := TakenBack
	if quantity.IsPositive() {
		needed := m.theirs.Received.Add(quantity)
		total := m.theirs.Quantity
		if m.There.Has(FieldQuantity) {
			total = m.There.Line.Quantity
		}
		if total.GreaterThanOrEqual(needed) || !slices.Contains(m.theirs.Fixed, FieldQuantity) {
			if total.LessThan(needed) {
				m.There.add(FieldQuantity, Line{Quantity: needed})
			}
			m.There.Receipts = []Receipt{{Quantity: quantity, At: m.ours.ReceivedAt}}
			return
		}
		reason = NoRoom
	}
	if m.ask(FieldReceipts, reason, Theirs) == Theirs {
		m.Here.Receipts = []Receipt{{Quantity: quantity.Neg(), At: m.ours.ReceivedAt}}
	}
}

func sum(receipts []Receipt) (total decimal.Decimal) {
	for _, r := range receipts {
		total = total.Add(r.Quantity)
	}
	return total
}
