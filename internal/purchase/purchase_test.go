package purchase_test

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/shopspring/decimal"
	"github.com/stretchr/testify/require"

	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/fault"
	"github.com/quayside/quayside/internal/ingest"
	"github.com/quayside/quayside/internal/page"
	"github.com/quayside/quayside/internal/pg/pgtest"
	"github.com/quayside/quayside/internal/purchase"
	"github.com/quayside/quayside/internal/registry"
	"github.com/quayside/quayside/internal/telemetry"
)

// office is a company's purchasing, with somebody in every role.
type office struct {
	t       *testing.T
	db      *pgtest.DB
	admin   *pgx.Conn
	tenant  pgtest.Tenant
	lines   *purchase.Service
	records *ingest.Service
	who     map[auth.Role]auth.Principal
	maker   auth.Principal // another buyer, who makes the lines that the others act on
	trusted auth.Principal // an external system whose key may order what was drafted here
	plain   auth.Principal // one whose key may not
}

// gates are the rules of lines, wired as in the service.
var gates = map[string]ingest.Gates{slug: {People: through(purchase.Gate), Keys: through(purchase.KeyGate), Guards: purchase.Guards,
	Judged: purchase.Judged}}

func through(gate func(context.Context, pgx.Tx, purchase.Claim) (purchase.Ruling, error)) ingest.Gate {
	return func(ctx context.Context, tx pgx.Tx, claim ingest.Claim) (ingest.Ruling, error) {
		ruling, err := gate(ctx, tx, purchase.Claim(claim))
		return ingest.Ruling(ruling), err
	}
}

func newOffice(t *testing.T) *office {
	t.Helper()
	db := pgtest.New(t)
	o := &office{t: t, db: db, admin: db.Admin(t), tenant: pgtest.NewTenant(t, db), lines: purchase.New(db.Cells),
		who: map[auth.Role]auth.Principal{}}
	o.records = o.newRecords()
	for _, role := range auth.Roles() {
		o.who[role] = o.person(role)
	}
	agent := uuid.New()
	o.who[auth.Agent] = auth.Principal{
		Tenant: o.tenant.ID, Workspace: o.tenant.Workspace, Role: auth.Agent, Run: "run-1",
		Actor: auth.Actor{Type: auth.ByAgent, ID: agent.String()},
	}
	o.maker = o.person(auth.Buyer)
	o.trusted, o.plain = o.key(true), o.key(false)
	o.exec("INSERT INTO workspace.suppliers (tenant_id, workspace_id, id, external_id, name) VALUES ($1, $2, 'sup-1', 'S1', 'Tea House')", o.tenant.ID, o.tenant.Workspace)
	o.exec("INSERT INTO workspace.products (tenant_id, workspace_id, id, external_id, sku, name, supplier_id) VALUES ($1, $2, 'prod-1', 'P1', 'TEA', 'Green tea', 'sup-1')", o.tenant.ID, o.tenant.Workspace)
	return o
}

func (o *office) person(role auth.Role) auth.Principal {
	id := uuid.New()
	return auth.Principal{
		Tenant: o.tenant.ID, Workspace: o.tenant.Workspace, Role: role, Person: id,
		Actor: auth.Actor{Type: auth.ByPerson, ID: id.String()},
	}
}

// newRecords returns a write path, as each instance of the service has one.
func (o *office) newRecords() *ingest.Service {
	records := ingest.New(o.db.Cells, registry.New(o.db.Cells), slog.New(slog.DiscardHandler), telemetry.NewMetrics(),
		ingest.Config{Lanes: 2, Queued: 256, Wait: time.Minute, Gates: gates})
	o.t.Cleanup(records.Close)
	return records
}

// key returns the principal of a new key for every table.
func (o *office) key(ordersDrafted bool) auth.Principal {
	id := uuid.New()
	o.exec(`INSERT INTO workspace.api_keys (tenant_id, id, workspace_id, key_hash, prefix, label, scope, order_drafted_here)
		VALUES ($1, $2::uuid, $3, sha256($2::text::bytea), 'pk_00000000', 'a system', '*', $4)`,
		o.tenant.ID, id, o.tenant.Workspace, ordersDrafted)
	return auth.Principal{Tenant: o.tenant.ID, Workspace: o.tenant.Workspace, Key: id, Scope: auth.AllTables,
		Actor: auth.Actor{Type: auth.ByKey, ID: id.String()}}
}

func (o *office) exec(sql string, args ...any) {
	o.t.Helper()
	_, err := o.admin.Exec(o.t.Context(), sql, args...)
	require.NoError(o.t, err)
}

var wantedQuantity = decimal.NewFromInt(10)

func set(v string) *string { return &v }

// wanted is a complete line.
func wanted() purchase.NewLine {
	return purchase.NewLine{Changes: purchase.Changes{ProductID: set("prod-1"), SupplierID: set("sup-1"),
		QuantityOrdered: set("10"), PricePerUnit: set("2.50"), Currency: set("EUR")}}
}

// in makes a line and brings it to a status as people would.
func (o *office) in(status purchase.Status) purchase.Line {
	o.t.Helper()
	lines, err := o.lines.DraftConfirmed(o.t.Context(), o.maker, []purchase.NewLine{wanted()})
	require.NoError(o.t, err)
	return o.bring(lines[0], status)
}

func (o *office) bring(line purchase.Line, status purchase.Status) purchase.Line {
	o.t.Helper()
	ctx, boss := o.t.Context(), o.person(auth.CompanyAdmin)
	step := func(lines []purchase.Line, err error) {
		o.t.Helper()
		require.NoError(o.t, err)
		line = lines[0]
	}
	if status == purchase.Cancelled {
		step(o.lines.Cancel(ctx, o.maker, refs(line), "not needed"))
	}
	if !slices.Contains([]purchase.Status{purchase.Draft, purchase.Cancelled}, status) {
		step(o.lines.Submit(ctx, o.maker, refs(line)))
	}
	if slices.Contains([]purchase.Status{purchase.Ordered, purchase.PartiallyReceived, purchase.Received}, status) {
		step(o.lines.Approve(ctx, boss, refs(line)))
	}
	if arrived, ok := map[purchase.Status]string{purchase.PartiallyReceived: "4", purchase.Received: ""}[status]; ok {
		step(o.lines.Receive(ctx, o.maker, delivery(line, arrived)))
	}
	require.Equal(o.t, status, line.Status)
	return line
}

func refs(lines ...purchase.Line) (refs []purchase.Ref) {
	for _, line := range lines {
		refs = append(refs, purchase.Ref{ID: line.ID, Version: line.Version})
	}
	return refs
}

func delivery(line purchase.Line, quantity string) purchase.Delivery {
	return purchase.Delivery{Arrivals: []purchase.Arrival{{Ref: refs(line)[0], Quantity: quantity}}}
}

// act takes an action with arguments that satisfy its guards, if the table allows it.
func (o *office) act(by auth.Principal, action purchase.Action, line purchase.Line) ([]purchase.Line, error) {
	ctx := o.t.Context()
	switch action {
	case purchase.Create:
		return o.lines.DraftConfirmed(ctx, by, []purchase.NewLine{wanted()})
	case purchase.Edit:
		return o.lines.Edit(ctx, by, refs(line)[0], purchase.Changes{Note: set("looked at")})
	case purchase.Submit:
		return o.lines.Submit(ctx, by, refs(line))
	case purchase.Approve:
		return o.lines.Approve(ctx, by, refs(line))
	case purchase.SendBack:
		return o.lines.SendBack(ctx, by, refs(line), "too many")
	case purchase.Cancel:
		return o.lines.Cancel(ctx, by, refs(line), "not needed")
	case purchase.Receive:
		return o.lines.Receive(ctx, by, delivery(line, "1"))
	case purchase.CloseShort:
		return o.lines.CloseShort(ctx, by, refs(line), "the rest never comes")
	case purchase.Correct: // a buyer takes back their own receipts
		o.exec("UPDATE workspace.receipts SET actor = $2 WHERE line_id = $1", line.ID, by.Actor.JSON())
		return o.lines.Correct(ctx, by, refs(line)[0], "2", "counted again")
	case purchase.Reopen:
		return o.lines.Reopen(ctx, by, refs(line))
	case purchase.Split:
		return o.lines.Split(ctx, by, refs(line)[0], "1.5", "2027-01-31")
	}
	o.t.Fatalf("how is %s done?", action)
	return nil, nil
}

// TestEveryStep takes every action from every status in every role. The roles that the table
// names may take it; anybody else changes nothing.
func TestEveryStep(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	_, err := o.lines.SetRules(t.Context(), o.who[auth.CompanyAdmin], purchase.Rules{FourEyes: true, AgentsSubmit: true,
		OverReceipt: decimal.NewFromInt(10), Reapproval: decimal.NewFromInt(5)})
	require.NoError(t, err)
	for _, action := range purchase.Actions() {
		for _, from := range append(purchase.Statuses(), purchase.None) {
			if (action == purchase.Create) != (from == purchase.None) {
				continue // only a line that does not exist can be created
			}
			for role, by := range o.who {
				t.Run(fmt.Sprintf("%s %s as %s", action, from, role), func(t *testing.T) {
					var line purchase.Line
					if from != purchase.None {
						line = o.in(from)
					}
					var steps []purchase.Transition
					for _, step := range purchase.Transitions() {
						if step.Action == action && step.From == from {
							steps = append(steps, step)
						}
					}
					got, err := o.act(by, action, line)
					switch {
					case len(steps) == 0:
						require.True(t, fault.Is(err, fault.Conflict), "%v", err)
					case !role.May(steps[0].Needs):
						require.True(t, fault.Is(err, fault.Forbidden), "%v", err)
					case role == auth.Agent && slices.Contains([]purchase.Action{purchase.Edit, purchase.Submit, purchase.Cancel, purchase.Split}, action):
						require.True(t, fault.HasCode(err, "not_yours"), "a person made it: %v", err)
					default:
						require.NoError(t, err)
						require.True(t, slices.ContainsFunc(steps, func(s purchase.Transition) bool { return s.To == got[0].Status }),
							"%s is not where it leads", got[0].Status)
						require.Equal(t, []string{"purchase_order_line." + verb(action)}, o.last(got[0].ID))
						return
					}
					if from != purchase.None {
						now, err := o.lines.Line(t.Context(), by, line.ID)
						require.NoError(t, err)
						require.Equal(t, line.Version, now.Version, "a refusal changed something")
					}
				})
			}
		}
	}
	o.consistent()
}

func verb(action purchase.Action) string {
	return map[purchase.Action]string{
		"create": "created", "edit": "edited", "submit": "submitted", "approve": "approved", "send_back": "sent_back",
		"cancel":  "cancelled",
		"receive": "received", "close_short": "closed_short", "correct": "corrected", "reopen": "reopened",
		"split": "split",
	}[action]
}

// last returns the last action according to the audit and the outbox, which must agree.
func (o *office) last(line string) (actions []string) {
	o.t.Helper()
	for _, sql := range []string{
		"SELECT action FROM workspace.audit WHERE subject = $1 ORDER BY at DESC, id DESC LIMIT 1",
		"SELECT kind FROM workspace.events WHERE subject = $1 ORDER BY created_at DESC, id DESC LIMIT 1",
	} {
		var action string
		require.NoError(o.t, o.admin.QueryRow(o.t.Context(), sql, line).Scan(&action))
		actions = append(actions, action)
	}
	return slices.Compact(actions)
}

// consistent checks the invariants that hold whoever wrote.
func (o *office) consistent() {
	o.t.Helper()
	for what, sql := range map[string]string{
		"receipts do not sum up": `SELECT l.id FROM workspace.purchase_order_lines l
			WHERE l.quantity_received <> (SELECT coalesce(sum(r.quantity), 0) FROM workspace.receipts r WHERE r.tenant_id = l.tenant_id AND r.line_id = l.id)`,
		"two open lines answer one recommendation": `SELECT recommendation_key FROM workspace.purchase_order_lines
			WHERE status NOT IN ('received', 'cancelled') GROUP BY tenant_id, recommendation_key HAVING recommendation_key IS NOT NULL AND count(*) > 1`,
		"ordered without an approval or a flag": `SELECT l.id FROM workspace.purchase_order_lines l
			WHERE l.status IN ('ordered', 'partially_received', 'received') AND l.approved_by IS NULL AND l.created_by_type IS NOT NULL
			AND NOT EXISTS (SELECT FROM workspace.line_flags f WHERE f.tenant_id = l.tenant_id AND f.line_id = l.id)`,
		"somebody approved their own": `SELECT l.id FROM workspace.purchase_order_lines l JOIN workspace.line_approvals a ON a.tenant_id = l.tenant_id AND a.line_id = l.id
			WHERE NOT a.self_approved AND (l.approved_by = l.created_by_user_id)`,
	} {
		var id string
		require.ErrorIs(o.t, o.admin.QueryRow(o.t.Context(), sql).Scan(&id), pgx.ErrNoRows, what)
	}
}

func TestApproval(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	ctx, boss := t.Context(), o.who[auth.CompanyAdmin]
	t.Run("four eyes", func(t *testing.T) {
		line := o.in(purchase.Draft)
		changed, err := o.lines.Edit(ctx, boss, refs(line)[0], purchase.Changes{PricePerUnit: set("3")})
		require.NoError(t, err)
		line = o.bring(changed[0], purchase.PendingApproval)
		_, err = o.lines.Approve(ctx, boss, refs(line))
		require.True(t, fault.HasCode(err, "four_eyes"), "who set the price: %v", err)
		own := o.person(auth.CompanyAdmin)
		own.Person, own.Actor = o.maker.Person, o.maker.Actor
		_, err = o.lines.Approve(ctx, own, refs(line))
		require.True(t, fault.HasCode(err, "four_eyes"), "who made it: %v", err)
		approved, err := o.lines.Approve(ctx, o.who[auth.Approver], refs(line))
		require.NoError(t, err)
		require.Equal(t, o.who[auth.Approver].Person, *approved[0].ApprovedBy)
		require.NotNil(t, approved[0].ApprovedAt)
		require.NotNil(t, approved[0].OrderedAt)
		require.False(t, approved[0].SelfApproved)
	})
	t.Run("what an external system changed meanwhile is not approved", func(t *testing.T) {
		line := o.in(purchase.PendingApproval)
		require.NoError(t, o.send(line, `"price_per_unit": 99`))
		now, err := o.lines.Line(ctx, boss, line.ID)
		require.NoError(t, err)
		require.Equal(t, purchase.Changed, now.Flags[0].Kind)
		_, err = o.lines.Approve(ctx, boss, refs(line))
		require.True(t, fault.Is(err, fault.Stale), "they saw another: %v", err)
		_, err = o.lines.Approve(ctx, boss, refs(now))
		require.True(t, fault.HasCode(err, "changed"), "%v", err)
		back, err := o.lines.SendBack(ctx, boss, refs(now), "the price rose")
		require.NoError(t, err)
		again := o.bring(back[0], purchase.PendingApproval)
		_, err = o.lines.Approve(ctx, boss, refs(again))
		require.NoError(t, err)
	})
	t.Run("within a limit, for the order as a whole", func(t *testing.T) {
		approver := o.who[auth.Approver]
		require.NoError(t, o.lines.SetLimit(ctx, boss, approver.Person, "49.99", "EUR"))
		order := wanted()
		order.OrderNo = set("PO-LIMIT")
		lines, err := o.lines.DraftConfirmed(ctx, o.maker, []purchase.NewLine{order, order})
		require.NoError(t, err)
		lines, err = o.lines.Submit(ctx, o.maker, refs(lines...))
		require.NoError(t, err)
		_, err = o.lines.Approve(ctx, approver, refs(lines[0]))
		require.True(t, fault.HasCode(err, "approval_limit"), "one line of an order of 50.00: %v", err)
		require.ErrorContains(t, err, "comes to EUR 50.00 and your limit is EUR 49.99")
		require.NoError(t, o.lines.SetLimit(ctx, boss, approver.Person, "50", "USD"))
		_, err = o.lines.Approve(ctx, approver, refs(lines[0]))
		require.True(t, fault.HasCode(err, "approval_limit"), "another currency: %v", err)
		require.NoError(t, o.lines.SetLimit(ctx, boss, approver.Person, "50", "EUR"))
		_, err = o.lines.Approve(ctx, approver, refs(lines...))
		require.NoError(t, err)
		require.NoError(t, o.lines.SetLimit(ctx, boss, approver.Person, "", ""))
	})
	t.Run("what costs nothing is beyond any limit, and beyond agents", func(t *testing.T) {
		approver, agent := o.who[auth.Approver], o.who[auth.Agent]
		require.NoError(t, o.lines.SetLimit(ctx, boss, approver.Person, "1", "EUR"))
		sample := wanted()
		sample.PricePerUnit = set("0")
		lines, err := o.lines.DraftConfirmed(ctx, o.maker, []purchase.NewLine{sample})
		require.NoError(t, err)
		lines, err = o.lines.Submit(ctx, o.maker, refs(lines...))
		require.NoError(t, err)
		_, err = o.lines.Approve(ctx, approver, refs(lines...))
		require.True(t, fault.HasCode(err, "approval_limit"), "%v", err)
		require.ErrorContains(t, err, "costs nothing")
		_, err = o.lines.Approve(ctx, boss, refs(lines...))
		require.NoError(t, err)
		sample.ProductID, sample.SKU = nil, set("SAMPLE")
		lines, err = o.lines.Draft(ctx, agent, []purchase.NewLine{sample})
		require.NoError(t, err)
		_, err = o.lines.Submit(ctx, agent, refs(lines...))
		require.True(t, fault.HasCode(err, "required"), "%v", err)
		require.NoError(t, o.lines.SetLimit(ctx, boss, approver.Person, "", ""))
	})
	t.Run("one person, where the rules allow it, is on record", func(t *testing.T) {
		rules, err := o.lines.Rules(ctx, boss)
		require.NoError(t, err)
		rules.FourEyes = false
		assistant := boss
		assistant.Token, assistant.Scopes = uuid.New(), auth.Scopes()
		for _, by := range []auth.Principal{o.who[auth.Buyer], assistant} {
			_, err = o.lines.SetRules(ctx, by, rules)
			require.True(t, fault.Is(err, fault.Forbidden))
			require.ErrorContains(t, err, "manage_purchasing")
		}
		rules, err = o.lines.SetRules(ctx, boss, rules)
		require.NoError(t, err)
		lines, err := o.lines.DraftConfirmed(ctx, boss, []purchase.NewLine{wanted()})
		require.NoError(t, err)
		lines, err = o.lines.Submit(ctx, boss, refs(lines...))
		require.NoError(t, err)
		lines, err = o.lines.Approve(ctx, boss, refs(lines...))
		require.NoError(t, err)
		require.True(t, lines[0].SelfApproved)
		rules.Version--
		_, err = o.lines.SetRules(ctx, boss, rules)
		require.True(t, fault.Is(err, fault.Stale))
	})
	t.Run("all or none", func(t *testing.T) {
		ready, notReady := o.in(purchase.PendingApproval), o.in(purchase.Draft)
		_, err := o.lines.Approve(ctx, boss, refs(ready, notReady))
		require.True(t, fault.Is(err, fault.Conflict))
		now, err := o.lines.Line(ctx, boss, ready.ID)
		require.NoError(t, err)
		require.Equal(t, purchase.PendingApproval, now.Status)
	})
}

// send has an external system write fields of a line. Its key may order what was drafted here.
func (o *office) send(line purchase.Line, fields string) error {
	_, err := o.tell(o.trusted, line, fields)
	return err
}

// tell has an external system write fields of a line.
func (o *office) tell(by auth.Principal, line purchase.Line, fields string) (ingest.Outcome, error) {
	body := fmt.Sprintf(`{"external_id": %q, "order_no": %q, "sku": %q, "quantity_ordered": %s, %s}`, line.ExternalID,
		line.OrderNo, line.SKU, line.QuantityOrdered, fields)
	return o.records.Write(o.t.Context(), ingest.Record{By: by, Slug: slug, Body: []byte(body), RequestID: "test"})
}

func TestEdit(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	for _, tt := range []struct {
		name    string
		from    purchase.Status
		changes purchase.Changes
		want    purchase.Status
		code    string
	}{
		{"a draft's price", purchase.Draft, purchase.Changes{PricePerUnit: set("9")}, purchase.Draft, ""},
		{"a price that waits", purchase.PendingApproval, purchase.Changes{PricePerUnit: set("2.51")}, purchase.Draft, ""},
		{"the same price, spelled otherwise", purchase.PendingApproval, purchase.Changes{PricePerUnit: set("2.5")},
			purchase.PendingApproval, ""},
		{"a date that waits", purchase.PendingApproval, purchase.Changes{ExpectedArrivalDate: set("2031-02-03")},
			purchase.PendingApproval, ""},
		{"five percent more", purchase.Ordered, purchase.Changes{QuantityOrdered: set("10.5")}, purchase.Ordered, ""},
		{"more than that", purchase.Ordered, purchase.Changes{QuantityOrdered: set("10.51")}, purchase.PendingApproval, ""},
		{"a lower price", purchase.Ordered, purchase.Changes{PricePerUnit: set("1")}, purchase.Ordered, ""},
		{"a much higher price", purchase.Ordered, purchase.Changes{PricePerUnit: set("2.63")}, purchase.PendingApproval, ""},
		{"another currency", purchase.Ordered, purchase.Changes{Currency: set("usd")}, purchase.PendingApproval, ""},
		{"no supplier", purchase.Ordered, purchase.Changes{SupplierID: set("")}, purchase.PendingApproval, ""},
		{"a date of an order", purchase.Ordered, purchase.Changes{ExpectedArrivalDate: set("2031-02-03")}, purchase.Ordered,
			""},
		{"fewer than have arrived", purchase.PartiallyReceived, purchase.Changes{QuantityOrdered: set("4")}, "", "quantity"},
		{"far more of what has begun to arrive", purchase.PartiallyReceived, purchase.Changes{QuantityOrdered: set("20")}, "",
			"partly_received"},
		{"a note after all", purchase.Received, purchase.Changes{Note: set("came late")}, purchase.Received, ""},
		{"a price after all", purchase.Received, purchase.Changes{PricePerUnit: set("1")}, "", "line_status"},
		{"a number with a comma", purchase.Draft, purchase.Changes{PricePerUnit: set("1,5")}, "", "number"},
		{"an exponent", purchase.Draft, purchase.Changes{QuantityOrdered: set("1e9")}, "", "number"},
		{"zero", purchase.Draft, purchase.Changes{QuantityOrdered: set("0")}, "", "quantity"},
		{"a day that is none", purchase.Draft, purchase.Changes{ExpectedArrivalDate: set("2031-02-30")}, "", "date"},
		{"a supplier that is none", purchase.Draft, purchase.Changes{SupplierID: set("sup-9")}, "", "unknown_reference"},
		{"no order number", purchase.Draft, purchase.Changes{OrderNo: set(" ")}, "", "text"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			line := o.in(tt.from)
			got, err := o.lines.Edit(t.Context(), o.who[auth.Buyer], refs(line)[0], tt.changes)
			if tt.code != "" {
				require.True(t, fault.HasCode(err, tt.code), "%v", err)
				return
			}
			require.NoError(t, err)
			require.Equal(t, tt.want, got[0].Status)
			if tt.want == purchase.PendingApproval && tt.from == purchase.Ordered {
				require.Nil(t, got[0].ApprovedBy, "the approval was for another amount")
			}
			require.Empty(t, got[0].Flags, "the app's own changes are no surprise")
		})
	}
	t.Run("small steps add up", func(t *testing.T) {
		line := o.in(purchase.Ordered)
		for _, quantity := range []string{"10.4", "10.8"} {
			lines, err := o.lines.Edit(t.Context(), o.who[auth.Buyer], refs(line)[0],
				purchase.Changes{QuantityOrdered: &quantity})
			require.NoError(t, err)
			line = lines[0]
		}
		require.Equal(t, purchase.PendingApproval, line.Status)
	})
	t.Run("who saw another version is told", func(t *testing.T) {
		line := o.in(purchase.Draft)
		_, err := o.lines.Edit(t.Context(), o.maker, refs(line)[0], purchase.Changes{Note: set("first")})
		require.NoError(t, err)
		_, err = o.lines.Edit(t.Context(), o.maker, refs(line)[0], purchase.Changes{Note: set("second")})
		require.True(t, fault.Is(err, fault.Stale))
	})
}

// TestOwnReceipt lets a buyer take back what they booked last, within a day, and nothing else.
func TestOwnReceipt(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	ctx, buyer, boss := t.Context(), o.who[auth.Buyer], o.who[auth.CompanyAdmin]
	got, err := o.lines.Receive(ctx, boss, delivery(o.in(purchase.Ordered), "4"))
	require.NoError(t, err)
	_, err = o.lines.Correct(ctx, buyer, refs(got[0])[0], "3", "miscounted")
	require.True(t, fault.HasCode(err, "not_your_receipt"), "%v", err)
	require.ErrorContains(t, err, "you can take back 0:")
	got, err = o.lines.Receive(ctx, buyer, delivery(got[0], "6"))
	require.NoError(t, err)
	got, err = o.lines.Correct(ctx, buyer, refs(got[0])[0], "9", "miscounted")
	require.NoError(t, err)
	_, err = o.lines.Correct(ctx, buyer, refs(got[0])[0], "3", "all of them")
	require.ErrorContains(t, err, "you can take back 5:")
	o.exec("UPDATE workspace.receipts SET created_at = created_at - interval '25 hours' WHERE line_id = $1", got[0].ID)
	_, err = o.lines.Correct(ctx, buyer, refs(got[0])[0], "8", "a day later")
	require.ErrorContains(t, err, "you can take back 0:")
	got, err = o.lines.Correct(ctx, boss, refs(got[0])[0], "0", "none came")
	require.NoError(t, err)
	require.Equal(t, purchase.Ordered, got[0].Status)
}

func TestReceive(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	ctx, buyer, boss := t.Context(), o.who[auth.Buyer], o.who[auth.CompanyAdmin]
	line := o.in(purchase.Ordered)
	got, err := o.lines.Receive(ctx, buyer, delivery(line, "4"))
	require.NoError(t, err)
	require.Equal(t, purchase.PartiallyReceived, got[0].Status)
	require.Equal(t, "6", got[0].Open().String())
	_, err = o.lines.Receive(ctx, buyer, delivery(line, "4"))
	require.True(t, fault.Is(err, fault.Stale), "a second click is no second delivery: %v", err)
	_, err = o.lines.Cancel(ctx, boss, refs(got[0]), "late")
	require.True(t, fault.HasCode(err, "close_short"), "%v", err)
	_, err = o.lines.Receive(ctx, buyer, delivery(got[0], "7.01"))
	require.True(t, fault.HasCode(err, "over_receipt"), "%v", err)
	over := delivery(got[0], "7.01")
	over.Over, over.Note = true, "they sent a sample"
	got, err = o.lines.Receive(ctx, buyer, over)
	require.NoError(t, err)
	require.Equal(t, purchase.Received, got[0].Status)
	require.NotNil(t, got[0].ReceivedAt)
	require.Equal(t, purchase.OverCount, got[0].Flags[0].Kind)
	require.True(t, got[0].Open().IsZero())

	got, err = o.lines.Correct(ctx, boss, refs(got[0])[0], "3", "miscounted")
	require.NoError(t, err)
	require.Equal(t, purchase.PartiallyReceived, got[0].Status)
	require.Nil(t, got[0].ReceivedAt)
	got, err = o.lines.Correct(ctx, boss, refs(got[0])[0], "0", "another order's")
	require.NoError(t, err)
	require.Equal(t, purchase.Ordered, got[0].Status)
	got, err = o.lines.Receive(ctx, buyer, delivery(got[0], "9"))
	require.NoError(t, err)
	got, err = o.lines.CloseShort(ctx, buyer, refs(got[0]), "the last one broke")
	require.NoError(t, err)
	require.Equal(t, purchase.Received, got[0].Status)
	require.True(t, got[0].Open().IsZero())

	moments, receipts, err := o.lines.Timeline(ctx, o.who[auth.Viewer], line.ID)
	require.NoError(t, err)
	var quantities, actions []string
	for _, receipt := range receipts {
		quantities = append(quantities, receipt.Quantity.String())
		require.Equal(t, auth.ByPerson, receipt.By.Type)
	}
	require.Equal(t, []string{"4", "7.01", "-7.01", "-1", "-3", "9"}, quantities)
	for _, moment := range moments {
		actions = append(actions, strings.TrimPrefix(moment.What, "purchase_order_line."))
	}
	require.Equal(t, []string{"closed_short", "received", "corrected", "corrected", "received", "received", "approved",
		"submitted", "created"}, actions)
	o.consistent()
}

// TestExternalSystems checks that everything external systems send is stored, and flagged
// where people could not have done it. Their keys may order what was drafted here; TestKeysOrder has those that may not.
func TestExternalSystems(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	for _, from := range purchase.Statuses() {
		for _, to := range purchase.Statuses() {
			line := o.in(from)
			require.NoError(t, o.send(line, fmt.Sprintf(`"status": %q`, to)), "%s to %s", from, to)
			now, err := o.lines.Line(t.Context(), o.who[auth.Viewer], line.ID)
			require.NoError(t, err)
			jumped := slices.ContainsFunc(now.Flags, func(f purchase.Flag) bool { return f.Kind == purchase.StatusJump })
			fine := now.Status == from || from == purchase.Ordered &&
				(to == purchase.PartiallyReceived || to == purchase.Received || to == purchase.Cancelled) ||
				from == purchase.PartiallyReceived && to == purchase.Received
			require.Equal(t, !fine, jumped, "%s to %s is %s", from, to, now.Status)
			if jumped {
				require.NoError(t, o.lines.SeeFlags(t.Context(), o.who[auth.Buyer], line.ID))
				now, err = o.lines.Line(t.Context(), o.who[auth.Viewer], line.ID)
				require.NoError(t, err)
				require.False(t, slices.ContainsFunc(now.Flags,
					func(f purchase.Flag) bool { return f.Kind == purchase.StatusJump }), "seen")
			}
		}
	}
	line := o.in(purchase.Ordered)
	require.NoError(t, o.send(line, `"quantity_received": 3`))
	_, receipts, err := o.lines.Timeline(t.Context(), o.who[auth.Viewer], line.ID)
	require.NoError(t, err)
	require.Len(t, receipts, 1)
	require.Equal(t, o.trusted.Actor, receipts[0].By, "found through the event")
	o.consistent()
}

func TestOrders(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	ctx, viewer := t.Context(), o.who[auth.Viewer]
	two := []purchase.NewLine{wanted(), wanted()}
	two[1].Currency, two[1].ExpectedArrivalDate = set("USD"), set("2020-01-01")
	first, err := o.lines.DraftConfirmed(ctx, o.maker, two)
	require.NoError(t, err)
	require.Equal(t, first[0].OrderNo, first[1].OrderNo, "drafted together, ordered together")
	second := o.in(purchase.Ordered)
	late, err := o.lines.Edit(ctx, o.maker, refs(second)[0], purchase.Changes{ExpectedArrivalDate: set("2020-01-01")})
	require.NoError(t, err)

	orders, more, err := o.lines.Orders(ctx, viewer, purchase.OrderFilter{}, purchase.ByNewest, page.Request{Most: 1})
	require.NoError(t, err)
	require.True(t, more)
	require.Equal(t, late[0].OrderNo, orders[0].OrderNo)
	orders, more, err = o.lines.Orders(ctx, viewer, purchase.OrderFilter{}, purchase.ByNewest,
		page.Request{Most: 1, After: orders[0].ID})
	require.NoError(t, err)
	require.False(t, more)
	require.Equal(t, int64(2), orders[0].ByStatus[purchase.Draft])
	require.Equal(t, "EUR 25 USD 25", fmt.Sprint(orders[0].Totals[0].Currency, " ", orders[0].Totals[0].Amount, " ",
		orders[0].Totals[1].Currency, " ", orders[0].Totals[1].Amount))
	for name, tt := range map[string]struct {
		filter purchase.OrderFilter
		want   int
	}{
		"drafts": {purchase.OrderFilter{Status: purchase.Draft}, 1}, "overdue": {purchase.OrderFilter{Overdue: true}, 1},
		"by name": {purchase.OrderFilter{Words: "green TEA"}, 2}, "by nothing": {purchase.OrderFilter{Words: "coffee"}, 0},
		"cancelled": {purchase.OrderFilter{Status: purchase.Cancelled}, 0},
	} {
		got, _, err := o.lines.Orders(ctx, viewer, tt.filter, purchase.ByNewest, page.All)
		require.NoError(t, err)
		require.Len(t, got, tt.want, name)
	}
	counts, err := o.lines.Counts(ctx, viewer)
	require.NoError(t, err)
	require.Equal(t, int64(1), counts.Overdue, "a draft is not late")
	require.Equal(t, int64(2), counts.Orders)
	arrivals, _, err := o.lines.Arrivals(ctx, viewer, late[0].ExpectedArrival.AddDate(0, 0, -1), *late[0].ExpectedArrival,
		page.All)
	require.NoError(t, err)
	require.Len(t, arrivals, 1)
	_, _, err = o.lines.Lines(ctx, viewer, "PO-NONE", page.All)
	require.True(t, fault.HasCode(err, "unknown_order"))

	stranger := viewer
	stranger.Tenant, stranger.Workspace = uuid.New(), uuid.New()
	none, _, err := o.lines.Orders(ctx, stranger, purchase.OrderFilter{}, purchase.ByNewest, page.All)
	require.NoError(t, err)
	require.Empty(t, none)
	_, err = o.lines.Line(ctx, stranger, second.ID)
	require.True(t, fault.Is(err, fault.NotFound))
	elsewhere := o.who[auth.CompanyAdmin]
	elsewhere.Workspace = uuid.New()
	_, err = o.lines.Cancel(ctx, elsewhere, refs(second), "not mine")
	require.True(t, fault.Is(err, fault.NotFound), "another workspace of the same company: %v", err)
}

// TestDocumented checks that docs/purchasing.md prints the table of the code.
func TestDocumented(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../docs/purchasing.md")
	require.NoError(t, err)
	require.Contains(t, string(page), purchase.Markdown(), "put this into docs/purchasing.md:\n%s", purchase.Markdown())
}
