package service_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/quayside/quayside/test/rig"
)

// office is a company that buys, served by two processes.
type office struct {
	*site
	processes []*rig.Process
	key       string
}

func newOffice(t *testing.T, people map[string]string) *office {
	t.Helper()
	o := &office{site: newSite(t)}
	for name, role := range people {
		o.user(name+"@example.com", role)
	}
	o.processes = []*rig.Process{rig.Serve(t, o.server.Env), rig.Serve(t, o.server.Env)}
	o.key = o.site.key("*").Key
	o.send(o.processes[0], "suppliers", `{"external_id":"S1","name":"Tea House"}`)
	return o
}

// send has the external system store a record.
func (o *office) send(at *rig.Process, slug, record string) {
	o.t.Helper()
	status, text := post(at.URL, slug, o.key, record)
	require.Equal(o.t, http.StatusOK, status, text)
}

// record is a complete line. Each has an article of its own.
func (o *office) record(id, more string) string {
	return fmt.Sprintf(`{"external_id":%q,"order_no":"PO-%[1]s","sku":"TEA-%[1]s","quantity_ordered":10,"price_per_unit":2.5,"currency":"EUR","supplier_id":"S1"%s}`, id, more)
}

// one reads one value of a line.
func (o *office) one(id, expression string) (value string) {
	o.t.Helper()
	row := o.admin.QueryRow(o.t.Context(),
		"SELECT coalesce(("+expression+")::text, '') FROM workspace.purchase_order_lines l WHERE external_id = $1", id)
	require.NoError(o.t, row.Scan(&value))
	return value
}

// in returns a path in the browser's workspace.
func (b *browser) in(path string) string { return "workspaces/" + b.workspace + "/" + path }

// get reads the answer of a path.
func (b *browser) get(at *rig.Process, path string, into any) {
	b.t.Helper()
	status, text := b.do(at, http.MethodGet, b.in(path), nil)
	require.Equal(b.t, http.StatusOK, status, text)
	require.NoError(b.t, json.Unmarshal([]byte(text), into), text)
}

// importFile has the browser upload a file at one process and start it at another, and waits
// for its end.
func (b *browser) importFile(at, then *rig.Process, content string) (id string, refused int) {
	b.t.Helper()
	address := at.URL + "/api/app/" + b.in("sources/purchase_order_lines/imports?name="+url.QueryEscape("lines.ndjson"))
	request, err := http.NewRequestWithContext(b.t.Context(), http.MethodPost, address, strings.NewReader(content))
	require.NoError(b.t, err)
	request.Header.Set("Cookie", "__Host-quayside="+b.Cookie)
	request.Header.Set("Content-Type", "application/octet-stream")
	response, err := http.DefaultClient.Do(request)
	require.NoError(b.t, err)
	defer func() { _ = response.Body.Close() }()
	text, err := io.ReadAll(response.Body)
	require.NoError(b.t, err)
	require.Equal(b.t, http.StatusCreated, response.StatusCode, string(text))
	var file struct {
		ID, Status, Message string
		Done, Refused       int
	}
	require.NoError(b.t, json.Unmarshal(text, &file))
	status, answer := b.do(then, http.MethodPost, b.in("imports/"+file.ID+"/start"), map[string]any{})
	require.Equal(b.t, http.StatusOK, status, answer)
	waitFor(b.t, "end of the import", func() bool {
		b.get(at, "imports/"+file.ID, &file)
		return file.Status != "queued" && file.Status != "running"
	})
	require.Equal(b.t, "done", file.Status, file.Message)
	return file.ID, file.Refused
}

// failure is a failed import as a browser lists it.
type failure struct {
	ID, Code, Message string
	RecordKey         string `json:"record_key"`
	ByType            string `json:"by_type"`
}

// failureOf finds the failed import of a record.
func (b *browser) failureOf(at *rig.Process, key string) failure {
	b.t.Helper()
	var page struct{ Items []failure }
	b.get(at, "failures", &page)
	for _, one := range page.Items {
		if one.RecordKey == key {
			return one
		}
	}
	b.t.Fatalf("no failed import of %s", key)
	return failure{}
}

// take takes an action on the stored version of a line.
func (b *browser) take(at *rig.Process, o *office, action, id string) (status int, answer string) {
	b.t.Helper()
	var version int64
	_, err := fmt.Sscan(o.one(id, "l.version"), &version)
	require.NoError(b.t, err)
	return b.takeSeen(at, action, o.one(id, "l.id"), version)
}

func (b *browser) takeSeen(at *rig.Process, action, line string, version int64) (status int, answer string) {
	b.t.Helper()
	return b.do(at, http.MethodPost, b.in("purchase-order-lines/"+action),
		map[string]any{"lines": []any{map[string]any{"id": line, "version": version}}})
}

// TestGateOnBothProcesses checks that a person's file cannot order, whichever process takes
// it, while the same record of an external system is stored as it is sent.
func TestGateOnBothProcesses(t *testing.T) {
	t.Parallel()
	o := newOffice(t, map[string]string{"buyer": "buyer"})
	buyer := signIn(t, o.processes[0], "buyer@example.com")
	for i, at := range o.processes {
		other := o.processes[1-i]
		id := fmt.Sprintf("L%d", i)
		record := o.record(id, `,"status":"ordered"`)
		file, refused := buyer.importFile(at, other, record+"\n"+o.record(id+"-draft", "")+"\n")
		require.Equal(t, 1, refused, "the draft is stored, the order is not")
		require.Zero(t, o.count("SELECT count(*) FROM workspace.purchase_order_lines WHERE external_id = '"+id+"'"))
		require.Equal(t, "draft user", o.one(id+"-draft", "l.status || ' ' || l.created_by_type"))
		for _, process := range o.processes {
			status, rejects := buyer.do(process, http.MethodGet, buyer.in("imports/"+file+"/rejects.ndjson"), nil)
			require.Equal(t, http.StatusOK, status, rejects)
			require.Contains(t, rejects, "a new line is a draft, and becomes ordered only through purchasing")
			failed := buyer.failureOf(process, id)
			require.Equal(t, [2]string{"status_claimed", "user"}, [2]string{failed.Code, failed.ByType})
		}
		status, text := buyer.do(other, http.MethodPost, buyer.in("failures/"+buyer.failureOf(at, id).ID+"/retry"),
			map[string]any{})
		require.Equal(t, http.StatusOK, status, text)
		require.Contains(t, text, `"code":"status_claimed"`, "sent again as it came, it is still that person's claim")

		o.send(at, "purchase_order_lines", record)
		require.Equal(t, "ordered", o.one(id, "l.status"))
		require.Empty(t, o.one(id, "l.created_by_type"))
		require.Empty(t, o.one(id, "l.approved_by"))
	}
}

// TestApprovalsOnBothProcesses has two approvers approve the same lines through both processes
// at once: each line is approved once, and the others are told that it has changed.
//
//race:detect
func TestApprovalsOnBothProcesses(t *testing.T) {
	t.Parallel()
	const lines = 12
	o := newOffice(t, map[string]string{"buyer": "buyer", "one": "approver", "two": "company_admin"})
	buyer := signIn(t, o.processes[0], "buyer@example.com")
	approvers := []*browser{signIn(t, o.processes[0], "one@example.com"), signIn(t, o.processes[1], "two@example.com")}
	for n := range lines {
		id := fmt.Sprintf("L%d", n)
		o.send(o.processes[n%2], "purchase_order_lines", o.record(id, ""))
		status, text := buyer.take(o.processes[n%2], o, "submit", id)
		require.Equal(t, http.StatusOK, status, text)
		line := o.one(id, "l.id")
		var (
			racing   sync.WaitGroup
			start    = make(chan struct{})
			mu       sync.Mutex
			statuses = map[int]int{}
		)
		for racer := range 4 {
			racing.Go(func() {
				<-start
				status, _ := approvers[racer/2].takeSeen(o.processes[racer%2], "approve", line, 2)
				mu.Lock()
				defer mu.Unlock()
				statuses[status]++
			})
		}
		close(start)
		racing.Wait()
		require.Equal(t, 1, statuses[http.StatusOK], "%v", statuses)
		require.Equal(t, 3, statuses[http.StatusConflict]+statuses[http.StatusPreconditionFailed], "%v", statuses)
		require.Equal(t, "ordered 3", o.one(id, "l.status || ' ' || l.version"))
		require.Equal(t, "true", o.one(id, `(SELECT count(*) = 1 AND bool_and(e.actor ->> 'id' = l.approved_by::text) FROM workspace.events e
			WHERE e.subject = l.id AND e.kind = 'purchase_order_line.approved')`), "one approval, by who is named")
	}
}

// TestImporterDoesNotApprove checks that a failed record of somebody's file still counts as
// the importer's after somebody else corrected it: the importer may not approve it at either
// process.
func TestImporterDoesNotApprove(t *testing.T) {
	t.Parallel()
	o := newOffice(t, map[string]string{"importer": "company_admin", "buyer": "buyer", "clerk": "buyer",
		"approver": "approver"})
	one, two := o.processes[0], o.processes[1]
	importer, buyer := signIn(t, one, "importer@example.com"), signIn(t, two, "buyer@example.com")
	clerk, approver := signIn(t, one, "clerk@example.com"), signIn(t, two, "approver@example.com")
	_, refused := importer.importFile(one, two, o.record("L1", `,"status":"ordered"`)+"\n")
	require.Equal(t, 1, refused)
	corrected := map[string]any{"payload": o.record("L1", "")}
	status, text := buyer.do(two, http.MethodPost, buyer.in("failures/"+buyer.failureOf(one, "L1").ID+"/retry"), corrected)
	require.Equal(t, http.StatusOK, status, text)
	require.Equal(t, "draft", o.one("L1", "l.status"))

	status, text = clerk.take(one, o, "submit", "L1")
	require.Equal(t, http.StatusOK, status, text)
	for _, at := range o.processes {
		status, text = importer.take(at, o, "approve", "L1")
		require.Equal(t, http.StatusForbidden, status, text)
		require.Contains(t, text, "you imported this line")
	}
	status, text = approver.take(two, o, "approve", "L1")
	require.Equal(t, http.StatusOK, status, text)
	require.Equal(t, "ordered", o.one("L1", "l.status"))
}
