package httpapi_test

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/quayside/quayside/internal/apikey"
	"github.com/quayside/quayside/internal/app"
	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/pg/pgtest"
	"github.com/quayside/quayside/internal/vault"
)

// TestContract plays the files of testdata/ingest. Each file is one rule of the contract: a
// request, its answer, and the rows stored afterwards. It has a description, then blocks:
//
//	--- send SLUG [method=GET] [key=NAME] [query=…] [quoted] [gzip] [size=N] [times=N]
//	Header: value
//	{"the": "body"}
//	--- answer STATUS
//	Header: value      (compared exactly; "-" for absent)
//	{"the": "body"}    (compared exactly; not compared if left out)
//	--- rows TABLE: expressions
//	a | b              (in the order of external_id; "-" for null)
//	--- events: expressions
//	--- dead letters: expressions
//	--- sql
//	any statement, as a superuser
//	--- sweep | --- resolve
//
// The keys: master (the default), orders, elsewhere (another workspace), stranger
// (another tenant), ordering (may order what was drafted here), unknown, malformed, none. "quoted" bodies are Go strings.
func TestContract(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/ingest/*.txt")
	require.NoError(t, err)
	require.Greater(t, len(files), 30)
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) {
			t.Parallel()
			text, err := os.ReadFile(file)
			require.NoError(t, err)
			play(t, string(text))
		})
	}
}

// world is a running service with a tenant and its keys.
type world struct {
	t       *testing.T
	db      *pgtest.DB
	app     *app.App
	url     string
	tenant  pgtest.Tenant
	keys    map[string]string
	admin   *pgx.Conn
	answers []answer

	everyRow string // see rowsOf
}

type answer struct {
	status int
	header http.Header
	body   string
}

func newWorld(t *testing.T) *world {
	t.Helper()
	return newWorldWith(t, slog.New(slog.NewTextHandler(t.Output(), &slog.HandlerOptions{Level: slog.LevelError})))
}

// newWorldWith is newWorld with a log.
func newWorldWith(t *testing.T, log *slog.Logger) *world {
	t.Helper()
	keys, err := vault.ParseKeys("test:" + strings.Repeat("A", 43) + "=")
	require.NoError(t, err)
	db := pgtest.New(t)
	w := &world{t: t, db: db, tenant: pgtest.NewTenant(t, db), admin: db.Admin(t)}
	cfg := app.Config{DatabaseURL: db.ServiceURL, BaseURL: "https://quay.example", Lanes: 2, MaxQueued: 64, MaxWait: time.Minute,
		MaxBodyBytes: 1 << 20, MaxConns: 32, SecretKeys: keys,
		Proxies: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")},
		Inside:  []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}}
	w.app, err = app.New(t.Context(), cfg, log)
	require.NoError(t, err)
	t.Cleanup(w.app.Close)
	server := httptest.NewServer(w.app.HTTP.Handler())
	t.Cleanup(server.Close)
	w.url = server.URL

	elsewhere := uuid.Must(uuid.NewV7())
	w.exec("INSERT INTO control.workspaces (tenant_id, id, name, time_zone) VALUES ($1, $2, 'Second', 'UTC')", w.tenant.ID,
		elsewhere)
	stranger := pgtest.NewTenant(t, db)
	w.keys = map[string]string{
		"master":    w.issue(w.tenant.ID, w.tenant.Workspace, "*"),
		"orders":    w.issue(w.tenant.ID, w.tenant.Workspace, "orders"),
		"elsewhere": w.issue(w.tenant.ID, elsewhere, "*"),
		"stranger":  w.issue(stranger.ID, stranger.Workspace, "*"),
		"unknown":   "pk_" + strings.Repeat("0", 48),
		"malformed": "pk_short",
	}
	return w
}

func (w *world) issue(tenant, workspace uuid.UUID, scope string) string {
	w.t.Helper()
	_, secret, err := w.app.Keys.Issue(w.t.Context(), auth.Operator(tenant),
		apikey.Request{Workspace: workspace, Scope: scope, Label: "test"})
	require.NoError(w.t, err)
	return secret
}

// issueOrdering makes a key that may order what was drafted here.
func (w *world) issueOrdering() string {
	w.t.Helper()
	_, secret, err := w.app.Keys.Issue(w.t.Context(), auth.Operator(w.tenant.ID),
		apikey.Request{Workspace: w.tenant.Workspace, Scope: "purchase_order_lines", Label: "ordering", OrderDraftedHere: true})
	require.NoError(w.t, err)
	return secret
}

func (w *world) exec(sql string, args ...any) {
	w.t.Helper()
	_, err := w.admin.Exec(w.t.Context(), sql, args...)
	require.NoError(w.t, err)
}

// unlimited lifts the keys' rate limits for tests that send many records.
func (w *world) unlimited() {
	w.exec("UPDATE workspace.api_keys SET rate_per_second = 1000000, rate_burst = 1000000")
}

// send makes one request with a key.
func (w *world) send(method, key, path string, header http.Header, body []byte) answer {
	w.t.Helper()
	request, err := http.NewRequestWithContext(w.t.Context(), method, w.url+path, bytes.NewReader(body))
	require.NoError(w.t, err)
	for name, values := range header {
		request.Header[name] = values
	}
	if secret := w.keys[key]; secret != "" && request.Header.Get("Authorization") == "" {
		request.Header.Set("Authorization", "Bearer "+secret)
	}
	response, err := http.DefaultClient.Do(request)
	require.NoError(w.t, err)
	defer func() { _ = response.Body.Close() }()
	text, err := io.ReadAll(response.Body)
	require.NoError(w.t, err)
	return answer{response.StatusCode, response.Header, string(text)}
}

// post sends one record with the master key.
func (w *world) post(slug, body string) answer {
	w.t.Helper()
	return w.send(http.MethodPost, "master", "/api/ingest/"+slug, nil, []byte(body))
}

// read returns rows as lines of " | " separated values.
func (w *world) read(from, expressions, order string) []string {
	w.t.Helper()
	var columns []string
	for _, expression := range splitExpressions(expressions) {
		columns = append(columns, "coalesce(("+expression+")::text, '-')")
	}
	rows, err := w.admin.Query(w.t.Context(),
		fmt.Sprintf("SELECT concat_ws(' | ', %s) FROM %s ORDER BY %s", strings.Join(columns, ", "), from, order))
	require.NoError(w.t, err)
	lines, err := pgx.CollectRows(rows, pgx.RowTo[string])
	require.NoError(w.t, err)
	return lines
}

// splitExpressions splits at commas outside of parentheses and quotes.
func splitExpressions(list string) (parts []string) {
	depth, quoted, start := 0, false, 0
	for i, c := range list {
		switch {
		case c == '\'':
			quoted = !quoted
		case quoted:
		case c == '(' || c == '[':
			depth++
		case c == ')' || c == ']':
			depth--
		case c == ',' && depth == 0:
			parts = append(parts, strings.TrimSpace(list[start:i]))
			start = i + 1
		}
	}
	return append(parts, strings.TrimSpace(list[start:]))
}

func play(t *testing.T, script string) {
	w := newWorld(t)
	blocks := strings.Split(script, "\n--- ")
	require.NotEmpty(t, strings.TrimSpace(blocks[0]), "a case begins with words")
	for _, block := range blocks[1:] {
		head, body, _ := strings.Cut(block, "\n")
		verb, rest, _ := strings.Cut(head, " ")
		body = strings.TrimRight(body, "\n")
		switch {
		case verb == "send":
			w.playSend(rest, body)
		case verb == "answer":
			w.playAnswer(head, rest, body)
		case verb == "rows":
			table, expressions, _ := strings.Cut(rest, ":")
			w.compare(head, body, w.read("workspace."+table, w.fill(expressions), "external_id"))
		case strings.HasPrefix(head, "events:"):
			w.compare(head, body, w.read("workspace.events", strings.TrimPrefix(head, "events:"), "created_at, id"))
		case strings.HasPrefix(head, "dead letters:"):
			w.compare(head, body, w.read("workspace.failed_imports", strings.TrimPrefix(head, "dead letters:"), "id"))
		case head == "sql":
			w.exec(w.fill(body))
		case head == "sweep":
			require.NoError(t, w.app.Records.PassNow(t.Context()))
		default:
			t.Fatalf("no such block: %s", head)
		}
	}
	require.Empty(t, w.answers, "an answer was not looked at")
}

// fill puts the tenant's ids into a text.
func (w *world) fill(text string) string {
	return strings.NewReplacer("$TENANT", w.tenant.ID.String(), "$WORKSPACE", w.tenant.Workspace.String()).Replace(text)
}

var headerLine = regexp.MustCompile(`^([A-Za-z][A-Za-z0-9-]*): (.*)$`)

// headersAndBody splits a block's lines.
func headersAndBody(text string) (http.Header, string) {
	header := http.Header{}
	lines := strings.Split(text, "\n")
	for len(lines) > 0 {
		match := headerLine.FindStringSubmatch(lines[0])
		if match == nil {
			break
		}
		header.Add(match[1], match[2])
		lines = lines[1:]
	}
	return header, strings.Join(lines, "\n")
}

func (w *world) playSend(options, text string) {
	words := strings.Fields(options)
	slug, method, key, query, times := words[0], http.MethodPost, "master", "", 1
	header, body := headersAndBody(w.fill(text))
	content := []byte(body)
	if strings.Contains(options, "key=ordering") && w.keys["ordering"] == "" {
		w.keys["ordering"] = w.issueOrdering()
	}
	for _, word := range words[1:] {
		name, value, _ := strings.Cut(word, "=")
		number, _ := strconv.Atoi(value)
		switch name {
		case "method":
			method = value
		case "key":
			key = value
		case "query":
			query = "?" + value
		case "times":
			times = number
		case "quoted":
			unquoted, err := strconv.Unquote(body)
			require.NoError(w.t, err)
			content = []byte(unquoted)
		case "size": // an object of exactly this many bytes
			content = []byte(`{"external_id":"big","name":"Big","padding":"` + strings.Repeat("x",
				number-len(`{"external_id":"big","name":"Big","padding":""}`)) + `"}`)
		case "gzip":
			var zipped bytes.Buffer
			writer := gzip.NewWriter(&zipped)
			_, err := writer.Write(content)
			require.NoError(w.t, err)
			require.NoError(w.t, writer.Close())
			content = zipped.Bytes()
			header.Set("Content-Encoding", "gzip")
		default:
			w.t.Fatalf("no such option: %s", word)
		}
	}
	for range times {
		w.answers = append(w.answers, w.send(method, key, "/api/ingest/"+slug+query, header, content))
	}
}

// playAnswer checks every answer since the last send.
func (w *world) playAnswer(head, status, text string) {
	wantStatus, err := strconv.Atoi(strings.TrimSpace(status))
	require.NoError(w.t, err)
	header, body := headersAndBody(text)
	require.NotEmpty(w.t, w.answers)
	for _, got := range w.answers {
		require.Equal(w.t, wantStatus, got.status, "%s: %s", head, got.body)
		require.NotEmpty(w.t, got.header.Get("X-Request-Id"))
		for name := range header {
			want := header.Get(name)
			if want == "-" {
				want = ""
			}
			require.Equal(w.t, want, got.header.Get(name), name)
		}
		if body != "" {
			require.Equal(w.t, body, got.body, head)
		}
	}
	w.answers = nil
}

func (w *world) compare(head, want string, got []string) {
	w.t.Helper()
	require.Equal(w.t, w.fill(want), strings.Join(got, "\n"), head)
}
