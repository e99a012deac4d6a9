package ingest

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/pg/pgtest"
	"github.com/quayside/quayside/internal/registry"
)

// delivery is one request of the race, with its answer.
type delivery struct {
	slug, key, request string
	sequence           int // 0: none
	body               string
	result             Result
	err                error
}

// name is what the race's records say at a sequence. Some neighbours say the same, so that some deliveries change nothing
// but the sequence.
func (d *delivery) name() string { return "after " + strconv.Itoa(d.sequence/3) }

// happened is an event as the race's judge reads it.
type happened struct {
	version  int64
	result   string
	sequence int
	name     string
}

// TestSequenceRace delivers records in any order to two instances on one database, some of them twice, while others without a
// sequence change the same rows. The judge knows nothing of the statements: it only reads answers, rows and events.
func TestSequenceRace(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	instances := []*Service{newServiceWith(t, db, Config{Lanes: 4, Queued: 1000}), newServiceWith(t, db, Config{Lanes: 4, Queued: 1000})}
	st := stand{t, instances[0], db, pgtest.NewTenant(t, db)}
	_, err := instances[0].registry.Define(t.Context(), auth.Operator(st.tenant.ID), registry.Definition{Title: "Decisions",
		Columns: []registry.ColumnDefinition{{Name: "name", Type: registry.Text}, {Name: "country", Type: registry.Text},
			{Name: "lead_time_days", Type: registry.Number}}})
	require.NoError(t, err)
	for round := range 6 {
		random := rand.New(rand.NewPCG(3, uint64(round)))
		deliveries := raceDeliveries(random, round)
		for _, slug := range []string{"suppliers", "decisions"} { // half of the records exist already
			for key := range 3 {
				st.write(slug, fmt.Sprintf(`{"external_id":"%d-%d","name":"before"}`, round, key))
			}
		}
		var senders sync.WaitGroup
		for sender := range 16 {
			senders.Go(func() {
				for i := sender; i < len(deliveries); i += 16 {
					d := &deliveries[i]
					record := Record{By: st.by(), Slug: d.slug, Body: []byte(d.body), RequestID: d.request}
					if d.sequence > 0 {
						record.Sequence = strconv.Itoa(d.sequence)
					}
					outcome, err := instances[(i/16+sender)%2].Write(t.Context(), record)
					d.result, d.err = outcome.Result, err
				}
			})
		}
		senders.Wait()
		st.judge(deliveries)
	}
}

func raceDeliveries(random *rand.Rand, round int) (all []delivery) {
	for i := range 400 {
		d := delivery{slug: []string{"suppliers", "decisions"}[random.IntN(2)], request: fmt.Sprintf("race-%d-%d", round, i),
			key: fmt.Sprintf("%d-%d", round, random.IntN(6)), sequence: 1 + random.IntN(90)}
		switch random.IntN(8) {
		case 0: // without a sequence, of a record that exists
			d.key, d.sequence = fmt.Sprintf("%d-%d", round, random.IntN(3)), 0
			d.body = fmt.Sprintf(`{"external_id":%q,"lead_time_days":%d}`, d.key, random.IntN(90))
		case 1: // another set of columns, so another statement
			d.body = fmt.Sprintf(`{"external_id":%q,"name":%q,"country":"DE"}`, d.key, d.name())
		default:
			d.body = fmt.Sprintf(`{"external_id":%q,"name":%q}`, d.key, d.name())
		}
		all = append(all, d)
	}
	return all
}

// judge checks a race by what was delivered.
func (st stand) judge(deliveries []delivery) {
	st.t.Helper()
	t, require := st.t, require.New(st.t)
	events := st.happened()
	byRecord := map[[2]string][]*delivery{}
	for i := range deliveries {
		d := &deliveries[i]
		require.NoError(d.err, d.request)
		require.Len(events[d.request], 1, "one event for each request")
		require.Equal(string(d.result), events[d.request][0].result, "the answer is what the event says")
		byRecord[[2]string{d.slug, d.key}] = append(byRecord[[2]string{d.slug, d.key}], d)
	}
	for record, all := range byRecord {
		greatest := slices.MaxFunc(all, func(a, b *delivery) int { return a.sequence - b.sequence })
		if greatest.sequence == 0 {
			continue
		}
		name, sequence, version := st.row(record[0], record[1])
		require.Equal(greatest.name(), name, "%v has what its greatest sequence says", record)
		require.Equal(greatest.sequence, sequence, "%v", record)

		// The versions tell in which order the deliveries were stored.
		var changes, unchanged, stale []happened
		for _, d := range all {
			switch e := events[d.request][0]; e.result {
			case string(Stale):
				stale = append(stale, e)
			case string(Unchanged):
				unchanged = append(unchanged, e)
			default:
				changes = append(changes, e)
			}
		}
		slices.SortFunc(changes, func(a, b happened) int { return int(a.version - b.version) })
		highest, last := 0, int64(0)
		for _, e := range changes {
			require.Greater(e.version, last, "%v: no two changes have one version", record)
			last = e.version
			if e.sequence > 0 {
				require.GreaterOrEqual(e.sequence, highest, "%v: an older delivery was stored after a newer one", record)
				highest = e.sequence
			}
		}
		require.Equal(version, last, "%v: nothing else has changed the row", record)
		for _, e := range unchanged {
			require.False(slices.ContainsFunc(changes, func(c happened) bool {
				return c.version > e.version && c.sequence > 0 && c.sequence < e.sequence
			}), "%v: an older delivery was stored after a newer one that changed nothing", record)
		}
		for _, e := range stale {
			require.True(slices.ContainsFunc(slices.Concat(changes, unchanged), func(c happened) bool {
				return c.version <= e.version && c.sequence > e.sequence
			}), "%v: a delivery is stale only after a newer one", record)
			at := slices.IndexFunc(changes, func(c happened) bool { return c.version == e.version })
			if at >= 0 && changes[at].sequence > 0 {
				require.Equal(changes[at].name, e.name, "%v: a stale delivery's event has the row as it was", record)
			}
		}
	}
	t.Logf("%d deliveries", len(deliveries))
}

// happened returns the events by their requests.
func (st stand) happened() map[string][]happened {
	st.t.Helper()
	rows, err := st.db.Admin(st.t).Query(st.t.Context(),
		"SELECT request_id, version, data FROM workspace.events WHERE tenant_id = $1", st.tenant.ID)
	require.NoError(st.t, err)
	events := map[string][]happened{}
	var request string
	var version int64
	var data []byte
	_, err = pgx.ForEachRow(rows, []any{&request, &version, &data}, func() error {
		var event struct {
			Result, Sequence string
			Record           struct{ Name string }
		}
		if err := json.Unmarshal(data, &event); err != nil {
			return err
		}
		sequence, _ := strconv.Atoi(event.Sequence)
		events[request] = append(events[request], happened{version, event.Result, sequence, event.Record.Name})
		return nil
	})
	require.NoError(st.t, err)
	return events
}

// row returns what is stored of a record.
func (st stand) row(slug, key string) (name string, sequence int, version int64) {
	st.t.Helper()
	from := "(SELECT tenant_id, id, version, name FROM workspace.suppliers WHERE external_id = $2)"
	if slug != "suppliers" {
		from = "(SELECT tenant_id, id, version, data ->> 'name' AS name FROM workspace.records WHERE slug = 'decisions' AND external_id = $2)"
	}
	require.NoError(st.t, st.db.Admin(st.t).QueryRow(st.t.Context(), "SELECT s.name, q.sequence::bigint, s.version FROM "+from+
		" s JOIN workspace.record_sequences q ON q.tenant_id = s.tenant_id AND q.record_id = s.id WHERE s.tenant_id = $1",
		st.tenant.ID, key).Scan(&name, &sequence, &version))
	return name, sequence, version
}
