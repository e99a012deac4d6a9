package service_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"sync"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/quayside/quayside/test/rig"
)

// agentRun is a run of the procurement agent.
type agentRun struct {
	ID               string
	Status, Message  string
	Drafted, Refused int
	Decided          *time.Time `json:"decided_at"`
}

// letAgentDraft has the procurement agent draft at most as many lines in a run, and not submit them, so
// that a line is as the other drafters leave theirs. It changes the config without the computation of
// all articles that follows a change in the app.
func (c *contest) letAgentDraft(lines int) {
	c.t.Helper()
	c.exec(fmt.Sprintf(`INSERT INTO workspace.playbook_versions (tenant_id, workspace_id, kind, document_id, version, content, author, note, revision)
		SELECT tenant_id, workspace_id, 'config', workspace_id, 1,
			'{"values":{"agent_can_submit":false,"agent_max_lines_per_run":%d}}', '{"type":"system"}', '', 0
		FROM workspace.sales_settings`, lines))
}

// keepAgentAtWork has the procurement agent run again and again, at either process, until stop is
// called. It returns when the first run has decided. stop returns the runs.
func (c *contest) keepAgentAtWork() (stop func() []agentRun) {
	c.t.Helper()
	var (
		runs    []agentRun
		working sync.WaitGroup
		decided = make(chan struct{})
		over    = make(chan struct{})
		once    sync.Once
	)
	working.Go(func() {
		defer once.Do(func() { close(decided) })
		for n := 0; ; n++ {
			run, err := c.runAgent(c.processes[n%len(c.processes)], func() { once.Do(func() { close(decided) }) })
			if err != nil {
				c.t.Errorf("run %d of the procurement agent: %v", n, err)
				return
			}
			runs = append(runs, run)
			select {
			case <-over:
				return
			default:
			}
		}
	})
	<-decided
	return func() []agentRun {
		close(over)
		working.Wait()
		return runs
	}
}

// runAgent starts a run, and waits until it has ended.
func (c *contest) runAgent(at *rig.Process, decided func()) (run agentRun, err error) {
	got, err := c.act(c.ada, at, "procurement/runs", map[string]any{})
	if err != nil || got.status != http.StatusCreated {
		return run, fmt.Errorf("not started: %s: %w", got, err)
	}
	if err := json.Unmarshal([]byte(got.text), &run); err != nil {
		return run, err
	}
	for run.Status != "done" {
		if run.Decided != nil {
			decided()
		}
		time.Sleep(50 * time.Millisecond) // it tells nobody how far it is
		got, err := c.ask(http.MethodGet, at.URL+"/api/app/"+c.ada.in("procurement/runs/"+run.ID), c.ada.header(), "")
		if err != nil {
			return run, err
		}
		if err := json.Unmarshal([]byte(got.text), &run); err != nil || run.Status == "failed" {
			return run, fmt.Errorf("%s: %w", got, err)
		}
	}
	return run, nil
}

// checkRuns checks that what the runs say of their lines is what is stored: each line that they drafted
// is there, once, and of what they were refused there is none of theirs.
func (c *contest) checkRuns(runs []agentRun) (drafted, refused int) {
	c.t.Helper()
	for _, run := range runs {
		require.Equal(c.t, "done", run.Status, run.Message)
		drafted, refused = drafted+run.Drafted, refused+run.Refused
	}
	require.Positive(c.t, drafted, "the procurement agent drafted nothing")
	require.EqualValues(c.t, drafted, c.count(`SELECT count(*) FROM workspace.agent_decisions d
		JOIN workspace.purchase_order_lines l ON l.tenant_id = d.tenant_id AND l.id = d.line_id
		WHERE d.outcome = 'drafted' AND l.created_by_run_id = d.run_id::text AND l.recommendation_key = d.recommendation_key
			AND l.quantity_ordered = d.quantity`))
	require.EqualValues(c.t, drafted, c.count(`SELECT count(*) FROM workspace.purchase_order_lines l
		WHERE l.created_by_run_id IN (SELECT id::text FROM workspace.agent_runs)`))
	require.EqualValues(c.t, refused, c.count(`SELECT count(*) FROM workspace.agent_decisions WHERE outcome = 'refused' AND note <> ''`))
	return drafted, refused
}
