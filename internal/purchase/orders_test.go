package purchase_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/shopspring/decimal"
	"github.com/stretchr/testify/require"

	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/fault"
	"github.com/quayside/quayside/internal/page"
	"github.com/quayside/quayside/internal/pg/pgtest"
	"github.com/quayside/quayside/internal/purchase"
)

// TestPagesOfOrders checks that every filter with every sort lists every order once, whatever
// the page size.
func TestPagesOfOrders(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	ctx, viewer := t.Context(), o.who[auth.Viewer]
	o.exec("INSERT INTO workspace.suppliers (tenant_id, workspace_id, id, external_id, name) VALUES ($1, $2, 'sup-2', 'S2', 'Acorn')", o.tenant.ID, o.tenant.Workspace)
	for i := range 12 {
		o.exec(`INSERT INTO workspace.purchase_order_lines (tenant_id, workspace_id, external_id, order_no, sku, quantity_ordered, supplier_id, status, expected_arrival_date)
			SELECT $1, $2, $3 || n, $3, 'TEA', 1, $4, $5, $6::date FROM generate_series(1, 3) n`, o.tenant.ID, o.tenant.Workspace, fmt.Sprintf("N-%d", 8+i),
			[]string{"sup-1", "sup-2"}[i%2], []string{"ordered", "draft", "partially_received"}[i%3],
			[]any{"2020-02-01", nil, "2099-01-01"}[i%3])
	}
	o.exec("UPDATE workspace.purchase_order_lines SET status = 'received' WHERE tenant_id = $1 AND order_no = 'N-8'", o.tenant.ID)
	filters := []purchase.OrderFilter{{}, {Overdue: true}, {Open: true, Supplier: "sup-1"}}
	for _, status := range purchase.Statuses() {
		filters = append(filters, purchase.OrderFilter{Status: status})
	}
	for _, filter := range filters {
		var sizes []int
		for _, sort := range []purchase.OrderSort{purchase.ByNewest, purchase.ByNumber, purchase.BySupplier,
			purchase.ByArrival} {
			whole, _, err := o.lines.Orders(ctx, viewer, filter, sort, page.All)
			require.NoError(t, err)
			var paged []purchase.Order
			want := page.Request{Most: 5}
			for more := true; more; want.After = paged[len(paged)-1].ID {
				var some []purchase.Order
				some, more, err = o.lines.Orders(ctx, viewer, filter, sort, want)
				require.NoError(t, err)
				if paged = append(paged, some...); len(paged) == 0 {
					break
				}
			}
			require.Equal(t, whole, paged, "%+v by %s", filter, sort)
			sizes = append(sizes, len(whole))
		}
		require.Len(t, slices.Compact(sizes), 1, "%+v", filter)
	}
	open, _, err := o.lines.Orders(ctx, viewer, purchase.OrderFilter{Open: true, Supplier: "sup-1"}, purchase.ByNumber, page.All)
	require.NoError(t, err)
	require.Len(t, open, 5, "the sixth is received")
	require.Equal(t, "N-10", open[0].OrderNo, "N-9 is from another supplier")
	byNumber, _, err := o.lines.Orders(ctx, viewer, purchase.OrderFilter{}, purchase.ByNumber, page.All)
	require.NoError(t, err)
	require.Equal(t, "N-8 N-9 N-10", fmt.Sprint(byNumber[0].OrderNo, " ", byNumber[1].OrderNo, " ", byNumber[2].OrderNo))
	_, _, err = o.lines.Orders(ctx, viewer, purchase.OrderFilter{}, purchase.ByNewest,
		page.Request{Most: 5, After: uuid.New()})
	require.True(t, fault.HasCode(err, "cursor"), err)

	lines, more, err := o.lines.Lines(ctx, viewer, "N-8", page.Request{Most: 2})
	require.NoError(t, err)
	require.True(t, more)
	rest, more, err := o.lines.Lines(ctx, viewer, "N-8", page.Request{Most: 2, After: uuid.MustParse(lines[1].ID)})
	require.NoError(t, err)
	require.False(t, more)
	require.Len(t, append(lines, rest...), 3)

	arrivals, more, err := o.lines.Arrivals(ctx, viewer, lines[0].CreatedAt.AddDate(-50, 0, 0), lines[0].CreatedAt,
		page.Request{Most: 7})
	require.NoError(t, err)
	require.True(t, more)
	later, more, err := o.lines.Arrivals(ctx, viewer, lines[0].CreatedAt.AddDate(-50, 0, 0), lines[0].CreatedAt,
		page.Request{Most: 7, After: uuid.MustParse(arrivals[6].ID)})
	require.NoError(t, err)
	require.False(t, more)
	require.Len(t, append(arrivals, later...), 9, "what is received does not arrive")
}

// TestRecountCanFail checks that the check at the end of every test here detects a wrong
// order.
func TestRecountCanFail(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	o.in(purchase.Ordered)
	for _, wrong := range []string{
		"UPDATE workspace.purchase_orders SET ordered = ordered + 1",
		"UPDATE workspace.purchase_orders SET next_arrival = '2020-01-01'",
		"UPDATE workspace.purchase_orders SET flags = 1", "UPDATE workspace.purchase_order_sums SET bound = bound + 1",
		"UPDATE workspace.purchase_orders SET supplier = 'nobody'", "UPDATE workspace.purchase_orders SET suppliers = 2",
		"UPDATE workspace.purchase_orders SET sort_no = ''", "UPDATE workspace.purchase_order_sums SET expected = 0",
		"UPDATE workspace.purchase_order_sums SET total = 0",
	} {
		tx, err := o.admin.Begin(t.Context())
		require.NoError(t, err)
		_, err = tx.Exec(t.Context(), wrong)
		require.NoError(t, err)
		found, err := pgtest.WrongOrders(t.Context(), tx, o.tenant.ID)
		require.NoError(t, err)
		require.Len(t, found, 1, wrong)
		require.NoError(t, tx.Rollback(t.Context()))
	}
}

// TestOneSupplier checks that people's orders have one supplier, and that orders in which
// external systems mix suppliers keep them apart.
func TestOneSupplier(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	ctx, buyer := t.Context(), o.who[auth.Buyer]
	o.exec("INSERT INTO workspace.suppliers (tenant_id, workspace_id, id, external_id, name) VALUES ($1, $2, 'sup-2', 'S2', 'Acorn')", o.tenant.ID, o.tenant.Workspace)
	other := wanted()
	other.SupplierID = set("sup-2")
	lines, err := o.lines.DraftConfirmed(ctx, buyer, []purchase.NewLine{wanted(), other, wanted()})
	require.NoError(t, err)
	require.Equal(t, lines[0].OrderNo, lines[2].OrderNo)
	require.NotEqual(t, lines[0].OrderNo, lines[1].OrderNo, "each supplier has an order")

	other.OrderNo = &lines[0].OrderNo
	_, err = o.lines.DraftConfirmed(ctx, buyer, []purchase.NewLine{other})
	require.True(t, fault.HasCode(err, "other_supplier"), err)
	require.ErrorContains(t, err, "is from Tea House; what comes from Acorn needs an order of its own")
	_, err = o.lines.Edit(ctx, buyer, refs(lines[0])[0], purchase.Changes{SupplierID: set("sup-2")})
	require.True(t, fault.HasCode(err, "other_supplier"), err)
	_, err = o.lines.Edit(ctx, buyer, refs(lines[1])[0], purchase.Changes{OrderNo: &lines[0].OrderNo})
	require.True(t, fault.HasCode(err, "other_supplier"), err)
	_, err = o.lines.Edit(ctx, buyer, refs(lines[1])[0], purchase.Changes{SupplierID: set("sup-1")})
	require.NoError(t, err, "the only line of its order")
	require.Error(t, o.file(buyer, lines[0], `"supplier_id": "S2"`))

	mixed := fresh()
	mixed.OrderNo = lines[0].OrderNo
	require.NoError(t, o.send(mixed, `"supplier_id": "S2"`), "stored as it was sent")
	order, err := o.lines.Order(ctx, buyer, lines[0].OrderNo)
	require.NoError(t, err)
	require.EqualValues(t, 2, order.SupplierNum)
	_, err = o.lines.DraftConfirmed(ctx, buyer, []purchase.NewLine{other})
	require.NoError(t, err, "from one of those in it")
}

// TestRecommendations checks that only keys made here lock a recommendation, and each only for
// its own article.
func TestRecommendations(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	ctx, buyer := t.Context(), o.who[auth.Buyer]
	key := func(n int) string { return purchase.RecommendationKey(o.tenant.ID, "P1", purchase.Everywhere, n) }
	draft := func(key string) (purchase.Line, error) {
		line := wanted()
		line.RecommendationKey = key
		lines, err := o.lines.DraftConfirmed(ctx, buyer, []purchase.NewLine{line})
		if err != nil {
			return purchase.Line{}, err
		}
		return lines[0], nil
	}
	for _, made := range []string{"rec-1", "rq1:0000000000000000:1", key(1) + "x",
		purchase.RecommendationKey(uuid.New(), "P1", purchase.Everywhere, 1)} {
		_, err := draft(made)
		require.True(t, fault.Is(err, fault.Invalid), "%s: %v", made, err)
	}
	_, err := draft(key(2))
	require.True(t, fault.HasCode(err, "recommendation_answered"), err)
	line, err := draft(" " + key(1) + "\n")
	require.NoError(t, err)
	require.Equal(t, key(1), *line.RecommendationKey)
	_, err = draft("RQ" + key(1)[2:])
	require.True(t, fault.HasCode(err, "recommendation_locked"), err)
	require.ErrorContains(t, err, line.ID)
	o.bring(line, purchase.Ordered)
	_, err = draft(key(1))
	require.True(t, fault.HasCode(err, "recommendation_answered"), err)
	_, err = draft(key(2))
	require.NoError(t, err)
}

// TestReopen reopens a cancelled line that answered a recommendation. The line holds it again, unless another
// line holds it meanwhile: then the two would order the same need.
func TestReopen(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		other string // the status of another line with the recommendation, if there is one
		n     int    // the number of the other line's recommendation
		keeps bool
	}{
		"nobody has drafted it since": {"", 1, true}, "drafted": {"draft", 1, false}, "waits": {"pending_approval", 1, false},
		"ordered": {"ordered", 1, false}, "received": {"received", 1, true}, "cancelled": {"cancelled", 1, true},
		"a later one is drafted": {"draft", 2, false}, "a later one is ordered": {"ordered", 12, false},
		"a later one was received": {"received", 2, true}, "a later one was cancelled": {"cancelled", 2, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := newOffice(t)
			ctx := t.Context()
			wanted := wanted()
			wanted.RecommendationKey = purchase.RecommendationKey(o.tenant.ID, "P1", purchase.Everywhere, 1)
			drafted, err := o.lines.DraftConfirmed(ctx, o.maker, []purchase.NewLine{wanted})
			require.NoError(t, err)
			line := o.bring(drafted[0], purchase.Cancelled)
			if tt.other != "" {
				o.exec(`INSERT INTO workspace.purchase_order_lines
						(tenant_id, workspace_id, external_id, order_no, sku, quantity_ordered, status, recommendation_key)
					VALUES ($1, $2, 'other', 'PO-OTHER', 'TEA', 1, $3, $4)`, o.tenant.ID, o.tenant.Workspace, tt.other,
					purchase.RecommendationKey(o.tenant.ID, "P1", purchase.Everywhere, tt.n))
			}
			reopened, err := o.lines.Reopen(ctx, o.who[auth.CompanyAdmin], refs(line))
			require.NoError(t, err)
			require.Equal(t, purchase.Draft, reopened[0].Status)
			if tt.keeps {
				require.Equal(t, wanted.RecommendationKey, *reopened[0].RecommendationKey)
			} else {
				require.Nil(t, reopened[0].RecommendationKey)
			}
			o.consistent()
		})
	}
}

// TestHolderGone loses a draft to a line that is cancelled before its name can be told. What is told then
// is true: nothing holds the recommendation any more.
func TestHolderGone(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	ctx := t.Context()
	key := purchase.RecommendationKey(o.tenant.ID, "P1", purchase.Everywhere, 1)
	holder, err := o.db.Admin(t).Begin(ctx)
	require.NoError(t, err)
	_, err = holder.Exec(ctx, `INSERT INTO workspace.purchase_order_lines (tenant_id, workspace_id, external_id, order_no, sku, quantity_ordered, status, recommendation_key)
		VALUES ($1, $2, 'held', 'PO-HELD', 'TEA', 1, 'draft', $3)`, o.tenant.ID, o.tenant.Workspace, key)
	require.NoError(t, err)
	told := make(chan error, 1)
	go func() {
		line := wanted()
		line.RecommendationKey = key
		_, err := o.lines.DraftConfirmed(ctx, o.maker, []purchase.NewLine{line})
		told <- err
	}()
	pgtest.AwaitWaiting(t, o.admin, 1) // the draft waits for the holder
	cancelled := make(chan error, 1)
	go func() {
		// It comes before the draft's next statement, which asks for the holder's name.
		cancelled <- pgx.BeginFunc(ctx, o.db.Admin(t), func(tx pgx.Tx) error {
			_, err := tx.Exec(ctx, "LOCK TABLE workspace.purchase_order_lines")
			if err == nil {
				_, err = tx.Exec(ctx, "UPDATE workspace.purchase_order_lines SET status = 'cancelled' WHERE external_id = 'held'")
			}
			return err
		})
	}()
	pgtest.AwaitWaiting(t, o.admin, 2)
	require.NoError(t, holder.Commit(ctx))
	require.NoError(t, <-cancelled)
	err = <-told
	require.True(t, fault.HasCode(err, "recommendation_answered"), err)
	require.ErrorContains(t, err, "a moment ago")
}

// TestOrderedOutside checks that a line ordered by an external system says so, and that later
// changes are compared with what was ordered.
func TestOrderedOutside(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	ctx, buyer := t.Context(), o.who[auth.Buyer]
	line := o.arrive(`"status": "ordered", ` + priced)
	require.NotNil(t, line.OrderedOutside)
	require.Equal(t, o.trusted.Actor, *line.OrderedOutside)
	line.QuantityOrdered = decimal.NewFromInt(12)
	require.NoError(t, o.send(line, priced))
	lines, err := o.lines.Edit(ctx, buyer, refs(o.now(line))[0], purchase.Changes{QuantityOrdered: set("12.1")})
	require.NoError(t, err)
	require.Equal(t, purchase.PendingApproval, lines[0].Status, "it was 10 when it was ordered")
	require.Nil(t, lines[0].OrderedOutside)
	lines, err = o.lines.Approve(ctx, o.person(auth.Approver), refs(lines...))
	require.NoError(t, err)
	require.Nil(t, lines[0].OrderedOutside)
	require.Nil(t, o.in(purchase.Ordered).OrderedOutside)

	later := o.arrive(`"status": "draft", ` + priced)
	require.Nil(t, later.OrderedOutside)
	require.NoError(t, o.send(later, `"status": "received", "quantity_received": 10`))
	require.NotNil(t, o.now(later).OrderedOutside)
	require.NoError(t, o.send(later, `"status": "draft"`))
	require.Nil(t, o.now(later).OrderedOutside, "it is not ordered any more")
}

// TestOtherSKU checks that an external system that sends another SKU means another article,
// unless it names the product.
func TestOtherSKU(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	o.exec("INSERT INTO workspace.products (tenant_id, workspace_id, id, external_id, sku, name) VALUES ($1, $2, 'prod-2', 'P2', 'CUP', 'Cup')", o.tenant.ID, o.tenant.Workspace)
	line := o.in(purchase.Draft)
	line.SKU = "CUP"
	require.NoError(t, o.send(line, `"note": "x"`))
	require.Equal(t, "Cup", *o.now(line).ProductName)
	require.Nil(t, o.now(line).ProductID)
	named := o.in(purchase.Draft)
	named.SKU = "CUP"
	require.NoError(t, o.send(named, `"product_id": "P1"`))
	require.Equal(t, "Green tea", *o.now(named).ProductName, "its SKU may be new")

	theirs := fresh() // no rule of ours is asked about it
	require.NoError(t, o.send(theirs, `"product_id": "P1"`))
	require.Equal(t, "prod-1", *o.stored(theirs).ProductID)
	theirs.SKU = "CUP"
	require.NoError(t, o.send(theirs, `"note": "x"`))
	require.Equal(t, "Cup", *o.stored(theirs).ProductName)
	require.Nil(t, o.stored(theirs).ProductID)
}

// TestClaimedNumber checks that two simultaneous new orders never get the same number.
func TestClaimedNumber(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	theirs := fresh()
	theirs.OrderNo = "B-100"
	require.NoError(t, o.send(theirs, priced))
	var ours chan purchase.Line
	require.NoError(t, o.db.InTenant(t.Context(), o.tenant.ID, func(tx pgx.Tx) error {
		// An external system's line, not committed yet.
		_, err := tx.Exec(t.Context(), `INSERT INTO workspace.purchase_order_lines (tenant_id, workspace_id, external_id, order_no, sku, quantity_ordered)
			VALUES ($1, $2, 'theirs', 'B-101', 'TEA', 1)`, o.tenant.ID, o.tenant.Workspace)
		require.NoError(t, err)
		made := make(chan purchase.Line)
		go func() { made <- o.in(purchase.Draft) }()
		pgtest.AwaitWaiting(t, o.admin, 1) // our order for theirs
		ours = made
		return nil
	}))
	require.Equal(t, "B-102", (<-ours).OrderNo)
}

// TestFlagOfAMove stores a record that both moves a line to a new order and raises a flag.
func TestFlagOfAMove(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	line := o.in(purchase.Ordered)
	line.OrderNo = "N-1"
	require.NoError(t, o.send(line, `"status": "draft"`))
	order, err := o.lines.Order(t.Context(), o.maker, "N-1")
	require.NoError(t, err)
	require.EqualValues(t, 1, order.Flags)
	require.NoError(t, o.lines.SeeFlags(t.Context(), o.maker, line.ID))
	order, err = o.lines.Order(t.Context(), o.maker, "N-1")
	require.NoError(t, err)
	require.Zero(t, order.Flags)
}

// TestKeepingAnOrderReadsNoOther checks that writing a line looks up its own order by index,
// also on a connection of the ingest lanes, whose joins are planned for batches.
func TestKeepingAnOrderReadsNoOther(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	ctx := t.Context()
	o.exec(`INSERT INTO workspace.purchase_order_lines (tenant_id, workspace_id, external_id, order_no, sku, quantity_ordered)
		SELECT $1, $2, 'L' || n, 'N-' || n, 'TEA', 1 FROM generate_series(1, 3000) n`, o.tenant.ID, o.tenant.Workspace)
	o.exec("ANALYZE workspace.purchase_orders, workspace.purchase_order_sums, workspace.purchase_order_lines")
	lane, err := pgx.Connect(ctx, o.db.AdminURL)
	require.NoError(t, err)
	defer func() { _ = lane.Close(ctx) }()
	tx, err := lane.Begin(ctx)
	require.NoError(t, err)
	for _, sql := range []string{
		"SET LOCAL enable_nestloop = off", "SET LOCAL enable_mergejoin = off",
		"SET LOCAL plan_cache_mode = force_generic_plan",
		"UPDATE workspace.purchase_order_lines SET status = 'ordered', order_no = 'N-7' WHERE tenant_id = '" + o.tenant.ID.String() + "' AND external_id = 'L5'",
	} {
		_, err := tx.Exec(ctx, sql)
		require.NoError(t, err)
	}
	var read int64
	require.NoError(t, tx.QueryRow(ctx, `SELECT sum(seq_tup_read) FROM pg_stat_xact_user_tables
		WHERE schemaname = 'workspace' AND relname IN ('purchase_orders', 'purchase_order_sums', 'purchase_order_lines')`).Scan(&read))
	require.Zero(t, read, "rows that were read without an index")
	require.NoError(t, tx.Commit(ctx))
}
