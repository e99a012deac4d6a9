package registry

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/quayside/quayside/internal/audit"
	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/fault"
	"github.com/quayside/quayside/internal/mend"
	"github.com/quayside/quayside/internal/pg/q"
)

// MostRules is how many rules a workspace keeps for a table, those that are switched off included.
const MostRules = 100

// Keeping says which fixes are to be kept as rules.
type Keeping struct {
	Slug  string
	Key   *uuid.UUID // whose records they are for; nil: those of every key of the workspace
	Fixes []mend.Fix
	Bulk  *uuid.UUID // the bulk retry that makes them
}

// mayRule refuses whoever may not change both what a table accepts and what records say: a rule does both. Tokens may not edit
// records, whatever their scopes.
func mayRule(by auth.Principal) error {
	if err := by.Require(auth.DefineTables); err != nil {
		return err
	}
	return by.Require(auth.EditRecords)
}

// KeepRules keeps fixes as rules, in the caller's transaction. A fix takes the place of a rule for the same key that
// does the same to the same field; otherwise it becomes the last rule of its table.
func KeepRules(ctx context.Context, tx pgx.Tx, by auth.Principal, keeping Keeping) ([]*KeptRule, error) {
	if err := mayRule(by); err != nil {
		return nil, err
	}
	if err := mend.Check(keeping.Fixes); err != nil {
		return nil, err
	}
	if len(keeping.Fixes) == 0 {
		return nil, fault.InField("fixes", "nothing", "there is no fix that could be kept as a rule")
	}
	b, err := openBench(ctx, tx, by, keeping.Slug)
	if err != nil {
		return nil, err
	}
	if err := b.checkKey(ctx, keeping.Key); err != nil {
		return nil, err
	}
	var kept []*KeptRule
	for _, fix := range keeping.Fixes {
		rule, err := b.keep(ctx, fix, keeping.Key, keeping.Bulk)
		if err != nil {
			return nil, err
		}
		kept = append(kept, rule)
	}
	return kept, nil
}

// RuleChanges are the new values of a rule. Nil keeps a value.
type RuleChanges struct {
	Enabled *bool
	Fix     *mend.Fix
	Key     *uuid.UUID // uuid.Nil: records of every key
	Place   *int       // among the rules of its table; the first is 1
}

// ChangeRule changes a rule, if it is still at the version that the caller saw. Switching it off is a change.
func (s *Service) ChangeRule(ctx context.Context, by auth.Principal, id uuid.UUID, version int64, changes RuleChanges) (
	changed *KeptRule, err error) {
	if err := mayRule(by); err != nil {
		return nil, err
	}
	if changes.Fix != nil {
		if err := changes.Fix.Check(); err != nil {
			return nil, err
		}
	}
	err = s.cells.InTenant(ctx, by.Tenant, func(tx pgx.Tx) error {
		slug, err := q.New(tx).GetRuleTable(ctx, q.GetRuleTableParams{TenantID: by.Tenant, WorkspaceID: by.Workspace, ID: id})
		if err != nil {
			return err
		}
		b, err := openBench(ctx, tx, by, slug)
		if err != nil {
			return err
		}
		changed, err = b.change(ctx, id, version, changes)
		return err
	})
	if fault.Is(err, fault.NotFound) && !fault.HasCode(err, "unknown_table") {
		return nil, unknownRule(id)
	}
	return changed, err
}

// ruleBench holds the rules of a table during a change.
type ruleBench struct {
	tx      pgx.Tx
	queries *q.Queries
	by      auth.Principal
	slug    string
	rules   []*KeptRule // in order
}

// openBench reads the rules of a table, and makes sure of the company's extension if the table is built in. Changes of
// one company's rules and tables happen one after another.
func openBench(ctx context.Context, tx pgx.Tx, by auth.Principal, slug string) (*ruleBench, error) {
	b := &ruleBench{tx: tx, queries: q.New(tx), by: by, slug: slug}
	if err := b.queries.LockDefinitions(ctx, by.Tenant.String()); err != nil {
		return nil, err
	}
	known := IsSlug(slug)
	if known {
		var err error
		if known, err = b.queries.TableExists(ctx, q.TableExistsParams{TenantID: by.Tenant, Slug: slug}); err != nil {
			return nil, err
		}
	}
	if !known {
		return nil, fault.New(fault.NotFound, "unknown_table", "there is no table %s that takes records", fault.Shorten(slug))
	}
	if err := b.queries.InsertExtension(ctx, q.InsertExtensionParams{TenantID: by.Tenant, Slug: slug}); err != nil {
		return nil, err
	}
	rules, err := listRules(ctx, b.queries, by, slug)
	b.rules = rules
	return b, err
}

// checkKey refuses a key that is not one of the workspace's.
func (b *ruleBench) checkKey(ctx context.Context, key *uuid.UUID) error {
	if key == nil {
		return nil
	}
	known, err := b.queries.KeyOfWorkspace(ctx,
		q.KeyOfWorkspaceParams{TenantID: b.by.Tenant, WorkspaceID: b.by.Workspace, ID: *key})
	if err == nil && !known {
		return fault.InField("key", "unknown_key", "this workspace has no API key with the id %s", *key)
	}
	return err
}

// keep adds a rule, or changes the one that it takes the place of.
func (b *ruleBench) keep(ctx context.Context, fix mend.Fix, key, bulk *uuid.UUID) (*KeptRule, error) {
	for _, rule := range b.rules {
		if sameKey(rule.Key, key) && rule.Fix.SameTarget(fix) {
			if rule.Enabled && rule.Fix.Same(fix) {
				return rule, nil
			}
			next := *rule
			next.Fix, next.Enabled = fix, true
			return b.store(ctx, rule, &next)
		}
	}
	if len(b.rules) >= MostRules {
		return nil, fault.New(fault.Conflict, "too_many_rules",
			"a table has at most %d rules in a workspace, those that are switched off included; change one of those instead", MostRules)
	}
	rule := &KeptRule{ID: uuid.Must(uuid.NewV7()), Key: key, Fix: fix, position: 1}
	if len(b.rules) > 0 {
		rule.position = b.rules[len(b.rules)-1].position + 1
	}
	text, err := json.Marshal(fix)
	if err != nil {
		return nil, err
	}
	err = b.queries.InsertRule(ctx, q.InsertRuleParams{
		TenantID: b.by.Tenant, ID: rule.ID, WorkspaceID: b.by.Workspace, Slug: b.slug, KeyID: key, Fix: text,
		Position: rule.position, BulkID: bulk, Actor: b.by.Actor.JSON(),
	})
	if err != nil {
		return nil, err
	}
	return b.noted(ctx, rule.ID, "rule.kept", audit.Data{"do": fix.Do, "field": fix.Field})
}

// change changes a rule at a version.
func (b *ruleBench) change(ctx context.Context, id uuid.UUID, version int64, changes RuleChanges) (*KeptRule, error) {
	rule := b.find(id)
	switch {
	case rule == nil:
		return nil, unknownRule(id)
	case rule.Version != version:
		return nil, fault.New(fault.Stale, "stale",
			"somebody has changed this rule in the meantime; look at it again and repeat your change").At(rule.Version)
	}
	next := *rule
	if changes.Enabled != nil {
		next.Enabled = *changes.Enabled
	}
	if changes.Fix != nil {
		next.Fix = *changes.Fix
	}
	if changes.Key != nil {
		next.Key = filled(*changes.Key)
		if err := b.checkKey(ctx, next.Key); err != nil {
			return nil, err
		}
	}
	if changes.Place != nil {
		if err := b.place(ctx, &next, *changes.Place); err != nil {
			return nil, err
		}
	}
	return b.store(ctx, rule, &next)
}

// place gives a rule its place among those of its table, and moves the others.
func (b *ruleBench) place(ctx context.Context, rule *KeptRule, place int) error {
	if place < 1 || place > len(b.rules) {
		return fault.InField("place", "place", "the table has %d rules; choose a place from 1 to %[1]d", len(b.rules))
	}
	others := slices.DeleteFunc(slices.Clone(b.rules), func(r *KeptRule) bool { return r.ID == rule.ID })
	for i, other := range slices.Insert(others, place-1, rule) {
		position := int64(i + 1)
		if other == rule {
			rule.position = position
		} else if other.position != position {
			err := b.queries.PlaceRule(ctx, q.PlaceRuleParams{TenantID: b.by.Tenant, ID: other.ID, Position: position})
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// store stores the next version of a rule. If nothing differs, there is none.
func (b *ruleBench) store(ctx context.Context, rule, next *KeptRule) (*KeptRule, error) {
	data := audit.Data{"do": next.Fix.Do, "field": next.Fix.Field, "enabled": next.Enabled}
	var changed []string
	for name, differs := range map[string]bool{
		"fix": !rule.Fix.Same(next.Fix), "key": !sameKey(rule.Key, next.Key), "enabled": rule.Enabled != next.Enabled,
		"place": rule.position != next.position,
	} {
		if differs {
			changed = append(changed, name)
		}
	}
	if len(changed) == 0 {
		return rule, nil
	}
	slices.Sort(changed)
	data["changed"] = changed
	text, err := json.Marshal(next.Fix)
	if err != nil {
		return nil, err
	}
	err = b.queries.UpdateRule(ctx, q.UpdateRuleParams{
		TenantID: b.by.Tenant, ID: rule.ID, KeyID: next.Key, Fix: text, Position: next.position, Enabled: next.Enabled,
		Actor: b.by.Actor.JSON(),
	})
	if err != nil {
		return nil, err
	}
	return b.noted(ctx, rule.ID, "rule.changed", data)
}

// noted keeps the present version of a rule, writes the change to the audit log, and returns the rule.
func (b *ruleBench) noted(ctx context.Context, id uuid.UUID, action audit.Action, data audit.Data) (*KeptRule, error) {
	if err := b.queries.KeepRuleVersion(ctx, q.KeepRuleVersionParams{TenantID: b.by.Tenant, ID: id}); err != nil {
		return nil, err
	}
	rules, err := listRules(ctx, b.queries, b.by, b.slug)
	if err != nil {
		return nil, err
	}
	b.rules = rules
	rule := b.find(id)
	data["table"], data["version"], data["key"] = b.slug, rule.Version, cmp.Or(rule.KeyLabel, "*")
	return rule, audit.Record(ctx, b.tx, b.by, action, id.String(), data)
}

func (b *ruleBench) find(id uuid.UUID) *KeptRule {
	at := slices.IndexFunc(b.rules, func(r *KeptRule) bool { return r.ID == id })
	if at < 0 {
		return nil
	}
	return b.rules[at]
}

func sameKey(a, b *uuid.UUID) bool {
	if a == nil || b == nil {
		return a == b
	}
	return *a == *b
}
