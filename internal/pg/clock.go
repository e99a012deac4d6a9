package pg

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// Clock translates this process's time into that of the database behind one connection.
//
// It compares the database's clock with the time that has passed in this process, which
// no setting of the machine's clock changes. It holds what was measured last, so when
// either side stood still or its clock jumped since then, a translated time is in the
// database's past, or is put right by the next measurement.
type Clock struct {
	epochThere time.Time // the database's time at epoch
}

// epoch is a moment of this process, with a monotonic reading.
var epoch = time.Now()

// There is a moment of this process as the database's clock would have shown it.
func (c Clock) There(here time.Time) time.Time { return c.epochThere.Add(here.Sub(epoch)) }

const clockMark = "quayside.clock"

// slowestMeasure is how long a measurement may take before it says too little.
const slowestMeasure = time.Second

// clockOf is the clock of a connection.
func clockOf(conn *pgconn.PgConn) Clock {
	clock, _ := conn.CustomData()[clockMark].(Clock)
	return clock
}

// setClock takes a measurement: the database said there at some time since asked. One that
// took long is passed over, unless it is the first.
func setClock(conn *pgconn.PgConn, asked, there time.Time) {
	took := time.Since(asked)
	if _, measured := conn.CustomData()[clockMark]; measured && took > slowestMeasure {
		return
	}
	conn.CustomData()[clockMark] = Clock{there.Add(-asked.Add(took / 2).Sub(epoch))}
}

// readClock measures the clock of a new connection.
func readClock(ctx context.Context, conn *pgx.Conn) error {
	asked := time.Now()
	var there time.Time
	if err := conn.QueryRow(ctx, "SELECT clock_timestamp()").Scan(&there); err != nil {
		return err
	}
	setClock(conn.PgConn(), asked, there)
	return nil
}
