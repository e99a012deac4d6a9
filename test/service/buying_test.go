package service_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// told is a row of the queue as a tool tells it.
type told struct {
	Key       string `json:"recommendation_key"`
	Product   string `json:"product_id"`
	Group     string
	Reason    string
	Suggested float64 `json:"suggested_quantity"`
	OnOrder   float64 `json:"open_purchase_order_quantity"`
	Lock      struct {
		Line string `json:"line_id"`
	}
}

// toldRun is a run of the procurement agent as a tool tells it.
type toldRun struct {
	ID                 string
	Status             string
	Submitted, Skipped int
	Decisions          []struct {
		Key      string `json:"recommendation_key"`
		Sentence string
		Outcome  string
		Line     string `json:"line_id"`
	}
}

// TestBuyingByTools orders by tools alone: an assistant reads what to order and why, asks what a longer
// lead time would do, drafts one article, has the procurement agent order the other, and sees both
// arrive in the queue after a person has approved them.
func TestBuyingByTools(t *testing.T) {
	t.Parallel()
	c := newContest(t, 2)
	var list struct{ Items []told }
	c.tool("procurement_queue_list", map[string]any{"group": "order"}, &list)
	require.Len(t, list.Items, 2)
	first, second := list.Items[0], list.Items[1]
	require.Contains(t, first.Reason, "Tea House needs 14 days")

	var why struct {
		Is, WhatIf struct {
			Suggested float64 `json:"suggested_quantity"`
		}
	}
	var text json.RawMessage
	c.tool("procurement_recommendation_explain", map[string]any{"recommendation_key": first.Key, "lead_time_days": 90}, &text)
	require.NoError(t, json.Unmarshal([]byte(text), &struct {
		Is     any `json:"is"`
		WhatIf any `json:"what_if"`
	}{&why.Is, &why.WhatIf}))
	require.InDelta(t, first.Suggested, why.Is.Suggested, 0)
	require.Greater(t, why.WhatIf.Suggested, why.Is.Suggested, "a longer lead time")

	var drafted struct {
		Line struct {
			ID      string
			Version int64
		}
	}
	c.tool("procurement_draft_create", map[string]any{"recommendation_key": first.Key, "note": "As suggested"}, &drafted)
	require.Contains(t, c.refused("procurement_draft_create", map[string]any{"recommendation_key": first.Key}), drafted.Line.ID)
	c.tool("procurement_queue_list", map[string]any{"group": "drafted"}, &list)
	require.Len(t, list.Items, 1)
	require.Equal(t, drafted.Line.ID, list.Items[0].Lock.Line, "the lock is seen")
	c.tool("purchase_order_line_submit",
		map[string]any{"lines": []any{map[string]any{"id": drafted.Line.ID, "version": drafted.Line.Version}}}, &text)

	var run toldRun
	c.tool("procurement_run", map[string]any{"confirm": true}, &run)
	waitFor(t, "run that has ended", func() bool {
		c.tool("procurement_run", map[string]any{"id": run.ID}, &run)
		return run.Status == "done"
	})
	require.Equal(t, 1, run.Submitted)
	require.Len(t, run.Decisions, 2)
	ordered := ""
	for _, d := range run.Decisions {
		if d.Key == first.Key {
			require.Contains(t, d.Sentence, "already answers it")
			continue
		}
		require.Equal(t, second.Key, d.Key)
		require.Equal(t, "submitted", d.Outcome)
		ordered = d.Line
	}

	for _, id := range []string{drafted.Line.ID, ordered} {
		var line struct{ Version int64 }
		c.ann.get(c.processes[0], "purchase-order-lines/"+id, &line)
		approve := map[string]any{"lines": []any{map[string]any{"id": id, "version": line.Version}}}
		got, err := c.act(c.boss, c.processes[0], "purchase-order-lines/approve", approve)
		require.NoError(t, err)
		require.Contains(t, got.String(), "four_eyes", "the boss made the assistant's token")
		got, err = c.act(c.ann, c.processes[0], "purchase-order-lines/approve", approve)
		require.NoError(t, err)
		require.Equal(t, http.StatusOK, got.status, got)
	}
	for _, one := range []told{first, second} {
		var after struct {
			Recommendation told
			Supply         []struct {
				Quantity float64
				Expected string `json:"expected_on"`
			}
		}
		waitFor(t, "open quantity in the queue", func() bool {
			c.tool("procurement_recommendation_explain", map[string]any{"product_id": one.Product}, &after)
			return after.Recommendation.OnOrder == one.Suggested
		})
		require.Len(t, after.Supply, 1)
		require.InDelta(t, one.Suggested, after.Supply[0].Quantity, 0)
		require.NotEmpty(t, after.Supply[0].Expected, "the arrival")
		require.NotEqual(t, one.Key, after.Recommendation.Key, "the next need has another key")
	}
}

// tool has the assistant call a tool, and reads its answer.
func (c *contest) tool(name string, arguments map[string]any, into any) {
	c.t.Helper()
	result := c.callTool(name, arguments)
	require.False(c.t, result.Refused, "%s: %s", name, result.Texts)
	require.NoError(c.t, json.Unmarshal(result.Content, into), "%s: %s", name, result.Content)
}

// refused returns what a tool says that refuses a call.
func (c *contest) refused(name string, arguments map[string]any) string {
	c.t.Helper()
	result := c.callTool(name, arguments)
	require.True(c.t, result.Refused, "%s: %s", name, result.Content)
	return string(result.Texts)
}

type toolResult struct {
	Refused bool            `json:"isError"`
	Content json.RawMessage `json:"structuredContent"`
	Texts   json.RawMessage `json:"content"`
}

func (c *contest) callTool(name string, arguments map[string]any) toolResult {
	c.t.Helper()
	header := http.Header{"Authorization": {"Bearer " + c.tokens[0]}, "Content-Type": {"application/json"},
		"Accept": {"application/json, text/event-stream"}}
	body, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": 1, "method": "tools/call",
		"params": map[string]any{"name": name, "arguments": arguments}})
	require.NoError(c.t, err)
	for {
		got, err := c.ask(http.MethodPost, c.processes[0].URL+"/mcp", header, string(body))
		require.NoError(c.t, err)
		var answer struct{ Result toolResult }
		require.NoError(c.t, json.Unmarshal([]byte(got.text), &answer), got)
		if !answer.Result.Refused || !strings.Contains(string(answer.Result.Texts), "rate_limit") {
			return answer.Result
		}
		time.Sleep(time.Second) // as the refusal asks for
	}
}
