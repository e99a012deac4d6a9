// Package retention deletes what is older than it is kept: in slices, found by an index, and counted
// by a gauge while it is due.
//
// How long each kind is kept is one number for all instances (control.retention). The database decides
// what is old: its policies let nothing else be deleted, and nothing at all while its clock is in doubt.
// Events are dropped by day, which is faster: see package event.
package retention

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/quayside/quayside/internal/fault"
	"github.com/quayside/quayside/internal/pg"
	"github.com/quayside/quayside/internal/pg/q"
)

const (
	// sliceRows is how many rows one transaction looks at.
	sliceRows = 1000
	// restPerSlice is how many times longer than a slice the pause after it is.
	restPerSlice = 4
	// countLimit bounds the counting of what is due.
	countLimit = 100_000

	longestKept = 36500
)

// rule says what is deleted when.
type rule struct {
	name  string // in control.retention
	about string // for people
	table string
	key   string // its primary key
	at    string // the time that counts, with an index
	where string // which rows of the table are meant; the index's condition
	only  string // which of the old ones may go; empty: all of them
}

// rules are all that there are. Rows that refer to a deleted one by a foreign key go with it.
var rules = []rule{
	{name: "failed_imports", about: "failed imports with their attempts, after they were closed",
		table: "workspace.failed_imports", key: "tenant_id, id", at: "closed_at", where: "r.closed_at IS NOT NULL"},
	{name: "open_failed_imports", about: "open failed imports, after they last came",
		table: "workspace.failed_imports", key: "tenant_id, id", at: "last_seen_at", where: "r.status = 'open'"},
	{name: "imports", about: "imports of files, after they ended",
		table: "workspace.imports", key: "tenant_id, id", at: "finished_at", where: "r.finished_at IS NOT NULL"},
	{name: "bulk_retries", about: "bulk retries, after they ended",
		table: "workspace.bulk_retries", key: "tenant_id, id", at: "finished_at", where: "r.finished_at IS NOT NULL"},
	{name: "unknown_fields", about: "fields that arrive and are not stored, after they last came",
		table: "workspace.unknown_fields", key: "tenant_id, workspace_id, slug, name", at: "last_seen_at", where: "true"},
	{name: "unknown_values", about: "values of such fields, where a company keeps them",
		table: "workspace.unknown_values", key: "tenant_id, workspace_id, slug, name, record_key", at: "seen_at", where: "true"},
	{name: "backfills", about: "backfills of columns, after they ended",
		table: "workspace.backfills", key: "tenant_id, id", at: "finished_at", where: "r.finished_at IS NOT NULL"},
	{name: "tool_calls", about: "calls of tools in the audit; their seals are kept",
		table: "workspace.audit", key: "tenant_id, id", at: "at", where: "r.action = 'tool.called'",
		only: `EXISTS (SELECT FROM workspace.audit_seals s
			WHERE s.tenant_id = r.tenant_id AND s.row_id = r.id AND s.call_hash IS NOT NULL)`},
	{name: "sessions", about: "sessions of people, after they expired",
		table: "control.sessions", key: "id", at: "expires_at", where: "true"},
	{name: "alerts", about: "alerts, after they were resolved",
		table: "workspace.alerts", key: "tenant_id, id", at: "resolved_at", where: "r.resolved_at IS NOT NULL"},
	{name: "source_hours", about: "what sources sent, by hour",
		table: "workspace.source_hours", key: "tenant_id, workspace_id, slug, hour", at: "hour", where: "true"},
	{name: "key_hours", about: "what keys sent, by hour",
		table: "workspace.key_hours", key: "tenant_id, key_id, hour", at: "hour", where: "true"},
	{name: "stock_history", about: "counts of stock; one of each day is kept",
		table: "workspace.stock_history", key: "tenant_id, product_id, version", at: "observed_at", where: "true",
		only: `EXISTS (SELECT FROM workspace.stock_history n
			WHERE n.tenant_id = r.tenant_id AND n.product_id = r.product_id AND n.version > r.version)
			AND EXISTS (SELECT FROM workspace.sales_series s
			WHERE s.tenant_id = r.tenant_id AND s.workspace_id = r.workspace_id AND s.product_id = r.product_id AND s.stock_version >= r.version)`},
}

// due is the condition of a row that is no longer kept. Parameter: the rule's name $1.
func (r rule) due() string {
	return fmt.Sprintf("%s AND r.%s < (SELECT control.kept_since($1))", r.where, r.at)
}

func (r rule) may() string {
	if r.only == "" {
		return "true"
	}
	return r.only
}

// slice deletes the oldest rows that are due, and returns how many rows it read and deleted and the time of the last.
// Parameters: the rule's name $1, the time at which it begins $2, limit $3.
func (r rule) slice() string {
	var same []string
	for _, column := range strings.Split(r.key, ", ") {
		same = append(same, fmt.Sprintf("r.%[1]s = s.%[1]s", column))
	}
	return fmt.Sprintf(`WITH slice AS (
    SELECT %[2]s, %[3]s AS counts_from FROM %[1]s r WHERE %[4]s AND r.%[3]s >= $2 ORDER BY r.%[3]s LIMIT $3
), gone AS (
    DELETE FROM %[1]s r USING slice s WHERE %[5]s AND %[4]s AND %[6]s RETURNING 1
)
SELECT (SELECT count(*) FROM slice), (SELECT count(*) FROM gone), coalesce((SELECT max(counts_from) FROM slice), $2)`,
		r.table, r.key, r.at, r.due(), strings.Join(same, " AND "), r.may())
}

// left counts what is due, up to a limit. Parameters: the rule's name $1, limit $2.
func (r rule) left() string {
	return fmt.Sprintf("SELECT count(*) FROM (SELECT FROM %s r WHERE %s AND %s LIMIT $2) l", r.table, r.due(), r.may())
}

// Service deletes what is old.
type Service struct {
	cells *pg.Cells
	log   *slog.Logger
	tell  func(what string, due int64)
	slice int // rows
}

// New returns the service. tell is told how many rows of each kind are still due after each run.
func New(cells *pg.Cells, log *slog.Logger, tell func(what string, due int64)) *Service {
	return &Service{cells: cells, log: log, tell: tell, slice: sliceRows}
}

// Run deletes all that is due, slice by slice.
func (s *Service) Run(ctx context.Context) (err error) {
	for _, r := range rules {
		err = errors.Join(err, s.run(ctx, r)) // the others are not held up
	}
	return err
}

func (s *Service) run(ctx context.Context, r rule) error {
	var deleted int64
	defer func() {
		if deleted > 0 {
			s.log.InfoContext(ctx, "deleted what is no longer kept", "what", r.name, "rows", deleted)
		}
	}()
	after := time.Unix(0, 0)
	for more := true; more; {
		began := time.Now()
		var read, gone int64
		last := after
		// Crosses tenants: it serves all of them. The role can delete only what is old.
		err := s.cells.InSystem(ctx, func(tx pgx.Tx) error {
			return tx.QueryRow(ctx, r.slice(), r.name, after, s.slice).Scan(&read, &gone, &last)
		})
		if err != nil {
			return fmt.Errorf("retention of %s: %w", r.name, err)
		}
		deleted += gone
		more = read == int64(s.slice) && (gone > 0 || last.After(after))
		after = last
		if more {
			select {
			case <-ctx.Done():
				return ctx.Err()
			case <-time.After(restPerSlice * time.Since(began)):
			}
		}
	}
	due, err := s.due(ctx, r)
	if err == nil {
		s.tell(r.name, due)
	}
	return err
}

func (s *Service) due(ctx context.Context, r rule) (due int64, err error) {
	// Crosses tenants: it counts, for operators.
	err = s.cells.InSystem(ctx, func(tx pgx.Tx) error {
		return tx.QueryRow(ctx, r.left(), r.name, countLimit).Scan(&due)
	})
	return due, err
}

// Kept is how long one kind is kept.
type Kept struct {
	Name, About string
	Days        int64
	Due         int64 // rows that are older and not deleted yet; at most countLimit are counted
}

// List returns how long everything is kept.
func (s *Service) List(ctx context.Context) (all []Kept, err error) {
	var days []q.ControlRetention
	// Crosses tenants: one number holds for all.
	err = s.cells.InSystem(ctx, func(tx pgx.Tx) error {
		days, err = q.New(tx).ListRetention(ctx)
		return err
	})
	for _, r := range rules {
		at := slices.IndexFunc(days, func(d q.ControlRetention) bool { return d.Name == r.name })
		if err != nil || at < 0 {
			continue
		}
		kept := Kept{Name: r.name, About: r.about, Days: days[at].KeptDays}
		kept.Due, err = s.due(ctx, r)
		all = append(all, kept)
	}
	return all, err
}

// Keep sets how many days one kind is kept, for all instances. Nothing is deleted for a day then, so that a
// mistake can be taken back.
func (s *Service) Keep(ctx context.Context, name string, days int64) error {
	if days < 1 || days > longestKept {
		return fault.InField("days", "days", "things are kept for 1 to %d days", longestKept)
	}
	var names []string
	for _, r := range rules {
		names = append(names, r.name)
	}
	if !slices.Contains(names, name) {
		return fault.InField("name", "name", "%q is not kept for a number of days; these are: %s", name, strings.Join(names, ", "))
	}
	// Crosses tenants: one number holds for all.
	return s.cells.InSystem(ctx, func(tx pgx.Tx) error {
		queries := q.New(tx)
		if err := queries.PauseDropping(ctx); err != nil {
			return err
		}
		return queries.SetRetention(ctx, q.SetRetentionParams{Name: name, KeptDays: days})
	})
}
