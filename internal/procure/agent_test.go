package procure_test

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/fault"
	"github.com/quayside/quayside/internal/page"
	"github.com/quayside/quayside/internal/playbook"
	"github.com/quayside/quayside/internal/procure"
	"github.com/quayside/quayside/internal/purchase"
)

// market is a stage with four articles to order, of two suppliers, one of which has no price.
func market(t *testing.T) *stage {
	t.Helper()
	st := newStage(t)
	st.send("suppliers", map[string]any{"external_id": "s1", "name": "Harbour Teas", "lead_time_days": 10})
	st.send("suppliers", map[string]any{"external_id": "s2", "name": "Kiln & Co", "lead_time_days": 5})
	st.product("POT", 0, nil)
	st.product("MUG", 0, map[string]any{"supplier_id": "s2"})
	st.product("BARE", 0, map[string]any{"unit_cost": nil})
	for _, sku := range []string{"POT", "MUG", "BARE"} {
		st.sell(sku, 12)
	}
	st.open()
	return st
}

// set changes the config.
func (st *stage) set(values playbook.Values) {
	st.t.Helper()
	settings, err := st.playbook.Settings(st.t.Context(), st.by(auth.CompanyAdmin))
	require.NoError(st.t, err)
	_, err = st.playbook.SetConfig(st.t.Context(), st.by(auth.CompanyAdmin), playbook.ConfigChange{Values: values, Version: settings.Version})
	require.NoError(st.t, err)
	require.NoError(st.t, st.queue.Daily(st.t.Context(), today.Add(12*time.Hour)))
}

// run lets the agent run to its end.
func (st *stage) run(by auth.Principal, dry bool) procure.Run {
	st.t.Helper()
	run, err := st.queue.StartRun(st.t.Context(), by, dry)
	require.NoError(st.t, err)
	st.work(run.ID)
	return st.ran(run.ID)
}

func (st *stage) work(run uuid.UUID) {
	st.t.Helper()
	for {
		more, _, err := st.queue.WorkOn(context.WithoutCancel(st.t.Context()), procure.AgentJob{Tenant: st.tenant.ID, Workspace: st.tenant.Workspace, Run: run})
		require.NoError(st.t, err)
		if !more {
			return
		}
	}
}

func (st *stage) ran(id uuid.UUID) procure.Run {
	st.t.Helper()
	run, err := st.queue.Run(st.t.Context(), st.by(auth.Viewer), id)
	require.NoError(st.t, err)
	return run
}

// decided returns the decisions of a run by SKU.
func (st *stage) decided(run uuid.UUID) map[string]procure.RunDecision {
	st.t.Helper()
	decisions, more, err := st.queue.Decisions(st.t.Context(), st.by(auth.Viewer), run, procure.AllDecisions, 0, 100)
	require.NoError(st.t, err)
	require.False(st.t, more)
	bySKU := map[string]procure.RunDecision{}
	for _, d := range decisions {
		bySKU[d.SKU] = d
	}
	return bySKU
}

func (st *stage) count(sql string, args ...any) (n int) {
	st.t.Helper()
	require.NoError(st.t, st.admin.QueryRow(st.t.Context(), sql, args...).Scan(&n))
	return n
}

// TestAgentRun drafts and submits what it may, in one order for each supplier, and says why of all.
func TestAgentRun(t *testing.T) {
	t.Parallel()
	st := market(t)
	ctx := t.Context()
	buyer := st.by(auth.Buyer)
	_, err := st.lines.Draft(ctx, buyer, []purchase.NewLine{{Changes: purchase.Changes{SKU: new("POT"), QuantityOrdered: new("3")}}})
	require.NoError(t, err)
	st.follow()

	run := st.run(buyer, false)
	require.Equal(t, procure.RunDone, run.Status, run.Message)
	require.Equal(t, buyer.Actor, run.StartedBy)
	require.Equal(t, [5]int64{2, 2, 2, 0, 0}, [5]int64{run.Chosen, run.Skipped, run.Submitted, run.Drafted, run.Refused})
	decided := st.decided(run.ID)
	require.Equal(t, procure.RuleBlocked, decided["BARE"].Rule)
	require.Equal(t, procure.RuleDrafted, decided["POT"].Rule, "a person's draft is not touched, and not doubled")
	require.NotEqual(t, decided["TEA"].OrderNo, decided["MUG"].OrderNo)
	for _, sku := range []string{"TEA", "MUG"} {
		d := decided[sku]
		require.Equal(t, procure.OutcomeSubmitted, d.Outcome, d.Note)
		line, err := st.lines.Line(ctx, buyer, *d.Line)
		require.NoError(t, err)
		require.Equal(t, purchase.PendingApproval, line.Status)
		require.Equal(t, d.Key, *line.RecommendationKey)
		require.Equal(t, d.Sentence, *line.Note)
		require.Equal(t, auth.ProcurementAgent, *line.CreatedBy.Agent)
		require.Equal(t, run.ID.String(), *line.CreatedBy.Run)
		require.Equal(t, d.Version, line.Version)
		require.True(t, line.QuantityOrdered.Equal(d.Quantity))
	}
	st.replays(run.ID)

	again := st.run(buyer, false)
	require.Zero(t, again.Chosen, "everything is locked by the first run")
	require.Equal(t, procure.RuleLocked, st.decided(again.ID)["TEA"].Rule)
	runs, more, err := st.queue.Runs(ctx, st.by(auth.Viewer), page.Request{Most: 1})
	require.NoError(t, err)
	require.True(t, more)
	require.Equal(t, again.ID, runs[0].ID)
	runs, more, err = st.queue.Runs(ctx, st.by(auth.Viewer), page.Request{Most: 5, After: again.ID})
	require.NoError(t, err)
	require.False(t, more)
	require.Equal(t, run.ID, runs[0].ID)
}

// replays checks that the stored inputs of a run give its stored decisions again.
func (st *stage) replays(run uuid.UUID) {
	st.t.Helper()
	var text []byte
	require.NoError(st.t, st.admin.QueryRow(st.t.Context(), "SELECT inputs FROM workspace.agent_runs WHERE id = $1", run).Scan(&text))
	var inputs procure.Inputs
	require.NoError(st.t, json.Unmarshal(text, &inputs))
	stored := st.decided(run)
	decisions := inputs.Decide()
	require.Len(st.t, stored, len(decisions))
	for _, d := range decisions {
		is := stored[d.SKU]
		require.Equal(st.t, d.Rule, is.Rule)
		require.Equal(st.t, d.Sentence, is.Sentence)
		require.True(st.t, d.Quantity.Equal(is.Quantity))
	}
}

// TestDryRun decides as a run does, and writes no line.
func TestDryRun(t *testing.T) {
	t.Parallel()
	st := market(t)
	before := st.dump()
	dry := st.run(st.by(auth.Buyer), true)
	require.Equal(t, procure.RunDone, dry.Status)
	require.Equal(t, int64(3), dry.Chosen)
	require.Zero(t, st.count("SELECT count(*) FROM workspace.purchase_order_lines"))
	require.Equal(t, before, st.dump())
	_, err := st.queue.Undo(t.Context(), st.by(auth.Buyer), dry.ID)
	require.True(t, fault.HasCode(err, "nothing_to_undo"), err)
	wet := st.run(st.by(auth.Buyer), false)
	said, did := st.decided(dry.ID), st.decided(wet.ID)
	for sku := range said {
		require.Equal(t, said[sku].Sentence, did[sku].Sentence)
	}
}

// TestOneRunAtATime starts many at once.
func TestOneRunAtATime(t *testing.T) {
	t.Parallel()
	st := market(t)
	var started, refused int
	var mu sync.Mutex
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			_, err := st.queue.StartRun(t.Context(), st.by(auth.Buyer), false)
			mu.Lock()
			defer mu.Unlock()
			if err == nil {
				started++
			} else if fault.HasCode(err, "agent_at_work") {
				refused++
			}
		})
	}
	all.Wait()
	require.Equal(t, [2]int{1, 7}, [2]int{started, refused})
	require.Equal(t, 1, st.count("SELECT count(*) FROM river.river_job WHERE kind = 'agent_run'"))
}

// TestAgentRights lists who may start, see and undo runs.
func TestAgentRights(t *testing.T) {
	t.Parallel()
	st := market(t)
	for _, role := range []auth.Role{auth.Viewer, auth.Approver} {
		_, err := st.queue.StartRun(t.Context(), st.by(role), true)
		require.True(t, fault.Is(err, fault.Forbidden), err)
	}
	run := st.run(st.agent(), false)
	for _, by := range []auth.Principal{st.by(auth.Viewer), st.by(auth.Approver), st.agent()} {
		_, err := st.queue.Undo(t.Context(), by, run.ID)
		require.True(t, fault.Is(err, fault.Forbidden), err)
	}
	stranger := st.by(auth.CompanyAdmin)
	stranger.Workspace = uuid.New()
	_, err := st.queue.Run(t.Context(), stranger, run.ID)
	require.True(t, fault.HasCode(err, "unknown_run"), err)
	_, _, err = st.queue.Decisions(t.Context(), stranger, run.ID, procure.AllDecisions, 0, 10)
	require.True(t, fault.HasCode(err, "unknown_run"), err)
	_, err = st.queue.Undo(t.Context(), stranger, run.ID)
	require.True(t, fault.HasCode(err, "unknown_run"), err)
}

// TestAgentLimits follows the config: lines, submitting, and the budget of the month.
func TestAgentLimits(t *testing.T) {
	t.Parallel()
	st := market(t)
	cost := st.row("TEA").Cost.InexactFloat64()
	st.exec("UPDATE workspace.sales_settings SET base_currency = 'EUR'")
	st.set(playbook.Values{"agent_can_submit": jsontext.Value("false"), "agent_max_lines_per_run": jsontext.Value("1")})
	first := st.run(st.by(auth.Buyer), false)
	require.Equal(t, [3]int64{1, 1, 0}, [3]int64{first.Chosen, first.Drafted, first.Submitted})
	_, err := st.queue.Undo(t.Context(), st.by(auth.Buyer), first.ID)
	require.NoError(t, err)

	st.set(playbook.Values{"agent_max_lines_per_run": jsontext.Value("50"), "monthly_budget": jsontext.Value(fmt.Sprint(cost + 1))})
	second := st.run(st.by(auth.Buyer), false)
	spent := 0.0
	require.NoError(t, st.admin.QueryRow(t.Context(), `SELECT sum(quantity_ordered * price_per_unit)::float8 FROM workspace.purchase_order_lines
		WHERE status <> 'cancelled'`).Scan(&spent))
	require.Positive(t, spent)
	require.LessOrEqual(t, spent, cost+1)
	rules := map[procure.AgentRule]int{}
	for _, d := range st.decided(second.ID) {
		rules[d.Rule]++
	}
	require.Positive(t, rules[procure.RuleBudget], rules)

	// Other agents are bound by the same budget, people are not.
	for sku, d := range st.decided(second.ID) {
		if d.Rule == procure.RuleBudget {
			pick := []procure.Pick{{Key: st.row(sku).Key}}
			_, err := st.queue.Draft(t.Context(), st.agent(), pick, false)
			require.True(t, fault.HasCode(err, "recommendation_blocked"), err)
			require.ErrorContains(t, err, "(over_budget); a person can")
			_, err = st.queue.Draft(t.Context(), st.by(auth.Buyer), pick, false)
			require.True(t, fault.HasCode(err, "recommendation_blocked"), err)
			_, err = st.queue.Draft(t.Context(), st.by(auth.Buyer), pick, true)
			require.NoError(t, err)
		}
	}
}

// TestAgentSurvivesDeath makes a run forget what it has done, as if its process had died between
// writing a line and noting it.
func TestAgentSurvivesDeath(t *testing.T) {
	t.Parallel()
	st := market(t)
	run := st.run(st.by(auth.Buyer), false)
	want := st.decided(run.ID)
	lines := st.count("SELECT count(*) FROM workspace.purchase_order_lines")
	st.exec("UPDATE workspace.agent_runs SET status = 'running', ended_at = NULL")
	st.exec("UPDATE workspace.agent_decisions SET outcome = 'none', line_id = NULL, line_version = NULL, order_no = ''")
	st.work(run.ID)
	for sku, d := range st.decided(run.ID) {
		require.Equal(t, want[sku].Outcome, d.Outcome, sku)
		require.Equal(t, want[sku].Line, d.Line, sku)
		if d.Line != nil {
			require.Equal(t, want[sku].Version, d.Version, sku)
		}
	}
	st.exec("UPDATE workspace.agent_runs SET status = 'running', ended_at = NULL")
	st.exec("UPDATE workspace.agent_decisions SET outcome = 'drafted', line_version = 1 WHERE outcome = 'submitted'")
	st.work(run.ID)
	require.Equal(t, int64(3), st.ran(run.ID).Submitted, "it was submitted, but not noted")
	require.Equal(t, lines, st.count("SELECT count(*) FROM workspace.purchase_order_lines"))
	require.Equal(t, 3, st.count("SELECT count(*) FROM workspace.audit WHERE action = 'purchase_order_line.submitted'"))
}

// TestUndo cancels what is as the agent left it, and nothing else.
func TestUndo(t *testing.T) {
	t.Parallel()
	st := market(t)
	ctx := t.Context()
	buyer, approver := st.by(auth.Buyer), st.by(auth.Approver)
	run := st.run(buyer, false)
	decided := st.decided(run.ID)
	ref := func(sku string) []purchase.Ref {
		return []purchase.Ref{{ID: *decided[sku].Line, Version: decided[sku].Version}}
	}
	_, err := st.lines.Approve(ctx, approver, ref("TEA"))
	require.NoError(t, err)
	_, err = st.lines.SendBack(ctx, approver, ref("POT"), "Too many")
	require.NoError(t, err)

	undone, err := st.queue.Undo(ctx, buyer, run.ID)
	require.NoError(t, err)
	require.Equal(t, [2]int64{1, 2}, [2]int64{undone.Undone, undone.Kept})
	require.Equal(t, buyer.Actor, *undone.UndoneBy)
	after := st.decided(run.ID)
	require.Equal(t, procure.OutcomeKept, after["TEA"].Outcome)
	require.Contains(t, after["POT"].Note, "Kept: somebody has changed the line")
	require.Equal(t, procure.OutcomeUndone, after["MUG"].Outcome)
	require.Zero(t, st.count("SELECT count(*) FROM workspace.suppressions WHERE kind = 'rejected'"))
	mug := st.row("MUG")
	require.Equal(t, procure.GroupOrder, mug.Group, "it is suggested again at once, without the keeper of the queue")
	require.NotEqual(t, decided["MUG"].Key, mug.Key)
	again, err := st.queue.Undo(ctx, buyer, run.ID)
	require.NoError(t, err)
	require.Equal(t, undone, again)
	require.Equal(t, 1, st.count("SELECT count(*) FROM workspace.audit WHERE action = 'agent_run.undone'"))
}

// TestUndoGoesOn undoes a run again after the process died between a step with a line and its note.
func TestUndoGoesOn(t *testing.T) {
	t.Parallel()
	st := market(t)
	ctx := t.Context()
	buyer := st.by(auth.Buyer)
	run := st.run(buyer, false)
	decided := st.decided(run.ID)
	agent := auth.Procurement(st.tenant.ID, st.tenant.Workspace, run.ID, time.UTC)
	const reason = "The run of the procurement agent was undone."
	for sku, d := range decided {
		if d.Line == nil || sku == "MUG" {
			continue
		}
		lines, err := st.lines.SendBack(ctx, buyer, []purchase.Ref{{ID: *d.Line, Version: d.Version}}, reason)
		require.NoError(t, err)
		if sku == "TEA" {
			continue
		}
		st.exec("UPDATE workspace.agent_decisions SET outcome = 'drafted', line_version = $2 WHERE line_id = $1", *d.Line, lines[0].Version)
		_, err = st.lines.Cancel(ctx, agent, []purchase.Ref{{ID: *d.Line, Version: lines[0].Version}}, reason)
		require.NoError(t, err)
		require.NoError(t, st.lines.SeeFlags(ctx, buyer, *d.Line))
	}
	undone, err := st.queue.Undo(ctx, buyer, run.ID)
	require.NoError(t, err)
	require.Equal(t, [2]int64{3, 0}, [2]int64{undone.Undone, undone.Kept})
	require.Equal(t, 3, st.count("SELECT count(*) FROM workspace.purchase_order_lines WHERE status = 'cancelled'"))
}

// TestStarterDoesNotApprove counts who starts the agent among those who made its lines.
func TestStarterDoesNotApprove(t *testing.T) {
	t.Parallel()
	st := market(t)
	ctx := t.Context()
	admin := st.by(auth.CompanyAdmin)
	run := st.run(admin, false)
	d := st.decided(run.ID)["TEA"]
	ref := []purchase.Ref{{ID: *d.Line, Version: d.Version}}
	_, err := st.lines.Approve(ctx, admin, ref)
	require.True(t, fault.HasCode(err, "four_eyes"), err)
	require.ErrorContains(t, err, "you started the run of the agent that wrote this line")
	_, err = st.lines.Approve(ctx, st.by(auth.CompanyAdmin), ref)
	require.NoError(t, err)
}

// TestDaily starts the agent once a day, whoever looks and how often.
func TestDaily(t *testing.T) {
	t.Parallel()
	st := market(t)
	require.NoError(t, st.queue.StartDaily(t.Context()))
	require.Zero(t, st.count("SELECT count(*) FROM workspace.agent_runs"))
	st.set(playbook.Values{"agent_daily": jsontext.Value("true")})
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			if err := st.queue.StartDaily(t.Context()); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	require.Equal(t, 1, st.count("SELECT count(*) FROM workspace.agent_runs WHERE day = $1 AND NOT dry", today))
	runs, _, err := st.queue.Runs(t.Context(), st.by(auth.Viewer), page.Request{Most: 5})
	require.NoError(t, err)
	st.work(runs[0].ID)
	require.Equal(t, procure.RunDone, st.ran(runs[0].ID).Status)
	require.NoError(t, st.queue.StartDaily(t.Context()))
	require.Equal(t, 1, st.count("SELECT count(*) FROM workspace.agent_runs"))
	d := st.decided(runs[0].ID)["TEA"]
	_, err = st.lines.Approve(t.Context(), st.by(auth.Approver), []purchase.Ref{{ID: *d.Line, Version: d.Version}})
	require.NoError(t, err, "nobody started it")
	st.set(playbook.Values{"agent_daily": jsontext.Value("false")})
	st.exec("DELETE FROM workspace.agent_decisions")
	st.exec("DELETE FROM workspace.agent_runs")
	require.NoError(t, st.queue.StartDaily(t.Context()))
	require.Zero(t, st.count("SELECT count(*) FROM workspace.agent_runs"), "the version in force counts")
}

// TestAgentWaitsForTheQueue decides only from a queue of today, and gives up in the end.
func TestAgentWaitsForTheQueue(t *testing.T) {
	t.Parallel()
	st := market(t)
	st.exec("UPDATE workspace.queue_state SET as_of = as_of - 1")
	run, err := st.queue.StartRun(t.Context(), st.by(auth.Buyer), false)
	require.NoError(t, err)
	of := procure.AgentJob{Tenant: st.tenant.ID, Workspace: st.tenant.Workspace, Run: run.ID}
	more, pause, err := st.queue.WorkOn(t.Context(), of)
	require.NoError(t, err)
	require.True(t, more)
	require.Positive(t, pause)
	require.Equal(t, procure.RunQueued, st.ran(run.ID).Status)
	st.exec("UPDATE workspace.queue_state SET as_of = as_of + 1")
	st.exec("INSERT INTO workspace.queue_marks (tenant_id, workspace_id, product_id, marked_at) VALUES ($1, $2, 'p', now() - interval '1 hour')",
		st.tenant.ID, st.tenant.Workspace)
	more, _, err = st.queue.WorkOn(t.Context(), of)
	require.NoError(t, err)
	require.True(t, more, "a row waits for long")
	require.Equal(t, procure.RunQueued, st.ran(run.ID).Status)

	old := uuid.Must(uuid.NewV7())
	copy(old[:6], []byte{1, 0x90, 0, 0, 0, 0}) // of 2024
	st.exec("UPDATE workspace.agent_runs SET id = $1", old)
	of.Run = old
	more, _, err = st.queue.WorkOn(t.Context(), of)
	require.NoError(t, err)
	require.True(t, more)
	given := st.ran(old)
	require.Equal(t, procure.RunFailed, given.Status)
	require.Equal(t, "the queue was not computed within 15 minutes", given.Message)
	more, _, err = st.queue.WorkOn(t.Context(), of)
	require.NoError(t, err)
	require.False(t, more)
}

// TestUndoTwiceAtOnce undoes a run several times at the same moment: what one call has cancelled, no
// other reports as kept.
func TestUndoTwiceAtOnce(t *testing.T) {
	t.Parallel()
	st := market(t)
	run := st.run(st.by(auth.Buyer), false)
	var all sync.WaitGroup
	for range 6 {
		all.Go(func() {
			if _, err := st.queue.Undo(t.Context(), st.by(auth.Buyer), run.ID); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	require.Equal(t, 3, st.count("SELECT count(*) FROM workspace.purchase_order_lines WHERE status = 'cancelled'"))
	undone := st.ran(run.ID)
	require.Equal(t, [2]int64{3, 0}, [2]int64{undone.Undone, undone.Kept})
	require.Equal(t, 1, st.count("SELECT count(*) FROM workspace.audit WHERE action = 'agent_run.undone'"))
}
