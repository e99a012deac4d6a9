package exchange_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/require"

	"github.com/quayside/quayside/test/rig"
)

const (
	password   = "correct horse battery"
	hookSecret = "a-secret-of-webhooks"
)

// company is a company that buys, served by two processes, and connected to an inventory system.
type company struct {
	t              *testing.T
	server         *rig.Server
	env            []string
	db             *pgxpool.Pool
	one, two       *rig.Process // two is killed and started again
	ada, ben, ann  *person      // a Company-Admin, a buyer and an approver
	tenant         string
	connection     string
	articles       map[string]string // ids by SKU
	supplier       string
	there          *warehouse
	calls, refused int // of people
}

var skus = []string{"TEA", "CUP", "POT"}

func newCompany(t *testing.T, orders int) *company {
	t.Helper()
	c := &company{t: t, server: rig.NewMigrated(t), there: newWarehouse(t, orders), articles: map[string]string{}}
	c.env = slices.Concat(c.server.Env, []string{"QUAYSIDE_SECRET_KEYS=test:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=",
		"QUAYSIDE_OUTBOUND_ALLOW=127.0.0.0/8", "QUAYSIDE_POLL_EVERY=2s", "QUAYSIDE_EXCHANGE_LEASE=30s"})
	var tenant struct {
		ID string `json:"tenant_id"`
	}
	rig.Run(t, c.env, "tenant", "create", "--name", "Acme", "--json").Decode(t, &tenant)
	c.tenant = tenant.ID
	for name, role := range map[string]string{"ada": "company_admin", "ben": "buyer", "ann": "approver"} {
		made := rig.RunWith(t, c.env, password+"\n", "user", "create", "--tenant", c.tenant, "--email", name+"@example.com",
			"--role", role)
		require.Zero(t, made.Code, made.Stderr)
	}
	db, err := pgxpool.New(t.Context(), c.server.AdminURL())
	require.NoError(t, err)
	t.Cleanup(db.Close)
	c.db, c.one, c.two = db, rig.Serve(t, c.env), rig.Serve(t, c.env)
	c.ada, c.ben, c.ann = c.signIn("ada"), c.signIn("ben"), c.signIn("ann")
	c.stock()
	c.connect()
	return c
}

// person is somebody who has signed in.
type person struct {
	c         *company
	cookie    string
	workspace string
}

func (c *company) signIn(name string) *person {
	c.t.Helper()
	p := &person{c: c}
	body, err := json.Marshal(map[string]string{"email": name + "@example.com", "password": password})
	require.NoError(c.t, err)
	response, err := http.Post(c.one.URL+"/api/app/session", "application/json", bytes.NewReader(body))
	require.NoError(c.t, err)
	defer func() { _ = response.Body.Close() }()
	var who struct {
		Tenants []struct {
			Workspaces []struct{ ID string }
		}
	}
	require.NoError(c.t, json.NewDecoder(response.Body).Decode(&who))
	p.workspace = who.Tenants[0].Workspaces[0].ID
	for _, cookie := range response.Cookies() {
		if cookie.Name == "__Host-quayside" {
			p.cookie = cookie.Value
		}
	}
	return p
}

// do calls the app API in the person's workspace. It may be called by any goroutine.
func (p *person) do(method, path string, body any, headers ...string) (status int, text string, err error) {
	var content bytes.Buffer
	if body != nil {
		if err := json.NewEncoder(&content).Encode(body); err != nil {
			return 0, "", err
		}
	}
	request, err := http.NewRequest(method, p.c.one.URL+"/api/app/workspaces/"+p.workspace+"/"+path, &content)
	if err != nil {
		return 0, "", err
	}
	request.Header.Set("Cookie", "__Host-quayside="+p.cookie)
	for _, header := range headers {
		name, value, _ := strings.Cut(header, ": ")
		request.Header.Set(name, value)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return 0, "", err
	}
	defer func() { _ = response.Body.Close() }()
	answered, err := io.ReadAll(response.Body)
	return response.StatusCode, string(answered), err
}

// must calls the app API and requires success.
func (p *person) must(method, path string, body, into any) {
	p.c.t.Helper()
	status, text, err := p.do(method, path, body)
	require.NoError(p.c.t, err)
	require.Less(p.c.t, status, 300, text)
	if into != nil {
		require.NoError(p.c.t, json.Unmarshal([]byte(text), into), text)
	}
}

// stock makes the supplier and the articles, as an external system does.
func (c *company) stock() {
	c.t.Helper()
	var key struct{ Key string }
	rig.Run(c.t, c.env, "key", "create", "--tenant", c.tenant, "--scope", "*", "--label", "test", "--json").Decode(c.t, &key)
	send := func(slug, record string) {
		request, err := http.NewRequest(http.MethodPost, c.one.URL+"/api/ingest/"+slug, strings.NewReader(record))
		require.NoError(c.t, err)
		request.Header.Set("Authorization", "Bearer "+key.Key)
		response, err := http.DefaultClient.Do(request)
		require.NoError(c.t, err)
		require.NoError(c.t, response.Body.Close())
		require.Equal(c.t, http.StatusOK, response.StatusCode)
	}
	send("suppliers", `{"external_id":"S1","name":"Harbour Teas"}`)
	for _, sku := range skus {
		send("products", fmt.Sprintf(`{"external_id":"P-%s","sku":%[1]q,"name":%[1]q,"supplier_id":"S1"}`, sku))
	}
	ctx := c.t.Context()
	require.NoError(c.t, c.db.QueryRow(ctx, "SELECT id FROM workspace.suppliers").Scan(&c.supplier))
	for _, sku := range skus {
		var id string
		require.NoError(c.t, c.db.QueryRow(ctx, "SELECT id FROM workspace.products WHERE sku = $1", sku).Scan(&id))
		c.articles[sku] = id
	}
}

// connect connects the inventory system and takes the connection into use.
func (c *company) connect() {
	c.t.Helper()
	var made struct{ ID string }
	c.ada.must(http.MethodPost, "connections", map[string]any{"system": "katana", "name": "Katana", "address": c.there.address,
		"token": token, "may_export": true, "may_load": true, "location": c.there.location, "calls_per_minute": 6000}, &made)
	c.connection = made.ID
	this := "connections/" + made.ID
	c.ada.must(http.MethodPost, this+"/hook", map[string]any{"secret": hookSecret}, nil)
	c.there.hook(c.one.URL + "/hooks/inventory/" + made.ID)
	c.ada.must(http.MethodPost, this+"/test", nil, nil)
	c.ada.must(http.MethodPost, this+"/matches", map[string]any{"kind": "supplier", "id": c.supplier, "theirs": c.there.supplier}, nil)
	c.ada.must(http.MethodPost, this+"/resume", nil, nil)
}

// count returns a number of the database.
func (c *company) count(sql string, args ...any) (n int) {
	c.t.Helper()
	require.NoError(c.t, c.db.QueryRow(c.t.Context(), sql, args...).Scan(&n))
	return n
}

// waitFor waits for a condition.
func (c *company) waitFor(what string, condition func() bool) {
	c.t.Helper()
	ctx, cancel := context.WithTimeout(c.t.Context(), patience)
	defer cancel()
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for !condition() {
		select {
		case <-ctx.Done():
			c.report()
			require.Fail(c.t, "no "+what+" in time")
		case <-tick.C:
		}
	}
}

// report logs how the orders stand.
func (c *company) report() {
	c.t.Helper()
	rows, err := c.db.Query(context.WithoutCancel(c.t.Context()), `SELECT state || ' ' || code || ' ' || message, count(*), min(order_no)
		FROM workspace.exchange_orders GROUP BY 1 ORDER BY 2 DESC`)
	require.NoError(c.t, err)
	defer rows.Close()
	for rows.Next() {
		var state, example string
		var n int
		require.NoError(c.t, rows.Scan(&state, &n, &example))
		c.t.Logf("%d orders such as %s: %s", n, example, state)
	}
	c.t.Logf("there: %s", c.there)
}
