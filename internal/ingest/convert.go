package ingest

import (
	"context"
	"fmt"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/riverqueue/river"

	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/fault"
	"github.com/quayside/quayside/internal/job"
	"github.com/quayside/quayside/internal/pg"
	"github.com/quayside/quayside/internal/pg/q"
	"github.com/quayside/quayside/internal/registry"
)

// A column of a company's own may get another type. The definition changes at once; a job converts the stored values,
// slice by slice. Writers take no lock on the definition: one that read it before the change may still store a value of
// the old type. So the job goes through all rows once, waits until no such writer can be left, and goes through them once
// more. Until it has ended, values of the old type are shown as they are, and filters on the column are refused.

const (
	convertSlice = 500              // rows that one transaction converts
	convertCheck = 20 * time.Second // for the count of what would be lost
	convertPause = time.Second      // until an old transaction is looked for again
)

// ConversionJob is the background job that converts the stored values of a column.
type ConversionJob struct {
	Tenant     uuid.UUID `json:"tenant"`
	Conversion uuid.UUID `json:"conversion"`
}

// Kind names the job.
func (ConversionJob) Kind() string { return "conversion" }

// InsertOpts says how it is enqueued.
func (ConversionJob) InsertOpts() river.InsertOpts { return job.In(job.Conversions) }

// convertedEvent is the type of the event of a row whose value was converted or emptied.
func convertedEvent(slug string) string { return "ingest." + slug + ".converted" }

// Retype gives a column another type and starts the conversion of its stored values. Those that cannot be converted are
// emptied; the events keep them. lose is how many of these the caller has seen and accepts: if there are more, nothing is
// changed.
func (s *Service) Retype(ctx context.Context, by auth.Principal, slug string, version int64,
	column registry.ColumnDefinition, lose int64) (*registry.Defined, error) {
	prospect, err := s.registry.Prospect(ctx, by, slug, version, column)
	if err != nil {
		return nil, err
	}
	if !prospect.Retyped() {
		return nil, fault.InField("type", "same_type", "%s has this type already; save its rules without a conversion", column.Name)
	}
	t := &trial{s: s, by: by, Prospect: prospect}
	if t.zones, err = s.zones(ctx, by.Tenant); err != nil {
		return nil, err
	}
	var tried Tried
	if err := t.rows(ctx, &tried, convertCheck); err != nil {
		return nil, err
	}
	switch {
	case tried.Looked != tried.Of:
		return nil, fault.New(fault.Conflict, "too_many_rows",
			"the table has too many rows to count what would be lost; retire the column and add another one")
	case tried.Unreadable > lose:
		return nil, fault.New(fault.Conflict, "more_lost",
			"%d values cannot be converted, not %d, and would be emptied; look again, then repeat your change", tried.Unreadable, lose)
	}
	id := uuid.Must(uuid.NewV7())
	return s.registry.Retype(ctx, by, prospect, column, func(tx pgx.Tx) error {
		err := q.New(tx).InsertConversion(ctx, q.InsertConversionParams{
			TenantID: by.Tenant, ID: id, Slug: slug, Name: column.Name, FromType: string(prospect.Before.Type),
			ToType: string(prospect.Column.Type), Actor: by.Actor.JSON(),
		})
		if err != nil {
			return err
		}
		return pg.Enqueue(ctx, tx, ConversionJob{by.Tenant, id})
	})
}

// Convert works on a conversion for one job.Turn, and reports whether there is more to do after a pause.
func (s *Service) Convert(ctx context.Context, work ConversionJob) (more bool, pause time.Duration, err error) {
	zones, err := s.zones(ctx, work.Tenant)
	if err != nil {
		return false, 0, err
	}
	for turn := job.BeginTurn(); !turn.Over(ctx); {
		if more, pause, err = s.convertStep(ctx, work, zones); err != nil || !more || pause > 0 {
			return more, pause, err
		}
	}
	return true, 0, nil
}

// The passes of a conversion.
const (
	firstPass   = "first"
	waitingPass = "waiting"
	lastPass    = "last"
	donePass    = "done"
)

// convertStep converts one slice of rows in one transaction, or waits.
func (s *Service) convertStep(ctx context.Context, work ConversionJob, zones map[uuid.UUID]*time.Location) (
	more bool, pause time.Duration, err error) {
	err = s.cells.InTenant(ctx, work.Tenant, func(tx pgx.Tx) error {
		queries := q.New(tx)
		row, err := queries.TakeConversion(ctx, q.TakeConversionParams{TenantID: work.Tenant, ID: work.Conversion})
		if fault.Is(pg.Translate(err), fault.NotFound) {
			return nil // it has ended
		}
		if err != nil {
			return err
		}
		if more = true; row.Pass == waitingPass {
			settled, err := queries.SettleConversion(ctx, q.SettleConversionParams{TenantID: work.Tenant, ID: work.Conversion})
			if err == nil && settled.Pass == waitingPass {
				pause = max(time.Duration(settled.Seconds*float64(time.Second)), convertPause)
			}
			return err
		}
		c := &conversion{TakeConversionRow: row, tenant: work.Tenant, zones: zones}
		if err := c.slice(ctx, tx); err != nil {
			return err
		}
		more = c.Pass != donePass
		return queries.MoveConversion(ctx, q.MoveConversionParams{TenantID: work.Tenant, ID: work.Conversion, Place: c.Place,
			Pass: c.Pass, Converted: c.converted, Emptied: c.emptied})
	})
	return more, pause, err
}

// conversion is one slice of rows.
type conversion struct {
	q.TakeConversionRow
	tenant             uuid.UUID
	zones              map[uuid.UUID]*time.Location
	converted, emptied int64

	ids, values, before []string
	events              []uuid.UUID
}

// slice converts the rows after the place, and moves the place or the pass on.
func (c *conversion) slice(ctx context.Context, tx pgx.Tx) error {
	built, err := q.New(tx).IsBuiltIn(ctx, c.Slug)
	if err != nil {
		return err
	}
	table, document, order := "workspace.records", "data", "external_id"
	if built {
		table, document, order = "workspace."+quote(c.Slug), "custom", "id"
	}
	rows, err := tx.Query(ctx, fmt.Sprintf(`SELECT t.id, t.workspace_id, t.%[3]s, t.%[2]s -> $3::text FROM %[1]s t
WHERE t.tenant_id = $1 AND %[4]s AND t.%[3]s > $4 ORDER BY t.%[3]s LIMIT $5`, table, document, order, slugCondition(built)),
		c.tenant, c.Slug, c.Name, c.Place, convertSlice)
	if err != nil {
		return err
	}
	n := 0
	var id string
	var workspace uuid.UUID
	var stored []byte
	if _, err = pgx.ForEachRow(rows, []any{&id, &workspace, &c.Place, &stored}, func() error {
		n++
		c.add(id, workspace, stored)
		return nil
	}); err != nil {
		return err
	}
	if n < convertSlice {
		c.Place = ""
		c.Pass = map[string]string{firstPass: waitingPass, lastPass: donePass}[c.Pass]
	}
	if len(c.ids) == 0 {
		return nil
	}
	_, err = tx.Exec(ctx, fmt.Sprintf(convertStatement, table, document), c.tenant, c.Slug, c.Name, c.ids, c.values,
		c.before, c.events, convertedEvent(c.Slug), c.Actor)
	return err
}

func slugCondition(builtIn bool) string {
	if builtIn {
		return "$2::text IS NOT NULL"
	}
	return "t.slug = $2"
}

// add takes a row in, if its value is not in the form of the new type.
func (c *conversion) add(id string, workspace uuid.UUID, stored jsontext.Value) {
	if len(stored) == 0 || stored.Kind() == jsontext.KindNull {
		return
	}
	zone := c.zones[workspace]
	if zone == nil {
		zone = time.UTC
	}
	to := registry.Type(c.ToType)
	j := try(&registry.Column{Name: c.Name, Type: to, Nullable: true}, registry.Type(c.FromType), stored, zone)
	form := jsonForm(to, j.value)
	if j.unreadable {
		form = "null"
	}
	switch {
	case stored.Kind() == jsontext.Value(form).Kind() && shown(stored) == shown(jsontext.Value(form)):
		return
	case j.unreadable:
		c.emptied++
	default:
		c.converted++
	}
	c.ids, c.values, c.before = append(c.ids, id), append(c.values, form), append(c.before, string(stored))
	c.events = append(c.events, uuid.Must(uuid.NewV7()))
}

// convertStatement replaces values, each with an event that also holds the value before. A row whose value has changed
// meanwhile is left: it is either of the new type, or the last pass finds it. The time of the row's last change stays,
// because nobody has stated anything new.
const convertStatement = `WITH changed AS (
    UPDATE %[1]s t SET %[2]s = t.%[2]s || jsonb_build_object($3::text, i.value::jsonb), version = t.version + 1
    FROM unnest($4::text[], $5::text[], $6::text[], $7::uuid[]) AS i (id, value, before, event_id)
    WHERE t.tenant_id = $1 AND t.id = i.id AND t.%[2]s -> $3::text = i.before::jsonb
    RETURNING t.tenant_id, t.id, t.workspace_id, t.version, i.value, i.before, i.event_id
)
INSERT INTO workspace.events (tenant_id, subject, id, workspace_id, kind, slug, version, actor, request_id, data)
SELECT c.tenant_id, c.id, c.event_id, c.workspace_id, $8, $2, c.version, $9::jsonb, 'conversion',
    jsonb_build_object('result', 'updated', 'record', jsonb_build_object($3::text, c.value::jsonb),
        'before', jsonb_build_object($3::text, c.before::jsonb))
FROM changed c`
