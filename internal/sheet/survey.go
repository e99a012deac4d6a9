package sheet

import (
	"context"
	"errors"
	"io"

	"github.com/quayside/quayside/internal/fault"
)

// mostNames bounds how many names of a JSON file are remembered: a file whose names are
// data has no end of them.
const mostNames = 1000

// Survey is what is known of a file before anything of it is sent.
type Survey struct {
	Names []string // of its columns, in their order; repeated ones too
	More  bool     // there are more names than can be remembered
	Total int64    // how many records it has; 0: a stream, which nobody has read
}

// Survey reads a file once: how many records it has, what their fields are called, and
// that it can be read to its end. Reading costs a small part of what sending does. Of a
// stream only the header can be known.
func (s *Source) Survey(ctx context.Context) (found Survey, err error) {
	reader, err := s.Open(ctx)
	if err != nil {
		return Survey{}, err
	}
	if !s.Again() {
		return s.glance(reader)
	}
	defer func() { _ = reader.Close() }()
	found.Names = reader.Header()
	known := map[string]bool{}
	for {
		record, err := reader.Next()
		if ended(err) {
			break
		}
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return Survey{}, err
		}
		if found.Total = record.Number; s.limits.Records > 0 && found.Total > s.limits.Records {
			return Survey{}, fault.New(fault.TooLarge, "too_many",
				"%s has more than %d records; split it, or push it with 'quayside push'", s.Base(), s.limits.Records)
		}
		if reader.Header() != nil {
			continue
		}
		for _, field := range record.Fields {
			switch {
			case known[field.Name]:
			case len(known) == mostNames || len(field.Name) > longestName:
				found.More = true
			default:
				known[field.Name] = true
				found.Names = append(found.Names, field.Name)
			}
		}
	}
	if found.Total == 0 {
		return Survey{}, s.noRecords()
	}
	return found, nil
}

// glance takes a stream's header, or the names of its first record, and puts what it has
// read in front again.
func (s *Source) glance(reader Reader) (Survey, error) {
	s.opened = &replay{Reader: reader}
	if header := reader.Header(); header != nil {
		return Survey{Names: header}, nil
	}
	first, err := reader.Next()
	if ended(err) {
		return Survey{}, s.noRecords()
	}
	if err != nil {
		return Survey{}, err
	}
	s.opened.first = &first
	found := Survey{}
	for _, field := range first.Fields {
		found.Names = append(found.Names, field.Name)
	}
	return found, nil
}

func (s *Source) noRecords() error { return bad("%s has no records", s.Base()) }

// ended tells the file's end from one that came too soon.
func ended(err error) bool { return errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) }

// replay is a reader whose first record has been looked at.
type replay struct {
	Reader
	first *Record
}

func (r *replay) Next() (Record, error) {
	if first := r.first; first != nil {
		r.first = nil
		return *first, nil
	}
	return r.Reader.Next()
}
