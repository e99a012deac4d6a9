package purchase_test

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/fault"
	"github.com/quayside/quayside/internal/purchase"
)

// arrive has an external system send a new line.
func (o *office) arrive(values string) purchase.Line {
	o.t.Helper()
	line := fresh()
	line.OrderNo = "EXT-" + line.ExternalID
	require.NoError(o.t, o.send(line, values))
	return o.stored(line)
}

const priced = `"price_per_unit": 2.5, "currency": "EUR", "supplier_id": "S1"`

func TestEyes(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	ctx, boss, other := t.Context(), o.who[auth.CompanyAdmin], o.person(auth.CompanyAdmin)
	t.Run("who submitted", func(t *testing.T) {
		line := o.arrive(priced)
		lines, err := o.lines.Submit(ctx, boss, refs(line))
		require.NoError(t, err)
		_, err = o.lines.Approve(ctx, boss, refs(lines...))
		require.True(t, fault.HasCode(err, "four_eyes"), "nobody else has seen it: %v", err)
		_, err = o.lines.Approve(ctx, other, refs(lines...))
		require.NoError(t, err)
	})
	t.Run("who made the agent's token", func(t *testing.T) {
		agent := o.who[auth.Agent]
		o.exec(`INSERT INTO workspace.tokens (tenant_id, id, workspace_id, token_hash, prefix, label, agent_id, scopes, created_by)
			VALUES ($1, gen_random_uuid(), $2, decode(repeat('00', 32), 'hex'), 'qst_1', 'buyer bot', $3, '{write}', $4)`,
			o.tenant.ID, o.tenant.Workspace, agent.Actor.ID, boss.Actor.JSON())
		lines, err := o.lines.DraftConfirmed(ctx, agent, []purchase.NewLine{wanted()})
		require.NoError(t, err)
		lines, err = o.lines.Submit(ctx, agent, refs(lines...))
		require.NoError(t, err)
		_, err = o.lines.Approve(ctx, boss, refs(lines...))
		require.True(t, fault.HasCode(err, "four_eyes"), "%v", err)
		_, err = o.lines.Approve(ctx, other, refs(lines...))
		require.NoError(t, err)
	})
	t.Run("what an external system submitted", func(t *testing.T) {
		line := o.arrive(`"status": "pending_approval", ` + priced)
		_, err := o.lines.Approve(ctx, boss, refs(line))
		require.NoError(t, err)
		_, err = o.lines.Approve(ctx, boss, refs(o.arrive(`"status": "pending_approval"`)))
		require.True(t, fault.HasCode(err, "required"), "at no price: %v", err)
	})
	o.consistent()
}

// TestSnapshots checks that later changes are compared with what was approved, not with the
// previous value.
func TestSnapshots(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	ctx, buyer, boss := t.Context(), o.who[auth.Buyer], o.who[auth.CompanyAdmin]
	o.exec("INSERT INTO workspace.suppliers (tenant_id, workspace_id, id, external_id, name) VALUES ($1, $2, 'sup-2', 'S2', 'Coffee House')", o.tenant.ID, o.tenant.Workspace)
	edit := func(line purchase.Line, changes purchase.Changes) purchase.Line {
		t.Helper()
		lines, err := o.lines.Edit(ctx, buyer, refs(line)[0], changes)
		require.NoError(t, err)
		return lines[0]
	}
	t.Run("small steps on what an external system ordered", func(t *testing.T) {
		line := o.arrive(`"status": "ordered", ` + priced)
		line = edit(line, purchase.Changes{QuantityOrdered: set("10.4")})
		require.Equal(t, purchase.Ordered, line.Status)
		line = edit(line, purchase.Changes{QuantityOrdered: set("10.8")})
		require.Equal(t, purchase.PendingApproval, line.Status)
	})
	t.Run("an external system's supplier and a person's quantity", func(t *testing.T) {
		line := o.in(purchase.Ordered)
		require.NoError(t, o.send(line, `"supplier_id": "S2"`))
		line = edit(o.now(line), purchase.Changes{QuantityOrdered: set("10.1")})
		require.Equal(t, purchase.PendingApproval, line.Status, "nobody approved that supplier")
	})
	t.Run("another order", func(t *testing.T) {
		line := edit(o.in(purchase.Ordered), purchase.Changes{OrderNo: set("PO-OTHER")})
		require.Equal(t, purchase.PendingApproval, line.Status, "the limit was asked for another order")
		require.Nil(t, line.ApprovedBy)
	})
	t.Run("kept in full", func(t *testing.T) {
		approver := o.who[auth.Approver]
		require.NoError(t, o.lines.SetLimit(ctx, boss, approver.Person, "100", "EUR"))
		line := o.in(purchase.PendingApproval)
		_, err := o.lines.Approve(ctx, approver, refs(line))
		require.NoError(t, err)
		var kept string
		require.NoError(t, o.admin.QueryRow(ctx, `SELECT concat_ws(' ', approved_sku, approved_product_id, approved_supplier_id, approved_currency,
			trim_scale(approved_quantity), trim_scale(approved_price), approved_order_no, trim_scale(approved_total), trim_scale(approver_limit))
			FROM workspace.line_approvals WHERE line_id = $1`, line.ID).Scan(&kept))
		require.Equal(t, "TEA prod-1 sup-1 EUR 10 2.5 "+line.OrderNo+" 25 100", kept)
	})
	t.Run("a draft again by an external system", func(t *testing.T) {
		line := o.in(purchase.Ordered)
		require.NoError(t, o.send(line, `"status": "draft"`))
		require.Nil(t, o.now(line).ApprovedBy)
		require.NoError(t, o.send(line, `"status": "ordered"`))
		now := o.now(line)
		require.Nil(t, now.ApprovedBy, "the approval was withdrawn")
		require.Equal(t, purchase.StatusJump, now.Flags[0].Kind)
	})
	o.consistent()
}

// TestReceiptsWhenGoodsArrive has an external system report a receipt days later: it is dated by
// when the goods arrived, so that lead times are.
func TestReceiptsWhenGoodsArrive(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	dates := func(line purchase.Line) (dates []string) {
		rows, err := o.admin.Query(t.Context(), `SELECT CASE WHEN received_at > now() - interval '1 hour' THEN 'now'
				ELSE to_char(received_at AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI') END
			FROM workspace.receipts WHERE line_id = $1 ORDER BY id`, line.ID)
		require.NoError(t, err)
		dates, err = pgx.CollectRows(rows, pgx.RowTo[string])
		require.NoError(t, err)
		return dates
	}
	const then = `"received_at": "2026-03-03T09:00:00Z"`
	at := "2026-03-03 09:00"
	whole := o.arrive(`"status": "received", "quantity_received": 10, ` + then)
	require.Equal(t, []string{at}, dates(whole))
	later := o.arrive(`"status": "ordered", "quantity_received": 0`)
	require.NoError(t, o.send(later, `"quantity_received": 10, `+then))
	require.Equal(t, []string{at}, dates(later))
	unsaid := o.arrive(`"status": "ordered", "quantity_received": 4`)
	require.NoError(t, o.send(unsaid, `"quantity_received": 10, `+then))
	require.Equal(t, []string{"now", at}, dates(unsaid), "the first came without a date")
	require.NoError(t, o.send(unsaid, `"quantity_received": 11, `+then))
	require.Equal(t, []string{"now", at, "now"}, dates(unsaid), "the date is that of an earlier receipt")
	o.consistent()
}

// TestReceiptsBackwards has an external system lower the quantity received that it said before.
func TestReceiptsBackwards(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	arrived := func() purchase.Line {
		t.Helper()
		line := o.in(purchase.Ordered)
		require.NoError(t, o.send(line, `"quantity_received": 10`))
		return o.now(line)
	}
	t.Run("reopens the supply", func(t *testing.T) {
		line := arrived()
		require.NoError(t, o.send(line, `"quantity_received": 4`))
		now := o.now(line)
		require.Equal(t, purchase.PartiallyReceived, now.Status)
		require.Nil(t, now.ReceivedAt)
		require.Equal(t, "6", now.Open().String())
		require.NoError(t, o.send(line, `"quantity_received": 10`))
		again := o.now(line)
		require.Equal(t, purchase.Received, again.Status)
		require.True(t, again.ReceivedAt.After(*line.ReceivedAt), "the second full receipt has its own time")
	})
	t.Run("all of it", func(t *testing.T) {
		line := arrived()
		require.NoError(t, o.send(line, `"quantity_received": 0`))
		require.Equal(t, purchase.Ordered, o.now(line).Status)
	})
	t.Run("closed short, when the record says so", func(t *testing.T) {
		line := arrived()
		require.NoError(t, o.send(line, `"quantity_received": 4, "status": "received"`))
		now := o.now(line)
		require.Equal(t, purchase.Received, now.Status)
		require.Len(t, now.Flags, 1)
		require.Equal(t, purchase.FlagKind("closed_short"), now.Flags[0].Kind)
		require.NoError(t, o.send(line, `"quantity_received": 10, "status": "received"`))
		require.True(t, o.now(line).ReceivedAt.After(*line.ReceivedAt))
	})
	t.Run("of an order of nothing", func(t *testing.T) {
		line := o.arrive(`"status": "ordered", "quantity_received": 0`)
		line.QuantityOrdered = line.QuantityOrdered.Sub(line.QuantityOrdered)
		require.NoError(t, o.send(line, `"quantity_received": 3`))
		now := o.now(line)
		require.Equal(t, purchase.Received, now.Status)
		require.Equal(t, purchase.OverCount, now.Flags[0].Kind)
	})
	o.consistent()
}

func TestSmallHoles(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	ctx, buyer, boss := t.Context(), o.who[auth.Buyer], o.who[auth.CompanyAdmin]
	t.Run("a line listed twice in a receipt", func(t *testing.T) {
		line := o.in(purchase.Ordered)
		twice := delivery(line, "3")
		twice.Arrivals = append(twice.Arrivals, delivery(line, "4").Arrivals...)
		got, err := o.lines.Receive(ctx, buyer, twice)
		require.NoError(t, err)
		require.Equal(t, "7", got[0].QuantityReceived.String())
	})
	t.Run("another SKU is another product", func(t *testing.T) {
		line := o.in(purchase.Draft)
		o.exec("INSERT INTO workspace.products (tenant_id, workspace_id, id, external_id, sku, name) VALUES ($1, $2, 'prod-2', 'P2', 'CUP', 'Cup')", o.tenant.ID, o.tenant.Workspace)
		got, err := o.lines.Edit(ctx, buyer, refs(line)[0], purchase.Changes{SKU: set("CUP")})
		require.NoError(t, err)
		require.Equal(t, "Cup", *got[0].ProductName)
		filed := o.in(purchase.Draft)
		filed.SKU = "CUP"
		require.NoError(t, o.file(buyer, filed, `"note": "by boat"`))
		require.Equal(t, "Cup", *o.now(filed).ProductName)
	})
	t.Run("an order number that an external system has", func(t *testing.T) {
		ours := o.in(purchase.Draft)
		number, err := strconv.Atoi(strings.TrimPrefix(ours.OrderNo, "PO-"))
		require.NoError(t, err)
		theirs := fresh()
		theirs.OrderNo = fmt.Sprintf("PO-%d", number+1)
		require.NoError(t, o.send(theirs, priced))
		require.Equal(t, fmt.Sprintf("PO-%d", number+2), o.in(purchase.Draft).OrderNo)
	})
	t.Run("a reopened line with receipts", func(t *testing.T) {
		line := o.in(purchase.PartiallyReceived)
		require.NoError(t, o.send(line, `"status": "cancelled"`))
		lines, err := o.lines.Reopen(ctx, boss, refs(o.now(line)))
		require.NoError(t, err)
		lines, err = o.lines.Submit(ctx, buyer, refs(lines...))
		require.NoError(t, err)
		lines, err = o.lines.Approve(ctx, o.who[auth.Approver], refs(lines...))
		require.NoError(t, err)
		require.Equal(t, purchase.PartiallyReceived, lines[0].Status)
	})
	o.consistent()
}

// TestReceiptsTakenBack dates what is taken back by what it takes back, the latest first: by a person, and by an external system.
// Nothing arrives later than it is said, and a line that is closed short was delivered with its last receipt.
func TestReceiptsTakenBack(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	receipts := func(line purchase.Line) (all []string) {
		t.Helper()
		rows, err := o.admin.Query(t.Context(), `SELECT trim_scale(quantity) || CASE WHEN received_at BETWEEN now() - interval '1 hour' AND now() THEN ' now'
				ELSE to_char(received_at AT TIME ZONE 'UTC', ' MM-DD') END
			FROM workspace.receipts WHERE line_id = $1 ORDER BY version, received_at DESC`, line.ID)
		require.NoError(t, err)
		all, err = pgx.CollectRows(rows, pgx.RowTo[string])
		require.NoError(t, err)
		return all
	}
	boss := o.who[auth.CompanyAdmin]
	inTwo := func() purchase.Line {
		t.Helper()
		line := o.arrive(`"status": "ordered", "quantity_received": 4, "received_at": "2026-03-03T09:00:00Z"`)
		require.NoError(t, o.send(line, `"quantity_received": 6, "received_at": "2026-03-05T09:00:00Z"`))
		return o.now(line)
	}
	line := inTwo()
	_, err := o.lines.Correct(t.Context(), boss, refs(line)[0], "1", "miscounted")
	require.NoError(t, err)
	require.Equal(t, []string{"4 03-03", "2 03-05", "-2 03-05", "-3 03-03"}, receipts(line))
	_, err = o.lines.Correct(t.Context(), boss, refs(o.now(line))[0], "0.5", "again")
	require.NoError(t, err)
	require.Equal(t, "-0.5 03-03", receipts(line)[4], "nothing is left of the second one")

	line = inTwo()
	require.NoError(t, o.send(line, `"quantity_received": 1, "received_at": "2026-03-09T09:00:00Z"`))
	require.Equal(t, []string{"4 03-03", "2 03-05", "-2 03-05", "-3 03-03"}, receipts(line))
	require.NoError(t, o.send(line, `"quantity_received": 8, "received_at": "2099-03-09T09:00:00Z"`))
	require.Equal(t, "7 now", receipts(line)[4], "it cannot have arrived in the future")

	line = inTwo()
	closed, err := o.lines.CloseShort(t.Context(), boss, refs(line), "the rest will not come")
	require.NoError(t, err)
	require.Equal(t, "2026-03-05T09:00:00Z", closed[0].ReceivedAt.UTC().Format(time.RFC3339))

	line = inTwo()
	_, err = o.lines.Correct(t.Context(), boss, refs(line)[0], "3", "what came last was not ours")
	require.NoError(t, err)
	closed, err = o.lines.CloseShort(t.Context(), boss, refs(o.now(line)), "the rest will not come")
	require.NoError(t, err)
	require.Equal(t, "2026-03-03T09:00:00Z", closed[0].ReceivedAt.UTC().Format(time.RFC3339), "nothing is left of the second one")
	o.consistent()
}
