package httpapi

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"log/slog"
	"mime"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"github.com/quayside/quayside/internal/auth"
)

// readerPatience is how long an export waits for its reader to take the next piece.
const readerPatience = 30 * time.Second

// exportOperation streams a table as a file.
func (s *Server) exportOperation(a *appAPI, tag, path string) {
	const id = "exportRows"
	register(a, operation{
		id: id, method: http.MethodGet, path: path, tag: tag, needs: auth.Read,
		summary: "Export rows of a table as a CSV file",
		about:   "Exports all rows that match the filters, sorted, from one snapshot. Cells that a spreadsheet would run as formulas get an apostrophe in front. If the connection breaks, the file is incomplete.",
	}, func(ctx context.Context, in *struct {
		InTable
		Filtered
		Ordered
		Computed
	}) (*huma.StreamResponse, error) {
		who, request := by(ctx).Principal, in.asked(in.Filtered, in.Ordered, in.Computed)
		name := fmt.Sprintf("%s-%s.csv", in.Table, time.Now().In(who.Zone).Format(time.DateOnly))
		return s.file(ctx, id, name, "text/csv; charset=utf-8; header=present", func(w io.Writer) error {
			_, err := s.Query.Export(ctx, who, request, w)
			return err
		}), nil
	})
	a.answersFile(path, "text/csv")
}

// answersFile describes the operation's answer as a file.
func (a *appAPI) answersFile(path, kind string) {
	a.OpenAPI().Paths[appPrefix+path].Get.Responses["200"] = &huma.Response{
		Description: "The file.", Content: map[string]*huma.MediaType{kind: {Schema: &huma.Schema{Type: huma.TypeString}}},
	}
}

// file answers with a file that is written as it is read. An error before the first byte is
// answered as a problem. A later error breaks the connection, so that a partial file does not
// look complete.
func (s *Server) file(ctx context.Context, id, name, kind string, write func(io.Writer) error) *huma.StreamResponse {
	return &huma.StreamResponse{Body: func(answer huma.Context) {
		_, w := humago.Unwrap(answer)
		file := &download{Writer: answer.BodyWriter(), control: http.NewResponseController(w), begin: func() {
			answer.SetHeader("Content-Type", kind)
			answer.SetHeader("Content-Disposition", mime.FormatMediaType("attachment", map[string]string{"filename": name}))
			answer.SetStatus(http.StatusOK)
		}}
		err := write(file)
		switch {
		case err == nil && !file.begun:
			file.begin() // an empty file
		case err == nil:
		case !file.begun && ctx.Err() == nil:
			writeProblem(answer, s.problem(ctx, id, err))
		default:
			if !file.left && ctx.Err() == nil {
				s.Log.ErrorContext(ctx, "download broken off", "operation", id, "err", err)
			}
			note(w, "", slog.Bool("broken_off", true))
			panic(http.ErrAbortHandler)
		}
	}}
}

const ndjsonKind = "application/x-ndjson"

// ndjson answers with a file of lines.
func (s *Server) ndjson(ctx context.Context, id, name string,
	write func(line func([]byte) error) error) *huma.StreamResponse {
	return s.file(ctx, id, name, ndjsonKind, func(w io.Writer) error {
		buffered := bufio.NewWriterSize(w, 64<<10)
		err := write(func(line []byte) error {
			_, err := buffered.Write(append(line, '\n'))
			return err
		})
		if err != nil {
			return err
		}
		return buffered.Flush()
	})
}

// download is a body that begins with its first bytes. Its reader has a time limit for each
// piece instead of the whole.
type download struct {
	io.Writer
	control *http.ResponseController
	begin   func()
	begun   bool
	left    bool // the reader went away or stopped reading
}

func (d *download) Write(piece []byte) (int, error) {
	if !d.begun {
		d.begin()
		d.begun = true
	}
	if err := d.control.SetWriteDeadline(time.Now().Add(readerPatience)); err != nil {
		return 0, err
	}
	n, err := d.Writer.Write(piece)
	d.left = err != nil
	return n, err
}
