package pg_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/quayside/quayside/internal/fault"
	"github.com/quayside/quayside/internal/pg"
	"github.com/quayside/quayside/internal/pg/pgtest"
)

// TestMigrateUnderAWriter migrates an empty database while a writer keeps trying. The writer
// fails until its table exists. From then on, every acknowledged write is kept, and no write
// waits for much longer than one migration takes.
func TestMigrateUnderAWriter(t *testing.T) {
	t.Parallel()
	db := pgtest.NewEmpty(t)
	admin := db.Admin(t)
	writing, stop := context.WithCancel(t.Context())
	var (
		stored  []string
		longest time.Duration
		firstOK = make(chan struct{})
		done    = make(chan struct{})
	)
	go func() {
		defer close(done)
		for writing.Err() == nil {
			id, before := uuid.NewString(), time.Now()
			_, err := admin.Exec(t.Context(),
				"INSERT INTO workspace.customers (tenant_id, workspace_id, external_id) VALUES (gen_random_uuid(), gen_random_uuid(), $1)", id)
			longest = max(longest, time.Since(before))
			if err == nil {
				if stored = append(stored, id); len(stored) == 1 {
					close(firstOK)
				}
			}
		}
	}()
	applied, err := pg.Migrate(t.Context(), db.OwnerURL, db.ServiceURL)
	require.NoError(t, err)
	files, err := fs.Glob(pg.Migrations(), "*.sql")
	require.NoError(t, err)
	require.Equal(t, files, ofOurs(applied))
	require.Greater(t, len(applied), len(files), "River's own")
	<-firstOK
	again, err := pg.Migrate(t.Context(), db.OwnerURL, db.ServiceURL)
	require.NoError(t, err)
	require.Empty(t, again, "a second run finds nothing to do")
	stop()
	<-done

	var found int
	require.NoError(t, db.Admin(t).QueryRow(t.Context(),
		"SELECT count(*) FROM workspace.customers WHERE external_id = ANY ($1)", stored).Scan(&found))
	require.Equal(t, len(stored), found)
	var slowest float64 // a version is noted with the time when its transaction began
	require.NoError(t, admin.QueryRow(t.Context(), `SELECT max(extract(epoch FROM took)) FROM (
		SELECT lead(tstamp, 1, clock_timestamp()::timestamp) OVER (ORDER BY id) - tstamp AS took FROM control.migrations) v`).Scan(&slowest))
	t.Logf("the longest wait was %s, the slowest migration took %.1f s", longest, slowest)
	require.Less(t, longest.Seconds(), 5+slowest, "a writer waited behind more than one migration")
}

func TestMigrateTwiceAtOnce(t *testing.T) {
	t.Parallel()
	db := pgtest.NewEmpty(t)
	var (
		total int
		mu    sync.Mutex
	)
	errs := race(func(int) error {
		applied, err := pg.Migrate(t.Context(), db.OwnerURL, db.ServiceURL)
		mu.Lock()
		defer mu.Unlock()
		total += len(ofOurs(applied))
		return err
	})
	require.Empty(t, failures(errs))
	files, err := fs.Glob(pg.Migrations(), "*.sql")
	require.NoError(t, err)
	require.Equal(t, len(files), total, "each migration ran once")
}

// TestOpenOnAWrongDatabase checks the messages that an operator gets.
func TestOpenOnAWrongDatabase(t *testing.T) {
	t.Parallel()
	check := func(address string) error {
		cells, err := pg.Open(t.Context(), pg.Config{URL: address})
		require.NoError(t, err)
		defer cells.Close()
		return errors.Join(cells.Ping(t.Context()), cells.CheckRole(t.Context()), cells.CheckMigrations(t.Context()))
	}
	t.Run("nothing listens there", func(t *testing.T) {
		t.Parallel()
		require.True(t, fault.HasCode(check("postgres://x:y@127.0.0.1:1/quayside?connect_timeout=2"), "database_unreachable"))
	})
	t.Run("not migrated", func(t *testing.T) {
		t.Parallel()
		require.True(t, fault.HasCode(check(pgtest.NewEmpty(t).ServiceURL), "migrations_missing"))
	})
	t.Run("half migrated", func(t *testing.T) {
		t.Parallel()
		db := pgtest.New(t)
		_, err := db.Owner(t).Exec(t.Context(), "DELETE FROM control.migrations WHERE version_id > 3")
		require.NoError(t, err)
		err = check(db.ServiceURL)
		require.True(t, fault.HasCode(err, "migrations_missing"))
		require.Contains(t, err.Error(), "0004_api_keys first")
	})
	t.Run("wrong password", func(t *testing.T) {
		t.Parallel()
		config, err := pgx.ParseConfig(pgtest.NewEmpty(t).ServiceURL)
		require.NoError(t, err)
		address := fmt.Sprintf("postgres://quayside_login:wrong@127.0.0.1:%d/%s", config.Port, config.Database)
		require.True(t, fault.HasCode(check(address), "database_login"))
	})
	t.Run("a login without the role", func(t *testing.T) {
		t.Parallel()
		db := pgtest.New(t)
		stranger := "stranger_" + uuid.NewString()[:8]
		admin := db.Admin(t)
		_, err := admin.Exec(t.Context(), "CREATE ROLE "+stranger+" LOGIN PASSWORD 'secret'")
		require.NoError(t, err)
		t.Cleanup(func() { _, _ = admin.Exec(context.WithoutCancel(t.Context()), "DROP ROLE "+stranger) })
		config, err := pgx.ParseConfig(db.ServiceURL)
		require.NoError(t, err)
		err = check(fmt.Sprintf("postgres://%s:secret@127.0.0.1:%d/%s", stranger, config.Port, config.Database))
		require.True(t, fault.HasCode(err, "role_not_granted"), err)
		require.NotContains(t, err.Error(), "secret")
	})
	t.Run("the role owns a table", func(t *testing.T) {
		t.Parallel()
		db := pgtest.New(t)
		_, err := db.Admin(t).Exec(t.Context(), "ALTER TABLE workspace.orders OWNER TO quayside_app")
		require.NoError(t, err)
		require.True(t, fault.HasCode(check(db.ServiceURL), "role_owner"))
	})
}

// ofOurs leaves out River's migrations.
func ofOurs(applied []string) []string {
	return slices.DeleteFunc(slices.Clone(applied), func(name string) bool { return strings.HasPrefix(name, "river ") })
}
