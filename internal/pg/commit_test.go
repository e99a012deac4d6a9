package pg

import (
	"errors"
	"fmt"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/stretchr/testify/require"

	"github.com/quayside/quayside/internal/fault"
)

// TestCommitted checks that only a refusal by PostgreSQL means that a transaction was not
// stored.
func TestCommitted(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name    string
		err     error
		unknown bool
		code    string
	}{
		{"no error", nil, false, ""},
		{"a constraint", &pgconn.PgError{SeverityUnlocalized: "ERROR", Code: "23505", ConstraintName: "c"}, false,
			"duplicate_key"},
		{"the server ends the connection", &pgconn.PgError{SeverityUnlocalized: "FATAL", Code: "57P01"}, true,
			"outcome_unknown"},
		{"the connection breaks", errors.New("unexpected EOF"), true, "outcome_unknown"},
		{"nobody answers", errOutcomeUnknown.Because(errors.New("late")), true, "outcome_unknown"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			err := commitError(tt.err)
			require.Equal(t, tt.unknown, OutcomeUnknown(err))
			require.Equal(t, tt.unknown, tt.err != nil && !Refused(err), "what is unknown was not refused")
			if tt.err != nil {
				_, public := fault.Public(err)
				require.Equal(t, tt.code, public.Code)
			}
		})
	}
}

// TestUnansweredCommitsAreBounded checks that no transaction begins while too many commits are
// unanswered.
func TestUnansweredCommitsAreBounded(t *testing.T) {
	t.Parallel()
	var c commits
	for n := range mostAbandoned {
		require.NoError(t, c.room(), fmt.Sprint(n))
		c.abandoned.Add(1)
	}
	require.True(t, fault.HasCode(c.room(), errUnreachable.Code))
}
