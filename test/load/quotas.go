package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/quayside/quayside/test/rig"
)

// This file measures what one company can do to the others. It starts exports and slow filters, as many at once as
// below, while others store records, sign in and approve, each at a fixed rate, at two processes on one database.

const (
	greedyExports = 50
	greedyFilters = 200
	// neighbours are the companies that are measured. They are numbered after those of the table that is read.
	neighbours     = 8
	firstNeighbour = 2
	// mostBeside is how many times its p99 alone the p99 of an action may be.
	mostBeside = 2

	quotaPassword = "correct horse battery"
)

// rates are how often the neighbours do something, all together, in a second.
var rates = []struct {
	what      string
	perSecond float64
}{{"ingest", 40}, {"sign in", 1}, {"approve", 4}}

// quotas is the state of the measurement.
type quotas struct {
	options
	cluster  *cluster
	services []string // addresses
	records  rig.Caller
	people   []*rig.Person
	lines    [neighbours]chan quotaLine // that wait for an approval
	sent     atomic.Int64
}

type quotaLine struct {
	id      string
	version int64
}

// runQuotas loads the companies and measures the neighbours alone and beside the greedy one, in turns.
func runQuotas(ctx context.Context, opt options, c *cluster) error {
	q := &quotas{options: opt, cluster: c, records: rig.NewCaller(time.Minute)}
	if err := q.load(ctx); err != nil {
		return err
	}
	greedy, err := rig.SignIn(q.services[0], "greedy@example.com", quotaPassword)
	if err != nil {
		return err
	}
	alone, beside := newActed(), newActed()
	if err := q.turn(ctx, newActed()); err != nil { // connections, plans, caches
		return err
	}
	var machine conditions
	loads := fmt.Sprintf("load %.1f before", loadAverage())
	for range opt.rounds {
		err := machine.observed(c.dir, func() error {
			if err := q.turn(ctx, alone); err != nil {
				return err
			}
			stop, err := startGreedy(ctx, q.services, greedy)
			if err != nil {
				return err
			}
			return errors.Join(q.turn(ctx, beside), stop())
		})
		if err != nil {
			return err
		}
	}
	fmt.Fprintf(os.Stdout, "\n%d exports and %d slow filters of one company, on a table of %d rows; %s, %.1f after; %s\n\n",
		greedyExports, greedyFilters, opt.quotas, loads, loadAverage(), machine)
	return reportQuotas(os.Stdout, alone, beside)
}

// load creates the greedy company with its table, the neighbours with people and lines that wait for an approval, and
// starts two processes.
func (q *quotas) load(ctx context.Context) error {
	table := &reads{options: q.options, cluster: q.cluster}
	table.reads = q.quotas
	if err := table.load(ctx); err != nil {
		return err
	}
	if err := q.cluster.add(ctx, firstNeighbour, neighbours, 100, 100); err != nil {
		return err
	}
	fill := strings.NewReplacer("TENANT", fmt.Sprintf(tenantSQL, "c"), "WORKSPACE", fmt.Sprintf(workspaceSQL, "c"))
	waiting := int(float64(q.rounds*2+1)*q.slice.Seconds()*rates[2].perSecond)/neighbours + 10
	if err := q.cluster.exec(ctx, fill.Replace(`INSERT INTO workspace.purchase_order_lines
			(tenant_id, workspace_id, external_id, order_no, sku, status, quantity_ordered, price_per_unit, currency, product_name, supplier_name)
		SELECT TENANT, WORKSPACE, 'W-' || l, 'PW-' || l, 'SKU-' || 1 + l % 100, 'pending_approval', 10, 4.2, 'EUR', 'Product', 'Tea House'
		FROM generate_series($1::int + 1, $1::int + $2::int) c, generate_series(1, $3::int) l`), firstNeighbour, neighbours, waiting); err != nil {
		return err
	}
	if err := q.user(ctx, 1, "greedy@example.com", "viewer"); err != nil {
		return err
	}
	for range 2 {
		s, err := q.cluster.serve(ctx)
		if err != nil {
			return err
		}
		q.services = append(q.services, "http://"+s.addr)
	}
	for n := range neighbours {
		if err := q.neighbour(ctx, n, waiting); err != nil {
			return err
		}
	}
	return nil
}

// neighbour makes and signs in the approver of a company, and reads which lines wait.
func (q *quotas) neighbour(ctx context.Context, n, waiting int) error {
	company := firstNeighbour + n + 1
	if err := q.user(ctx, company, approver(n), "approver"); err != nil {
		return err
	}
	person, err := rig.SignIn(q.services[n%2], approver(n), quotaPassword)
	if err != nil {
		return err
	}
	q.people = append(q.people, person)
	rows, err := q.cluster.admin.Query(ctx, fmt.Sprintf(`SELECT id, version FROM workspace.purchase_order_lines
		WHERE tenant_id = %s AND status = 'pending_approval' ORDER BY id`, fmt.Sprintf(tenantSQL, "$1::int")), company)
	if err != nil {
		return err
	}
	defer rows.Close()
	q.lines[n] = make(chan quotaLine, waiting)
	for rows.Next() {
		var line quotaLine
		if err := rows.Scan(&line.id, &line.version); err != nil {
			return err
		}
		q.lines[n] <- line
	}
	return rows.Err()
}

func approver(n int) string { return fmt.Sprintf("approver%d@example.com", n) }

func (q *quotas) user(ctx context.Context, company int, email, role string) error {
	cmd := exec.CommandContext(ctx, q.cluster.binary, "user", "create", "--tenant",
		fmt.Sprintf("00000000-0000-7000-8000-%012d", company), "--email", email, "--role", role)
	cmd.Env, cmd.Stdin, cmd.Stderr = append(os.Environ(), q.cluster.env...), strings.NewReader(quotaPassword+"\n"), os.Stderr
	return cmd.Run()
}

// acted is how long the actions of each kind took, and how many of them were refused.
type acted struct {
	took    map[string][]time.Duration
	refused map[string]int
}

func newActed() acted { return acted{map[string][]time.Duration{}, map[string]int{}} }

// turn has the neighbours act for a while and adds how long their actions took.
func (q *quotas) turn(ctx context.Context, into acted) error {
	if err := q.cluster.exec(ctx, "DELETE FROM control.throttles"); err != nil { // all sign in from one address
		return err
	}
	acts := []func(n int) error{q.store, q.signIn, q.approve}
	var wait sync.WaitGroup
	refused := make([]int, len(acts))
	latencies := make([][]time.Duration, len(acts))
	for i, act := range acts {
		wait.Go(func() { latencies[i], refused[i] = atRate(ctx, rates[i].perSecond, q.slice, act) })
	}
	wait.Wait()
	for i, rate := range rates {
		into.took[rate.what] = append(into.took[rate.what], latencies[i]...)
		into.refused[rate.what] += refused[i]
	}
	return ctx.Err()
}

// atRate acts so often, independently of how long it takes. A latency counts from when the action was due.
func atRate(ctx context.Context, perSecond float64, duration time.Duration, act func(n int) error) (
	latencies []time.Duration, refused int) {
	var wait sync.WaitGroup
	var mu sync.Mutex
	start := time.Now()
	for n := 0; ctx.Err() == nil; n++ {
		due := start.Add(time.Duration(float64(n) / perSecond * float64(time.Second)))
		if due.Sub(start) > duration {
			break
		}
		time.Sleep(time.Until(due))
		wait.Go(func() {
			err := act(n)
			took := time.Since(due)
			mu.Lock()
			defer mu.Unlock()
			latencies = append(latencies, took)
			if err != nil {
				refused++
				fmt.Fprintln(os.Stderr, err)
			}
		})
	}
	wait.Wait()
	return latencies, refused
}

func (q *quotas) store(n int) error {
	body := fmt.Sprintf(`{"external_id":"S-%d","name":"Supplier"}`, q.sent.Add(1))
	got := q.records.Post(q.services[n%2], "suppliers", keyOfCached(firstNeighbour+1+n%neighbours), "", body)
	if got.Status != http.StatusOK {
		return fmt.Errorf("a record got %d: %s", got.Status, got.Body)
	}
	return nil
}

func (q *quotas) signIn(n int) error {
	_, err := rig.SignIn(q.services[n%2], approver(n%neighbours), quotaPassword)
	return err
}

// approve approves the next line of a company.
func (q *quotas) approve(n int) error {
	company := n % neighbours
	line := <-q.lines[company]
	status, text, err := q.people[company].Do(q.services[n%2], http.MethodPost,
		"workspaces/"+q.people[company].Workspace+"/purchase-order-lines/approve",
		map[string]any{"lines": []any{map[string]any{"id": line.id, "version": line.version}}})
	if err == nil && status != http.StatusOK {
		return fmt.Errorf("an approval got %d: %s", status, text)
	}
	return err
}

// startGreedy runs this program again as the greedy company, with lower priority: it stands for other machines, which
// do not compete for these cores. It returns when its exports and filters have started.
func startGreedy(ctx context.Context, services []string, person *rig.Person) (stop func() error, err error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	cmd := exec.CommandContext(ctx, "nice", "-n", "10", self, "-greedy",
		strings.Join(append([]string{person.Workspace, person.Cookie}, services...), ","))
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	_, err = out.Read(make([]byte, 1))
	return func() error { return errors.Join(in.Close(), cmd.Wait()) }, err
}

// beGreedy exports and filters, all at once and again and again, until its standard input ends. Whoever is refused
// waits a second, as the answer says.
func beGreedy(ctx context.Context, arguments string) error {
	words := strings.Split(arguments, ",")
	if len(words) < 3 {
		return errors.New("-greedy: a workspace, a cookie and addresses")
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	var wait sync.WaitGroup
	var answers [2][2]atomic.Int64 // exports and filters; answered and refused
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: greedyExports + greedyFilters}}
	for n := range greedyExports + greedyFilters {
		base := words[2+n%(len(words)-2)] + "/api/app/workspaces/" + words[0] + "/tables/orders/"
		kind := 0
		address := func(int) string { return base + "export" }
		if n >= greedyExports {
			kind = 1
			address = func(again int) string { // matches no row, and no answer is kept for it
				return base + "rows?" + url.Values{"filters": {fmt.Sprintf(`{"note":{"contains":"%d of %d"}}`, again, n)}}.Encode()
			}
		}
		wait.Go(func() {
			for again := 0; ctx.Err() == nil; again++ {
				ok := greedyGet(ctx, client, address(again), words[1])
				answers[kind][map[bool]int{true: 0, false: 1}[ok]].Add(1)
				if !ok {
					select {
					case <-ctx.Done():
					case <-time.After(time.Second):
					}
				}
			}
		})
	}
	fmt.Fprint(os.Stdout, ".") // all have started
	_, _ = io.Copy(io.Discard, os.Stdin)
	stop()
	wait.Wait()
	fmt.Fprintf(os.Stderr, "the greedy one: %d exports and %d refused, %d filters and %d refused\n", answers[0][0].Load(),
		answers[0][1].Load(), answers[1][0].Load(), answers[1][1].Load())
	return nil
}

// greedyGet reads all of an answer, and reports whether it was a good one.
func greedyGet(ctx context.Context, client *http.Client, address, cookie string) bool {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return false
	}
	request.Header.Set("Cookie", "__Host-quayside="+cookie)
	response, err := client.Do(request)
	if err != nil {
		return false
	}
	defer func() { _ = response.Body.Close() }()
	_, err = io.Copy(io.Discard, response.Body)
	return err == nil && response.StatusCode == http.StatusOK
}

// reportQuotas prints the ratios, and fails if a p99 beside is too far above that alone, or more is refused.
func reportQuotas(w io.Writer, alone, beside acted) error {
	var slow []string
	fmt.Fprintf(w, "%-10s %7s %12s %12s %8s %12s %12s %8s\n", "others", "actions", "p50 alone", "p50 beside", "ratio", "p99 alone",
		"p99 beside", "ratio")
	for _, rate := range rates {
		a, b := summarise(slices.Clone(alone.took[rate.what]), nil, time.Second),
			summarise(slices.Clone(beside.took[rate.what]), nil, time.Second)
		if a.P50 == 0 || b.P50 == 0 {
			return fmt.Errorf("%s was not measured", rate.what)
		}
		half, most := float64(b.P50)/float64(a.P50), float64(b.P99)/float64(a.P99)
		fmt.Fprintf(w, "%-10s %7d %9.1f ms %9.1f ms %8.2f %9.1f ms %9.1f ms %8.2f\n", rate.what, len(beside.took[rate.what]), ms(a.P50), ms(b.P50),
			half, ms(a.P99), ms(b.P99), most)
		if more := beside.refused[rate.what] - alone.refused[rate.what]; more > 0 {
			slow = append(slow, fmt.Sprintf("%s: %d more refused than alone", rate.what, more))
		}
		if most > mostBeside {
			slow = append(slow, fmt.Sprintf("%s: %.2f", rate.what, most))
		}
	}
	if slow != nil {
		return fmt.Errorf("more than %d times the p99 alone, or refused: %s", mostBeside, strings.Join(slow, "; "))
	}
	return nil
}
