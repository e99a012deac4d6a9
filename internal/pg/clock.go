package pg

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// Clock translates this process's time into that of the database behind one connection.
//
// It compares the database's clock with this process's monotonic clock, which does not change
// when the machine's clock is set. It uses the last measurement. If either side stood still or
// its clock jumped since then, a translated time lies in the database's past, or the next
// measurement corrects it.
type Clock struct {
	epochThere time.Time // the database's time at epoch
}

// epoch is a moment of this process, with a monotonic reading.
var epoch = time.Now()

// There translates a moment of this process into the database's time.
func (c Clock) There(here time.Time) time.Time { return c.epochThere.Add(here.Sub(epoch)) }

const clockMark = "quayside.clock"

// slowestMeasure is how long a measurement may take to be precise enough.
const slowestMeasure = time.Second

// clockOf returns the clock of a connection.
func clockOf(conn *pgconn.PgConn) Clock {
	clock, _ := conn.CustomData()[clockMark].(Clock)
	return clock
}

// setClock stores a measurement: the database's clock showed there at some time after asked. A
// slow measurement is ignored, unless it is the first.
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
