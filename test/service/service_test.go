// Package service_test runs several real 'quayside serve' processes, and stops their database.
package service_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/quayside/quayside/internal/pg/pgtest"
	"github.com/quayside/quayside/test/rig"
)

// site is a migrated server with one tenant.
type site struct {
	t      *testing.T
	server *rig.Server
	tenant string
	admin  *pgx.Conn
}

func newSite(t *testing.T) *site {
	t.Helper()
	s := &site{t: t, server: rig.NewMigrated(t)}
	var tenant struct {
		ID string `json:"tenant_id"`
	}
	rig.Run(t, s.server.Env, "tenant", "create", "--name", "Acme", "--json").Decode(t, &tenant)
	s.tenant = tenant.ID
	s.connect()
	t.Cleanup(s.recount)
	return s
}

// recount checks after every test that the stored orders and search tokens agree with the lines and records.
func (s *site) recount() {
	ctx := context.WithoutCancel(s.t.Context())
	admin, err := pgx.Connect(ctx, s.server.AdminURL())
	require.NoError(s.t, err, "the database must work at the end of a test")
	defer func() { _ = admin.Close(ctx) }()
	rows, err := admin.Query(ctx, "SELECT id FROM control.tenants")
	require.NoError(s.t, err)
	tenants, err := pgx.CollectRows(rows, pgx.RowTo[uuid.UUID])
	require.NoError(s.t, err)
	for _, tenant := range tenants {
		require.NoError(s.t, pgtest.Recount(s.t, admin, tenant))
	}
}

func (s *site) connect() {
	admin, err := pgx.Connect(s.t.Context(), s.server.AdminURL())
	require.NoError(s.t, err)
	s.admin = admin
	s.t.Cleanup(func() { _ = admin.Close(context.WithoutCancel(s.t.Context())) })
}

type key struct{ ID, Key string }

func (s *site) key(scope string) (k key) {
	s.t.Helper()
	rig.Run(s.t, s.server.Env, "key", "create", "--tenant", s.tenant, "--scope", scope, "--label", "test",
		"--json").Decode(s.t, &k)
	return k
}

func (s *site) exec(sql string) {
	s.t.Helper()
	_, err := s.admin.Exec(s.t.Context(), strings.ReplaceAll(sql, "$TENANT", s.tenant))
	require.NoError(s.t, err)
}

// post sends one record and returns status and body; status 0 means no answer.
func post(base, slug, key, body string) (int, string) {
	request, err := http.NewRequest(http.MethodPost, base+"/api/ingest/"+slug, strings.NewReader(body))
	if err != nil {
		panic(err)
	}
	request.Header.Set("Authorization", "Bearer "+key)
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return 0, err.Error()
	}
	defer func() { _ = response.Body.Close() }()
	text, _ := io.ReadAll(response.Body)
	return response.StatusCode, string(text)
}

// TestTwoProcesses changes keys and the registry in the database under two processes whose
// caches are warm: the next call on either sees the change.
func TestTwoProcesses(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	processes := []*rig.Process{rig.Serve(t, s.server.Env), rig.Serve(t, s.server.Env)}
	master := s.key("*")

	t.Run("a revoked key gets 401 on the next call, whatever it sends", func(t *testing.T) {
		for round := range 6 {
			k := s.key("suppliers")
			for _, p := range processes {
				status, body := post(p.URL, "suppliers", k.Key, `{"external_id":"S1","name":"Acme"}`)
				require.Equal(t, http.StatusOK, status, body)
			}
			require.Zero(t, rig.Run(t, s.server.Env, "key", "revoke", k.ID).Code)
			for i, p := range processes {
				// A different first call each round: none may be answered from a cache.
				for n := range 5 {
					call := [5][2]string{
						{"suppliers", `{"external_id":"S1","name":"Acme"}`},
						{"suppliers", `{"external_id":"S1","lead_time_days":"x"}`},
						{"suppliers", `not json`},
						{"customers", `{}`},
						{"no_such_table", `{}`},
					}[(round+i+n)%5]
					status, body := post(p.URL, call[0], k.Key, call[1])
					require.Equal(t, http.StatusUnauthorized, status, "%s %s: %s", call[0], call[1], body)
				}
			}
		}
	})

	t.Run("a new table and a new column work on the next call", func(t *testing.T) {
		for _, p := range processes {
			status, _ := post(p.URL, "decisions", master.Key, `{"external_id":"D1","title":"x"}`)
			require.Equal(t, http.StatusNotFound, status)
		}
		s.exec(`INSERT INTO workspace.registry_tables (tenant_id, slug, title) VALUES ('$TENANT', 'decisions', 'Decisions')`)
		s.exec(`INSERT INTO workspace.registry_columns (tenant_id, slug, name, position, type) VALUES ('$TENANT', 'decisions', 'title', 1, 'text')`)
		for i, p := range processes {
			status, body := post(p.URL, "decisions", master.Key, fmt.Sprintf(`{"external_id":"D%d","title":"x"}`, i))
			require.Equal(t, http.StatusOK, status, body)
		}
		s.exec(`INSERT INTO workspace.registry_columns (tenant_id, slug, name, position, type) VALUES ('$TENANT', 'decisions', 'weight', 2, 'number')`)
		for i, p := range processes {
			status, body := post(p.URL, "decisions", master.Key, fmt.Sprintf(`{"external_id":"D%d","weight":7}`, i))
			require.Equal(t, http.StatusOK, status, body)
			status, _ = post(p.URL, "decisions", master.Key, fmt.Sprintf(`{"external_id":"D%d","weight":"heavy"}`, i))
			require.Equal(t, http.StatusUnprocessableEntity, status)
		}
		var stored int
		require.NoError(t, s.admin.QueryRow(t.Context(),
			`SELECT count(*) FROM workspace.records WHERE data = '{"title": "x", "weight": 7}'`).Scan(&stored))
		require.Equal(t, 2, stored)
		s.exec(`DELETE FROM workspace.registry_columns WHERE slug = 'decisions' AND name = 'title'`)
		for i, p := range processes {
			status, body := post(p.URL, "decisions", master.Key, fmt.Sprintf(`{"external_id":"D%d","title":5}`, i))
			require.Equal(t, http.StatusOK, status, body)
		}
	})

	for _, p := range processes {
		require.Zero(t, p.Terminate())
	}
}

// TestDatabaseAway stops PostgreSQL under traffic and starts it again: every answer is one of
// the contract's, and every acknowledged record is stored.
//
//race:detect
func TestDatabaseAway(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	p := rig.Serve(t, s.server.Env)
	known, unseen := s.key("*"), s.key("*")
	s.exec("UPDATE workspace.api_keys SET rate_per_second = 100000, rate_burst = 100000")

	var (
		mu       sync.Mutex
		acked    []string
		statuses = map[int]int{}
		stop     = make(chan struct{})
		clients  sync.WaitGroup
		okAfter  atomic.Int64
		back     atomic.Bool
	)
	for client := range 6 {
		clients.Go(func() {
			for n := 0; ; n++ {
				select {
				case <-stop:
					return
				default:
				}
				id := fmt.Sprintf("S-%d-%d", client, n)
				status, _ := post(p.URL, "suppliers", known.Key, fmt.Sprintf(`{"external_id":%q,"name":"x"}`, id))
				mu.Lock()
				statuses[status]++
				if status == http.StatusOK {
					acked = append(acked, id)
					if back.Load() {
						okAfter.Add(1)
					}
				}
				mu.Unlock()
			}
		})
	}
	waitFor(t, "traffic", func() bool { mu.Lock(); defer mu.Unlock(); return statuses[http.StatusOK] > 50 })
	s.server.Stop()
	waitFor(t, "failures", func() bool { mu.Lock(); defer mu.Unlock(); return statuses[http.StatusInternalServerError] > 20 })

	status, body := post(p.URL, "suppliers", unseen.Key, `{"external_id":"U","name":"x"}`)
	require.Equal(t, http.StatusServiceUnavailable, status, "a key that cannot be checked is not refused: %s", body)
	require.JSONEq(t, `{"ok":false,"error":"temporarily unavailable"}`, body)
	status, body = post(p.URL, "suppliers", known.Key, `{"external_id":"U","name":"x"}`)
	require.Equal(t, http.StatusInternalServerError, status)
	require.JSONEq(t, `{"ok":false,"error":"temporary failure, safe to retry"}`, body)
	response, err := http.Get(p.URL + "/readyz")
	require.NoError(t, err)
	require.NoError(t, response.Body.Close())
	require.Equal(t, http.StatusServiceUnavailable, response.StatusCode)
	response, err = http.Get(p.URL + "/healthz")
	require.NoError(t, err)
	require.NoError(t, response.Body.Close())
	require.Equal(t, http.StatusOK, response.StatusCode)

	s.server.Start()
	back.Store(true)
	waitFor(t, "recovery", func() bool { return okAfter.Load() > 50 })
	close(stop)
	clients.Wait()
	p.WaitReady()

	for status := range statuses {
		require.Contains(t, []int{200, 500, 503}, status)
	}
	s.connect()
	var found int
	require.NoError(t, s.admin.QueryRow(t.Context(),
		"SELECT count(*) FROM workspace.suppliers WHERE external_id = ANY ($1)", acked).Scan(&found))
	require.Equal(t, len(acked), found, "something acknowledged was lost")
	var twins int
	require.NoError(t, s.admin.QueryRow(t.Context(),
		"SELECT count(*) FROM workspace.suppliers s WHERE NOT EXISTS (SELECT FROM workspace.events e WHERE e.subject = s.id)").Scan(&twins))
	require.Zero(t, twins, "a row without its event")
	t.Logf("answers: %v, acknowledged: %d", statuses, len(acked))
}

func waitFor(t *testing.T, what string, condition func() bool) {
	t.Helper()
	deadline := time.Now().Add(3 * time.Minute)
	for !condition() {
		require.True(t, time.Now().Before(deadline), "no %s in time", what)
		time.Sleep(5 * time.Millisecond)
	}
}

// TestNothingLeaks sends a key and payloads with marks through every path of a request, at the
// most verbose log level and with traces on, and looks for the marks in all logs, metrics and
// traces.
//
//race:detect
func TestNothingLeaks(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	var traces bytes.Buffer
	var mu sync.Mutex
	collector := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		mu.Lock()
		defer mu.Unlock()
		traces.Write(body)
		w.Header().Set("Content-Type", "application/x-protobuf")
	}))
	defer collector.Close()
	metricsAddr := rig.FreeAddr(t)
	p := rig.Serve(t, append(s.server.Env, "QUAYSIDE_LOG_LEVEL=debug", "QUAYSIDE_METRICS_ADDR="+metricsAddr,
		"QUAYSIDE_SWEEP_EVERY=100ms", "OTEL_EXPORTER_OTLP_ENDPOINT="+collector.URL))
	master := s.key("*")
	const mark = "canary7c1f"
	record := func(fields string) string {
		return `{"external_id":"` + mark + `","name":"` + mark + `"` + fields + `}`
	}
	for _, call := range []struct {
		slug, key, body string
		want            int
	}{
		{"suppliers", master.Key, record(``), 200},
		{"suppliers", master.Key, record(`,"` + mark + `":1`), 200},
		{"suppliers", master.Key, record(`,"lead_time_days":"` + mark + `"`), 422},
		{"products", master.Key, record(`,"supplier_id":"` + mark + `x"`), 422},
		{"suppliers", master.Key, `{"external_id":"` + mark + `"`, 400},
		{mark, master.Key, record(``), 404},
		{"suppliers", "pk_" + mark, record(``), 401},
		{"suppliers?api_key=" + master.Key, "pk_" + mark, record(``), 401},
	} {
		status, body := post(p.URL, call.slug, call.key, call.body)
		require.Equal(t, call.want, status, body)
	}
	// A constraint that only the database knows: its message quotes the row.
	s.exec(`ALTER TABLE workspace.suppliers ADD CONSTRAINT no_mark CHECK (phone IS NULL)`)
	status, body := post(p.URL, "suppliers", master.Key, record(`,"phone":"`+mark+`"`))
	require.Equal(t, 422, status, body)
	require.NotContains(t, body, mark)
	// Internal errors: one raised with the data in it, and a missing partition for the event.
	s.exec(`CREATE FUNCTION workspace.fail() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'cannot take %', NEW.name; END $$;
		CREATE TRIGGER fail BEFORE INSERT ON workspace.customers FOR EACH ROW EXECUTE FUNCTION workspace.fail()`)
	status, body = post(p.URL, "customers", master.Key, record(``))
	require.Equal(t, 500, status, body)
	s.exec(`ALTER TABLE workspace.suppliers ALTER COLUMN note TYPE uuid USING NULL`)
	status, body = post(p.URL, "suppliers", master.Key, record(`,"note":"`+mark+`"`))
	require.Equal(t, 500, status, body)

	metrics, err := http.Get("http://" + metricsAddr + "/metrics")
	require.NoError(t, err)
	figures, err := io.ReadAll(metrics.Body)
	require.NoError(t, err)
	require.NoError(t, metrics.Body.Close())
	for _, want := range []string{
		`quayside_ingest_requests_total{slug="suppliers",status="200"} 2`,
		`quayside_ingest_requests_total{slug="unknown",status="404"} 1`,
		`quayside_ingest_duration_seconds_count{slug="suppliers"}`,
		`quayside_dead_letters_total{code="type",slug="suppliers"} 1`,
		`quayside_dead_letters_total{code="fault",slug="customers"} 1`, "quayside_pool_connections", "go_goroutines",
	} {
		require.Contains(t, string(figures), want)
	}
	listed, err := os.ReadFile(filepath.Join(rig.Root(), "docs", "metrics.md"))
	require.NoError(t, err)
	for _, metric := range regexp.MustCompile(`# TYPE (quayside_\w+)`).FindAllStringSubmatch(string(figures), -1) {
		require.Contains(t, string(listed), "`"+metric[1]+"`", "docs/metrics.md names every metric")
	}
	require.Zero(t, p.Terminate()) // flushes the traces

	mu.Lock()
	defer mu.Unlock()
	require.Greater(t, traces.Len(), 1000, "traces were sent")
	secret := strings.TrimPrefix(master.Key, "pk_")
	for place, text := range map[string]string{"the log": p.Log(), "a trace": traces.String(),
		"the metrics": string(figures)} {
		for what, leak := range map[string]string{"a payload": mark, "a key": secret} {
			if at := strings.Index(text, leak); at >= 0 {
				t.Errorf("%s is in %s: …%q…", what, place, text[max(0, at-200):at+len(leak)])
			}
		}
	}
	for _, line := range p.Lines() {
		var entry map[string]any
		require.NoError(t, json.Unmarshal([]byte(line), &entry), "not JSON: %s", line)
	}
	require.Contains(t, p.Log(), `"request_id"`)
	require.Contains(t, p.Log(), `"client":"127.0.0.1"`)
	require.Contains(t, p.Log(), `"trace_id"`)
	require.Contains(t, p.Log(), `"msg":"calls refused"`)
	require.Contains(t, traces.String(), "service.version")
	require.Contains(t, traces.String(), "postgresql batch")
	require.Contains(t, p.Log(), "SQLSTATE P0001")
}
