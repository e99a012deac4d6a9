package httpapi

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestLogOfFailures checks that the log has errors for internal failures only.
func TestLogOfFailures(t *testing.T) {
	t.Parallel()
	left, leave := context.WithCancel(t.Context())
	leave()
	for _, tt := range []struct {
		name   string
		ctx    context.Context
		status int
		logged bool
	}{
		{"ours", t.Context(), http.StatusInternalServerError, true},
		{"the caller's mistake", t.Context(), http.StatusNotFound, false},
		{"a caller who left", left, http.StatusInternalServerError, false},
	} {
		var log strings.Builder
		s := &Server{Log: slog.New(slog.NewTextHandler(&log, nil))}
		s.logFailure(tt.ctx, "operation", "listKeys", tt.status, errors.New("broken"))
		require.Equal(t, tt.logged, strings.Contains(log.String(), "level=ERROR"), tt.name)
		require.Equal(t, tt.logged, log.Len() > 0, tt.name)
	}
}

// TestRefusalsOfManyAddresses refuses two calls of each of 1,002 addresses: a thousand have a line each, and the others
// one together. Then everything begins anew.
func TestRefusalsOfManyAddresses(t *testing.T) {
	t.Parallel()
	var log strings.Builder
	s := &Server{Log: slog.New(slog.NewTextHandler(&log, nil))}
	first := netip.MustParseAddr("2001:db8::1")
	for range 2 {
		client := first
		for range mostRefused + 2 {
			s.refusals.add(client, time.Now(), refusedCall{"POST /api/ingest/{slug}", http.StatusUnauthorized, "r"})
			client = client.Next()
		}
	}
	require.NoError(t, s.LogRefused(t.Context()))
	require.Equal(t, 1001, strings.Count(log.String(), "\n"))
	require.Equal(t, 1000, strings.Count(log.String(), " calls=2 "))
	require.Equal(t, 1, strings.Count(log.String(), "client=others calls=4 "))
	log.Reset()
	require.NoError(t, s.LogRefused(t.Context()))
	require.Empty(t, log.String())
}
