package ingest

import (
	"fmt"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/quayside/quayside/internal/fault"
)

// TestCheckLanes blocks each kind of lane in turn. The check names it, but not before
// stallTime.
func TestCheckLanes(t *testing.T) {
	t.Parallel()
	for _, held := range []string{"records", "locked records", "guarded records", "dead letters"} {
		t.Run(held, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				release := make(chan struct{})
				tickets := func([]*ticket) func() { <-release; return func() {} }
				s := &Service{
					lanes:   newTestBatcher(2, 10, 10, tickets),
					detour:  newTestBatcher(1, 10, 10, tickets),
					guarded: newTestBatcher(1, 10, 10, tickets),
					letters: newTestBatcher(1, 10, 10, func([]*envelope) func() { <-release; return func() {} }),
				}
				s.lanes.name, s.detour.name, s.guarded.name, s.letters.name = "records", "locked records", "guarded records", "dead letters"
				var clients sync.WaitGroup
				for range 2 {
					clients.Go(func() {
						switch held {
						case s.lanes.name:
							_ = s.lanes.do(testKey(1, "a"), 1, time.Now(), &ticket{})
						case s.detour.name:
							_ = s.detour.do(testKey(1, "a"), 1, time.Now(), &ticket{})
						case s.guarded.name:
							_ = s.guarded.do(testKey(1, "a"), 1, time.Now(), &ticket{})
						default:
							_ = s.letters.do(testKey(1, "a"), 1, time.Now(), &envelope{})
						}
					})
				}
				synctest.Wait()
				time.Sleep(stallTime)
				require.NoError(t, s.CheckLanes())
				time.Sleep(time.Second)
				require.EqualError(t, s.CheckLanes(), held+" wait, and a lane has taken none for 4s")
				close(release)
				clients.Wait()
				require.NoError(t, s.CheckLanes())
			})
		})
	}
}

// TestAPanicBecomesADeadLetter checks that a record whose batch panics is answered with a 500
// and kept as a dead letter, and that later records are stored. If writing the letter panics
// too, it goes to the spool; if that panics, the answer says that the record was not kept.
func TestAPanicBecomesADeadLetter(t *testing.T) {
	t.Parallel()
	st := newSpoolStand(t, 1<<20)
	storing := st.s.lanes.flush
	st.s.lanes.flush = func(batch []*ticket) func() {
		if slices.ContainsFunc(batch, func(t *ticket) bool { return t.clean.identity == "poison" }) {
			panic("canary")
		}
		return storing(batch)
	}
	send := func(id string) (status int, message string) {
		body := fmt.Sprintf(`{"external_id":%q,"name":"x"}`, id)
		_, err := st.s.Write(t.Context(), Record{By: st.by(), Slug: "suppliers", Body: []byte(body), RequestID: "r"})
		if err == nil {
			return 200, ""
		}
		status, public := fault.Public(err)
		return status, public.Message
	}
	status, message := send("poison")
	require.Equal(t, 500, status)
	require.Equal(t, "temporary failure, safe to retry", message)
	require.Equal(t, []string{"poison open 1 r"}, st.failures())
	for i := range 4 { // both lanes go on
		status, _ = send(fmt.Sprint("fine", i))
		require.Equal(t, 200, status)
	}

	keeping := st.s.letters.flush
	st.s.letters.flush = func([]*envelope) func() { panic("canary") }
	status, _ = send("poison")
	require.Equal(t, 500, status)
	st.requireHeld(1)
	own := st.s.spool
	st.s.spool = nil // toSpool panics
	status, message = send("poison")
	require.Equal(t, 503, status)
	require.Contains(t, message, "the record was not kept")
	st.s.spool, st.s.letters.flush = own, keeping
	require.NoError(t, st.s.LoadSpooled(t.Context()))
	require.Equal(t, []string{"poison open 2 r"}, st.failures())
	require.NotContains(t, st.log.String(), "canary")
	require.Contains(t, st.log.String(), "a batch panicked")
}

// TestAPanicWhileLinkingHarmsNoAnswer checks that a record is answered as stored although
// linking panics: the sweep will link it.
func TestAPanicWhileLinkingHarmsNoAnswer(t *testing.T) {
	t.Parallel()
	st := newSpoolStand(t, 1<<20)
	storing := st.s.lanes.flush
	st.s.lanes.flush = func(batch []*ticket) func() {
		answer := storing(batch)
		return func() {
			for _, t := range batch {
				t.verdict.waits = nil // makes link panic
			}
			answer()
		}
	}
	_, err := st.s.Write(t.Context(),
		Record{By: st.by(), Slug: "suppliers", Body: []byte(`{"external_id":"a","name":"x"}`), RequestID: "r"})
	require.NoError(t, err)
	require.Contains(t, st.log.String(), "link after commit")
	require.Empty(t, st.failures())
}
