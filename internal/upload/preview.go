package upload

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"strings"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/quayside/quayside/internal/audit"
	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/fault"
	"github.com/quayside/quayside/internal/ingest"
	"github.com/quayside/quayside/internal/job"
	"github.com/quayside/quayside/internal/pg"
	"github.com/quayside/quayside/internal/pg/q"
	"github.com/quayside/quayside/internal/registry"
	"github.com/quayside/quayside/internal/sheet"
	"github.com/quayside/quayside/internal/telemetry"
)

const (
	mostPreviewed = 20
	longestShown  = 300 // characters of a value in a preview
)

var errStarted = fault.New(fault.Conflict, "started",
	"this import has been started or discarded; its file can no longer be looked at")

// Choice says how to read and map a file.
type Choice struct {
	Reading *sheet.Reading   // nil: unchanged
	Mapping []sheet.Override // nil: as chosen before, or as suggested
}

// Preview shows how a file would be imported.
type Preview struct {
	Import  Import
	Columns []Column
	Missing []string // columns that a new record needs and that nothing is mapped to
	Empty   bool     // nothing would be sent
	Asked   []string // columns of the file whose form a person must say before the start
	Samples []Sample // the first records
}

// Column is one column of the file and where it goes.
type Column struct {
	sheet.Pair
	Example string // its first value
	Target  registry.Column
	Tally   sheet.Tally
}

// Sample is one record of the file, as it would be sent, with the endpoint's answer.
type Sample struct {
	Number  int64
	Line    int
	Fields  []sheet.Field
	Raw     string // its text in the file, if it is not a record
	Outcome ingest.Outcome
	Refusal error
}

// Preview shows how a file would be imported, and stores the choice for the next visitor. Each
// sample is tried in a dry run. A sample that refers to an earlier record of the same file is
// refused there, because that record is not stored.
func (s *Service) Preview(ctx context.Context, by auth.Principal, id uuid.UUID, choice Choice) (Preview, error) {
	if err := by.Require(auth.ImportRecords); err != nil {
		return Preview{}, err
	}
	one, err := s.reread(ctx, by, id, choice.Reading)
	if err != nil {
		return Preview{}, err
	}
	table, mapping, err := s.mapping(ctx, by, one, choice.Mapping)
	if err != nil {
		return Preview{}, err
	}
	asked := mapping.Settle(one.Found.Tallies)
	if choice.Mapping != nil {
		if err := s.remember(ctx, by, id, choice.Mapping); err != nil {
			return Preview{}, err
		}
		one.Mapping = choice.Mapping
	}
	records, err := s.head(ctx, by, one)
	if err != nil {
		return Preview{}, err
	}
	preview := Preview{Import: one, Missing: mapping.Missing(), Empty: mapping.Empty(), Asked: asked}
	for _, pair := range mapping.Pairs {
		column := Column{Pair: pair, Example: exampleOf(pair.From, records), Tally: one.Found.Tallies[pair.From]}
		if target, ok := table.Column(pair.To); ok {
			column.Target = *target
		}
		preview.Columns = append(preview.Columns, column)
	}
	for _, record := range records {
		preview.Samples = append(preview.Samples, s.rehearse(ctx, by, table.Slug, mapping, record))
	}
	return preview, nil
}

// reread returns an import that can still be changed, after reading its file in another way if
// asked to.
func (s *Service) reread(ctx context.Context, by auth.Principal, id uuid.UUID, reading *sheet.Reading) (Import, error) {
	one, err := s.Get(ctx, by, id)
	if err != nil {
		return Import{}, err
	}
	if one.Status != Ready {
		return Import{}, errStarted
	}
	if reading == nil {
		return one, nil
	}
	reading.Format = one.Reading.Format // the format is a property of the file
	if *reading == one.Reading {
		return one, nil
	}
	if err := s.survey(ctx, by, id, one.File, *reading); err != nil {
		return Import{}, err
	}
	return s.Get(ctx, by, id)
}

// mapping maps the file's columns: as chosen now, else as chosen before, else as suggested.
func (s *Service) mapping(ctx context.Context, by auth.Principal, one Import, chosen []sheet.Override) (
	*registry.Table, *sheet.Mapping, error) {
	table, err := s.tables.Reload(ctx, by.Tenant, one.Slug)
	if err != nil {
		return nil, nil, err
	}
	described := &sheet.Table{Slug: table.Slug}
	for _, column := range table.Columns {
		described.Columns = append(described.Columns,
			sheet.Column{Name: column.Name, Type: string(column.Type), Accepted: column.Accepted, Required: column.Required})
	}
	if chosen == nil {
		chosen = one.Mapping
	}
	mapping, err := sheet.NewMapping(described, one.Found.Names, chosen)
	if err != nil {
		return nil, nil, misread(err)
	}
	if one.Reading.Format == sheet.XLSX {
		mapping.ReadBooleans()
	}
	mapping.ReadTimesIn(by.Zone)
	return table, mapping, nil
}

// remember stores a mapping for the next visitor of the import.
func (s *Service) remember(ctx context.Context, by auth.Principal, id uuid.UUID, mapping []sheet.Override) error {
	text, err := json.Marshal(mapping)
	if err != nil {
		return err
	}
	return s.cells.InTenant(ctx, by.Tenant, func(tx pgx.Tx) error {
		kept, err := q.New(tx).SetImportMapping(ctx, q.SetImportMappingParams{TenantID: by.Tenant, ID: id, Mapping: text})
		if err == nil && kept == 0 {
			return errStarted
		}
		return err
	})
}

// head reads the first records.
func (s *Service) head(ctx context.Context, by auth.Principal, one Import) (records []sheet.Record, err error) {
	leave, err := s.enter(ctx)
	if err != nil {
		return nil, err
	}
	defer leave()
	reader, err := s.open(ctx, by, one)
	if err != nil {
		return nil, misread(err)
	}
	defer func() { _ = reader.Close() }()
	for len(records) < mostPreviewed {
		record, err := reader.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, err
		}
		records = append(records, record)
	}
	return records, nil
}

// open starts reading an import's file.
func (s *Service) open(ctx context.Context, by auth.Principal, one Import) (sheet.Reader, error) {
	one.Reading.Zone = by.Zone
	source, err := sheet.Recognised(s.file(by, one.ID, one.File), one.Reading, limits)
	if err != nil {
		return nil, err
	}
	return source.Open(ctx)
}

// rehearse tries one record in a dry run.
func (s *Service) rehearse(ctx context.Context, by auth.Principal, slug string, mapping *sheet.Mapping,
	record sheet.Record) Sample {
	sample := Sample{Number: record.Number, Line: record.Line}
	fields := mapping.Apply(&record)
	if record.Broken != "" {
		sample.Raw, sample.Refusal = clip(record.Raw, longestShown),
			fault.New(fault.BadRequest, "unreadable", "%s", record.Broken)
		return sample
	}
	body := sheet.Object(fields)
	if sample.Refusal = s.tooLarge(body); sample.Refusal == nil {
		sample.Outcome, sample.Refusal = s.records.Rehearse(ctx, by, slug, body, ingest.Terms{})
	}
	for _, field := range fields {
		sample.Fields = append(sample.Fields, sheet.Field{Name: field.Name, Value: shown(field.Value)})
	}
	return sample
}

// tooLarge refuses a record that the endpoint would not accept either.
func (s *Service) tooLarge(body []byte) error {
	if int64(len(body)) > s.maxRecord {
		return fault.New(fault.TooLarge, "too_large", "the record is larger than %d KiB", s.maxRecord>>10)
	}
	return nil
}

// shown shortens a value for the preview.
func shown(value []byte) []byte {
	if len(value) <= longestShown {
		return value
	}
	var text string
	if json.Unmarshal(value, &text) != nil {
		text = string(value)
	}
	clipped := clip(text, longestShown)
	if clipped == text {
		return value
	}
	short, _ := json.Marshal(clipped) // a string
	return short
}

// clip cuts a text that has more characters, and marks the cut.
func clip(text string, most int) string {
	count := 0
	for at := range text {
		if count == most {
			return text[:at] + "…"
		}
		count++
	}
	return text
}

// exampleOf returns the first value of a column in the records.
func exampleOf(name string, records []sheet.Record) string {
	for _, record := range records {
		for _, field := range record.Fields {
			if text := strings.Trim(string(field.Value), `"`); field.Name == name && text != "" && text != "null" {
				var plain string
				if json.Unmarshal(field.Value, &plain) != nil {
					plain = text
				}
				return clip(plain, longestShown)
			}
		}
	}
	return ""
}

// Start stores the records of a file in the background, with the given mapping, else the one
// chosen before, else the suggested one.
func (s *Service) Start(ctx context.Context, by auth.Principal, id uuid.UUID, chosen []sheet.Override) (Import, error) {
	if err := by.Require(auth.ImportRecords); err != nil {
		return Import{}, err
	}
	one, err := s.reread(ctx, by, id, nil)
	if err != nil {
		return Import{}, err
	}
	_, mapping, err := s.mapping(ctx, by, one, chosen)
	if err != nil {
		return Import{}, err
	}
	if mapping.Empty() {
		return Import{}, fault.InField("mapping", "no_columns",
			"no column of the file goes to one of the table, which takes %s", mapping.Takes())
	}
	if asked := mapping.Settle(one.Found.Tallies); len(asked) > 0 {
		return Import{}, fault.InField("mapping", "unanswered",
			"the numbers or days in %s can be read in two ways; say how they are written", strings.Join(asked, ", "))
	}
	settled := make([]sheet.Override, 0, len(mapping.Pairs))
	for _, pair := range mapping.Pairs { // all of them: nothing may be suggested anew later
		settled = append(settled, sheet.Override{From: pair.From, To: pair.To, Form: pair.Form, Values: pair.Values})
	}
	text, err := json.Marshal(settled)
	if err != nil {
		return Import{}, err
	}
	err = s.cells.InTenant(ctx, by.Tenant, func(tx pgx.Tx) error {
		started, err := q.New(tx).StartImport(ctx, q.StartImportParams{
			TenantID: by.Tenant, WorkspaceID: by.Workspace, ID: id, Mapping: text, Actor: by.Actor.JSON(),
			RequestID: telemetry.RequestID(ctx),
		})
		if err != nil {
			return err
		}
		if started == 0 {
			return errStarted
		}
		data := audit.Data{"table": one.Slug, "file": one.File, "bytes": one.Bytes, "records": one.Total}
		if err := audit.Record(ctx, tx, by, "import.started", id.String(), data); err != nil {
			return err
		}
		return pg.Enqueue(ctx, tx, Job{job.For{Tenant: by.Tenant, Workspace: by.Workspace, Person: by.Person}, id})
	})
	if err != nil {
		return Import{}, err
	}
	return s.Get(ctx, by, id)
}
