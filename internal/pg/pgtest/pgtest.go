// Package pgtest gives each test its own PostgreSQL database: a clone of a template that was
// migrated once, so that it takes tens of milliseconds and tests run in parallel. The server
// is a real one; 'make test' starts it.
package pgtest

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/quayside/quayside/internal/pg"
	"github.com/quayside/quayside/internal/pg/q"
)

const (
	ownerRole = "quayside_owner" // migrates and owns the tables, but is no superuser
	loginRole = "quayside_login" // the service's login, without rights of its own
	lockID    = 7310584          // any number: keeps test processes from making the same template twice
)

// DB is a test's database, reached as the service reaches it.
type DB struct {
	*pg.Cells
	ServiceURL string // the service's login
	OwnerURL   string // the owner's
	AdminURL   string // a superuser's, who sees all rows

	broken atomic.Bool
}

// Broken says that the test has broken its database on purpose, so that the check at its end is left out.
func (db *DB) Broken() { db.broken.Store(true) }

// New clones a migrated database and drops it when the test ends.
func New(t testing.TB) *DB {
	t.Helper()
	db := clone(t, template(t))
	_, err := db.Admin(t).Exec(t.Context(), `UPDATE control.origin SET database = d.oid::bigint FROM pg_database d WHERE d.datname = current_database()`)
	require.NoError(t, err) // otherwise it looks like one that was restored
	cells, err := pg.Open(t.Context(), pg.Config{URL: db.ServiceURL, MaxConns: 40})
	require.NoError(t, err)
	t.Cleanup(cells.Close)
	db.Cells = cells
	return db
}

// NewEmpty creates a database without migrations.
func NewEmpty(t testing.TB) *DB {
	t.Helper()
	template(t) // creates the logins
	return clone(t, "template0")
}

// Tenant is a company made for a test.
type Tenant struct {
	ID, Workspace uuid.UUID
}

// NewTenant creates a company with one workspace.
func NewTenant(t testing.TB, db *DB) Tenant {
	t.Helper()
	tenant := Tenant{ID: uuid.Must(uuid.NewV7()), Workspace: uuid.Must(uuid.NewV7())}
	err := db.InControl(t.Context(), tenant.ID, func(tx pgx.Tx) error {
		queries := q.New(tx)
		if err := queries.InsertTenant(t.Context(), q.InsertTenantParams{ID: tenant.ID, Name: "Test"}); err != nil {
			return err
		}
		return queries.InsertWorkspace(t.Context(),
			q.InsertWorkspaceParams{TenantID: tenant.ID, ID: tenant.Workspace, Name: "Main"})
	})
	require.NoError(t, err)
	t.Cleanup(func() { recount(t, db, tenant.ID) })
	return tenant
}

// lockPatience is how long a test waits until somebody waits for a lock.
const lockPatience = time.Minute

// AwaitWaiting returns when at least this many connections to the database of admin wait for locks. Other databases of the server
// belong to other tests.
func AwaitWaiting(t testing.TB, admin *pgx.Conn, connections int) {
	t.Helper()
	for until := time.Now().Add(lockPatience); ; time.Sleep(5 * time.Millisecond) {
		var waiting int
		if err := admin.QueryRow(t.Context(),
			"SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'").Scan(&waiting); err != nil {
			t.Fatal(err)
		}
		if waiting >= connections {
			return
		}
		if time.Now().After(until) {
			t.Fatalf("%d connections wait for locks, not %d", waiting, connections)
		}
	}
}

// mostTold is how many mistakes of a kind a test is told.
const mostTold = 10

// recount checks at the end of every test that the stored order totals, search tokens and index entries
// agree with the lines and records, whoever wrote them.
func recount(t testing.TB, db *DB, tenant uuid.UUID) {
	t.Helper()
	if db.broken.Load() {
		return
	}
	ctx := context.WithoutCancel(t.Context())
	err := db.InTenant(ctx, tenant, func(tx pgx.Tx) error {
		if err := Recount(t, tx, tenant); err != nil {
			return err
		}
		entries, err := q.New(tx).WrongEntries(ctx, tenant)
		for _, one := range entries {
			t.Errorf("the index %d has the key %q of %s: %t; its row says otherwise", one.IndexID, one.Key, one.ID, one.Kept)
		}
		return err
	})
	if err != nil {
		t.Errorf("orders, tokens and index entries were not checked; call Broken if the test breaks its database on purpose: %v", err)
	}
}

// Recount fails the test if the stored orders and search tokens of a company do not agree with its lines and records. It
// returns an error if they could not be checked.
func Recount(t testing.TB, db Rows, tenant uuid.UUID) error {
	t.Helper()
	for _, check := range []func(context.Context, Rows, uuid.UUID) ([]string, error){WrongOrders, WrongTokens} {
		wrong, err := check(context.WithoutCancel(t.Context()), db, tenant)
		for _, one := range wrong[:min(len(wrong), mostTold)] {
			t.Error(one)
		}
		if more := len(wrong) - mostTold; more > 0 {
			t.Errorf("and %d more like these", more)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// Password is the password of every user that NewUser creates.
const Password = "correct horse battery"

// passwordHash is Password hashed as the service does it. Hashing takes a quarter of a second
// with the race detector, and tests create hundreds of users.
const passwordHash = "$argon2id$v=19$m=19456,t=2,p=1$m2l/9Kj8q2SQOEK+0fKFQg$PFFF2zC0SpZHk+0ybrpbf/DpcGUPvUXKLxkHxsN4Ja0"

// NewUser creates a user who belongs to no company yet. The connection must be a superuser's.
func NewUser(t testing.TB, admin *pgx.Conn, email string) uuid.UUID {
	t.Helper()
	id := uuid.Must(uuid.NewV7())
	_, err := admin.Exec(t.Context(), "INSERT INTO control.users (id, email, name) VALUES ($1, $2, $2)", id, email)
	require.NoError(t, err)
	_, err = admin.Exec(t.Context(), "INSERT INTO control.passwords (user_id, hash) VALUES ($1, $2)", id, passwordHash)
	require.NoError(t, err)
	return id
}

// Admin opens a connection as a superuser, whom row security does not bind, to inspect the
// database independently of the service.
func (db *DB) Admin(t testing.TB) *pgx.Conn { return connect(t, db.AdminURL) }

// Owner opens a connection as the tables' owner.
func (db *DB) Owner(t testing.TB) *pgx.Conn { return connect(t, db.OwnerURL) }

func connect(t testing.TB, address string) *pgx.Conn {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), address)
	require.NoError(t, err)
	t.Cleanup(func() { _ = conn.Close(context.WithoutCancel(t.Context())) })
	return conn
}

// template creates the migrated database that is cloned, once per content of the migrations
// and day (partitions are created by the day).
var template = onceWithTest(func(t testing.TB) string {
	hash := sha256.New()
	err := fs.WalkDir(pg.Migrations(), ".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		content, err := fs.ReadFile(pg.Migrations(), path)
		fmt.Fprintf(hash, "%s %d\n%s", path, len(content), content)
		return err
	})
	require.NoError(t, err)
	name := "quayside_template_" + hex.EncodeToString(hash.Sum(nil))[:12] + time.Now().UTC().Format("_20060102")

	ctx := t.Context()
	admin, err := pgx.Connect(ctx, adminURL(t, "postgres"))
	require.NoError(t, err)
	defer func() { _ = admin.Close(ctx) }() // also releases the lock
	_, err = admin.Exec(ctx, "SELECT pg_advisory_lock($1)", lockID)
	require.NoError(t, err)
	for role, rights := range map[string]string{ownerRole: "CREATEROLE", loginRole: ""} {
		_, err = admin.Exec(ctx, fmt.Sprintf(`DO $$ BEGIN
			IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = '%[1]s') THEN CREATE ROLE %[1]s LOGIN %[2]s PASSWORD '%[3]s'; END IF;
			END $$`, role, rights, password(t)))
		require.NoError(t, err)
	}
	var made bool
	require.NoError(t, admin.QueryRow(ctx, "SELECT EXISTS (SELECT FROM pg_database WHERE datname = $1)", name).Scan(&made))
	if made {
		return name
	}
	// Under another name until it is complete: a test that died must not leave half a
	// template behind.
	half := name + "_half"
	for _, statement := range []string{
		"DROP DATABASE IF EXISTS " + half + " WITH (FORCE)",
		"CREATE DATABASE " + half + " OWNER " + ownerRole + " TEMPLATE template0",
	} {
		_, err = admin.Exec(ctx, statement)
		require.NoError(t, err)
	}
	_, err = pg.Migrate(ctx, userURL(t, ownerRole, half), userURL(t, loginRole, half))
	require.NoError(t, err)
	_, err = admin.Exec(ctx, "ALTER DATABASE "+half+" RENAME TO "+name)
	require.NoError(t, err)
	return name
})

func clone(t testing.TB, source string) *DB {
	t.Helper()
	name := "quayside_test_" + strings.ReplaceAll(uuid.NewString(), "-", "")
	run := func(statement string) {
		ctx := context.WithoutCancel(t.Context())
		admin, err := pgx.Connect(ctx, adminURL(t, "postgres"))
		require.NoError(t, err)
		defer func() { _ = admin.Close(ctx) }()
		_, err = admin.Exec(ctx, statement)
		require.NoError(t, err)
	}
	run("CREATE DATABASE " + name + " OWNER " + ownerRole + " TEMPLATE " + source)
	t.Cleanup(func() { run("DROP DATABASE IF EXISTS " + name + " WITH (FORCE)") })
	return &DB{
		ServiceURL: userURL(t, loginRole, name) + "?statement_timeout=300s", // a busy machine's tests stand still at times
		OwnerURL:   userURL(t, ownerRole, name),
		AdminURL:   adminURL(t, name),
	}
}

func serverURL(t testing.TB) *url.URL {
	t.Helper()
	address := os.Getenv("QUAYSIDE_TEST_URL")
	require.NotEmpty(t, address, "QUAYSIDE_TEST_URL is not set: run 'make test', or 'scripts/postgres with go test ./...'")
	parsed, err := url.Parse(address)
	require.NoError(t, err)
	return parsed
}

func password(t testing.TB) string {
	secret, _ := serverURL(t).User.Password()
	return secret
}

func adminURL(t testing.TB, database string) string {
	return serverURL(t).JoinPath("..", database).String()
}

func userURL(t testing.TB, user, database string) string {
	address := serverURL(t).JoinPath("..", database)
	address.User = url.UserPassword(user, password(t))
	return address.String()
}

// onceWithTest is sync.OnceValue for a function that fails the test it runs in.
func onceWithTest[T any](fn func(testing.TB) T) func(testing.TB) T {
	var (
		mu   sync.Mutex
		done bool
		got  T
	)
	return func(t testing.TB) T {
		mu.Lock()
		defer mu.Unlock()
		if !done {
			got = fn(t)
			done = true
		}
		return got
	}
}
