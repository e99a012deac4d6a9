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

var example = regexp.MustCompile("(?s)```sh\n(.*?)```\n```text\n(.*?)```")

// TestDocumentation runs every example of docs/ingest.md and compares its output with
// the one printed there.
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
