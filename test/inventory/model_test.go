package inventory_test

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/shopspring/decimal"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/quayside/quayside/internal/fault"
	"github.com/quayside/quayside/internal/inventory"
	"github.com/quayside/quayside/internal/inventory/katana"
	"github.com/quayside/quayside/internal/purchase"
	standin "github.com/quayside/quayside/test/inventory"
	"github.com/quayside/quayside/test/property"
)

const number, reference = "PO-1", "ref-1"

var skus = []string{"TEA", "CUP"}

// direct calls the stand-in without a network, which is fast enough for thousands of walks.
type direct struct{ server *standin.Server }

func (d direct) Do(request *http.Request) (response *http.Response, err error) {
	recorder := httptest.NewRecorder()
	defer func() {
		if recover() != nil { // http.ErrAbortHandler: the connection is cut
			response, err = nil, io.ErrUnexpectedEOF
		}
	}()
	d.server.ServeHTTP(recorder, request)
	return recorder.Result(), nil
}

// here is a line as Quayside would keep it.
type here struct {
	sku       string
	line      inventory.Line
	base      inventory.Base
	key       inventory.Key
	ledger    []inventory.Receipt
	decisions []inventory.Decision
	conflicts []inventory.Conflict
	notices   []inventory.Notice
}

// model is one order on both sides.
type model struct {
	server       *standin.Server
	client       *katana.Client
	lines        []*here
	history      []*inventory.Order // versions that were read
	id           string
	orderedThere bool // somebody there ordered the draft
	syncs        int
}

// TestModel lets people work on one order on both sides at random, while both are synced at random over
// connections that are cut. After every sync the rules must hold. At the end both sides are synced quietly
// and must be equal or have a conflict, which a person's decision must resolve. QUAYSIDE_MODEL=20000 walks
// as often; a failure prints the shortest walk that shows it, and its seed.
func TestModel(t *testing.T) {
	t.Parallel()
	walks := os.Getenv("QUAYSIDE_MODEL")
	if walks == "" {
		walks = "500"
	}
	require.NoError(t, flag.Set("rapid.checks", walks))
	require.NoError(t, flag.Set("rapid.nofailfile", "true"))
	count := map[string]int{}
	property.Check(t, func(rt *rapid.T) {
		m := newModel(rt)
		rt.Repeat(map[string]func(*rapid.T){
			"":        m.check,
			"here":    m.actHere,
			"here 2":  m.actHere,
			"there":   m.actThere,
			"there 2": m.actThere,
			"sync":    func(rt *rapid.T) { m.sync(rt, true) },
			"stale":   m.syncStale,
		})
		m.settle(rt)
		for range 6 {
			if !m.decide(rt, count) {
				break
			}
			m.settle(rt)
		}
		for _, line := range m.lines {
			require.Empty(rt, line.conflicts, "a decision resolves")
			for _, notice := range line.notices {
				count[string(notice)]++
			}
			count[string(line.line.Status)]++
		}
	})
	t.Logf("ends and conflicts: %v", count)
	for _, reason := range []inventory.Reason{inventory.BothChanged, inventory.DeletedThere, inventory.CancelledHere,
		inventory.TakenBack} { // each comes up in every twentieth walk or more often
		require.Positive(t, count[string(reason)], "no walk led to %s", reason)
	}
}

func newModel(t *rapid.T) *model {
	m := &model{server: standin.New(standin.Options{Token: token,
		Faults: standin.Plan{Seed: rapid.Uint64().Draw(t, "seed")}}, standin.Stock{
		Suppliers: []standin.Supplier{{Name: "S", Currency: "EUR"}}, Variants: []standin.Variant{{SKU: "TEA"}, {SKU: "CUP"}},
		Locations: []standin.Location{{Name: "Main"}}})}
	m.client = katana.New("http://standin.example/v1", token, direct{m.server})
	for i, sku := range skus {
		m.lines = append(m.lines, &here{sku: sku, key: inventory.Key{Variant: fmt.Sprint(3 + i)}, line: inventory.Line{
			Status: purchase.Draft, Variant: fmt.Sprint(3 + i), Supplier: "2", Currency: "EUR", Quantity: dec("10"),
			Price: price("4"), Expected: day("2026-12-01")}})
	}
	return m
}

func (m *model) unreliable(on bool) {
	plan := standin.Plan{}
	if on {
		plan = standin.Plan{CutBefore: 0.08, CutAfter: 0.12, Broken: 0.04, BrokenAfter: 0.04}
	}
	m.server.SetPlan(plan)
}

// read returns the order as it is there, or nil.
func (m *model) read(t *rapid.T) (*inventory.Order, bool) {
	order, err := inventory.Order{}, error(inventory.NotFound("nothing"))
	if m.id != "" {
		order, err = m.client.Get(t.Context(), m.id)
	}
	if fault.HasCode(err, inventory.CodeNotFound) {
		order, err = m.client.Find(t.Context(), number, reference)
	}
	switch {
	case fault.HasCode(err, inventory.CodeNotFound):
		m.id = "" // versions of an order that is gone are no longer listened to
		return nil, true
	case fault.HasCode(err, inventory.CodeUnreachable):
		return nil, false
	}
	require.NoError(t, err)
	m.id = order.ID
	m.history = append(m.history, &order)
	return &order, true
}

// sync reads, merges and writes. It reports whether there is nothing left to do.
func (m *model) sync(t *rapid.T, unreliable bool) bool {
	m.unreliable(unreliable)
	order, known := m.read(t)
	return known && m.apply(t, order)
}

// syncStale merges a version of the order that was read before.
func (m *model) syncStale(t *rapid.T) {
	if len(m.history) > 0 {
		m.unreliable(false)
		old := m.history[rapid.IntRange(0, len(m.history)-1).Draw(t, "version")]
		if old.ID == m.id {
			m.apply(t, old)
		}
	}
}

// apply merges a version of the order, writes here, and then there.
func (m *model) apply(t *rapid.T, order *inventory.Order) (quiet bool) {
	remote, keys := []inventory.Remote{}, []inventory.Key{}
	if order != nil {
		remote = inventory.Fold(*order)
	}
	for _, line := range m.lines {
		keys = append(keys, line.key)
	}
	matched, rest := inventory.Match(remote, keys)
	pairs := []inventory.Pair{}
	for i, line := range m.lines {
		ours := line.line
		pairs = append(pairs, inventory.Pair{Base: line.base, Ours: &ours, Theirs: matched[i], Decisions: line.decisions})
	}
	plan := inventory.Plan(order, pairs)
	if plan.Stale {
		return false
	}
	require.Empty(t, rest, "every line there is one of ours")
	quiet = true
	for i, line := range m.lines {
		result := plan.Lines[i]
		quiet = quiet && result.Here.Empty() && result.There.Empty()
		line.keep(pairs[i])
		m.write(t, line, result, matched[i])
		again := inventory.Merge(line.base, &line.line, matched[i], line.decisions...)
		require.True(t, again.Here.Empty(), "merging again writes nothing here: %+v\nafter %+v\nwhich came of base %+v\nours %+v\ntheirs %+v", again.Here, result, pairs[i].Base, pairs[i].Ours, matched[i])
	}
	quiet = quiet && plan.State == inventory.Gone
	err := plan.Send(t.Context(), m.client, inventory.Header{Number: number, Reference: reference, Location: "5"}, order, pairs)
	var known *fault.Error
	if err != nil && (!errors.As(err, &known) || !slices.Contains([]string{inventory.CodeUncertain,
		inventory.CodeUnreachable, inventory.CodeChanged, inventory.CodeNotFound}, known.Code)) {
		require.NoError(t, err, "%+v %+v", known, plan)
	}
	return quiet && err == nil
}

// write carries out what a merge writes here, as the service would in one transaction.
func (m *model) write(t *rapid.T, line *here, result inventory.Result, theirs *inventory.Remote) {
	before := line.line.Status
	w := result.Here
	require.False(t, w.Create || w.Delete)
	for _, f := range w.Fields {
		switch f {
		case inventory.FieldStatus:
			line.line.Status = w.Line.Status
		case inventory.FieldQuantity:
			line.line.Quantity = w.Line.Quantity
		case inventory.FieldPrice:
			line.line.Price = w.Line.Price
		case inventory.FieldExpected:
			line.line.Expected = w.Line.Expected
		case inventory.FieldVariant, inventory.FieldSupplier, inventory.FieldCurrency, inventory.FieldReceipts:
			require.Fail(t, "nobody changed "+string(f))
		}
	}
	for _, r := range w.Receipts {
		line.book(r)
	}
	line.base, line.conflicts, line.notices = result.Base, result.Conflicts, result.Notices
	if theirs != nil {
		line.key = theirs.Key
	} else if result.There.Create {
		line.key = inventory.Key{Variant: line.line.Variant}
	}
	m.checkStatus(t, line, before, result)
}

// keep drops the decisions that are no longer needed.
func (h *here) keep(pair inventory.Pair) {
	h.decisions = slices.DeleteFunc(h.decisions, func(d inventory.Decision) bool {
		return !slices.ContainsFunc(pair.Without(d.Field), func(c inventory.Conflict) bool {
			return c.Field == d.Field && c.Ours == d.Ours && c.Theirs == d.Theirs
		})
	})
}

func (h *here) book(r inventory.Receipt) {
	h.ledger = append(h.ledger, r)
	h.line.Received = h.line.Received.Add(r.Quantity)
	if r.Quantity.IsPositive() {
		h.line.ReceivedAt = r.At
	}
}

// checkStatus holds the rules about statuses after each merge.
func (m *model) checkStatus(t *rapid.T, line *here, before purchase.Status, result inventory.Result) {
	after := line.line.Status
	decided := len(line.decisions) > 0
	open := before == purchase.Draft || before == purchase.PendingApproval
	switch {
	case before == after:
	case after == purchase.Draft:
		require.True(t, decided, "%s became a draft by itself", before)
	case after == purchase.PendingApproval:
		require.Fail(t, "pending approval came from there")
	case open && after != purchase.Cancelled:
		require.True(t, m.orderedThere || decided, "ordered without an approval")
		require.True(t, decided || slices.Contains(result.Notices, inventory.ApprovedElsewhere))
	case before == purchase.Cancelled:
		require.True(t, decided, "came back by itself")
	case after == purchase.Cancelled:
		require.True(t, decided || line.line.Received.IsZero())
	}
}

// settle syncs quietly until nothing is left to do, and compares both sides.
func (m *model) settle(t *rapid.T) {
	for range 12 {
		if m.sync(t, false) {
			m.compare(t)
			return
		}
	}
	require.Fail(t, "it does not come to rest")
}

// compare requires that both sides are equal, except for what waits for a person.
func (m *model) compare(t *rapid.T) {
	order, known := m.read(t)
	require.True(t, known)
	remote := []inventory.Remote{}
	if order != nil {
		remote = inventory.Fold(*order)
	}
	paused := slices.ContainsFunc(m.lines, func(h *here) bool { return len(h.conflicts) > 0 })
	for _, line := range m.lines {
		theirs := (*inventory.Remote)(nil)
		if line.key.Root != "" {
			theirs = inventory.Find(remote, line.key)
		}
		waits := slices.ContainsFunc(line.notices, func(n inventory.Notice) bool {
			return n == inventory.AwaitsApproval || n == inventory.AwaitsLines || n == inventory.OrderFinished
		})
		if paused || waits {
			continue
		}
		if theirs == nil {
			require.Equal(t, purchase.Cancelled, line.line.Status, "%s does not exist there", line.sku)
			continue
		}
		require.Equal(t, inventory.StateOf(line.line.Status), inventory.StateOf(theirs.Status), "%s: state", line.sku)
		require.Equal(t, line.line.Received.String(), theirs.Received.String(), "%s: received", line.sku)
		require.Equal(t, line.line.Price.String(), theirs.Price.String(), "%s: price", line.sku)
		require.Equal(t, line.line.Expected, theirs.Expected, "%s: day", line.sku)
		if line.line.Status != purchase.Received {
			require.Equal(t, line.line.Quantity.String(), theirs.Quantity.String(), "%s: quantity", line.sku)
		}
	}
}

// check holds what is always true.
func (m *model) check(t *rapid.T) {
	live := 0
	for _, order := range m.server.All() {
		if order.DeletedAt == nil {
			live++
		}
	}
	require.LessOrEqual(t, live, 1, "a second order was made")
	for _, line := range m.lines {
		total := decimal.Zero
		for _, r := range line.ledger {
			total = total.Add(r.Quantity)
		}
		require.Equal(t, total.String(), line.line.Received.String())
		require.False(t, line.line.Received.IsNegative())
	}
}

// decide answers every conflict, and reports whether there were any.
func (m *model) decide(t *rapid.T, count map[string]int) (asked bool) {
	for _, line := range m.lines {
		for _, c := range line.conflicts {
			count[string(c.Reason)]++
			line.decisions = append(line.decisions, inventory.Decision{Field: c.Field, Ours: c.Ours, Theirs: c.Theirs,
				Take: rapid.SampledFrom(c.Choices).Draw(t, "take")})
			asked = true
		}
	}
	return asked
}

var now = time.Date(2026, 11, 1, 8, 0, 0, 0, time.UTC)

// when returns a moment of its own.
func (m *model) when() time.Time {
	m.syncs++
	return now.Add(time.Duration(m.syncs) * time.Minute)
}
