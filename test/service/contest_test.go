package service_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/require"

	"github.com/quayside/quayside/test/rig"
)

// contest is a company whose queue has recommendations, for which everybody who can order races.
type contest struct {
	*office
	db                    *pgxpool.Pool
	client                *http.Client
	ada, ben, clerk, boss *browser
	ann                   *browser
	tokens                []string // of one agent
	all                   []*recommendation
	again                 atomic.Int64 // calls that were told to try again
}

// recommendation is a row of the queue that is raced for.
type recommendation struct {
	n        int
	key, sku string
	failed   string // the failed import that is retried
	holder   stored // the line that answers the recommendation
}

// pushed and retried are the ids that the external system gives its lines.
func (r *recommendation) pushed() string  { return "E-" + r.sku }
func (r *recommendation) retried() string { return "R-" + r.sku }

const pushedQuantity, retriedQuantity = "1", "2"

// status is that of the external system's lines: every other one is ordered already.
func (r *recommendation) status() string { return []string{"draft", "ordered"}[r.n%2] }

// corrected says that the failed record is corrected before it is retried. It is the clerk's draft
// then; else it is still the external system's line.
func (r *recommendation) corrected() bool { return r.n%4 >= 2 }

// draftedApart says that a record drafts the article without the key.
func (r *recommendation) draftedApart() bool { return r.status() == "draft" || r.corrected() }

// record is a line that claims the recommendation.
func (r *recommendation) record(id, status, quantity, supplier string) string {
	return fmt.Sprintf(`{"external_id":%q,"order_no":%[1]q,"sku":%q,"status":%q,"quantity_ordered":%s,"price_per_unit":4,
		"currency":"EUR","supplier_id":%q,"recommendation_key":%q}`, id, r.sku, status, quantity, supplier, r.key)
}

// rounds is how many recommendations are raced for: QUAYSIDE_RACES=10000 for a long run.
func rounds(t *testing.T) int {
	t.Helper()
	if text := os.Getenv("QUAYSIDE_RACES"); text != "" {
		n, err := strconv.Atoi(text)
		require.NoError(t, err)
		return n
	}
	return 200
}

// newContest makes a company with this many recommendations.
func newContest(t *testing.T, n int) *contest {
	t.Helper()
	c := &contest{
		office: newOffice(t, map[string]string{"ada": "buyer", "ben": "buyer", "clerk": "buyer", "boss": "company_admin",
			"ann": "approver"}),
		client: &http.Client{Timeout: time.Minute, Transport: &http.Transport{MaxIdleConnsPerHost: 64}},
	}
	c.key = c.site.key("*").Key // the processes have read the limit of the office's key already
	c.unlimited()
	var err error
	c.db, err = pgxpool.New(t.Context(), c.server.AdminURL())
	require.NoError(t, err)
	t.Cleanup(c.db.Close)
	for name, who := range map[string]**browser{"ada": &c.ada, "ben": &c.ben, "clerk": &c.clerk, "boss": &c.boss, "ann": &c.ann} {
		*who = signIn(t, c.processes[0], name+"@example.com")
	}
	c.issueTokens(n)
	c.stock(n)
	c.readKeys(n)
	return c
}

// tokenRounds is how many recommendations the agent drafts with one token. Each process lets a token
// call 60 tools at once; the agent calls two for each recommendation, at either process.
const tokenRounds = 40

func (c *contest) issueTokens(rounds int) {
	c.t.Helper()
	for range rounds/tokenRounds + 1 {
		status, text := c.boss.do(c.processes[0], http.MethodPost, c.boss.in("tokens"),
			map[string]any{"label": "Night buyer", "agent": true, "scopes": []string{"read", "write"}})
		require.Equal(c.t, http.StatusCreated, status, text)
		var made struct{ Secret string }
		require.NoError(c.t, json.Unmarshal([]byte(text), &made))
		c.tokens = append(c.tokens, made.Secret)
	}
}

func articleOf(n int) string { return fmt.Sprintf("TEA-%05d/B", n) }

// stock has the shop send articles that sold well and are sold out.
func (c *contest) stock(articles int) {
	c.t.Helper()
	// A process computes all demand, and then the queue, some seconds after the first sale. These rows say
	// that it has been done, so that the articles are followed at once.
	waitFor(c.t, "settings of the sales", func() bool { return c.count("SELECT count(*) FROM workspace.sales_settings") == 1 })
	c.exec(`INSERT INTO workspace.forecast_state (tenant_id, workspace_id, as_of, time_zone, week_start, computed_at, stale)
		SELECT tenant_id, workspace_id, timezone(time_zone, now())::date, time_zone, week_start, now(), false
		FROM workspace.sales_settings ON CONFLICT DO NOTHING`)
	c.exec(`INSERT INTO workspace.queue_state (tenant_id, workspace_id, as_of, forecasts_at, playbook_revision, computed_at)
		SELECT tenant_id, workspace_id, as_of, computed_at, 0, computed_at FROM workspace.forecast_state ON CONFLICT DO NOTHING`)
	now := time.Now().UTC()
	weeks := []int{1, 6}
	for _, week := range weeks {
		c.send(c.processes[0], "orders", fmt.Sprintf(
			`{"external_id":"O%d","ordered_at":%q,"status":"completed","currency":"EUR","total":10000}`, week,
			now.AddDate(0, 0, -7*week).Format(time.RFC3339)))
	}
	c.forEach(articles, func(n int) {
		sku := articleOf(n)
		c.mustPush(n, "products", fmt.Sprintf(`{"external_id":%q,"sku":%[1]q,"name":"Tea %[1]s","status":"active",
			"supplier_id":"S1","price":10,"currency":"EUR","unit_cost":4,"cost_currency":"EUR","stock_available":0,"stock_updated_at":%q}`,
			sku, now.Format(time.RFC3339)), http.StatusOK)
		for _, week := range weeks {
			c.mustPush(n, "order_line_items", fmt.Sprintf(`{"external_id":"%s-%d","order_id":"O%[2]d","sku":%[1]q,"name":"Tea",
				"variant_external_id":%[1]q,"quantity":500,"unit_price":10}`, sku, week), http.StatusOK)
		}
	})
}

// forEach calls a function with each number below n, several at a time.
func (c *contest) forEach(n int, do func(int)) {
	c.t.Helper()
	var working sync.WaitGroup
	numbers := make(chan int)
	for range 16 {
		working.Go(func() {
			for number := range numbers {
				do(number)
			}
		})
	}
	for number := range n {
		numbers <- number
	}
	close(numbers)
	working.Wait()
	require.False(c.t, c.t.Failed())
}

// readKeys waits until the queue suggests every article, and takes the keys from it.
func (c *contest) readKeys(articles int) {
	c.t.Helper()
	var rows map[string]queued
	waitFor(c.t, "recommendation for every article", func() bool {
		rows = c.queue(c.processes[1], "order")
		for _, row := range rows {
			if row.Blocked != "" {
				return false // its sales are not counted yet
			}
		}
		return len(rows) == articles
	})
	for n := range articles {
		row := rows[articleOf(n)]
		require.NotEmpty(c.t, row.Key)
		c.all = append(c.all, &recommendation{n: n, key: row.Key, sku: row.SKU})
	}
}

// queued is a row of the queue.
type queued struct {
	Key     string `json:"recommendation_key"`
	SKU     string
	Blocked string `json:"blocked_reason"`
	Lock    struct {
		Line     string `json:"line_id"`
		Quantity string
	}
}

// queue reads the rows of a group, by SKU.
func (c *contest) queue(at *rig.Process, group string) map[string]queued {
	c.t.Helper()
	rows := map[string]queued{}
	for cursor := ""; ; {
		var page struct {
			Items []queued
			Next  string `json:"next_cursor"`
		}
		c.ada.get(at, "procurement/queue?limit=200&group="+group+"&cursor="+url.QueryEscape(cursor), &page)
		for _, row := range page.Items {
			rows[row.SKU] = row
		}
		if cursor = page.Next; cursor == "" {
			return rows
		}
	}
}

// reply is an answer of a process.
type reply struct {
	status int
	header http.Header
	text   string
}

func (r reply) String() string { return fmt.Sprintf("%d %s", r.status, r.text) }

// ask sends a request, again after each 503: it says that nothing was done, and that a busy machine
// may be asked again.
func (c *contest) ask(method, address string, header http.Header, body string) (reply, error) {
	for {
		request, err := http.NewRequestWithContext(c.t.Context(), method, address, strings.NewReader(body))
		if err != nil {
			return reply{}, err
		}
		request.Header = header
		response, err := c.client.Do(request)
		if err != nil {
			return reply{}, err
		}
		var text bytes.Buffer
		_, err = io.Copy(&text, response.Body)
		if err = errors.Join(err, response.Body.Close()); err != nil {
			return reply{}, err
		}
		if response.StatusCode != http.StatusServiceUnavailable {
			return reply{response.StatusCode, response.Header, text.String()}, nil
		}
		c.again.Add(1)
	}
}

// act has a person call an operation of the workspace.
func (c *contest) act(who *browser, at *rig.Process, path string, body any) (reply, error) {
	text, err := json.Marshal(body)
	if err != nil {
		return reply{}, err
	}
	return c.ask(http.MethodPost, at.URL+"/api/app/"+who.in(path), who.header(), string(text))
}

func (b *browser) header() http.Header {
	return http.Header{"Content-Type": {"application/json"}, "Cookie": {"__Host-quayside=" + b.Cookie}}
}

// push has the external system send a record.
func (c *contest) push(at *rig.Process, slug, record string) (reply, error) {
	return c.ask(http.MethodPost, at.URL+"/api/ingest/"+slug, http.Header{"Authorization": {"Bearer " + c.key}}, record)
}

func (c *contest) mustPush(n int, slug, record string, status int) {
	if got, err := c.push(c.processes[n%len(c.processes)], slug, record); err != nil || got.status != status {
		c.t.Errorf("%s: %s %v", record, got, err)
	}
}
