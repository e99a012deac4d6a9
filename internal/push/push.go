// Package push sends the records of a file to a table's ingest endpoint, one request per
// record, over HTTP like any customer.
//
// A record is finished when the service has accepted it, or has refused it and it is in the
// rejects file. The ledger keeps track of finished records. Its position is saved beside the
// file, so that a push that was stopped can be resumed. Records are streamed: memory does not
// grow with the file.
package push

import (
	"context"
	"errors"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/quayside/quayside/internal/fault"
	"github.com/quayside/quayside/internal/sheet"
)

// Misused is the code of errors in the arguments.
const Misused = sheet.Misused

var (
	// ErrInterrupted means that somebody stopped the push.
	ErrInterrupted = errors.New("interrupted")
	// ErrRejected means that the push is complete and some records were refused.
	ErrRejected = errors.New("some records were rejected")
)

// saveEvery is how often the position is saved.
const saveEvery = time.Second

// Job describes a push.
type Job struct {
	File        string // a path, or "-" for Stdin
	Stdin       io.Reader
	Reading     sheet.Reading
	URL, Key    string
	Table       string
	Map         []string // from=to
	Sequence    string   // the file's column whose values order the deliveries of a record; empty: none
	DryRun      bool
	Resume      bool
	RejectsPath string // empty: beside the file
	Concurrency int
	MaxWait     time.Duration
	Stop        <-chan struct{} // closed to stop after the running requests

	Messages io.Writer
	Quiet    bool
	Colour   bool
}

// Summary is the result of a job.
type Summary struct {
	File    string `json:"file"`
	Table   string `json:"table"`
	DryRun  bool   `json:"dry_run"`
	Outcome string `json:"outcome"` // done, rejected, interrupted or failed
	Error   string `json:"error,omitempty"`
	Records int64  `json:"records,omitempty"` // in the file; absent if unknown
	Counts
	Resumed     int64        `json:"resumed"` // finished by an earlier push
	Retries     int64        `json:"retries"`
	Seconds     float64      `json:"seconds"`
	Rejects     string       `json:"rejects_file,omitempty"`
	Groups      []Group      `json:"rejections"`
	OtherGroups int64        `json:"rejections_in_other_groups,omitempty"`
	Mapping     []sheet.Pair `json:"mapping"`
	Resumable   bool         `json:"resumable"` // the rest can be pushed with --resume
}

// run is a running job.
type run struct {
	Job
	source   *sheet.Source
	table    *Table
	mapping  *sheet.Mapping
	ledger   *Ledger
	groups   *Groups
	sender   *sender
	progress *Progress
	state    State
	path     string // of the state file; empty: not saved
	total    int64
}

// Run runs the job. The error is ErrRejected, ErrInterrupted or the reason of a failure; the
// summary is set in every case.
func Run(ctx context.Context, job Job) (Summary, error) {
	stopping, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	r := &run{Job: job, ledger: NewLedger(), groups: &Groups{}}
	r.progress = &Progress{
		out: job.Messages, ledger: r.ledger, quiet: job.Quiet, colour: job.Colour, terminal: IsTerminal(job.Messages),
		name: job.File,
	}
	go func() {
		select {
		case <-job.Stop:
			r.progress.say("stopping when the requests under way are answered; Ctrl-C again abandons them")
			stop(ErrInterrupted)
		case <-stopping.Done():
		}
	}()
	err := r.prepare(stopping)
	var summary Summary
	if err == nil {
		summary, err = r.send(ctx, stopping, stop)
	}
	summary.File, summary.Table, summary.DryRun, summary.Outcome = job.File, job.Table, job.DryRun, "done"
	switch {
	case errors.Is(err, ErrInterrupted), errors.Is(err, context.Canceled):
		summary.Outcome, err = "interrupted", ErrInterrupted
	case err != nil:
		summary.Outcome, summary.Error = "failed", err.Error()
	case summary.Rejected > 0:
		summary.Outcome, err = "rejected", ErrRejected
	}
	return summary, err
}

// send sends the records, and saves the position meanwhile.
func (r *run) send(ctx, stopping context.Context, stop context.CancelCauseFunc) (Summary, error) {
	started, before := time.Now(), r.ledger.Counts().Done()
	reader, err := r.source.Open(stopping)
	if err != nil {
		return Summary{}, err
	}
	defer func() { _ = reader.Close() }()
	r.progress.start(r.total)
	saved := r.keepPosition()
	err = r.sender.run(ctx, stopping, stop, func() (parcel, error) { return r.next(stopping, reader) })
	r.progress.finish()
	kept := saved()
	if err == nil && r.path != "" {
		_ = os.Remove(r.path) // complete: nothing to resume
		kept = false
	}
	summary := Summary{
		Records: r.total, Counts: r.ledger.Counts(), Resumed: before, Retries: r.sender.retries.Load(),
		Seconds: time.Since(started).Seconds(), Mapping: hinted(r.mapping.Pairs), Resumable: kept,
	}
	if r.sender.rejects != nil {
		summary.Rejects = r.sender.rejects.Close()
	}
	summary.Groups, summary.OtherGroups = r.groups.List()
	return summary, err
}

// next returns the next record to send. It skips finished records, and rejects lines that are
// not records.
func (r *run) next(stopping context.Context, reader sheet.Reader) (parcel, error) {
	for {
		if stopping.Err() != nil {
			return parcel{}, ErrInterrupted
		}
		record, err := reader.Next()
		if err != nil {
			return parcel{}, r.readFault(err)
		}
		if r.ledger.Has(record.Number) {
			continue
		}
		r.learn(record)
		fields := r.mapping.Apply(&record)
		if record.Broken != "" {
			if r.ledger.Room(stopping, record.Number) != nil {
				return parcel{}, ErrInterrupted
			}
			if err := r.sender.rejectUnsent(record); err != nil {
				return parcel{}, err
			}
			continue
		}
		return parcel{number: record.Number, line: record.Line, body: sheet.Object(fields),
			key: sheet.KeyOf(fields, r.table.identity(), nil), sequence: r.sequenceOf(record)}, nil
	}
}

// sequenceOf returns the record's value in the column that orders deliveries, or nothing if it has none. The service judges
// it: what cannot stand in a header is sent in a form that it refuses.
func (r *run) sequenceOf(record sheet.Record) string {
	if r.Sequence == "" {
		return ""
	}
	at := slices.IndexFunc(record.Fields, func(f sheet.Field) bool { return f.Name == r.Sequence })
	if at < 0 || record.Fields[at].Value.Kind() == jsontext.KindNull {
		return ""
	}
	text := string(record.Fields[at].Value)
	if unquoted, err := jsontext.AppendUnquote(nil, record.Fields[at].Value); err == nil {
		text = strings.TrimSpace(string(unquoted))
	}
	if strings.ContainsFunc(text, func(c rune) bool { return c < ' ' || c > '~' }) {
		return strconv.QuoteToASCII(text)
	}
	return text
}

// readFault phrases a read error.
func (r *run) readFault(err error) error {
	var known *fault.Error
	switch {
	case errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, context.Canceled),
		errors.As(err, &known):
		return err
	}
	return fault.New(fault.BadRequest, "file", "cannot read %s any further: %s", r.source.Base(), cause(err))
}

// learn maps names that first appear in the middle of a stream.
func (r *run) learn(record sheet.Record) {
	for _, field := range record.Fields {
		if pair, isNew := r.mapping.Learn(field.Name); isNew {
			r.progress.say(pairLine(pair, 0))
		}
	}
}

// keepPosition saves the position regularly until the returned function is called, which saves
// it a last time and reports whether that worked.
func (r *run) keepPosition() (last func() bool) {
	if r.path == "" {
		return func() bool { return false }
	}
	end, ended := make(chan struct{}), make(chan struct{})
	save := func() error {
		r.state.Mark, r.state.Above, r.state.Counts = r.ledger.position()
		return r.state.save(r.path)
	}
	go func() {
		defer close(ended)
		ticker := time.NewTicker(saveEvery)
		defer ticker.Stop()
		for {
			select {
			case <-end:
				return
			case <-ticker.C:
				_ = save() // the last save reports failure
			}
		}
	}()
	return func() bool {
		close(end)
		<-ended
		if err := save(); err != nil {
			r.progress.say("the position cannot be kept in " + r.path + ": " + cause(err))
			return false
		}
		return true
	}
}
