package pg

import (
	"context"
	"database/sql"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"
	"github.com/pressly/goose/v3/lock"

	"github.com/quayside/quayside/internal/fault"
)

//go:embed migrations/*.sql
var migrationFiles embed.FS

// Migrations are the embedded files, in the order of their numbers.
func Migrations() fs.FS {
	files, err := fs.Sub(migrationFiles, "migrations")
	if err != nil {
		panic(err) // the folder is embedded at build time
	}
	return files
}

// migrationTable is goose's account of what has been applied.
const migrationTable = "control.migrations"

// latestMigration is the number of the newest embedded migration.
func latestMigration() int64 {
	entries, err := fs.ReadDir(Migrations(), ".")
	if err != nil {
		panic(err) // embedded
	}
	var latest int64
	for _, entry := range entries {
		number, _, _ := strings.Cut(entry.Name(), "_")
		if n, err := strconv.ParseInt(number, 10, 64); err == nil && n > latest {
			latest = n
		}
	}
	return latest
}

// Migrate applies what is missing, as the owner, and lets the service's login
// become AppRole. Two at once wait for each other. It returns the names of the
// files it applied.
func Migrate(ctx context.Context, ownerURL, serviceURL string) ([]string, error) {
	config, err := pgx.ParseConfig(ownerURL)
	if err != nil {
		return nil, fault.New(fault.BadRequest, "database_url", "QUAYSIDE_MIGRATE_URL cannot be read; it should look like postgres://owner:password@host:5432/quayside")
	}
	config.RuntimeParams["application_name"] = "quayside migrate"
	db := stdlib.OpenDB(*config)
	defer func() { _ = db.Close() }()

	if err := db.PingContext(ctx); err != nil {
		return nil, explain(err)
	}
	// goose's table lives in a schema that its first migration would create too late.
	if _, err := db.ExecContext(ctx, "CREATE SCHEMA IF NOT EXISTS control"); err != nil {
		return nil, explainMigration(err)
	}
	locker, err := lock.NewPostgresSessionLocker()
	if err != nil {
		return nil, fmt.Errorf("migration lock: %w", err)
	}
	provider, err := goose.NewProvider(goose.DialectPostgres, db, Migrations(),
		goose.WithSessionLocker(locker), goose.WithTableName(migrationTable), goose.WithSlog(slog.New(slog.DiscardHandler)))
	if err != nil {
		return nil, fmt.Errorf("read migrations: %w", err)
	}
	results, err := provider.Up(ctx)
	var applied []string
	for _, result := range results {
		applied = append(applied, result.Source.Path)
	}
	if err != nil {
		return applied, explainMigration(err)
	}
	return applied, grantLogin(ctx, db, serviceURL)
}

// grantLogin lets the service's login become AppRole and read the migrations'
// account.
func grantLogin(ctx context.Context, db *sql.DB, serviceURL string) error {
	if _, err := db.ExecContext(ctx, "GRANT SELECT ON "+migrationTable+" TO "+AppRole); err != nil {
		return fmt.Errorf("grant: %w", err)
	}
	service, err := pgx.ParseConfig(serviceURL)
	if err != nil {
		return fault.New(fault.BadRequest, "database_url", "QUAYSIDE_DATABASE_URL cannot be read; it should look like postgres://user:password@host:5432/quayside")
	}
	var member bool
	err = db.QueryRowContext(ctx, "SELECT coalesce((SELECT pg_has_role(oid, $1, 'MEMBER') FROM pg_roles WHERE rolname = $2), false)",
		AppRole, service.User).Scan(&member)
	if err != nil {
		return fmt.Errorf("look up the service's login: %w", err)
	}
	if member {
		return nil
	}
	if _, err := db.ExecContext(ctx, "GRANT "+AppRole+" TO "+pgx.Identifier{service.User}.Sanitize()); err != nil {
		return explainMigration(err)
	}
	return nil
}

// explainMigration says what an operator can do about a failed migration.
func explainMigration(err error) error {
	var pgErr *pgconn.PgError
	if !errors.As(err, &pgErr) {
		return explain(err)
	}
	switch pgErr.Code {
	case "42501":
		return fault.New(fault.Forbidden, "migrate_rights", "the login of QUAYSIDE_MIGRATE_URL lacks rights (%s); it must own the database and, the first time, have CREATEROLE", pgErr.Message).Because(err)
	case "55P03":
		return fault.New(fault.Unavailable, "migrate_lock", "a migration could not get its lock in time; nothing of it was applied, run 'quayside migrate' again").Because(err)
	case "42704":
		return fault.New(fault.NotFound, "login_missing", "the login of QUAYSIDE_DATABASE_URL does not exist (%s)", pgErr.Message).Because(err)
	}
	return err
}
