package pg

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/quayside/quayside/internal/fault"
)

const (
	// commitTimeout is how long to wait for the answer to a commit.
	commitTimeout = 4 * time.Second
	// batchTimeout is the same for a batch, whose statements and commit are sent together.
	// PostgreSQL ends a statement of a batch earlier: see batchSettings.
	batchTimeout = 6 * time.Second
	// mostAbandoned limits the connections that are left waiting for a commit.
	mostAbandoned = 16
	closeTimeout  = 5 * time.Second
)

// errOutcomeUnknown is the answer when it is unknown whether a transaction was committed.
var errOutcomeUnknown = fault.New(fault.Internal, "outcome_unknown",
	"temporary failure, safe to retry; whether it was stored is not known")

// OutcomeUnknown reports whether err leaves open if its transaction was committed.
func OutcomeUnknown(err error) bool { return fault.HasCode(err, errOutcomeUnknown.Code) }

// commits counts the connections whose commit is unanswered and no longer waited for.
type commits struct{ abandoned atomic.Int32 }

// room refuses new transactions while too many commits are unanswered: each would only leave
// another connection behind.
func (c *commits) room() error {
	if c.abandoned.Load() >= mostAbandoned {
		return errUnreachable.Because(fmt.Errorf("%d commits are unanswered", mostAbandoned))
	}
	return nil
}

// await runs a commit and waits for its answer no longer than within. It passes a panic of the
// commit on to the caller.
//
// A commit is never cancelled. PostgreSQL answers a cancelled commit that waits for its
// synchronous standby with success, although only the primary has stored it; and pgx asks
// PostgreSQL to cancel when a context ends. A commit that takes too long therefore keeps its
// connection, which leaves the pool and is closed once it is answered.
func (c *commits) await(ctx context.Context, conn *pgxpool.Conn, within time.Duration,
	commit func(context.Context) error) error {
	type result struct {
		err      error
		panicked any
	}
	done := make(chan result, 1)
	go func() {
		var r result
		defer func() {
			r.panicked = recover()
			done <- r
		}()
		r.err = commit(context.WithoutCancel(ctx))
	}()
	timer := time.NewTimer(within)
	defer timer.Stop()
	select {
	case r := <-done:
		if r.panicked != nil {
			panic(r.panicked)
		}
		if storedAlone(conn.Conn().PgConn()) {
			return errOutcomeUnknown.Because(errors.Join(errors.New("the standby has not confirmed the commit"), redact(r.err)))
		}
		return r.err
	case <-timer.C:
	}
	abandoned := conn.Hijack()
	c.abandoned.Add(1)
	go func() {
		defer c.abandoned.Add(-1)
		<-done
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), closeTimeout)
		defer cancel()
		_ = abandoned.Close(ctx)
	}()
	return errOutcomeUnknown.Because(fmt.Errorf("the commit was not answered within %s", within))
}

// commitError interprets the error of a commit. Only a refusal by PostgreSQL means that
// nothing was stored; every other error leaves the outcome open.
func commitError(err error) error {
	var refused *pgconn.PgError
	switch {
	case err == nil, OutcomeUnknown(err):
		return err
	case errors.As(err, &refused) && refused.SeverityUnlocalized == "ERROR":
		return Translate(err)
	}
	return errOutcomeUnknown.Because(redact(err))
}

// aloneMark marks a connection whose last commit was stored by the primary alone.
const aloneMark = "quayside.stored_alone"

// watchNotices marks the connection on the warning that a commit was not replicated. It
// recognises the function of PostgreSQL that raises the warning, because the text depends on
// the server's language.
func watchNotices(conn *pgconn.PgConn, notice *pgconn.Notice) {
	if notice.Routine == "SyncRepWaitForLSN" {
		conn.CustomData()[aloneMark] = true
	}
}

// storedAlone reports whether the connection's last commit was not replicated, and clears the
// mark.
func storedAlone(conn *pgconn.PgConn) bool {
	_, alone := conn.CustomData()[aloneMark]
	delete(conn.CustomData(), aloneMark)
	return alone
}
