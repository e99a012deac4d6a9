package demo

import (
	"context"
	"fmt"
	"net/netip"
	"time"

	"github.com/google/uuid"

	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/ingest"
)

const (
	liveKey = "Live shop"
	// dripEvery is the time between two live orders.
	dripEvery = 3 * time.Second
)

// Drip sends an order with its lines every few seconds, as a shop does, until ctx ends. It has
// its own key. The articles and customers are those that every demo has.
func (f *Filler) Drip(ctx context.Context, tenant uuid.UUID) {
	by, err := f.liveCaller(ctx, tenant)
	suppliers := readSuppliers()
	products, customers := readProducts(suppliers), makeCustomers()
	chance := dice(time.Now().String()) // not the same orders in every run
	tick := time.NewTicker(dripEvery)
	defer tick.Stop()
	for err == nil {
		select {
		case <-ctx.Done():
			return
		case now := <-tick.C:
			o := order{at: now.UTC().Truncate(time.Second), status: "open", buyer: &customers[pick(chance, buyers)], number: int(now.Unix())}
			o.id = fmt.Sprintf("gid://shopify/Order/59%010d", now.UnixMilli()%1e10)
			o.addLines(chance, products)
			err = f.sendLive(ctx, by, o)
		}
	}
	if ctx.Err() == nil {
		fmt.Fprintf(f.Progress, "no more live orders: %s\n", err)
	}
}

func (f *Filler) liveCaller(ctx context.Context, tenant uuid.UUID) (auth.Principal, error) {
	secret, err := f.key(ctx, tenant, liveKey, auth.AllTables)
	if err != nil {
		return auth.Principal{}, err
	}
	caller, err := f.Keys.Verify(ctx, secret, netip.IPv4Unspecified())
	return caller.Principal, err
}

// sendLive writes one order and then its lines.
func (f *Filler) sendLive(ctx context.Context, by auth.Principal, o order) error {
	w := &writer{records: f.Records}
	send := func(slug string, record fields) error {
		outcome, err := w.one(ctx, ingest.Record{By: by, Slug: slug, Body: record.body(), RequestID: "demo-live"}, "")
		f.Meter.Record(by, slug, outcome, o.at)
		f.Meter.Call(by, address(by), o.at)
		return err
	}
	if err := send("orders", o.fields()); err != nil {
		return err
	}
	for n, l := range o.lines {
		if err := send("order_line_items", l.fields(o, n)); err != nil {
			return err
		}
	}
	return nil
}
