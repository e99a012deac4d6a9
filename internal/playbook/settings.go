package playbook

import (
	"context"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/quayside/quayside/internal/audit"
	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/fault"
	"github.com/quayside/quayside/internal/pg/q"
)

// configContent is a stored version of the config.
type configContent struct {
	Values        Values `json:"values"`                   // those that are not the defaults
	EffectiveFrom string `json:"effective_from,omitempty"` // a date; empty: at once
}

// readConfig reads a stored version. A value that the table of keys does not allow any more counts
// as not set.
func readConfig(content []byte) (Config, error) {
	var stored configContent
	if err := json.Unmarshal(content, &stored); err != nil {
		return Config{}, err
	}
	config := Defaults()
	for name, value := range stored.Values {
		if set, err := config.with(Values{name: value}); err == nil {
			config = set
		}
	}
	return config, nil
}

// Settings is the config of a workspace.
type Settings struct {
	Config  Config // in force now
	InForce int64  // its version; 0: the defaults
	Version int64  // the newest version, which may take effect later
}

// Current reads the config that is in force now.
func Current(ctx context.Context, queries *q.Queries, tenant, workspace uuid.UUID) (Settings, error) {
	row, err := queries.GetConfigNow(ctx, q.GetConfigNowParams{TenantID: tenant, WorkspaceID: workspace})
	if err != nil {
		return Settings{}, err
	}
	config, err := readConfig(row.Content)
	return Settings{Config: config, InForce: row.Version, Version: row.Newest}, err
}

// Settings returns the workspace's config.
func (s *Service) Settings(ctx context.Context, by auth.Principal) (settings Settings, err error) {
	err = s.reading(ctx, by, func(queries *q.Queries) (err error) {
		settings, err = Current(ctx, queries, by.Tenant, by.Workspace)
		return err
	})
	return settings, err
}

// ConfigVersion is one version of the config.
type ConfigVersion struct {
	Meta
	Config        Config
	EffectiveFrom string // a date; empty: at once
}

// ConfigVersions returns versions of the config before another, the newest first, and whether there
// are more. 0 means from the newest on.
func (s *Service) ConfigVersions(ctx context.Context, by auth.Principal, before int64) (
	versions []ConfigVersion, more bool, err error) {
	err = s.reading(ctx, by, func(queries *q.Queries) error {
		rows, cut, err := versionsOf(ctx, queries, by, kindConfig, by.Workspace, before)
		more = cut
		for _, row := range rows {
			var stored configContent
			if err := json.Unmarshal(row.Content, &stored); err != nil {
				return err
			}
			config, err := readConfig(row.Content)
			if err != nil {
				return err
			}
			versions = append(versions, ConfigVersion{meta(row), config, stored.EffectiveFrom})
		}
		return err
	})
	return versions, more, err
}

// ConfigChange is a change of the config that is in force.
type ConfigChange struct {
	Values        Values // absent keys keep their value; null sets the default
	EffectiveFrom string // a date from today on; empty: at once
	Note          string
	Version       int64 // the newest that the caller saw
}

// SetConfig adds a version of the config. It replaces a version that has not taken effect yet.
// Principals who do not manage purchasing change figures for planning only, at once, and replace no
// version that has not taken effect yet.
func (s *Service) SetConfig(ctx context.Context, by auth.Principal, change ConfigChange) (Settings, error) {
	if _, err := change.allowed(by); err != nil {
		return Settings{}, err // without a transaction
	}
	var after Settings
	err := s.cells.InTenant(ctx, by.Tenant, func(tx pgx.Tx) error {
		from, to, err := Change(ctx, tx, by, change)
		if err != nil {
			return err
		}
		data := audit.Data{"from": from, "to": to}
		if change.EffectiveFrom != "" {
			data["effective_from"] = change.EffectiveFrom
		}
		if err := audit.Record(ctx, tx, by, "procurement_config.changed", by.Workspace.String(), data); err != nil {
			return err
		}
		after, err = Current(ctx, q.New(tx), by.Tenant, by.Workspace)
		return err
	})
	return after, err
}

// Change is SetConfig in the caller's transaction. It returns the values that differ, before and
// after. The caller writes the audit row.
func Change(ctx context.Context, tx pgx.Tx, by auth.Principal, change ConfigChange) (from, to Values, err error) {
	planning, err := change.allowed(by)
	if err != nil {
		return nil, nil, err
	}
	queries := q.New(tx)
	revision, err := lock(ctx, queries, by, true)
	if err != nil {
		return nil, nil, err
	}
	before, after, err := change.apply(ctx, queries, by)
	if err != nil {
		return nil, nil, err
	}
	if planning && before.Version != before.InForce {
		// The new version would undo all of it, also the keys that only people change.
		return nil, nil, peopleOnly("replace a change that takes effect later")
	}
	content, err := json.Marshal(configContent{after.changed(), change.EffectiveFrom}, json.Deterministic(true))
	if err != nil {
		return nil, nil, err
	}
	from, to = difference(before.Config, after)
	return from, to, insert(ctx, queries, by, version{kind: kindConfig, id: by.Workspace, number: before.Version + 1,
		content: content, note: change.Note, revision: revision})
}

// apply returns the config as it is and as the change makes it, or refuses the change.
func (c ConfigChange) apply(ctx context.Context, queries *q.Queries, by auth.Principal) (
	before Settings, after Config, err error) {
	if before, err = Current(ctx, queries, by.Tenant, by.Workspace); err != nil {
		return before, after, err
	}
	if before.Version != c.Version {
		return before, after, stale("the config", before.Version)
	}
	if err := c.check(ctx, queries, by); err != nil {
		return before, after, err
	}
	after, err = before.Config.with(c.Values)
	return before, after, err
}

// check refuses what may not be changed, or not like this.
func (c ConfigChange) check(ctx context.Context, queries *q.Queries, by auth.Principal) error {
	if err := checkText("note", c.Note, longestNote); err != nil {
		return err
	}
	if err := checkDate("effective_from", c.EffectiveFrom); err != nil {
		return err
	}
	today, err := day(ctx, queries, by)
	if err != nil {
		return err
	}
	if c.EffectiveFrom != "" && c.EffectiveFrom < today {
		return fault.InField("effective_from", "past", "a change takes effect today (%s) or later", today)
	}
	return nil
}

// difference returns the values that differ between two configs.
func difference(before, after Config) (from, to Values) {
	from, to = before.Values(), after.Values()
	for _, key := range keys {
		if string(from[key.Name]) == string(to[key.Name]) {
			delete(from, key.Name)
			delete(to, key.Name)
		}
	}
	return from, to
}

// day returns today in the workspace.
func day(ctx context.Context, queries *q.Queries, by auth.Principal) (string, error) {
	return queries.GetPlaybookDay(ctx, q.GetPlaybookDayParams{TenantID: by.Tenant, WorkspaceID: by.Workspace})
}

// checkDate refuses a text that is neither empty nor a date.
func checkDate(field, text string) error {
	if text == "" {
		return nil
	}
	if date, err := time.Parse(time.DateOnly, text); err != nil || date.Year() < 1 {
		return fault.InField(field, "date", "%s must be a date such as 2026-12-01", field)
	}
	return nil
}
