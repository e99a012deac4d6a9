package ingest

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/jackc/pgx/v5"

	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/fault"
	"github.com/quayside/quayside/internal/registry"
)

// Filling is a value for a column that was made after its record was stored.
type Filling struct {
	Slug      string
	Key       string // the record's identity
	Column    string
	Value     jsontext.Value
	RequestID string

	// Stored runs in the transaction that stores the value. If it fails, the value is not stored.
	Stored func(context.Context, pgx.Tx) error
}

// FillResult is what became of a Filling.
type FillResult string

// The results.
const (
	Filled     FillResult = "filled"
	AlreadySet FillResult = "already_set" // the column was set since it was made, perhaps to nothing
	Gone       FillResult = "gone"        // the workspace has no such record
	Empty      FillResult = "empty"       // the value is none
)

var (
	errSet  = fault.New(fault.Conflict, string(AlreadySet), "the record has a value already")
	errGone = fault.New(fault.NotFound, string(Gone), "there is no such record")
)

// Fill stores a value in a column of a stored record if nobody has set that column: with the same coercions, rules
// and event as a record that carries it. The row is locked first, so a value that is there is never replaced. An
// Invalid error says that the column does not take the value.
func (s *Service) Fill(ctx context.Context, by auth.Principal, f Filling) (FillResult, error) {
	if err := by.Require(auth.DefineTables); err != nil {
		return "", err
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), storeTimeout)
	defer cancel()
	if kind := f.Value.Kind(); kind == jsontext.KindNull || string(f.Value) == `""` {
		return Empty, nil
	}
	table, err := s.registry.Reload(ctx, by.Tenant, f.Slug)
	if err != nil {
		return "", err
	}
	if err := Fillable(table, f.Column); err != nil {
		return "", err
	}
	key, err := s.unset(ctx, by, table, f)
	if err == nil {
		by.Scope = f.Slug // a person has no key; the permission stands in for its scope
		var outcome Outcome
		outcome, _, err = s.write(ctx, Record{
			By: by, Slug: f.Slug, Body: encode([]field{key, {Name: f.Column, Value: f.Value}}), RequestID: f.RequestID,
			Attended: true, typed: true, Terms: Terms{Key: f.Key}, fills: fillGate(table, f),
		})
		if err == nil && outcome.Result == Unchanged {
			return Empty, nil // a blank text that the column does not store
		}
	}
	switch {
	case fault.HasCode(err, errSet.Code):
		return AlreadySet, nil
	case fault.HasCode(err, errGone.Code):
		return Gone, nil
	case err != nil:
		refusal, _ := classifyFailure(err)
		return "", refusal
	}
	return Filled, nil
}

// Fillable refuses columns that Fill cannot fill: those that the company has not defined.
func Fillable(table *registry.Table, name string) error {
	column, known := table.Column(name)
	switch {
	case !known:
		return fault.New(fault.NotFound, "unknown_column", "%s has no column %s", table.Slug, fault.Shorten(name))
	case table.Identifies(column) || !inDocument(table, column):
		return fault.New(fault.Conflict, "not_own", "%s.%s is not a column that your company has defined", table.Slug, name)
	}
	return nil
}

// unset returns the identity field of a record whose column is not set. It saves most transactions that would find
// otherwise; the gate decides.
func (s *Service) unset(ctx context.Context, by auth.Principal, table *registry.Table, f Filling) (field, error) {
	if !utf8.ValidString(f.Key) || strings.ContainsRune(f.Key, 0) {
		return field{}, errGone
	}
	identity := make([]string, 0, len(table.Identity))
	for _, name := range table.Identity {
		identity = append(identity, "t."+quote(name))
	}
	var (
		values []*string
		set    bool
	)
	err := s.cells.InTenant(ctx, by.Tenant, func(tx pgx.Tx) error {
		sql := fillStatement(table, fmt.Sprintf("ARRAY[%s]::text[]", strings.Join(identity, ", ")))
		return tx.QueryRow(ctx, sql, by.Tenant, by.Workspace, table.Slug, f.Key, f.Column).Scan(&values, &set)
	})
	switch {
	case fault.Is(err, fault.NotFound):
		return field{}, errGone
	case err != nil:
		return field{}, err
	case set:
		return field{}, errSet
	}
	for i, value := range values {
		if value != nil {
			return field{Name: table.Identity[i], Value: quoted(*value)}, nil
		}
	}
	return field{}, errGone
}

// fillGate locks the record and lets the value pass if its column is not set.
func fillGate(table *registry.Table, f Filling) Gate {
	return func(ctx context.Context, tx pgx.Tx, claim Claim) (Ruling, error) {
		var (
			version int64
			set     bool
		)
		sql := fillStatement(table, "t.version") + " FOR NO KEY UPDATE"
		err := tx.QueryRow(ctx, sql, claim.By.Tenant, claim.By.Workspace, f.Slug, f.Key, f.Column).Scan(&version, &set)
		switch {
		case errors.Is(err, pgx.ErrNoRows):
			return Ruling{}, errGone
		case err != nil:
			return Ruling{}, err
		case set:
			return Ruling{}, errSet
		}
		return Ruling{Version: version, Done: func(ctx context.Context, changed bool) error {
			if !changed {
				return nil
			}
			return f.Stored(ctx, tx)
		}}, nil
	}
}

// fillStatement selects something of a record by its key, and whether its column is set. Parameters: tenant $1,
// workspace $2, slug $3, key $4, column $5.
func fillStatement(table *registry.Table, what string) string {
	document, identified := "custom", fmt.Sprintf("$3::text IS NOT NULL AND t.%s = $4", quote(table.ConflictColumn))
	if table.Generic {
		document, identified = "data", "t.slug = $3 AND t.external_id = $4"
	}
	return fmt.Sprintf("SELECT %s, t.%s ? $5::text FROM %s t WHERE t.tenant_id = $1 AND t.workspace_id = $2 AND %s",
		what, document, tableName(table), identified)
}
