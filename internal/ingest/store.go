package ingest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/fault"
	"github.com/quayside/quayside/internal/registry"
)

var (
	// errStale: the registry changed since the record was sanitised. Try again.
	errStale = errors.New("the table's registration changed")
	// errRaced: another writer made the row between our look and our write. Try again.
	errRaced = errors.New("another writer was faster")
	// errDryRun rolls a transaction back that did all it should.
	errDryRun = errors.New("dry run")
)

// verdict is what the statement says of one record.
type verdict struct {
	ord       int
	keyLive   bool
	current   bool
	elsewhere bool     // the key belongs to a row of another workspace
	fresh     bool     // no row was known
	unknown   []string // references that were not found
	id        *string
	version   *int64
	created   *bool // of a row that was written
	waits     *bool // whether that row waits for another record
}

// store writes one record with its event, and links what waited for it.
func (s *Service) store(ctx context.Context, clean sanitized, record Record) (Outcome, error) {
	var outcome Outcome
	err := s.cells.InTenant(ctx, record.By.Tenant, func(tx pgx.Tx) error {
		v, err := run(ctx, tx, clean, record, true)
		if err != nil {
			return err
		}
		if outcome, err = v.outcome(clean); err != nil {
			return err
		}
		if record.DryRun {
			return errDryRun
		}
		return nil
	})
	if errors.Is(err, errDryRun) {
		return outcome, nil
	}
	if err != nil {
		return Outcome{}, err
	}
	if err := s.link(ctx, clean, record, outcome); err != nil {
		// The record is stored and the sweep will link it.
		s.log.ErrorContext(ctx, "link after commit", "slug", record.Slug, "err", err)
	}
	return outcome, nil
}

// refuse completes the list of what is wrong with a record by what only the
// database knows, confirming key and registry on the way.
func (s *Service) refuse(ctx context.Context, clean sanitized, record Record) error {
	if clean.identity == "" {
		return s.confirmed(ctx, clean.table, record.By, invalid(clean.refused))
	}
	sound := clean
	sound.columns = nil
	for _, c := range clean.columns {
		if !refusedField(clean.refused, c.column.Name) {
			sound.columns = append(sound.columns, c)
		}
	}
	return s.cells.InTenant(ctx, record.By.Tenant, func(tx pgx.Tx) error {
		v, err := run(ctx, tx, sound, record, false)
		if err != nil {
			return err
		}
		return v.refusal(clean)
	})
}

func refusedField(refused []fault.Field, name string) bool {
	for _, f := range refused {
		if f.Field == name {
			return true
		}
	}
	return false
}

// run executes the statement for one record.
func run(ctx context.Context, tx pgx.Tx, clean sanitized, record Record, write bool) (verdict, error) {
	columns := make([]*registry.Column, 0, len(clean.columns))
	for _, c := range clean.columns {
		columns = append(columns, c.column)
	}
	stmt := shape{table: clean.table, columns: columns, keyed: clean.keyed, write: write}.build()
	rows, err := tx.Query(ctx, stmt.sql, arguments(stmt, clean, record)...)
	if err != nil {
		return verdict{}, fmt.Errorf("store in %s: %w", clean.table.Slug, err)
	}
	return pgx.CollectExactlyOneRow(rows, func(row pgx.CollectableRow) (v verdict, err error) {
		err = row.Scan(&v.ord, &v.keyLive, &v.current, &v.elsewhere, &v.fresh, &v.unknown, &v.id, &v.version, &v.created, &v.waits)
		return v, err
	})
}

// arguments are the statement's parameters, in the order that upsert.go names.
func arguments(stmt statement, clean sanitized, record Record) []any {
	var key *uuid.UUID
	if record.By.Key != uuid.Nil {
		key = &record.By.Key
	}
	actor, _ := json.Marshal(record.By.Actor) // two strings
	args := []any{
		[]uuid.UUID{record.By.Tenant}, []uuid.UUID{record.By.Workspace}, []*uuid.UUID{key}, []string{clean.identity},
		[]string{uuid.Must(uuid.NewV7()).String()}, []uuid.UUID{uuid.Must(uuid.NewV7())}, []string{string(actor)},
		[]string{record.RequestID}, []bool{len(clean.missing) == 0},
		clean.table.Owner, clean.table.Version, clean.table.Slug, clean.table.EventType(),
	}
	if clean.table.Generic {
		args = append(args, []string{document(clean)})
	}
	for _, c := range clean.columns {
		if clean.table.Generic && c.column.Reference == nil {
			continue
		}
		args = append(args, []*string{c.value.pointer()})
	}
	for _, value := range stmt.defaults {
		args = append(args, value)
	}
	return args
}

func (v value) pointer() *string {
	if v.null {
		return nil
	}
	return &v.text
}

// document is a generic record's data: its columns but the identity, each in its
// type's JSON form. References are filled in by the statement.
func document(clean sanitized) string {
	doc := []byte{'{'}
	for _, c := range clean.columns {
		if c.column.Name == clean.table.ConflictColumn {
			continue
		}
		if len(doc) > 1 {
			doc = append(doc, ',')
		}
		doc = append(strconv.AppendQuote(doc, c.column.Name), ':')
		switch {
		case c.value.null || c.column.Reference != nil:
			doc = append(doc, "null"...)
		case c.column.Type == registry.Number:
			doc = append(doc, jsonNumber(c.value.text)...)
		case c.column.Type == registry.Boolean:
			doc = append(doc, c.value.text...)
		default:
			quoted, _ := json.Marshal(c.value.text) // valid UTF-8
			doc = append(doc, quoted...)
		}
	}
	return string(append(doc, '}'))
}

// outcome is what to answer, or why the record was not stored.
func (v verdict) outcome(clean sanitized) (Outcome, error) {
	if err := v.refusal(clean); err != nil {
		return Outcome{}, err
	}
	if v.id == nil || v.version == nil {
		return Outcome{}, errRaced
	}
	outcome := Outcome{Result: Unchanged, ID: *v.id, Version: *v.version}
	if v.created != nil {
		outcome.waits = *v.waits
		outcome.Result = Updated
		if *v.created {
			outcome.Result = Created
		}
	}
	return outcome, nil
}

// refusal is everything that is wrong with the record, or nil.
func (v verdict) refusal(clean sanitized) error {
	switch {
	case !v.keyLive:
		return auth.ErrDeadKey
	case !v.current:
		return errStale
	}
	refused := clean.refused
	if v.elsewhere {
		key := clean.keyed[len(clean.keyed)-1]
		refused = append(refused, fault.Field{Field: key, Code: "duplicate_key", Message: fmt.Sprintf("duplicate key: %s %s belongs to another workspace", key, shorten(strconv.Quote(clean.identity)))})
	}
	if v.fresh {
		refused = append(refused, clean.incomplete()...)
	}
	for _, name := range v.unknown {
		refused = append(refused, fault.Field{Field: name, Code: "unknown_reference", Message: "unknown reference: " + name})
	}
	if len(refused) == 0 {
		return nil
	}
	return invalid(refused)
}
