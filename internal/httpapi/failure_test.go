package httpapi

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"strings"
	"testing"

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
