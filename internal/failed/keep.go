package failed

import (
	"context"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/fault"
	"github.com/quayside/quayside/internal/ingest"
	"github.com/quayside/quayside/internal/mend"
	"github.com/quayside/quayside/internal/registry"
)

// KeepRules keeps the fixes of a plan as rules for records to come, and retries nothing. The plan must be about one table.
func (s *Service) KeepRules(ctx context.Context, by auth.Principal, plan Plan, keep Keep) (rules []*registry.KeptRule, err error) {
	err = s.cells.InTenant(ctx, by.Tenant, func(tx pgx.Tx) (err error) {
		rules, err = keepIn(ctx, tx, by, plan, keep, nil)
		return err
	})
	return rules, err
}

func keepIn(ctx context.Context, tx pgx.Tx, by auth.Principal, plan Plan, keep Keep, bulk *uuid.UUID) (
	[]*registry.KeptRule, error) {
	if plan.Filter.Slug == "" {
		return nil, fault.InField("table", "one_table",
			"a rule is about one table; choose the table of the failed imports first")
	}
	return registry.KeepRules(ctx, tx, by, registry.Keeping{Slug: plan.Filter.Slug, Key: keep.Key, Fixes: plan.rules(), Bulk: bulk})
}

// rules returns the fixes as they apply to every record. A value that the group of failures lacked is given only to new
// records that lack it.
func (p Plan) rules() []mend.Fix {
	fixes := make([]mend.Fix, 0, len(p.Fixes))
	for _, fix := range p.Fixes {
		if fix.Do == mend.SetField && p.Filter.Code == "required" && p.Filter.Field != nil && *p.Filter.Field == fix.Field {
			fix.Missing = true
		}
		fixes = append(fixes, fix)
	}
	return fixes
}

// Check returns what the endpoint would answer to an edited payload, whatever has become of its row since, and stores
// nothing.
func (s *Service) Check(ctx context.Context, by auth.Principal, id uuid.UUID, payload []byte) (ingest.Outcome, error) {
	failure, err := s.Get(ctx, by, id)
	if err != nil {
		return ingest.Outcome{}, err
	}
	return s.records.Rehearse(ctx, by, failure.Slug, payload,
		ingest.Terms{Sequence: string(failure.Sequence), External: true, Origin: origin(failure.KeyID, failure.Payload)})
}

// origin returns what an external system sent, or nil if no key did.
func origin(key uuid.UUID, payload []byte) *ingest.Origin {
	if key == uuid.Nil {
		return nil
	}
	return &ingest.Origin{Key: key, Payload: payload}
}
