package ingest

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/fault"
	"github.com/quayside/quayside/internal/pg/pgtest"
)

// stand is a tenant with some records that other records can refer to.
type stand struct {
	t      *testing.T
	s      *Service
	db     *pgtest.DB
	tenant pgtest.Tenant
}

func newStand(t *testing.T, s *Service, db *pgtest.DB) stand {
	t.Helper()
	st := stand{t, s, db, pgtest.NewTenant(t, db)}
	st.write("suppliers", `{"external_id":"S1","name":"Acme"}`)
	st.write("products", `{"external_id":"P1","sku":"TEA","name":"Tea","supplier_id":"S1"}`)
	for i := range 5 {
		st.write("purchase_order_lines",
			fmt.Sprintf(`{"external_id":"known-%d","order_no":"1","sku":"TEA","quantity_ordered":10}`, i))
	}
	return st
}

func (st stand) by() auth.Principal {
	return auth.Principal{Tenant: st.tenant.ID, Workspace: st.tenant.Workspace, Zone: time.UTC, Scope: auth.AllTables,
		Actor: auth.Actor{Type: auth.ByOperator}}
}

func (st stand) write(slug, body string) {
	st.t.Helper()
	_, err := st.s.Write(st.t.Context(), Record{By: st.by(), Slug: slug, Body: []byte(body), RequestID: "test"})
	require.NoError(st.t, err)
}

// tickets prepares records for a batch.
func (st stand) tickets(bodies []string) []*ticket {
	st.t.Helper()
	table, err := st.s.registry.Table(st.t.Context(), st.tenant.ID, "purchase_order_lines")
	require.NoError(st.t, err)
	tickets := make([]*ticket, 0, len(bodies))
	for _, body := range bodies {
		fields, err := decode([]byte(body))
		require.NoError(st.t, err)
		clean := sanitize(table, fields, time.UTC, false)
		require.Empty(st.t, clean.refused)
		tickets = append(tickets, &ticket{clean: clean, mode: write, record: Record{By: st.by(), RequestID: "test"}})
	}
	return tickets
}

// flush writes the records as one batch and returns their answers as text.
func (st stand) flush(bodies []string) []string {
	st.t.Helper()
	tickets := st.tickets(bodies)
	st.s.flush(tickets)()
	var locked []*ticket
	for _, ticket := range tickets {
		if errors.Is(ticket.err, errDetour) {
			locked = append(locked, ticket)
		}
	}
	st.s.flushDetour(locked)()
	answers := make([]string, 0, len(tickets))
	for _, ticket := range tickets {
		outcome, err := ticket.verdict.outcome(ticket.clean)
		if err = errors.Join(ticket.err, err); ticket.err != nil {
			err = ticket.err
		}
		if err != nil {
			_, public := fault.Public(err)
			answers = append(answers, public.Message)
			continue
		}
		answers = append(answers, string(outcome.Result))
	}
	return answers
}

// rows returns the tenant's stored lines with their numbers of events, without times and ids.
func (st stand) rows() []string {
	st.t.Helper()
	var lines []string
	err := st.db.InTenant(st.t.Context(), st.tenant.ID, func(tx pgx.Tx) error {
		rows, err := tx.Query(st.t.Context(), `SELECT (to_jsonb(l) - '{id,tenant_id,workspace_id,created_at,updated_at,received_at,supplier_id,product_id}'::text[])::text
			|| (l.supplier_id IS NOT NULL)::text || (SELECT count(*) FROM workspace.events e WHERE e.tenant_id = l.tenant_id AND e.subject = l.id)::text
			FROM workspace.purchase_order_lines l WHERE l.tenant_id = $1 ORDER BY l.external_id`, st.tenant.ID)
		if err != nil {
			return err
		}
		lines, err = pgx.CollectRows(rows, pgx.RowTo[string])
		return err
	})
	require.NoError(st.t, err)
	return lines
}

// randomLines returns records with distinct keys: new and known lines, complete and partial
// ones, valid and invalid references, and copies of stored lines.
func randomLines(random *rand.Rand, n int) []string {
	var bodies []string
	for i := range n {
		fields := []string{fmt.Sprintf(`"external_id":"new-%d"`, i)}
		if i < 5 {
			fields[0] = fmt.Sprintf(`"external_id":"known-%d"`, i)
		}
		for _, field := range []string{`"order_no":"1"`, `"sku":"TEA"`, `"sku":"NONE"`, `"quantity_ordered":10`,
			`"quantity_received":4`, `"status":"ordered"`, `"supplier_id":"S1"`, `"supplier_id":"nobody"`, `"note":null`,
			`"price_per_unit":"1.5"`} {
			name, _, _ := strings.Cut(field, ":")
			if random.IntN(3) > 0 && !strings.Contains(strings.Join(fields, ","), name) {
				fields = append(fields, field)
			}
		}
		bodies = append(bodies, "{"+strings.Join(fields, ",")+"}")
	}
	random.Shuffle(len(bodies), func(i, j int) { bodies[i], bodies[j] = bodies[j], bodies[i] })
	return bodies
}

// TestABatchEqualsSingles writes the same records to two tenants: to one as a batch, to the
// other one by one in another order. Answers, rows and numbers of events are the same. Sending
// all records again changes nothing.
func TestABatchEqualsSingles(t *testing.T) {
	t.Parallel()
	s, db := newService(t)
	for round := range 15 {
		random := rand.New(rand.NewPCG(1, uint64(round)))
		bodies := randomLines(random, 30)
		together, apart := newStand(t, s, db), newStand(t, s, db)

		answers := together.flush(bodies)
		singles := map[string]string{}
		for _, i := range random.Perm(len(bodies)) {
			singles[bodies[i]] = apart.flush(bodies[i : i+1])[0]
		}
		for i, body := range bodies {
			require.Equal(t, singles[body], answers[i], body)
		}
		require.Equal(t, apart.rows(), together.rows())

		again := together.flush(bodies)
		for i, answer := range answers {
			if answer == "created" || answer == "updated" {
				answer = "unchanged"
			}
			if again[i] == errRaced.Error() || again[i] == "internal error" {
				continue // a trigger undid the change; the service would try again, with a lock
			}
			require.Equal(t, answer, again[i], bodies[i])
		}
	}
}

// TestPoison adds records that make the database raise an error, which rolls the whole batch
// back. The other records are answered and stored as if these were not in the batch.
func TestPoison(t *testing.T) {
	t.Parallel()
	s, db := newService(t)
	_, err := db.Owner(t).Exec(t.Context(),
		"ALTER TABLE workspace.purchase_order_lines ADD CONSTRAINT poison CHECK (note IS DISTINCT FROM 'poison')")
	require.NoError(t, err)
	for round, share := range []int{1, 5, 20, 59} {
		random := rand.New(rand.NewPCG(2, uint64(round)))
		clean, mixed := newStand(t, s, db), newStand(t, s, db)
		bodies := randomLines(random, 60)
		want := map[string]string{}
		for i, answer := range clean.flush(bodies) {
			want[bodies[i]] = answer
		}
		var poisoned []string
		for i := range share {
			poisoned = append(poisoned,
				fmt.Sprintf(`{"external_id":"poison-%d","order_no":"1","sku":"TEA","quantity_ordered":1,"note":"poison"}`, i))
		}
		all := slices.Concat(poisoned, bodies)
		random.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
		for i, answer := range mixed.flush(all) {
			if strings.Contains(all[i], "poison") {
				require.Equal(t, "a value breaks a rule of the table", answer)
				continue
			}
			require.Equal(t, want[all[i]], answer, all[i])
		}
		require.Equal(t, clean.rows(), mixed.rows())
	}
}

// TestUnchangedWritesNothing checks that an unchanged record writes no new tuple.
func TestUnchangedWritesNothing(t *testing.T) {
	t.Parallel()
	s, db := newService(t)
	st := newStand(t, s, db)
	place := func() (at string) {
		require.NoError(t, db.Admin(t).QueryRow(t.Context(),
			"SELECT ctid::text || xmin::text || xmax::text FROM workspace.purchase_order_lines WHERE external_id = 'known-1'").Scan(&at))
		return at
	}
	before := place()
	require.Equal(t, []string{"unchanged"},
		st.flush([]string{`{"external_id":"known-1","order_no":"1","sku":"TEA","quantity_ordered":10.0}`}))
	require.Equal(t, before, place())
}

// TestOvertaken changes a row while a record for it waits. The record is compared with the
// changed row.
func TestOvertaken(t *testing.T) {
	t.Parallel()
	s, db := newService(t)
	st := newStand(t, s, db)
	st.write("purchase_order_lines", `{"external_id":"known-1","status":"ordered","quantity_received":10}`)
	admin := db.Admin(t)
	tx, err := admin.Begin(t.Context())
	require.NoError(t, err)
	_, err = tx.Exec(t.Context(),
		"UPDATE workspace.purchase_order_lines SET quantity_ordered = 20 WHERE external_id = 'known-1'")
	require.NoError(t, err)
	written := make(chan error, 1)
	go func() {
		_, err := s.Write(t.Context(), Record{By: st.by(), Slug: "purchase_order_lines",
			Body: []byte(`{"external_id":"known-1","status":"ordered"}`), RequestID: "test"})
		written <- err
	}()
	pgtest.AwaitWaiting(t, db.Admin(t), 1)
	require.NoError(t, tx.Commit(t.Context()))
	require.NoError(t, <-written)
	var status string
	require.NoError(t, admin.QueryRow(t.Context(),
		"SELECT status FROM workspace.purchase_order_lines WHERE external_id = 'known-1'").Scan(&status))
	require.Equal(t, "partially_received", status, "10 of 20")
}

// TestALockedRowHoldsNobodyUp keeps a row locked. Its record gets a retryable error, and the
// other records of the batch are stored.
func TestALockedRowHoldsNobodyUp(t *testing.T) {
	t.Parallel()
	s, db := newService(t)
	st := newStand(t, s, db)
	admin := db.Admin(t)
	tx, err := admin.Begin(t.Context())
	require.NoError(t, err)
	_, err = tx.Exec(t.Context(), "SELECT FROM workspace.purchase_order_lines WHERE external_id = 'known-1' FOR UPDATE")
	require.NoError(t, err)
	answers := st.flush([]string{`{"external_id":"known-1","note":"x"}`, `{"external_id":"known-2","note":"x"}`,
		`{"external_id":"known-3","note":"x"}`})
	require.Equal(t, []string{"temporarily unavailable", "updated", "updated"}, answers)
	require.NoError(t, tx.Rollback(t.Context()))
}

// TestALockedOrderHoldsNobodyUp locks the row of an order, which the triggers of its lines
// write. Lines of other orders are stored.
func TestALockedOrderHoldsNobodyUp(t *testing.T) {
	t.Parallel()
	s, db := newService(t)
	st := newStand(t, s, db)
	line := func(id, order string) string {
		return fmt.Sprintf(`{"external_id":%q,"order_no":%q,"sku":"TEA","quantity_ordered":1}`, id, order)
	}
	require.Equal(t, []string{"created", "created"}, st.flush([]string{line("a", "HELD"), line("b", "FREE")}))
	tx, err := db.Admin(t).Begin(t.Context())
	require.NoError(t, err)
	_, err = tx.Exec(t.Context(), "SELECT FROM workspace.purchase_orders WHERE order_no = 'HELD' FOR UPDATE")
	require.NoError(t, err)
	answers := st.flush([]string{line("c", "HELD"), line("d", "FREE"), line("e", "HELD"), line("f", "FREE"),
		line("g", "NEW"), line("h", "HELD")})
	require.Equal(t, []string{"temporarily unavailable", "created", "temporarily unavailable", "created", "created",
		"temporarily unavailable"}, answers)
	require.NoError(t, tx.Rollback(t.Context()))
	require.Equal(t, []string{"created"}, st.flush([]string{line("c", "HELD")}))
}

// TestCallersWhoHangUp has half of the callers hang up before their records are written. All
// records are stored, and the other callers get their answers.
func TestCallersWhoHangUp(t *testing.T) {
	t.Parallel()
	s, db := newService(t)
	st := newStand(t, s, db)
	gone, hangUp := context.WithCancel(t.Context())
	hangUp()
	var callers sync.WaitGroup
	errs := make([]error, 40)
	for i := range errs {
		callers.Go(func() {
			ctx := t.Context()
			if i%2 == 0 {
				ctx = gone
			}
			body := fmt.Sprintf(`{"external_id":"caller-%d","order_no":"1","sku":"TEA","quantity_ordered":1}`, i)
			_, errs[i] = s.Write(ctx, Record{By: st.by(), Slug: "purchase_order_lines", Body: []byte(body), RequestID: "test"})
		})
	}
	callers.Wait()
	require.NoError(t, errors.Join(errs...))
	require.Len(t, st.rows(), 5+len(errs))
}

// TestNothingIsSaidBeforeTheCommit has the commit fail after every statement has succeeded.
// The record must not be answered as stored.
func TestNothingIsSaidBeforeTheCommit(t *testing.T) {
	t.Parallel()
	s, db := newService(t)
	st := newStand(t, s, db)
	_, err := db.Owner(t).Exec(t.Context(), `
		CREATE FUNCTION workspace.too_late() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'too late'; END $$;
		CREATE CONSTRAINT TRIGGER too_late AFTER INSERT ON workspace.purchase_order_lines DEFERRABLE INITIALLY DEFERRED
			FOR EACH ROW WHEN (NEW.note = 'late') EXECUTE FUNCTION workspace.too_late()`)
	require.NoError(t, err)
	line := func(id, note string) string {
		return fmt.Sprintf(`{"external_id":%q,"order_no":"1","sku":"TEA","quantity_ordered":1,"note":%q}`, id, note)
	}
	require.Equal(t, []string{"internal error"}, st.flush([]string{line("alone", "late")}))
	before := st.rows()
	answers := st.flush([]string{line("a", "fine"), line("b", "late"), line("c", "fine")})
	require.NotContains(t, answers, "created", "a savepoint does not see what fails at the commit, so nobody was stored")
	require.Equal(t, before, st.rows())
}
