package main

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
)

// Limits of keeping figures: how much slower writing may become, and how late a sale may be in them.
const (
	mostOverAlone = 1.1
	mostLate      = 5000.0 // ms
)

// buyers is how many of the shop's customers order while writing is measured; it has at least as many.
const buyers = 1000

// sold makes orders of one line, and sends each line some orders later, when its order is stored.
type sold struct {
	run      string // part of the ids
	articles int
	behind   int64
	sent     atomic.Int64
}

func (s *sold) request(buf []byte, random *rand.Rand) []byte {
	n := s.sent.Add(1) - 1
	order, line := n/2, n%2 == 1
	if line && order < s.behind { // there is none to send yet
		line, order = false, -1-order
	}
	if line {
		order -= s.behind
		return appendPost(buf, "order_line_items", fmt.Sprintf(
			`{"external_id":"%s-%d","order_id":"%[1]s-%[2]d","product_id":"p%[3]d","name":"Article","quantity":1,"unit_price":"9.50"}`,
			s.run, order, 1+random.IntN(s.articles)))
	}
	return appendPost(buf, "orders", orderBody(s.run, order))
}

func orderBody(run string, order int64) string {
	return fmt.Sprintf(`{"external_id":"%s-%d","ordered_at":"%s","status":"open","customer_id":"c%d","currency":"EUR","total":"9.50"}`,
		run, order, time.Now().UTC().Format(time.RFC3339), 1+max(order, -order)%buyers)
}

func appendPost(buf []byte, slug, body string) []byte {
	buf = fmt.Appendf(buf, "POST /api/ingest/%s HTTP/1.1\r\nHost: bench\r\nAuthorization: Bearer %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n",
		slug, keyOfCached(1), len(body))
	return append(buf, body...)
}

// keeping measures what keeping the figures costs those who write, and how late the figures are.
func (v *views) keeping(ctx context.Context, w io.Writer) error {
	s, err := v.cluster.serve(ctx)
	if err != nil {
		return err
	}
	k := &keeper{views: v, service: s, w: w}
	if _, err := k.send(ctx); err != nil { // connections, plans, caches
		return err
	}
	if err := k.atRate(ctx); err != nil {
		return err
	}
	if err := k.saturated(ctx); err != nil {
		return err
	}
	return s.stop()
}

// keeper measures a running service.
type keeper struct {
	*views
	*service
	w    io.Writer
	runs int
}

// send sends orders at the rate for one slice.
func (k *keeper) send(ctx context.Context) (sample, error) {
	k.runs++
	got, err := open(ctx, k.addr, &sold{run: fmt.Sprintf("r%d", k.runs), articles: k.articles, behind: int64(k.rate)}, 2*float64(k.rate), k.slice)
	if err == nil {
		err = onlyStored(got)
	}
	return got, err
}

// atRate compares the write path with and without readers, in turns, at a fixed rate.
func (k *keeper) atRate(ctx context.Context) error {
	var with, without, ratios, late series
	for range k.rounds {
		if err := k.catchUp(ctx); err != nil {
			return err
		}
		var off sample
		if err := k.cluster.withoutReaders(ctx, func() (err error) { off, err = k.send(ctx); return err }); err != nil {
			return err
		}
		if err := k.catchUp(ctx); err != nil {
			return err
		}
		probed := make(chan error, 1)
		go func() {
			took, err := k.probe(ctx)
			late = append(late, took)
			probed <- err
		}()
		on, err := k.send(ctx)
		if err != nil {
			return err
		}
		if err := <-probed; err != nil {
			return err
		}
		with, without, ratios = append(with, ms(on.P99)), append(without, ms(off.P99)), append(ratios, float64(on.P99)/float64(off.P99))
	}
	verdict, why := judge(ratios, mostOverAlone, true, "")
	if verdict == missed {
		k.failures = append(k.failures, fmt.Sprintf("p99 with readers: %.2f of without", ratios.median()))
	}
	if low, _ := late.interval(); low > mostLate {
		k.failures = append(k.failures, fmt.Sprintf("a sale was in the figures after %.0f ms", late.median()))
	}
	for name, value := range map[string]float64{"p99_ms_with_readers": with.median(), "p99_ms_without": without.median(),
		"p99_ratio": ratios.median(), "sale_in_figures_ms": late.median(), "sale_in_figures_ms_most": late.p95()} {
		k.figures[name] = value
	}
	_, err := fmt.Fprintf(k.w, "\n%d orders a second, load average %.1f: p99 %.1f ms with readers, %.1f ms without, ratio %.2f (%s %s); a sale is in the figures after %.0f ms, at most %.0f\n",
		k.rate, loadAverage(), with.median(), without.median(), ratios.median(), verdict, why, late.median(), late.p95())
	return err
}

// probe sells something and returns when it is in the figures, in milliseconds.
func (k *keeper) probe(ctx context.Context) (float64, error) {
	c, err := dial(k.addr)
	if err != nil {
		return 0, err
	}
	defer func() { _ = c.conn.Close() }()
	id := fmt.Sprintf("probe%d", k.runs)
	for _, record := range []once{
		{"orders", orderBody(id, 0)},
		{"order_line_items", fmt.Sprintf(`{"external_id":"%s-0","order_id":"%[1]s-0","product_id":"p1","name":"Article","quantity":1,"unit_price":"9.50"}`, id)},
	} {
		if _, err := c.do(record); err != nil {
			return 0, err
		}
	}
	db, err := pgx.Connect(ctx, k.cluster.adminURL)
	if err != nil {
		return 0, err
	}
	defer func() { _ = db.Close(context.WithoutCancel(ctx)) }()
	return timed(func() error {
		for found := false; !found; {
			if err := db.QueryRow(ctx, `SELECT EXISTS (SELECT FROM workspace.sales_orders s WHERE s.tenant_id = $1 AND s.order_id =
				(SELECT o.id FROM workspace.orders o WHERE o.tenant_id = $1 AND o.external_id = $2))`, k.by.Tenant, id+"-0").Scan(&found); err != nil {
				return err
			}
			time.Sleep(10 * time.Millisecond)
		}
		return nil
	})
}

// once is one record.
type once struct{ slug, body string }

func (o once) request(buf []byte, _ *rand.Rand) []byte { return appendPost(buf, o.slug, o.body) }

// saturated sends as fast as the service stores, with and without readers, and waits until the
// figures have caught up.
func (k *keeper) saturated(ctx context.Context) error {
	full := func(run string) (sample, error) {
		return closed(ctx, k.addr, &sold{run: run, articles: k.articles, behind: 1000}, 64, 3*k.slice)
	}
	var off sample
	if err := k.cluster.withoutReaders(ctx, func() (err error) { off, err = full("s1"); return err }); err != nil {
		return err
	}
	if err := k.catchUp(ctx); err != nil {
		return err
	}
	on, err := full("s2")
	if err != nil {
		return err
	}
	lag, err := k.lag(ctx)
	if err != nil {
		return err
	}
	took, err := timed(func() error { return k.catchUp(ctx) })
	if err != nil {
		return err
	}
	for name, value := range map[string]float64{"saturated_per_s_with_readers": on.PerSecond, "saturated_per_s_without": off.PerSecond,
		"saturated_ratio": on.PerSecond / off.PerSecond, "saturated_lag_s": lag.Seconds(), "saturated_catch_up_s": took / 1000} {
		k.figures[name] = value
	}
	_, err = fmt.Fprintf(k.w, "at saturation: %.0f records a second with readers, %.0f without, ratio %.2f; after %.0f s the shown lag was %.1f s, and caught up %.1f s later\n",
		on.PerSecond, off.PerSecond, on.PerSecond/off.PerSecond, (3 * k.slice).Seconds(), lag.Seconds(), took/1000)
	return err
}
