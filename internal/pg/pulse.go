package pg

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/quayside/quayside/internal/fault"
)

const (
	// pulseTimeout is how long PostgreSQL may take to store something, and half of the time in which a
	// check of the service's health is answered.
	pulseTimeout = 1200 * time.Millisecond
	// checksConnect is how long the connection for checks may take to be made, also in the background of a proof that
	// has failed meanwhile. A process that starts on a busy machine is not told after a second that nobody answers.
	checksConnect = 5 * time.Second
	// pulseLasts is how long a result is not checked again, however many ask for it.
	pulseLasts = time.Second
	// downAfter is how many proofs in a row have to fail before transactions are refused: one may
	// only have been slow.
	downAfter = 3
	// acquirePatience is how long to wait for a connection before asking whether PostgreSQL is well.
	acquirePatience = 2 * time.Second
)

// The reasons why nothing can be stored. Their messages name no address, so that anybody may read them.
var (
	errNoAnswer  = fault.New(fault.Unavailable, "database_away", "PostgreSQL does not answer")
	errReadOnly  = fault.New(fault.Unavailable, "database_read_only", "PostgreSQL is read-only: it is a standby, or default_transaction_read_only is on")
	errNoCommits = fault.New(fault.Unavailable, "commits_unanswered", "PostgreSQL does not answer commits; is its synchronous standby gone?")
)

// pulse proves that PostgreSQL stores what it is given, when somebody asks or has waited for long. It has a
// connection of its own, because those of a pool may all be in use while everything is fine. After a few
// failures transactions are refused at once, instead of each waiting for its own end, until a proof succeeds.
type pulse struct {
	pool    *pgxpool.Pool
	commits commits

	asking sync.Mutex // one proof at a time; the others wait for its result
	at     time.Time
	result error

	failed atomic.Int32                // proofs that failed since the last that succeeded
	down   atomic.Pointer[fault.Error] // the reason, after a few of them
	closed chan struct{}
}

// openPulse opens the connection for checks.
func openPulse(ctx context.Context, config *pgxpool.Config) (*pgxpool.Pool, error) {
	config = config.Copy()
	config.MaxConns, config.MinConns = 1, 0
	config.ConnConfig.ConnectTimeout = checksConnect
	pool, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		return nil, fmt.Errorf("open the connection for checks: %w", err)
	}
	return pool, nil
}

// Pulse returns an error if PostgreSQL did not store something within a second or so. A result may be a
// second old.
func (c *Cells) Pulse(ctx context.Context) error {
	p := &c.pulse
	p.asking.Lock()
	defer p.asking.Unlock()
	if p.at.IsZero() || time.Since(p.at) > pulseLasts {
		p.result = p.prove(context.WithoutCancel(ctx)) // the result is for others too
		p.at = time.Now()
		p.judge()
		if p.failed.Load() == 1 {
			go c.untilBack(context.WithoutCancel(ctx))
		}
	}
	return p.result
}

// Down returns why transactions are refused, in words that name no address, or nothing if they are not.
func (c *Cells) Down() string {
	if reason := c.pulse.down.Load(); reason != nil {
		return reason.Message
	}
	return ""
}

// judge takes the last proof into account.
func (p *pulse) judge() {
	var reason *fault.Error
	if !errors.As(p.result, &reason) {
		p.failed.Store(0)
		p.down.Store(nil)
	} else if p.failed.Add(1) >= downAfter {
		p.down.Store(reason)
	}
}

// untilBack asks again and again after a failure, so that transactions are refused no longer than
// necessary.
func (c *Cells) untilBack(ctx context.Context) {
	ticker := time.NewTicker(pulseLasts)
	defer ticker.Stop()
	for c.pulse.failed.Load() > 0 {
		select {
		case <-c.pulse.closed:
			return
		case <-ticker.C:
			_ = c.Pulse(ctx)
		}
	}
}

// untilDown asks again and again until transactions are refused, and returns why, or until ctx ends.
func (c *Cells) untilDown(ctx context.Context, reads bool) error {
	ticker := time.NewTicker(pulseLasts)
	defer ticker.Stop()
	for {
		_ = c.Pulse(ctx)
		if err := c.pulse.refuse(reads); err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return nil
		case <-ticker.C:
		}
	}
}

// refuse refuses a transaction that would only wait. A read-only database refuses by itself, and reads
// do not need commits.
func (p *pulse) refuse(reads bool) error {
	reason := p.down.Load()
	if reason == nil || reason.Code == errReadOnly.Code || reads && reason.Code == errNoCommits.Code {
		return nil
	}
	return errUnreachable.Because(reason)
}

// prove commits a message to the write-ahead log, which has to be stored, also by a synchronous standby,
// but changes no table.
func (p *pulse) prove(ctx context.Context) error {
	if p.commits.abandoned.Load() > 0 {
		return errNoCommits
	}
	within, cancel := context.WithTimeout(ctx, pulseTimeout)
	defer cancel()
	conn, err := p.pool.Acquire(within)
	if err != nil {
		return errNoAnswer.Because(err)
	}
	defer conn.Release()
	tx, err := conn.Begin(within)
	if err != nil {
		return errNoAnswer.Because(err)
	}
	var readOnly bool
	if err := tx.QueryRow(within, "SELECT current_setting('transaction_read_only')::boolean").Scan(&readOnly); err != nil {
		rollback(within, tx)
		return errNoAnswer.Because(err)
	}
	if readOnly {
		rollback(within, tx)
		return errReadOnly
	}
	if _, err := tx.Exec(within, "SELECT pg_logical_emit_message(true, 'quayside', '')"); err != nil {
		rollback(within, tx)
		return errNoAnswer.Because(err)
	}
	if err := p.commits.await(ctx, conn, pulseTimeout, tx.Commit); err != nil {
		return errNoCommits.Because(err)
	}
	return nil
}
