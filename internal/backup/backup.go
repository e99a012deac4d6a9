// Package backup makes dumps that are whole, proves it, and settles a database that was restored from one.
//
// pg_dump does the dumping. What this package adds is a role that sees every row, the number of rows of every table
// in the very snapshot that is dumped, and a comparison with what is in the file.
package backup

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/url"
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/quayside/quayside/internal/fault"
	"github.com/quayside/quayside/internal/pg"
	"github.com/quayside/quayside/internal/pg/q"
)

// Manifest says what a dump holds. It is written beside the dump.
type Manifest struct {
	MadeAt time.Time        `json:"made_at"` // the database's clock
	Origin pg.Origin        `json:"origin"`  // where the dumped database was
	Rows   map[string]int64 `json:"rows"`    // by table
}

// ManifestOf returns the name of a dump's manifest.
func ManifestOf(file string) string { return file + ".manifest.json" }

// Create dumps the database of the owner's address into a new file, in pg_dump's custom format, writes its manifest
// and verifies both. Both files are made here, so that nobody else can read them from their first byte on, and nothing
// that is already there is written to, not even through a link.
func Create(ctx context.Context, address, file string) (manifest Manifest, err error) {
	into, err := newFile(file)
	if err != nil {
		return manifest, err
	}
	beside, err := newFile(ManifestOf(file))
	if err != nil {
		return manifest, errors.Join(err, discard(into))
	}
	err = pg.ReadingAll(ctx, address, func(tx pgx.Tx, snapshot string) (err error) {
		if manifest, err = count(ctx, tx); err != nil {
			return err
		}
		return dump(ctx, address, snapshot, into)
	})
	if err == nil {
		err = writeManifest(beside, manifest)
	}
	if err != nil {
		return manifest, errors.Join(err, discard(into), discard(beside))
	}
	if err := errors.Join(into.Close(), beside.Close()); err != nil {
		return manifest, err
	}
	_, err = Verify(ctx, file)
	return manifest, err
}

// newFile makes a file that only this user can read, whatever the umask is.
func newFile(name string) (*os.File, error) {
	file, err := os.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600) //nolint:gosec // the operator's own file
	if errors.Is(err, os.ErrExist) {
		return nil, fault.New(fault.Conflict, "exists", "%s is there already; choose another name", name)
	}
	if err != nil {
		return nil, fault.New(fault.BadRequest, "file", "%s cannot be made: %s", name, err)
	}
	return file, nil
}

// writeManifest writes a manifest to its file.
func writeManifest(file *os.File, manifest Manifest) error {
	text, err := json.MarshalIndent(manifest, "", "  ")
	if err == nil {
		_, err = file.Write(append(text, '\n'))
	}
	return err
}

// discard removes a file of a backup that failed.
func discard(file *os.File) error {
	return errors.Join(file.Close(), os.Remove(file.Name()))
}

// count counts the rows of every table that holds rows of its own. It refuses a database in which some rows are hidden
// from the role of backups: they would be missing in the dump and in the count.
func count(ctx context.Context, tx pgx.Tx) (manifest Manifest, err error) {
	manifest.Rows = map[string]int64{}
	gaps, err := q.New(tx).RowSecurityGaps(ctx)
	if err != nil {
		return manifest, err
	}
	if len(gaps) > 0 {
		return manifest, fault.New(fault.Conflict, "row_security", "row security has gaps: %s; run 'quayside migrate'",
			strings.Join(gaps, "; "))
	}
	if manifest.Origin, err = pg.OriginOf(ctx, tx); err != nil {
		return manifest, err
	}
	if err := tx.QueryRow(ctx, "SELECT now()").Scan(&manifest.MadeAt); err != nil {
		return manifest, err
	}
	rows, err := tx.Query(ctx, `SELECT format('%I.%I', n.nspname, c.relname)
		FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
		WHERE n.nspname IN ('control', 'workspace', 'river') AND c.relkind = 'r' ORDER BY 1`)
	if err != nil {
		return manifest, err
	}
	tables, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return manifest, err
	}
	for _, table := range tables {
		var rows int64
		if err := tx.QueryRow(ctx, "SELECT count(*) FROM "+table).Scan(&rows); err != nil {
			return manifest, fmt.Errorf("count %s: %w", table, err)
		}
		manifest.Rows[table] = rows
	}
	return manifest, nil
}

// dump runs pg_dump on a snapshot. It writes to a file that is open: a file of its own, others could read while it is
// written. The password goes through the environment: arguments are seen by everybody.
func dump(ctx context.Context, address, snapshot string, into *os.File) error {
	target, err := url.Parse(address)
	if err != nil || target.User == nil {
		return fault.New(fault.BadRequest, "database_url",
			"QUAYSIDE_MIGRATE_URL should look like postgres://owner:password@host:5432/quayside")
	}
	command := exec.CommandContext(ctx, "pg_dump", "--role="+pg.BackupRole, "--enable-row-security", //nolint:gosec // a fixed program
		"--snapshot="+snapshot, "--format=custom")
	command.Env = os.Environ()
	if password, given := target.User.Password(); given {
		command.Env = append(command.Env, "PGPASSWORD="+password)
		target.User = url.User(target.User.Username())
	}
	command.Args = append(command.Args, "--dbname="+target.String())
	var complaint strings.Builder
	command.Stdout, command.Stderr = into, &complaint
	switch err := command.Run(); {
	case errors.Is(err, exec.ErrNotFound):
		return fault.New(fault.Unavailable, "no_pg_dump",
			"pg_dump is not here; install PostgreSQL's client programs, of the server's version or newer")
	case err != nil:
		return fault.New(fault.Unavailable, "pg_dump", "pg_dump failed: %s", fault.Shorten(strings.TrimSpace(complaint.String()))).
			Because(err)
	}
	return nil
}

// ReadManifest reads the manifest of a dump.
func ReadManifest(file string) (manifest Manifest, err error) {
	text, err := os.ReadFile(file) //nolint:gosec // the operator's own file
	if err != nil {
		return manifest, fault.New(fault.NotFound, "manifest", "the manifest %s cannot be read", file).Because(err)
	}
	if err := json.Unmarshal(text, &manifest); err != nil || manifest.Rows == nil {
		return manifest, fault.New(fault.BadRequest, "manifest", "%s is not the manifest of a backup", file)
	}
	return manifest, nil
}

// Verify reads a dump from its beginning to its end and compares the rows in it with its manifest.
func Verify(ctx context.Context, file string) (manifest Manifest, err error) {
	if manifest, err = ReadManifest(ManifestOf(file)); err != nil {
		return manifest, err
	}
	held, err := heldRows(ctx, file)
	if err != nil {
		return manifest, err
	}
	return manifest, manifest.compare(held, "the file")
}

// compare refuses rows that differ from the manifest's.
func (m Manifest) compare(found map[string]int64, place string) error {
	var differ []string
	for table, rows := range m.Rows {
		if found[table] != rows {
			differ = append(differ, fmt.Sprintf("%s has %d of %d rows", table, found[table], rows))
		}
	}
	for table, rows := range found {
		if _, known := m.Rows[table]; !known && rows > 0 {
			differ = append(differ, fmt.Sprintf("%s has %d rows that nobody counted", table, rows))
		}
	}
	if differ == nil {
		return nil
	}
	slices.Sort(differ)
	return fault.New(fault.Conflict, "incomplete", "%s is not the whole backup: %s", place, strings.Join(differ, "; "))
}

// Check compares the rows of a restored database with its manifest. It comes before the first start of the service,
// which writes.
func Check(ctx context.Context, address string, manifest Manifest) error {
	var found Manifest
	err := pg.ReadingAll(ctx, address, func(tx pgx.Tx, _ string) (err error) {
		found, err = count(ctx, tx)
		return err
	})
	if err != nil {
		return err
	}
	// Migrations of a newer release, and the books of background jobs, may differ.
	for _, rows := range []map[string]int64{manifest.Rows, found.Rows} {
		maps.DeleteFunc(rows, func(table string, _ int64) bool {
			return table == "control.migrations" || strings.HasPrefix(table, "river.")
		})
	}
	return manifest.compare(found.Rows, "this database")
}

// heldRows counts the rows in a dump: pg_restore prints them, a line each.
func heldRows(ctx context.Context, file string) (map[string]int64, error) {
	reader, writer := io.Pipe()
	var complaint strings.Builder
	command := exec.CommandContext(ctx, "pg_restore", "--data-only", "--file=-", "--", file) //nolint:gosec // the operator's own file
	command.Stdout, command.Stderr = writer, &complaint
	ended := make(chan error, 1)
	go func() {
		err := command.Run()
		_ = writer.CloseWithError(io.EOF)
		ended <- err
	}()
	held, read := countRows(reader)
	_ = reader.CloseWithError(read)
	if err := <-ended; err != nil {
		if errors.Is(err, exec.ErrNotFound) {
			return nil, fault.New(fault.Unavailable, "no_pg_restore",
				"pg_restore is not here; install PostgreSQL's client programs, of the server's version or newer")
		}
		return nil, fault.New(fault.Conflict, "unreadable", "%s cannot be read to its end: %s", file,
			fault.Shorten(strings.TrimSpace(complaint.String()))).Because(err)
	}
	return held, read
}

// countRows counts the rows of each COPY in a script of pg_restore.
func countRows(script io.Reader) (map[string]int64, error) {
	rows, table := map[string]int64{}, ""
	lines := bufio.NewReaderSize(script, 1<<20)
	for {
		line, err := lines.ReadSlice('\n')
		switch {
		case table != "" && string(line) == "\\.\n":
			table = ""
		case table != "":
			rows[table]++
		case strings.HasPrefix(string(line[:min(len(line), 5)]), "COPY "):
			table, _, _ = strings.Cut(strings.TrimPrefix(string(line), "COPY "), " ")
			rows[table] += 0
		}
		for errors.Is(err, bufio.ErrBufferFull) { // the rest of a long row
			_, err = lines.ReadSlice('\n')
		}
		if errors.Is(err, io.EOF) {
			return rows, nil
		}
		if err != nil {
			return nil, err
		}
	}
}
