package pg

import (
	"context"
	"database/sql"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"slices"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"

	"github.com/quayside/quayside/internal/fault"
)

//go:embed migrations/*.sql
var migrationFiles embed.FS

//go:embed roles.sql
var makeRoles string

// Migrations returns the embedded files, in the order of their numbers.
func Migrations() fs.FS {
	files, err := fs.Sub(migrationFiles, "migrations")
	if err != nil {
		panic(err) // the folder is embedded
	}
	return files
}

// migrationLock keeps two migrations of one database from running at once. Any number will do.
const migrationLock = 8316423091

// migrationTable is where goose records applied migrations. It is not part of the schema, and
// so neither in schema.sql nor known to sqlc.
const migrationTable = "control.migrations"

const appliedMigrations = "SELECT coalesce(array_agg(version_id), '{}') FROM " + migrationTable + " WHERE is_applied"

// missingMigrations returns the names of the embedded migrations whose numbers are not among the
// applied ones. Comparing only the highest would miss one that was left out.
func missingMigrations(applied []int64) (missing []string) {
	entries, err := fs.ReadDir(Migrations(), ".")
	if err != nil {
		panic(err) // embedded
	}
	for _, entry := range entries {
		name := strings.TrimSuffix(entry.Name(), ".sql")
		if !slices.Contains(applied, migrationNumber(name)) {
			missing = append(missing, name)
		}
	}
	return missing
}

func migrationNumber(name string) int64 {
	digits, _, _ := strings.Cut(name, "_")
	number, err := strconv.ParseInt(digits, 10, 64)
	if err != nil {
		panic(err) // embedded
	}
	return number
}

// Migrate makes the roles, applies missing migrations as the owner, puts back rights and policies that are missing
// because the database was restored, and lets the service's login become AppRole. Concurrent calls wait for each other.
// It returns the names of the applied files, and what was put back.
func Migrate(ctx context.Context, ownerURL, serviceURL string) ([]string, error) {
	config, err := pgx.ParseConfig(ownerURL)
	if err != nil {
		return nil, fault.New(fault.BadRequest, "database_url",
			"QUAYSIDE_MIGRATE_URL cannot be read; it should look like postgres://owner:password@host:5432/quayside")
	}
	config.RuntimeParams["application_name"] = "quayside migrate"
	db := stdlib.OpenDB(*config)
	defer func() { _ = db.Close() }()

	if err := db.PingContext(ctx); err != nil {
		return nil, explain(err)
	}
	locked, err := db.Conn(ctx)
	if err != nil {
		return nil, explain(err)
	}
	defer func() { _ = locked.Close() }() // a pooled connection: the lock is released explicitly
	if _, err := locked.ExecContext(ctx, "SELECT pg_advisory_lock($1)", migrationLock); err != nil {
		return nil, fmt.Errorf("migration lock: %w", err)
	}
	defer func() {
		_, _ = locked.ExecContext(context.WithoutCancel(ctx), "SELECT pg_advisory_unlock($1)", migrationLock)
	}()
	if _, err := db.ExecContext(ctx, makeRoles); err != nil {
		return nil, explainMigration(err)
	}
	applied, err := up(ctx, db)
	if err != nil {
		return applied, explainMigration(err)
	}
	jobs, err := migrateJobs(ctx, ownerURL)
	applied = append(applied, jobs...)
	if err != nil {
		return applied, explainMigration(err)
	}
	repaired, err := repairAccess(ctx, db)
	applied = append(applied, repaired...)
	if err != nil {
		return applied, explainMigration(err)
	}
	return applied, grantLogin(ctx, db, serviceURL)
}

// up runs goose. Migrations applied before a failure stay applied and are returned.
func up(ctx context.Context, db *sql.DB) (applied []string, err error) {
	// goose needs the schema of its table before the first migration creates it.
	if _, err := db.ExecContext(ctx, "CREATE SCHEMA IF NOT EXISTS control"); err != nil {
		return nil, err
	}
	provider, err := goose.NewProvider(goose.DialectPostgres, db, Migrations(),
		goose.WithTableName(migrationTable), goose.WithSlog(slog.New(slog.DiscardHandler)))
	if err != nil {
		return nil, fmt.Errorf("read migrations: %w", err)
	}
	results, err := provider.Up(ctx)
	var partial *goose.PartialError
	if errors.As(err, &partial) {
		results = partial.Applied
	}
	for _, result := range results {
		applied = append(applied, result.Source.Path)
	}
	return applied, err
}

// grantLogin lets the service's login become AppRole and read the table of migrations.
func grantLogin(ctx context.Context, db *sql.DB, serviceURL string) error {
	for _, grant := range []string{
		"GRANT SELECT ON " + migrationTable + " TO " + AppRole + ", " + BackupRole,
		"GRANT SELECT ON ALL SEQUENCES IN SCHEMA control TO " + BackupRole, // goose's
	} {
		if _, err := db.ExecContext(ctx, grant); err != nil {
			return fmt.Errorf("grant: %w", err)
		}
	}
	service, err := pgx.ParseConfig(serviceURL)
	if err != nil {
		return fault.New(fault.BadRequest, "database_url",
			"QUAYSIDE_DATABASE_URL cannot be read; it should look like postgres://user:password@host:5432/quayside")
	}
	var member bool
	err = db.QueryRowContext(ctx,
		"SELECT coalesce((SELECT pg_has_role(oid, $1, 'MEMBER') FROM pg_roles WHERE rolname = $2), false)",
		AppRole, service.User).Scan(&member)
	if err != nil {
		return fmt.Errorf("look up the service's login: %w", err)
	}
	if member {
		return nil
	}
	grant := fmt.Sprintf("GRANT %s TO %s", AppRole, pgx.Identifier{service.User}.Sanitize())
	var pgErr *pgconn.PgError
	if _, err := db.ExecContext(ctx, grant); errors.As(err, &pgErr) && pgErr.Code == "42501" {
		return fault.New(fault.Forbidden, "grant_rights",
			"the schema is up to date, but this login may not grant the role; have an administrator run: %s", grant).Because(err)
	} else if err != nil {
		return explainMigration(err)
	}
	return nil
}

// explainMigration tells an operator what to do about a failed migration.
func explainMigration(err error) error {
	var pgErr *pgconn.PgError
	if !errors.As(err, &pgErr) {
		return explain(err)
	}
	switch pgErr.Code {
	case "42501":
		return fault.New(fault.Forbidden, "migrate_rights",
			"the login of QUAYSIDE_MIGRATE_URL lacks rights (%s); it must own the database and, unless the roles quayside_app, quayside_system and quayside_backup exist, have CREATEROLE", pgErr.Message).Because(err)
	case "55P03":
		return fault.New(fault.Unavailable, "migrate_lock",
			"a migration could not get its lock in time; nothing of it was applied, run 'quayside migrate' again").Because(err)
	case "42704":
		return fault.New(fault.NotFound, "login_missing", "the login of QUAYSIDE_DATABASE_URL does not exist (%s)",
			pgErr.Message).Because(err)
	}
	return err
}
