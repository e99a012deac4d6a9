package mcpserver_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"

	"github.com/quayside/quayside/internal/auth"
)

type (
	queried struct {
		Notice       string
		Columns      []struct{ Name, Type, Description string }
		Rows         []map[string]any
		Truncated    bool
		NextCursor   string    `json:"next_cursor"`
		CutTexts     bool      `json:"cut_texts"`
		AsOf         time.Time `json:"as_of"`
		LastRecordAt time.Time `json:"last_record_at"`
	}
	failures struct {
		Groups []struct {
			Table, Code, Field string
			Failures           int
		}
		Items      []struct{ ID, Table, Code, Message string }
		Truncated  bool
		NextCursor string `json:"next_cursor"`
	}
	retried struct {
		Stored  bool
		Would   bool `json:"would_be_stored"`
		Result  string
		Refusal string
	}
	lines struct {
		Lines []struct {
			ID      string
			Version int64
			OrderNo string `json:"order_no"`
			Status  string
		}
		Run string `json:"run_id"`
	}
)

// TestWholeJob does an agent's whole job: it finds a failed import, corrects and retries it,
// looks at lines, drafts and submits. The result is checked in PostgreSQL.
func TestWholeJob(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	require.Equal(t, http.StatusOK, w.send("suppliers", arguments{"external_id": "S1", "name": "Harbour Mill"}))
	require.Equal(t, http.StatusUnprocessableEntity,
		w.send("products", arguments{"external_id": "P1", "sku": "TEA", "name": "Tea", "price": "many"}))
	c := w.connect(w.agent("Night buyer", all...))

	tables := ask[struct {
		Tables []struct {
			Slug         string
			OpenFailures int `json:"open_failures"`
		}
	}](c, "table_list", nil)
	require.Greater(t, len(tables.Tables), 5)

	found := ask[failures](c, "failed_import_list", nil)
	require.Len(t, found.Items, 1)
	require.Len(t, found.Groups, 1)
	require.Equal(t, "products", found.Groups[0].Table)
	id := found.Items[0].ID
	detail := ask[struct {
		Payload string
		Errors  []struct{ Field, Message string }
	}](c, "failed_import_get", arguments{"id": id})
	require.JSONEq(t, `{"external_id":"P1","sku":"TEA","name":"Tea","price":"many"}`, detail.Payload)
	require.Equal(t, "price", detail.Errors[0].Field)

	// Unchanged, it would be refused again; a preview does not count as an attempt.
	seen := ask[retried](c, "failed_import_retry", arguments{"id": id})
	require.False(t, seen.Stored || seen.Would)
	require.Contains(t, seen.Refusal, "price")
	fixed := arguments{"id": id, "payload": arguments{"external_id": "P1", "sku": "TEA", "name": "Tea", "price": 12.5},
		"run_id": "run-7"}
	seen = ask[retried](c, "failed_import_retry", fixed)
	require.True(t, seen.Would && !seen.Stored)
	require.Empty(t, w.read("SELECT sku FROM workspace.products"))
	require.Empty(t, w.read("SELECT id FROM workspace.failed_import_attempts"))
	fixed["confirm"] = true
	stored := ask[retried](c, "failed_import_retry", fixed)
	require.True(t, stored.Stored)
	require.Equal(t, "created", stored.Result)
	require.Equal(t, []string{"TEA 12.5"}, w.read("SELECT sku, price::text FROM workspace.products"))
	require.Equal(t, []string{"resolved retry"}, w.read("SELECT status, closed_how FROM workspace.failed_imports"))

	suppliers := ask[queried](c, "data_query", arguments{"view_slug": "suppliers",
		"filters": arguments{"name": arguments{"contains": "mill"}}, "select_fields": []string{"id", "name"}})
	require.Len(t, suppliers.Rows, 1)
	require.Len(t, suppliers.Columns, 2)
	require.NotEmpty(t, suppliers.Notice)
	require.WithinDuration(t, time.Now(), suppliers.AsOf, time.Minute)

	drafted := ask[lines](c, "purchase_order_draft_create", arguments{"run_id": "run-7", "lines": []any{arguments{
		"sku": "TEA", "supplier_id": suppliers.Rows[0]["id"], "quantity_ordered": 24, "price_per_unit": "3.10",
		"currency": "EUR",
	}}})
	require.Equal(t, "draft", drafted.Lines[0].Status)
	require.Equal(t, "run-7", drafted.Run)
	ref := arguments{"id": drafted.Lines[0].ID, "version": drafted.Lines[0].Version}
	order := w.read("SELECT order_no FROM workspace.purchase_order_lines")[0]
	ask[any](c, "purchase_order_comment_create",
		arguments{"order_no": order, "text": "The supplier closes in May.", "run_id": "run-7"})
	said := ask[struct {
		Moments []struct{ What, Text string }
	}](c, "purchase_order_timeline_get", arguments{"order_no": order})
	require.Equal(t, "comment", said.Moments[0].What)
	require.Equal(t, "The supplier closes in May.", said.Moments[0].Text)
	submitted := ask[lines](c, "purchase_order_line_submit", arguments{"lines": []any{ref}, "run_id": "run-7"})
	require.Equal(t, "pending_approval", submitted.Lines[0].Status)
	waiting := ask[queried](c, "data_query",
		arguments{"view_slug": "purchase_order_lines", "filters": arguments{"status": "pending_approval"}})
	require.Len(t, waiting.Rows, 1)
	shown := ask[struct {
		Line struct {
			Status  string
			Run     string `json:"created_by_run"`
			Actions []string
		}
		History []struct{ What, By string }
	}](c, "purchase_order_line_get", arguments{"id": drafted.Lines[0].ID})
	require.Equal(t, "pending_approval", shown.Line.Status)
	require.Equal(t, "run-7", shown.Line.Run)
	require.Empty(t, shown.Line.Actions, "it waits for a person")
	require.Len(t, shown.History, 2)

	agent := uuid.NewSHA1(w.tenant.Workspace, []byte("Night buyer")).String()
	require.Equal(t, []string{"pending_approval agent " + agent + " run-7 24 3.1 EUR"}, w.read(`SELECT status, created_by_type, created_by_agent_id::text, created_by_run_id,
		trim_scale(quantity_ordered)::text, price_per_unit::text, currency FROM workspace.purchase_order_lines`))
	require.Equal(t, []string{
		"failure.retried failed_import_retry run-7", "purchase_order_line.created purchase_order_draft_create run-7",
		"purchase_order.commented purchase_order_comment_create run-7",
		"purchase_order_line.submitted purchase_order_line_submit run-7",
	}, w.read(`SELECT action, data->>'tool', data->>'run' FROM workspace.audit WHERE actor->>'type' = 'agent' AND action <> 'tool.called' AND data ? 'token' ORDER BY id`))
	require.Equal(t, []string{"13 13 0"}, w.read(`SELECT count(*), count(*) FILTER (WHERE data ? 'token' AND data->>'run' <> '' AND request_id <> ''), count(*) FILTER (WHERE data ? 'refused')
		FROM workspace.audit WHERE action = 'tool.called' AND actor->>'id' = $1`, agent))
}

// TestRevisions calls like clients of each protocol revision.
func TestRevisions(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	secret := w.agent("one", auth.ScopeRead)
	t.Run("the newest", func(t *testing.T) {
		c := w.connect(secret)
		require.Equal(t, "2026-07-28", c.InitializeResult().ProtocolVersion)
		listed, err := c.ListTools(t.Context(), &mcp.ListToolsParams{})
		require.NoError(t, err)
		require.Len(t, listed.Tools, toolsForAll())
	})
	for _, revision := range []string{"2025-03-26", "2025-06-18", "2025-11-25"} {
		t.Run(revision, func(t *testing.T) {
			old := legacy{w: w, t: t, secret: secret, revision: revision}
			hello := old.rpc("initialize", arguments{"protocolVersion": revision, "capabilities": arguments{},
				"clientInfo": arguments{"name": "old", "version": "1"}})
			require.Equal(t, revision, hello["protocolVersion"])
			require.Contains(t, hello["instructions"], "data")
			old.notify("notifications/initialized")
			listed := old.rpc("tools/list", arguments{})
			require.Len(t, listed["tools"], toolsForAll())
			called := old.rpc("tools/call", arguments{"name": "table_list", "arguments": arguments{}})
			require.Nil(t, called["isError"])
			require.Contains(t, called["structuredContent"], "tables")
		})
	}
}

// toolsForAll counts the tools that every token is told of: those of admins are listed for them alone.
func toolsForAll() (tools int) {
	for _, one := range may {
		if one.scope != auth.ScopeAdmin {
			tools++
		}
	}
	return tools
}
