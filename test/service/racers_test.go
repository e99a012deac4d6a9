package service_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"

	"github.com/quayside/quayside/test/rig"
)

// racer is one of those who want an open line for a recommendation.
type racer struct {
	name     string
	maker    string // of its line: user, agent, or nothing for an external system
	quantity string // of its line
	enter    func(at *rig.Process, r *recommendation, quantity string) (answer, error)
}

// answer is what a racer was told.
type answer struct {
	done bool
	line string // the drafted line
	said string // the refusal
}

// lanes is how many recommendations are raced for at a time.
const lanes = 8

// race has all racers go for each recommendation at the same instant, spread over both processes,
// and hands their answers to check. It stops when a round fails.
func (c *contest) race(prizes []*recommendation, racers []racer, check func(*recommendation, []answer)) {
	c.t.Helper()
	var racing sync.WaitGroup
	next := make(chan *recommendation)
	for range lanes {
		racing.Go(func() {
			for r := range next {
				if answers := c.round(racers, r); !c.t.Failed() {
					check(r, answers)
				}
			}
		})
	}
	for _, r := range prizes {
		if !c.t.Failed() {
			next <- r
		}
	}
	close(next)
	racing.Wait()
}

func (c *contest) round(racers []racer, r *recommendation) []answer {
	var running sync.WaitGroup
	start := make(chan struct{})
	answers := make([]answer, len(racers))
	for i, one := range racers {
		running.Go(func() {
			<-start
			var err error
			if answers[i], err = one.enter(c.processes[(r.n+i)%len(c.processes)], r, one.quantity); err != nil {
				c.t.Errorf("%s, %s: %v", r.sku, one.name, err)
			}
		})
	}
	close(start)
	running.Wait()
	return answers
}

// drafters draft a line by the recommendation's key. At most one of them may succeed.
func (c *contest) drafters() []racer {
	return []racer{
		{"agent", "agent", "11", c.draftByTool},
		{"buyer", "user", "12", c.draftInApp(c.ada)},
		{"second buyer", "user", "13", c.draftInApp(c.ben)},
	}
}

// draftByTool has the agent draft the line.
func (c *contest) draftByTool(at *rig.Process, r *recommendation, quantity string) (answer, error) {
	header := http.Header{"Authorization": {"Bearer " + c.tokens[r.n/tokenRounds]}, "Content-Type": {"application/json"},
		"Accept": {"application/json, text/event-stream"}}
	call := fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"procurement_draft_create",
		"arguments":{"recommendation_key":%q,"quantity":%s}}}`, r.key, quantity)
	for {
		got, err := c.ask(http.MethodPost, at.URL+"/mcp", header, call)
		if err != nil {
			return answer{}, err
		}
		var told struct {
			Result *struct {
				Refused bool                               `json:"isError"`
				Content struct{ Line struct{ ID string } } `json:"structuredContent"`
			}
		}
		err = json.Unmarshal([]byte(got.text), &told)
		switch {
		case err != nil || told.Result == nil:
			return answer{}, fmt.Errorf("no answer of a tool: %s", got)
		case !told.Result.Refused:
			return answer{done: true, line: told.Result.Content.Line.ID}, nil
		case !strings.Contains(got.text, "temporarily unavailable"): // what a tool says instead of a 503
			return answer{said: got.String()}, nil
		}
		c.again.Add(1)
	}
}

// draftInApp returns how a buyer drafts the line in the app, confirming that it is wanted.
func (c *contest) draftInApp(who *browser) func(*rig.Process, *recommendation, string) (answer, error) {
	return func(at *rig.Process, r *recommendation, quantity string) (answer, error) {
		got, err := c.act(who, at, "procurement/drafts", map[string]any{"confirm": true,
			"lines": []any{map[string]any{"recommendation_key": r.key, "quantity": quantity}}})
		if err != nil || got.status != http.StatusCreated {
			return answer{said: got.String()}, err
		}
		var made struct{ Items []struct{ ID string } }
		if err := json.Unmarshal([]byte(got.text), &made); err != nil || len(made.Items) != 1 {
			return answer{}, fmt.Errorf("not one line: %s", got)
		}
		return answer{done: true, line: made.Items[0].ID}, nil
	}
}

// records store a line whose record claims the recommendation. Records cannot do that: the key is
// dropped, and the line is stored without it.
func (c *contest) records() []racer {
	return []racer{{"external system", "", pushedQuantity, c.pushLine}, {"retry", "", retriedQuantity, c.retryLine}}
}

func (c *contest) pushLine(at *rig.Process, r *recommendation, quantity string) (answer, error) {
	return c.store(at, r.record(r.pushed(), r.status(), quantity, "S1"), "recommendation_key")
}

func (c *contest) retryLine(at *rig.Process, r *recommendation, quantity string) (answer, error) {
	how := map[string]any{}
	if r.corrected() {
		how["payload"] = r.record(r.retried(), "draft", quantity, "S1")
	}
	return c.retry(at, r, how, "recommendation_key")
}

// openings open a cancelled line that had answered the recommendation: by a record of the external
// system, and by a retry of such a record. At most one of them may succeed.
func (c *contest) openings() []racer {
	return []racer{{"external system", "", pushedQuantity, c.openLine}, {"retry", "", retriedQuantity, c.retryOpening}}
}

func (c *contest) openLine(at *rig.Process, r *recommendation, _ string) (answer, error) {
	return c.store(at, fmt.Sprintf(`{"external_id":%q,"status":"draft"}`, r.pushed()))
}

func (c *contest) retryOpening(at *rig.Process, r *recommendation, _ string) (answer, error) {
	return c.retry(at, r, map[string]any{})
}

// cancelLine cancels the line that answers the recommendation.
func (c *contest) cancelLine(at *rig.Process, r *recommendation, _ string) (answer, error) {
	got, err := c.act(c.boss, at, "purchase-order-lines/cancel", map[string]any{"reason": "No longer needed",
		"lines": []any{map[string]any{"id": r.holder.id, "version": r.holder.version}}})
	return answer{done: got.status == http.StatusOK, said: got.String()}, err
}

// store has the external system send a line, of which these fields are dropped.
func (c *contest) store(at *rig.Process, record string, dropped ...string) (answer, error) {
	got, err := c.push(at, "purchase_order_lines", record)
	if err != nil || got.status != http.StatusOK {
		return answer{said: got.String()}, err
	}
	if names := got.header.Get("Ingest-Dropped"); names != strings.Join(dropped, ",") {
		return answer{}, fmt.Errorf("dropped %q of %s", names, record)
	}
	return answer{done: true}, nil
}

// retry has the clerk retry the recommendation's failed import, of which these fields are dropped.
func (c *contest) retry(at *rig.Process, r *recommendation, how map[string]any, dropped ...string) (answer, error) {
	got, err := c.act(c.clerk, at, "failures/"+r.failed+"/retry", how)
	if err != nil {
		return answer{}, err
	}
	var told struct {
		Status  int
		Dropped []string
	}
	if err := json.Unmarshal([]byte(got.text), &told); err != nil {
		return answer{}, fmt.Errorf("no answer of a retry: %s", got)
	}
	if got.status != http.StatusOK || told.Status != http.StatusOK {
		return answer{said: got.String()}, nil
	}
	if !slices.Equal(told.Dropped, dropped) {
		return answer{}, fmt.Errorf("dropped %q: %s", told.Dropped, got)
	}
	return answer{done: true}, nil
}
