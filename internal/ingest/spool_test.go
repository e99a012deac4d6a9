package ingest

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/quayside/quayside/internal/fault"
	"github.com/quayside/quayside/internal/pg/pgtest"
	"github.com/quayside/quayside/internal/registry"
	"github.com/quayside/quayside/internal/spool"
	"github.com/quayside/quayside/internal/telemetry"
)

// spoolStand is a service with a spool. The test decides whether PostgreSQL takes dead letters.
type spoolStand struct {
	stand
	root  string
	spool *spool.Spool
	log   *strings.Builder
}

func newSpoolStand(t *testing.T, limit int64) *spoolStand {
	t.Helper()
	st := &spoolStand{root: t.TempDir(), log: &strings.Builder{}}
	st.spool = spool.New(st.root, limit)
	require.NoError(t, st.spool.Open())
	db := pgtest.New(t)
	s := New(db.Cells, registry.New(db.Cells), slog.New(slog.NewTextHandler(st.log, nil)), telemetry.NewMetrics(),
		Config{Lanes: 2, Queued: 1000, Spool: st.spool})
	t.Cleanup(func() { s.Close(); require.NoError(t, st.spool.Close()) })
	st.stand = stand{t, s, db, pgtest.NewTenant(t, db)}
	return st
}

func (st *spoolStand) exec(sql string) {
	st.t.Helper()
	_, err := st.db.Owner(st.t).Exec(st.t.Context(), sql)
	require.NoError(st.t, err)
}

func (st *spoolStand) refuseLetters() {
	st.exec("REVOKE INSERT ON workspace.failed_imports FROM quayside_app")
}
func (st *spoolStand) takeLetters() {
	st.exec("GRANT INSERT ON workspace.failed_imports TO quayside_app")
}

// bad sends a record that is refused, and returns the answer's status.
func (st *spoolStand) bad(id, request string) int {
	st.t.Helper()
	body := fmt.Sprintf(`{"external_id":%q,"name":"x","lead_time_days":"canary"}`, id)
	_, err := st.s.Write(st.t.Context(), Record{By: st.by(), Slug: "suppliers", Body: []byte(body), RequestID: request})
	require.Error(st.t, err)
	status, _ := fault.Public(err)
	return status
}

// failures returns the stored dead letters, without their times.
func (st *spoolStand) failures() []string {
	st.t.Helper()
	admin := st.db.Admin(st.t)
	defer func() { require.NoError(st.t, admin.Close(st.t.Context())) }()
	rows, err := admin.Query(st.t.Context(), `SELECT record_key || ' ' || status || ' ' || seen || ' ' || request_id
		FROM workspace.failed_imports ORDER BY record_key, id`)
	require.NoError(st.t, err)
	defer rows.Close()
	var lines []string
	for rows.Next() {
		var line string
		require.NoError(st.t, rows.Scan(&line))
		lines = append(lines, line)
	}
	require.NoError(st.t, rows.Err())
	return lines
}

func (st *spoolStand) requireHeld(want int) {
	st.t.Helper()
	held, _ := st.spool.Held()
	require.Equal(st.t, want, held)
}

// crashAfterLoading loads every file of the spool twice: the first time, it calls meanwhile
// and crashes before the file is deleted.
func (st *spoolStand) crashAfterLoading(meanwhile func()) {
	st.t.Helper()
	crash := errors.New("crash")
	loaded := map[string]bool{}
	for crashed := true; crashed; {
		err := st.spool.Drain(st.t.Context(), func(entries [][]byte) ([][]byte, error) {
			refused, err := st.s.load(st.t.Context(), entries, map[storedRecord]bool{})
			if !loaded[string(entries[0])] {
				loaded[string(entries[0])] = true
				meanwhile()
				err = errors.Join(err, crash)
			}
			return refused, err
		})
		if crashed = errors.Is(err, crash); !crashed {
			require.NoError(st.t, err)
		}
	}
	require.Greater(st.t, len(loaded), 1, "several files")
}

// TestManyFilesAreResolvedOnce loads letters of the same records from many files. What was stored meanwhile is looked for
// once, not once for every file, because all open letters of a record are compared with all of its events.
func TestManyFilesAreResolvedOnce(t *testing.T) {
	t.Parallel()
	const files = 5
	st := newSpoolStand(t, 1<<20)
	st.refuseLetters()
	for n := range files {
		require.Equal(t, 422, st.bad("later", fmt.Sprintf("r%d", n)))
		require.Equal(t, 422, st.bad("never", fmt.Sprintf("s%d", n)))
		require.Error(t, st.s.LoadSpooled(t.Context())) // the next letters begin a new file
	}
	_, err := st.s.Write(t.Context(), Record{By: st.by(), Slug: "suppliers", Body: []byte(`{"external_id":"later","name":"x","lead_time_days":7}`)})
	require.NoError(t, err)
	// A trigger for statements also counts those that change no row, and an insert that may update.
	_, err = st.db.Admin(t).Exec(t.Context(), `CREATE SEQUENCE public.statements;
		CREATE FUNCTION public.note() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$ BEGIN PERFORM nextval('public.statements'); RETURN NULL; END $$;
		CREATE TRIGGER note AFTER UPDATE ON workspace.failed_imports EXECUTE FUNCTION public.note()`)
	require.NoError(t, err)
	st.takeLetters()
	require.NoError(t, st.s.LoadSpooled(t.Context()))
	require.Equal(t, []string{fmt.Sprintf("later resolved %d r%d", files, files-1), fmt.Sprintf("never open %d s%d", files, files-1)},
		st.failures())
	var statements int
	require.NoError(t, st.db.Admin(t).QueryRow(t.Context(), "SELECT last_value FROM public.statements").Scan(&statements))
	require.Equal(t, files+1, statements)
}

// TestFailedAgainAfterStored: a record that was stored between two of its failures, which reach PostgreSQL together, has failed last.
func TestFailedAgainAfterStored(t *testing.T) {
	t.Parallel()
	st := newSpoolStand(t, 1<<20)
	st.refuseLetters()
	require.Equal(t, 422, st.bad("again", "r1"))
	st.write("suppliers", `{"external_id":"again","name":"x","lead_time_days":7}`)
	require.Equal(t, 422, st.bad("again", "r2"))
	st.takeLetters()
	require.NoError(t, st.s.LoadSpooled(t.Context()))
	require.Equal(t, []string{"again open 2 r2"}, st.failures())
	st.write("suppliers", `{"external_id":"again","name":"y"}`)
	require.NoError(t, st.s.Sweep(t.Context()))
	require.Equal(t, []string{"again open 2 r2"}, st.failures())
}

// TestSpool has PostgreSQL refuse dead letters for a while. Their records are answered as
// usual. The letters are loaded once, with their original times, even if the process dies
// between loading and deleting them.
func TestSpool(t *testing.T) {
	t.Parallel()
	st := newSpoolStand(t, 1<<20)
	require.Equal(t, 422, st.bad("known", "r1"))
	require.Equal(t, 422, st.bad("closed", "r2"))
	require.Equal(t, 422, st.bad("gone", "r3"))
	require.Equal(t, []string{"closed open 1 r2", "gone open 1 r3", "known open 1 r1"}, st.failures())
	_, err := st.db.Admin(t).Exec(t.Context(), `
		UPDATE workspace.failed_imports SET status = 'ignored', closed_at = now() WHERE record_key = 'closed';
		DELETE FROM workspace.failed_imports WHERE record_key = 'gone'`)
	require.NoError(t, err)

	st.refuseLetters()
	started := time.Now().Truncate(time.Microsecond)
	for i, id := range []string{"known", "new", "closed", "new", "new", "known", "single", "later closed"} {
		require.Equal(t, 422, st.bad(id, fmt.Sprintf("s%d", i)), "it is kept, so it is answered as it is")
	}
	ended := time.Now()
	st.requireHeld(8)
	require.NotContains(t, st.log.String(), "canary")
	require.Equal(t, 1, strings.Count(st.log.String(), "they are spooled"))
	require.Error(t, st.s.LoadSpooled(t.Context()))
	st.requireHeld(8)
	st.takeLetters()
	require.Equal(t, 422, st.bad("new", "s8"), "those that wait are followed, so that the order is kept")
	st.requireHeld(9)

	st.crashAfterLoading(func() {
		_, err := st.db.Admin(t).Exec(t.Context(),
			"UPDATE workspace.failed_imports SET status = 'resolved', closed_at = now() WHERE record_key = 'later closed'")
		require.NoError(t, err)
	})
	st.requireHeld(0)
	require.Equal(t, []string{
		"closed ignored 1 r2", "closed open 1 s2", "known open 3 s5", "later closed resolved 1 s7", "new open 4 s8",
		"single open 1 s6",
	}, st.failures(), "loaded twice, there once")

	var first, last time.Time
	require.NoError(t, st.db.Admin(t).QueryRow(t.Context(),
		"SELECT first_seen_at, last_seen_at FROM workspace.failed_imports WHERE record_key = 'new'").Scan(&first, &last))
	require.False(t, first.Before(started) || first.After(ended), "%s is not between %s and %s", first, started, ended)
	require.True(t, last.After(ended))
	require.Equal(t, 422, st.bad("new", "direct"))
	require.Contains(t, st.failures(), "new open 5 direct")
	st.requireHeld(0)
	st.refuseLetters()
	require.Equal(t, 422, st.bad("last", "s9"))
	st.takeLetters()
	require.NoError(t, st.s.LoadSpooled(t.Context()))
	require.Contains(t, st.failures(), "last open 1 s9")
	require.Contains(t, st.log.String(), "spooled dead letters are loaded")
	require.NotContains(t, st.log.String(), "canary")

	st.refuseLetters()
	require.Equal(t, 422, st.bad("stored meanwhile", "s10"))
	st.takeLetters()
	st.write("suppliers", `{"external_id":"stored meanwhile","name":"x","lead_time_days":3}`)
	require.NoError(t, st.s.LoadSpooled(t.Context()))
	require.Contains(t, st.failures(), "stored meanwhile resolved 1 s10", "its event came before its letter")
}

// TestLettersWithUnknownOutcome spools letters that were committed although the write seemed
// to fail. They count once, and an older letter does not overwrite a newer one.
func TestLettersWithUnknownOutcome(t *testing.T) {
	t.Parallel()
	st := newSpoolStand(t, 1<<20)
	letter := func(request string, at time.Time) *envelope {
		l := deadLetter{
			ID: uuid.Must(uuid.NewV7()), Tenant: st.tenant.ID, Workspace: st.tenant.Workspace, Slug: "suppliers",
			Status: 500, Code: "fault", Message: "temporary failure", Payload: []byte("{}"), RecordKey: "k", RequestID: request,
			At: at,
		}
		return &envelope{letter: l, hash: sha256.Sum256(l.Payload)}
	}
	long := time.Now().Add(-time.Hour).Truncate(time.Microsecond)
	made := letter("made", long)
	require.NoError(t, st.s.toDatabase([]*envelope{made}, nil))
	require.NoError(t, st.s.toSpool([]*envelope{made}, nil))
	require.NoError(t, st.s.LoadSpooled(t.Context()))
	require.Equal(t, []string{"k open 1 made"}, st.failures())

	require.NoError(t, st.s.toSpool([]*envelope{made, letter("older", long.Add(time.Minute)),
		letter("ahead", time.Now().Add(time.Hour))}, nil))
	require.NoError(t, st.s.LoadSpooled(t.Context()))
	require.Equal(t, []string{"k open 3 ahead"}, st.failures())
	require.NoError(t, st.s.toSpool([]*envelope{letter("oldest", long.Add(-time.Hour))}, nil))
	require.NoError(t, st.s.LoadSpooled(t.Context()))
	require.Equal(t, []string{"k open 4 ahead"}, st.failures())
	var first, last time.Time
	require.NoError(t, st.db.Admin(t).QueryRow(t.Context(),
		"SELECT first_seen_at, last_seen_at FROM workspace.failed_imports").Scan(&first, &last))
	require.True(t, first.Equal(long.Add(-time.Hour)), first)
	require.False(t, last.After(time.Now()), "a clock that is ahead does not make it later than now")
}

// TestLettersThatNobodyTakes checks that letters that PostgreSQL can never store are set aside
// and do not block the others.
func TestLettersThatNobodyTakes(t *testing.T) {
	t.Parallel()
	st := newSpoolStand(t, 1<<20)
	st.refuseLetters()
	require.Equal(t, 422, st.bad("before", "r1"))
	poison, err := json.Marshal(deadLetter{ID: uuid.New(), Tenant: st.tenant.ID, Workspace: st.tenant.Workspace,
		Slug: "suppliers\x00", Status: 422, Payload: []byte("{}")})
	require.NoError(t, err)
	require.NoError(t, st.spool.Append(t.Context(), []byte("no JSON"), poison))
	require.Equal(t, 422, st.bad("after", "r2"))
	st.takeLetters()
	require.NoError(t, st.s.LoadSpooled(t.Context()))
	st.requireHeld(0)
	require.Equal(t, []string{"after open 1 r2", "before open 1 r1"}, st.failures())
	found, err := spool.Look(st.root)
	require.NoError(t, err)
	require.Len(t, found.SetAside, 1)
	require.Contains(t, st.log.String(), "set aside")
}

// TestNotKept checks that a refused record is answered with a 503 if neither PostgreSQL nor
// the spool can keep it.
func TestNotKept(t *testing.T) {
	t.Parallel()
	st := newSpoolStand(t, 900)
	st.refuseLetters()
	require.Equal(t, 422, st.bad("one", "r1"))
	require.Equal(t, 503, st.bad("two", "r2"), "the spool is full")
	_, err := st.s.Write(t.Context(), Record{By: st.by(), Slug: "suppliers",
		Body: []byte(`{"external_id":"x","lead_time_days":"canary"}`), RequestID: "r"})
	require.ErrorIs(t, err, spool.ErrFull)
	_, public := fault.Public(err)
	require.Equal(t, "temporarily unavailable; the record was not kept, send it again", public.Message)
	require.NotContains(t, err.Error(), "canary", "the log shows why")

	st.takeLetters()
	require.Equal(t, 422, st.bad("three", "r3"), "when the spool is full, PostgreSQL may take it")
	require.Equal(t, []string{"three open 1 r3"}, st.failures())
	require.NoError(t, st.s.LoadSpooled(t.Context()))
	require.Len(t, st.failures(), 2)

	st.refuseLetters()
	require.NoError(t, st.spool.Close())
	require.Equal(t, 503, st.bad("four", "r4"), "no spool")
}

// TestNoRoomInTheLane checks that a dead letter is spooled if its lane is full or closed.
func TestNoRoomInTheLane(t *testing.T) {
	t.Parallel()
	st := newSpoolStand(t, 1<<20)
	st.s.letters.close()
	require.Equal(t, 422, st.bad("late", "r1"))
	st.requireHeld(1)
	require.NoError(t, st.s.LoadSpooled(t.Context()))
	require.Equal(t, []string{"late open 1 r1"}, st.failures())
}

// TestTallied checks that repeats are counted together, in any order.
func TestTallied(t *testing.T) {
	t.Parallel()
	at := func(second int, payload string) deadLetter {
		return deadLetter{ID: uuid.New(), Slug: "s", Payload: []byte(payload), At: time.Unix(int64(second), 0)}
	}
	letters := []deadLetter{at(5, "a"), at(1, "b"), at(3, "a"), at(7, "a"), at(6, "a")}
	tallies := tallyRepeats(letters)
	require.Len(t, tallies, 2)
	require.Equal(t, letters[0].ID, tallies[0].id)
	require.Equal(t, letters[3], tallies[0].latest)
	require.Equal(t, []int64{4, 3, 7}, []int64{tallies[0].seen, tallies[0].first.Unix(), tallies[0].last.Unix()})
}
