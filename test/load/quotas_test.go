package main

import (
	"bytes"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestReportQuotas: a p99 beside the greedy company of more than twice that alone fails, and says whose.
func TestReportQuotas(t *testing.T) {
	t.Parallel()
	took := func(slowest time.Duration) (all []time.Duration) {
		for range 97 {
			all = append(all, 10*time.Millisecond)
		}
		return append(all, slowest, slowest, slowest)
	}
	alone, beside := newActed(), newActed()
	for _, rate := range rates {
		alone.took[rate.what], beside.took[rate.what] = took(20*time.Millisecond), took(40*time.Millisecond)
	}
	var printed bytes.Buffer
	require.NoError(t, reportQuotas(&printed, alone, beside))
	require.Regexp(t, `approve +100 +10.0 ms +10.0 ms +1.00 +20.0 ms +40.0 ms +2.00`, printed.String())
	beside.refused["ingest"] = 1
	require.ErrorContains(t, reportQuotas(&printed, alone, beside), "ingest: 1 more refused than alone")
	beside.took["sign in"] = took(41 * time.Millisecond)
	require.ErrorContains(t, reportQuotas(&printed, alone, beside), "sign in: 2.05")
	beside.took["sign in"] = nil
	require.ErrorContains(t, reportQuotas(&printed, alone, beside), "sign in was not measured")
}
