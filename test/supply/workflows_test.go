package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const workflows = "../../.github/workflows"

var (
	usesLine = regexp.MustCompile(`^\s*(?:- )?uses:\s*(.*)$`)
	pinned   = regexp.MustCompile(`^[\w.-]+/[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$`)
	jobLine  = regexp.MustCompile(`^  ([\w-]+):$`)
)

// read returns the text of each workflow, by its name.
func read(t *testing.T) map[string]string {
	t.Helper()
	names, err := filepath.Glob(workflows + "/*.y*ml")
	require.NoError(t, err)
	require.NotEmpty(t, names)
	texts := map[string]string{}
	for _, name := range names {
		text, err := os.ReadFile(name)
		require.NoError(t, err)
		texts[filepath.Base(name)] = string(text)
	}
	return texts
}

// TestActionsArePinned checks that every action is named by a commit, which cannot be moved like a tag, and that the version
// stands beside it.
func TestActionsArePinned(t *testing.T) {
	t.Parallel()
	seen := map[string]string{}
	for name, text := range read(t) {
		for line := range strings.Lines(text) {
			found := usesLine.FindStringSubmatch(strings.TrimRight(line, "\n"))
			if found == nil {
				require.NotContains(t, line, "uses:", name)
				continue
			}
			require.Regexp(t, pinned, found[1], name)
			action, commit, _ := strings.Cut(found[1], "@")
			if before := seen[action]; before != "" {
				require.Equal(t, before, commit, "%s: %s has one version everywhere", name, action)
			}
			seen[action] = commit
		}
	}
	require.NotEmpty(t, seen)
	for _, wrong := range []string{"actions/checkout@v5", "actions/checkout@main", "actions/checkout@93cb6ef # v5.0.1",
		"actions/checkout@93cb6efe18208431cddfb8368fd83d5badbf9bfd", "./.github/actions/mine"} {
		require.NotRegexp(t, pinned, wrong)
	}
}

// jobs returns the text of each job of a workflow.
func jobs(text string) map[string]string {
	_, text, _ = strings.Cut(text, "\njobs:\n")
	parts, name := map[string]string{}, ""
	for line := range strings.Lines(text) {
		if found := jobLine.FindStringSubmatch(strings.TrimRight(line, "\n")); found != nil {
			name = found[1]
		}
		parts[name] += line
	}
	return parts
}

// TestReleaseSignsWithoutBuilding checks that what runs code of the repository and of its dependencies has no rights beside
// reading, and that what has rights runs none of it.
func TestReleaseSignsWithoutBuilding(t *testing.T) {
	t.Parallel()
	text := read(t)["release.yml"]
	require.Contains(t, text, "\npermissions: {}\n", "no job has rights that it does not name")
	found := jobs(text)
	require.Len(t, found, 3)
	for _, name := range []string{"check", "build"} {
		require.Contains(t, found[name], "    permissions:\n      contents: read\n    steps:", name)
		require.NotContains(t, found[name], "secrets.", name)
		require.NotContains(t, found[name], "github.token", name)
		require.NotContains(t, found[name], "persist-credentials: true", name)
	}
	publish := found["publish"]
	require.Contains(t, publish, "needs: [check, build]")
	for _, right := range []string{"contents: write", "packages: write", "id-token: write", "attestations: write"} {
		require.Contains(t, publish, right)
	}
	for _, builds := range []string{"actions/checkout", "make", "npm", "go build", "go run", "go test", "goreleaser", ".ci/", "scripts/",
		"./dist", "actions/cache"} {
		require.NotContains(t, publish, builds)
	}
	require.Contains(t, publish, "sha256sum --check --strict")

	makefile, err := os.ReadFile("../../Makefile")
	require.NoError(t, err)
	version := regexp.MustCompile(`CRANE_VERSION:? :?=? ?(v\S+)`)
	require.Equal(t, regexp.MustCompile(`CRANE_VERSION := (v\S+)`).FindStringSubmatch(string(makefile))[1],
		version.FindStringSubmatch(publish)[1], "the crane that was checked with pushes")
}

// TestWorkflowsRead checks that no other workflow has rights beside reading.
func TestWorkflowsRead(t *testing.T) {
	t.Parallel()
	for name, text := range read(t) {
		if name == "release.yml" {
			continue
		}
		require.Contains(t, text, "\npermissions:\n  contents: read\n", name)
		require.NotContains(t, text, ": write", name)
	}
}
