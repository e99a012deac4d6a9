package pg

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
)

// TestACrowdRests checks, in virtual time, that long reads of a tenant that has many more of them than seats leave their
// seats late, and that nobody else waits.
func TestACrowdRests(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		pool := &shared{purpose: reads, share: 1, seats: map[uuid.UUID]*seats{}}
		one, other := uuid.New(), uuid.New()
		sit := func(tenant uuid.UUID) (leave func()) {
			leave, err := pool.sit(t.Context(), tenant)
			require.NoError(t, err)
			return leave
		}
		// read has a tenant read for so long while others of it wait, and returns how long the next waits after it.
		read := func(took time.Duration, others int) time.Duration {
			leave, turn := sit(one), make(chan func())
			for range others {
				go func() { turn <- sit(one) }()
			}
			synctest.Wait()
			time.Sleep(took)
			leave()
			began := time.Now()
			sit(other)()
			require.Zero(t, time.Since(began), "another tenant waits")
			(<-turn)()
			waited := time.Since(began)
			for range others - 1 {
				(<-turn)()
			}
			return waited
		}
		require.Equal(t, 900*time.Millisecond, read(300*time.Millisecond, crowd))
		require.Equal(t, longestRest, read(5*time.Second, crowd))
		require.Zero(t, read(longRead-1, crowd))
		require.Zero(t, read(5*time.Second, crowd-1), "a few wait")

		leave := sit(one)
		time.Sleep(time.Second)
		leave()
		began := time.Now()
		sit(one)()
		require.Zero(t, time.Since(began), "one read after another")
		require.Empty(t, pool.seats)
	})
}

// TestACrowdsExportRests checks, in virtual time, that an export rests between its rows while many others wait.
func TestACrowdsExportRests(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		pool := &shared{purpose: files, share: 1, seats: map[uuid.UUID]*seats{}}
		tenant := uuid.New()
		leave, err := pool.sit(t.Context(), tenant)
		require.NoError(t, err)
		pacer := &Pacer{pool: pool, tenant: tenant, since: time.Now()}
		rest := func(worked time.Duration) time.Duration {
			time.Sleep(worked)
			began := time.Now()
			require.NoError(t, pacer.Rest(t.Context()))
			return time.Since(began)
		}
		require.Zero(t, rest(time.Second), "nobody waits")
		next := make(chan func())
		for range crowd {
			go func() {
				leave, _ := pool.sit(t.Context(), tenant)
				next <- leave
			}()
		}
		synctest.Wait()
		require.Zero(t, rest(piece-1))
		require.Equal(t, 3*(piece+time.Millisecond-1), rest(time.Millisecond), "both pieces count")
		leave()
		for range crowd {
			(<-next)()
		}
	})
}
