package exchange

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/fault"
	"github.com/quayside/quayside/internal/inventory"
	"github.com/quayside/quayside/internal/pg/q"
)

// What a rehearsal looks at. It keeps to the connection's budget, so it ends after a while and says what it left out.
const (
	rehearsalPatience = 20 * time.Second
	mostRehearsed     = 200 // open orders here
	mostOrderPages    = 10  // of orders there
	mostLookUps       = 10  // of single orders, and of single articles, there
	skusAtOnce        = 50
)

// Prospect is what would happen to an order.
type Prospect string

// The prospects.
const (
	CreatedThere  Prospect = "created_there"
	CreatedHere   Prospect = "created_here"
	ChangedThere  Prospect = "changed_there"
	ChangedHere   Prospect = "changed_here"
	ChangedBoth   Prospect = "changed_both"
	LeftAlone     Prospect = "left_alone"
	WouldBeHeld   Prospect = "held"
	WouldConflict Prospect = "conflict"
	NotLookedAt   Prospect = "not_looked_at"
)

// Rehearsal is what a sync would do. Nothing was written on either side.
type Rehearsal struct {
	At      time.Time
	Orders  []Foreseen
	Open    int64  // open orders here, in all
	Looked  int    // of these, looked at
	There   int    // orders of the other system that were read
	Whole   bool   // these are all of its orders
	Trouble string // why it ended early, in words; empty: it did not
}

// Foreseen is what would happen to one order.
type Foreseen struct {
	Number    string
	External  string // its id there; empty: it is not there
	Supplier  string
	Prospect  Prospect
	Code      string // of what holds it
	Message   string // why it is held, left alone or was not looked at, in words
	Here      []Effect
	There     []Effect
	Conflicts []ForeseenConflict
	Notices   []inventory.Notice
}

// Effect is one thing that would be written about a line.
type Effect struct {
	SKU      string
	What     string          // create, delete, change, receive, place
	Field    inventory.Field // of a change
	From, To string
}

// ForeseenConflict is a question that a person would be asked.
type ForeseenConflict struct {
	SKU string
	inventory.Conflict
}

// rehearsal is one under way.
type rehearsal struct {
	run                         // of no order: what all comparisons share
	ids       matchedIDs        // what is what, with what a sync would find out by SKU
	names     map[string]string // suppliers there
	there     map[string]*inventory.Order
	byNumber  map[string][]*inventory.Order
	exchanged map[string]exchangedOrder
	unasked   map[string]bool // SKUs that nobody could be asked about
	lookUps   int
	result    Rehearsal
}

type exchangedOrder struct {
	external string
	state    State
}

// Rehearse says what a sync would do, from what both sides are now: for open orders here, and if orders are loaded, for
// those of the other system. It only reads, within the connection's budget.
func (s *Service) Rehearse(ctx context.Context, by auth.Principal, id uuid.UUID) (Rehearsal, error) {
	opened, err := s.connections.Peek(ctx, by, id)
	if err != nil {
		return Rehearsal{}, err
	}
	r := &rehearsal{
		run: run{s: s, by: by, id: id, open: opened,
			system: s.dial[opened.System](opened.Settings.Address, opened.Token, opened.Client)},
		there: map[string]*inventory.Order{}, byNumber: map[string][]*inventory.Order{},
		exchanged: map[string]exchangedOrder{}, unasked: map[string]bool{}, result: Rehearsal{At: time.Now()},
	}
	asked, cancel := context.WithTimeout(ctx, rehearsalPatience)
	defer cancel()
	if err := r.readThere(asked); err != nil {
		return Rehearsal{}, err
	}
	numbers, err := r.readOrders(ctx)
	if err != nil {
		return Rehearsal{}, err
	}
	if err := r.foreseeAll(ctx, asked, numbers); err != nil {
		return Rehearsal{}, err
	}
	return r.result, nil
}

// readThere reads the orders of the other system, and its suppliers, as far as the budget allows. The first call decides
// whether it can be reached at all.
func (r *rehearsal) readThere(ctx context.Context) error {
	suppliers, err := r.system.Suppliers(ctx)
	if err != nil {
		return err
	}
	r.names = map[string]string{}
	for _, one := range suppliers {
		r.names[one.ID] = one.Name
	}
	cursor := &inventory.Cursor{}
	for range mostOrderPages {
		page, err := r.system.Changed(ctx, *cursor)
		if err != nil {
			return r.trouble(ctx, err)
		}
		for _, order := range page.Orders {
			if _, twice := r.there[order.ID]; !twice && !order.Deleted {
				r.there[order.ID] = &order
				r.byNumber[order.Number] = append(r.byNumber[order.Number], &order)
			}
		}
		if cursor = page.Next; cursor == nil {
			r.result.Whole = true
			break
		}
	}
	r.result.There = len(r.there)
	return nil
}

// trouble notes why the rehearsal cannot ask any further. What is wrong on this side is returned.
func (r *rehearsal) trouble(ctx context.Context, err error) error {
	var told *fault.Error
	if !errors.As(err, &told) || told.Kind == fault.Internal && told.Code != inventory.CodeUncertain {
		return err
	}
	if errors.Is(ctx.Err(), context.Canceled) {
		return err
	}
	r.result.Trouble = told.Message
	r.result.There = len(r.there)
	return nil
}

// readOrders reads which orders are open here, how all are exchanged, and what is what.
func (r *rehearsal) readOrders(ctx context.Context) (numbers []string, err error) {
	err = r.s.cells.InTenant(ctx, r.by.Tenant, func(tx pgx.Tx) error {
		queries := q.New(tx)
		open, err := queries.ListOpenOrders(ctx, q.ListOpenOrdersParams{TenantID: r.by.Tenant, WorkspaceID: r.by.Workspace,
			ConnectionID: r.id, Most: mostRehearsed})
		if err != nil {
			return err
		}
		for _, row := range open {
			numbers = append(numbers, row.OrderNo)
			r.exchanged[row.OrderNo] = exchangedOrder{row.ExternalID, State(row.State)}
			r.result.Open = row.Total
		}
		exchanged, err := queries.ListExchangedNumbers(ctx, q.ListExchangedNumbersParams{TenantID: r.by.Tenant,
			ConnectionID: r.id, Numbers: keys(r.byNumber), Externals: keys(r.there)})
		if err != nil {
			return err
		}
		for _, row := range exchanged {
			r.exchanged[row.OrderNo] = exchangedOrder{row.ExternalID, State(row.State)}
		}
		r.ids, err = readMatchedIDs(ctx, queries, r.by, r.id)
		return err
	})
	r.result.Looked = len(numbers)
	return numbers, err
}

// foreseeAll compares our open orders, then those that only the other system has open.
func (r *rehearsal) foreseeAll(ctx, asked context.Context, numbers []string) error {
	known := map[string]bool{}
	for _, number := range numbers {
		known[number] = true
	}
	if r.open.Settings.MayLoad {
		for _, order := range sortedOrders(r.there) {
			if !known[order.Number] && (order.State != inventory.Received || r.exchanged[order.Number].external == "") {
				numbers, known[order.Number] = append(numbers, order.Number), true
			}
		}
	}
	lines := make([][]line, len(numbers))
	for i, number := range numbers {
		var err error
		if lines[i], _, err = r.of(number).read(ctx); err != nil {
			return err
		}
	}
	if err := r.matchBySKU(ctx, asked, slices.Concat(lines...)); err != nil {
		return err
	}
	for i, number := range numbers {
		one, err := r.foresee(asked, number, lines[i])
		if err != nil {
			return err
		}
		r.result.Orders = append(r.result.Orders, one)
	}
	return nil
}

// of returns a comparison of one order, which is never begun.
func (r *rehearsal) of(number string) *run {
	one := r.run
	one.number, one.external = number, r.exchanged[number].external
	return &one
}

// sortedOrders returns orders by number.
func sortedOrders(of map[string]*inventory.Order) (orders []*inventory.Order) {
	for _, id := range keys(of) {
		orders = append(orders, of[id])
	}
	slices.SortStableFunc(orders, func(a, b *inventory.Order) int { return compareNumbers(a.Number, b.Number) })
	return orders
}

func compareNumbers(a, b string) int {
	if len(a) != len(b) {
		return len(a) - len(b)
	}
	if a < b {
		return -1
	}
	if a > b {
		return 1
	}
	return 0
}
