package pg

import (
	"errors"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/quayside/quayside/internal/fault"
)

// constraints says what a breach of one constraint means to a caller. What is not
// listed falls back to the meaning of its SQLSTATE.
var constraints = map[string]*fault.Error{
	"purchase_order_lines_open_recommendation": fault.New(fault.Conflict, "recommendation_locked", "another open line already answers this recommendation"),
	"registry_tables_built_in_slug":            fault.New(fault.Conflict, "slug_taken", "this slug belongs to a built-in table"),
	"registry_tables_pkey":                     fault.New(fault.Conflict, "slug_taken", "a table with this slug exists"),
	"workspaces_tenant_id_fkey":                fault.New(fault.NotFound, "unknown_tenant", "no such tenant"),
}

// states says what an SQLSTATE means to a caller.
var states = map[string]*fault.Error{
	"23505": fault.New(fault.Invalid, "duplicate_key", "duplicate key"),
	"23502": fault.New(fault.Invalid, "required", "missing required field"),
	"23503": fault.New(fault.Invalid, "unknown_reference", "unknown reference"),
	"23514": fault.New(fault.Invalid, "constraint", "a value breaks a rule of the table"),
}

// away is what callers are told while PostgreSQL cannot be reached.
var away = fault.New(fault.Unavailable, "database_away", "temporarily unavailable")

// Translate gives an error of PostgreSQL its meaning. What it does not know it
// returns as it is: nothing unknown ever turns into success, or into a refusal
// that blames the caller.
func Translate(err error) error {
	var already *fault.Error
	if err == nil || errors.As(err, &already) {
		return err
	}
	if errors.Is(err, pgx.ErrNoRows) {
		return fault.New(fault.NotFound, "not_found", "no such thing").Because(err)
	}
	var connectErr *pgconn.ConnectError
	if errors.As(err, &connectErr) {
		return away.Because(err)
	}
	var pgErr *pgconn.PgError
	if !errors.As(err, &pgErr) {
		return err
	}
	if known, ok := constraints[pgErr.ConstraintName]; ok {
		return known.Because(err)
	}
	if known, ok := states[pgErr.Code]; ok {
		return known.Because(err)
	}
	if strings.HasPrefix(pgErr.Code, "08") || strings.HasPrefix(pgErr.Code, "57P") || strings.HasPrefix(pgErr.Code, "53") {
		return away.Because(err)
	}
	return err
}
