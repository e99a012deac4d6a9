package faults_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/quayside/quayside/test/rig"
)

// state is what a server has stored.
type state struct {
	numbers map[string]int64 // by table, company and record
	events  map[string]int   // by request
	failed  map[string]bool  // failed imports by request
}

func (r *record) key() string { return r.kind.slug + " " + r.company.tenant + " " + r.id }

// read reads everything that the clients may have sent.
func (d *day) read(server *rig.Server) state {
	d.t.Helper()
	found := state{map[string]int64{}, map[string]int{}, map[string]bool{}}
	conn := d.connect(server)
	defer closeQuietly(conn)
	each := func(sql string, take func(key string, n int64)) {
		rows, err := conn.Query(context.WithoutCancel(d.t.Context()), sql)
		require.NoError(d.t, err)
		defer rows.Close()
		for rows.Next() {
			var key string
			var n int64
			require.NoError(d.t, rows.Scan(&key, &n))
			take(key, n)
		}
		require.NoError(d.t, rows.Err())
	}
	for _, k := range kinds {
		each(fmt.Sprintf("SELECT '%s ' || tenant_id || ' ' || external_id, %s::bigint FROM workspace.%[1]s", k.slug, k.column),
			func(key string, n int64) { found.numbers[key] = n })
	}
	each("SELECT request_id, count(*) FROM workspace.events GROUP BY 1", func(key string, n int64) { found.events[key] = int(n) })
	each("SELECT request_id, count(*) FROM workspace.failed_imports GROUP BY 1", func(key string, _ int64) { found.failed[key] = true })
	return found
}

// behind returns the records whose number is older than one that was acknowledged.
func (s state) behind(numbers map[*record]int64) (lost []string) {
	for r, acked := range numbers {
		if now := s.numbers[r.key()]; now < acked {
			lost = append(lost, fmt.Sprintf("%s: %d is stored, and %d was acknowledged", r.key(), now, acked))
		}
	}
	return lost
}

// unseen returns the requests without an event.
func (s state) unseen(requests []string) (lost []string) {
	for _, request := range requests {
		if s.events[request] == 0 {
			lost = append(lost, "the event of "+request)
		}
	}
	return lost
}

// lost returns what was acknowledged as stored or as kept, and is not there.
func (s state) lost(d *day) (lost []string) {
	numbers, requests := d.load.acknowledged()
	lost = append(s.behind(numbers), s.unseen(requests)...)
	for _, a := range d.load.attempts {
		if a.outcome == kept && !s.failed[a.request] {
			lost = append(lost, fmt.Sprintf("%s: the answer was %d %s, and there is no failed import", a.request, a.status, a.answer))
		}
	}
	return append(lost, d.dump.lost...)
}

// doubled returns the requests that had an effect twice, or had one though the answer said that they had none: their
// senders send them again.
func (s state) doubled(d *day) (doubled []string) {
	for _, a := range d.load.attempts {
		events := s.events[a.request]
		if events > 1 || events > 0 && (a.outcome == refused || a.outcome == dropped) {
			doubled = append(doubled, fmt.Sprintf("%s: %d events, and the answer was %d %s", a.request, events, a.status, a.answer))
		}
	}
	return doubled
}

// retry closes what is left: failed imports are closed by the next number of the same record, and those of records that
// are sent only once are retried by a person. Then every record that was kept is stored.
func (d *day) retry() {
	d.t.Helper()
	open := func(where string) int {
		return ask[int](d, d.server, "SELECT count(*) FROM workspace.failed_imports WHERE status = 'open' AND "+where)
	}
	d.waitFor("end of the spool", func() bool {
		found := d.read(d.server)
		return !slices.ContainsFunc(d.load.attempts, func(a attempt) bool { return a.outcome == kept && !found.failed[a.request] })
	})
	d.waitFor("closed failed imports", func() bool { return open("record_key NOT LIKE '%once-%'") == 0 })
	for _, c := range d.companies {
		base := d.slots[0].url()
		person, err := rig.SignIn(base, c.email, password)
		require.NoError(d.t, err)
		path := "workspaces/" + person.Workspace + "/bulk-retries"
		left := open("tenant_id = '" + c.tenant + "'")
		status, text, err := person.Do(base, http.MethodPost, path, map[string]any{"expected": left, "plan": map[string]any{"filter": map[string]any{}}})
		require.NoError(d.t, err)
		require.Equal(d.t, http.StatusCreated, status, text)
		var bulk struct{ ID, Status, Message string }
		require.NoError(d.t, json.Unmarshal([]byte(text), &bulk))
		d.waitFor("end of the retries", func() bool {
			_, text, err := person.Do(base, http.MethodGet, path+"/"+bulk.ID, nil)
			require.NoError(d.t, err)
			require.NoError(d.t, json.Unmarshal([]byte(text), &bulk))
			return bulk.Status != "queued" && bulk.Status != "running"
		})
		require.Equal(d.t, "done", bulk.Status, bulk.Message)
		d.t.Logf("%d failed imports of records that are sent once were retried", left)
	}
	d.waitFor("closed failed imports of records that are sent once", func() bool { return open("true") == 0 })
	found := d.read(d.server)
	for _, a := range d.load.attempts {
		if a.record.once && a.outcome == kept {
			assert.EqualValues(d.t, a.number, found.numbers[a.record.key()], "%s was kept and retried", a.request)
		}
	}
}

// verdict compares, prints and fails.
func (d *day) verdict() {
	d.t.Helper()
	found := d.read(d.server)
	lies, detections := d.lies()
	counts := [4][]string{found.lost(d), found.doubled(d), d.load.stale, lies}
	d.print(detections, counts)
	d.surprises()
	for i, what := range []string{"acknowledged but lost", "doubled", "stale", "lied about health"} {
		assert.Empty(d.t, counts[i][:min(len(counts[i]), 20)], what)
	}
	require.Positive(d.t, d.load.reads)
	require.Zero(d.t, ask[int](d, d.server, `SELECT count(*) FROM (SELECT FROM workspace.events WHERE data->>'result' <> 'unchanged'
		GROUP BY subject, version HAVING count(*) > 1) d`), "versions with two events")
}

// surprises prints answers that no fault explains.
func (d *day) surprises() {
	counts := map[string]int{}
	for _, a := range d.load.attempts {
		if a.outcome == unknown {
			step := slices.IndexFunc(d.done, func(s done) bool { return a.sentAt.Before(s.to) })
			counts[fmt.Sprintf("%s: %d %.120s", d.done[max(step, 0)].name, a.status, a.answer)]++
		}
	}
	for what, n := range counts {
		d.t.Logf("%d times %s", n, what)
	}
}

// lies judges the probes of both instances.
func (d *day) lies() (lies []string, noticed []detection) {
	j := judge{truth: d.watch.truth.all(), late: d.watch.late.all()}
	for i, s := range d.slots {
		answers := []sample{}
		for _, a := range d.load.between(time.Time{}, time.Now()) {
			if a.slot == i {
				answers = append(answers, sample{sent: a.sentAt, got: a.sentAt.Add(a.took), ok: a.outcome == stored || a.outcome == kept})
			}
		}
		for _, one := range s.own.all() {
			one.ok = one.ok || one.status == http.StatusInternalServerError
			answers = append(answers, one)
		}
		slices.SortFunc(answers, func(a, b sample) int { return a.sent.Compare(b.sent) })
		said, red := j.health(s.name, s, answers)
		lies, noticed = append(lies, said...), append(noticed, red...)
	}
	return lies, noticed
}

// report prints what is known before the end.
func (d *day) report() {
	lies, detections := d.lies()
	d.print(detections, [4][]string{3: lies})
}

// print prints the table of the day.
func (d *day) print(detections []detection, counts [4][]string) {
	var table strings.Builder
	fmt.Fprint(&table, "\n| Step | s | acknowledged | kept | refused | unknown | p50 | slowest | /readyz red after |\n|---|---|---|---|---|---|---|---|---|\n")
	whole := done{name: "all", from: d.began, to: time.Now()}
	for _, s := range append(slices.Clone(d.done), whole) {
		sent := d.load.between(s.from, s.to)
		var by [unknown + 1]int
		for _, a := range sent {
			by[a.outcome]++
		}
		half, longest := median(sent)
		slowest := time.Duration(0)
		for _, one := range detections {
			if !one.at.Before(s.from) && one.at.Before(s.to) {
				slowest = max(slowest, one.took)
			}
		}
		red := ""
		if slowest > 0 {
			red = fmt.Sprintf("%.1f s", slowest.Seconds())
		}
		fmt.Fprintf(&table, "| %s | %.0f | %d | %d | %d | %d | %s | %.1f s | %s |\n", s.name, s.to.Sub(s.from).Seconds(), by[stored], by[kept],
			by[refused]+by[dropped], by[unknown], half.Round(time.Millisecond), longest.Seconds(), red)
	}
	fmt.Fprintf(&table, "\nacknowledged but lost: %d, doubled: %d, stale: %d (of %d reads), lied about health: %d\n", len(counts[0]), len(counts[1]),
		len(counts[2]), d.load.readings(), len(counts[3]))
	fmt.Fprintf(&table, "the machine kept the watcher waiting for up to %.1f s, by which it allowed more\n",
		judge{late: d.watch.late.all()}.waited(d.began, whole.to).Seconds())
	for _, found := range counts {
		for _, one := range found[:min(len(found), 20)] {
			fmt.Fprintln(&table, " ", one)
		}
	}
	d.t.Log(table.String())
}
