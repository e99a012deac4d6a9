package pg

import (
	"context"
	"time"

	"github.com/google/uuid"
)

// A tenant that has many more reads under way than its share is slowed down: what takes long rests three times as long
// as it has worked. So the others keep most of the processors that the tenant's share could take from them. A few
// people who open a page each, which is a handful of reads, do not rest.

const (
	// crowd is how many reads for each of its seats a tenant may have under way and waiting, before they rest.
	crowd = 8
	// longRead is how long a read takes before its seat rests.
	longRead = 200 * time.Millisecond
	// piece is how long an export works before it rests.
	piece = 5 * time.Millisecond
	// restFactor is how many times as long as the work a rest is.
	restFactor = 3
	// longestRest bounds one rest: the time that is counted as work also has that of the caller's line.
	longestRest = 3 * time.Second
)

// crowded reports whether the tenant has many more reads under way and waiting than seats.
func (p *shared) crowded(tenant uuid.UUID) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	row := p.seats[tenant]
	return row != nil && row.users > crowd*cap(row.free)
}

// rest returns how long the tenant rests after it has worked for so long.
func (p *shared) rest(tenant uuid.UUID, worked time.Duration) time.Duration {
	if !p.crowded(tenant) {
		return 0
	}
	return min(restFactor*worked, longestRest)
}

// Pacer has an export rest between its rows.
type Pacer struct {
	pool   *shared
	tenant uuid.UUID
	since  time.Time
}

// Pacer returns the pacer of an export that begins now.
func (c *Cells) Pacer(ctx context.Context, tenant uuid.UUID) *Pacer {
	return &Pacer{pool: c.pools[marked(ctx, reads)], tenant: tenant, since: time.Now()}
}

// Rest waits if the export has worked for a while and many others of the tenant wait for their turn.
func (p *Pacer) Rest(ctx context.Context) error {
	worked := time.Since(p.since)
	if worked < piece {
		return nil
	}
	if rest := p.pool.rest(p.tenant, worked); rest > 0 {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(rest):
		}
	}
	p.since = time.Now()
	return nil
}
