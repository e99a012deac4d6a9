package pg

import (
	"context"
	"fmt"
	"runtime"
	"sync"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/quayside/quayside/internal/fault"
	"github.com/quayside/quayside/internal/pg/q"
)

// purpose says what a transaction is for. Each purpose has connections of its own: what takes long never
// keeps a short transaction, for which somebody waits, from a connection.
type purpose string

// The purposes. Batches of records have the lanes, and checks of the service's health have a connection.
const (
	people     purpose = "main"       // whatever somebody waits for and is short: changes, sign-in, checks of keys
	reads      purpose = "reads"      // pages of tables, views and figures
	files      purpose = "files"      // exports: as long as the file and the caller's line take
	background purpose = "background" // chores and jobs, what they read included
)

// patience is how long a transaction waits for a connection. Nobody waits for background work, and batches
// have a limit of their own.
var patience = map[purpose]time.Duration{people: 5 * time.Second, reads: 10 * time.Second, files: 5 * time.Second}

// patience returns how long to wait for a connection of a pool; 0: as long as the caller does.
func (c *Cells) patience(of *pgxpool.Pool) time.Duration {
	for purpose, pool := range c.pools {
		if pool.Pool == of {
			return patience[purpose]
		}
	}
	return 0
}

type purposeKey struct{}

// InBackground marks the work of a context as background work.
func InBackground(ctx context.Context) context.Context {
	return context.WithValue(ctx, purposeKey{}, background)
}

// ForFile marks the work of a context as that of an export. Background work stays that.
func ForFile(ctx context.Context) context.Context {
	if marked(ctx, people) == background {
		return ctx
	}
	return context.WithValue(ctx, purposeKey{}, files)
}

// marked returns what a context is marked with, or the purpose of the transaction itself.
func marked(ctx context.Context, otherwise purpose) purpose {
	if mark, ok := ctx.Value(purposeKey{}).(purpose); ok {
		return mark
	}
	return otherwise
}

// Sizes are the numbers of connections for each purpose.
type Sizes struct{ People, Reads, Files, Background, Lanes, Checks int32 }

// All returns the sum.
func (s Sizes) All() int32 { return s.People + s.Reads + s.Files + s.Background + s.Lanes + s.Checks }

// leastConns is how many connections the service needs beside the lanes.
const leastConns = 8

// SizesFor returns the sizes for a number of cores and lanes. They sum up to at most most, if that is not 0.
func SizesFor(cores, lanes, most int32) (Sizes, error) {
	s := Sizes{Lanes: max(1, lanes) + 1, Checks: 1} // one more for records that are written apart from the batches
	if most == 0 {
		s.People, s.Reads = min(max(4, 2*cores), 16), min(max(3, cores), 12)
		s.Files, s.Background = min(max(2, cores/2), 6), min(max(3, cores), 8)
		return s, nil
	}
	rest := most - s.Lanes - s.Checks
	if rest < leastConns-2 {
		return s, fault.New(fault.BadRequest, "config",
			"QUAYSIDE_MAX_CONNS is %d; with %d lanes the service needs at least %d connections", most, max(1, lanes),
			max(1, lanes)+leastConns)
	}
	s.Files = max(1, rest/8)
	s.Reads, s.Background = max(1, rest/4), max(2, rest/4)
	s.People = rest - s.Files - s.Reads - s.Background
	return s, nil
}

// cores returns how many the process may use.
func cores() int32 { return int32(min(runtime.GOMAXPROCS(0), 1<<10)) } //nolint:gosec // bounded

// shared is a pool of which one tenant, or one session, gets a share, so that it does not keep the others waiting.
type shared struct {
	*pgxpool.Pool
	purpose purpose
	share   int // connections of one; 0: all

	mu    sync.Mutex
	seats map[uuid.UUID]*seats
}

// seats are those of one tenant. They are kept while anybody uses them or waits for one.
type seats struct {
	free  chan struct{}
	users int
}

// open opens a pool.
func open(ctx context.Context, config *pgxpool.Config, of purpose, size int32, share int) (*shared, error) {
	config = config.Copy()
	config.MaxConns, config.MinConns = size, 0
	pool, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		return nil, fmt.Errorf("open pool %s: %w", of, err)
	}
	if share > 0 {
		share = max(1, int(size)*share/100)
	}
	return &shared{Pool: pool, purpose: of, share: share, seats: map[uuid.UUID]*seats{}}, nil
}

// sit waits for one of the tenant's seats. The returned function leaves it.
func (p *shared) sit(ctx context.Context, tenant uuid.UUID) (leave func(), err error) {
	if p.share == 0 || tenant == uuid.Nil {
		return func() {}, nil
	}
	row := p.row(tenant)
	wait, cancel := context.WithTimeout(ctx, patience[p.purpose])
	defer cancel()
	select {
	case row.free <- struct{}{}:
		began := time.Now()
		return func() { p.leave(tenant, row, time.Since(began)) }, nil
	case <-wait.Done():
	}
	p.rise(tenant, row)
	if ctx.Err() != nil {
		return nil, Translate(ctx.Err())
	}
	if p.purpose == people {
		return nil, errBusy
	}
	if p.purpose == files {
		return nil, fault.New(fault.Unavailable, "exports",
			"other exports of your company are under way; try again in a moment").After(10 * time.Second)
	}
	return nil, fault.New(fault.Unavailable, "reads",
		"other reads of your company are under way and take long; try again in a moment").After(time.Second)
}

// leave gives a seat back after so much work. That of a long read rests first if many others of the tenant wait.
func (p *shared) leave(tenant uuid.UUID, row *seats, worked time.Duration) {
	free := func() { <-row.free; p.rise(tenant, row) }
	if p.purpose == reads && worked >= longRead {
		if rest := p.rest(tenant, worked); rest > 0 {
			time.AfterFunc(rest, free)
			return
		}
	}
	free()
}

// row returns the tenant's seats, for one more user.
func (p *shared) row(tenant uuid.UUID) *seats {
	p.mu.Lock()
	defer p.mu.Unlock()
	row := p.seats[tenant]
	if row == nil {
		row = &seats{free: make(chan struct{}, p.share)}
		p.seats[tenant] = row
	}
	row.users++
	return row
}

// rise forgets the seats with their last user.
func (p *shared) rise(tenant uuid.UUID, row *seats) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if row.users--; row.users == 0 {
		delete(p.seats, tenant)
	}
}

// errBusy is the answer if all connections of a purpose stay in use.
var errBusy = fault.New(fault.Unavailable, "busy", "too much is under way just now; try again in a moment").After(time.Second)

// Sizes returns how many connections the service makes at most.
func (c *Cells) Sizes() Sizes { return c.sizes }

// CheckConnections fails if PostgreSQL does not allow as many connections as the service may make. spare is
// how many more of them others have left free just now.
func (c *Cells) CheckConnections(ctx context.Context) (spare int32, err error) {
	var limit, others int32
	err = c.read(ctx, func(queries *q.Queries) error {
		row, err := queries.ConnectionBudget(ctx)
		limit, others = row.Allowed, row.Others
		return err
	})
	needs := c.sizes.All()
	switch {
	case err != nil:
		return 0, err
	case needs > limit:
		return 0, fault.New(fault.Unavailable, "connections",
			"the service may make %d connections, and PostgreSQL allows %d; raise max_connections, or set QUAYSIDE_MAX_CONNS",
			needs, limit)
	}
	return limit - others - needs, nil
}
