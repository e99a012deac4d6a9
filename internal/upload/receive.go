package upload

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"path"
	"strings"
	"time"
	"unicode"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/fault"
	"github.com/quayside/quayside/internal/pg/q"
	"github.com/quayside/quayside/internal/sheet"
	"github.com/quayside/quayside/internal/telemetry"
)

const (
	chunkBytes    = 512 << 10
	surveyTimeout = 45 * time.Second // to read a file from end to end
	longestName   = 200
)

// Receive stores a file for a table and detects its format. The file is stored as it arrives,
// a piece at a time, each in its own transaction. A file that cannot be read is deleted.
func (s *Service) Receive(ctx context.Context, by auth.Principal, slug, name string, content io.Reader) (
	Import, error) {
	if err := by.Require(auth.ImportRecords); err != nil {
		return Import{}, err
	}
	if _, err := s.tables.Table(ctx, by.Tenant, slug); err != nil {
		return Import{}, err
	}
	id := uuid.Must(uuid.NewV7())
	err := s.cells.InTenant(ctx, by.Tenant, func(tx pgx.Tx) error {
		added, err := q.New(tx).InsertImport(ctx, q.InsertImportParams{
			TenantID: by.Tenant, ID: id, WorkspaceID: by.Workspace, Slug: slug, FileName: plainName(name),
			Actor:     by.Actor.JSON(),
			RequestID: telemetry.RequestID(ctx), Most: mostFiles,
		})
		if err == nil && added == 0 {
			return fault.New(fault.Conflict, "many_files",
				"%d files are being imported or looked at in this workspace; import or discard one of them first", mostFiles)
		}
		return err
	})
	if err != nil {
		return Import{}, err
	}
	err = s.store(ctx, by, id, content)
	if err == nil {
		err = s.survey(ctx, by, id, plainName(name), sheet.Reading{})
	}
	if err != nil {
		s.forget(ctx, by, id)
		return Import{}, err
	}
	return s.Get(ctx, by, id)
}

// plainName cleans a file's name for display.
func plainName(name string) string {
	name = path.Base(strings.ReplaceAll(strings.ToValidUTF8(name, "\uFFFD"), `\`, "/"))
	name = strings.TrimSpace(strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) {
			return -1
		}
		return r
	}, name))
	if runes := []rune(name); len(runes) > longestName { // keep the end, with the extension
		name = string(runes[:longestName/2]) + "…" + string(runes[len(runes)-longestName/2:])
	}
	if name == "" || name == "." || name == "/" {
		return "file"
	}
	return name
}

// store stores the file piece by piece.
func (s *Service) store(ctx context.Context, by auth.Principal, id uuid.UUID, content io.Reader) error {
	piece := make([]byte, chunkBytes)
	size := int64(0)
	for n := int64(0); ; n++ {
		count, err := io.ReadFull(content, piece)
		last := errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF)
		if err != nil && !last {
			return err
		}
		if size += int64(count); size > MaxBytes {
			return TooLarge()
		}
		if count > 0 {
			err := s.cells.InTenant(ctx, by.Tenant, func(tx pgx.Tx) error {
				return q.New(tx).AddImportChunk(ctx,
					q.AddImportChunkParams{TenantID: by.Tenant, ImportID: id, N: n, Bytes: piece[:count]})
			})
			if err != nil {
				return err
			}
		}
		if last {
			return nil
		}
	}
}

// TooLarge returns the refusal of a file for its size.
func TooLarge() error {
	return fault.New(fault.TooLarge, "too_large",
		"the file is larger than %d MiB; split it, compress it with gzip, or push it with 'quayside push'", MaxBytes>>20)
}

// survey reads the file from end to end and stores its properties.
func (s *Service) survey(ctx context.Context, by auth.Principal, id uuid.UUID, name string,
	reading sheet.Reading) error {
	leave, err := s.enter(ctx)
	if err != nil {
		return err
	}
	defer leave()
	timed, cancel := context.WithTimeout(ctx, surveyTimeout)
	defer cancel()
	reading.Zone = by.Zone
	source, err := sheet.Recognise(timed, s.file(by, id, name), reading, limits)
	var found sheet.Survey
	if err == nil {
		found, err = source.Survey(timed)
	}
	if err != nil {
		if timed.Err() != nil && ctx.Err() == nil {
			return fault.New(fault.TooLarge, "too_slow", "%s takes longer than %s to read; split it, or save a workbook as CSV",
				name, surveyTimeout).Because(err)
		}
		return misread(err)
	}
	about, err := json.Marshal(Found{About: source.Describe(), Gzip: source.Gzip, Sheets: source.Sheets,
		Names: found.Names, More: found.More, Tallies: found.Tallies})
	if err != nil {
		return err
	}
	as, err := json.Marshal(source.Reading)
	if err != nil {
		return err
	}
	return s.cells.InTenant(ctx, by.Tenant, func(tx pgx.Tx) error {
		kept, err := q.New(tx).SetImportFile(ctx, q.SetImportFileParams{
			TenantID: by.Tenant, ID: id, Bytes: source.Size, Reading: storable(as), Found: storable(about), Total: found.Total,
		})
		if err == nil && kept == 0 {
			return errStarted
		}
		return err
	})
}

// storable replaces the zero character in JSON, since PostgreSQL refuses it and a column's
// name may contain it.
func storable(text []byte) []byte { return bytes.ReplaceAll(text, []byte(`\u0000`), []byte(`\ufffd`)) }

// misread phrases the refusal of a Reading or a mapping for the screen.
func misread(err error) error {
	var refused *fault.Error
	if !errors.As(err, &refused) || refused.Code != sheet.Misused || len(refused.Fields) == 0 {
		return err
	}
	if part := refused.Fields[0].Field; part != "map" {
		return fault.InField("reading/"+part, "reading", "the %s %s", part, refused.Message)
	}
	return fault.InField("mapping", "mapping", "the mapping %s", refused.Message)
}

// enter waits for a free slot to read a file, because reading takes memory and time.
func (s *Service) enter(ctx context.Context) (leave func(), err error) {
	select {
	case s.reading <- struct{}{}:
		return func() { <-s.reading }, nil
	case <-ctx.Done():
		return nil, fault.New(fault.Unavailable, "busy",
			"too many files are being read; try again in a moment").Because(ctx.Err())
	}
}

// forget deletes a file that nobody will import, even if the caller has hung up. If that
// fails, Tidy does it.
func (s *Service) forget(ctx context.Context, by auth.Principal, id uuid.UUID) {
	ctx = context.WithoutCancel(ctx)
	_ = s.cells.InTenant(ctx, by.Tenant, func(tx pgx.Tx) error {
		return q.New(tx).DropImport(ctx, q.DropImportParams{TenantID: by.Tenant, ID: id})
	})
}

// file returns the stored file.
func (s *Service) file(by auth.Principal, id uuid.UUID, name string) sheet.File {
	return sheet.File{Name: name, Open: func(ctx context.Context) (io.ReadCloser, error) {
		return io.NopCloser(&chunks{ctx: ctx, next: func(ctx context.Context, n int64) (piece []byte, err error) {
			err = s.cells.InTenant(ctx, by.Tenant, func(tx pgx.Tx) (err error) {
				piece, err = q.New(tx).GetImportChunk(ctx, q.GetImportChunkParams{TenantID: by.Tenant, ImportID: id, N: n})
				return err
			})
			return piece, err
		}}), nil
	}}
}

// chunks reads a file a piece at a time.
type chunks struct {
	ctx  context.Context
	next func(ctx context.Context, n int64) ([]byte, error)
	n    int64
	rest []byte
}

func (c *chunks) Read(p []byte) (int, error) {
	if len(c.rest) == 0 {
		piece, err := c.next(c.ctx, c.n)
		if fault.Is(err, fault.NotFound) {
			return 0, io.EOF
		}
		if err != nil {
			return 0, err
		}
		c.rest, c.n = piece, c.n+1
	}
	n := copy(p, c.rest)
	c.rest = c.rest[n:]
	return n, nil
}
