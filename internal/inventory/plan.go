package inventory

import "slices"

// Pair is one line on both sides.
type Pair struct {
	Base      Base
	Ours      *Line
	Theirs    *Remote
	Decisions []Decision
}

// Without returns what a person would be asked about the line if nothing had been decided about one of its fields. A decision is
// needed as long as its question is among that: what was decided may not have arrived there yet, or waits for an answer about
// another line of the order.
func (p Pair) Without(field Field) []Conflict {
	others := slices.DeleteFunc(slices.Clone(p.Decisions), func(d Decision) bool { return d.Field == field })
	return Merge(p.Base, p.Ours, p.Theirs, others...).Conflicts
}

// Match returns the line there of each of our lines, or nil, and the lines there that none of ours is. A
// line of ours that has no row there yet is known by its article: it may have been created by a call
// without an answer.
func Match(lines []Remote, ours []Key) (matched []*Remote, rest []Remote) {
	matched, claimed := make([]*Remote, len(ours)), map[*Remote]bool{}
	claim := func(i int, line *Remote) {
		if line != nil && !claimed[line] {
			matched[i], claimed[line] = line, true
		}
	}
	for i, key := range ours {
		if key.Root != "" {
			claim(i, Find(lines, key))
		}
	}
	for i, key := range ours {
		for j := range lines {
			if key.Root == "" && matched[i] == nil && lines[j].Variant == key.Variant {
				claim(i, &lines[j])
			}
		}
	}
	for j := range lines {
		if !claimed[&lines[j]] {
			rest = append(rest, lines[j])
		}
	}
	return matched, rest
}

// Planned is what to do about an order.
type Planned struct {
	Lines       []Result // one for each pair
	Stale       bool     // this version of the order is older than one that was merged before: nothing is to be done
	Paused      bool     // a line has a conflict, so nothing of the order is written there
	State       State    // to set there, or to create the order with; Gone: leave it as it is
	DeleteOrder bool     // the order is deleted, with its last line
}

// Plan merges all lines of one order. The order is nil if it does not exist there.
//
// The state there belongs to the whole order, but approval is given by line. So an order is ordered there
// only when none of its lines there is still a draft here, and a draft is not added to an order that is
// ordered there: otherwise it would come back as approved.
func Plan(order *Order, pairs []Pair) Planned {
	p := Planned{Lines: make([]Result, len(pairs))}
	for _, pair := range pairs {
		if order != nil && order.UpdatedAt.Before(pair.Base.UpdatedAt) {
			return Planned{Stale: true, Lines: p.Lines}
		}
	}
	for i, pair := range pairs {
		p.Lines[i] = Merge(pair.Base, pair.Ours, pair.Theirs, pair.Decisions...)
		if order != nil {
			p.Lines[i].Base.UpdatedAt = order.UpdatedAt
		}
		p.Paused = p.Paused || len(p.Lines[i].Conflicts) > 0
	}
	if p.Paused {
		for i := range p.Lines {
			p.Lines[i].There = Write{}
		}
		return p
	}
	p.order(order, pairs)
	return p
}

// order decides about the order's state there, and which lines wait for it.
func (p *Planned) order(order *Order, pairs []Pair) {
	exists := order != nil && !order.Deleted
	waits, wanted, creates := false, false, false
	for i, pair := range pairs {
		there, draft := p.Lines[i].There, p.draft(i, pair)
		waits = waits || draft && pair.Theirs != nil && !there.Delete
		wanted = wanted || there.Has(FieldStatus) || there.Create && !draft
		creates = creates || there.Create
	}
	placed := exists && order.State != Draft
	switch {
	case wanted && !placed && !waits:
		p.State, placed = NotReceived, true
	case creates && !exists:
		p.State = Draft
	}
	finished := exists && order.State == Received
	alive, deleted := false, false
	for i, pair := range pairs {
		line, draft := &p.Lines[i], p.draft(i, pair)
		line.wait(draft && placed, waits, finished)
		line.remember(order, !draft)
		alive = alive || line.There.Create || pair.Theirs != nil && !line.There.Delete
		deleted = deleted || line.There.Delete
	}
	p.DeleteOrder = exists && deleted && !alive
}

// wait withholds what cannot be written there yet: a new line that would come back as approved or that the
// finished order does not take, and ordering a line whose order still has drafts.
func (r *Result) wait(unapproved, drafts, finished bool) {
	switch {
	case r.There.Create && finished:
		r.There = Write{}
		r.Notices = append(r.Notices, OrderFinished)
	case r.There.Create && unapproved:
		r.There = Write{}
		r.Notices = append(r.Notices, AwaitsLines)
	case r.There.Has(FieldStatus) && drafts:
		r.There.drop(FieldStatus)
		r.There.Receipts = nil // a draft there receives nothing
		r.Notices = append(r.Notices, AwaitsLines)
	}
}

// remember keeps what is about to be written there.
func (r *Result) remember(order *Order, ordering bool) {
	fields := r.There.Fields
	if r.There.Create {
		fields = scalars
		if ordering {
			fields = append([]Field{FieldStatus}, scalars...)
		}
	}
	if len(fields) == 0 && len(r.There.Receipts) == 0 {
		return
	}
	sent := &r.Base.Sent
	sent.Values = cloned(sent.Values)
	for _, f := range fields {
		sent.Values[f] = r.There.Line.value(f)
	}
	for _, receipt := range r.There.Receipts {
		again := func(old Receipt) bool { return old.At.Equal(receipt.At) }
		sent.Receipts = append(slices.DeleteFunc(slices.Clone(sent.Receipts), again), receipt)
	}
	if order != nil {
		sent.Version = order.UpdatedAt
	}
}

// draft reports whether a line is a draft here after the merge.
func (p *Planned) draft(i int, pair Pair) bool {
	here := p.Lines[i].Here
	switch {
	case here.Has(FieldStatus):
		return stageOf(here.Line.Status) == drafted
	case pair.Ours == nil:
		return false
	}
	return stageOf(pair.Ours.Status) == drafted
}
