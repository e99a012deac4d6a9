package purchase_test

import (
	"testing"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/pg/q"
	"github.com/quayside/quayside/internal/purchase"
)

// TestToApproveIsWhatNothingHinders compares what waits for each approver with what hinders them, order by
// order: every way to have had a part in a line, limits, and rules without four eyes.
func TestToApproveIsWhatNothingHinders(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	ctx, boss := t.Context(), o.who[auth.CompanyAdmin]
	maker, submitter, importer, owner, starter, editor := o.person(auth.CompanyAdmin), o.person(auth.CompanyAdmin),
		o.person(auth.CompanyAdmin), o.person(auth.CompanyAdmin), o.person(auth.CompanyAdmin), o.person(auth.CompanyAdmin)
	small, foreign := o.person(auth.Approver), o.person(auth.Approver)
	require.NoError(t, o.lines.SetLimit(ctx, boss, small.Person, "24", "EUR"))
	require.NoError(t, o.lines.SetLimit(ctx, boss, foreign.Person, "1000", "USD"))

	draft := func(by auth.Principal) purchase.Line {
		lines, err := o.lines.DraftConfirmed(ctx, by, []purchase.NewLine{wanted()})
		require.NoError(t, err)
		return lines[0]
	}
	submit := func(by auth.Principal, line purchase.Line) {
		_, err := o.lines.Submit(ctx, by, refs(line))
		require.NoError(t, err)
	}
	submit(o.maker, draft(maker))
	submit(submitter, draft(o.maker))
	edited := draft(o.maker)
	lines, err := o.lines.Edit(ctx, editor, refs(edited)[0], purchase.Changes{QuantityOrdered: set("9")})
	require.NoError(t, err)
	submit(o.maker, lines[0])
	imported := fresh()
	imported.OrderNo = "IMPORTED"
	require.NoError(t, o.file(importer, imported, priced))
	submit(o.maker, o.stored(imported))
	agent := o.who[auth.Agent]
	o.exec(`INSERT INTO workspace.tokens (tenant_id, id, workspace_id, token_hash, prefix, label, agent_id, scopes, created_by)
		VALUES ($1, gen_random_uuid(), $2, decode(repeat('00', 32), 'hex'), 'qst_1', 'buyer bot', $3, '{write}', $4)`,
		o.tenant.ID, o.tenant.Workspace, agent.Actor.ID, owner.Actor.JSON())
	submit(agent, draft(agent))
	run := uuid.New()
	o.exec(`INSERT INTO workspace.agent_runs (tenant_id, id, workspace_id, dry, status, started_by) VALUES ($1, $2, $3, false, 'done', $4)`,
		o.tenant.ID, run, o.tenant.Workspace, starter.Actor.JSON())
	submit(o.maker, draft(auth.Procurement(o.tenant.ID, o.tenant.Workspace, run, nil)))
	outside := o.arrive(`"status": "pending_approval", ` + priced)
	require.Equal(t, purchase.PendingApproval, outside.Status)
	sample := draft(maker)
	lines, err = o.lines.Edit(ctx, maker, refs(sample)[0], purchase.Changes{PricePerUnit: set("0")})
	require.NoError(t, err)
	submit(maker, lines[0])

	everybody := []auth.Principal{boss, maker, submitter, importer, owner, starter, editor, small, foreign,
		o.who[auth.Approver], o.who[auth.Buyer], o.who[auth.Viewer], agent}
	compare := func() (numbers []int) {
		waits, err := o.lines.Counts(ctx, boss)
		require.NoError(t, err)
		for _, by := range everybody {
			require.NoError(t, o.db.InTenant(ctx, o.tenant.ID, func(tx pgx.Tx) error {
				queries := q.New(tx)
				found, err := purchase.ToApprove(ctx, queries, by)
				require.NoError(t, err)
				free := map[string]bool{}
				for _, one := range found {
					free[one.OrderNo] = true
					require.EqualValues(t, 1, one.Lines)
				}
				rows, err := tx.Query(ctx, "SELECT order_no FROM workspace.purchase_orders WHERE tenant_id = $1 AND pending_approval > 0", o.tenant.ID)
				require.NoError(t, err)
				orders, err := pgx.CollectRows(rows, pgx.RowTo[string])
				require.NoError(t, err)
				require.EqualValues(t, waits.ByStatus[purchase.PendingApproval], len(orders))
				for _, order := range orders {
					why, err := purchase.Hindrance(ctx, queries, by, order)
					require.NoError(t, err)
					require.Equal(t, by.Role.May(auth.ApproveLines) && why == "", free[order], "%s %s: %q", by.Role, order, why)
				}
				numbers = append(numbers, len(found))
				return nil
			}))
		}
		return numbers
	}
	require.Equal(t, []int{8, 6, 7, 7, 7, 7, 7, 1, 0, 8, 0, 0, 0}, compare(), "the small limit fits the edited order, and not what costs nothing")
	rules, err := o.lines.Rules(ctx, boss)
	require.NoError(t, err)
	rules.FourEyes = false
	_, err = o.lines.SetRules(ctx, boss, rules)
	require.NoError(t, err)
	require.Equal(t, []int{8, 8, 8, 8, 8, 8, 8, 1, 0, 8, 0, 0, 0}, compare(), "without four eyes")
}
