package httpapi

import (
	"context"
	"net/http"
	"time"

	"github.com/google/uuid"

	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/failed"
	"github.com/quayside/quayside/internal/mend"
	"github.com/quayside/quayside/internal/registry"
)

type (
	ingestRuleJSON struct {
		ID            uuid.UUID  `json:"id" format:"uuid"`
		Slug          string     `json:"slug" example:"customers"`
		KeyID         *uuid.UUID `json:"key_id,omitempty" format:"uuid" doc:"The API key whose records it changes, and those of the keys that came of it by rotation. Absent: records of every key."`
		KeyLabel      string     `json:"key_label,omitempty"`
		Fix           fixJSON    `json:"fix"`
		Enabled       bool       `json:"enabled"`
		Version       int64      `json:"version" doc:"The ETag is this number in quotes."`
		BulkID        *uuid.UUID `json:"bulk_id,omitempty" format:"uuid" doc:"The bulk retry whose fix it was."`
		CreatedByType string     `json:"created_by_type"`
		CreatedByID   string     `json:"created_by_id,omitempty"`
		CreatedAt     time.Time  `json:"created_at"`
		UpdatedByType string     `json:"updated_by_type"`
		UpdatedByID   string     `json:"updated_by_id,omitempty"`
		UpdatedAt     time.Time  `json:"updated_at"`
	}
	ingestRuleVersionJSON struct {
		Version  int64      `json:"version"`
		KeyID    *uuid.UUID `json:"key_id,omitempty" format:"uuid"`
		KeyLabel string     `json:"key_label,omitempty"`
		Fix      fixJSON    `json:"fix"`
		Enabled  bool       `json:"enabled"`
		ByType   string     `json:"by_type"`
		ByID     string     `json:"by_id,omitempty"`
		At       time.Time  `json:"at"`
	}
	keepJSON struct {
		Key *uuid.UUID `json:"key,omitempty" format:"uuid" doc:"The API key whose records they are for. Absent: records of every key."`
	}
	// OneRule names a rule.
	OneRule struct {
		InWorkspace
		Rule uuid.UUID `path:"rule" format:"uuid"`
	}
)

// ingestRuleOperations are about fixes that are kept as rules.
func (s *Server) ingestRuleOperations(a *appAPI) {
	const tag, path = "Failed imports", "workspaces/{workspace}/ingest-rules"
	register(a, operation{
		id: "listIngestRules", method: http.MethodGet, path: path, tag: tag, needs: auth.ReadFailures,
		summary: "Fixes that are kept as rules",
		about:   "By table, in the order in which they are applied to the records that external systems send. Also those that are switched off.",
	}, func(ctx context.Context, in *struct {
		InWorkspace
		Slug string `query:"table" doc:"The slug of a table. Absent means all."`
	}) (*body[list[ingestRuleJSON]], error) {
		rules, err := s.Tables.Rules(ctx, by(ctx).Principal, in.Slug)
		return toRuleList(rules), err
	})
	register(a, operation{
		id: "keepIngestRules", method: http.MethodPost, path: path, tag: tag, needs: auth.DefineTables,
		status:  http.StatusCreated,
		summary: "Keep fixes as rules for records to come",
		about:   "Each fix becomes a rule of the table that the filter names, or takes the place of the rule that does the same to the same field. A value that is set for imports in which a required field was missing is given only to new records that lack it. startBulkRetry can keep its fixes too.",
	}, func(ctx context.Context, in *struct {
		InWorkspace
		Body struct {
			Filter FailureFilter `json:"filter" doc:"The failed imports for which the fixes were made. It must name a table." example:"{\"table\": \"orders\"}"`
			Fixes  []fixJSON     `json:"fixes" minItems:"1" maxItems:"50" doc:"In this order." example:"[{\"do\": \"drop\", \"field\": \"note\"}]"`
			keepJSON
		}
	}) (*body[list[ingestRuleJSON]], error) {
		plan := planJSON{Filter: in.Body.Filter, Fixes: in.Body.Fixes}
		rules, err := s.Failures.KeepRules(ctx, by(ctx).Principal, plan.plan(), failed.Keep(in.Body.keepJSON))
		return toRuleList(rules), err
	})
	s.oneIngestRuleOperations(a, tag, path+"/{rule}")
}

// oneIngestRuleOperations are about one rule.
func (s *Server) oneIngestRuleOperations(a *appAPI, tag, this string) {
	register(a, operation{
		id: "changeIngestRule", method: http.MethodPatch, path: this, tag: tag, needs: auth.DefineTables,
		summary: "Switch a rule off or on, change or move it",
		about:   "Absent fields keep their value. Every change makes a version. It counts from the next record on, at every instance.",
	}, func(ctx context.Context, in *struct {
		OneRule
		Conditional
		Body struct {
			Enabled *bool      `json:"enabled,omitempty" example:"false"`
			Fix     *fixJSON   `json:"fix,omitempty"`
			Key     *uuid.UUID `json:"key,omitempty" format:"uuid" doc:"The API key whose records it changes. All zeros: records of every key."`
			Place   *int       `json:"place,omitempty" minimum:"1" doc:"Its place among the rules of its table; the first is 1."`
		}
	}) (*versioned[ingestRuleJSON], error) {
		version, err := in.version()
		if err != nil {
			return nil, err
		}
		changes := registry.RuleChanges{Enabled: in.Body.Enabled, Key: in.Body.Key, Place: in.Body.Place,
			Fix: (*mend.Fix)(in.Body.Fix)}
		rule, err := s.Tables.ChangeRule(ctx, by(ctx).Principal, in.Rule, version, changes)
		if err != nil {
			return nil, err
		}
		return &versioned[ingestRuleJSON]{etag(rule.Version), toIngestRuleJSON(rule)}, nil
	})
	register(a, operation{
		id: "listIngestRuleVersions", method: http.MethodGet, path: this + "/versions", tag: tag, needs: auth.ReadFailures,
		summary: "The versions of a rule, the newest first",
		about:   "At most the latest 100.",
	}, func(ctx context.Context, in *OneRule) (*body[list[ingestRuleVersionJSON]], error) {
		versions, err := s.Tables.RuleVersions(ctx, by(ctx).Principal, in.Rule)
		var items []ingestRuleVersionJSON
		for _, v := range versions {
			items = append(items, ingestRuleVersionJSON{
				Version: v.Version, KeyID: v.Key, KeyLabel: v.KeyLabel, Fix: fixJSON(v.Fix), Enabled: v.Enabled,
				ByType: string(v.By.Type), ByID: v.By.ID, At: v.At.UTC(),
			})
		}
		return listed(items, false, func(ingestRuleVersionJSON) uuid.UUID { return uuid.Nil }), err
	})
}

func toRuleList(rules []*registry.KeptRule) *body[list[ingestRuleJSON]] {
	var items []ingestRuleJSON
	for _, rule := range rules {
		items = append(items, toIngestRuleJSON(rule))
	}
	return listed(items, false, func(ingestRuleJSON) uuid.UUID { return uuid.Nil })
}

func toIngestRuleJSON(rule *registry.KeptRule) ingestRuleJSON {
	return ingestRuleJSON{
		ID: rule.ID, Slug: rule.Slug, KeyID: rule.Key, KeyLabel: rule.KeyLabel, Fix: fixJSON(rule.Fix), Enabled: rule.Enabled,
		Version: rule.Version, BulkID: rule.Bulk, CreatedByType: string(rule.CreatedBy.Type), CreatedByID: rule.CreatedBy.ID,
		CreatedAt: rule.CreatedAt.UTC(), UpdatedByType: string(rule.UpdatedBy.Type), UpdatedByID: rule.UpdatedBy.ID,
		UpdatedAt: rule.UpdatedAt.UTC(),
	}
}
