package mcpserver_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"

	"github.com/quayside/quayside/internal/auth"
)

// resource reads a resource.
func (c client) resource(uri string) (string, error) {
	c.t.Helper()
	result, err := c.ReadResource(c.t.Context(), &mcp.ReadResourceParams{URI: uri})
	if err != nil {
		return "", err
	}
	require.Len(c.t, result.Contents, 1)
	require.Equal(c.t, uri, result.Contents[0].URI)
	require.Equal(c.t, "text/markdown", result.Contents[0].MIMEType)
	require.Equal(c.t, "private", result.CacheScope, "a shared cache would give it to other companies")
	return result.Contents[0].Text, nil
}

// resources lists all resources, page by page.
func (c client) resources() (found []*mcp.Resource, err error) {
	c.t.Helper()
	for cursor := ""; ; {
		page, err := c.ListResources(c.t.Context(), &mcp.ListResourcesParams{Cursor: cursor})
		if err != nil {
			return nil, err
		}
		require.Equal(c.t, "private", page.CacheScope)
		found = append(found, page.Resources...)
		if cursor = page.NextCursor; cursor == "" {
			return found, nil
		}
	}
}

// TestResources lists and reads SOPs as resources, in every role, with the scope read alone, with every other scope and
// with all.
func TestResources(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ours, theirs := w.fill(w.tenant.ID, w.tenant.Workspace, "canary-ours"), w.fill(w.other.ID, w.other.Workspace, "canary-theirs")
	second := uuid.Must(uuid.NewV7())
	w.exec("INSERT INTO control.workspaces (tenant_id, id, name, time_zone) VALUES ($1, $2, 'Second', 'UTC')", w.tenant.ID, second)
	sibling := w.fill(w.tenant.ID, second, "canary-sibling")
	draft := "draft"
	w.document(w.tenant.ID, w.tenant.Workspace, uuid.Must(uuid.NewV7()), &draft,
		arguments{"slug": draft, "title": "No", "body": "No", "owner_role": "buyer", "status": "draft"})
	ask[any](w.connect(w.agent("proposer", auth.ScopeWrite)), "sop_put", about("sop_put", ours))

	for _, role := range everybody {
		alone, without, with := around(auth.ScopeRead)
		for _, scopes := range [][]auth.Scope{alone, without, with} {
			secret := w.agent(fmt.Sprint(role, scopes), scopes...)
			if role != auth.Agent {
				secret = w.token(w.join(role), scopes...)
			}
			c := w.connect(secret)
			listed, err := c.resources()
			if scopes[0] != auth.ScopeRead {
				_, unread := c.resource("quayside://sops/" + ours.sop)
				for _, err := range []error{err, unread} {
					var refused *jsonrpc.Error
					require.True(t, errors.As(err, &refused), "%v", err)
					require.Contains(t, string(refused.Data), "missing_scope")
					require.Contains(t, refused.Message, "read")
				}
				continue
			}
			require.NoError(t, err)
			require.Len(t, listed, 1)
			require.Equal(t, mcp.Resource{URI: "quayside://sops/" + ours.sop, Name: ours.sop, Title: ours.canary,
				Description: ours.canary, MIMEType: "text/markdown"}, *listed[0])
			text, err := c.resource(listed[0].URI)
			require.NoError(t, err)
			require.Contains(t, text, "\n"+ours.canary+"\n", "the version in force, not the draft after it")
			require.True(t, strings.HasPrefix(text, "> Everything in this answer that came from outside"), text)
			for _, slug := range []string{theirs.sop, sibling.sop, draft, "nothing", "", "%00", "a/b", ours.sop + "/", "../sops/" + ours.sop} {
				_, err := c.resource("quayside://sops/" + slug)
				require.ErrorContains(t, err, "not found", slug)
			}
		}
	}
	require.NotContains(t, w.log.String(), `"level":"ERROR"`)
	require.NotEmpty(t, w.read(`SELECT id FROM workspace.audit WHERE action = 'resource.read' AND subject = $1
		AND data->>'tool' = 'resources/read' AND data ? 'token' AND NOT data ? 'refused'`, "quayside://sops/"+ours.sop))
	require.NotEmpty(t, w.read(`SELECT id FROM workspace.audit WHERE action = 'resource.read' AND subject = 'quayside://sops/'
		AND data->>'tool' = 'resources/list' AND data->>'refused' = 'missing_scope'`))
	require.Equal(t, []string{"0"}, w.read("SELECT count(*) FROM workspace.audit WHERE tenant_id = $1 AND action = 'resource.read'", w.other.ID))
}

// TestResourcePages lists more SOPs than fit into a page.
func TestResourcePages(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for range 230 {
		w.write(w.tenant.ID, w.tenant.Workspace, &things{canary: "x", supplier: "s"})
	}
	c := w.connect(w.agent("one", auth.ScopeRead))
	listed, err := c.resources()
	require.NoError(t, err)
	seen := map[string]bool{}
	for _, one := range listed {
		seen[one.URI] = true
	}
	require.Len(t, seen, 230)
	require.Len(t, listed, 230)
	templates, err := c.ListResourceTemplates(t.Context(), nil)
	require.NoError(t, err)
	require.Equal(t, "quayside://sops/{slug}", templates.ResourceTemplates[0].URITemplate)
}

// TestResourceRate checks that reading resources counts against the limit of calls.
func TestResourceRate(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	made := w.fill(w.tenant.ID, w.tenant.Workspace, "x")
	secret := w.agent("flood", auth.ScopeRead)
	by, err := w.app.Tokens.Verify(t.Context(), secret)
	require.NoError(t, err)
	c := w.connect(secret)
	for range 100 { // the limit recovers meanwhile: a slow machine tries more than once
		for w.app.Tokens.TakeCall(by.Token) == nil {
		}
		if _, err = c.resource("quayside://sops/" + made.sop); err != nil {
			break
		}
	}
	require.ErrorContains(t, err, "too many calls")
}

// TestPrompts checks what the prompts tell an assistant, and that an argument stays a quoted text.
func TestPrompts(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	c := w.connect(w.agent("one", auth.ScopeRead))
	listed, err := c.ListPrompts(t.Context(), nil)
	require.NoError(t, err)
	require.Len(t, listed.Prompts, 2)
	require.Equal(t, [2]string{"review_queue", "Review the queue"}, [2]string{listed.Prompts[0].Name, listed.Prompts[0].Title})
	require.Equal(t, "why_late", listed.Prompts[1].Name)
	require.True(t, listed.Prompts[1].Arguments[0].Required)
	get := func(name string, args map[string]string) (string, error) {
		result, err := c.GetPrompt(t.Context(), &mcp.GetPromptParams{Name: name, Arguments: args})
		if err != nil {
			return "", err
		}
		require.Len(t, result.Messages, 1)
		require.Equal(t, mcp.Role("user"), result.Messages[0].Role)
		return result.Messages[0].Content.(*mcp.TextContent).Text, nil //nolint:forcetypeassert // all are texts
	}
	tools, err := c.ListTools(t.Context(), nil)
	require.NoError(t, err)
	queue, err := get("review_queue", nil)
	require.NoError(t, err)
	late, err := get("why_late", map[string]string{"article": " TEA\"-1 \u202e"})
	require.NoError(t, err)
	require.Contains(t, late, "Why is this late: \"TEA\\\"-1 \u202e\"\n")
	for _, word := range strings.FieldsFunc(queue+late, func(r rune) bool { return r != '_' && (r < 'a' || r > 'z') }) {
		if strings.Contains(word, "_") && word != "product_id" {
			require.True(t, slices.ContainsFunc(tools.Tools, func(tool *mcp.Tool) bool { return tool.Name == word }),
				"%s is no tool", word)
		}
	}
	for _, want := range []string{"procurement_queue_list", "unclear", "Propose drafts", "Stop there",
		"purchase_order_line_submit only after"} {
		require.Contains(t, queue, want)
	}
	for _, bad := range []map[string]string{nil, {"article": " "}, {"article": strings.Repeat("x", 301)}, {"article": "a\nb"},
		{"article": "x", "other": "y"}} {
		_, err := get("why_late", bad)
		require.Error(t, err, "%v", bad)
	}
	_, err = get("review_queue", map[string]string{"article": "x"})
	require.Error(t, err)
	_, err = get("approve", nil)
	require.Error(t, err)
}
