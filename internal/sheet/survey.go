package sheet

import (
	"context"
	"errors"
	"io"

	"github.com/quayside/quayside/internal/fault"
)

// mostNames limits the names remembered of a JSON file: a file that uses data as names has any
// number of them.
const mostNames = 1000

// Survey is what is known of a file before anything is sent.
type Survey struct {
	Names []string // column names, in order, with duplicates
	More  bool     // there are more names than are stored
	Total int64    // number of records; 0 for a stream

	Tallies map[string]Tally // what the values of each column are like, in the whole file; none for a stream
}

// Survey reads a file once, to count its records, to find the names of their fields and what their
// values are like, and to check that it can be read to its end. Reading costs little compared to sending. Of a stream,
// only the header is read.
func (s *Source) Survey(ctx context.Context) (found Survey, err error) {
	reader, err := s.Open(ctx)
	if err != nil {
		return Survey{}, err
	}
	if !s.Rereadable() {
		return s.glance(reader)
	}
	defer func() { _ = reader.Close() }()
	found.Names = reader.Header()
	known, values := map[string]bool{}, tallies{}
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
		values.add(record)
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
	found.Tallies = values.done()
	return found, nil
}

// glance reads a stream's header, or the names of its first record, and puts the record back.
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

// ended reports whether err is the end of the file, and not a truncated file.
func ended(err error) bool { return errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) }

// replay is a reader whose first record was examined.
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
