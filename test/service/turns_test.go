package service_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/quayside/quayside/internal/mail/mailtest"
	"github.com/quayside/quayside/test/rig"
)

// importer is a person of a company who imports files.
type importer struct {
	*rig.Person
	t      *testing.T
	tenant string
}

// importer makes a company with an admin.
func (s *site) importer(at *rig.Process, name string) importer {
	s.t.Helper()
	var tenant struct {
		ID string `json:"tenant_id"`
	}
	rig.Run(s.t, s.server.Env, "tenant", "create", "--name", name, "--json").Decode(s.t, &tenant)
	made := rig.RunWith(s.t, s.server.Env, password+"\n", "user", "create", "--tenant", tenant.ID, "--email", name+"@example.com",
		"--role", "company_admin")
	require.Zero(s.t, made.Code, made.Stderr)
	person, err := rig.SignIn(at.URL, name+"@example.com", password)
	require.NoError(s.t, err)
	return importer{person, s.t, tenant.ID}
}

// upload starts the import of a file with so many suppliers, and returns its id.
func (i importer) upload(at *rig.Process, records int) (id string) {
	i.t.Helper()
	var file bytes.Buffer
	file.WriteString("external_id,name\n")
	for n := range records {
		fmt.Fprintf(&file, "S%d,Supplier %d\n", n, n)
	}
	request, err := http.NewRequestWithContext(i.t.Context(), http.MethodPost,
		at.URL+"/api/app/workspaces/"+i.Workspace+"/sources/suppliers/imports?name=a.csv", &file)
	require.NoError(i.t, err)
	request.Header.Set("Content-Type", "application/octet-stream")
	request.Header.Set("Cookie", "__Host-quayside="+i.Cookie)
	response, err := http.DefaultClient.Do(request)
	require.NoError(i.t, err)
	defer func() { _ = response.Body.Close() }()
	require.Equal(i.t, http.StatusCreated, response.StatusCode)
	var made struct{ ID string }
	require.NoError(i.t, json.NewDecoder(response.Body).Decode(&made))
	status, text, err := i.Do(at.URL, http.MethodPost, "workspaces/"+i.Workspace+"/imports/"+made.ID+"/start", map[string]any{})
	require.NoError(i.t, err)
	require.Equal(i.t, http.StatusOK, status, text)
	return made.ID
}

// ended reports whether an import is done.
func (s *site) ended(id string) bool {
	s.t.Helper()
	return s.count("SELECT count(*) FROM workspace.imports WHERE status = 'done' AND id = '"+id+"'") == 1
}

// TestCompaniesTakeTurns runs two processes. A company imports four large files, then another one a file of one record:
// it begins long before a slice of the first ones would have ended. When a process dies with what it was doing, the
// next small file waits no longer.
//
//race:detect
func TestCompaniesTakeTurns(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	one, two := rig.Serve(t, s.server.Env), rig.Serve(t, s.server.Env)
	large, small := s.importer(one, "large"), s.importer(one, "small")
	var files []string
	for range 4 {
		files = append(files, large.upload(one, 60_000))
	}
	waitFor(t, "large import in every place", func() bool {
		return s.count("SELECT count(*) FROM river.river_job WHERE kind = 'file_import' AND state = 'running'") == 4
	})
	begun := func(id string) time.Duration {
		t.Helper()
		waitFor(t, "end of the small import", func() bool { return s.ended(id) })
		return time.Duration(s.count(`SELECT (extract(epoch FROM attempted_at - created_at) * 1000)::bigint FROM river.river_job
			WHERE args ->> 'import' = '`+id+`'`)) * time.Millisecond
	}
	first := begun(small.upload(one, 1))
	// A slice takes 20 seconds, and has just begun. On a quiet machine it is given up within three.
	const soon = 15 * time.Second
	require.Less(t, first, soon)

	one.Kill()
	second := begun(small.upload(two, 1))
	require.Less(t, second, soon)
	t.Logf("the small imports began after %s and %s", first, second)
	for _, id := range files {
		require.False(t, s.ended(id), "the large imports were over too soon to show anything")
	}
}

// TestMailsTakeTurns lets 60 mails of a company wait, and then one of another. Two processes send them: it is among the first.
func TestMailsTakeTurns(t *testing.T) {
	t.Parallel()
	s, box := newSite(t), mailtest.New(t)
	var other struct {
		ID string `json:"tenant_id"`
	}
	rig.Run(t, s.server.Env, "tenant", "create", "--name", "Other", "--json").Decode(t, &other)
	var rows strings.Builder
	wait := func(tenant, receiver string, mails int) {
		fmt.Fprintf(&rows, `WITH mail AS (SELECT gen_random_uuid() AS id, t.tenant_id, t.id AS workspace FROM control.workspaces t, generate_series(1, %d) WHERE t.tenant_id = '%s'),
			entries AS (INSERT INTO workspace.order_entries (tenant_id, id, workspace_id, order_no, kind, actor, text, mentions)
				SELECT tenant_id, id, workspace, 'PO-1', 'sent', '{"type":"user"}', 'Hello', '{}' FROM mail),
			mails AS (INSERT INTO workspace.order_mails (tenant_id, id, workspace_id, order_no, key, supplier, receivers, copies, reply_to, subject, document, file_name, lines, state)
				SELECT tenant_id, id, workspace, 'PO-1', id, '', '{%s}', '{}', '', 'Order', 'x', 'a.pdf', '[]', 'queued' FROM mail)
			INSERT INTO river.river_job (kind, queue, max_attempts, args)
			SELECT 'order_mail', 'mails', 25, jsonb_build_object('tenant', tenant_id, 'mail', id) FROM mail;`, mails, tenant, receiver)
	}
	wait(s.tenant, "crowd@example.com", 60)
	wait(other.ID, "lone@example.com", 1)
	s.exec("BEGIN; " + rows.String() + "COMMIT")
	for range 2 {
		rig.Serve(t, append(s.server.Env, "QUAYSIDE_SMTP_URL="+box.URL))
	}
	for place := 1; ; place++ {
		if box.Next(t).To == "lone@example.com" {
			require.LessOrEqual(t, place, 6, "the mail has waited for all others")
			return
		}
	}
}
