package purchase_test

import (
	"slices"

	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/purchase"
)

// This file is the rule book for approval and receipts.

// complete reports whether an approver would know what a line costs.
func (b *book) complete(l *bookLine) bool {
	article := l.product
	if article == "" {
		article = b.articleOfSKU[l.sku]
	}
	return l.quantity > 0 && (l.supplier != "" || b.articleSupplier[article] != "") && l.price != none && l.currency != ""
}

func (b *book) submit(by member, l *bookLine) string {
	switch {
	case by.role == auth.Agent && !b.agentsSubmit:
		return "agents_submit"
	case l.othersForAgent(by):
		return "not_yours"
	case !b.complete(l):
		return "required"
	}
	l.status, l.submittedBy = purchase.PendingApproval, by.name
	l.seal()
	return ""
}

func (b *book) approve(by member, l *bookLine) string {
	own := b.own(by, l)
	total, exceeded := b.total(by, l)
	switch {
	case l.submitted != nil && *l.submitted != l.amount:
		return "changed"
	case !b.complete(l):
		return "required"
	case own && b.fourEyes:
		return "four_eyes"
	case exceeded:
		return "approval_limit"
	}
	l.status, l.approvedBy, l.selfApproved, l.outside = purchase.Ordered, by.name, own, false
	l.approved = &approvedAmount{amount: l.amount, order: l.order, total: total, limit: none}
	if limit, limited := b.limits[by.name]; limited {
		l.approved.limit = limit
	}
	l.seal()
	l.arrived()
	return ""
}

// own reports whether the approver had a part in the line, so that the four-eyes rule excludes
// them.
func (b *book) own(by member, l *bookLine) bool {
	for _, name := range []string{l.createdBy, l.importedBy, l.moneyBy, l.submittedBy} {
		if name == by.name || name == theAgent && b.tokenMaker == by.name {
			return true
		}
	}
	return false
}

// total returns the order's total in the line's currency, and whether it exceeds the
// approver's limit. All lines count except drafts and cancelled ones.
func (b *book) total(by member, l *bookLine) (total int, exceeded bool) {
	limit, limited := b.limits[by.name]
	for i := range b.lines {
		other := &b.lines[i]
		if other.order != l.order || other.status == purchase.None || other.status == purchase.Draft ||
			other.status == purchase.Cancelled {
			continue
		}
		if other.currency != limitCurrency {
			exceeded = true
		}
		if other.currency == l.currency {
			total += other.quantity * max(other.price, 0)
		}
	}
	return total, limited && (exceeded || total > limit)
}

func (l *bookLine) cancel(by member) string {
	switch {
	case l.othersForAgent(by):
		return "not_yours"
	case l.received > 0:
		return "close_short"
	}
	l.status = purchase.Cancelled
	return ""
}

// arrived sets the status that follows from the quantity received.
func (l *bookLine) arrived() {
	switch {
	case l.received == 0 || l.status != purchase.Ordered && l.status != purchase.PartiallyReceived:
	case l.received < l.quantity:
		l.status = purchase.PartiallyReceived
	default:
		l.status = purchase.Received
	}
}

func (l *bookLine) overReceived(received int) bool {
	return received*100 > l.quantity*(100+overReceiptPercent)
}

// receive books a quantity, or all that is still open.
func (l *bookLine) receive(by member, quantity int, confirmed bool) string {
	if quantity == none {
		quantity = l.quantity - l.received
	}
	switch {
	case quantity <= 0:
		return "quantity"
	case l.overReceived(l.received+quantity) && !confirmed:
		return "over_receipt"
	}
	l.received += quantity
	l.receipts = append(l.receipts, receipt{by.name, quantity})
	l.arrived()
	return ""
}

// correct takes receipts back until this quantity is left.
func (l *bookLine) correct(by member, left int) string {
	switch {
	case left >= l.received:
		return "quantity"
	case l.notOwn(by, left):
		return "not_your_receipt"
	case left == 0:
		l.status = purchase.Ordered
	case left < l.quantity:
		l.status = purchase.PartiallyReceived
	}
	l.receipts = append(l.receipts, receipt{by.name, left - l.received})
	l.received = left
	if l.status == purchase.Ordered && l.approved != nil && l.createdBy != "" {
		return l.judged(by)
	}
	return ""
}

// notOwn reports whether a buyer would take back more than what they booked after all others.
func (l *bookLine) notOwn(by member, left int) bool {
	own := 0
	for i := len(l.receipts) - 1; i >= 0 && l.receipts[i].by == by.name; i-- {
		own += l.receipts[i].quantity
	}
	return by.role != auth.CompanyAdmin && l.received-left > own
}

// here returns what people have booked of a line. What they took back beyond that, others had booked.
func (l *bookLine) here() (here int) {
	for _, one := range l.receipts {
		if one.by != "" {
			here = max(0, here+one.quantity)
		}
	}
	return here
}

// split moves a part of what is open to a new line, and divides the approval. An ordered line, or its part, that exceeds
// its share waits for approval.
func (b *book) split(by member, s step, l *bookLine) string {
	switch {
	case l.othersForAgent(by):
		return "not_yours"
	case s.quantity <= 0 || s.quantity >= l.quantity-l.received:
		return "quantity"
	}
	before := *l
	part := before
	part.key, part.id, part.version = "", "", 1
	part.received, part.receipts, part.jumps, part.claims, part.recommendation = 0, nil, nil, nil, 0
	part.day, part.quantity = s.values["expected_arrival_date"], s.quantity
	l.quantity -= s.quantity
	if l.approved != nil {
		mine, theirs := *l.approved, *l.approved
		theirs.quantity = share(before, s.quantity)
		mine.quantity -= theirs.quantity
		l.approved, part.approved = &mine, &theirs
	}
	if before.submitted != nil && *before.submitted == before.amount {
		l.seal()
		part.seal()
	}
	if before.status == purchase.PartiallyReceived {
		part.status = purchase.Ordered
	}
	if before.status == purchase.Ordered || before.status == purchase.PartiallyReceived {
		for _, one := range []*bookLine{l, &part} {
			if code := one.judged(by); code != "" {
				return code
			}
		}
	}
	if (part.status == purchase.Draft || part.status == purchase.PendingApproval) && l.recommendation > 0 {
		for i := range b.lines {
			part.recommendation = max(part.recommendation, b.lines[i].recommendation+1)
		}
	}
	b.part = &part
	return ""
}

// share returns how many of what was approved for a line go with a part of it.
func share(whole bookLine, part int) int {
	if whole.product == "prod-"+theArticle && part%theMultiple == 0 {
		return whole.approved.quantity * part / (whole.quantity * theMultiple) * theMultiple
	}
	return whole.approved.quantity * part / whole.quantity
}

// confirm takes over what a supplier says of an ordered line, as far as the line stays in its status.
func (b *book) confirm(by member, values map[string]string, l *bookLine) string {
	if l.status != purchase.Ordered && l.status != purchase.PartiallyReceived {
		return "line_status"
	}
	for _, name := range []string{"quantity_ordered", "price_per_unit"} {
		said := map[string]string{name: values[name]}
		if values[name] == "" || l.badQuantity(only(said, "quantity_ordered")) {
			continue
		}
		tried := *l
		tried.put(said)
		if tried.changedBy(by, *l) == "" && tried.status == l.status {
			*l = tried
		}
	}
	return ""
}

// only returns the value of one name, if there is one.
func only(values map[string]string, name string) map[string]string {
	if value, given := values[name]; given {
		return map[string]string{name: value}
	}
	return nil
}

// approvedInSum adds up what is approved: in pieces, and at the approved prices.
func (b *book) approvedInSum() (pieces, money int) {
	for i := range b.lines {
		if a := b.lines[i].approved; a != nil {
			pieces += a.quantity
			money += a.quantity * max(a.price, 0)
		}
	}
	return pieces, money
}

// aboveApproval returns an ordered line that people brought above its approval, or none. What an external system raised
// differs from what was sealed.
func (b *book) aboveApproval() int {
	for i := range b.lines {
		l := &b.lines[i]
		if (l.status == purchase.Ordered || l.status == purchase.PartiallyReceived) && l.submitted != nil && *l.submitted == l.amount &&
			(raisedTooFar(l.approved.quantity, l.quantity) || raisedTooFar(l.approved.price, l.price)) {
			return i
		}
	}
	return none
}

// flags returns the flags of a line, sorted.
func (b *book) flags(l *bookLine) (kinds []string) {
	for _, jump := range l.jumps {
		kind := purchase.StatusJump
		switch {
		case jump.above:
			kind = purchase.AboveDeal
		case jump.said != none:
			kind = purchase.BelowFloor
		case jump.from == jump.to:
			kind = purchase.ShortCount
		}
		kinds = append(kinds, string(kind))
	}
	if l.overReceived(l.received) {
		kinds = append(kinds, string(purchase.OverCount))
	}
	if l.status != purchase.Draft && l.status != purchase.Cancelled && l.submitted != nil && *l.submitted != l.amount && !l.flaggedAbove() {
		kinds = append(kinds, string(purchase.Changed))
	}
	if l.product == "" && b.articleOfSKU[l.sku] == "" {
		kinds = append(kinds, string(purchase.Unresolved))
	}
	slices.Sort(kinds)
	return kinds
}
