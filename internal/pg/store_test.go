package pg_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/quayside/quayside/internal/fault"
	"github.com/quayside/quayside/internal/pg"
	"github.com/quayside/quayside/internal/pg/pgtest"
)

const racers = 8

// store is a tenant's tables, written as the service writes them.
type store struct {
	t      *testing.T
	db     *pgtest.DB
	tenant pgtest.Tenant
}

func newStore(t *testing.T) store {
	t.Helper()
	db := pgtest.New(t)
	return store{t: t, db: db, tenant: pgtest.NewTenant(t, db)}
}

// exec runs one statement in its own transaction. $1 and $2 are tenant and workspace.
func (s store) exec(sql string, args ...any) error {
	return s.db.InTenant(s.t.Context(), s.tenant.ID, func(tx pgx.Tx) error {
		_, err := tx.Exec(s.t.Context(), sql, append([]any{s.tenant.ID, s.tenant.Workspace}, args...)...)
		return err
	})
}

func (s store) must(sql string, args ...any) {
	s.t.Helper()
	require.NoError(s.t, s.exec(sql, args...))
}

// one reads one row as a slice of text, with "-" for null.
func (s store) one(sql string, args ...any) []string {
	s.t.Helper()
	var row []string
	err := s.db.InTenant(s.t.Context(), s.tenant.ID, func(tx pgx.Tx) error {
		return tx.QueryRow(s.t.Context(), "SELECT ARRAY(SELECT coalesce(v, '-') FROM unnest(r.v) v) FROM ("+sql+") r",
			args...).Scan(&row)
	})
	require.NoError(s.t, err)
	return row
}

// race runs fn for every racer at once and returns the errors.
func race(fn func(racer int) error) []error {
	var (
		start = make(chan struct{})
		errs  = make([]error, racers)
		wait  sync.WaitGroup
	)
	for racer := range racers {
		wait.Go(func() {
			<-start
			errs[racer] = fn(racer)
		})
	}
	close(start)
	wait.Wait()
	return errs
}

func failures(errs []error) (failed []error) {
	for _, err := range errs {
		if err != nil {
			failed = append(failed, err)
		}
	}
	return failed
}

const (
	addSupplier = "INSERT INTO workspace.suppliers (tenant_id, workspace_id, id, external_id, name) VALUES ($1, $2, $3, $3, $4)"
	addProduct  = "INSERT INTO workspace.products (tenant_id, workspace_id, id, external_id, sku, name, supplier_id, product_external_id) VALUES ($1, $2, $3, $4, $5, $6, $7, 'parent')"
	addLine     = "INSERT INTO workspace.purchase_order_lines (tenant_id, workspace_id, external_id, order_no, sku, quantity_ordered, product_id, supplier_id) VALUES ($1, $2, $3, 'PO-1', $4, 10, $5, $6)"
	readLine    = "SELECT ARRAY[product_name, supplier_name, variant_external_id, product_external_id] AS v FROM workspace.purchase_order_lines WHERE external_id = $1"
)

func TestSnapshots(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	s.must(addSupplier, "s1", "Acme")
	s.must(addSupplier, "s2", "Bolt")
	s.must(addProduct, "p1", "gid/1", "TEA", "Tea", "s1")
	s.must(addProduct, "p2", "gid/2", "DOUBLE", "First", "s1")
	s.must(addProduct, "p3", "gid/3", "DOUBLE", "Second", "s2")
	s.must(addProduct, "p4", "gid/4", "TWIN", "With id", "s1")
	s.must(addProduct, "p5", nil, "TWIN", "By SKU", nil)
	s.must(addProduct, "p6", nil, "ONLY", "By SKU only", nil)

	for _, tt := range []struct {
		name              string
		sku               string
		product, supplier any
		want              []string
	}{
		{"by SKU, with the article's supplier", "TEA", nil, nil, []string{"Tea", "Acme", "gid/1", "parent"}},
		{"the line's own supplier wins", "TEA", nil, "s2", []string{"Tea", "Bolt", "gid/1", "parent"}},
		{"product_id wins over the SKU", "TEA", "p3", nil, []string{"Second", "Bolt", "gid/3", "parent"}},
		{"unknown SKU", "NONE", nil, "s1", []string{"-", "Acme", "-", "-"}},
		{"ambiguous SKU", "DOUBLE", nil, nil, []string{"-", "-", "-", "-"}},
		{"ambiguous SKU, product_id decides", "DOUBLE", "p2", nil, []string{"First", "Acme", "gid/2", "parent"}},
		{"a twin known by SKU alone does not count", "TWIN", nil, nil, []string{"With id", "Acme", "gid/4", "parent"}},
		{"an article known by SKU alone", "ONLY", nil, nil, []string{"By SKU only", "-", "-", "parent"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s.must(addLine, tt.name, tt.sku, tt.product, tt.supplier)
			require.Equal(t, tt.want, s.one(readLine, tt.name))
		})
	}

	t.Run("kept when the article is renamed, taken anew when the SKU changes", func(t *testing.T) {
		s.must(addLine, "L", "TEA", nil, nil)
		s.must("UPDATE workspace.products SET name = 'Renamed' WHERE tenant_id = $1 AND workspace_id = $2 AND id = 'p1'")
		s.must("UPDATE workspace.purchase_order_lines SET note = 'x' WHERE tenant_id = $1 AND workspace_id = $2 AND external_id = 'L'")
		require.Equal(t, []string{"Tea", "Acme", "gid/1", "parent"}, s.one(readLine, "L"))
		s.must("UPDATE workspace.purchase_order_lines SET sku = 'ONLY' WHERE tenant_id = $1 AND workspace_id = $2 AND external_id = 'L'")
		require.Equal(t, []string{"By SKU only", "-", "-", "parent"}, s.one(readLine, "L"))
		s.must("UPDATE workspace.purchase_order_lines SET sku = 'NONE', supplier_id = 's2' WHERE tenant_id = $1 AND workspace_id = $2 AND external_id = 'L'")
		require.Equal(t, []string{"-", "Bolt", "-", "-"}, s.one(readLine, "L"))
	})

	t.Run("another workspace's article is not taken", func(t *testing.T) {
		require.NoError(t, s.db.InTenant(t.Context(), s.tenant.ID, func(tx pgx.Tx) error {
			_, err := tx.Exec(t.Context(), "UPDATE workspace.products SET workspace_id = gen_random_uuid() WHERE id = 'p6'")
			return err
		}))
		s.must(addLine, "elsewhere", "ONLY", nil, nil)
		require.Equal(t, []string{"-", "-", "-", "-"}, s.one(readLine, "elsewhere"))
	})

	t.Run("racing writers", func(t *testing.T) {
		errs := race(func(racer int) error {
			for i := range 20 {
				if err := s.exec(addLine, fmt.Sprintf("race-%d-%d", racer, i), "TEA", nil, nil); err != nil {
					return err
				}
			}
			return nil
		})
		require.Empty(t, failures(errs))
		require.Equal(t, []string{"160"},
			s.one("SELECT ARRAY[count(*)::text] AS v FROM workspace.purchase_order_lines WHERE external_id LIKE 'race-%' AND product_name = 'Renamed' AND supplier_name = 'Acme'"))
	})
}

func TestReceipts(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	const add = "INSERT INTO workspace.purchase_order_lines (tenant_id, workspace_id, external_id, order_no, sku, status, quantity_ordered, quantity_received, received_at) VALUES ($1, $2, $3, 'PO', 'X', $4, $5, $6, $7)"
	const read = "SELECT ARRAY[status, (received_at IS NOT NULL)::text] AS v FROM workspace.purchase_order_lines WHERE external_id = $1"
	for _, tt := range []struct {
		name              string
		status            string
		ordered, received int
		receivedAt        any
		want              []string
	}{
		{"nothing received", "ordered", 10, 0, nil, []string{"ordered", "false"}},
		{"part of it", "ordered", 10, 4, nil, []string{"partially_received", "false"}},
		{"all of it", "ordered", 10, 10, nil, []string{"received", "true"}},
		{"more than all", "partially_received", 10, 12, nil, []string{"received", "true"}},
		{"the rest", "partially_received", 10, 10, nil, []string{"received", "true"}},
		{"received as sent, with its time", "received", 10, 10, nil, []string{"received", "true"}},
		{"closed short stays as sent", "received", 10, 4, nil, []string{"received", "false"}},
		{"drafts do not move", "draft", 10, 10, nil, []string{"draft", "false"}},
		{"pending lines do not move", "pending_approval", 10, 10, nil, []string{"pending_approval", "false"}},
		{"cancelled lines do not move", "cancelled", 10, 4, nil, []string{"cancelled", "false"}},
		{"nothing was ordered", "ordered", 0, 0, nil, []string{"ordered", "false"}},
		{"part, sent as partially received", "partially_received", 10, 0, nil, []string{"partially_received", "false"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s.must(add, tt.name, tt.status, tt.ordered, tt.received, tt.receivedAt)
			require.Equal(t, tt.want, s.one(read, tt.name))
		})
	}
	t.Run("a time that was sent is kept", func(t *testing.T) {
		s.must(add, "timed", "ordered", 1, 1, "2020-01-02T00:00:00Z")
		require.Equal(t, []string{"2020"},
			s.one("SELECT ARRAY[to_char(received_at, 'YYYY')] AS v FROM workspace.purchase_order_lines WHERE external_id = 'timed'"))
	})
	t.Run("racing receipts", func(t *testing.T) {
		s.must(add, "shared", "ordered", racers*10, 0, nil)
		errs := race(func(int) error {
			for range 10 {
				err := s.exec("UPDATE workspace.purchase_order_lines SET quantity_received = quantity_received + 1 WHERE tenant_id = $1 AND workspace_id = $2 AND external_id = 'shared'")
				if err != nil {
					return err
				}
			}
			return nil
		})
		require.Empty(t, failures(errs))
		// 80 receipts: 80 changes, the last of which completed the line.
		require.Equal(t, []string{"received", "80", "81"},
			s.one("SELECT ARRAY[status, quantity_received::text, version::text] AS v FROM workspace.purchase_order_lines WHERE external_id = 'shared'"))
	})
}

func TestDoubleOrderLock(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	add := func(key, status, id string) error {
		return s.exec("INSERT INTO workspace.purchase_order_lines (tenant_id, workspace_id, external_id, order_no, sku, quantity_ordered, recommendation_key, status) VALUES ($1, $2, $3, 'PO', 'X', 1, $4, $5)", id, key, status)
	}
	for _, status := range []string{"draft", "pending_approval", "ordered", "partially_received"} {
		errs := race(func(racer int) error { return add("open-"+status, status, fmt.Sprint(status, racer)) })
		failed := failures(errs)
		require.Len(t, failed, racers-1, "one line may be %s", status)
		for _, err := range failed {
			require.True(t, fault.HasCode(err, "recommendation_locked"), err)
		}
	}
	for _, status := range []string{"received", "cancelled"} {
		require.Empty(t, failures(race(func(racer int) error {
			return add("closed-"+status, status,
				fmt.Sprint(status, racer))
		})))
	}
	t.Run("closing frees the key, reopening takes it again", func(t *testing.T) {
		require.NoError(t, add("turn", "draft", "first"))
		s.must("UPDATE workspace.purchase_order_lines SET status = 'cancelled' WHERE tenant_id = $1 AND workspace_id = $2 AND external_id = 'first'")
		require.NoError(t, add("turn", "draft", "second"))
		err := s.exec("UPDATE workspace.purchase_order_lines SET status = 'draft' WHERE tenant_id = $1 AND workspace_id = $2 AND external_id = 'first'")
		require.True(t, fault.HasCode(err, "recommendation_locked"), err)
	})
}

func TestProductIdentity(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	const upsert = `INSERT INTO workspace.products (tenant_id, workspace_id, external_id, sku, name) VALUES ($1, $2, $3, $4, $5)
		ON CONFLICT (tenant_id, identity_key) WHERE identity_key IS NOT NULL DO UPDATE SET name = excluded.name`
	for _, identity := range []struct{ externalID, sku any }{{"gid/1", "TEA"}, {nil, "TEA"}, {"gid/2", nil}} {
		errs := race(func(racer int) error {
			return s.exec(upsert, identity.externalID, identity.sku, fmt.Sprint("racer ", racer))
		})
		require.Empty(t, failures(errs))
	}
	require.Equal(t, []string{"TEA", "gid/1", "gid/2"},
		s.one("SELECT array_agg(identity_key ORDER BY identity_key) AS v FROM workspace.products"))
	err := s.exec(upsert, nil, nil, "nameless")
	require.True(t, fault.HasCode(err, "constraint"), err)

	t.Run("an open line does not make an upsert of its product wait", func(t *testing.T) {
		s.must(addProduct, "p1", "gid/9", "NINE", "Nine", nil)
		held := make(chan struct{})
		release := make(chan struct{})
		done := make(chan error, 1)
		go func() {
			done <- s.db.InTenant(t.Context(), s.tenant.ID, func(tx pgx.Tx) error {
				_, err := tx.Exec(t.Context(), addLine, s.tenant.ID, s.tenant.Workspace, "holder", "NINE", "p1", nil)
				close(held)
				<-release
				return err
			})
		}()
		<-held
		err := s.db.InTenant(t.Context(), s.tenant.ID, func(tx pgx.Tx) error {
			if _, err := tx.Exec(t.Context(), "SET LOCAL lock_timeout = '2s'"); err != nil {
				return err
			}
			_, err := tx.Exec(t.Context(), upsert, s.tenant.ID, s.tenant.Workspace, "gid/9", "NINE", "Nine again")
			return err
		})
		close(release)
		require.NoError(t, err)
		require.NoError(t, <-done)
	})
}

func TestStockHistory(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	s.must("INSERT INTO workspace.products (tenant_id, workspace_id, id, sku, name, stock_on_hand, stock_updated_at) VALUES ($1, $2, 'p', 'A', 'A', 5, '2020-01-01T00:00:00Z')")
	s.must("UPDATE workspace.products SET name = 'B' WHERE tenant_id = $1 AND workspace_id = $2")
	s.must("UPDATE workspace.products SET stock_on_hand = 0 WHERE tenant_id = $1 AND workspace_id = $2")
	s.must("UPDATE workspace.products SET stock_available = -1, stock_updated_at = '2020-02-01T00:00:00Z' WHERE tenant_id = $1 AND workspace_id = $2")
	s.must("UPDATE workspace.products SET stock_on_hand = 9 WHERE tenant_id = $1 AND workspace_id = $2") // says nothing of what is available
	s.must("UPDATE workspace.products SET stock_updated_at = now() + interval '5 hours' WHERE tenant_id = $1 AND workspace_id = $2")
	require.Equal(t, []string{"1 5 - 2020-01 reported", "3 0 - now", "4 0 -1 2020-02 reported", "6 9 -1 now reported"}, s.one(`
		SELECT array_agg(format('%s %s %s %s', h.version, h.stock_on_hand, coalesce(h.stock_available::text, '-'),
			CASE WHEN observed_at BETWEEN now() - interval '1 hour' AND now() THEN 'now' ELSE to_char(observed_at, 'YYYY-MM') END)
			|| CASE WHEN reported_at IS NULL THEN '' ELSE ' reported' END ORDER BY h.version) AS v
		FROM workspace.stock_history h WHERE product_id = 'p'`))
}

func TestPendingOrder(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	const add = "INSERT INTO workspace.order_line_items (tenant_id, workspace_id, external_id, order_external_id, name, quantity, unit_price) VALUES ($1, $2, $3, $4, 'Tea', 1, 1)"
	s.must(add, "waiting", "order-1")
	require.True(t, fault.HasCode(s.exec(add, "nowhere", nil), "constraint"))
}

func TestEventPartitions(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	admin := s.db.Admin(t)
	partitions := func() (days []string) {
		rows, err := admin.Query(t.Context(),
			"SELECT inhrelid::regclass::text FROM pg_inherits WHERE inhparent = 'workspace.events'::regclass ORDER BY 1")
		require.NoError(t, err)
		days, err = pgx.CollectRows(rows, pgx.RowTo[string])
		require.NoError(t, err)
		return days
	}
	keep := func() error {
		return s.db.InSystem(t.Context(), func(tx pgx.Tx) error {
			_, err := tx.Exec(t.Context(), "SELECT workspace.make_event_days(14)")
			return err
		})
	}
	require.NoError(t, s.db.CheckPartitions(t.Context()))
	before := partitions()
	require.Len(t, before, 16, "yesterday to two weeks ahead")
	ahead, err := s.db.DaysAhead(t.Context())
	require.NoError(t, err)
	require.EqualValues(t, 14, ahead)

	_, err = admin.Exec(t.Context(),
		`CREATE TABLE workspace.events_20200101 PARTITION OF workspace.events FOR VALUES FROM ('2020-01-01 00:00+00') TO ('2020-01-02 00:00+00')`)
	require.NoError(t, err)
	require.NoError(t, keep())
	require.Len(t, partitions(), 17, "another's day is not ours to remove")
	_, err = admin.Exec(t.Context(), "ALTER TABLE workspace.events_20200101 OWNER TO quayside_owner")
	require.NoError(t, err)
	require.NoError(t, keep())
	require.Equal(t, before, partitions(), "the old day was empty and is gone, the others stay")

	_, err = admin.Exec(t.Context(), "ANALYZE pg_class, pg_inherits")
	require.NoError(t, err)
	_, err = admin.Exec(t.Context(), "DROP TABLE "+before[2])
	require.NoError(t, err)
	require.True(t, fault.HasCode(s.db.CheckPartitions(t.Context()), "partition_missing"))
	require.Empty(t, failures(race(func(int) error { return keep() })), "instances start together")
	require.Equal(t, before, partitions(), "tomorrow is back")
	gaps, err := s.db.CheckRowSecurity(t.Context())
	require.NoError(t, err)
	require.Empty(t, gaps)

	s.must("INSERT INTO workspace.events (tenant_id, workspace_id, subject, id, kind, slug, version, actor, request_id, data) VALUES ($1, $2, 's', gen_random_uuid(), 'k', 'orders', 1, '{}', 'r', '{}')")
}

// TestStatementTimeout checks that the database's address may set the limit.
func TestStatementTimeout(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	address, _, _ := strings.Cut(db.ServiceURL, "?")
	for query, want := range map[string]string{"": "30s", "?statement_timeout=60s": "1min"} {
		cells, err := pg.Open(t.Context(), pg.Config{URL: address + query})
		require.NoError(t, err)
		defer cells.Close()
		var limit string
		require.NoError(t, cells.InSystem(t.Context(), func(tx pgx.Tx) error {
			return tx.QueryRow(t.Context(), "SHOW statement_timeout").Scan(&limit)
		}))
		require.Equal(t, want, limit)
	}
}
