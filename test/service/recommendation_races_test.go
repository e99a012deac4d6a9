package service_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/quayside/quayside/test/rig"
)

// TestRecommendationRaces has the procurement agent, another agent, two buyers, an external system and a
// retry of a failed import race for many recommendations at two processes. Each recommendation gets exactly one open line, and
// whoever comes too late is told which one.
//
// Then they race for some of them again, while that line is cancelled and records open former lines
// of the recommendation. Nobody gets a second open line, and records that are refused are kept.
func TestRecommendationRaces(t *testing.T) {
	t.Parallel()
	c := newContest(t, rounds(t))
	drafters, results := c.drafters(), &tally{counts: map[string]int{}}

	c.failRecords(c.all, func(r *recommendation) string {
		if r.corrected() {
			return r.record(r.retried(), "draft", `"many"`, "S1")
		}
		return r.record(r.retried(), r.status(), retriedQuantity, "S2")
	})
	c.send(c.processes[0], "suppliers", `{"external_id":"S2","name":"Late House"}`)
	c.letAgentDraft(max(10, len(c.all)/10))
	stopAgent := c.keepAgentAtWork()
	racers := slices.Concat(drafters, c.records())
	// The procurement agent takes them in the order of the queue. In another order, it comes first here
	// and too late there.
	shuffled := slices.Clone(c.all)
	rand.New(rand.NewPCG(1, 2)).Shuffle(len(shuffled), func(i, j int) { shuffled[i], shuffled[j] = shuffled[j], shuffled[i] })
	c.race(shuffled, racers, func(r *recommendation, answers []answer) {
		results.add("first", racers, answers)
		lines := c.lines(r)
		c.checkDrafted(r, drafters, answers, lines)
		c.checkRecords(r, answers[len(drafters):], lines)
	})
	byRuns, refusedRuns := c.checkRuns(stopAgent())
	c.requireQueue()
	require.EqualValues(t, len(c.all), c.count("SELECT count(*) FROM workspace.failed_imports"), "no other record was refused")

	c.exec(`UPDATE workspace.purchase_order_lines l SET status = 'cancelled', recommendation_key = h.recommendation_key
		FROM workspace.purchase_order_lines h
		WHERE h.sku = l.sku AND h.recommendation_key IS NOT NULL AND l.recommendation_key IS NULL`)
	some := c.all[len(c.all)/2:]
	c.failRecords(some, func(r *recommendation) string {
		return fmt.Sprintf(`{"external_id":%q,"status":"draft","supplier_id":"S3"}`, r.retried())
	})
	c.send(c.processes[0], "suppliers", `{"external_id":"S3","name":"Later House"}`)
	racers = append(slices.Concat(drafters, c.openings()), racer{"cancel", "", "", c.cancelLine})
	c.race(some, racers, func(r *recommendation, answers []answer) {
		results.add("again", racers, answers)
		c.checkAgain(r, racers, answers)
	})
	c.requireQueue()

	require.Zero(t, c.count(`SELECT count(*) FROM (SELECT FROM workspace.purchase_order_lines
		WHERE recommendation_key IS NOT NULL AND status NOT IN ('received', 'cancelled')
		GROUP BY recommendation_key HAVING count(*) > 1) d`), "recommendations with two open lines")
	require.Zero(t, c.count(`SELECT count(*) FROM (SELECT FROM workspace.events
		GROUP BY subject, version HAVING count(*) > 1) d`), "versions with two events")
	for _, p := range c.processes {
		require.Zero(t, p.Terminate())
		for _, line := range p.Lines() {
			require.NotContains(t, line, `"status":500`)
		}
	}
	t.Logf("%d answers were 503; the procurement agent drafted %d and was refused %d; %s", c.again.Load(), byRuns, refusedRuns,
		results)
}

// tally counts how the racers fared.
type tally struct {
	mu     sync.Mutex
	counts map[string]int
}

func (t *tally) add(lap string, racers []racer, answers []answer) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for i, one := range racers {
		outcome := "succeeded"
		if !answers[i].done {
			outcome = "refused"
		}
		for _, code := range []string{"recommendation_locked", "recommendation_answered", "recommendation_blocked",
			"already_drafted", "already_on_its_way"} {
			if strings.Contains(answers[i].said, code) {
				outcome = code
			}
		}
		t.counts[fmt.Sprintf("%s %s %s", lap, one.name, outcome)]++
	}
}

func (t *tally) String() string {
	var texts []string
	for _, name := range slices.Sorted(maps.Keys(t.counts)) {
		texts = append(texts, fmt.Sprintf("%s: %d", name, t.counts[name]))
	}
	return strings.Join(texts, ", ")
}

// failRecords has the external system send records that are refused, to be retried.
func (c *contest) failRecords(of []*recommendation, record func(*recommendation) string) {
	c.t.Helper()
	c.forEach(len(of), func(n int) {
		c.mustPush(n, "purchase_order_lines", record(of[n]), http.StatusUnprocessableEntity)
	})
	rows, err := c.db.Query(c.t.Context(), "SELECT record_key, id::text FROM workspace.failed_imports WHERE status = 'open'")
	require.NoError(c.t, err)
	ids := map[string]string{}
	var key, id string
	_, err = pgx.ForEachRow(rows, []any{&key, &id}, func() error { ids[key] = id; return nil })
	require.NoError(c.t, err)
	require.Len(c.t, ids, len(of))
	for _, r := range of {
		r.failed = ids[r.retried()]
	}
}

// stored is a line in the database.
type stored struct {
	id, externalID, key, status, quantity, maker string
	version                                      int64
	events                                       int64 // of this version
	audits                                       int64
}

// lines returns the lines of the recommendation's article by their external ids. That of a drafted
// line is its id.
func (c *contest) lines(r *recommendation) map[string]stored {
	rows, err := c.db.Query(c.t.Context(), `SELECT id, external_id, coalesce(recommendation_key, ''), status,
			quantity_ordered::text, coalesce(created_by_type, ''), version,
			(SELECT count(*) FROM workspace.events e WHERE e.tenant_id = l.tenant_id AND e.subject = l.id AND e.version = l.version),
			(SELECT count(*) FROM workspace.audit a WHERE a.tenant_id = l.tenant_id AND a.subject = l.id)
		FROM workspace.purchase_order_lines l WHERE sku = $1`, r.sku)
	found := map[string]stored{}
	if assert.NoError(c.t, err) {
		var l stored
		into := []any{&l.id, &l.externalID, &l.key, &l.status, &l.quantity, &l.maker, &l.version, &l.events, &l.audits}
		_, err = pgx.ForEachRow(rows, into, func() error { found[l.externalID] = l; return nil })
		assert.NoError(c.t, err)
	}
	return found
}

// checkDrafted checks that one drafter, or the procurement agent, has made the only line with the
// recommendation's key, and that the others were told which line it is.
func (c *contest) checkDrafted(r *recommendation, drafters []racer, answers []answer, lines map[string]stored) {
	t := c.t
	won := slices.IndexFunc(answers[:len(drafters)], func(a answer) bool { return a.done })
	for _, line := range lines {
		if line.key != "" {
			r.holder = line
		}
	}
	id := r.holder.id
	if !assert.NotEmpty(t, id, "%s: nobody drafted it: %v", r.sku, answers) {
		return
	}
	assert.Len(t, lines, 3, r.sku)
	want := stored{id, id, r.key, "draft", r.holder.quantity, "agent", 1, 1, 1} // the procurement agent's
	if won >= 0 {
		id, want.quantity, want.maker = answers[won].line, drafters[won].quantity, drafters[won].maker
	}
	assert.Equal(t, want, lines[id], r.sku)
	for i, one := range drafters {
		said := answers[i].said
		// Agents may not order more of an article that is drafted without a key, or of which a line has come since its row was
		// computed, and buyers confirm both.
		apart := one.maker == "agent" && (r.draftedApart() && strings.Contains(said, "already_drafted") || strings.Contains(said, "already_on_its_way"))
		if i != won && !apart {
			assert.Contains(t, said, "recommendation_locked", "%s: %s", r.sku, one.name)
			assert.Contains(t, said, "line "+id+" of order", "%s: %s", r.sku, one.name)
		}
	}
	c.checkShown(r)
}

// checkShown checks that the app shows the line that answers the recommendation.
func (c *contest) checkShown(r *recommendation) {
	at := c.processes[r.n/2%len(c.processes)] // whichever process has drafted it
	got, err := c.ask(http.MethodGet, at.URL+"/api/app/"+c.ada.in("purchase-order-lines/"+r.holder.id), c.ada.header(), "")
	assert.NoError(c.t, err)
	var line struct {
		ID, Status string
		Quantity   string `json:"quantity_ordered"`
		Key        string `json:"recommendation_key"`
	}
	assert.NoError(c.t, json.Unmarshal([]byte(got.text), &line), "%s: %s", r.sku, got)
	assert.Equal(c.t, [4]string{r.holder.id, "draft", r.holder.quantity, r.key},
		[4]string{line.ID, line.Status, line.Quantity, line.Key}, "%s: %s", r.sku, got)
}

// checkRecords checks that both records are stored without the key, and that the failed import is
// closed.
func (c *contest) checkRecords(r *recommendation, answers []answer, lines map[string]stored) {
	t := c.t
	for _, one := range answers {
		assert.True(t, one.done, "%s: %s", r.sku, one.said)
	}
	pushed, retried := lines[r.pushed()], lines[r.retried()]
	assert.Equal(t, stored{pushed.id, r.pushed(), "", r.status(), pushedQuantity, "", 1, 1, 0}, pushed, r.sku)
	want := stored{retried.id, r.retried(), "", r.status(), retriedQuantity, "", 1, 1, 0}
	if r.corrected() {
		want.status, want.maker, want.audits = "draft", "user", 1
	}
	assert.Equal(t, want, retried, r.sku)
	assert.Equal(t, fate{"resolved", "retry", "200 created", 1}, c.fateOf(r.failed), r.sku)
}

// fate is what became of a failed import.
type fate struct {
	status, how string
	attempts    string // their statuses and codes
	audits      int64
}

func (c *contest) fateOf(id string) (f fate) {
	assert.NoError(c.t, c.db.QueryRow(c.t.Context(), `SELECT status, coalesce(closed_how, ''), coalesce((
			SELECT string_agg(a.http_status || ' ' || a.code, ', ') FROM workspace.failed_import_attempts a
			WHERE a.tenant_id = f.tenant_id AND a.failed_id = f.id), ''),
			(SELECT count(*) FROM workspace.audit a
			WHERE a.tenant_id = f.tenant_id AND a.subject = f.id::text AND a.action = 'failure.retried')
		FROM workspace.failed_imports f WHERE f.id = $1`, id).Scan(&f.status, &f.how, &f.attempts, &f.audits))
	return f
}

// checkAgain checks that after the cancellation at most one racer has an open line, that this is the
// one that was told so, and that the others were refused.
func (c *contest) checkAgain(r *recommendation, racers []racer, answers []answer) {
	t := c.t
	lines := c.lines(r)
	assert.Equal(t, "cancelled", lines[r.holder.externalID].status, "%s: %v", r.sku, answers)
	r.holder = stored{}
	var open, told []string
	for _, line := range lines {
		assert.Equal(t, r.key, line.key, r.sku)
		if line.status != "cancelled" {
			r.holder = line
			open = append(open, line.externalID)
			assert.EqualValues(t, 1, line.events, "%s: events of %v", r.sku, line)
		}
	}
	for i, one := range racers {
		line := answers[i].line
		switch one.name {
		case "cancel":
			assert.True(t, answers[i].done, "%s: %s", r.sku, answers[i].said)
			continue
		case "external system":
			line = r.pushed()
			c.checkPushed(r, answers[i])
		case "retry":
			line = r.retried()
			c.checkRetried(r, answers[i])
		default:
			c.checkLate(r, one, answers[i], lines)
		}
		if answers[i].done {
			told = append(told, line)
			assert.Equal(t, one.quantity, lines[line].quantity, "%s: %s", r.sku, one.name)
		}
	}
	assert.LessOrEqual(t, len(open), 1, "%s: %v", r.sku, lines)
	assert.ElementsMatch(t, told, open, "%s: %v", r.sku, answers)
}

// checkLate checks the answer to a draft, which is about a line that is or was open.
func (c *contest) checkLate(r *recommendation, one racer, told answer, lines map[string]stored) {
	is := func(text string) bool { return strings.Contains(told.said, text) }
	named := is(lockedWords) // the line was cancelled before it could be named
	for _, line := range lines {
		named = named || is("line "+line.id+" of order")
	}
	// The cancellation has put the article off, or the line was cancelled between the look at what is on its way and its naming.
	put := one.maker == "agent" && (is("recommendation_blocked") || is("already_on_its_way"))
	assert.True(c.t, told.done || is("recommendation_locked") && named || is("recommendation_answered") || put, "%s: %s: %s",
		r.sku, one.name, told.said)
}

// lockedWords are those of a refused record.
const lockedWords = "another open line already answers this recommendation"

// checkPushed checks that a record that opened no line is kept.
func (c *contest) checkPushed(r *recommendation, told answer) {
	var kept int
	assert.NoError(c.t, c.db.QueryRow(c.t.Context(), `SELECT count(*) FROM workspace.failed_imports
		WHERE record_key = $1 AND status = 'open' AND http_status = 422 AND code = 'recommendation_locked'`,
		r.pushed()).Scan(&kept))
	if told.done {
		assert.Zero(c.t, kept, r.sku)
		return
	}
	assert.Equal(c.t, 1, kept, r.sku)
	assert.Contains(c.t, told.said, "422", r.sku)
	assert.Contains(c.t, told.said, lockedWords, r.sku)
}

// checkRetried checks that a failed import that opened no line is still open.
func (c *contest) checkRetried(r *recommendation, told answer) {
	want := fate{"resolved", "retry", "200 updated", 1}
	if !told.done {
		want = fate{"open", "", "422 recommendation_locked", 1}
		assert.Contains(c.t, told.said, lockedWords, r.sku)
	}
	assert.Equal(c.t, want, c.fateOf(r.failed), r.sku)
}

// requireQueue waits until both processes show each recommendation as locked by the line that answers
// it, and a new one for each article without such a line.
func (c *contest) requireQueue() {
	c.t.Helper()
	require.False(c.t, c.t.Failed())
	for _, at := range c.processes {
		c.requireQueueAt(at)
	}
}

func (c *contest) requireQueueAt(at *rig.Process) {
	c.t.Helper()
	var wrong string
	defer func() {
		if wrong != "" {
			c.t.Log(wrong)
		}
	}()
	waitFor(c.t, "queue that has caught up", func() bool {
		drafted, free := c.queue(at, "drafted"), c.queue(at, "order")
		maps.Copy(free, c.queue(at, "put_off"))
		wrong = ""
		for _, r := range c.all {
			row, key := drafted[r.sku], free[r.sku].Key
			locked := row.Key == r.key && row.Lock.Line == r.holder.id && row.Lock.Quantity == r.holder.quantity && key == ""
			if ended := r.holder.id == "" && row.Key == "" && key != "" && key != r.key; !locked && !ended {
				wrong = fmt.Sprintf("the line of %s is %v, but the queue has %v and %q", r.sku, r.holder, row, key)
			}
		}
		return wrong == ""
	})
}
