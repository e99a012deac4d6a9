package registry

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/fault"
	"github.com/quayside/quayside/internal/mend"
	"github.com/quayside/quayside/internal/pg/q"
)

// KeptRule is a rule as people keep and change it. Rules are never deleted, and every version is kept.
type KeptRule struct {
	ID                   uuid.UUID
	Slug                 string
	Key                  *uuid.UUID // nil: records of every key
	KeyLabel             string
	Fix                  mend.Fix
	Enabled              bool
	Version              int64
	Bulk                 *uuid.UUID // the bulk retry whose fix it was
	CreatedBy, UpdatedBy auth.Actor
	CreatedAt, UpdatedAt time.Time
	position             int64
}

// RuleVersion is a rule as it was from a time on.
type RuleVersion struct {
	Version  int64
	Key      *uuid.UUID
	KeyLabel string
	Fix      mend.Fix
	Enabled  bool
	By       auth.Actor
	At       time.Time
}

// Rules returns the rules of a workspace, or of one of its tables, in the order in which they are applied.
func (s *Service) Rules(ctx context.Context, by auth.Principal, slug string) (rules []*KeptRule, err error) {
	if err := by.Require(auth.ReadFailures); err != nil {
		return nil, err
	}
	err = s.cells.InTenant(ctx, by.Tenant, func(tx pgx.Tx) (err error) {
		rules, err = listRules(ctx, q.New(tx), by, slug)
		return err
	})
	return rules, err
}

func listRules(ctx context.Context, queries *q.Queries, by auth.Principal, slug string) (rules []*KeptRule, err error) {
	rows, err := queries.ListRules(ctx, q.ListRulesParams{TenantID: by.Tenant, WorkspaceID: by.Workspace, Slug: slug})
	for _, row := range rows {
		rule := &KeptRule{
			ID: row.ID, Slug: row.Slug, Key: row.KeyID, KeyLabel: row.KeyLabel, Enabled: row.Enabled, Version: row.Version,
			Bulk: row.BulkID, CreatedAt: row.CreatedAt, UpdatedAt: row.UpdatedAt, position: row.Position,
		}
		err = errors.Join(err, json.Unmarshal(row.Fix, &rule.Fix), json.Unmarshal(row.CreatedBy, &rule.CreatedBy),
			json.Unmarshal(row.UpdatedBy, &rule.UpdatedBy))
		rules = append(rules, rule)
	}
	return rules, err
}

// RuleVersions returns the latest versions of a rule, the newest first.
func (s *Service) RuleVersions(ctx context.Context, by auth.Principal, id uuid.UUID) (versions []RuleVersion, err error) {
	if err := by.Require(auth.ReadFailures); err != nil {
		return nil, err
	}
	err = s.cells.InTenant(ctx, by.Tenant, func(tx pgx.Tx) error {
		rows, err := q.New(tx).ListRuleVersions(ctx,
			q.ListRuleVersionsParams{TenantID: by.Tenant, WorkspaceID: by.Workspace, ID: id})
		for _, row := range rows {
			version := RuleVersion{Version: row.Version, Key: row.KeyID, KeyLabel: row.KeyLabel, Enabled: row.Enabled,
				At: row.CreatedAt}
			err = errors.Join(err, json.Unmarshal(row.Fix, &version.Fix), json.Unmarshal(row.Author, &version.By))
			versions = append(versions, version)
		}
		return err
	})
	if err == nil && len(versions) == 0 {
		return nil, unknownRule(id)
	}
	return versions, err
}

func unknownRule(id uuid.UUID) error {
	return fault.New(fault.NotFound, "unknown_rule", "there is no rule with the id %s", id)
}
