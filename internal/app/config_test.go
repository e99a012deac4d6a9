package app_test

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/quayside/quayside/internal/app"
)

// TestServiceReadsNoOwner checks that the service's settings do not depend on the owner's login: it may be wrong, or in a
// file that the service cannot read. Not in parallel, because it changes the environment.
func TestServiceReadsNoOwner(t *testing.T) {
	t.Setenv("QUAYSIDE_DATABASE_URL", "postgres://login:a@127.0.0.1/q")
	t.Setenv("QUAYSIDE_MIGRATE_URL", "")
	t.Setenv("QUAYSIDE_MIGRATE_URL_FILE", "")
	plain, err := app.ReadConfig()
	require.NoError(t, err)
	require.False(t, app.OwnerIsNear())
	both, err := app.ReadOwnerConfig()
	require.NoError(t, err)
	require.Equal(t, "postgres://login:a@127.0.0.1/q", both.MigrateURL, "one login for everything")

	t.Setenv("QUAYSIDE_MIGRATE_URL", "postgres://owner:b@127.0.0.1/q")
	given, err := app.ReadConfig()
	require.NoError(t, err)
	require.Equal(t, plain, given)
	require.True(t, app.OwnerIsNear())
	both, err = app.ReadOwnerConfig()
	require.NoError(t, err)
	require.Equal(t, "postgres://owner:b@127.0.0.1/q", both.MigrateURL)

	t.Setenv("QUAYSIDE_MIGRATE_URL", "")
	t.Setenv("QUAYSIDE_MIGRATE_URL_FILE", filepath.Join(t.TempDir(), "closed"))
	given, err = app.ReadConfig()
	require.NoError(t, err)
	require.Equal(t, plain, given)
	require.True(t, app.OwnerIsNear())
	_, err = app.ReadOwnerConfig()
	require.ErrorContains(t, err, "QUAYSIDE_MIGRATE_URL_FILE cannot be read")
}
