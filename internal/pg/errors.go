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

// states says what an SQLSTATE means to a caller.
var states = map[string]*fault.Error{
	"23505": fault.New(fault.Invalid, "duplicate_key", "duplicate key"),
	"23502": fault.New(fault.Invalid, "required", "missing required field"),
	"23503": fault.New(fault.Invalid, "unknown_reference", "unknown reference"),
	"23514": fault.New(fault.Invalid, "constraint", "a value breaks a rule of the table"),
	"55P03": fault.New(fault.Unavailable, "row_locked", "temporarily unavailable"),
}

// Retryable says whether the same transaction may well succeed when it is run again.
func Retryable(err error) bool {
	var pgErr *pgconn.PgError
	return errors.As(err, &pgErr) && (pgErr.Code == "40001" || pgErr.Code == "40P01")
}

// Refused says whether PostgreSQL itself refused a statement, so that nothing of its
// transaction happened and another attempt may be made of its parts.
func Refused(err error) bool {
	var pgErr *pgconn.PgError
	return errors.As(err, &pgErr) && !fault.HasCode(err, away.Code) && !OutcomeUnknown(err)
}

// Locked says whether a statement was ended because somebody held a lock for too long.
func Locked(err error) bool {
	var pgErr *pgconn.PgError
	return errors.As(err, &pgErr) && pgErr.Code == "55P03"
}

// TookTooLong says whether PostgreSQL ended a statement because its time was up.
func TookTooLong(err error) bool {
	var pgErr *pgconn.PgError
	return errors.As(err, &pgErr) && pgErr.Code == "57014"
}

// BadData says whether PostgreSQL refused values that it will never take, as opposed to
// a state of its own that may change.
func BadData(err error) bool {
	var pgErr *pgconn.PgError
	return errors.As(err, &pgErr) &&
		(strings.HasPrefix(pgErr.Code, "22") || strings.HasPrefix(pgErr.Code, "23") || strings.HasPrefix(pgErr.Code, "54"))
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
	err = hush(err)
	if known, ok := constraints[pgErr.ConstraintName]; ok {
		return known.Because(err)
	}
	if known, ok := states[pgErr.Code]; ok && blamesCaller(pgErr) {
		return known.Because(err)
	}
	if strings.HasPrefix(pgErr.Code, "08") || strings.HasPrefix(pgErr.Code, "57P") || strings.HasPrefix(pgErr.Code, "53") {
		return away.Because(err)
	}
	return err
}

// blamesCaller tells a breach that a caller's data made from one of our own making:
// no partition for the day is a check violation too, and nobody sends events.
func blamesCaller(err *pgconn.PgError) bool {
	ours := strings.HasPrefix(err.TableName, "events") || err.TableName == "stock_history"
	return !ours && (err.ConstraintName != "" || err.Code == "23502" || err.Code == "55P03")
}

// quiet is an error of PostgreSQL in words that quote no data: its message and
// detail may hold what a caller sent, and errors end up in logs.
type quiet struct{ err *pgconn.PgError }

// hush makes an error of PostgreSQL quiet.
func hush(err error) error {
	var pgErr *pgconn.PgError
	if errors.As(err, &pgErr) {
		return &quiet{pgErr}
	}
	return err
}

func (q *quiet) Error() string {
	words := []string{"SQLSTATE " + q.err.Code}
	if !strings.HasPrefix(q.err.Code, "22") && !strings.HasPrefix(q.err.Code, "23") &&
		!strings.HasPrefix(q.err.Code, "P0") {
		words = append(words, q.err.Message) // the other classes speak of the server, not of values
	}
	for _, place := range []string{q.err.TableName, q.err.ColumnName, q.err.ConstraintName} {
		if place != "" {
			words = append(words, place)
		}
	}
	return strings.Join(words, ", ")
}

func (q *quiet) Unwrap() error { return q.err }
