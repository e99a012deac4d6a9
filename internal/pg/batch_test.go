package pg_test

import (
	"context"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/quayside/quayside/internal/pg"
)

// TestAPanicInABatchReturnsTheConnection checks that a panic while a batch's answer is read
// returns the connection; the lanes have only one here.
func TestAPanicInABatchReturnsTheConnection(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	tenants := []uuid.UUID{s.tenant.ID}
	panicking := func(b *pgx.Batch, _ pg.Clock) {
		for range 3 {
			b.Queue("SELECT 1").Query(func(pgx.Rows) error { panic("here") })
		}
	}
	for range 3 {
		require.PanicsWithValue(t, "here", func() { _ = s.db.InBatch(ctx, tenants, panicking) })
		require.PanicsWithValue(t, "here",
			func() { _, _ = s.db.InBatchSteps(ctx, tenants, 0, []func(*pgx.Batch, pg.Clock){panicking}) })
	}
	require.NoError(t, s.db.InBatch(ctx, tenants, func(b *pgx.Batch, _ pg.Clock) { b.Queue("SELECT 1") }))
}
