package operator_test

import (
	"archive/zip"
	"bufio"
	"encoding/json"
	"io"
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/quayside/quayside/test/rig"
)

// TestCompanyLife makes companies, suspends one, lets it go on, exports and deletes it, while the service runs.
func TestCompanyLife(t *testing.T) {
	t.Parallel()
	server := rig.NewMigrated(t)
	run := func(args ...string) rig.Result { return rig.Run(t, server.Env, args...) }
	type company struct {
		ID   string `json:"tenant_id"`
		Name string
	}
	var companies []company
	made := rig.RunWith(t, server.Env, "Acme\n\nBolt & Co\n", "tenant", "create", "--file", "-")
	require.Zero(t, made.Code, made.Stderr)
	for line := range strings.Lines(made.Stdout) {
		var one company
		require.NoError(t, json.Unmarshal([]byte(line), &one))
		companies = append(companies, one)
	}
	require.Len(t, companies, 2)
	require.Equal(t, "Bolt & Co", companies[1].Name)
	acme, keys := companies[0].ID, map[string]string{}
	for _, one := range companies {
		var key struct{ Key string }
		run("key", "create", "--tenant", one.ID, "--scope", "*", "--label", "Shop", "--json").Decode(t, &key)
		keys[one.ID] = key.Key
	}
	first, second := rig.Serve(t, server.Env), rig.Serve(t, server.Env)
	push := func(process *rig.Process, tenant string) (int, string) {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, process.URL+"/api/ingest/customers",
			strings.NewReader(`{"external_id": "c1"}`))
		require.NoError(t, err)
		request.Header.Set("Authorization", "Bearer "+keys[tenant])
		response, err := http.DefaultClient.Do(request)
		require.NoError(t, err)
		body, err := io.ReadAll(response.Body)
		require.NoError(t, err)
		require.NoError(t, response.Body.Close())
		return response.StatusCode, string(body)
	}
	accepted := func(want int, says string) {
		t.Helper()
		for _, process := range []*rig.Process{first, second} {
			code, body := push(process, acme)
			require.Equal(t, want, code, body)
			require.Contains(t, body, says)
			code, body = push(process, companies[1].ID)
			require.Equal(t, http.StatusOK, code, "another company: %s", body)
		}
	}
	accepted(http.StatusOK, "")
	require.Contains(t, run("tenant", "suspend", "--tenant", acme, "--reason", "unpaid").Stdout, "suspended")
	accepted(http.StatusForbidden, "your company is suspended") // the instances remember the key
	require.Contains(t, run("tenant", "list").Stdout, "suspended since")
	require.Zero(t, run("tenant", "resume", "--tenant", acme).Code)
	accepted(http.StatusOK, "")

	set := func(list string) rig.Result { return run("tenant", "set", "--tenant", acme, "--outbound-allow", list) }
	require.Contains(t, run("tenant", "show", "--tenant", acme).Stdout, "all of QUAYSIDE_OUTBOUND_ALLOW")
	require.Contains(t, set("10.2.0.0/16, 10.1.2.3/16").Stdout, "10.1.0.0/16,10.2.0.0/16, as far as QUAYSIDE_OUTBOUND_ALLOW has them")
	require.Contains(t, run("tenant", "list").Stdout, "10.1.0.0/16,10.2.0.0/16")
	require.Contains(t, set("none").Stdout, "none: only public addresses")
	require.Contains(t, run("tenant", "list", "--json").Stdout, `"outbound_allow": []`)
	require.Contains(t, set("installation").Stdout, "all of QUAYSIDE_OUTBOUND_ALLOW")
	require.NotContains(t, run("tenant", "list", "--json").Stdout, "outbound_allow")
	for _, wrong := range []string{"", "10.1.0.0", "everything"} {
		require.Equal(t, 2, set(wrong).Code, wrong)
	}

	file := filepath.Join(t.TempDir(), "acme.zip")
	require.Contains(t, run("tenant", "export", "--tenant", acme, "--to", file).Stdout, "rows of")
	require.Equal(t, []string{`"external_id": "c1"`}, exported(t, file, "workspace.customers.jsonl", `"external_id": "c1"`))
	require.Equal(t, []string{"Shop"}, exported(t, file, "workspace.api_keys.jsonl", "Shop"))
	require.Empty(t, exported(t, file, "workspace.api_keys.jsonl", "key_hash"))
	require.Contains(t, run("tenant", "export", "--tenant", acme, "--to", file).Stderr, "cannot be made")

	require.Contains(t, run("tenant", "delete", "--tenant", acme, "--now").Stderr, "was not planned")
	require.Contains(t, run("tenant", "delete", "--tenant", acme).Stdout, "deletes it after")
	accepted(http.StatusForbidden, "your company is suspended")
	require.Contains(t, run("tenant", "delete", "--tenant", acme, "--now").Stderr, "may be deleted after")
	require.Zero(t, run("tenant", "delete", "--tenant", acme, "--wait", "0").Code)
	deleted := run("tenant", "delete", "--tenant", acme, "--now")
	require.Zero(t, deleted.Code, deleted.Stderr)
	require.Contains(t, deleted.Stdout, "no row of it remains")
	require.NotContains(t, run("tenant", "list").Stdout, "Acme")
	accepted(http.StatusUnauthorized, "invalid or revoked api key")
}

// exported returns what of a text the lines of one file of an export have.
func exported(t *testing.T, file, name, text string) (found []string) {
	t.Helper()
	archive, err := zip.OpenReader(file)
	require.NoError(t, err)
	defer func() { _ = archive.Close() }()
	content, err := archive.Open(name)
	require.NoError(t, err)
	lines := bufio.NewScanner(content)
	for lines.Scan() {
		require.True(t, json.Valid(lines.Bytes()), lines.Text())
		if strings.Contains(lines.Text(), text) {
			found = append(found, text)
		}
	}
	require.NoError(t, lines.Err())
	return found
}
