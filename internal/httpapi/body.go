package httpapi

import (
	"compress/gzip"
	"errors"
	"io"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/quayside/quayside/internal/fault"
)

const (
	drainBytes = 16 << 20
	drainTime  = 5 * time.Second
	// gzipSlack is how much longer than its content a compressed body may be.
	gzipSlack = 4 << 10
)

var (
	errTooLarge = fault.New(fault.TooLarge, "too_large", "request body too large")
	errUnread   = fault.New(fault.BadRequest, "invalid_json", "invalid JSON body")
	errTooSlow  = fault.New(fault.Timeout, "too_slow", "request body not received in time")
)

// readBody reads a record, at most the limit after decompression, and stops as soon as there
// is more.
func (s *Server) readBody(w http.ResponseWriter, r *http.Request) ([]byte, error) {
	return readWithin(w, r, s.MaxBody)
}

// readWithin reads a body of at most so many bytes after decompression.
func readWithin(w http.ResponseWriter, r *http.Request, most int64) ([]byte, error) {
	reading(w)
	var source io.Reader = http.MaxBytesReader(w, r.Body, most+gzipSlack)
	switch encoding := strings.ToLower(strings.TrimSpace(r.Header.Get("Content-Encoding"))); encoding {
	case "", "identity":
		if r.ContentLength > most {
			return nil, errTooLarge
		}
	case "gzip", "x-gzip":
		unzipped, err := gzip.NewReader(source)
		if err != nil {
			return nil, errUnread
		}
		source = unzipped
	default:
		return nil, fault.New(fault.Unsupported, "encoding", "unsupported content encoding: send gzip or none")
	}
	body, err := io.ReadAll(io.LimitReader(source, most+1))
	var tooLarge *http.MaxBytesError
	switch {
	case errors.As(err, &tooLarge) || int64(len(body)) > most:
		return nil, errTooLarge
	case errors.Is(err, os.ErrDeadlineExceeded):
		return nil, errTooSlow
	case err != nil:
		return nil, errUnread // cut off or not gzip, and so not JSON
	}
	return body, nil
}

// fits refuses a record of the app API that is larger than ingest accepts.
func (s *Server) fits(record []byte) ([]byte, error) {
	if int64(len(record)) > s.MaxBody {
		return nil, fault.New(fault.TooLarge, "too_large", "the record is larger than %d KiB", s.MaxBody>>10)
	}
	return record, nil
}

// drain reads what a refused caller is still sending, within limits, so that the caller can
// read the answer instead of getting a reset connection. A caller that waits for 100 Continue
// sends nothing.
func drain(w http.ResponseWriter, r *http.Request) {
	if r.Body == nil || r.ContentLength == 0 || r.Header.Get("Expect") != "" && !wasRead(w) {
		return
	}
	control := http.NewResponseController(w)
	_ = control.Flush()
	_ = control.SetReadDeadline(time.Now().Add(drainTime))
	_, _ = io.CopyN(io.Discard, r.Body, drainBytes)
}
