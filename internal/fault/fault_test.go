package fault_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/quayside/quayside/internal/fault"
)

func TestPublic(t *testing.T) {
	t.Parallel()
	secret := errors.New("password=hunter2")
	refusal := fault.New(fault.Invalid, "unknown_reference", "unknown reference: %s", "supplier_id")
	for _, tt := range []struct {
		name        string
		err         error
		wantStatus  int
		wantMessage string
	}{
		{"a fault", refusal, 422, "unknown reference: supplier_id"},
		{"a wrapped fault", fmt.Errorf("write: %w", refusal), 422, "unknown reference: supplier_id"},
		{"a fault keeps its cause to itself", refusal.Because(secret), 422, "unknown reference: supplier_id"},
		{"anything else is internal", secret, 500, "internal error"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			status, public := fault.Public(tt.err)
			require.Equal(t, tt.wantStatus, status)
			require.Equal(t, tt.wantMessage, public.Message)
			require.NotContains(t, public.Error(), "hunter2")
		})
	}
}

func TestCauseIsForTheLog(t *testing.T) {
	t.Parallel()
	cause := errors.New("connection refused")
	err := fault.New(fault.Unavailable, "database_away", "temporarily unavailable").Because(cause)
	require.ErrorIs(t, err, cause)
	require.Contains(t, err.Error(), "connection refused")
	require.True(t, fault.Is(err, fault.Unavailable))
	require.True(t, fault.HasCode(err, "database_away"))
}

// TestShorten cuts after 60 characters, whatever they consist of, and never within one.
func TestShorten(t *testing.T) {
	t.Parallel()
	for _, one := range []string{"x", "ä", "茶", "🍵", "\u0308", "\u200d", "\u202e"} {
		fits := strings.Repeat(one, 60)
		require.Equal(t, fits, fault.Shorten(fits), "%q", one)
		require.Equal(t, fits+"…", fault.Shorten(fits+one), "%q", one)
		require.Equal(t, strings.Repeat(one, 59)+"\ufffd…", fault.Shorten(strings.Repeat(one, 59)+"\xff!"), "%q", one)
	}
	require.Empty(t, fault.Shorten(""))
}

// TestRecovered turns a panic into an error that callers never see the text of.
func TestRecovered(t *testing.T) {
	t.Parallel()
	require.NoError(t, fault.Recovered(func() error { return nil }))
	err := fault.Recovered(func() error { panic("a secret") })
	require.ErrorContains(t, err, "a secret")
	var public *fault.Error
	require.False(t, errors.As(err, &public))
}
