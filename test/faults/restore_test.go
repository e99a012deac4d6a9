package faults_test

import (
	"fmt"
	"net/http"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/quayside/quayside/test/rig"
)

// dump is a backup, and what had been acknowledged before it was begun.
type dump struct {
	file     string
	numbers  map[*record]int64
	requests []string
	lost     []string // what of it was not restored
}

// backUp dumps the database under load.
func (d *day) backUp(time.Duration) string {
	d.t.Helper()
	d.dump.file = filepath.Join(d.t.TempDir(), "day.dump")
	d.dump.numbers, d.dump.requests = d.load.acknowledged()
	began := time.Now()
	made := rig.Run(d.t, d.server.Env, "backup", "create", d.dump.file)
	require.Zero(d.t, made.Code, made.Stderr)
	require.Contains(d.t, made.Stdout, "is whole")
	during := 0
	for _, a := range d.load.between(began, time.Now()) {
		require.Equal(d.t, stored, a.outcome, "%s during a backup: %d %s", a.request, a.status, a.answer)
		during++
	}
	require.NotZero(d.t, during, "records were stored meanwhile")
	return ""
}

// restore restores the backup on a new server, as an operator does, and looks for everything that had been acknowledged
// before. The load goes on elsewhere.
func (d *day) restore(time.Duration) string {
	d.t.Helper()
	fresh := rig.NewServer(d.t)
	// The roles are not there yet, so pg_restore reports errors; 'quayside migrate' mends what they concern.
	out, err := exec.CommandContext(d.t.Context(), "pg_restore", "--no-owner", "--dbname="+fresh.URL("QUAYSIDE_MIGRATE_URL"),
		d.dump.file).CombinedOutput()
	require.Error(d.t, err)
	require.Contains(d.t, string(out), `role "quayside_app" does not exist`)
	for _, args := range [][]string{{"migrate"}, {"backup", "restored", "--manifest", d.dump.file + ".manifest.json"}} {
		done := rig.Run(d.t, fresh.Env, args...)
		require.Zero(d.t, done.Code, "%s: %s", strings.Join(args, " "), done.Stderr)
	}
	process := rig.Serve(d.t, append(fresh.Env, "QUAYSIDE_SPOOL_DIR=off"))
	answer := rig.NewCaller(patience).Post(process.URL, "suppliers", d.companies[0].key, "", `{"external_id":"restored","name":"x"}`)
	require.Equal(d.t, http.StatusOK, answer.Status, answer.Body)
	require.Zero(d.t, process.Terminate())
	state := d.read(fresh)
	d.dump.lost = append(state.behind(d.dump.numbers), state.unseen(d.dump.requests)...)
	fresh.Stop()
	return fmt.Sprintf("%d acknowledged requests were looked for.", len(d.dump.requests))
}
