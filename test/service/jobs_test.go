package service_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/quayside/quayside/test/rig"
)

// held is the key of the lock on which the test blocks a statement.
const held = 4711

// holdUp blocks statements on a table for which the condition holds, until release is called.
func (s *site) holdUp(table, event, when string) (release func()) {
	s.t.Helper()
	s.exec(fmt.Sprintf(`CREATE FUNCTION public.hold_up() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS
		'BEGIN PERFORM pg_advisory_xact_lock_shared(%d); RETURN NEW; END'`, held))
	s.exec(fmt.Sprintf("CREATE TRIGGER hold_up BEFORE %s ON %s FOR EACH ROW WHEN (%s) EXECUTE FUNCTION public.hold_up()",
		event, table, when))
	s.exec(fmt.Sprintf("SELECT pg_advisory_lock(%d)", held))
	return func() {
		s.exec(fmt.Sprintf("SELECT pg_advisory_unlock(%d)", held))
		s.exec("DROP TRIGGER hold_up ON " + table)
		s.exec("DROP FUNCTION public.hold_up")
	}
}

// aMinuteLater lets claims expire and has River give up on a process that died, as after a
// minute.
func (s *site) aMinuteLater() {
	s.t.Helper()
	s.exec("UPDATE workspace.failed_imports SET retrying_until = now() - interval '1 second' WHERE retrying_until IS NOT NULL")
	s.exec("UPDATE river.river_job SET state = 'available', scheduled_at = now() WHERE state = 'running'")
}

// TestBulkRetryOutlivesItsProcess kills the process that works on a bulk retry of an older and
// a newer payload of each record: between the row and the end of its retry, and between the
// batch and its record. Another process finishes it: everything is stored, reported and
// counted once, and the newer payloads win.
//
//race:detect
func TestBulkRetryOutlivesItsProcess(t *testing.T) {
	t.Parallel()
	const records = 30
	for _, tt := range []struct {
		name, table, event, when string
		overwrite                bool
	}{
		{"after the row", "workspace.failed_imports", "UPDATE", "NEW.status = 'resolved'", false},
		{"after the row, overwriting", "workspace.failed_imports", "UPDATE", "NEW.status = 'resolved'", true},
		{"before the note", "workspace.bulk_retries", "UPDATE", "NEW.cursor <> OLD.cursor", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := newSite(t)
			key := s.key("suppliers")
			s.user("buyer@example.com", "buyer")
			first := rig.Serve(t, s.server.Env)
			for _, name := range []string{"old", "new"} {
				for i := range records {
					status, text := post(first.URL, "suppliers", key.Key, fmt.Sprintf(`{"external_id":"S%d","Name":"%s"}`, i, name))
					require.Equal(t, http.StatusUnprocessableEntity, status, text)
				}
			}
			waitFor(t, "refused records, which pass through the spool while the database is slow", func() bool {
				return s.count("SELECT count(*) FROM workspace.failed_imports") == 2*records
			})
			buyer := signIn(t, first, "buyer@example.com")
			path := "workspaces/" + buyer.workspace + "/bulk-retries"
			release := s.holdUp(tt.table, tt.event, tt.when)
			status, text := buyer.do(first, http.MethodPost, path,
				map[string]any{"expected": 2 * records, "plan": map[string]any{
					"filter": map[string]any{"table": "suppliers"}, "overwrite": tt.overwrite,
					"fixes": []any{map[string]any{"do": "rename", "field": "Name", "to": "name"}},
				}})
			require.Equal(t, http.StatusCreated, status, text)
			var bulk struct {
				ID, Status, Message                             string
				Total, Done, Succeeded, Refused, Newer, Skipped int
			}
			require.NoError(t, json.Unmarshal([]byte(text), &bulk))
			waitFor(t, "retry that is held up", func() bool {
				return s.count(fmt.Sprintf("SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND objid = %d AND NOT granted", held)) > 0
			})
			require.Positive(t, s.count("SELECT count(*) FROM workspace.suppliers"), "something is stored")
			first.Kill()
			release()
			s.aMinuteLater()

			second := rig.Serve(t, s.server.Env)
			waitFor(t, "end of the bulk retry", func() bool {
				status, text = buyer.do(second, http.MethodGet, path+"/"+bulk.ID, nil)
				require.Equal(t, http.StatusOK, status, text)
				require.NoError(t, json.Unmarshal([]byte(text), &bulk))
				return bulk.Status != "queued" && bulk.Status != "running"
			})
			require.Equal(t, "done", bulk.Status, bulk.Message)
			require.EqualValues(t, records, s.count("SELECT count(*) FROM workspace.suppliers WHERE name = 'new'"),
				"the newest value")
			require.Equal(t, [5]int{2 * records, 2 * records, 0, 0, 0},
				[5]int{bulk.Done, bulk.Succeeded, bulk.Refused, bulk.Newer, bulk.Skipped})
			require.EqualValues(t, 2*records,
				s.count("SELECT count(*) FROM workspace.failed_imports WHERE closed_how = 'retry'"))
			require.EqualValues(t, 2*records, s.count("SELECT count(*) FROM workspace.failed_import_attempts"))
			require.EqualValues(t, 2*records, s.count("SELECT count(*) FROM workspace.events"), "one event for each")
			require.EqualValues(t, 2*records, s.count("SELECT count(*) FROM workspace.audit WHERE action = 'failure.retried'"))
		})
	}
}
