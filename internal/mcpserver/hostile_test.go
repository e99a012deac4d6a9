package mcpserver_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"

	"github.com/quayside/quayside/internal/auth"
)

// hostile are JSON values that often break decoders, databases or screens.
var hostile = []string{
	`null`, `true`, `0`, `-1`, `1.5`, `1e400`, `99999999999999999999999999999999`, `""`, `"\u0000"`, `"a\u0000b"`,
	`"\ud800"`, "\"\xff\xfe\"", `"'; DROP TABLE workspace.suppliers; --"`,
	`"$1"`, `"%s%n"`, `"../../etc/passwd"`, `"{{7*7}}"`, `"\u202e\u200b"`, `"00000000-0000-0000-0000-000000000000"`,
	`"ffffffff-ffff-ffff-ffff-ffffffffffff"`, `"9999-99-99T99:99:99Z"`, `"0000-01-01T00:00:00Z"`,
	`"+999999999-01-01T00:00:00Z"`, `[]`, `[[[[[[]]]]]]`, `[null]`, `[{}]`, `{}`, `{"a":{"a":{"a":{"a":1}}}}`, `{"":""}`,
	`{"id":{"in":[]}}`, `{"id":{"in":[null,1,{}]}}`, `{"name":{"contains":"%_\\"}}`, `{"created_at":{"gt":"infinity"}}`,
	`{"version":{"eq":1e308}}`, `{"tenant_id":"x"}`, `{"a":1,"a":2}`, `{"name":"\u0000"}`, `{"na\u0000me":1}`,
	`{"name":{"in":["\u0000"]}}`, `[{"id":"x","version":-9223372036854775808}]`,
	`[{"sku":"\u0001","quantity_ordered":1e-400}]`, `[{"sku":"X","quantity_ordered":"NaN"}]`,
	`[{"sku":"X","quantity_ordered":"Infinity","price_per_unit":"1e9999999"}]`, `"` + strings.Repeat("x", 200_000) + `"`,
	strings.Repeat("[", 20_000) + strings.Repeat("]", 20_000),
}

// TestHostileArguments sends every hostile value in every argument of every tool, over HTTP.
// Nothing breaks, nothing is logged as an internal error, and the only effects are drafts and figures for
// planning.
func TestHostileArguments(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	made := w.fill(w.tenant.ID, w.tenant.Workspace, "x")
	listed, err := w.connect(w.agent("lister", all...)).ListTools(t.Context(), &mcp.ListToolsParams{})
	require.NoError(t, err)
	calls, secret := 0, ""
	admin := w.join(auth.CompanyAdmin)
	for _, tool := range listed.Tools {
		agents := slices.Contains(may[tool.Name].roles, auth.Agent)
		text, err := json.Marshal(tool.InputSchema)
		require.NoError(t, err)
		var schema jsonschema.Schema
		require.NoError(t, json.Unmarshal(text, &schema))
		for name := range schema.Properties {
			for _, value := range hostile {
				if secret == "" || calls%50 == 0 { // stay within the token's rate limit
					secret = w.agent("hostile", all...)
					if !agents { // otherwise the role would be refused before the arguments are read
						secret = w.token(admin, all...)
					}
				}
				calls++
				args := about(tool.Name, made)
				delete(args, "confirm")
				delete(args, name)
				rest, err := json.Marshal(args)
				require.NoError(t, err)
				body := fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":%q,"arguments":{%q:%s%s`,
					tool.Name, name, value, strings.Replace(string(rest), "{", ",", 1))
				body = strings.Replace(body, ",}", "}", 1) + "}}"
				status, _, answer := w.post(t.Context(), "/mcp", []byte(body),
					legacy{secret: secret, revision: "2025-06-18"}.header())
				require.Less(t, status, 500, "%s %s %.100s: %s", tool.Name, name, value, answer)
				require.NotContains(t, answer, `\"internal\"`, "%s %s %.100s", tool.Name, name, value)
				if strings.Contains(value, `\u0000`) {
					require.Contains(t, answer, `\"nul\"`, "%s %s %.100s", tool.Name, name, value)
				}
				require.Less(t, len(answer), 100_000)
			}
		}
		secret = "" // the next tool may need another role
	}
	require.Greater(t, calls, 1000)
	require.NotContains(t, w.log.String(), `"level":"ERROR"`)
	require.Empty(t, w.read("SELECT status FROM workspace.purchase_order_lines WHERE status <> 'draft'"))
	require.Empty(t, w.read(`SELECT version FROM workspace.playbook_versions
		WHERE kind <> 'config' AND version > 1 AND content ->> 'status' <> 'draft'`))
	require.Equal(t, []string{"true"}, w.read("SELECT bool_and((content -> 'values') - 'cover_days' = '{}')::text FROM workspace.playbook_versions WHERE kind = 'config'"))
	require.Equal(t, http.StatusOK, w.send("suppliers", arguments{"external_id": "1", "name": "still there"}))
}
