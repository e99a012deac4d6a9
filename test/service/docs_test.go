package service_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/quayside/quayside/test/rig"
)

// TestAPIDocumentation runs the examples of docs/api.md, one after the other in one folder, as
// if copied.
func TestAPIDocumentation(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	p := rig.Serve(t, s.server.Env)
	folder := t.TempDir()
	require.NoError(t, os.Mkdir(filepath.Join(folder, "bin"), 0o750))
	require.NoError(t, os.Symlink(rig.Binary(t), filepath.Join(folder, "bin", "quayside")))
	page, err := os.ReadFile(filepath.Join(rig.Root(), "docs", "api.md"))
	require.NoError(t, err)
	var workspace string
	require.NoError(t, s.admin.QueryRow(t.Context(), "SELECT id::text FROM control.workspaces").Scan(&workspace))
	var outputs []string
	for _, block := range regexp.MustCompile("(?s)```sh\n(.*?)```").FindAllStringSubmatch(string(page), -1) {
		cmd := exec.CommandContext(t.Context(), "bash", "-euo", "pipefail", "-c", block[1])
		cmd.Dir = folder
		cmd.Env = append(append(os.Environ(), s.server.Env...), "BASE="+p.URL, "TENANT="+s.tenant, "WORKSPACE="+workspace,
			"PASSWORD="+password)
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, "%s\n%s", block[1], out)
		outputs = append(outputs, string(out))
	}
	require.Len(t, outputs, 4)
	require.Contains(t, outputs[0], `"role":"company_admin"`)
	require.Contains(t, outputs[1], `"secret":"pk_`)
	require.Contains(t, outputs[2], `{"items":[]}`)
	require.Contains(t, outputs[3], `{"items":[]}`)
}

// TestTablesDocumentation runs the examples of docs/tables.md and docs/computed-views.md as a
// signed-in member, and compares their output with the printed one.
func TestTablesDocumentation(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	p := rig.Serve(t, s.server.Env)
	folder := t.TempDir()
	k := s.key("*")
	made := rig.RunWith(t, s.server.Env, password+"\n", "user", "create", "--tenant", s.tenant, "--email",
		"ada@example.com", "--role", "company_admin")
	require.Zero(t, made.Code, made.Stderr)
	page, err := os.ReadFile(filepath.Join(rig.Root(), "docs", "tables.md"))
	require.NoError(t, err)
	views, err := os.ReadFile(filepath.Join(rig.Root(), "docs", "computed-views.md"))
	require.NoError(t, err)
	page = append(page, views...)
	var workspace string
	require.NoError(t, s.admin.QueryRow(t.Context(), "SELECT id::text FROM control.workspaces").Scan(&workspace))
	run := func(script string) string {
		t.Helper()
		cmd := exec.CommandContext(t.Context(), "bash", "-euo", "pipefail", "-c", script)
		cmd.Dir = folder
		cmd.Env = append(os.Environ(), "BASE="+p.URL, "WORKSPACE="+workspace, "KEY="+k.Key, "PASSWORD="+password)
		out, err := cmd.Output()
		require.NoError(t, err, script)
		return strings.TrimSpace(string(out))
	}
	run(`curl -sf -c cookies.txt "$BASE/api/app/session" -H 'Content-Type: application/json' -d '{"email": "ada@example.com", "password": "'"$PASSWORD"'"}'`)
	examples := example.FindAllStringSubmatch(string(page), -1)
	require.Len(t, examples, strings.Count(string(page), "```sh\n"), "every example has its output")
	require.Greater(t, len(examples), 4)
	for _, pair := range examples {
		require.Equal(t, strings.TrimSpace(pair[2]), run(pair[1]), pair[1])
	}
}

var example = regexp.MustCompile("(?s)```sh\n(.*?)```\n```text\n(.*?)```")

// TestDocumentation runs every example of docs/ingest.md and compares its output with the
// printed one.
func TestDocumentation(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	p := rig.Serve(t, s.server.Env)
	k := s.key("*")
	page, err := os.ReadFile(filepath.Join(rig.Root(), "docs", "ingest.md"))
	require.NoError(t, err)
	examples := example.FindAllStringSubmatch(string(page), -1)
	require.Len(t, examples, strings.Count(string(page), "```sh\n"), "every example has its output")
	require.Greater(t, len(examples), 5)
	for _, pair := range examples {
		cmd := exec.CommandContext(t.Context(), "bash", "-euo", "pipefail", "-c", pair[1])
		cmd.Env = append(os.Environ(), "QUAYSIDE_URL="+p.URL, "KEY="+k.Key)
		out, err := cmd.Output()
		require.NoError(t, err, pair[1])
		require.Equal(t, strings.TrimSpace(pair[2]), strings.TrimSpace(string(out)), pair[1])
	}
}

// TestSmallExamples runs the examples of the pages with few examples, in one folder, as a
// signed-in member.
func TestSmallExamples(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	p := rig.Serve(t, s.server.Env)
	made := rig.RunWith(t, s.server.Env, password+"\n", "user", "create", "--tenant", s.tenant, "--email",
		"ada@example.com", "--role", "company_admin")
	require.Zero(t, made.Code, made.Stderr)
	token := rig.Run(t, s.server.Env, "token", "create", "--tenant", s.tenant, "--agent", "Reader", "--scope", "read")
	require.Zero(t, token.Code, token.Stderr)
	var workspace string
	require.NoError(t, s.admin.QueryRow(t.Context(), "SELECT id::text FROM control.workspaces").Scan(&workspace))
	folder := t.TempDir()
	require.NoError(t, os.Symlink(rig.Binary(t), filepath.Join(folder, "quayside")))
	run := func(script string) string {
		t.Helper()
		cmd := exec.CommandContext(t.Context(), "bash", "-euo", "pipefail", "-c",
			strings.ReplaceAll(script, "https://quayside.example", p.URL))
		cmd.Dir = folder
		cmd.Env = append(append(os.Environ(), s.server.Env...), "PATH="+folder+":"+os.Getenv("PATH"), "BASE="+p.URL,
			"WORKSPACE="+workspace,
			"PASSWORD="+password, "QUAYSIDE_TOKEN="+regexp.MustCompile(`qst_\w+`).FindString(token.Stdout))
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, "%s\n%s", script, out)
		return string(out)
	}
	run(`curl -sf -c cookies.txt "$BASE/api/app/session" -H 'Content-Type: application/json' -d '{"email": "ada@example.com", "password": "'"$PASSWORD"'"}'`)
	for page, says := range map[string]string{"audit.md": " ok", "mcp.md": `"view_slug":"orders"`, "templates.md": ""} {
		text, err := os.ReadFile(filepath.Join(rig.Root(), "docs", page))
		require.NoError(t, err)
		blocks := regexp.MustCompile("(?s)```sh\n(.*?)```").FindAllStringSubmatch(string(text), -1)
		require.Len(t, blocks, 1, page)
		require.Contains(t, run(blocks[0][1]), says, page)
	}
	files, err := filepath.Glob(filepath.Join(folder, "*.json"))
	require.NoError(t, err)
	require.Len(t, files, 1, "the flow template was saved")
}

// TestEveryExampleIsRun checks that a test runs every block marked sh. Commands that need
// something else, or take hours, are marked console.
func TestEveryExampleIsRun(t *testing.T) {
	t.Parallel()
	run := []string{ // by TestQuickstart, TestDocumentation here and in test/push, the tests above, and .ci/release
		"README.md", "docs/quickstart.md", "docs/push.md", "docs/ingest.md", "docs/api.md", "docs/tables.md",
		"docs/computed-views.md", "docs/audit.md", "docs/mcp.md", "docs/templates.md", "docs/install.md",
	}
	pages, err := filepath.Glob(filepath.Join(rig.Root(), "docs", "*.md"))
	require.NoError(t, err)
	require.Greater(t, len(pages), 15)
	for _, page := range append(pages, filepath.Join(rig.Root(), "README.md"),
		filepath.Join(rig.Root(), "CONTRIBUTING.md")) {
		text, err := os.ReadFile(page)
		require.NoError(t, err)
		name, err := filepath.Rel(rig.Root(), page)
		require.NoError(t, err)
		if strings.Contains(string(text), "```sh\n") {
			require.Contains(t, run, filepath.ToSlash(name), "no test runs its examples")
		}
	}
}
