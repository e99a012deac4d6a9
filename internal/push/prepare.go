package push

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/quayside/quayside/internal/fault"
)

// mostNames bounds how many names of a JSON file are remembered: a file whose names are
// data has no end of them.
const mostNames = 1000

// prepare finds out all that can be known before anything is sent, and shows it.
func (r *run) prepare(ctx context.Context) error {
	client, err := NewClient(r.URL, r.Key, r.Table, r.Concurrency)
	if err != nil {
		return err
	}
	const once = "standard input cannot be resumed: it is read once. Write it to a file and push that"
	if r.Resume && r.File == "-" {
		return fault.New(fault.BadRequest, Misused, once)
	}
	if r.source, err = OpenSource(ctx, r.File, r.Stdin, r.Reading); err != nil {
		return err
	}
	if r.Resume && !r.source.Again { // a pipe with a name
		return fault.New(fault.BadRequest, Misused, once)
	}
	r.progress.name = r.source.Base()
	if client.exposed() {
		r.progress.say("warning: the key travels unencrypted; use an https address")
	}
	if r.table, err = client.Discover(ctx, r.MaxWait, r.progress.say); err != nil {
		return err
	}
	names, err := r.survey(ctx)
	if err != nil {
		return err
	}
	if r.mapping, err = NewMapping(r.table, names, r.Map); err != nil {
		return err
	}
	r.mapping.booleans = r.source.Format == xlsx
	r.showMapping()
	if r.mapping.Empty() && len(names) > 0 {
		return fault.New(fault.BadRequest, Misused, "no column of the file is one of table %s, which takes %s. The first row must name the columns; --map from=to says which is which",
			r.table.Slug, r.mapping.columnNames())
	}
	r.sender = &sender{
		client: client, gate: newGate(r.Concurrency), ledger: r.ledger, groups: r.groups, keys: newTurns(),
		dryRun: r.DryRun, maxWait: r.MaxWait, workers: r.Concurrency, say: r.progress.say,
	}
	return r.takeUp()
}

// survey reads a file once before anything is sent: how many records it has, what their
// fields are called, and that it can be read to its end. Reading costs a small part of
// what sending does. Of a stream only the header can be known.
func (r *run) survey(ctx context.Context) ([]string, error) {
	if !r.source.Again {
		return r.glance(ctx)
	}
	reader, err := r.source.Open(ctx)
	if err != nil {
		return nil, err
	}
	defer func() { _ = reader.Close() }()
	names, known := reader.Header(), map[string]bool{}
	for {
		record, err := reader.Next()
		if errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
			break
		}
		if err != nil {
			return nil, r.readFault(err)
		}
		r.total = record.Number
		if reader.Header() != nil {
			continue
		}
		for _, field := range record.Fields {
			if !known[field.Name] && len(known) < mostNames {
				known[field.Name] = true
				names = append(names, field.Name)
			}
		}
	}
	if r.total == 0 {
		return nil, fault.New(fault.BadRequest, "file", "%s has no records", r.source.Base())
	}
	return names, nil
}

// glance takes a stream's header, or the names of its first record, and puts what it has
// read in front again.
func (r *run) glance(ctx context.Context) ([]string, error) {
	reader, err := r.source.Open(ctx)
	if err != nil {
		return nil, err
	}
	r.source.opened = &replay{Reader: reader}
	if header := reader.Header(); header != nil {
		return header, nil
	}
	first, err := reader.Next()
	if errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return nil, fault.New(fault.BadRequest, "file", "%s has no records", r.source.Base())
	}
	if err != nil {
		return nil, r.readFault(err)
	}
	r.source.opened.first = &first
	var names []string
	for _, field := range first.Fields {
		names = append(names, field.Name)
	}
	return names, nil
}

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

// takeUp restores the position of an earlier push, or starts a new one.
func (r *run) takeUp() (err error) {
	if r.DryRun {
		return nil
	}
	path := r.RejectsPath
	if path == "" {
		path = r.source.beside(".rejects.ndjson")
	}
	r.state = newState(r.source, r.URL, r.Table)
	if r.source.Again {
		r.path = r.source.beside(".push-state")
	}
	if !r.Resume {
		return r.startAnew(path)
	}
	state, found, err := loadState(r.path, r.state)
	if err != nil {
		return err
	}
	if !found {
		r.progress.say("no push of this file was stopped: starting at its beginning")
		return r.startAnew(path)
	}
	r.ledger.restore(state.Mark, state.Above, state.Counts)
	r.progress.say(fmt.Sprintf("going on after %s", records(state.Counts.Done())))
	r.sender.rejects, err = resumeRejects(path, r.ledger.Has, r.groups.Add)
	return err
}

func (r *run) startAnew(rejectsPath string) error {
	if r.path != "" {
		if _, found, err := loadState(r.path, r.state); found && err == nil {
			r.progress.say("a push of this file was stopped; --resume would go on with it. Starting at the beginning")
		}
		if err := r.state.save(r.path); err != nil {
			r.progress.say("this push cannot be resumed: " + reason(err))
			r.path = ""
		}
	}
	rejects, moved, err := startRejects(rejectsPath)
	if moved != "" {
		r.progress.say("the rejects of an earlier push are now in " + moved)
	}
	r.sender.rejects = rejects
	return err
}

// showMapping shows where each column goes before anything is sent.
func (r *run) showMapping() {
	counted := ""
	if r.total > 0 {
		counted = records(r.total) + " "
	}
	lines := []string{fmt.Sprintf("%s: %s(%s) → %s", r.source.Base(), counted, r.source.Describe(), r.table.Slug)}
	width := 0
	for _, pair := range r.mapping.Pairs {
		width = max(width, len([]rune(pair.From)))
	}
	for _, pair := range r.mapping.Pairs {
		if !ours(pair.From) {
			lines = append(lines, pairLine(pair, min(width, 40)))
		}
	}
	if missing := r.mapping.Missing(); len(missing) > 0 {
		lines = append(lines, fmt.Sprintf("The file has no %s: records that are not in the table yet will be refused.", strings.Join(missing, ", ")))
	}
	r.progress.say(strings.Join(lines, "\n"))
}

// pairLine is one line of the mapping.
func pairLine(pair Pair, width int) string {
	name := pair.From + strings.Repeat(" ", max(0, width-len([]rune(pair.From))))
	switch pair.How {
	case dropped:
		return fmt.Sprintf("  %s   dropped: %s", name, pair.Why)
	case similar:
		return fmt.Sprintf("  %s → %s (similar)", name, pair.To)
	}
	return fmt.Sprintf("  %s → %s", name, pair.To)
}
