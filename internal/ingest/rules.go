package ingest

import (
	"bytes"
	"errors"
	"slices"

	"github.com/google/uuid"

	"github.com/quayside/quayside/internal/fault"
	"github.com/quayside/quayside/internal/mend"
	"github.com/quayside/quayside/internal/registry"
)

// Rules of a table are applied to the records that external systems send, and to retries of them. What people send by
// themselves stays as it is, and so do the fields of a retry that a person has changed. The body of the record never
// changes: it is what a dead letter keeps, so that it can be retried under other rules.
//
// A rule for a missing field applies only to new records, which must have it: a record that is known may be sent without
// the field, and keeps its value. Whether a record is new is known only after it was refused. It is then tried once more
// with the missing values, on the condition that it is still new.

// Origin is what an external system sent, if the record is a retry of it.
type Origin struct {
	Key     uuid.UUID // the API key that sent it
	Payload []byte    // as it was sent; the retry may have been edited
}

// AnyKey stands for an API key that has no rules of its own.
var AnyKey = uuid.Max

// rules returns the rules of the table that apply to the record's sender.
func (r *Record) rules(table *registry.Table) (rules []registry.Rule) {
	all := table.Rules[r.By.Workspace]
	if len(all) == 0 {
		return nil
	}
	key := r.By.Key
	if r.Origin != nil {
		key = r.Origin.Key
	}
	if key == uuid.Nil {
		return nil
	}
	for _, rule := range all {
		if rule.IsFor(key) {
			rules = append(rules, rule)
		}
	}
	return rules
}

// applyRules applies the rules to the record's fields, in their order. It returns the names of the fields that a rule has
// dropped.
func (r *Record) applyRules(rules []registry.Rule, fields []field) (mended []field, dropped []string) {
	if len(rules) == 0 {
		return fields, nil
	}
	edited, known := r.Origin.edited(r.Body, fields)
	if !known {
		return fields, nil
	}
	for i := range rules {
		rule := &rules[i]
		if rule.Missing && !r.fill || edited[rule.Field] || rule.Do == mend.RenameField && edited[rule.To] {
			continue
		}
		var changed bool
		if fields, changed = rule.Apply(fields); changed && rule.Do == mend.DropField {
			dropped = append(dropped, rule.Field)
		}
	}
	return fields, dropped
}

// fillable reports whether the record was refused without a value that a rule gives to new records.
func (r *Record) fillable(table *registry.Table, err error) bool {
	var refusal *fault.Error
	if r.fill || len(table.Rules) == 0 || !errors.As(err, &refusal) || refusal.Kind != fault.Invalid {
		return false
	}
	return slices.ContainsFunc(r.rules(table), func(rule registry.Rule) bool {
		return rule.Missing && slices.ContainsFunc(refusal.Fields,
			func(f fault.Field) bool { return f.Code == "required" && f.Field == rule.Field })
	})
}

// edited returns the names of the fields in which a retry differs from what was sent. It is not known if what was sent
// has no fields.
func (o *Origin) edited(body []byte, fields []field) (names map[string]bool, known bool) {
	if o == nil || bytes.Equal(body, o.Payload) {
		return nil, true
	}
	sent, err := decode(o.Payload)
	if err != nil {
		return nil, false
	}
	names = map[string]bool{}
	before := make(map[string]*field, len(sent))
	for i := range sent {
		before[sent[i].Name] = &sent[i]
		names[sent[i].Name] = true
	}
	for _, now := range fields {
		was, there := before[now.Name]
		names[now.Name] = !there || !mend.Equal(was.Value, now.Value)
	}
	return names, true
}
