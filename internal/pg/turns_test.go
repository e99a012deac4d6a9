//race:detect jobs run at the same time
package pg_test

import (
	"context"
	"encoding/json"
	"log/slog"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/riverqueue/river"
	"github.com/stretchr/testify/require"

	"github.com/quayside/quayside/internal/job"
	"github.com/quayside/quayside/internal/pg"
	"github.com/quayside/quayside/internal/pg/pgtest"
)

const turnQueue = "imports"

// jobTable is the table of jobs, of which each has a time of its own at which it is due.
type jobTable struct {
	t     *testing.T
	db    *pgtest.DB
	admin *pgx.Conn
	due   int // milliseconds after an hour ago
}

func newJobTable(t *testing.T) *jobTable {
	t.Helper()
	db := pgtest.New(t)
	return &jobTable{t: t, db: db, admin: db.Admin(t)}
}

// add inserts a job of a company, which is due after all others.
func (j *jobTable) add(company string) (id int64) {
	j.t.Helper()
	j.due++
	require.NoError(j.t, j.admin.QueryRow(j.t.Context(), `INSERT INTO river.river_job (kind, queue, args, max_attempts, scheduled_at)
		VALUES ('test', $1, jsonb_build_object('tenant', $2::text), 25, now() - interval '1 hour' + $3 * interval '1 millisecond') RETURNING id`,
		turnQueue, company, j.due).Scan(&id))
	return id
}

func (j *jobTable) exec(sql string, args ...any) {
	j.t.Helper()
	_, err := j.admin.Exec(j.t.Context(), sql, args...)
	require.NoError(j.t, err)
}

// end ends a running job, or lets it wait for its next slice behind all others.
func (j *jobTable) end(id int64, more bool) {
	j.t.Helper()
	if !more {
		j.exec("UPDATE river.river_job SET state = 'completed', finalized_at = now() WHERE id = $1", id)
		return
	}
	j.due++
	j.exec(`UPDATE river.river_job SET state = 'available', scheduled_at = now() - interval '1 hour' + $2 * interval '1 millisecond'
		WHERE id = $1`, id, j.due)
}

func (j *jobTable) take(instance string, most int) []int64 {
	j.t.Helper()
	ids, err := j.db.TakeTurns(j.t.Context(), turnQueue, instance, most)
	require.NoError(j.t, err)
	return ids
}

// queueModel says in plain Go whose turn it is.
type queueModel struct {
	waiting map[string][]int64 // by company, in their order
	running map[int64]string
	served  map[string]int // the number of a company's last turn
	turns   int
	since   map[string]map[string]int // how often others were served while a company waits and has nothing that runs
}

func (m *queueModel) runs(company string) (count int) {
	for _, other := range m.running {
		if other == company {
			count++
		}
	}
	return count
}

// next takes the job whose turn it is, or 0.
func (m *queueModel) next() int64 {
	best := ""
	for company, ids := range m.waiting {
		if len(ids) == 0 {
			continue
		}
		if best == "" {
			best = company
			continue
		}
		switch a, b := m.runs(company), m.runs(best); {
		case a != b:
			if a < b {
				best = company
			}
		case m.served[company] != m.served[best]:
			if m.served[company] < m.served[best] {
				best = company
			}
		case ids[0] < m.waiting[best][0]:
			best = company
		}
	}
	if best == "" {
		return 0
	}
	id := m.waiting[best][0]
	m.waiting[best] = m.waiting[best][1:]
	m.turns++
	m.served[best] = m.turns
	m.running[id] = best
	return id
}

// told notes that a company got a turn, and returns who has been passed over by it twice.
func (m *queueModel) told(company string) (overtaken []string) {
	delete(m.since, company)
	for other, ids := range m.waiting {
		if len(ids) == 0 || m.runs(other) > 0 {
			delete(m.since, other)
			continue
		}
		if m.since[other] == nil {
			m.since[other] = map[string]int{}
		}
		if m.since[other][company]++; m.since[other][company] > 1 {
			overtaken = append(overtaken, other)
		}
	}
	return overtaken
}

// TestTurns lets jobs of six companies arrive, be taken by two instances, end and hand over at random. Each job that is
// taken is the one whose turn it is, and no company gets a second turn while another waits for its first place.
func TestTurns(t *testing.T) {
	t.Parallel()
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	j := newJobTable(t)
	m := &queueModel{waiting: map[string][]int64{}, running: map[int64]string{}, served: map[string]int{},
		since: map[string]map[string]int{}}
	companies := []string{"a", "b", "c", "d", "e", "f"}
	for range 400 {
		switch random.IntN(4) {
		case 0:
			company := companies[min(random.IntN(len(companies)), random.IntN(len(companies)))] // some have more than others
			for range 1 + random.IntN(4) {
				m.waiting[company] = append(m.waiting[company], j.add(company))
			}
		case 1, 2:
			most := 1 + random.IntN(3)
			var want []int64
			for range most {
				id := m.next()
				if id == 0 {
					break
				}
				want = append(want, id)
				require.Empty(t, m.told(m.running[id]), "who waits was passed over twice by the same company")
			}
			require.Equal(t, want, j.take([]string{"one", "two"}[random.IntN(2)], most))
		case 3:
			for id, company := range m.running {
				more := random.IntN(3) == 0
				j.end(id, more)
				delete(m.running, id)
				if more {
					m.waiting[company] = append(m.waiting[company], id)
				}
				break
			}
		}
	}
}

// TestTurnsOfInstances takes jobs by four instances at once. No job is taken twice, and the companies are served in
// turn, as if one instance had done it.
func TestTurnsOfInstances(t *testing.T) {
	t.Parallel()
	j := newJobTable(t)
	const companies, each = 5, 12
	for c := range companies {
		for range each {
			j.add(string(rune('a' + c)))
		}
	}
	var (
		working sync.WaitGroup
		mu      sync.Mutex
		taken   []int64
	)
	for _, instance := range []string{"one", "two", "three", "four"} {
		working.Go(func() {
			for {
				ids, err := j.db.TakeTurns(t.Context(), turnQueue, instance, 1)
				if err != nil || len(ids) == 0 {
					if err != nil {
						t.Error(err)
					}
					return
				}
				mu.Lock()
				taken = append(taken, ids...)
				mu.Unlock()
			}
		})
	}
	working.Wait()
	slices.Sort(taken)
	require.Len(t, slices.Compact(taken), companies*each)
	rows, err := j.admin.Query(t.Context(), `SELECT args ->> 'tenant' FROM river.river_job ORDER BY attempted_at`)
	require.NoError(t, err)
	order, err := pgx.CollectRows(rows, pgx.RowTo[string])
	require.NoError(t, err)
	for round := range slices.Chunk(order, companies) {
		slices.Sort(round)
		require.Equal(t, []string{"a", "b", "c", "d", "e"}, round)
	}
}

// TestTurnsAfterACrash checks that what a dead instance had taken does not count against its company for longer than a
// job may run.
func TestTurnsAfterACrash(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		age  string
		want string
	}{
		"it may still run": {"50 seconds", "b"},
		"it is dead":       {"61 seconds", "a"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			j := newJobTable(t)
			ids := map[string]int64{"a": j.add("a")}
			require.Equal(t, []int64{ids["a"]}, j.take("one", 1))
			j.exec("UPDATE river.river_job SET attempted_at = now() - $1::text::interval", tt.age)
			served := j.add("b")
			require.Equal(t, []int64{served}, j.take("two", 1))
			j.end(served, false)
			ids["a"], ids["b"] = j.add("a"), j.add("b")
			require.Equal(t, []int64{ids[tt.want]}, j.take("two", 1))
		})
	}
}

// TestWanted tells a running job whether it should make room.
func TestWanted(t *testing.T) {
	t.Parallel()
	j := newJobTable(t)
	running := j.add("a")
	require.Equal(t, []int64{running}, j.take("one", 1))
	wanted := func() bool { return j.db.Wanted(t.Context(), turnQueue) }
	require.False(t, wanted(), "nobody waits")
	j.add("a")
	require.False(t, wanted(), "the same company waits")
	other := j.add("b")
	j.exec("UPDATE river.river_job SET queue = 'mails' WHERE id = $1", other)
	require.False(t, wanted(), "it waits in another queue")
	j.exec("UPDATE river.river_job SET queue = $2, scheduled_at = now() + interval '1 minute' WHERE id = $1", other, turnQueue)
	require.False(t, wanted(), "it is not due")
	j.exec("UPDATE river.river_job SET scheduled_at = now() + interval '1 second' - interval '1 second' WHERE id = $1", other)
	require.False(t, wanted(), "an instance with a place free is about to take it")
	j.exec("UPDATE river.river_job SET scheduled_at = now() - interval '1 second' WHERE id = $1", other)
	require.True(t, wanted())
	require.Equal(t, []int64{other}, j.take("two", 1))
	j.add("b")
	require.False(t, wanted(), "the other company has a place")
	j.exec("UPDATE river.river_job SET attempted_at = now() - interval '61 seconds' WHERE id = $1", other)
	require.True(t, wanted(), "the instance that took it is dead")
}

// TestTurnsDoNotGrow chooses among four companies, one of which has 20,000 jobs. What is read does not depend on them.
func TestTurnsDoNotGrow(t *testing.T) {
	t.Parallel()
	j := newJobTable(t)
	j.exec(`INSERT INTO river.river_job (kind, queue, args, max_attempts, scheduled_at)
		SELECT 'test', 'imports', jsonb_build_object('tenant', 'a', 'n', n), 25, now() - interval '1 hour' FROM generate_series(1, 20000) n`)
	for _, company := range []string{"b", "c", "d"} {
		j.add(company)
	}
	for _, analyzed := range []bool{false, true} {
		if analyzed {
			j.exec("ANALYZE river.river_job")
		}
		for range 2 {
			require.Less(t, j.read(), 400, "pages; the table has thousands")
		}
	}
}

// read takes one job and returns how many pages that read.
func (j *jobTable) read() int {
	j.t.Helper()
	var text []byte
	require.NoError(j.t, pgx.BeginFunc(j.t.Context(), j.admin, func(tx pgx.Tx) error {
		return tx.QueryRow(j.t.Context(), "EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) "+pg.TakeTurn, turnQueue, "one", time.Minute).Scan(&text)
	}))
	var plans []struct {
		Plan struct {
			Hit  int `json:"Shared Hit Blocks"`
			Read int `json:"Shared Read Blocks"`
		}
	}
	require.NoError(j.t, json.Unmarshal(text, &plans))
	return plans[0].Plan.Hit + plans[0].Plan.Read
}

// TestCountJobs counts jobs by queue and state. A queue without jobs has zeros.
func TestCountJobs(t *testing.T) {
	t.Parallel()
	j := newJobTable(t)
	for range 3 {
		j.add("a")
	}
	j.take("one", 1)
	told := map[string]int64{}
	require.NoError(t, j.db.CountJobs(t.Context(), []string{turnQueue, "mails"}, func(queue, state string, count int64, oldest time.Duration) {
		told[queue+" "+state] = count
		require.Equal(t, count > 0, oldest > 59*time.Minute, "%s %s", queue, state)
	}))
	require.Equal(t, map[string]int64{"imports available": 2, "imports running": 1, "imports retryable": 0, "imports scheduled": 0,
		"imports discarded": 0, "mails available": 0, "mails running": 0, "mails retryable": 0, "mails scheduled": 0, "mails discarded": 0}, told)
}

// turnJob is a job of a company, done by a function of the test.
type turnJob struct {
	Tenant uuid.UUID `json:"tenant"`
	Name   string    `json:"name"`
}

func (turnJob) Kind() string                 { return "turn_test" }
func (turnJob) InsertOpts() river.InsertOpts { return job.In(turnQueue) }

// start works on jobs with one place, as an instance does.
func (j *jobTable) start(work func(context.Context, turnJob) error) {
	j.t.Helper()
	workers := river.NewWorkers()
	river.AddWorker(workers, river.WorkFunc(func(ctx context.Context, task *river.Job[turnJob]) error { return work(ctx, task.Args) }))
	ctx, stop := context.WithCancel(j.t.Context())
	wait, err := j.db.StartJobs(ctx, workers, map[string]river.QueueConfig{turnQueue: {MaxWorkers: 1}}, job.Shared,
		slog.New(slog.DiscardHandler))
	require.NoError(j.t, err)
	j.t.Cleanup(func() { stop(); wait() })
}

func (j *jobTable) enqueue(jobs ...turnJob) {
	j.t.Helper()
	require.NoError(j.t, j.db.InTenant(j.t.Context(), jobs[0].Tenant, func(tx pgx.Tx) error {
		for _, one := range jobs {
			if err := pg.Enqueue(j.t.Context(), tx, one); err != nil {
				return err
			}
		}
		return nil
	}))
}

func await[T any](t *testing.T, from <-chan T) T {
	t.Helper()
	select {
	case got := <-from:
		return got
	case <-time.After(time.Minute):
		require.FailNow(t, "nothing came")
		panic("unreachable")
	}
}

// TestJobsTakeTurns enqueues 152 jobs of a company, and then one of another, which is the next.
func TestJobsTakeTurns(t *testing.T) {
	t.Parallel()
	j := newJobTable(t)
	begun, goOn := make(chan string, 200), make(chan struct{})
	j.start(func(_ context.Context, task turnJob) error {
		begun <- task.Name
		<-goOn
		return nil
	})
	t.Cleanup(func() { close(goOn) })
	crowd := make([]turnJob, 152)
	for i := range crowd {
		crowd[i] = turnJob{uuid.UUID{1}, "crowd " + string(rune('a'+i))}
	}
	j.enqueue(crowd...)
	await(t, begun)
	j.enqueue(turnJob{uuid.UUID{2}, "lone"})
	goOn <- struct{}{}
	require.Equal(t, "lone", await(t, begun))
}

// TestASliceMakesRoom runs four jobs of a company that never end, and then one of another: it begins after one slice.
func TestASliceMakesRoom(t *testing.T) {
	t.Parallel()
	j := newJobTable(t)
	begun := make(chan string, 200)
	j.start(func(ctx context.Context, task turnJob) error {
		begun <- task.Name
		if task.Name == "lone" {
			return nil
		}
		for turn := job.BeginTurn(); !turn.Over(ctx) && ctx.Err() == nil; {
			time.Sleep(10 * time.Millisecond) // it works
		}
		return river.JobSnooze(0)
	})
	long := uuid.UUID{1}
	j.enqueue(turnJob{long, "one"}, turnJob{long, "two"}, turnJob{long, "three"}, turnJob{long, "four"})
	await(t, begun)
	asked := time.Now()
	j.enqueue(turnJob{uuid.UUID{2}, "lone"})
	require.Equal(t, "lone", await(t, begun))
	require.Less(t, time.Since(asked), job.Slice/2, "the slice did not run to its end")
}
