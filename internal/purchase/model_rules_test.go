package purchase_test

import (
	"slices"
	"strconv"

	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/purchase"
)

// This file implements the rule book of docs/purchasing.md a second time, in plain Go and on
// whole numbers: what people and agents may do with a line, and what follows. It shares
// nothing with the package but the names of statuses, actions and roles. The rules for records
// are in model_records_test.go.

// none stands for an absent number.
const none = -1

// The percentages of the rules; the model test leaves them at their defaults.
const (
	overReceiptPercent = 10
	reapprovalPercent  = 5
)

// amount holds the values that an approval covers.
type amount struct {
	sku, product, supplier, currency string
	quantity, price                  int
}

// approvedAmount holds the values that later changes of an ordered line are compared with.
type approvedAmount struct {
	amount
	order        string
	total, limit int // none: nobody approved it here; no limit
}

// jump is a flag: an external system made a transition that people may not, or said that less was received than people have booked.
type jump struct {
	from, to purchase.Status
	said     int  // the quantity received that it said; none: a transition
	above    bool // it is above its approval
}

// claim is what a system said of receipts that people booked, and how many receipts there were then.
type claim struct{ said, receipts int }

// bookLine is a line as the rule book sees it. People, agents and articles are names.
type bookLine struct {
	amount
	key, id        string
	order, note    string
	day            string          // on which it is expected
	status         purchase.Status // None: the line does not exist
	received       int
	version        int64
	recommendation int // by its number; 0: none

	createdBy, moneyBy, importedBy, submittedBy, approvedBy string

	selfApproved bool
	outside      bool    // an external system ordered it
	submitted    *amount // sealed when it was submitted, approved or changed as an order
	approved     *approvedAmount
	jumps        []jump
	claims       []claim
	receipts     []receipt // in the order in which they were booked
}

// receipt is what somebody booked, or took back. External systems book without a name.
type receipt struct {
	by       string
	quantity int
}

// member is somebody who acts on lines.
type member struct {
	name string
	role auth.Role
}

// book is the state of a workspace according to the rule book.
type book struct {
	lines                  []bookLine
	fourEyes, agentsSubmit bool
	limits                 map[string]int // of approvers, in EUR
	tokenMaker             string         // who made the agent's token
	articleSupplier        map[string]string
	articleOfSKU           map[string]string
	part                   *bookLine // that the present step splits off
}

// mayTake returns the roles that may take an action on a line according to the table; nil if
// the table does not contain it.
func mayTake(action purchase.Action, from purchase.Status) []auth.Role {
	const admin, approver, buyer, agent = auth.CompanyAdmin, auth.Approver, auth.Buyer, auth.Agent
	switch action {
	case purchase.Create:
		return []auth.Role{admin, buyer, agent}
	case purchase.Edit:
		if from == purchase.Draft {
			return []auth.Role{admin, buyer, agent}
		}
		return []auth.Role{admin, buyer}
	case purchase.Submit:
		if from == purchase.Draft {
			return []auth.Role{admin, buyer, agent}
		}
	case purchase.Approve:
		if from == purchase.PendingApproval {
			return []auth.Role{admin, approver}
		}
	case purchase.SendBack:
		if from == purchase.PendingApproval {
			return []auth.Role{admin, approver, buyer}
		}
	case purchase.Cancel:
		return map[purchase.Status][]auth.Role{
			purchase.Draft: {admin, buyer, agent}, purchase.PendingApproval: {admin, buyer}, purchase.Ordered: {admin},
		}[from]
	case purchase.Receive:
		if from == purchase.Ordered || from == purchase.PartiallyReceived {
			return []auth.Role{admin, buyer}
		}
	case purchase.CloseShort:
		if from == purchase.PartiallyReceived {
			return []auth.Role{admin, buyer}
		}
	case purchase.Correct:
		if from == purchase.Received || from == purchase.PartiallyReceived {
			return []auth.Role{admin, buyer}
		}
	case purchase.Reopen:
		if from == purchase.Cancelled {
			return []auth.Role{admin}
		}
	case purchase.Split:
		switch from {
		case purchase.Draft:
			return []auth.Role{admin, buyer, agent}
		case purchase.PendingApproval, purchase.Ordered, purchase.PartiallyReceived:
			return []auth.Role{admin, buyer}
		case purchase.None, purchase.Received, purchase.Cancelled:
		}
	}
	return nil
}

// permitted returns the code with which the table refuses an action, or nothing.
func permitted(by member, action purchase.Action, from purchase.Status) string {
	who := mayTake(action, from)
	switch {
	case who == nil && action == purchase.Cancel && from == purchase.PartiallyReceived:
		return "close_short"
	case who == nil:
		return "line_status"
	case !slices.Contains(who, by.role):
		return "forbidden"
	}
	return ""
}

// take takes an action on all lines or on none, and returns the code of the refusal.
func (b *book) take(by member, s step) string {
	before := slices.Clone(b.lines)
	b.part = nil
	slots := slices.Clone(s.slots)
	slices.SortFunc(slots, func(one, two int) int { return compareText(b.lines[one].id, b.lines[two].id) })
	for _, slot := range slices.Compact(slots) {
		line := &b.lines[slot]
		code := ""
		if s.stale {
			code = "stale"
		}
		if code == "" {
			code = permitted(by, s.action, line.status)
		}
		if code == "" {
			code = b.step(by, s, line)
		}
		if code == "" && b.doubled(line) {
			code = "recommendation_locked"
		}
		if code != "" {
			b.lines = before
			return code
		}
		line.count(before[slot])
	}
	if b.part != nil {
		b.lines = append(b.lines, *b.part)
	}
	return ""
}

// count raises the version of a line that changed.
func (l *bookLine) count(before bookLine) {
	if l.amount != before.amount || l.order != before.order || l.note != before.note || l.day != before.day || l.status != before.status ||
		l.received != before.received {
		l.version++
	}
}

func compareText(one, two string) int {
	switch {
	case one < two:
		return -1
	case one > two:
		return 1
	}
	return 0
}

// step applies an action to one line, whose status was checked.
func (b *book) step(by member, s step, line *bookLine) string {
	switch s.action {
	case purchase.Edit:
		if s.confirms {
			return b.confirm(by, s.values, line)
		}
		return b.edit(by, s.values, line)
	case purchase.Submit:
		return b.submit(by, line)
	case purchase.Approve:
		return b.approve(by, line)
	case purchase.SendBack:
		line.status = purchase.Draft
		line.withdraw()
	case purchase.Cancel:
		return line.cancel(by)
	case purchase.Receive:
		return line.receive(by, s.quantity, s.confirmed)
	case purchase.CloseShort:
		line.status = purchase.Received
	case purchase.Correct:
		if s.quantity < line.received && s.quantity < line.quantity && !line.notOwn(by, s.quantity) &&
			line.recommendation > 0 && b.holder(line.recommendation, line) != nil {
			return "recommendation_locked" // the reopened line would answer it as well
		}
		return line.correct(by, s.quantity)
	case purchase.Reopen:
		line.status = purchase.Draft
		line.withdraw()
		for i := range b.lines {
			if other := &b.lines[i]; other != line && other.open() && other.recommendation >= line.recommendation {
				line.recommendation = 0
			}
		}
	case purchase.Split:
		return b.split(by, s, line)
	case purchase.Create: // see draft
	}
	return ""
}

// draft makes a line as the app does.
func (b *book) draft(by member, s step) string {
	if code := permitted(by, purchase.Create, purchase.None); code != "" {
		return code
	}
	line := bookLine{status: purchase.Draft, version: 1, createdBy: by.name, moneyBy: by.name, recommendation: s.answers}
	line.price = none
	line.put(s.values)
	line.product = b.articleOfSKU[line.sku]
	slot := &b.lines[s.slots[0]]
	switch {
	case s.answers > 0 && line.sku != theArticle:
		return "unknown_recommendation"
	case s.answers > 0 && s.answers != b.present():
		return "recommendation_answered"
	case s.answers > 0 && b.holder(s.answers, slot) != nil:
		return "recommendation_locked"
	case !s.confirmed && slices.ContainsFunc(b.lines,
		func(other bookLine) bool { return other.open() && other.sameArticle(line) }):
		return "already_on_its_way"
	}
	*slot = line
	return ""
}

// present returns the number of the article's present recommendation: the first one answered by a
// line that is not ordered yet, or else the one after all that were answered.
func (b *book) present() int {
	waiting, answered := 0, 0
	for _, line := range b.lines {
		answered = max(answered, line.recommendation)
		if (line.status == purchase.Draft || line.status == purchase.PendingApproval) &&
			line.recommendation > 0 && (waiting == 0 || line.recommendation < waiting) {
			waiting = line.recommendation
		}
	}
	if waiting > 0 {
		return waiting
	}
	return answered + 1
}

// sameArticle reports whether both lines have the same product or, if one names none, the same
// SKU.
func (l *bookLine) sameArticle(other bookLine) bool {
	if l.product != "" && other.product != "" {
		return l.product == other.product
	}
	return l.sku == other.sku
}

// holder returns another open line that answers a recommendation.
func (b *book) holder(recommendation int, except *bookLine) *bookLine {
	for i := range b.lines {
		line := &b.lines[i]
		if line != except && line.open() && line.recommendation == recommendation {
			return line
		}
	}
	return nil
}

// doubled reports whether two open lines would answer one recommendation.
func (b *book) doubled(line *bookLine) bool {
	return line.recommendation > 0 && line.open() && b.holder(line.recommendation, line) != nil
}

func (l *bookLine) open() bool {
	return l.status != purchase.None && l.status != purchase.Received && l.status != purchase.Cancelled
}

// put sets fields. An empty text clears a value; another SKU clears the product.
func (l *bookLine) put(values map[string]string) {
	if sku, given := values["sku"]; given && sku != l.sku {
		if l.sku != "" {
			l.recommendation = 0 // it answered the need of the other article
		}
		l.sku, l.product = sku, ""
	}
	for name, value := range values {
		switch name {
		case "order_no":
			l.order = value
		case "supplier_id":
			l.supplier = value
		case "quantity_ordered":
			l.quantity = whole(value)
		case "price_per_unit":
			l.price = whole(value)
		case "currency":
			l.currency = value
		case "note":
			l.note = value
		case "expected_arrival_date":
			l.day = value
		}
	}
}

func whole(text string) int {
	if text == "" {
		return none
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		panic(err)
	}
	return n
}

// badQuantity refuses zero, and quantities not above what has arrived.
func (l *bookLine) badQuantity(values map[string]string) bool {
	text, given := values["quantity_ordered"]
	quantity := whole(text)
	return given && (quantity <= 0 || l.status == purchase.PartiallyReceived && l.received > 0 && quantity <= l.received)
}

func (b *book) edit(by member, values map[string]string, line *bookLine) string {
	if line.badQuantity(values) {
		return "quantity"
	}
	if line.othersForAgent(by) {
		return "not_yours"
	}
	before := *line
	line.put(values)
	return line.changedBy(by, before)
}

// othersForAgent reports whether an agent would change a line other than its own draft.
func (l *bookLine) othersForAgent(by member) bool {
	return by.role == auth.Agent && (l.status != purchase.Draft || l.createdBy != by.name)
}

// changedBy updates the approval after a person's or an agent's edit.
func (l *bookLine) changedBy(by member, before bookLine) string {
	changed := l.amount != before.amount
	if changed {
		l.moneyBy = by.name
	}
	switch l.status {
	case purchase.PendingApproval:
		if changed {
			l.status = purchase.Draft
			l.withdraw()
		}
	case purchase.Ordered, purchase.PartiallyReceived:
		if changed || l.order != before.order {
			return l.changedOrder(by)
		}
	case purchase.Received, purchase.Cancelled:
		if changed || l.order != before.order || l.day != before.day {
			return "line_status"
		}
	case purchase.None, purchase.Draft:
	}
	return ""
}

// changedOrder compares an ordered line with what was approved; a line that an external system
// ordered, with what was ordered.
func (l *bookLine) changedOrder(by member) string {
	if code := l.judged(by); code != "" {
		return code
	}
	l.seal()
	return ""
}

// above reports whether a line needs a new approval.
func (l *bookLine) above(was approvedAmount) bool {
	return l.sku != was.sku || l.product != was.product || l.supplier != was.supplier || l.currency != was.currency ||
		l.order != was.order || raisedTooFar(was.quantity, l.quantity) || raisedTooFar(was.price, l.price)
}

// judged sends an ordered line back for approval if it exceeds what was approved.
func (l *bookLine) judged(by member) string {
	if !l.above(*l.approved) {
		return ""
	}
	if l.status == purchase.PartiallyReceived {
		return "partly_received"
	}
	l.status = purchase.PendingApproval
	l.withdraw()
	l.submittedBy = by.name
	l.seal()
	return ""
}

func raisedTooFar(was, is int) bool {
	if was == none || is == none {
		return was != is
	}
	return is*100 > was*(100+reapprovalPercent)
}

// seal stores the amount that an approval covers.
func (l *bookLine) seal() {
	sealed := l.amount
	l.submitted = &sealed
}

// withdraw ends an approval, or the request for one.
func (l *bookLine) withdraw() {
	l.approvedBy, l.submittedBy, l.selfApproved, l.outside, l.submitted, l.approved = "", "", false, false, nil, nil
}
