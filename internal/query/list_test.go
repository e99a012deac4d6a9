package query

import (
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/quayside/quayside/internal/registry"
)

// TestStamp: what is kept of a table under its stamp is never shown to another company, or after a change.
func TestStamp(t *testing.T) {
	t.Parallel()
	one, other := uuid.New(), uuid.New()
	table := func(tenant uuid.UUID, slug string, version int64) string {
		return Listed{table: &registry.Table{Tenant: tenant, Slug: slug, Version: version}}.Stamp()
	}
	require.Equal(t, table(one, "tests", 1), table(one, "tests", 1))
	require.NotEqual(t, table(one, "tests", 1), table(other, "tests", 1))
	require.NotEqual(t, table(one, "tests", 1), table(one, "tests", 2))
	require.NotEqual(t, table(one, "tests", 1), table(one, "others", 1))
}
