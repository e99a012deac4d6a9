//race:detect requests share the cache of keys
package apikey_test

import (
	"net/netip"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/quayside/quayside/internal/apikey"
	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/fault"
	"github.com/quayside/quayside/internal/pg"
	"github.com/quayside/quayside/internal/pg/pgtest"
	"github.com/quayside/quayside/internal/secret"
)

var (
	here      = netip.MustParseAddr("192.0.2.1")
	elsewhere = netip.MustParseAddr("192.0.2.2")
)

// TestDeadKeysAreRemembered takes the database away after the first look-up: whoever goes on using a dead key gets
// the same answer from memory.
func TestDeadKeysAreRemembered(t *testing.T) {
	t.Parallel()
	cells, err := pg.Open(t.Context(), pg.Config{URL: pgtest.New(t).ServiceURL})
	require.NoError(t, err)
	keys := apikey.New(cells)
	dead := secret.New("pk_")
	_, err = keys.Verify(t.Context(), dead, here)
	require.ErrorIs(t, err, auth.ErrDeadKey)
	cells.Close()
	_, err = keys.Verify(t.Context(), dead, here)
	require.ErrorIs(t, err, auth.ErrDeadKey)
	_, err = keys.Verify(t.Context(), secret.New("pk_"), here)
	require.True(t, fault.Is(err, fault.Unavailable), "%v", err)
}

// TestStrangersAreSlowedDown tries unknown keys from one address until that is refused. Keys that are known, and
// callers from elsewhere, pass; so does a new key on another instance, where nobody tried it before it was made.
func TestStrangersAreSlowedDown(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	tenant := pgtest.NewTenant(t, db)
	one, two := apikey.New(db.Cells), apikey.New(db.Cells)
	_, known, err := one.Issue(t.Context(), auth.Operator(tenant.ID), apikey.Request{Label: "Shop", Scope: auth.AllTables})
	require.NoError(t, err)
	_, err = one.Verify(t.Context(), known, here)
	require.NoError(t, err)
	limited := false
	for range 10_000 {
		if _, err = one.Verify(t.Context(), secret.New("pk_"), here); !fault.Is(err, fault.Unauthenticated) {
			limited = true
			break
		}
	}
	require.True(t, limited, "there is no limit")
	require.True(t, fault.HasCode(err, "unknown_keys"), "%v", err)
	require.True(t, fault.Is(err, fault.RateLimited))
	_, err = one.Verify(t.Context(), known, here)
	require.NoError(t, err)
	_, err = one.Verify(t.Context(), secret.New("pk_"), elsewhere)
	require.ErrorIs(t, err, auth.ErrDeadKey)
	_, err = two.Verify(t.Context(), known, here)
	require.NoError(t, err)
}
