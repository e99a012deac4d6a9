package mcpserver_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"

	"github.com/quayside/quayside/internal/apikey"
	"github.com/quayside/quayside/internal/app"
	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/pg/pgtest"
	"github.com/quayside/quayside/internal/token"
)

const baseURL = "https://quay.example"

// world is a service with companies, called from outside over HTTP.
type world struct {
	t      *testing.T
	app    *app.App
	admin  *pgx.Conn
	tenant pgtest.Tenant
	other  pgtest.Tenant
	key    string
	url    string
	log    *log
}

// log keeps what was logged.
type log struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *log) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *log) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

func newWorld(t *testing.T) *world {
	t.Helper()
	db := pgtest.New(t)
	w := &world{t: t, tenant: pgtest.NewTenant(t, db), other: pgtest.NewTenant(t, db), admin: db.Admin(t), log: &log{}}
	cfg := app.Config{DatabaseURL: db.ServiceURL, BaseURL: baseURL, Lanes: 2, MaxQueued: 64, MaxWait: time.Minute, MaxBodyBytes: 1 << 20,
		MaxConns: 32}
	var err error
	w.app, err = app.New(t.Context(), cfg,
		slog.New(slog.NewJSONHandler(w.log, &slog.HandlerOptions{Level: slog.LevelDebug})))
	require.NoError(t, err)
	t.Cleanup(w.app.Close)
	server := httptest.NewServer(w.app.HTTP.Handler())
	t.Cleanup(server.Close)
	w.url = server.URL
	_, w.key, err = w.app.Keys.Issue(t.Context(), auth.Operator(w.tenant.ID),
		apikey.Request{Workspace: w.tenant.Workspace, Scope: "*", Label: "test"})
	require.NoError(t, err)
	return w
}

// all are the scopes there are.
var all = auth.Scopes()

// agent returns the secret of a new token for an agent. The scopes need not fit an agent.
func (w *world) agent(name string, scopes ...auth.Scope) string {
	w.t.Helper()
	by := auth.Operator(w.tenant.ID)
	by.Workspace = w.tenant.Workspace
	made, secret, err := w.app.Tokens.Issue(w.t.Context(), by, token.Request{Label: name, Agent: true, Scopes: []auth.Scope{auth.ScopeRead}})
	require.NoError(w.t, err)
	w.exec("UPDATE workspace.tokens SET scopes = $2 WHERE id = $1", made.ID, scopes)
	return secret
}

// join makes a new member of the company.
func (w *world) join(role auth.Role) auth.Principal {
	w.t.Helper()
	email := uuid.NewString() + "@example.com"
	pgtest.NewUser(w.t, w.admin, email)
	member, _, err := w.app.Accounts.CreateUser(w.t.Context(), auth.Operator(w.tenant.ID), email, "", "", role)
	require.NoError(w.t, err)
	return auth.Principal{
		Tenant: w.tenant.ID, Workspace: w.tenant.Workspace, Role: role, Person: member.ID,
		Actor: auth.Actor{Type: auth.ByPerson, ID: member.ID.String()},
	}
}

// token returns the secret of a new token for a person. The scopes need not fit the role.
func (w *world) token(by auth.Principal, scopes ...auth.Scope) string {
	w.t.Helper()
	role := by.Role
	by.Role = auth.CompanyAdmin
	_, secret, err := w.app.Tokens.Issue(w.t.Context(), by, token.Request{Label: string(role), Scopes: scopes})
	require.NoError(w.t, err)
	return secret
}

// bearer sends a token with every request.
type bearer struct {
	secret string
	header http.Header
}

func (b bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+b.secret)
	for name, values := range b.header {
		r.Header[name] = values
	}
	return http.DefaultTransport.RoundTrip(r)
}

// client is the official SDK's client, over HTTP.
type client struct {
	*mcp.ClientSession
	t *testing.T
}

func (w *world) connect(secret string) client {
	w.t.Helper()
	session, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil).Connect(w.t.Context(),
		&mcp.StreamableClientTransport{
			Endpoint: w.url + "/mcp", HTTPClient: &http.Client{Transport: bearer{secret: secret}}, DisableStandaloneSSE: true,
		}, nil)
	require.NoError(w.t, err)
	w.t.Cleanup(func() { _ = session.Close() })
	return client{session, w.t}
}

type arguments = map[string]any

// try calls a tool and returns the answer's text, and whether it is a refusal.
func (c client) try(name string, args any) (text string, refused bool) {
	c.t.Helper()
	result, err := c.CallTool(c.t.Context(), &mcp.CallToolParams{Name: name, Arguments: args})
	require.NoError(c.t, err)
	require.Len(c.t, result.Content, 1)
	content, ok := result.Content[0].(*mcp.TextContent)
	require.True(c.t, ok)
	require.LessOrEqual(c.t, len(content.Text), 24_000, "below 25,000 tokens, even if each byte were one")
	return content.Text, result.IsError
}

// ask calls a tool that must succeed.
func ask[T any](c client, name string, args any) (into T) {
	c.t.Helper()
	text, refused := c.try(name, args)
	require.False(c.t, refused, text)
	require.NoError(c.t, json.Unmarshal([]byte(text), &into), text)
	return into
}

// refusalOf calls a tool that must refuse with this code, and returns the message.
func (c client) refusalOf(code, name string, args any) string {
	c.t.Helper()
	text, refused := c.try(name, args)
	require.True(c.t, refused, text)
	var refusal struct {
		Error struct{ Code, Message string }
		Next  string
	}
	require.NoError(c.t, json.Unmarshal([]byte(text), &refusal), text)
	require.Equal(c.t, code, refusal.Error.Code, text)
	return refusal.Error.Message + " | " + refusal.Next
}

func (w *world) exec(sql string, args ...any) {
	w.t.Helper()
	_, err := w.admin.Exec(w.t.Context(), sql, args...)
	require.NoError(w.t, err)
}

// read returns the rows of a query, each as one text.
func (w *world) read(sql string, args ...any) []string {
	w.t.Helper()
	rows, err := w.admin.Query(w.t.Context(), sql, args...)
	require.NoError(w.t, err)
	texts, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (string, error) {
		values, err := row.Values()
		return strings.TrimSuffix(fmt.Sprintln(values...), "\n"), err
	})
	require.NoError(w.t, err)
	return texts
}

// send sends a record to the endpoint, like an external system.
func (w *world) send(slug string, record any) int {
	w.t.Helper()
	body, err := json.Marshal(record)
	require.NoError(w.t, err)
	status, _, _ := w.post(context.Background(), "/api/ingest/"+slug, body,
		http.Header{"Authorization": {"Bearer " + w.key}})
	return status
}

// post sends a plain HTTP request.
func (w *world) post(ctx context.Context, path string, body []byte, header http.Header) (
	status int, answered http.Header, text string) {
	w.t.Helper()
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, w.url+path, bytes.NewReader(body))
	require.NoError(w.t, err)
	request.Header = header
	response, err := http.DefaultClient.Do(request)
	require.NoError(w.t, err)
	defer func() { _ = response.Body.Close() }()
	read, err := io.ReadAll(response.Body)
	require.NoError(w.t, err)
	return response.StatusCode, response.Header, string(read)
}
