package pg

import (
	"errors"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/quayside/quayside/internal/fault"
)

// constraints maps a violated constraint to the error for the caller. Other constraints are
// mapped by their SQLSTATE.
var constraints = map[string]*fault.Error{
	"agent_runs_daily": fault.New(fault.Conflict, "agent_ran", "the procurement agent has run today"),
	"agent_runs_one": fault.New(fault.Conflict, "agent_at_work",
		"the procurement agent is at work in this workspace; wait until its run has ended"),
	"backfills_open": fault.New(fault.Conflict, "backfill_running",
		"this column is being filled already; wait until that has ended"),
	"connections_one": fault.New(fault.Conflict, "connection_exists",
		"this workspace has a connection to this system already"),
	"exchange_ids_theirs": fault.New(fault.Conflict, "counterpart_taken",
		"something else of yours stands for this one there already; forget that first"),
	"playbook_slug": fault.New(fault.Conflict, "slug_taken", "an SOP with this slug exists"),
	"purchase_order_lines_open_recommendation": fault.New(fault.Conflict, "recommendation_locked",
		"another open line already answers this recommendation"),
	"registry_tables_built_in_slug": fault.New(fault.Conflict, "slug_taken",
		"this slug belongs to a built-in table"),
	"registry_tables_pkey": fault.New(fault.Conflict, "slug_taken", "a table with this slug exists"),
	"saved_views_name": fault.New(fault.Conflict, "name_taken",
		"you have a view of this name; choose another"),
	"users_email_key": fault.New(fault.Conflict, "account_exists",
		"this address has an account by now; show its password"),
	"workspaces_tenant_id_fkey": fault.New(fault.NotFound, "unknown_tenant", "no such tenant"),
}

// states maps an SQLSTATE to the error for the caller.
var states = map[string]*fault.Error{
	"23505": fault.New(fault.Invalid, "duplicate_key", "duplicate key"),
	"23502": fault.New(fault.Invalid, "required", "missing required field"),
	"23503": fault.New(fault.Invalid, "unknown_reference", "unknown reference"),
	"23514": fault.New(fault.Invalid, "constraint", "a value breaks a rule of the table"),
	"55P03": fault.New(fault.Unavailable, "row_locked", "temporarily unavailable"),
}

// Retryable reports whether the same transaction may succeed when it is run again.
func Retryable(err error) bool {
	var pgErr *pgconn.PgError
	return errors.As(err, &pgErr) && (pgErr.Code == "40001" || pgErr.Code == "40P01")
}

// Refused reports whether PostgreSQL itself refused a statement, so that its transaction had
// no effect and its parts may be tried again.
func Refused(err error) bool {
	var pgErr *pgconn.PgError
	return errors.As(err, &pgErr) && !fault.HasCode(err, errUnreachable.Code) && !OutcomeUnknown(err)
}

// Locked reports whether a statement was ended because it waited too long for a lock.
func Locked(err error) bool {
	var pgErr *pgconn.PgError
	return errors.As(err, &pgErr) && pgErr.Code == "55P03"
}

// TookTooLong reports whether PostgreSQL ended a statement because it exceeded its timeout.
func TookTooLong(err error) bool {
	var pgErr *pgconn.PgError
	return errors.As(err, &pgErr) && pgErr.Code == "57014"
}

// BadData reports whether PostgreSQL refused values that it will never accept, as opposed to a
// temporary state.
func BadData(err error) bool {
	var pgErr *pgconn.PgError
	return errors.As(err, &pgErr) &&
		(strings.HasPrefix(pgErr.Code, "22") || strings.HasPrefix(pgErr.Code, "23") || strings.HasPrefix(pgErr.Code, "54"))
}

// errUnreachable is the answer while PostgreSQL cannot be reached.
var errUnreachable = fault.New(fault.Unavailable, "database_away", "temporarily unavailable")

// Translate maps an error of PostgreSQL to an error for the caller. It returns unknown errors
// unchanged: they never become a success, or a refusal that blames the caller.
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
		return errUnreachable.Because(err)
	}
	var pgErr *pgconn.PgError
	if !errors.As(err, &pgErr) {
		return err
	}
	err = redact(err)
	if known, ok := constraints[pgErr.ConstraintName]; ok {
		return known.Because(err)
	}
	if known, ok := states[pgErr.Code]; ok && blamesCaller(pgErr) {
		return known.Because(err)
	}
	if strings.HasPrefix(pgErr.Code, "08") || strings.HasPrefix(pgErr.Code, "57P") || strings.HasPrefix(pgErr.Code, "53") ||
		pgErr.Code == "25006" { // read-only: a standby, or a primary that was made so
		return errUnreachable.Because(err)
	}
	return err
}

// blamesCaller reports whether the caller's data violated a constraint. A missing partition
// for the day is a check violation too, but nobody sends events.
func blamesCaller(err *pgconn.PgError) bool {
	ours := strings.HasPrefix(err.TableName, "events") || err.TableName == "stock_history"
	return !ours && (err.ConstraintName != "" || err.Code == "23502" || err.Code == "55P03")
}

// redacted is an error of PostgreSQL without data: its message and detail may contain what a
// caller sent, and errors are logged.
type redacted struct{ err *pgconn.PgError }

// redact replaces an error of PostgreSQL by a redacted one.
func redact(err error) error {
	var pgErr *pgconn.PgError
	if errors.As(err, &pgErr) {
		return &redacted{pgErr}
	}
	return err
}

func (q *redacted) Error() string {
	words := []string{"SQLSTATE " + q.err.Code}
	if !strings.HasPrefix(q.err.Code, "22") && !strings.HasPrefix(q.err.Code, "23") &&
		!strings.HasPrefix(q.err.Code, "P0") {
		words = append(words, q.err.Message) // messages of other classes are about the server, not about values
	}
	for _, place := range []string{q.err.TableName, q.err.ColumnName, q.err.ConstraintName} {
		if place != "" {
			words = append(words, place)
		}
	}
	return strings.Join(words, ", ")
}

func (q *redacted) Unwrap() error { return q.err }
