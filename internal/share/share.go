// Package share divides the processors among companies.
//
// A call computes while it is under way and waits for nothing: neither for PostgreSQL nor for its caller's line. What the
// calls of a company have computed lately is added up. A company above its share gets only some of its calls under way at a
// time while others call, and the rest wait for their turn. A company that is below its share waits for nobody.
//
// Nobody can tell how long a call has had a processor. If more calls compute than there are processors, each is taken to have
// had an equal part of them.
package share

import (
	"container/list"
	"context"
	"math"
	"sync"
	"sync/atomic"
	"time"

	"github.com/google/uuid"

	"github.com/quayside/quayside/internal/fault"
)

const (
	// window is how long what was computed counts: after it, about a third is left.
	window = 2 * time.Second
	// othersFor is how long a company is taken to be there after its last call.
	othersFor = 2 * time.Second
	// aloneFor is how many calls for each processor a company above its share may have under way while nobody else calls. More
	// would compute nothing sooner, and the first call of another company would stand beside all of them.
	aloneFor = 4
	// patience is how long a call waits for its turn.
	patience = 10 * time.Second
	// mostWaiting is how many calls of a company may wait for their turn.
	mostWaiting = 200
	// mostUnder is more calls than there are connections.
	mostUnder = 1 << 30
	// lookEvery is how often waiting calls are looked at because time has passed.
	lookEvery = 50 * time.Millisecond
	// sweepEvery is after how many calls companies are forgotten that have computed nothing lately.
	sweepEvery = 1000
)

// errWaited is the answer to a call whose turn did not come.
var errWaited = fault.New(fault.Unavailable, "processors",
	"other calls of your company take all that it may compute while others call; try again in a moment").After(time.Second)

// Processors are divided among companies.
type Processors struct {
	count float64
	part  float64 // of them that one company may use while others call
	seats int     // calls that a company above its share may have under way meanwhile

	mu        sync.Mutex
	computing int       // calls that compute now
	clock     float64   // seconds of a processor that a call has had which computes all the time
	at        time.Time // until when clock is counted
	companies map[uuid.UUID]*company
	latest    [2]seen // the two companies that called last
	calls     int     // since companies were forgotten
	waiting   int

	noted atomic.Int64 // when a record was last noted, in nanoseconds
}

// company is what is known of one company.
type company struct {
	id    uuid.UUID
	used  float64 // seconds of processors, at a time; they fade
	at    time.Time
	each  float64   // seconds of a call, on average; 0: there was none
	under int       // calls under way
	queue list.List // of *turn, the longest waiting first
	look  *time.Timer
}

type seen struct {
	id uuid.UUID
	at time.Time
}

// turn is a call that waits.
type turn struct{ come chan struct{} }

// New returns the processors, of which one company may use so many percent while others call; 0: half.
func New(processors, percent int) *Processors {
	if percent == 0 {
		percent = 50
	}
	part := float64(processors) * float64(percent) / 100
	return &Processors{count: float64(processors), part: part, seats: max(1, int(part)), companies: map[uuid.UUID]*company{}}
}

// Call is a call under way. A nil one counts nothing.
type Call struct {
	of       *Processors
	whose    *company
	since    float64 // clock when it began to compute
	computed float64 // seconds of a processor, so far
	away     int     // it waits for so many things at once
	left     bool
}

type callKey struct{}

// Enter begins a call, which computes from now on. Its context is for Away.
func (p *Processors) Enter(ctx context.Context) (context.Context, *Call) {
	if p == nil {
		return ctx, nil
	}
	c := &Call{of: p}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.begin(c, time.Now())
	return context.WithValue(ctx, callKey{}, c), c
}

// For says whose call it is, and waits for the company's turn. Whatever it returns, Leave has to follow.
func (c *Call) For(ctx context.Context, id uuid.UUID) error {
	if c == nil || id == uuid.Nil {
		return nil
	}
	p := c.of
	p.mu.Lock()
	now := time.Now()
	p.stop(c, now)
	whose := p.company(id, now)
	whose.add(c.computed, now)
	p.saw(id, now)
	p.admit(whose, now)
	if whose.queue.Len() == 0 && whose.under < p.limit(whose, now) {
		c.whose = whose
		whose.under++
		p.begin(c, now)
		p.mu.Unlock()
		return nil
	}
	if whose.queue.Len() >= mostWaiting {
		c.away++ // it computes no more
		p.mu.Unlock()
		return errWaited
	}
	mine := &turn{make(chan struct{})}
	place := whose.queue.PushBack(mine)
	p.waiting++
	p.lookLater(whose)
	p.mu.Unlock()
	return c.wait(ctx, whose, mine, place)
}

// wait waits for a turn.
func (c *Call) wait(ctx context.Context, whose *company, mine *turn, place *list.Element) error {
	limit := time.NewTimer(patience)
	defer limit.Stop()
	var err error
	select {
	case <-mine.come:
	case <-limit.C:
		err = errWaited
	case <-ctx.Done():
		err = ctx.Err()
	}
	p := c.of
	p.mu.Lock()
	defer p.mu.Unlock()
	now := time.Now()
	came := false
	select {
	case <-mine.come: // perhaps in the same moment
		came = true
	default:
		whose.queue.Remove(place)
		p.waiting--
	}
	if came {
		c.whose = whose // Leave gives the place back, also after an error
	}
	if err != nil {
		c.away++
		return err
	}
	p.begin(c, now)
	return nil
}

// Leave ends a call.
func (c *Call) Leave() {
	if c == nil {
		return
	}
	p := c.of
	p.mu.Lock()
	defer p.mu.Unlock()
	if c.left {
		return
	}
	now := time.Now()
	if c.away == 0 {
		p.stop(c, now)
	}
	c.left = true
	if c.whose == nil {
		return
	}
	p.saw(c.whose.id, now)
	c.whose.ended(c.computed)
	c.whose.under--
	p.admit(c.whose, now)
	if p.calls++; p.calls >= sweepEvery {
		p.calls = 0
		p.sweep(now)
	}
}

// Away says that the call of a context waits for something that is not a processor, until back is called.
func Away(ctx context.Context) (back func()) {
	c, _ := ctx.Value(callKey{}).(*Call)
	return c.Away()
}

// Away is Away for a call that is known.
func (c *Call) Away() (back func()) {
	if c == nil {
		return func() {}
	}
	p := c.of
	p.mu.Lock()
	defer p.mu.Unlock()
	if c.away++; c.away == 1 && !c.left {
		p.stop(c, time.Now())
	}
	return func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		if c.away--; c.away == 0 && !c.left {
			p.begin(c, time.Now())
		}
	}
}

// noteEvery is how often a record counts as a call.
const noteEvery = 100 * time.Millisecond

// Record notes that a company sends records. They are not counted, since keys have rates and lanes have shares; but their
// company is there.
func (p *Processors) Record(id uuid.UUID) {
	if p == nil {
		return
	}
	now := time.Now()
	if last := p.noted.Load(); now.UnixNano()-last < int64(noteEvery) || !p.noted.CompareAndSwap(last, now.UnixNano()) {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.saw(id, now)
}

// Waiting returns how many calls wait for their turn.
func (p *Processors) Waiting() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.waiting
}

// advance counts what each call that computes has had since it was last counted.
func (p *Processors) advance(now time.Time) {
	if p.computing > 0 {
		p.clock += now.Sub(p.at).Seconds() * min(1, p.count/float64(p.computing))
	}
	p.at = now
}

// begin lets a call compute.
func (p *Processors) begin(c *Call, now time.Time) {
	p.advance(now)
	p.computing++
	c.since = p.clock
}

// stop ends that, and counts it for the company.
func (p *Processors) stop(c *Call, now time.Time) {
	p.advance(now)
	p.computing--
	had := p.clock - c.since
	c.computed += had
	if c.whose != nil {
		c.whose.add(had, now)
	}
}

// company returns what is known of a company.
func (p *Processors) company(id uuid.UUID, now time.Time) *company {
	known := p.companies[id]
	if known == nil {
		known = &company{id: id, at: now}
		p.companies[id] = known
	}
	return known
}

// add counts what was computed; what was counted before has faded.
func (o *company) add(had float64, now time.Time) {
	o.used = o.faded(now) + had
	o.at = now
}

func (o *company) faded(now time.Time) float64 {
	return o.used * math.Exp(-now.Sub(o.at).Seconds()/window.Seconds())
}

// ended counts a call for the average.
func (o *company) ended(computed float64) {
	if o.each == 0 {
		o.each = computed
	}
	o.each += (computed - o.each) / 8
}

// limit returns how many calls of a company may be under way: as many as it takes to come up to its share, and some in
// any case.
func (p *Processors) limit(o *company, now time.Time) int {
	least := aloneFor * int(p.count)
	if p.others(o.id, now) {
		least = p.seats
	}
	if o.each == 0 {
		return mostUnder
	}
	room := (p.part*window.Seconds() - o.faded(now)) / o.each
	return int(min(max(room, float64(least)), mostUnder))
}

// admit lets calls come whose turn it is.
func (p *Processors) admit(o *company, now time.Time) {
	for o.queue.Len() > 0 && o.under < p.limit(o, now) {
		first := o.queue.Front()
		o.queue.Remove(first)
		p.waiting--
		o.under++
		close(first.Value.(*turn).come) //nolint:forcetypeassert // nothing else is in it
	}
}

// lookLater looks at the waiting calls of a company again and again, because what it has computed fades and others go.
func (p *Processors) lookLater(o *company) {
	if o.look != nil {
		return
	}
	o.look = time.AfterFunc(lookEvery, func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		o.look = nil
		p.admit(o, time.Now())
		if o.queue.Len() > 0 {
			p.lookLater(o)
		}
	})
}

// saw notes that a company calls.
func (p *Processors) saw(id uuid.UUID, now time.Time) {
	if p.latest[0].id != id {
		p.latest[1] = p.latest[0]
	}
	p.latest[0] = seen{id, now}
}

// others reports whether another company calls.
func (p *Processors) others(id uuid.UUID, now time.Time) bool {
	for _, one := range p.latest {
		if one.id != id && one.id != uuid.Nil && now.Sub(one.at) < othersFor {
			return true
		}
	}
	return false
}

// sweep forgets companies that have no call and have computed next to nothing lately.
func (p *Processors) sweep(now time.Time) {
	for id, one := range p.companies {
		if one.under == 0 && one.queue.Len() == 0 && one.faded(now) < 0.001 {
			delete(p.companies, id)
		}
	}
}
