package service_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/quayside/quayside/test/rig"
)

// stream sends records one after the other until it is stopped, and keeps the answers.
type stream struct {
	mu       sync.Mutex
	statuses map[int]int
	oks      atomic.Int64
	last     time.Time
	gap      time.Duration // the longest time without a success
	wait     time.Duration // the longest time until an answer
}

// start sends the records that body returns, from several clients.
func (s *site) start(base, slug, key string, stop chan struct{}, sending *sync.WaitGroup,
	body func(client, n int) string) *stream {
	st := &stream{statuses: map[int]int{}, last: time.Now()}
	for client := range 4 {
		sending.Go(func() {
			c := newCaller(time.Minute)
			for n := 0; ; n++ {
				select {
				case <-stop:
					return
				default:
				}
				sent := time.Now()
				status, _ := c.post(base, slug, key, body(client, n))
				st.note(status, time.Since(sent))
			}
		})
	}
	return st
}

func (st *stream) note(status int, wait time.Duration) {
	st.mu.Lock()
	defer st.mu.Unlock()
	st.wait = max(st.wait, wait)
	st.statuses[status]++
	if status != http.StatusOK {
		return
	}
	st.oks.Add(1)
	st.gap = max(st.gap, time.Since(st.last))
	st.last = time.Now()
}

// answers returns how often each status was answered so far, and the longest gap.
func (st *stream) answers() (map[int]int, time.Duration) {
	st.mu.Lock()
	defer st.mu.Unlock()
	return st.statuses, max(st.gap, time.Since(st.last))
}

// TestALockCostsItsOwnRecordsOnly holds locks for a while: records that are not locked are
// stored as usual.
//
//race:detect
func TestALockCostsItsOwnRecordsOnly(t *testing.T) {
	t.Parallel()
	// How long other records may wait, once: two lock timeouts, and some time for a busy
	// machine. A single record must not wait for the lock to go, which is held longer than that.
	const longestGap, longestWait = 4 * time.Second, 8 * time.Second
	for _, tt := range []struct{ name, lock, innocents string }{
		{"a table", "LOCK TABLE workspace.suppliers IN ACCESS EXCLUSIVE MODE", "customers"},
		{"a row", "SELECT FROM workspace.suppliers WHERE external_id = 'held' FOR UPDATE", "suppliers"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := newSite(t)
			p := rig.Serve(t, append(s.server.Env, "QUAYSIDE_LANES=2", "QUAYSIDE_MAX_WAIT=30s"))
			key := s.key("*").Key
			s.unlimited()
			status, answer := post(p.URL, "suppliers", key, `{"external_id":"held","name":"x"}`)
			require.Equal(t, http.StatusOK, status, answer)

			stop := make(chan struct{})
			var sending sync.WaitGroup
			held := s.start(p.URL, "suppliers", key, stop, &sending, func(client, n int) string {
				return fmt.Sprintf(`{"external_id":"held","name":"x%d-%d"}`, client, n)
			})
			innocents := s.start(p.URL, tt.innocents, key, stop, &sending, func(client, n int) string {
				return fmt.Sprintf(`{"external_id":"free-%d-%d","name":"x"}`, client, n%50)
			})
			waitFor(t, "traffic", func() bool { return held.oks.Load() > 20 && innocents.oks.Load() > 20 })

			holder, err := pgx.Connect(t.Context(), s.server.AdminURL())
			require.NoError(t, err)
			tx, err := holder.Begin(t.Context())
			require.NoError(t, err)
			_, err = tx.Exec(t.Context(), tt.lock)
			require.NoError(t, err)
			locked, before := time.Now(), innocents.oks.Load()
			waitFor(t, "successes of innocents", func() bool {
				return innocents.oks.Load() > before+200 && time.Since(locked) > longestWait+time.Second
			})
			during := held.oks.Load()
			require.NoError(t, tx.Rollback(t.Context()))
			waitFor(t, "successes after the lock", func() bool { return held.oks.Load() > during+20 })
			close(stop)
			sending.Wait()

			statuses, gap := innocents.answers()
			require.Less(t, innocents.wait, longestWait, "a record waited")
			require.Equal(t, []int{http.StatusOK}, keysOf(statuses), "innocents' answers: %v", statuses)
			require.Less(t, gap, longestGap, "innocents waited")
			statuses, _ = held.answers()
			require.Subset(t, []int{http.StatusOK, http.StatusServiceUnavailable}, keysOf(statuses), "%v", statuses)
			require.NotZero(t, statuses[http.StatusServiceUnavailable])
			require.NotContains(t, p.Log(), "3B001")
			require.Zero(t, s.count("SELECT count(*) FROM workspace.failed_imports"))
			t.Logf("innocents: %d successes, longest gap %s; held: %v", innocents.oks.Load(), gap, statuses)
		})
	}
}

func keysOf(statuses map[int]int) (keys []int) {
	for status := range statuses {
		keys = append(keys, status)
	}
	return keys
}

// TestAFrozenProcessOverwritesNothing freezes one of two processes under traffic. Its callers
// give up and send their next value to the other. When it continues, no abandoned value may be
// stored.
//
//race:detect
func TestAFrozenProcessOverwritesNothing(t *testing.T) {
	t.Parallel()
	const clients, patience, frozenFor = 32, 3 * time.Second, 12 * time.Second
	s := newSite(t)
	frozen, other := rig.Serve(t, s.server.Env), rig.Serve(t, s.server.Env)
	key := s.key("*").Key
	s.unlimited()

	var gaveUp, warm atomic.Int64
	var freeze sync.Once
	stopped := make(chan struct{})
	acked := make([]int, clients) // the last value that each client knows to be stored
	var working sync.WaitGroup
	for client := range clients {
		working.Go(func() {
			c := newCaller(patience)
			for value := 1; ; value++ {
				body := fmt.Sprintf(`{"external_id":"F%d","name":"x","note":"%d"}`, client, value)
				status, _ := c.post(frozen.URL, "suppliers", key, body)
				if status == http.StatusOK {
					if acked[client] = value; warm.Add(1) > 20*clients {
						freeze.Do(func() { frozen.Freeze(); close(stopped) })
					}
					continue
				}
				if status != 0 {
					t.Errorf("answer %d", status)
					return
				}
				gaveUp.Add(1)
				value++
				body = fmt.Sprintf(`{"external_id":"F%d","name":"x","note":"%d"}`, client, value)
				if status, _ := c.post(other.URL, "suppliers", key, body); status != http.StatusOK {
					t.Errorf("the other process answered %d", status)
				}
				acked[client] = value
				return
			}
		})
	}
	<-stopped
	thaw := time.After(frozenFor)
	working.Wait()
	require.EqualValues(t, clients, gaveUp.Load())
	<-thaw
	frozen.Thaw()
	frozen.WaitReady()
	require.Zero(t, frozen.Terminate(), "it stores what it will store")
	for client, want := range acked {
		var note int
		require.NoError(t, s.admin.QueryRow(t.Context(), "SELECT note::int FROM workspace.suppliers WHERE external_id = $1",
			fmt.Sprintf("F%d", client)).Scan(&note))
		require.Equal(t, want, note, "client %d was told that %d is stored", client, want)
	}
}

// commitsWait waits until commits wait for the standby. The checkpointer tells them to, and it may learn of the setting later than
// every session.
func (s *site) commitsWait() {
	s.t.Helper()
	ctx := s.t.Context()
	other, err := pgx.Connect(ctx, s.server.AdminURL())
	require.NoError(s.t, err)
	defer func() { _ = other.Close(context.WithoutCancel(ctx)) }()
	waitFor(s.t, "a commit that waits", func() bool {
		committed := make(chan error, 1)
		go func() {
			_, err := other.Exec(ctx, "SELECT pg_logical_emit_message(true, 'a commit', '')")
			committed <- err
		}()
		for waited := false; ; {
			waited = s.count("SELECT count(pg_cancel_backend(pid)) FROM pg_stat_activity WHERE wait_event = 'SyncRep'") > 0 || waited
			select {
			case err := <-committed:
				require.NoError(s.t, err)
				return waited
			default:
			}
		}
	})
}

// TestNobodyIsToldOfACommitThatIsNotReplicated takes the synchronous standby away, so that
// commits hang. Every caller gets an answer, none is told that the record is stored, and the
// record is kept to be sent again, as one whose outcome is unknown if a commit was tried.
//
//race:detect
func TestNobodyIsToldOfACommitThatIsNotReplicated(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	p := rig.Serve(t, s.server.Env)
	key := s.key("*").Key
	status, answer := post(p.URL, "suppliers", key, `{"external_id":"S0","name":"x"}`)
	require.Equal(t, http.StatusOK, status, answer)
	s.exec("ALTER SYSTEM SET synchronous_standby_names = 'gone'")
	s.exec("SELECT pg_reload_conf()")
	s.commitsWait()

	// An operator cancels the waiting commits: PostgreSQL then reports success.
	c := newCaller(time.Minute)
	answered := make(chan int, 1)
	go func() {
		status, _ := c.post(p.URL, "suppliers", key, `{"external_id":"S9","name":"cancelled"}`)
		answered <- status
	}()
	var got int
	waitFor(t, "an answer", func() bool {
		s.count(`SELECT count(pg_cancel_backend(pid)) FROM pg_stat_activity WHERE wait_event = 'SyncRep'`)
		select {
		case got = <-answered:
			return true
		default:
			return false
		}
	})
	require.Equal(t, http.StatusInternalServerError, got, "a commit that only the primary has is not acknowledged")

	// The first wait for their commits. Then it is known that commits are not answered, and the next is not tried.
	sent := 0
	waitFor(t, "a record that is not tried", func() bool {
		status, answer := post(p.URL, "suppliers", key, fmt.Sprintf(`{"external_id":"S%d","name":"hung"}`, sent))
		sent++
		require.Equal(t, http.StatusInternalServerError, status, answer)
		require.Contains(t, answer, "safe to retry")
		return !strings.Contains(answer, "whether it was stored is not known")
	})
	require.Greater(t, sent, 1)

	s.exec("ALTER SYSTEM RESET synchronous_standby_names")
	s.exec("SELECT pg_reload_conf()")
	waitFor(t, "the dead letters", func() bool {
		return s.count("SELECT count(*) FROM workspace.failed_imports") == int64(sent)+1
	})
	unknown := "SELECT count(*) FROM workspace.failed_imports WHERE code = 'outcome_unknown'"
	require.EqualValues(t, sent, s.count(unknown), "all but the last, with the cancelled one")
	require.Zero(t, s.count(fmt.Sprintf("%s AND record_key = 'S%d'", unknown, sent-1)), "it was not tried")
	for n := range sent {
		status, answer := post(p.URL, "suppliers", key, fmt.Sprintf(`{"external_id":"S%d","name":"hung"}`, n))
		require.Equal(t, http.StatusOK, status, answer)
	}
	require.Zero(t, p.Terminate())
}
