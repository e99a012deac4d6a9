package unknown

import (
	"context"
	"fmt"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/fault"
	"github.com/quayside/quayside/internal/job"
	"github.com/quayside/quayside/internal/pg/pgtest"
	"github.com/quayside/quayside/internal/registry"
)

// failure adds a failed import of the table decisions, so many minutes old.
func (st *stand) failure(status, key, payload string, minutes int) uuid.UUID {
	st.t.Helper()
	id := uuid.Must(uuid.NewV7())
	st.exec(`INSERT INTO workspace.failed_imports (tenant_id, id, workspace_id, slug, status, http_status, code, message, payload, payload_hash,
			record_key, key_id, request_id, last_seen_at, closed_at)
		VALUES ($1, $2::uuid, $3, 'decisions', $4::text, 422, 'type', 'x', $5::bytea, sha256($8::bytea), $6, $2::uuid, '', now() - make_interval(mins => $7),
			CASE WHEN $4::text <> 'open' THEN now() END)`, st.by.Tenant, id, st.by.Workspace, status, []byte(payload), key, minutes, id[:])
	return id
}

// TestBackfill fills a column from kept values and failed imports, and counts each of them once.
func TestBackfill(t *testing.T) {
	t.Parallel()
	st := newStand(t, pgtest.New(t))
	require.NoError(t, st.SetKeeping(t.Context(), st.by, "decisions", true))
	for i := range 10 {
		st.sends(fmt.Sprintf(`{"external_id":"K%d","title":"x","weight":"%d"}`, i, i))
	}
	st.sends(`{"external_id":"bad","weight":"heavy"}`, `{"external_id":"set","weight":1}`, `{"external_id":"nulled","weight":1}`,
		`{"external_id":"moved","weight":1}`, `{"external_id":"F1"}`, `{"external_id":"F2"}`, `{"external_id":"F3"}`, `{"external_id":"F4"}`)
	st.list()
	st.exec("DELETE FROM workspace.records WHERE external_id = 'moved'")
	st.column("weight", registry.Number)
	st.sends(`{"external_id":"set","weight":7}`, `{"external_id":"nulled","weight":null}`)
	st.failure("resolved", "F1", `{"external_id":"F1","weight":11}`, 20)
	st.failure("resolved", "F1", `{"external_id":"F1","weight":12}`, 10) // newer
	st.failure("resolved", "K1", `{"external_id":"K1","weight":99}`, 1)  // an accepted value counts more than a refused one
	st.failure("open", "F2", `{"external_id":"F2","weight":13}`, 5)
	st.failure("ignored", "F2", `{"external_id":"F2","weight":14}`, 5)
	st.failure("resolved", "F2", `{"external_id":"F2","title":5}`, 5)
	st.failure("resolved", "F2", `not json`, 5)
	st.failure("resolved", "F3", `{"external_id":"F3","weight":null}`, 5)
	st.failure("resolved", "nobody", `{"external_id":"nobody","weight":1}`, 5)
	edited := st.failure("resolved", "F4", `{"external_id":"F4","weight":"wrong"}`, 5)
	st.exec(`INSERT INTO workspace.failed_import_attempts (tenant_id, failed_id, id, actor, request_id, payload, http_status)
		VALUES ($1, $2::uuid, $2::uuid, '{}', '', '{"external_id":"F4","weight":44}', 200)`, st.by.Tenant, edited)

	one := st.backfill("weight", "weight")
	require.Equal(t, Done, one.Status)
	require.Equal(t, Counts{
		Filled: 10 + 2, AlreadySet: 2 + 2, Gone: 1 + 1, Refused: 1, Empty: 1, Waiting: 1, Without: 2,
	}, one.Counts)
	require.EqualValues(t, 14+9, one.Total)
	require.Equal(t, one.Total, one.Looked())
	require.Equal(t, []Refusal{{"bad", `weight: "heavy" is not a number`}}, one.Refusals)
	for key, want := range map[string]string{"K0": "0", "K1": "1", "K9": "9", "set": "7", "nulled": "", "F1": "12", "F2": "", "F4": "44"} {
		require.Equal(t, want, st.value(key, "weight"), key)
	}
	require.Equal(t, "bad, moved", st.ask("SELECT string_agg(record_key, ', ' ORDER BY record_key) FROM workspace.unknown_values"),
		"what was used is not kept any longer")
	require.Equal(t, "2 x ingest.decisions.received somebody", st.ask(`SELECT concat_ws(' ', r.version, r.data ->> 'title', e.kind, e.actor ->> 'id')
		FROM workspace.records r JOIN workspace.events e ON e.tenant_id = r.tenant_id AND e.subject = r.id AND e.version = 2 WHERE r.external_id = 'K3'`))
	field := st.list().Fields[0]
	require.Equal(t, Made, field.Status)
	require.Equal(t, "weight", field.Column)
	require.False(t, field.StillComes)

	// Again: nothing is left to fill, and what is there stays.
	one = st.backfill("weight", "weight")
	require.Zero(t, one.Filled)
	require.Equal(t, "12", st.value("F1", "weight"))
}

// TestOtherName makes a column of another name than the field's: the values go there, and the field is still unknown.
func TestOtherName(t *testing.T) {
	t.Parallel()
	st := newStand(t, pgtest.New(t))
	require.NoError(t, st.SetKeeping(t.Context(), st.by, "decisions", true))
	st.sends(`{"external_id":"A","VAT-ID":"DE1"}`)
	require.Equal(t, "vat_id", st.list().Fields[0].Suggested)
	st.column("vat_id", registry.Text)
	require.EqualValues(t, 1, st.backfill("VAT-ID", "vat_id").Filled)
	require.Equal(t, "DE1", st.value("A", "vat_id"))
	st.sends(`{"external_id":"B","VAT-ID":"DE2"}`)
	field := st.list().Fields[0]
	require.Equal(t, Made, field.Status)
	require.True(t, field.StillComes)
	require.Empty(t, st.value("B", "vat_id"))
}

// TestBuiltIn fills a column that a company has added to a built-in table.
func TestBuiltIn(t *testing.T) {
	t.Parallel()
	st := newStand(t, pgtest.New(t))
	require.NoError(t, st.SetKeeping(t.Context(), st.by, "products", true))
	require.NoError(t, st.send(st.instance, "products", `{"external_id":"P-1","sku":"S-1","name":"Tea","hazard_class":"3"}`))
	_, err := st.tables.DefineColumn(t.Context(), auth.Operator(st.by.Tenant), "products", 0,
		registry.ColumnDefinition{Name: "hazard_class", Type: registry.Text})
	require.NoError(t, err)
	started, err := st.Start(t.Context(), st.by, "products", "hazard_class", "hazard_class")
	require.NoError(t, err)
	require.EqualValues(t, 1, st.run(started.ID).Filled)
	require.Equal(t, "3 Tea", st.ask("SELECT concat_ws(' ', custom ->> 'hazard_class', name) FROM workspace.products"))
	_, err = st.Start(t.Context(), st.by, "products", "hazard_class", "name")
	require.True(t, fault.HasCode(err, "not_own"), err)
	_, err = st.Start(t.Context(), st.by, "products", "hazard_class", "nothing")
	require.True(t, fault.HasCode(err, "unknown_column"), err)
}

// killed runs a backfill that dies before it notes anything.
type killed struct{ *backfillRun }

func (killed) Note(context.Context, []*item, []bool) error { return errKilled }

// TestKilled: a backfill whose process dies after it has stored values, and before it has noted so, is gone on with,
// and every value is counted once.
func TestKilled(t *testing.T) {
	t.Parallel()
	st := newStand(t, pgtest.New(t))
	require.NoError(t, st.SetKeeping(t.Context(), st.by, "decisions", true))
	const n = 2*backfillBatch + 50
	for i := range n {
		value := fmt.Sprint(i)
		if i%10 == 0 {
			value = "none"
		}
		st.sends(fmt.Sprintf(`{"external_id":"K%d","weight":%q}`, i, value), fmt.Sprintf(`{"external_id":"F%d"}`, i))
		st.failure("resolved", fmt.Sprintf("F%d", i), fmt.Sprintf(`{"external_id":"F%d","weight":%q}`, i, value), 1)
	}
	st.list()
	st.column("weight", registry.Number)
	started, err := st.Start(t.Context(), st.by, "decisions", "weight", "weight")
	require.NoError(t, err)
	require.EqualValues(t, 2*n, started.Total)
	_, err = st.Start(t.Context(), st.by, "decisions", "weight", "weight")
	require.True(t, fault.HasCode(err, "backfill_running"), err)
	for { // dies after each batch, whether of kept values or of failed imports
		dying := &killed{&backfillRun{Service: st.Service, by: st.by, id: started.ID}}
		if _, err := job.Run(t.Context(), dying); err == nil {
			break // nothing was left, and it ended the backfill
		} else {
			require.ErrorIs(t, err, errKilled)
		}
		// The next one notes one batch.
		b := &backfillRun{Service: st.Service, by: st.by, id: started.ID}
		state, err := b.Begin(t.Context())
		require.NoError(t, err)
		require.Equal(t, job.Open, state)
		batch, err := b.Next(t.Context())
		require.NoError(t, err)
		if len(batch) == 0 {
			continue
		}
		done := make([]bool, len(batch))
		for i, one := range batch {
			done[i], err = b.Deliver(t.Context(), one, 1)
			require.NoError(t, err)
		}
		require.NoError(t, b.Note(t.Context(), batch, done))
		require.ErrorIs(t, b.Note(t.Context(), batch, done), job.ErrOvertaken, "a run that was overtaken counts nothing")
	}
	one, err := st.Backfill(t.Context(), st.by, started.ID)
	require.NoError(t, err)
	require.Equal(t, Done, one.Status)
	require.Equal(t, Counts{Filled: 2 * n * 9 / 10, Refused: 2 * n / 10}, one.Counts)
	require.Len(t, one.Refusals, mostRefusals)
	require.Equal(t, fmt.Sprint(2*n*9/10), st.ask("SELECT count(*)::text FROM workspace.records WHERE data ? 'weight'"))
}

// TestTwoRuns: two processes that work on one backfill at once count every value once.
func TestTwoRuns(t *testing.T) {
	t.Parallel()
	st := newStand(t, pgtest.New(t))
	require.NoError(t, st.SetKeeping(t.Context(), st.by, "decisions", true))
	const n = 300
	for i := range n {
		st.sends(fmt.Sprintf(`{"external_id":"K%d","weight":%d}`, i, i), fmt.Sprintf(`{"external_id":"F%d"}`, i))
		st.failure("resolved", fmt.Sprintf("F%d", i), fmt.Sprintf(`{"external_id":"F%d","weight":%d}`, i, i), 1)
	}
	st.list()
	st.column("weight", registry.Number)
	started, err := st.Start(t.Context(), st.by, "decisions", "weight", "weight")
	require.NoError(t, err)
	other := newInstance(t, st.db)
	ended := make(chan error)
	go func() {
		_, err := other.Run(t.Context(), st.by, started.ID)
		ended <- err
	}()
	_, err = st.Run(t.Context(), st.by, started.ID)
	require.NoError(t, err)
	require.NoError(t, <-ended)
	require.Equal(t, Counts{Filled: 2 * n}, st.run(started.ID).Counts)
}

// TestCancelled: a backfill that is cancelled ends, and one whose column is gone cannot go on.
func TestCancelled(t *testing.T) {
	t.Parallel()
	st := newStand(t, pgtest.New(t))
	st.sends(`{"external_id":"A","weight":1}`)
	st.list()
	st.column("weight", registry.Number)
	st.failure("resolved", "A", `{"external_id":"A","weight":5}`, 1)
	started, err := st.Start(t.Context(), st.by, "decisions", "weight", "weight")
	require.NoError(t, err)
	b := &backfillRun{Service: st.Service, by: st.by, id: started.ID}
	_, err = b.Begin(t.Context())
	require.NoError(t, err)
	_, err = st.Cancel(t.Context(), st.by, started.ID)
	require.NoError(t, err)
	require.Equal(t, Cancelled, st.run(started.ID).Status)
	batch, err := b.Next(t.Context())
	require.NoError(t, err)
	_, err = b.Deliver(t.Context(), batch[0], 1)
	require.ErrorIs(t, err, job.ErrOvertaken, "nothing is filled after the end")
	require.Empty(t, st.value("A", "weight"))

	started, err = st.Start(t.Context(), st.by, "decisions", "weight", "weight")
	require.NoError(t, err)
	_, err = st.tables.SetColumnRetired(t.Context(), auth.Operator(st.by.Tenant), "decisions", "weight", 0, true)
	require.NoError(t, err)
	one := st.run(started.ID)
	require.Equal(t, Broken, one.Status)
	require.Equal(t, "decisions has no column weight", one.Message)
	require.Equal(t, Made, st.list().Fields[0].Status)

	dismissed := st.by
	dismissed.Role = auth.Buyer
	_, err = st.tables.SetColumnRetired(t.Context(), auth.Operator(st.by.Tenant), "decisions", "weight", 0, false)
	require.NoError(t, err)
	started, err = st.Start(t.Context(), st.by, "decisions", "weight", "weight")
	require.NoError(t, err)
	_, err = st.Run(t.Context(), dismissed, started.ID)
	require.NoError(t, err)
	require.Equal(t, Broken, st.run(started.ID).Status)
}

var _ job.Work[*item] = (*backfillRun)(nil)
