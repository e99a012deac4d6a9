package push

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/quayside/quayside/internal/fault"
	"github.com/quayside/quayside/internal/sheet"
)

// prepare checks and shows everything that can be known before a record is sent.
func (r *run) prepare(ctx context.Context) error {
	client, err := NewClient(r.URL, r.Key, r.Table, r.Concurrency)
	if err != nil {
		return err
	}
	const once = "standard input cannot be resumed: it is read once. Write it to a file and push that"
	if r.Resume && r.File == "-" {
		return fault.New(fault.BadRequest, Misused, once)
	}
	if r.source, err = openSource(ctx, r.File, r.Stdin, r.Reading); err != nil {
		return err
	}
	if r.Resume && !r.source.Rereadable() { // a named pipe
		return fault.New(fault.BadRequest, Misused, once)
	}
	r.progress.name = r.source.Base()
	if client.exposed() {
		r.progress.say("warning: the key travels unencrypted; use an https address")
	}
	if r.table, err = client.Discover(ctx, r.MaxWait, r.progress.say); err != nil {
		return err
	}
	found, err := r.source.Survey(ctx)
	if err != nil {
		return nameFlag(r.readFault(err))
	}
	r.total = found.Total
	// A rejects file whose records were never sent has no notes of sequences.
	if r.Sequence != "" && !slices.Contains(found.Names, r.Sequence) && !sheet.IsNote(r.Sequence) {
		return fault.New(fault.BadRequest, Misused, "--sequence %q: the file has no such column", r.Sequence)
	}
	overrides, err := readOverrides(r.Map)
	if err != nil {
		return err
	}
	if r.mapping, err = sheet.NewMapping(&sheet.Table{Slug: r.table.Slug, Columns: r.table.Columns}, found.Names,
		overrides); err != nil {
		return nameFlag(err)
	}
	if r.source.Format == sheet.XLSX {
		r.mapping.ReadBooleans()
	}
	r.showMapping()
	if r.mapping.Empty() && len(found.Names) > 0 {
		return fault.New(fault.BadRequest, Misused,
			"no column of the file is one of table %s, which takes %s. "+
				"The first row must name the columns; --map from=to says which is which",
			r.table.Slug, r.mapping.Takes())
	}
	r.sender = &sender{
		client: client, gate: newGate(r.Concurrency), ledger: r.ledger, groups: r.groups, keys: newTurns(),
		dryRun: r.DryRun, maxWait: r.MaxWait, workers: r.Concurrency, say: r.progress.say,
	}
	return r.resumeOrStart()
}

// resumeOrStart restores the position of an earlier push, or starts a new one.
func (r *run) resumeOrStart() (err error) {
	if r.DryRun {
		return nil
	}
	path := r.RejectsPath
	if path == "" {
		path = beside(r.source, ".rejects.ndjson")
	}
	r.state = newState(r.source, r.URL, r.Table, r.Sequence)
	if r.source.Rereadable() {
		r.path = beside(r.source, ".push-state")
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
			r.progress.say("this push cannot be resumed: " + cause(err))
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

// showMapping shows which column goes where.
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
	for _, pair := range hinted(r.mapping.Pairs) {
		if !sheet.IsNote(pair.From) {
			lines = append(lines, pairLine(pair, min(width, 40)))
		}
	}
	if missing := r.mapping.Missing(); len(missing) > 0 {
		lines = append(lines, fmt.Sprintf("The file has no %s: records that are not in the table yet will be refused.",
			strings.Join(missing, ", ")))
	}
	r.progress.say(strings.Join(lines, "\n"))
}

// pairLine formats one line of the mapping.
func pairLine(pair sheet.Pair, width int) string {
	name := pair.From + strings.Repeat(" ", max(0, width-len([]rune(pair.From))))
	switch pair.How {
	case sheet.Dropped:
		return fmt.Sprintf("  %s   dropped: %s", name, pair.Why)
	case sheet.Similar, sheet.Known:
		return fmt.Sprintf("  %s → %s (%s)", name, pair.To, pair.How)
	}
	return fmt.Sprintf("  %s → %s", name, pair.To)
}
