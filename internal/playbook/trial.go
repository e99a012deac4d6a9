package playbook

import (
	"context"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/pg/q"
)

// Trial is a change of the playbook that is not saved. One of its fields is set.
type Trial struct {
	Config   *ConfigChange
	Strategy *StrategyChange
}

// StrategyChange is a new version of a strategy, or a new strategy.
type StrategyChange struct {
	ID       uuid.UUID // uuid.Nil: a new strategy
	Version  int64     // the newest that the caller saw
	Strategy Strategy
	Note     string
}

// With returns the book as it would be with a change, and writes nothing. It refuses what saving the
// change would refuse; the caller checks permissions.
//
// The change counts as in force on the book's day: a draft as active, and a change with a later
// first day from this day on. An archived strategy, or one that has ended, is not in force.
func (b Book) With(ctx context.Context, tx pgx.Tx, by auth.Principal, t Trial) (Book, error) {
	queries := q.New(tx)
	if t.Config != nil {
		before, after, err := t.Config.apply(ctx, queries, by)
		if err != nil {
			return Book{}, err
		}
		return b.withConfig(before.Version+1, after), nil
	}
	tried := change[Strategy]{t.Strategy.ID, t.Strategy.Version, t.Strategy.Strategy, t.Strategy.Note}
	before, checked, err := tried.check(ctx, queries, by, false)
	if err != nil {
		return Book{}, err
	}
	strategy, _ := checked.(Strategy) // what Strategy.checked returns
	return b.withStrategy(t.Strategy.ID, before.Version+1, strategy), nil
}

// withStrategy returns the book with a strategy's version in the place of the one that is in force.
func (b Book) withStrategy(id uuid.UUID, version int64, strategy Strategy) Book {
	var strategies []inForce
	for _, targets := range b.strategies {
		for _, some := range targets {
			for _, one := range some {
				if one.origin.ID != id {
					strategies = append(strategies, one)
				}
			}
		}
	}
	if strategy.Status != Archived && !strategy.endedBefore(b.Day) {
		strategies = append(strategies, inForce{
			Strategy: strategy, revision: b.Revision + 1, // newer than all others
			origin: Origin{FromStrategy, id, strategy.Title, strategy.Scope, version},
		})
	}
	b.strategies = byTarget(strategies)
	return b
}
