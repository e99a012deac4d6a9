package failed

import (
	"context"
	"fmt"
	"log/slog"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/fault"
	"github.com/quayside/quayside/internal/ingest"
	"github.com/quayside/quayside/internal/mend"
	"github.com/quayside/quayside/internal/page"
	"github.com/quayside/quayside/internal/pg/pgtest"
	"github.com/quayside/quayside/internal/registry"
	"github.com/quayside/quayside/internal/telemetry"
)

// stand is a company whose shop sends suppliers.
type stand struct {
	*Service
	t       *testing.T
	records *ingest.Service
	admin   *pgx.Conn
	by      auth.Principal
}

func newStand(t *testing.T) *stand {
	t.Helper()
	db := pgtest.New(t)
	tenant := pgtest.NewTenant(t, db)
	records := ingest.New(db.Cells, registry.New(db.Cells), slog.New(slog.DiscardHandler), telemetry.NewMetrics(),
		ingest.Config{Lanes: 2, Queued: 1000})
	t.Cleanup(records.Close)
	st := &stand{Service: New(db.Cells, records), t: t, records: records, admin: db.Admin(t), by: auth.Principal{
		Tenant: tenant.ID, Workspace: tenant.Workspace, Zone: time.UTC, Role: auth.CompanyAdmin,
		Person: uuid.New(), Actor: auth.Actor{Type: auth.ByPerson, ID: uuid.NewString()}}}
	// A lead time cannot be refused for long: the failed ones can be retried as they came.
	st.exec("ALTER TABLE workspace.suppliers ADD CONSTRAINT too_slow CHECK (lead_time_days < 100) NOT VALID")
	return st
}

func (st *stand) exec(sql string) {
	st.t.Helper()
	_, err := st.admin.Exec(st.t.Context(), sql)
	require.NoError(st.t, err)
}

// deliver sends a supplier as the shop does.
func (st *stand) deliver(sequence, body string) (ingest.Result, error) {
	by := auth.Principal{Tenant: st.by.Tenant, Workspace: st.by.Workspace, Zone: time.UTC, Scope: auth.AllTables,
		Actor: auth.Actor{Type: auth.ByOperator}}
	outcome, err := st.records.Write(st.t.Context(), ingest.Record{By: by, Slug: "suppliers", Body: []byte(body), RequestID: "test",
		Terms: ingest.Terms{Sequence: sequence}})
	return outcome.Result, err
}

// fails sends a supplier that is refused, and then lets PostgreSQL take such records.
func (st *stand) fails(sequence, body string) uuid.UUID {
	st.t.Helper()
	_, err := st.deliver(sequence, body)
	require.Error(st.t, err)
	failures, _, err := st.List(st.t.Context(), st.by, Open, Filter{}, page.All)
	require.NoError(st.t, err)
	return failures[0].ID
}

func (st *stand) ask(sql string) (text string) {
	st.t.Helper()
	require.NoError(st.t, st.admin.QueryRow(st.t.Context(), sql).Scan(&text))
	return text
}

const named = "SELECT concat_ws(' ', name, lead_time_days, version) FROM workspace.suppliers"

// TestStaleRetries retries failed imports that are older than what was stored since: by hand, at once, by a token, edited,
// and although newer rows are to be overwritten. Each is closed, and changes nothing.
func TestStaleRetries(t *testing.T) {
	t.Parallel()
	const failing = `{"external_id":"S1","name":"Older","lead_time_days":200}`
	edited := []byte(`{"external_id":"S1","name":"Older","lead_time_days":20}`)
	hand := func(again Again) func(*stand, uuid.UUID) error {
		return func(st *stand, id uuid.UUID) error {
			rehearsed, err := st.Rehearse(st.t.Context(), st.by, id, again)
			if again.Fixes == nil {
				require.NoError(st.t, err)
				require.Equal(st.t, ingest.Stale, rehearsed.Result)
			}
			outcome, err := st.Retry(st.t.Context(), st.by, id, again)
			require.Equal(st.t, ingest.Stale, outcome.Result)
			return err
		}
	}
	for name, retry := range map[string]func(*stand, uuid.UUID) error{
		"by hand":                hand(Again{}),
		"edited":                 hand(Again{Payload: edited}),
		"edited, with overwrite": hand(Again{Payload: edited, Overwrite: true}),
		"with overwrite":         hand(Again{Overwrite: true}),
		"by a token": func(st *stand, id uuid.UUID) error {
			token := *st
			token.by.Token, token.by.Scopes = uuid.New(), auth.Scopes()
			token.by.Actor = auth.Actor{Type: auth.ByAgent, ID: uuid.NewString()}
			return hand(Again{})(&token, id) // no error names a field that it might correct
		},
		"in bulk": func(st *stand, _ uuid.UUID) error {
			plan := Plan{Fixes: []mend.Fix{{Do: mend.SetField, Field: "lead_time_days", Value: []byte("20")}}, Overwrite: true}
			bulk, err := st.Start(st.t.Context(), st.by, plan, 1, nil)
			require.NoError(st.t, err)
			_, err = st.Run(st.t.Context(), st.by, bulk.ID)
			require.NoError(st.t, err)
			bulk, err = st.Bulk(st.t.Context(), st.by, bulk.ID)
			require.Equal(st.t, []int64{0, 0, 0, 1}, []int64{bulk.Succeeded, bulk.Refused, bulk.Newer, bulk.Skipped})
			require.Equal(st.t, Done, bulk.Status)
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			st := newStand(t)
			id := st.fails("5", failing)
			_, err := st.deliver("9", `{"external_id":"S1","name":"Newer","lead_time_days":30}`)
			require.NoError(t, err)
			st.exec("ALTER TABLE workspace.suppliers DROP CONSTRAINT too_slow")
			require.NoError(t, retry(st, id))
			require.Equal(t, "Newer 30 1", st.ask(named))
			require.Equal(t, "0000000000000000009", st.ask("SELECT sequence FROM workspace.record_sequences"))
			failure, err := st.Get(t.Context(), st.by, id)
			require.NoError(t, err)
			require.Equal(t, Resolved, failure.Status)
			require.Equal(t, "a newer delivery of the record is stored", *failure.ClosedReason)
			require.Equal(t, "5", failure.Sequence.String())
			require.Equal(t, "stale", failure.Attempts[0].Code)
			require.Equal(t, "2", st.ask("SELECT count(*)::text FROM workspace.events"), "one for each request")

			// The attempt says nothing about the row: an import that failed before it, but after the row, can be retried.
			require.Equal(t, "true", st.ask(`SELECT bool_and(subject IS NULL AND version IS NULL AND stated_at IS NULL AND as_of IS NULL)::text
				FROM workspace.failed_import_attempts`))
		})
	}
}

// TestRetriesInOrder retries failed imports whose sequences are greater than what is stored. They take it over.
func TestRetriesInOrder(t *testing.T) {
	t.Parallel()
	st := newStand(t)
	_, err := st.deliver("3", `{"external_id":"S1","name":"First","lead_time_days":1}`)
	require.NoError(t, err)
	five := st.fails("5", `{"external_id":"S1","name":"Five","lead_time_days":500}`)
	nine := st.fails("9", `{"external_id":"S1","name":"Nine","lead_time_days":900}`)
	six := st.fails("6", `{"external_id":"S1","name":"Six","lead_time_days":600}`)
	st.exec("ALTER TABLE workspace.suppliers DROP CONSTRAINT too_slow")
	for _, tt := range []struct {
		id   uuid.UUID
		want ingest.Result
		row  string
	}{{five, ingest.Updated, "Five 500 2"}, {nine, ingest.Updated, "Nine 900 3"}, {six, ingest.Stale, "Nine 900 3"}} {
		outcome, err := st.Retry(t.Context(), st.by, tt.id, Again{})
		require.NoError(t, err)
		require.Equal(t, tt.want, outcome.Result)
		require.Equal(t, tt.row, st.ask(named))
	}
	result, err := st.deliver("8", `{"external_id":"S1","name":"Eight"}`)
	require.NoError(t, err)
	require.Equal(t, ingest.Stale, result, "a retry has stored its sequence")
}

// TestRetriesWithoutSequence keeps the rule of records without one: what was changed after the failure stays.
func TestRetriesWithoutSequence(t *testing.T) {
	t.Parallel()
	st := newStand(t)
	id := st.fails("soon", `{"external_id":"S1","name":"Older","lead_time_days":20}`)
	_, err := st.deliver("9", `{"external_id":"S1","name":"Newer","lead_time_days":30}`)
	require.NoError(t, err)
	_, err = st.Retry(t.Context(), st.by, id, Again{})
	require.True(t, fault.HasCode(err, "newer"), "%v", err)
	outcome, err := st.Retry(context.WithoutCancel(t.Context()), st.by, id, Again{Overwrite: true})
	require.NoError(t, err)
	require.Equal(t, ingest.Updated, outcome.Result)
	require.Equal(t, "Older 20 2 0000000000000000009",
		st.ask("SELECT concat_ws(' ', name, lead_time_days, s.version, sequence) FROM workspace.suppliers s JOIN workspace.record_sequences ON record_id = id"))
}

// TestOnlyNewerDataCloses has the sweep close what was stored later: with data that is newer than the failed one, by the sequences
// or else by arrival. A retry of an older failure stores older data.
func TestOnlyNewerDataCloses(t *testing.T) {
	t.Parallel()
	record := func(name, days string) string {
		return fmt.Sprintf(`{"external_id":"S1","name":%q,"lead_time_days":%q}`, name, days)
	}
	type step func(st *stand, failed []uuid.UUID)
	deliver := func(sequence string) step {
		return func(st *stand, _ []uuid.UUID) {
			_, err := st.deliver(sequence, record("Delivered", "50"))
			require.NoError(st.t, err)
		}
	}
	retry := func(n int) step {
		return func(st *stand, failed []uuid.UUID) {
			_, err := st.Retry(st.t.Context(), st.by, failed[n], Again{Payload: []byte(record("Retried", fmt.Sprint(n)))})
			require.NoError(st.t, err)
		}
	}
	diesAfter := func(do step, n int) step {
		return func(st *stand, failed []uuid.UUID) {
			do(st, failed)
			st.exec("UPDATE workspace.failed_imports SET status = 'open', closed_at = NULL, closed_how = NULL WHERE id = '" + failed[n].String() + "'")
		}
	}
	for name, tt := range map[string]struct {
		failed []string // the sequences
		then   step
		open   []int
	}{
		"a delivery":                            {[]string{"", ""}, deliver(""), nil},
		"a retry of the older":                  {[]string{"", ""}, retry(0), []int{1}},
		"a retry of the newer":                  {[]string{"", ""}, retry(1), nil},
		"a retry whose process dies":            {[]string{"", ""}, diesAfter(retry(0), 0), []int{1}},
		"a greater sequence":                    {[]string{"5"}, deliver("9"), nil},
		"the same sequence":                     {[]string{"5"}, deliver("5"), nil},
		"a smaller sequence":                    {[]string{"9"}, deliver("5"), []int{0}},
		"a sequence of another kind":            {[]string{"9"}, deliver("2026-03-01T00:00:00Z"), nil},
		"a delivery without":                    {[]string{"9"}, deliver(""), nil},
		"a retry of what came before and ranks": {[]string{"9", "5"}, retry(0), nil},
		"a retry of what came after and ranks":  {[]string{"9", "5"}, retry(1), []int{0}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			st := newStand(t)
			var ids []uuid.UUID
			for n, sequence := range tt.failed {
				ids = append(ids, st.fails(sequence, record(fmt.Sprint("Failed ", n), "soon")))
			}
			tt.then(st, ids)
			require.NoError(t, st.records.PassNow(t.Context()))
			var open []int
			for n, id := range ids {
				failure, err := st.Get(t.Context(), st.by, id)
				require.NoError(t, err)
				if failure.Status == Open {
					open = append(open, n)
				}
			}
			require.Equal(t, tt.open, open)
		})
	}
}

// TestGreaterSequenceIsNewer retries a failed import after a delivery with a smaller sequence was stored. That came later, and is
// older. What a person has changed since stays.
func TestGreaterSequenceIsNewer(t *testing.T) {
	t.Parallel()
	for name, edited := range map[string]bool{"stored by a delivery": false, "edited since": true} {
		st := newStand(t)
		nine := st.fails("9", `{"external_id":"S1","name":"Nine","lead_time_days":900}`)
		_, err := st.deliver("5", `{"external_id":"S1","name":"Five","lead_time_days":5}`)
		require.NoError(t, err)
		st.exec("ALTER TABLE workspace.suppliers DROP CONSTRAINT too_slow")
		if !edited {
			outcome, err := st.Retry(t.Context(), st.by, nine, Again{})
			require.NoError(t, err, name)
			require.Equal(t, ingest.Updated, outcome.Result)
			require.Equal(t, "Nine 900 2", st.ask(named))
			continue
		}
		_, err = st.records.Edit(t.Context(), st.by, "suppliers", st.ask("SELECT id FROM workspace.suppliers"), []byte(`{"name":"Ours"}`), 1)
		require.NoError(t, err)
		_, err = st.Retry(t.Context(), st.by, nine, Again{})
		require.True(t, fault.HasCode(err, "newer"), "%s: %v", name, err)
	}
}
