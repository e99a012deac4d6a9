// Package source shows data sources: the tables that take records, with live figures of
// incoming records.
//
// A Meter sums the figures in memory and flushes them every few seconds into separate tables,
// so that neither storing a record nor showing a screen has to count rows.
package source

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/pg"
	"github.com/quayside/quayside/internal/pg/q"
	"github.com/quayside/quayside/internal/registry"
)

// Hours is how far back the figures by the hour reach.
const Hours = 24

// Source is a table in a workspace, with its figures.
type Source struct {
	*registry.Table
	Figures
}

// Figures are a source's current numbers. They are a few seconds old.
type Figures struct {
	Rows         int64
	LastRecordAt *time.Time
	OpenFailures int64
	Pending      int64  // records that wait for a record that they refer to
	ByHour       []Hour // the last Hours hours, oldest first, empty ones included
	Warned       []Warned
}

// Warned counts the accepted records of the last Hours hours that were warned of with one code.
type Warned struct {
	Code    string
	Records int64
}

// Hour is what arrived within one hour.
type Hour struct {
	Start            time.Time
	Accepted, Failed int64
	Stale            int64 // of those accepted: older than what was stored
}

// Service reads sources.
type Service struct {
	cells  *pg.Cells
	tables *registry.Service
}

// New returns the service.
func New(cells *pg.Cells, tables *registry.Service) *Service {
	return &Service{cells: cells, tables: tables}
}

// List returns every table of the principal's workspace with its figures.
func (s *Service) List(ctx context.Context, by auth.Principal) ([]Source, error) {
	if err := by.Require(auth.Read); err != nil {
		return nil, err
	}
	tables, err := s.tables.All(ctx, by.Tenant)
	if err != nil {
		return nil, err
	}
	figures, err := s.figures(ctx, by, time.Now())
	sources := make([]Source, 0, len(tables))
	for _, table := range tables {
		sources = append(sources, Source{table, figures(table.Slug)})
	}
	return sources, err
}

// Get returns one table with its figures.
func (s *Service) Get(ctx context.Context, by auth.Principal, slug string) (Source, error) {
	if err := by.Require(auth.Read); err != nil {
		return Source{}, err
	}
	table, err := s.tables.Reload(ctx, by.Tenant, slug)
	if err != nil {
		return Source{}, err
	}
	figures, err := s.figures(ctx, by, time.Now())
	return Source{table, figures(slug)}, err
}

// figures reads the workspace's figures and returns a function that finds those of a table.
func (s *Service) figures(ctx context.Context, by auth.Principal, now time.Time) (func(slug string) Figures, error) {
	first := now.UTC().Truncate(time.Hour).Add(-(Hours - 1) * time.Hour)
	states := map[string]q.ListSourceFiguresRow{}
	hours := map[string]map[time.Time]Hour{}
	warned := map[string]map[string]int64{} // by slug and code
	err := s.cells.InTenant(ctx, by.Tenant, func(tx pgx.Tx) error {
		queries := q.New(tx)
		rows, err := queries.ListSourceFigures(ctx, q.ListSourceFiguresParams{TenantID: by.Tenant, WorkspaceID: by.Workspace})
		if err != nil {
			return err
		}
		for _, row := range rows {
			states[row.Slug] = row
		}
		past, err := queries.ListSourceHours(ctx,
			q.ListSourceHoursParams{TenantID: by.Tenant, WorkspaceID: by.Workspace, Since: first.Add(-time.Second)})
		for _, row := range past {
			if hours[row.Slug] == nil {
				hours[row.Slug] = map[time.Time]Hour{}
			}
			hours[row.Slug][row.Hour.UTC()] = Hour{row.Hour.UTC(), row.Accepted, row.Failed, row.Stale}
			if err := addWarned(warned, row.Slug, row.Warned); err != nil {
				return err
			}
		}
		return err
	})
	return func(slug string) Figures {
		state := states[slug]
		figures := Figures{Rows: state.Rows, LastRecordAt: state.LastRecordAt, OpenFailures: state.OpenFailures,
			Pending: state.Pending}
		for i := range Hours {
			start := first.Add(time.Duration(i) * time.Hour)
			hour := hours[slug][start]
			hour.Start = start
			figures.ByHour = append(figures.ByHour, hour)
		}
		for code, records := range warned[slug] {
			figures.Warned = append(figures.Warned, Warned{code, records})
		}
		slices.SortFunc(figures.Warned, func(a, b Warned) int {
			return cmp.Or(cmp.Compare(b.Records, a.Records), cmp.Compare(a.Code, b.Code))
		})
		return figures
	}, err
}

// addWarned adds what was counted in one hour of a source.
func addWarned(warned map[string]map[string]int64, slug string, counted []byte) error {
	var hour map[string]int64
	if err := json.Unmarshal(counted, &hour); err != nil {
		return err
	}
	if warned[slug] == nil {
		warned[slug] = map[string]int64{}
	}
	for code, records := range hour {
		warned[slug][code] += records
	}
	return nil
}
