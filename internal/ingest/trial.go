package ingest

import (
	"cmp"
	"context"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/fault"
	"github.com/quayside/quayside/internal/pg/q"
	"github.com/quayside/quayside/internal/registry"
)

// A trial tells, before a column's rules change, what the new rules would have refused: of the stored rows, and of the
// last records of each source. It judges values with the functions that judge records, and writes nothing.

const (
	trialRecords  = 1000 // of each source
	trialExamples = 20   // of the rows, and of each source
	trialSources  = 50
	trialSlice    = 5000            // rows that one statement reads
	trialTime     = 4 * time.Second // for the rows, and again for the records
)

// Trial is what a column's new rules would mean.
type Trial struct {
	Rows    Tried         // the stored rows; they stay as they are
	Sources []SourceTrial // whoever sent records, those with the most refusals first
	// Since is the time since which the sources' records were read: events are kept for a while, and a trial takes a few
	// seconds at most.
	Since time.Time
	// New says that the table does not have the column yet. Fields that a table does not have are not kept, so whether a
	// source sent it is not known.
	New     bool
	Retyped bool // the column would get another type
}

// Actors returns who the sources are.
func (t Trial) Actors() []auth.Actor {
	actors := make([]auth.Actor, 0, len(t.Sources))
	for _, source := range t.Sources {
		actors = append(actors, source.By)
	}
	return actors
}

// Tried counts values that were tried.
type Tried struct {
	Looked     int64 // how many were tried, the newest first
	Of         int64 // how many there are; 0: not known
	Refused    int64 // values that the rules refuse
	Missing    int64 // records without a value that a new record must have
	Unreadable int64 // of those refused: values that are not of the column's type
	Converted  int64 // values that would take another form, because the type changes
	Examples   []TrialExample
}

// SourceTrial is what would have become of a source's last records.
type SourceTrial struct {
	By auth.Actor
	Tried
}

// TrialExample is one value that would have been refused.
type TrialExample struct {
	Record    string // our id
	Key       string // what identifies it
	Workspace uuid.UUID
	At        time.Time // when it was sent; zero for a stored row
	Value     *string   // shortened; nil: there was none
	Code      string
	Message   string
}

// Try returns what the rules of a column would have refused. It refuses what DefineColumn would refuse, except another
// type.
func (s *Service) Try(ctx context.Context, by auth.Principal, slug string, version int64,
	column registry.ColumnDefinition) (Trial, error) {
	prospect, err := s.registry.Prospect(ctx, by, slug, version, column)
	if err != nil {
		return Trial{}, err
	}
	t := &trial{s: s, by: by, Prospect: prospect}
	if t.zones, err = s.zones(ctx, by.Tenant); err != nil {
		return Trial{}, err
	}
	result := Trial{New: prospect.Before == nil, Retyped: prospect.Retyped()}
	if err := t.rows(ctx, &result.Rows, trialTime); err != nil {
		return Trial{}, err
	}
	if result.Sources, result.Since, err = t.records(ctx, time.Now().Add(trialTime)); err != nil {
		return Trial{}, err
	}
	return result, nil
}

// trial tries one column.
type trial struct {
	registry.Prospect
	s     *Service
	by    auth.Principal
	zones map[uuid.UUID]*time.Location // of the company's workspaces
}

// zones returns the time zone of each of the company's workspaces.
func (s *Service) zones(ctx context.Context, tenant uuid.UUID) (map[uuid.UUID]*time.Location, error) {
	zones := map[uuid.UUID]*time.Location{}
	err := s.cells.InControl(ctx, tenant, func(tx pgx.Tx) error {
		workspaces, err := q.New(tx).ListWorkspaces(ctx, tenant)
		for _, workspace := range workspaces {
			zone, unknown := time.LoadLocation(workspace.TimeZone)
			if unknown != nil {
				zone = time.UTC
			}
			zones[workspace.ID] = zone
		}
		return err
	})
	return zones, err
}

// judgement is what a column's rules say of one value.
type judgement struct {
	value      value
	refusal    *fault.Field
	unreadable bool // it is not of the column's type
}

// try judges a value in the JSON form in which it is stored, of the type that the column had then. The rules of a
// reference are not about its value, which is an id by then.
func try(column *registry.Column, before registry.Type, stored jsontext.Value, zone *time.Location) judgement {
	if column.Reference != nil && stored.Kind() != jsontext.KindNull {
		return judgement{}
	}
	got, _, refusal := coerce(column, inZone(column.Type, before, stored, zone), zone)
	if refusal != nil {
		return judgement{value: got, refusal: refusal, unreadable: got.text == ""}
	}
	if refusal = refuseBlank(column, got); refusal == nil {
		refusal = checkRules(column, got)
	}
	return judgement{value: got, refusal: refusal}
}

// inZone returns a stored time as the workspace's clocks showed it, if it is to become a date: its date in UTC may be
// another one.
func inZone(to, from registry.Type, stored jsontext.Value, zone *time.Location) jsontext.Value {
	if from != registry.Datetime || to != registry.Date || stored.Kind() != jsontext.KindString {
		return stored
	}
	at, err := time.Parse(time.RFC3339Nano, shown(stored))
	if err != nil {
		return stored
	}
	return quoted(at.In(zone).Format(time.RFC3339Nano))
}

// shown returns a stored value as text.
func shown(stored jsontext.Value) string {
	if stored.Kind() != jsontext.KindString {
		return string(stored)
	}
	text, err := jsontext.AppendUnquote(nil, stored)
	if err != nil {
		return string(stored)
	}
	return string(text)
}

// typeBefore returns the type in which values are stored.
func (t *trial) typeBefore() registry.Type {
	if t.Before == nil {
		return t.Column.Type
	}
	return t.Before.Type
}

// add judges a value and counts it. Empty means that there is none, which only a new record is refused for.
func (t *trial) add(tried *Tried, stored jsontext.Value, fresh bool, example TrialExample) {
	tried.Looked++
	if len(stored) == 0 {
		if fresh && t.Column.Required {
			tried.Missing++
			tried.exemplify(example, missingField(t.Column.Name, t.Column.Name))
		}
		return
	}
	zone := cmp.Or(t.zones[example.Workspace], time.UTC)
	j := try(t.Column, t.typeBefore(), stored, zone)
	if t.Retyped() && !j.unreadable && !j.value.null {
		tried.Converted++
	}
	if j.refusal == nil {
		return
	}
	tried.Refused++
	if j.unreadable {
		tried.Unreadable++
	}
	text := fault.Shorten(shown(stored))
	example.Value = &text
	tried.exemplify(example, *j.refusal)
}

// exemplify keeps the first refusals.
func (t *Tried) exemplify(example TrialExample, refusal fault.Field) {
	if len(t.Examples) < trialExamples {
		example.Code, example.Message = refusal.Code, refusal.Message
		t.Examples = append(t.Examples, example)
	}
}
