package registry

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/google/uuid"

	"github.com/quayside/quayside/internal/mend"
	"github.com/quayside/quayside/internal/pg/q"
)

// Rule is a fix of a field that is made to records as external systems send them, before the table judges them.
type Rule struct {
	mend.Fix
	everyKey bool
	keys     []uuid.UUID // the key that it is for, and the keys that came of it by rotation
}

// NewRule returns a rule that is not read from the registry, for tests. Without keys it is for every key.
func NewRule(fix mend.Fix, keys ...uuid.UUID) Rule { return Rule{fix, len(keys) == 0, keys} }

// IsFor reports whether the rule applies to records that are sent with a key.
func (r *Rule) IsFor(key uuid.UUID) bool { return r.everyKey || slices.Contains(r.keys, key) }

// readRules reads the company's rules of the table that are switched on. A built-in table that the company has not
// extended has none.
func (t *Table) readRules(ctx context.Context, queries *q.Queries) error {
	if t.Tenant == uuid.Nil {
		return nil
	}
	rows, err := queries.ListRulesInForce(ctx, q.ListRulesInForceParams{TenantID: t.Tenant, Slug: t.Slug})
	if err != nil || len(rows) == 0 {
		return err
	}
	t.Rules = map[uuid.UUID][]Rule{}
	for _, row := range rows {
		rule := Rule{everyKey: row.EveryKey, keys: row.Keys}
		if err := json.Unmarshal(row.Fix, &rule.Fix); err != nil {
			return err
		}
		t.Rules[row.WorkspaceID] = append(t.Rules[row.WorkspaceID], rule)
	}
	return nil
}
