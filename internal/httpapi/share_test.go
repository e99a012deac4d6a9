package httpapi_test

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/pg/pgtest"
	"github.com/quayside/quayside/internal/share"
)

// TestLoopDoesNotStarve lets a company make calls in a loop that compute a lot, 16 at a time, while another company makes the
// same call now and then. Both would wait equally long if nobody counted; a company above its share waits for its own calls,
// and the other one for hardly any. What is compared are calls of the same moments, so that a slow machine changes nothing.
func TestLoopDoesNotStarve(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.app.HTTP.Processors = share.New(2, 50)
	quiet := pgtest.NewTenant(t, w.db)
	var record strings.Builder
	for i := range 20_000 {
		fmt.Fprintf(&record, `,"field_%d":"a value that nobody asked for"`, i)
	}
	body := map[string]any{"record": `{"external_id":"S1"` + record.String() + "}"}
	call := func(p *person, tenant pgtest.Tenant) (took time.Duration, got answer) {
		began := time.Now()
		got = p.call(http.MethodPost, "/api/app/workspaces/"+tenant.Workspace.String()+"/sources/suppliers/test", body)
		return time.Since(began), got
	}
	const atOnce = 16
	looping, calm := w.join(w.tenant, auth.CompanyAdmin).enter(), w.join(quiet, auth.CompanyAdmin).enter()
	ctx, stop := context.WithCancel(t.Context())
	var running sync.WaitGroup
	var mu sync.Mutex
	var loops []time.Duration
	for range atOnce {
		running.Go(func() {
			for ctx.Err() == nil {
				took, got := call(looping, w.tenant)
				if got.status != http.StatusOK && got.status != http.StatusServiceUnavailable {
					t.Errorf("%d: %s", got.status, got.body)
				}
				mu.Lock()
				loops = append(loops, took)
				mu.Unlock()
			}
		})
	}
	defer func() { stop(); running.Wait() }()

	// Until the loop is above its share, both are served alike.
	require.Eventually(t, func() bool {
		_, got := call(calm, quiet)
		return got.status == http.StatusOK && w.app.HTTP.Processors.Waiting() > atOnce/2
	}, time.Minute, time.Millisecond)
	mu.Lock()
	loops = nil
	mu.Unlock()
	var others []time.Duration
	for len(others) < 15 {
		took, got := call(calm, quiet)
		require.Equal(t, http.StatusOK, got.status, got.body)
		others = append(others, took)
	}
	mu.Lock()
	defer mu.Unlock()
	require.NotEmpty(t, loops, "the loop goes on, with what is left")
	median := func(all []time.Duration) time.Duration {
		slices.Sort(all)
		return all[len(all)/2]
	}
	t.Logf("a call of the loop takes %s, one of the other company %s", median(loops), median(others))
	require.Less(t, 3*median(others), median(loops))
}
