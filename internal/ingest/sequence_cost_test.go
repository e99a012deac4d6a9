package ingest

import (
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/quayside/quayside/internal/pg/pgtest"
)

// TestSequenceCost measures the processor time of a record, of this process and of PostgreSQL's together, with and without
// sequences. It writes batches of as many records as a lane takes at most, in QUAYSIDE_SEQUENCE_COST rounds. PostgreSQL has
// to run on this machine.
func TestSequenceCost(t *testing.T) { //nolint:paralleltest // it measures processor time
	rounds, _ := strconv.Atoi(os.Getenv("QUAYSIDE_SEQUENCE_COST"))
	if rounds == 0 {
		t.Skip("set QUAYSIDE_SEQUENCE_COST to a number of rounds, such as 9")
	}
	s, db := newService(t)
	st := stand{t, s, db, pgtest.NewTenant(t, db)}
	const batches = 20
	table, err := s.registry.Table(t.Context(), st.tenant.ID, "orders")
	require.NoError(t, err)
	send := func(with bool, round, sequence, total int) float64 {
		before := processorTime(t, db)
		for batch := range batches {
			tickets := make([]*ticket, 0, mostRecords)
			for n := range mostRecords {
				fields, err := decode(fmt.Appendf(nil, `{"external_id":"%v-%d-%d","order_number":"#%d","ordered_at":"2026-01-01T00:00:00Z",`+
					`"status":"open","currency":"EUR","total":%d}`, with, round, batch*mostRecords+n, n, total))
				require.NoError(t, err)
				record := Record{By: st.by(), RequestID: "test"}
				if with {
					record.Sequence = strconv.Itoa(sequence)
				}
				clean := sanitize(table, fields, time.UTC, false)
				clean.order(&record, time.Now())
				tickets = append(tickets, &ticket{clean: clean, mode: write, record: record})
			}
			s.flush(tickets)()
			for _, ticket := range tickets {
				require.NoError(t, ticket.err)
			}
		}
		return (processorTime(t, db) - before).Seconds() * 1e6 / (batches * mostRecords)
	}
	parts := []string{"new", "changed", "unchanged", "unchanged, later", "stale"}
	costs := map[string]*[2][]float64{}
	for _, part := range parts {
		costs[part] = &[2][]float64{}
	}
	for round := range rounds + 1 {
		for _, i := range []int{round % 2, 1 - round%2} { // the rounds alternate which one goes first
			with := i == 1
			for _, part := range []struct {
				name            string
				sequence, total int
			}{{"new", 1, 1}, {"changed", 2, 2}, {"unchanged", 2, 2}, {"unchanged, later", 3, 2}, {"stale", 1, 3}} {
				cost := send(with, round, part.sequence, part.total)
				if round > 0 { // the first round prepares the statements
					costs[part.name][i] = append(costs[part.name][i], cost)
				}
			}
		}
	}
	for _, part := range parts {
		for i := range 2 {
			slices.Sort(costs[part][i])
		}
		without, with := costs[part][0], costs[part][1]
		t.Logf("%-17s without %4.0f µs (%.0f to %.0f), with %4.0f µs (%.0f to %.0f)", part, without[len(without)/2], without[0],
			without[len(without)-1], with[len(with)/2], with[0], with[len(with)-1])
	}
}

// processorTime returns what this process and those of the database have used.
func processorTime(t *testing.T, db *pgtest.DB) time.Duration {
	t.Helper()
	var used syscall.Rusage
	require.NoError(t, syscall.Getrusage(syscall.RUSAGE_SELF, &used))
	sum := time.Duration(used.Utime.Nano() + used.Stime.Nano())
	rows, err := db.Admin(t).Query(t.Context(), "SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()")
	require.NoError(t, err)
	pids, err := pgx.CollectRows(rows, pgx.RowTo[int])
	require.NoError(t, err)
	for _, pid := range pids {
		text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		if err != nil {
			continue // it has ended
		}
		fields := strings.Fields(string(text[strings.LastIndexByte(string(text), ')')+2:]))
		for _, field := range fields[11:13] { // utime and stime, in hundredths of a second
			ticks, err := strconv.Atoi(field)
			require.NoError(t, err)
			sum += time.Duration(ticks) * 10 * time.Millisecond
		}
	}
	return sum
}
