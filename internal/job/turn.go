package job

import (
	"context"
	"time"
)

// leastTurn is how long a run works although another company waits. Beginning a run has a price, such as reading a file
// up to the job's position.
const leastTurn = time.Second

// Turn is the time for which a run works before it hands over: a Slice, or as little as leastTurn if another company
// waits for a place. The zero value is a turn that has not begun.
type Turn struct{ began time.Time }

// BeginTurn begins a turn now.
func BeginTurn() Turn { return Turn{time.Now()} }

// Over reports whether the run should hand over.
func (t Turn) Over(ctx context.Context) bool {
	if t.began.IsZero() {
		return false
	}
	worked := time.Since(t.began)
	if worked >= Slice {
		return true
	}
	wanted, shared := ctx.Value(wantedKey{}).(func(context.Context) bool)
	return shared && worked >= leastTurn && wanted(ctx)
}

type wantedKey struct{}

// Shared returns a context for a run that shares its queue with other companies' jobs. wanted reports whether one of
// them waits for a place; several goroutines may call it, and often.
func Shared(ctx context.Context, wanted func(context.Context) bool) context.Context {
	return context.WithValue(ctx, wantedKey{}, wanted)
}
