package httpapi

import (
	"errors"
	"io"
	"net/http"
	"os"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"github.com/quayside/quayside/internal/fault"
	"github.com/quayside/quayside/internal/upload"
)

const (
	filePause  = 30 * time.Second // between two pieces of a file
	fileTime   = 10 * time.Minute // for all of them
	answerTime = 90 * time.Second // for what is done with it
)

// FileBody is the body of an operation that takes a file. It is read by the handler, a
// piece at a time, after the caller is known and may send it: a stranger cannot make us
// read megabytes. So the caller's role is that of when they began, which is enough to keep
// a file; whatever is done with it asks again.
type FileBody struct {
	content io.Reader
}

// Resolve finds the body. huma calls it.
func (f *FileBody) Resolve(ctx huma.Context) []error {
	r, w := humago.Unwrap(ctx)
	control := http.NewResponseController(w)
	_ = control.SetWriteDeadline(time.Now().Add(fileTime + answerTime))
	f.content = &arriving{body: r.Body, length: r.ContentLength, control: control, until: time.Now().Add(fileTime)}
	reading(w)
	return nil
}

// arriving is a file on its way. Somebody who sends slowly has time, somebody who sends
// nothing has not.
type arriving struct {
	body    io.Reader
	length  int64 // as announced; -1: not
	control *http.ResponseController
	until   time.Time
}

func (a *arriving) Read(p []byte) (int, error) {
	if a.length > upload.MaxBytes {
		return 0, upload.TooLarge()
	}
	deadline := time.Now().Add(filePause)
	if deadline.After(a.until) {
		deadline = a.until
	}
	_ = a.control.SetReadDeadline(deadline)
	n, err := a.body.Read(p)
	switch {
	case err == nil, err == io.EOF:
		return n, err
	case errors.Is(err, os.ErrDeadlineExceeded):
		return n, errTooSlow
	}
	return n, fault.New(fault.BadRequest, "cut_off", "the file was cut off on its way")
}

// fileBody describes such a body.
func fileBody() *huma.RequestBody {
	return &huma.RequestBody{
		Description: "The file, as it is.", Required: true,
		Content: map[string]*huma.MediaType{"application/octet-stream": {Schema: &huma.Schema{Type: huma.TypeString,
			Format: "binary"}}},
	}
}
