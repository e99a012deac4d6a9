package push

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"time"

	"golang.org/x/text/encoding"
	"golang.org/x/text/transform"

	"github.com/quayside/quayside/internal/fault"
)

// sampled is how much of a file is looked at to recognise what it is.
const sampled = 64 << 10

// Reading is how a file is to be read. What is empty is recognised.
type Reading struct {
	Format    string // csv, ndjson, json or xlsx
	Delimiter string // of CSV: one character, or "tab"
	Encoding  string // of text: utf-8, utf-16, windows-1252 and its likes
	Sheet     string // of XLSX: its first, unless named
	Empty     string // what an empty cell means: skip (the default) or null
	Zone      *time.Location
}

// Source is the file, or the standard input, that records come from.
type Source struct {
	Name string // as the caller wrote it; "-" is the standard input
	Reading
	Again  bool   // it can be read again: a regular file
	Size   int64  // in bytes, of a regular file
	Hash   string // SHA-256 of a regular file
	Gzip   bool
	charm  encoding.Encoding // nil: UTF-8
	stream *bufio.Reader     // what cannot be read again
	opened *replay           // and has been looked at
}

// Reader gives one record after the other, io.EOF at the end. An error is the file's
// end as well; what is wrong with one record alone makes that record broken.
type Reader interface {
	Next() (Record, error)
	// Header names the columns that every record has; JSON has none.
	Header() []string
	Close() error
}

// OpenSource recognises what the file is: compression, format, delimiter, encoding.
// A regular file is read once from end to end for it, because a byte that is not UTF-8
// may be its last; of a stream only the beginning can be looked at.
func OpenSource(ctx context.Context, name string, stdin io.Reader, reading Reading) (*Source, error) {
	s := &Source{Name: name, Reading: reading}
	if err := s.checkReading(); err != nil {
		return nil, err
	}
	if name == "-" {
		s.stream = bufio.NewReaderSize(newBreakable(ctx, stdin), sampled)
		return s, s.recogniseStream()
	}
	info, err := os.Stat(name)
	switch {
	case err != nil:
		return nil, fault.New(fault.NotFound, "file", "cannot read %s: %s", name, reason(err))
	case info.IsDir():
		return nil, fault.New(fault.BadRequest, Misused, "%s is a folder; push takes one file", name)
	case info.Mode().IsRegular():
		s.Again, s.Size = true, info.Size()
		return s, s.recogniseFile(ctx)
	}
	file, err := os.Open(name) //nolint:gosec // the file that we were given
	if err != nil {
		return nil, fault.New(fault.NotFound, "file", "cannot read %s: %s", name, reason(err))
	}
	s.stream = bufio.NewReaderSize(newBreakable(ctx, file), sampled)
	return s, s.recogniseStream()
}

// reason is the system's word without the path, which the message has already.
func reason(err error) string {
	var at *os.PathError
	if errors.As(err, &at) {
		return at.Err.Error()
	}
	return err.Error()
}

func (s *Source) recogniseStream() error {
	raw, _ := s.stream.Peek(2)
	if s.Gzip = isGzip(raw); s.Gzip {
		inflated, err := gzip.NewReader(s.stream)
		if err != nil {
			return fault.New(fault.BadRequest, "file", "%s: not readable as gzip: %s", s.Name, err)
		}
		s.stream = bufio.NewReaderSize(inflated, sampled)
	}
	head, err := arrived(s.stream)
	if err != nil && !errors.Is(err, io.EOF) {
		return s.unreadable(err)
	}
	if err := s.recognise(head, err == nil); err != nil {
		return err
	}
	// The sample may end within a character.
	if s.Format != xlsx && s.Encoding == "" && !startsUTF8(head) {
		s.setEncoding(windows1252)
	}
	return nil
}

// arrived is what a stream has given so far, a line at least: whoever writes to a pipe may
// take their time.
func arrived(stream *bufio.Reader) (head []byte, err error) {
	for err == nil && len(head) < sampled && bytes.IndexByte(head, '\n') < 0 {
		_, err = stream.Peek(len(head) + 1)
		head, _ = stream.Peek(stream.Buffered())
	}
	return head, err
}

// unreadable gives an error of reading its words, unless the push was stopped.
func (s *Source) unreadable(err error) error {
	if errors.Is(err, context.Canceled) {
		return ErrInterrupted
	}
	return fault.New(fault.BadRequest, "file", "cannot read %s: %s", s.Name, reason(err))
}

func (s *Source) recogniseFile(ctx context.Context) error {
	file, err := os.Open(s.Name)
	if err != nil {
		return fault.New(fault.NotFound, "file", "cannot read %s: %s", s.Name, reason(err))
	}
	defer func() { _ = file.Close() }()
	sum := sha256.New()
	content := bufio.NewReaderSize(io.TeeReader(&stoppable{ctx, file}, sum), sampled)
	raw, _ := content.Peek(2)
	if s.Gzip = isGzip(raw); s.Gzip {
		inflated, err := gzip.NewReader(content)
		if err != nil {
			return fault.New(fault.BadRequest, "file", "%s: not readable as gzip: %s", s.Name, err)
		}
		err = s.judge(bufio.NewReaderSize(inflated, sampled))
		if err != nil {
			return err
		}
	} else if err := s.judge(content); err != nil {
		return err
	}
	if _, err := io.Copy(io.Discard, content); err != nil { // what the judging has left, for the hash
		return s.unreadable(err)
	}
	s.Hash = hex.EncodeToString(sum.Sum(nil))
	return nil
}

// judge recognises the format by the beginning and the encoding by all of it.
func (s *Source) judge(content *bufio.Reader) error {
	head, err := content.Peek(sampled)
	if err != nil && !errors.Is(err, io.EOF) {
		return s.unreadable(err)
	}
	if err := s.recognise(head, err == nil); err != nil {
		return err
	}
	if s.Format == xlsx || s.Encoding != "" {
		return nil
	}
	_, err = io.Copy(io.Discard, transform.NewReader(content, encoding.UTF8Validator))
	if errors.Is(err, encoding.ErrInvalidUTF8) {
		s.setEncoding(windows1252)
		return nil
	}
	if err != nil {
		return s.unreadable(err)
	}
	return nil
}

// Open starts reading. A stream that has been looked at goes on.
func (s *Source) Open(ctx context.Context) (Reader, error) {
	if s.opened != nil {
		return s.opened, nil
	}
	content, closer := io.Reader(s.stream), io.Closer(io.NopCloser(nil))
	if s.Again {
		file, err := os.Open(s.Name)
		if err != nil {
			return nil, fault.New(fault.NotFound, "file", "cannot read %s: %s", s.Name, reason(err))
		}
		content, closer = bufio.NewReaderSize(&stoppable{ctx, file}, sampled), file
		if s.Gzip {
			if content, err = gzip.NewReader(content); err != nil {
				_ = file.Close()
				return nil, fault.New(fault.BadRequest, "file", "%s: not readable as gzip: %s", s.Name, err)
			}
		}
	}
	reader, err := s.reader(content, closer)
	if err != nil {
		_ = closer.Close()
		return nil, err
	}
	return reader, nil
}

func (s *Source) reader(content io.Reader, closer io.Closer) (Reader, error) {
	if s.Format == xlsx {
		return newSheetReader(s, content, closer)
	}
	text := s.text(content)
	switch s.Format {
	case ndjson:
		return &lineReader{lines: bufio.NewReaderSize(text, sampled), Closer: closer}, nil
	case jsonArray:
		return newArrayReader(s.Name, text, closer), nil
	}
	return newCSVReader(s, text, closer)
}

// Describe says what the source was taken for, in a few words.
func (s *Source) Describe() string {
	words := map[string]string{csvFormat: "CSV", ndjson: "NDJSON", jsonArray: "JSON", xlsx: "XLSX"}[s.Format]
	if s.Format == csvFormat {
		words += ", " + map[string]string{",": "comma", ";": "semicolon", "\t": "tab", "|": "bar"}[s.Delimiter]
		if !slices.Contains([]string{",", ";", "\t", "|"}, s.Delimiter) {
			words += fmt.Sprintf("%q", s.Delimiter)
		}
	}
	if s.Encoding != "" && s.Encoding != utf8Name {
		words += ", " + s.Encoding
	}
	if s.Gzip {
		words += ", gzip"
	}
	return words
}

// Base is the file's name for people.
func (s *Source) Base() string {
	if s.Name == "-" {
		return "standard input"
	}
	return filepath.Base(s.Name)
}

// beside is the path of a file of ours that lies next to the source.
func (s *Source) beside(suffix string) string {
	if s.Name == "-" {
		return "stdin" + suffix
	}
	return s.Name + suffix
}

func isGzip(head []byte) bool { return bytes.HasPrefix(head, []byte{0x1f, 0x8b}) }
