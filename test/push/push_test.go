package push_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/text/encoding/charmap"

	"github.com/quayside/quayside/test/rig"
)

// summary is what 'quayside push --json' prints.
type summary struct {
	Outcome                               string
	Records, Accepted, Created, Unchanged int
	Rejected, Resumed, Retries            int
	Groups                                []struct {
		Status, Count int
		Reason        string
	} `json:"rejections"`
}

func decode(t *testing.T, result rig.Result) (got summary) {
	t.Helper()
	require.NoError(t, json.Unmarshal([]byte(result.Stdout), &got), result.Stdout+result.Stderr)
	return got
}

// suppliers returns a CSV file of valid suppliers.
func suppliers(n int) string {
	var text strings.Builder
	text.WriteString("external_id,name,lead_time_days\n")
	for i := range n {
		fmt.Fprintf(&text, "SUP-%05d,Supplier %d,%d\n", i, i, i%60)
	}
	return text.String()
}

// badOrders returns a spreadsheet's CSV file of orders, in which every row listed in bad has
// one error.
func badOrders(t *testing.T, n int) string {
	t.Helper()
	ways := []func(row []string){
		func(row []string) { row[2] = "yesterday" }, // type, ordered_at
		func(row []string) { row[3] = "opened" },    // choice, status
		func(row []string) { row[4] = "" },          // required, currency
		func(row []string) { row[5] = "much" },      // type, total
		func(row []string) { row[6] = "CUST-404" },  // unknown reference, customer_id
		func(row []string) { row[7] = "perhaps" },   // type, is_test
	}
	var text strings.Builder
	text.WriteString("External ID;Order No.;Ordered At;Order Status;currency;TOTAL;customer_id;Is Test;Note;Größe\r\n")
	for i := range n {
		row := []string{
			fmt.Sprintf("ORD-%05d", i), fmt.Sprintf("#%05d", i), "2026-03-14T09:30:00Z", "open", "EUR", fmt.Sprintf("%d.90", i),
			"", "false", `"Grüße; Zeile 1` + "\n" + `Zeile 2"`, "43",
		}
		if i%100 < 6 {
			ways[i%100](row)
		}
		text.WriteString(strings.Join(row, ";") + "\r\n")
	}
	ansi, err := charmap.Windows1252.NewEncoder().String(text.String())
	require.NoError(t, err)
	return ansi
}

const openFailures = "SELECT count(*) FROM workspace.failed_imports WHERE status = 'open'"

// TestTenThousandRecords pushes a spreadsheet's CSV file with 600 bad records of six kinds, on
// a terminal, then one kind of them corrected.
func TestTenThousandRecords(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.limit(100000)
	path := s.file("orders.csv", badOrders(t, 10000))
	address, connections := counter(t, s.process.URL)
	started := time.Now()
	code, shown := s.pushOnTerminal(s.env("QUAYSIDE_URL="+address), "orders.csv", "--table", "orders").wait()
	t.Logf("10,000 records in %s over %d connections", time.Since(started).Round(time.Millisecond), connections.Load())
	require.Equal(t, 3, code, shown)
	require.Less(t, connections.Load(), int64(32), "sixteen, and a few that took the place of broken ones")

	// The output: the file's format, the mapping, a bar, the result.
	require.Contains(t, shown, "orders.csv: 10,000 records (CSV, semicolon, windows-1252) → orders\n")
	require.Regexp(t, `External ID +→ external_id\n`, shown)
	require.Regexp(t, `Order No\. +→ order_number \(similar\)\n`, shown)
	require.Regexp(t, `Order Status +→ status \(similar\)\n`, shown)
	require.Regexp(t, `Größe +dropped: the table has no such column\n`, shown)
	require.Regexp(t, `orders\.csv +\[=*>? *\] [\d,]+/10,000, [\d,]+ accepted`, shown)
	require.Regexp(t, `\[=+>? *\] [\d,]+/10,000, [\d,]+ accepted.*, [\d,]+ rejected.*, [\d,]+/s, ETA \d`, shown)
	require.Contains(t, shown, "\x1b[31m, 600 rejected")
	require.Contains(t, shown, "9,400 accepted (9,400 created, 0 updated, 0 unchanged), 600 rejected, in ")
	require.Regexp(t, `100 × status: … is not one of open, .* \(first: record 2\)`, shown)
	require.Contains(t, shown,
		"600 of 10,000 records were rejected. Correct them in orders.csv.rejects.ndjson and push that:\n  quayside push orders.csv.rejects.ndjson --table orders\n")

	// The stored rows.
	require.Equal(t, 9400, s.count("SELECT count(*) FROM workspace.orders"))
	require.Equal(t, 9400, s.count("SELECT count(*) FROM workspace.events"))
	require.Equal(t, 9400, s.count(`SELECT count(*) FROM workspace.orders WHERE note = E'Grüße; Zeile 1\nZeile 2' AND order_number LIKE '#_____'`))
	require.Equal(t, 600, s.count("SELECT count(*) FROM workspace.failed_imports"))
	require.Equal(t, 6, s.count("SELECT count(*) FROM (SELECT code, field FROM workspace.failed_imports GROUP BY code, field HAVING count(*) = 100) g"))
	require.NoFileExists(t, path+".push-state")

	// One kind corrected: it is stored and resolved; the others are counted, not stored
	// twice.
	rejects, err := os.ReadFile(path + ".rejects.ndjson")
	require.NoError(t, err)
	require.Equal(t, 600, strings.Count(string(rejects), "\n"))
	s.file("orders.csv.rejects.ndjson", strings.ReplaceAll(string(rejects), `"status":"opened"`, `"status":"open"`))
	again := s.push(path+".rejects.ndjson", "--table", "orders", "--json")
	require.Equal(t, 3, again.Code, again.Stderr)
	require.NotContains(t, again.Stderr, "\x1b", "no terminal, no bar")
	got := decode(t, again)
	require.Equal(t, []int{600, 100, 500, 5}, []int{got.Records, got.Accepted, got.Rejected, len(got.Groups)})
	require.Equal(t, 9500, s.count("SELECT count(*) FROM workspace.orders"))
	require.Equal(t, 600, s.count("SELECT count(*) FROM workspace.failed_imports"))
	s.waitFor(100, "SELECT count(*) FROM workspace.failed_imports WHERE status = 'resolved' AND code = 'choice' AND field = 'status'")
	require.Equal(t, 500, s.count(openFailures))
}

// TestRateLimit checks that a push obeys the rate limit.
func TestRateLimit(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.limit(40)
	started := time.Now()
	result := s.push(s.file("suppliers.csv", suppliers(160)), "--table", "suppliers", "--json", "--quiet")
	took := time.Since(started)
	require.Zero(t, result.Code, result.Stderr)
	require.Empty(t, result.Stderr)
	got := decode(t, result)
	require.Equal(t, []int{160, 160}, []int{got.Accepted, got.Created})
	require.Positive(t, got.Retries, "the limit was met")
	require.Less(t, got.Retries, 80, "and obeyed")
	require.GreaterOrEqual(t, took, 2500*time.Millisecond, "40 at once and 40 a second after that")
	require.Equal(t, 160, s.count("SELECT count(*) FROM workspace.suppliers"))
	t.Logf("160 records at 40 a second in %s, %d sent again", took.Round(time.Millisecond), got.Retries)
}

// TestPushWhileDatabaseIsAway stops PostgreSQL for ten seconds during a push.
func TestPushWhileDatabaseIsAway(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.limit(100000)
	const records = 4000
	s.file("suppliers.csv", suppliers(records))
	push := s.pushOnTerminal(s.env("NO_COLOR=1"), "suppliers.csv", "--table", "suppliers", "--concurrency", "2")
	s.waitFor(200, "SELECT count(*) FROM workspace.suppliers")
	s.server.Stop()
	time.Sleep(10 * time.Second) // the outage
	s.server.Start()
	s.connect()
	require.Less(t, s.count("SELECT count(*) FROM workspace.suppliers"), records, "it was in mid-push")
	code, shown := push.wait()
	require.Zero(t, code, shown)
	require.Contains(t, shown, "the service does not take records (")
	require.Regexp(t, `the service takes records again, after \d+s`, shown)
	require.Contains(t, shown, "4,000 accepted (")
	require.NotContains(t, shown, "\x1b[31m")
	require.Equal(t, records, s.count("SELECT count(*) FROM workspace.suppliers"))
	require.Zero(t, s.count("SELECT count(*) FROM workspace.suppliers WHERE version > 1"))
	s.waitUntilNone(openFailures) // of those that got 500
}

func (s *site) waitUntilNone(sql string) {
	s.t.Helper()
	deadline := time.Now().Add(2 * time.Minute)
	for s.count(sql) > 0 {
		require.True(s.t, time.Now().Before(deadline), sql)
		time.Sleep(20 * time.Millisecond)
	}
}

// TestInterrupted interrupts a push with Ctrl-C, resumes it, kills it, and resumes it.
func TestInterrupted(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.limit(100000)
	const records = 4000
	content := strings.Replace(suppliers(records), "SUP-00003,Supplier 3,3\n", "SUP-00003,Supplier 3,soon\n", 1)
	path := s.file("our suppliers.csv", content)
	args := []string{"our suppliers.csv", "--table", "suppliers", "--concurrency", "2", "--map", "name=name"}
	const rows, events = "SELECT count(*) FROM workspace.suppliers", "SELECT count(*) FROM workspace.events"

	push := s.pushOnTerminal(s.env(), args...)
	s.waitFor(300, rows)
	push.interrupt()
	code, shown := push.wait()
	require.Equal(t, 130, code, shown)
	require.Contains(t, shown, "stopping when the requests under way are answered")
	require.Regexp(t, `interrupted after [\d,]+ records\nGo on with:\n  quayside push 'our suppliers\.csv' --concurrency 2 --map name=name --table suppliers --resume\n`, shown)
	stopped := s.count(rows)
	require.Less(t, stopped, records-1)
	require.Equal(t, stopped, s.count(events))
	var state struct {
		Counts struct{ Accepted, Rejected int }
	}
	text, err := os.ReadFile(path + ".push-state")
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(text, &state))
	require.Equal(t, stopped, state.Counts.Accepted, "what was under way has been answered for")

	// No acknowledged record is sent again: every record has one event.
	push = s.pushOnTerminal(s.env(), append(args, "--resume")...)
	s.waitFor(stopped+300, rows)
	push.interrupt()
	code, shown = push.wait()
	require.Equal(t, 130, code, shown)
	require.Regexp(t, `going on after [\d,]+ records\n`, shown)
	require.Equal(t, s.count(rows), s.count(events))

	// After a kill, records whose result was not saved may be sent again; no effect is
	// doubled.
	push = s.pushOnTerminal(s.env(), append(args, "--resume")...)
	s.waitFor(s.count(rows)+300, rows)
	require.NoError(t, push.cmd.Process.Signal(syscall.SIGKILL))
	push.wait()
	require.Less(t, s.count(rows), records-1)

	result := rig.Run(t, s.env(), "push", path, "--table", "suppliers", "--resume", "--json")
	require.Equal(t, 3, result.Code, result.Stderr)
	got := decode(t, result)
	require.Equal(t, []int{records - 1, 1, 1}, []int{got.Accepted, got.Rejected, len(got.Groups)})
	require.Equal(t, records-1, s.count(rows))
	require.Zero(t, s.count("SELECT count(*) FROM workspace.suppliers WHERE version > 1"))
	require.NoFileExists(t, path+".push-state")
	rejects, err := os.ReadFile(path + ".rejects.ndjson")
	require.NoError(t, err)
	require.Equal(t, 1, strings.Count(string(rejects), "\n"), string(rejects))

	// The state of another file is refused.
	require.NoError(t, os.WriteFile(path+".push-state", text, 0o600))
	s.file("our suppliers.csv", content+"SUP-X,X,1\n")
	result = s.push(path, "--table", "suppliers", "--resume")
	require.Equal(t, 1, result.Code)
	require.Contains(t, result.Stderr, "the file has changed since its push was stopped")
}

// TestDryRun checks every record and stores none.
func TestDryRun(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.limit(100000)
	path := s.file("orders.csv", badOrders(t, 300))
	result := s.push(path, "--table", "orders", "--dry-run")
	require.Equal(t, 3, result.Code, result.Stderr)
	require.Contains(t, result.Stderr, "18 of 300 records would be rejected")
	require.Contains(t, result.Stdout, "282 would be accepted (282 created, ")
	require.Contains(t, result.Stdout, "3 × missing required field: currency (first: record 3)")
	for _, table := range []string{"orders", "events", "failed_imports"} {
		require.Zero(t, s.count("SELECT count(*) FROM workspace."+table))
	}
	files, err := os.ReadDir(s.folder)
	require.NoError(t, err)
	require.Len(t, files, 1)
}

// TestWaysToCall goes through keys, standard input and mistakes.
func TestWaysToCall(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	path := s.file("suppliers.csv", suppliers(3))
	keyFile := s.file("key", s.key+"\n")
	address := "QUAYSIDE_URL=" + s.process.URL
	for _, tt := range []struct {
		name string
		env  []string
		args []string
		code int
		says string
	}{
		{"a key file", []string{address}, []string{path, "--table", "suppliers", "--key-file", keyFile}, 0, ""},
		{"no key", []string{address}, []string{path, "--table", "suppliers"}, 2, "QUAYSIDE_KEY is not set"},
		{"no address", []string{"QUAYSIDE_KEY=" + s.key}, []string{path, "--table", "suppliers"}, 2,
			"QUAYSIDE_URL is not set"},
		{"no file", s.env(), []string{"--table", "suppliers"}, 2, "accepts 1 arg(s)"},
		{"no table", s.env(), []string{path}, 2, "required flag(s) \"table\" not set"},
		{"a column that is not there", s.env(), []string{path, "--table", "suppliers", "--map", "x=name"}, 2,
			`the file has no column "x"`},
		{"a file that is not there", s.env(), []string{path + "x", "--table", "suppliers"}, 1, "no such file"},
		{"an unknown table", s.env(), []string{path, "--table", "supliers"}, 1, "unknown ingest type: supliers"},
		{"a dead key", []string{address, "QUAYSIDE_KEY=pk_" + strings.Repeat("0", 48)},
			[]string{path, "--table", "suppliers"}, 4, "invalid or revoked api key"},
		{"another table's key", []string{address, "QUAYSIDE_KEY=" + s.newKey("orders")},
			[]string{path, "--table", "suppliers"}, 4, "missing scope: suppliers"},
		{"nobody there", []string{"QUAYSIDE_URL=http://" + rig.FreeAddr(t), "QUAYSIDE_KEY=" + s.key},
			[]string{path, "--table", "suppliers"}, 1, "does not answer"},
		{"nothing to send", s.env(), []string{s.file("strange.csv", "x,y\n1,2\n"), "--table", "suppliers"}, 2,
			"no column of the file is one of table suppliers"},
	} {
		result := rig.Run(t, tt.env, append([]string{"push"}, tt.args...)...)
		require.Equal(t, tt.code, result.Code, "%s: %s", tt.name, result.Stderr)
		require.Contains(t, result.Stderr, tt.says, tt.name)
		for _, text := range []string{result.Stdout, result.Stderr} {
			require.NotContains(t, text, strings.TrimPrefix(s.key, "pk_"), "the key is never shown")
		}
	}

	input := "\n" + `{"External ID":"SUP-9","Name":"Nine","lead time (days)":9,"_error":"x"}` + "\n" + `{"external_id":"SUP-9"` + "\n"
	piped := rig.Command(t, s.env(), "push", "-", "--table", "suppliers", "--quiet")
	piped.Dir, piped.Stdin = s.folder, strings.NewReader(input)
	out, err := piped.CombinedOutput()
	require.Error(t, err)
	require.Equal(t, 3, piped.ProcessState.ExitCode(), string(out))
	require.Equal(t, 1, s.count("SELECT count(*) FROM workspace.suppliers WHERE external_id = 'SUP-9' AND lead_time_days = 9"))
	require.FileExists(t, filepath.Join(s.folder, "stdin.rejects.ndjson"))
	require.Equal(t, 2, s.push("-", "--table", "suppliers", "--resume").Code)
}

var example = regexp.MustCompile("(?s)```sh\n(.*?)```(?:\n```text\n(.*?)```)?")

// TestDocumentation runs the examples of docs/push.md, one after the other in one folder, and
// compares their output, except for times.
func TestDocumentation(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.limit(100000)
	page, err := os.ReadFile(filepath.Join(rig.Root(), "docs", "push.md"))
	require.NoError(t, err)
	require.NoError(t, os.Symlink(rig.Binary(t), filepath.Join(s.folder, "quayside")))
	examples := example.FindAllStringSubmatch(string(page), -1)
	require.Greater(t, len(examples), 3)
	took := regexp.MustCompile(`in [\d.]+m?s( \([\d,]+/s\))?`)
	for _, pair := range examples {
		cmd := rig.Command(t, nil)
		bash := []string{"bash", "-uc", pair[1]}
		cmd.Path, cmd.Args, cmd.Dir = "/bin/bash", bash, s.folder
		cmd.Env = s.env("PATH=" + s.folder + ":" + os.Getenv("PATH"))
		out, _ := cmd.CombinedOutput()
		if pair[2] != "" {
			require.Equal(t, took.ReplaceAllString(strings.TrimSpace(pair[2]), "in no time"),
				took.ReplaceAllString(strings.TrimSpace(string(out)), "in no time"), pair[1])
		}
	}
}
