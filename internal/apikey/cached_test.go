package apikey

import (
	"net/netip"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/pg/pgtest"
	"github.com/quayside/quayside/internal/secret"
)

// TestCachedKeyExpires lets a key expire while it is in the cache, by moving the time that the cache remembers: the
// key is refused at that moment, not five minutes later, and is not kept.
func TestCachedKeyExpires(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	tenant := pgtest.NewTenant(t, db)
	keys, here, later := New(db.Cells), netip.MustParseAddr("192.0.2.1"), time.Now().Add(time.Hour)
	_, shown, err := keys.Issue(t.Context(), auth.Operator(tenant.ID),
		Request{Label: "Shop", Scope: auth.AllTables, ExpiresAt: &later})
	require.NoError(t, err)
	_, err = keys.Verify(t.Context(), shown, here)
	require.NoError(t, err)

	hash := [32]byte(secret.Hash(shown))
	known, cached := keys.callers.GetIfPresent(hash)
	require.True(t, cached)
	require.WithinDuration(t, later, *known.expiresAt, time.Millisecond)
	past := time.Now()
	known.expiresAt = &past
	keys.callers.Set(hash, known)
	caller, err := keys.Verify(t.Context(), shown, here)
	require.ErrorIs(t, err, auth.ErrDeadKey)
	require.Equal(t, Caller{}, caller)
	_, cached = keys.callers.GetIfPresent(hash)
	require.False(t, cached)
}

// TestExpired: a key works until its last instant, and a key without an end works for ever.
func TestExpired(t *testing.T) {
	t.Parallel()
	end := time.Date(2026, 11, 18, 12, 0, 0, 0, time.UTC)
	for now, want := range map[time.Time]bool{
		end.Add(-time.Nanosecond): false, end: true, end.Add(time.Nanosecond): true, end.AddDate(1, 0, 0): true,
	} {
		require.Equal(t, want, remembered{expiresAt: &end}.expired(now), now)
		require.False(t, remembered{}.expired(now))
		require.Equal(t, want, Key{ExpiresAt: &end}.Status(now) == "expired", now)
	}
	require.Equal(t, "revoked", Key{ExpiresAt: &end, RevokedAt: &end}.Status(end), "whatever else it is")
}
