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
	answerTime = 90 * time.Second // to process it
)

// FileBody is the body of an operation that takes a file. The handler reads it a piece at a
// time, after the caller was identified and authorised: a stranger cannot make the service
// read megabytes. The caller's role is thus the one at the start, which is enough to store a
// file; whatever is done with it checks the role again.
type FileBody struct {
	content io.Reader
}

// Resolve is called by huma and sets the body.
func (f *FileBody) Resolve(ctx huma.Context) []error {
	r, w := humago.Unwrap(ctx)
	control := http.NewResponseController(w)
	_ = control.SetWriteDeadline(time.Now().Add(fileTime + answerTime))
	f.content = &arriving{body: r.Body, length: r.ContentLength, control: control, until: time.Now().Add(fileTime)}
	reading(w)
	return nil
}

// arriving is a file that is being received. A slow sender is given time, a silent one is not.
type arriving struct {
	body    io.Reader
	length  int64 // Content-Length; -1 if unknown
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

// fileBody describes a file body in OpenAPI.
func fileBody() *huma.RequestBody {
	return &huma.RequestBody{
		Description: "The file, as it is.", Required: true,
		Content: map[string]*huma.MediaType{"application/octet-stream": {Schema: &huma.Schema{Type: huma.TypeString,
			Format: "binary"}}},
	}
}
