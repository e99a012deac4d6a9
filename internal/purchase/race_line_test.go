package purchase_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/shopspring/decimal"
	"github.com/stretchr/testify/require"

	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/fault"
	"github.com/quayside/quayside/internal/ingest"
	"github.com/quayside/quayside/internal/purchase"
)

// crowd is everybody who acts on one line. The importer approves too, and changes a line only
// through the retrier, who resends the importer's failed records.
type crowd struct {
	*office
	people  map[string]auth.Principal
	mu      sync.Mutex
	results map[int64]purchase.Line // by version of this round's line: what its maker had seen
}

const (
	theImporter = "importer"
	theRetrier  = "retrier"
)

// limitedTo is slightly above what the line costs at the start.
const limitedTo = 26

func newCrowd(o *office) *crowd {
	c := &crowd{office: o, people: map[string]auth.Principal{}}
	for name, role := range map[string]auth.Role{
		theAdmin: auth.CompanyAdmin, theApprover: auth.Approver, theLimited: auth.Approver, theBuyer: auth.Buyer,
		theClerk:    auth.Buyer,
		theImporter: auth.CompanyAdmin, theRetrier: auth.Buyer,
	} {
		c.people[name] = o.person(role)
	}
	c.people[theTrusted], c.people[theKey] = o.trusted, o.plain
	require.NoError(o.t, o.lines.SetLimit(o.t.Context(), c.people[theAdmin], c.people[theLimited].Person,
		fmt.Sprint(limitedTo), limitCurrency))
	return c
}

// deed is one act on a line as its actor sees it. Every deed that succeeds changes the line:
// unique is a note that no other deed writes.
type deed struct {
	name string
	by   string
	do   func(c *crowd, by auth.Principal, seen purchase.Line, unique string) ([]purchase.Line, error)
}

// reprice edits the price in the app. The rules allow up to 2.6 after an approval.
func reprice(price string) func(*crowd, auth.Principal, purchase.Line, string) ([]purchase.Line, error) {
	return func(c *crowd, by auth.Principal, seen purchase.Line, unique string) ([]purchase.Line, error) {
		return c.lines.Edit(c.t.Context(), by, refs(seen)[0], purchase.Changes{PricePerUnit: &price, Note: &unique})
	}
}

func approve(c *crowd, by auth.Principal, seen purchase.Line, _ string) ([]purchase.Line, error) {
	return c.lines.Approve(c.t.Context(), by, refs(seen))
}

func submit(c *crowd, by auth.Principal, seen purchase.Line, _ string) ([]purchase.Line, error) {
	return c.lines.Submit(c.t.Context(), by, refs(seen))
}

// told has an external system send values of the line.
func told(values string) func(*crowd, auth.Principal, purchase.Line, string) ([]purchase.Line, error) {
	return func(c *crowd, by auth.Principal, seen purchase.Line, unique string) ([]purchase.Line, error) {
		record := ingest.Record{By: by, Slug: slug, RequestID: "race",
			Body: fmt.Appendf(nil, `{"external_id": %q, %s, "note": %q}`, seen.ExternalID, values, unique)}
		_, err := c.records.Write(c.t.Context(), record)
		return nil, err
	}
}

// filed has a person import a record of the line.
func filed(values string) func(*crowd, auth.Principal, purchase.Line, string) ([]purchase.Line, error) {
	return func(c *crowd, by auth.Principal, seen purchase.Line, unique string) ([]purchase.Line, error) {
		return nil, c.file(by, seen, fmt.Sprintf(`%s, "note": %q`, values, unique))
	}
}

// retried has a person correct the importer's failed record.
func retried(values string) func(*crowd, auth.Principal, purchase.Line, string) ([]purchase.Line, error) {
	return func(c *crowd, by auth.Principal, seen purchase.Line, unique string) ([]purchase.Line, error) {
		sender := c.people[theImporter].Actor
		_, err := c.records.Retry(c.t.Context(), by, slug, body(seen, fmt.Sprintf(`%s, "note": %q`, values, unique)),
			ingest.Terms{Sender: &sender})
		return nil, err
	}
}

var deeds = []deed{
	{"edit within the rules", theBuyer, reprice("2.6")},
	{"edit beyond the rules", theBuyer, reprice("9")},
	{"edit by who also approves", theAdmin, reprice("2.55")},
	{"approve", theApprover, approve},
	{"approve by who also edits", theAdmin, approve},
	{"approve within a limit", theLimited, approve},
	{"approve by the importer", theImporter, approve},
	{"approve", theApprover, approve},
	{"approve by who also edits", theAdmin, approve},
	{"submit", theClerk, submit},
	{"submit by who also approves", theAdmin, submit},
	{"send back", theApprover, func(c *crowd, by auth.Principal, seen purchase.Line, _ string) ([]purchase.Line, error) {
		return c.lines.SendBack(c.t.Context(), by, refs(seen), "too many")
	}},
	{"receive", theBuyer, func(c *crowd, by auth.Principal, seen purchase.Line, _ string) ([]purchase.Line, error) {
		return c.lines.Receive(c.t.Context(), by, delivery(seen, "3"))
	}},
	{"cancel", theAdmin, func(c *crowd, by auth.Principal, seen purchase.Line, _ string) ([]purchase.Line, error) {
		return c.lines.Cancel(c.t.Context(), by, refs(seen), "not needed")
	}},
	{"grid", theClerk, func(c *crowd, by auth.Principal, seen purchase.Line, unique string) ([]purchase.Line, error) {
		return nil, c.cell(by, seen, fmt.Sprintf(`"note": %q`, unique))
	}},
	{"file", theBuyer, filed(`"price_per_unit": 2.58`)},
	{"file that claims an order", theBuyer, filed(`"status": "ordered"`)},
	{"file that claims receipts", theBuyer, filed(`"quantity_received": 10`)},
	{"edited retry", theRetrier, retried(`"price_per_unit": 2.57`)},
	{"edited retry that claims an order", theRetrier, retried(`"status": "ordered"`)},
	{"external price", theTrusted, told(`"price_per_unit": 2.7`)},
	{"external price without the right", theKey, told(`"price_per_unit": 2.7`)},
	{"external order", theTrusted, told(`"status": "ordered"`)},
	{"external order without the right", theKey, told(`"status": "ordered"`)},
	{"external wish for approval", theKey, told(`"status": "pending_approval"`)},
	{"external receipts", theKey, told(`"quantity_received": 4`)},
	{"fewer external receipts", theTrusted, told(`"quantity_received": 1`)},
}

// TestLineRaces has eight clients act on one line at once, all on the same version, and half
// of them again on the version that they see then. Afterwards the line's history must justify
// its state.
func TestLineRaces(t *testing.T) {
	t.Parallel()
	c := newCrowd(newOffice(t))
	begins := []purchase.Status{purchase.PendingApproval, purchase.Draft, purchase.PendingApproval, purchase.Ordered,
		purchase.PendingApproval, purchase.PartiallyReceived}
	done := map[string]int{}
	for round := range rounds(t) {
		line := c.in(begins[round%len(begins)])
		c.results = map[int64]purchase.Line{}
		for name, times := range c.meet(t, line, uint64(round)) {
			done[name] += times
		}
		c.justified(t, line)
		if t.Failed() {
			t.Fatalf("round %d", round)
		}
	}
	for _, deed := range deeds {
		if rounds(t) >= 500 && deed.name != "file that claims receipts" { // succeeds only when all has arrived
			require.NotZero(t, done[deed.name], "%s never succeeds: it races for nothing", deed.name)
		}
	}
	t.Logf("done: %v", done)
	c.consistent()
}

// meet starts the clients and counts what succeeded.
func (c *crowd) meet(t *testing.T, line purchase.Line, seed uint64) map[string]int {
	var (
		racing sync.WaitGroup
		start  = make(chan struct{})
		done   = map[string]int{}
	)
	for racer := range racers {
		random := rand.New(rand.NewPCG(seed, uint64(racer)))
		theirs := []deed{deeds[random.IntN(len(deeds))], deeds[random.IntN(len(deeds))]}[:1+racer%2]
		racing.Go(func() {
			<-start
			seen := line
			for i, deed := range theirs {
				if i > 0 {
					var err error
					if seen, err = c.lines.Line(context.WithoutCancel(t.Context()), c.who[auth.Viewer], line.ID); err != nil {
						t.Errorf("look again: %v", err)
						return
					}
				}
				c.attempt(t, deed, seen, fmt.Sprintf("%d-%d-%d", seed, racer, i), done)
			}
		})
	}
	close(start)
	racing.Wait()
	return done
}

// attempt does a deed, which must succeed or be refused; any other error fails the test. On a busy
// machine, an external system may be told that nothing was stored, and to try again.
func (c *crowd) attempt(t *testing.T, deed deed, seen purchase.Line, unique string, done map[string]int) {
	after, err := deed.do(c, c.people[deed.by], seen, unique)
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case err == nil:
		done[deed.name]++
	case !fault.Is(err, fault.Stale) && !fault.Is(err, fault.Conflict) && !fault.Is(err, fault.Forbidden) &&
		!fault.Is(err, fault.Invalid) && !notStored(err):
		t.Errorf("%s: neither done nor refused: %v", deed.name, err)
	}
	if err == nil && after != nil {
		if after[0].Version != seen.Version+1 {
			t.Errorf("%s: they saw version %d and made version %d", deed.name, seen.Version, after[0].Version)
		}
		c.results[after[0].Version] = seen
	}
}

// within reports whether a number was raised no further than the rules allow.
func within(approved, now decimal.Decimal) bool {
	return now.Mul(decimal.NewFromInt(100)).LessThanOrEqual(approved.Mul(decimal.NewFromInt(100 + reapprovalPercent)))
}
