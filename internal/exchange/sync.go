package exchange

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/connection"
	"github.com/quayside/quayside/internal/fault"
	"github.com/quayside/quayside/internal/inventory"
	"github.com/quayside/quayside/internal/pg/q"
	"github.com/quayside/quayside/internal/purchase"
)

// Outcome is what a comparison of an order came to, as it is stored.
type Outcome struct {
	State   State         // of the order; Waiting: it is compared again by itself, after Wait
	Wait    time.Duration // until the next comparison
	Code    string        // why it waits, is held or has failed, such as inventory_limited or supplier_unmapped
	Message string        // the same in words; empty: all is well
	Here    []string      // what was written here, such as "TEA: receipts"
	There   []string      // what was written there
}

// CodeBusy is the code of the error that Sync returns while the same order is compared elsewhere.
const CodeBusy = "exchange_busy"

// CodeStopped is the code of an order whose comparison took too long, or whose process ended.
const CodeStopped = "exchange_stopped"

var errBusy = fault.New(fault.Conflict, CodeBusy, "the order is being compared already")

const (
	// longestPatience is shorter than a job may run.
	longestPatience = 45 * time.Second
	// rounds is how often both sides are read before the rest is left to a later comparison.
	rounds      = 6
	noteTimeout = 10 * time.Second

	firstPause   = 5 * time.Second
	longestPause = 15 * time.Minute
	mostFailures = 8
	keptAttempts = 50
)

// patience returns how long a comparison may take. Whatever is not done then is done by the next one. It is much
// shorter than the lease: a comparison that lost its claim writes nothing any more.
func (s *Service) patience() time.Duration {
	return min(longestPatience, s.lease*3/8)
}

// run is a comparison of one order under way.
type run struct {
	s      *Service
	by     auth.Principal
	id     uuid.UUID // of the connection
	number string
	open   connection.Open
	system inventory.System

	claim    uuid.UUID
	claimed  q.ClaimExchangeRow
	external string // the order's id there
	began    time.Time

	here, there []string // what was written
}

// Sync compares one order here and in the inventory system with what both sides last agreed on, writes here,
// then there, and looks again until both are quiet. The caller is the connection's own sync: auth.Connection.
//
// What comes of it is an Outcome, which is stored with the order. An error means that nothing could be stored: the
// connection is not in use, the order is compared by somebody else at the moment (CodeBusy), or the database
// failed. An order that a person paused is left alone.
func (s *Service) Sync(ctx context.Context, by auth.Principal, id uuid.UUID, number string) (Outcome, error) {
	open, err := s.connections.Open(ctx, by, id)
	if err != nil {
		return Outcome{}, err
	}
	r := &run{s: s, by: by, id: id, number: number, open: open, claim: uuid.New(), began: time.Now(),
		system: s.dial[open.System](open.Settings.Address, open.Token, open.Client)}
	if state, err := r.begin(ctx); err != nil || state == Paused {
		return Outcome{State: state}, err
	}
	prompt, cancel := context.WithTimeout(ctx, s.patience())
	outcome, err := r.compare(prompt)
	stopped := prompt.Err() != nil
	cancel()
	compared := err == nil
	switch {
	case errors.Is(err, errBusy):
		return Outcome{}, err
	case err != nil && stopped:
		outcome = r.later(CodeStopped, "the comparison was stopped before it ended; it is repeated")
	case err != nil:
		outcome = r.judge(ctx, err)
	}
	outcome.Here, outcome.There = r.here, r.there
	return outcome, r.end(ctx, outcome, compared)
}

// begin claims the order.
func (r *run) begin(ctx context.Context) (state State, err error) {
	err = r.s.cells.InTenant(ctx, r.by.Tenant, func(tx pgx.Tx) error {
		queries := q.New(tx)
		r.claimed, err = queries.ClaimExchange(ctx, q.ClaimExchangeParams{TenantID: r.by.Tenant, ConnectionID: r.id,
			OrderNo: r.number, Claim: &r.claim, Lease: r.s.lease})
		if err == nil {
			state, r.external = State(r.claimed.State), r.claimed.ExternalID
			return nil
		}
		if !missing(err) {
			return err
		}
		found, err := queries.GetExchange(ctx,
			q.GetExchangeParams{TenantID: r.by.Tenant, ConnectionID: r.id, OrderNo: r.number})
		switch {
		case missing(err):
			return fault.New(fault.NotFound, "unknown_exchange", "the order %s is not exchanged", r.number)
		case err != nil:
			return err
		case State(found.State) == Paused:
			state = Paused
			return nil
		}
		return errBusy
	})
	return state, err
}

func missing(err error) bool { return errors.Is(err, pgx.ErrNoRows) || fault.Is(err, fault.NotFound) }

// compare reads both sides, writes and reads again, until there is nothing left to write or to wait for.
func (r *run) compare(ctx context.Context) (Outcome, error) {
	for range rounds {
		order, err := r.find(ctx)
		if err != nil {
			return Outcome{}, err
		}
		c, err := r.settle(ctx, order)
		switch {
		case err != nil:
			return Outcome{}, err
		case c.planned.Stale:
			return r.later(inventory.CodeChanged, "the inventory system answered with an older version of the order"), nil
		case c.questions() > 0:
			return Outcome{State: Conflict, Code: "conflict",
				Message: "both sides changed the order; a person decides what counts"}, nil
		case !c.writes():
			return Outcome{State: Synced}, nil
		}
		err = r.send(ctx, c)
		if err != nil && !fault.HasCode(err, inventory.CodeChanged) && !fault.HasCode(err, inventory.CodeNotFound) {
			return Outcome{}, err
		}
	}
	return r.later(inventory.CodeChanged, "the order changes while it is compared"), nil
}

// settle compares one version of the order there with ours, and writes here until there is nothing to write here. A
// person who changes a line meanwhile is not overwritten: the line is read again.
func (r *run) settle(ctx context.Context, order *inventory.Order) (c comparison, err error) {
	for range rounds {
		c = comparison{order: order}
		if c.lines, c.open, err = r.read(ctx); err != nil {
			return c, err
		}
		if err := r.adopted(order, c.lines); err != nil {
			return c, err
		}
		if err := r.complete(ctx, order, c.lines); err != nil {
			return c, err
		}
		c.pairs = r.pair(order, c.lines)
		if c.planned = r.plan(order, c.pairs); c.planned.Stale {
			return c, nil
		}
		if c.meaning, err = r.translate(ctx, c.planned); err != nil {
			return c, err
		}
		err = r.write(ctx, c)
		switch {
		case fault.HasCode(err, purchase.CodeStale):
			continue
		case err != nil || c.settled():
			return c, err
		}
	}
	return c, fault.New(fault.Stale, inventory.CodeChanged, "the order's lines change while they are compared")
}

// settled reports whether this was the last look at our side: nothing was written here, or the plan goes on there.
func (c comparison) settled() bool {
	here := func(result inventory.Result) bool { return !result.Here.Empty() }
	return c.writes() || !slices.ContainsFunc(c.planned.Lines, here)
}

// there says what is to be written there.
func (c comparison) there() (what []string) {
	for i, result := range c.planned.Lines {
		what = append(what, describe(c.sku(i), result.There, "deleted")...)
	}
	switch {
	case c.planned.DeleteOrder:
		what = append(what, "order: deleted")
	case c.planned.State != inventory.Gone && c.order != nil:
		what = append(what, "order: "+strings.ToLower(strings.ReplaceAll(string(c.planned.State), "_", " ")))
	}
	return what
}

// writes reports whether anything is to be written there.
func (c comparison) writes() bool {
	return c.planned.State != inventory.Gone && c.order != nil || len(c.there()) > 0
}

// send writes there. A line that lacks what the other side requires holds the order.
func (r *run) send(ctx context.Context, c comparison) error {
	if err := c.sendable(); err != nil {
		return err
	}
	location, err := r.location(ctx, c.lines)
	if err != nil {
		return err
	}
	header := inventory.Header{Number: r.number, Reference: r.reference(), Location: location}
	if err := c.planned.Send(ctx, r.system, header, c.order, c.pairs); err != nil {
		return err
	}
	r.there = append(r.there, c.there()...)
	return nil
}

// sendable refuses new lines that lack what the other side requires.
func (c comparison) sendable() error {
	for i, result := range c.planned.Lines {
		w := result.There
		switch {
		case !w.Create:
		case w.Line.Price == nil:
			return held(CodeIncomplete, "%s has no price yet; the order is sent when it has one", c.sku(i))
		case !w.Line.Quantity.IsPositive():
			return held(CodeIncomplete, "%s has no quantity yet; the order is sent when it has one", c.sku(i))
		}
	}
	return nil
}

// later is the outcome of a comparison that is to be repeated, after a pause that grows with every failure.
func (r *run) later(code, message string) Outcome {
	pause := min(longestPause, firstPause<<min(r.claimed.Failures, 10))
	return Outcome{State: Waiting, Code: code, Message: message,
		Wait: pause*3/4 + rand.N(pause/2)} //nolint:gosec // jitter needs no secrecy
}

// judge returns what an error means for the order.
func (r *run) judge(ctx context.Context, err error) Outcome {
	var told *fault.Error
	if !errors.As(err, &told) {
		told = fault.New(fault.Internal, "internal", "the comparison failed").Because(err)
	}
	outcome := r.later(told.Code, inWords(told))
	switch told.Code {
	case inventory.CodeLimited:
		outcome.Wait = max(told.Wait, time.Second)
	case inventory.CodeUnreachable: // it waits, however long that takes
	case inventory.CodeToken:
		r.pause(ctx, told.Message)
	case inventory.CodeRefused:
		outcome.State = Failed
	case inventory.CodeTaken, inventory.CodeDraftRefused, CodeSupplier, CodeArticle, CodeIncomplete, CodeMixed,
		"recommendation_locked":
		outcome.State = Held
	default:
		if told.Kind == fault.Internal && told.Code != inventory.CodeUncertain {
			outcome.Code, outcome.Message = "internal", "the comparison failed; it is repeated"
			r.s.log.ErrorContext(ctx, "an order was not compared", "connection", r.id, "err", err)
		}
		if r.claimed.Failures+1 >= mostFailures {
			outcome.State = Failed
		}
	}
	if outcome.State != Waiting {
		outcome.Wait = 0
	}
	return outcome
}

// inWords returns an error's message with what it says about fields.
func inWords(told *fault.Error) string {
	parts := []string{told.Message}
	for _, field := range told.Fields {
		parts = append(parts, field.Field+": "+field.Message)
	}
	return strings.Join(parts, "; ")
}

// pause stops the connection, whose token is refused: no other call would succeed.
func (r *run) pause(ctx context.Context, reason string) {
	note, cancel := context.WithTimeout(context.WithoutCancel(ctx), noteTimeout)
	defer cancel()
	_, err := r.s.connections.Pause(note, r.by, r.id, reason)
	if err != nil && !fault.HasCode(err, "connection_paused") {
		r.s.log.ErrorContext(note, "a connection was not paused", "connection", r.id, "err", err)
	}
}

// end stores the outcome and gives the order free, even if the process is about to stop.
func (r *run) end(ctx context.Context, outcome Outcome, compared bool) error {
	note, cancel := context.WithTimeout(context.WithoutCancel(ctx), noteTimeout)
	defer cancel()
	failures := int64(0)
	if outcome.State == Waiting || outcome.State == Failed {
		failures = r.claimed.Failures
		if outcome.Code != inventory.CodeLimited && outcome.Code != inventory.CodeToken {
			failures++
		}
	}
	return r.s.cells.InTenant(note, r.by.Tenant, func(tx pgx.Tx) error {
		queries := q.New(tx)
		held, err := queries.EndExchange(note, q.EndExchangeParams{TenantID: r.by.Tenant, ConnectionID: r.id,
			OrderNo: r.number, Claim: &r.claim, Compared: compared, Wanted: r.claimed.Wanted, Asked: r.claimed.Asked,
			State: string(outcome.State), Pause: outcome.Wait, Failures: failures, Code: outcome.Code,
			Message: outcome.Message})
		if err == nil && held == 0 {
			return errBusy
		}
		if err != nil || !r.worthNoting(outcome) {
			return err
		}
		word := string(outcome.State)
		if outcome.State == Waiting {
			word = "later"
		}
		err = queries.InsertAttempt(note, q.InsertAttemptParams{TenantID: r.by.Tenant, ID: uuid.Must(uuid.NewV7()),
			ConnectionID: r.id, OrderNo: r.number, Version: r.claimed.Wanted, Outcome: word, Code: outcome.Code,
			Message: outcome.Message, Here: list(r.here), There: list(r.there), Took: time.Since(r.began)})
		if err != nil {
			return err
		}
		return queries.DropOldAttempts(note, q.DropOldAttemptsParams{TenantID: r.by.Tenant, ConnectionID: r.id,
			OrderNo: r.number, Kept: keptAttempts})
	})
}

// worthNoting reports whether a comparison did something, or failed in another way than by waiting for its turn.
func (r *run) worthNoting(outcome Outcome) bool {
	if len(r.here)+len(r.there) > 0 {
		return true
	}
	return outcome.State != Synced && outcome.Code != inventory.CodeLimited &&
		(outcome.Code != r.claimed.Code || outcome.State == Waiting)
}

// list is never null.
func list(texts []string) []string { return append([]string{}, texts...) }
