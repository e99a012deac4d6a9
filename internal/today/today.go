// Package today says what a person of a workspace has to do now, and what they should know before
// they begin. It counts nothing that a list does not show: other domains count their own, and each
// number leads to its list.
package today

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/freshness"
	"github.com/quayside/quayside/internal/page"
	"github.com/quayside/quayside/internal/pg"
	"github.com/quayside/quayside/internal/pg/q"
	"github.com/quayside/quayside/internal/procure"
	"github.com/quayside/quayside/internal/purchase"
)

const (
	// readTimeout limits one statement.
	readTimeout = 5 * time.Second
	// topArticles is how many articles to order are named.
	topArticles = 5
	// mostRuns is how many of the newest runs are read.
	mostRuns = 50
)

// Service reads the day.
type Service struct {
	cells    *pg.Cells
	purchase *purchase.Service
	procure  *procure.Service
}

// New returns the service.
func New(cells *pg.Cells, lines *purchase.Service, queue *procure.Service) *Service {
	return &Service{cells: cells, purchase: lines, procure: queue}
}

// Today is what there is to do and to know. Parts that the caller's role may not see are nil.
type Today struct {
	Flows     bool // at least one table has rows
	Lines     purchase.Day
	ToOrder   *ToOrder       // nil: the queue was not computed yet
	Lag       *freshness.Lag // nil: what was stored is in the demand and in the queue
	Data      *Data
	Yesterday *Yesterday // nil: too little was sold so far to compare with
	Agents    Agents
}

// ToOrder sums up what to order.
type ToOrder struct {
	Articles, Critical int64
	Cost               []purchase.Amount
	LeftOut            int64                    // articles that are in no cost, because theirs cannot be true
	Top                []procure.Recommendation // the most urgent
}

// Agents is what the procurement agent did since the day before began.
type Agents struct {
	Since                       time.Time
	Runs                        int64
	Drafted, Submitted, Refused int64 // lines
	Cut                         bool  // there were more runs than were read
}

// Read returns the day of the caller.
func (s *Service) Read(ctx context.Context, by auth.Principal) (t Today, err error) {
	if err := by.Require(auth.Read); err != nil {
		return t, err
	}
	if t.Lines, err = s.purchase.Day(ctx, by); err != nil {
		return t, err
	}
	if t.ToOrder, t.Lag, err = s.toOrder(ctx, by); err != nil {
		return t, err
	}
	now := time.Now().In(by.Zone)
	if t.Agents, err = s.agents(ctx, by, now); err != nil {
		return t, err
	}
	err = s.cells.Reading(ctx, by.Tenant, readTimeout, func(tx pgx.Tx) error {
		queries := q.New(tx)
		if t.Yesterday, err = yesterday(ctx, queries, by, now); err != nil {
			return err
		}
		figures, err := queries.ListSourceFigures(ctx,
			q.ListSourceFiguresParams{TenantID: by.Tenant, WorkspaceID: by.Workspace})
		if err != nil {
			return err
		}
		for _, source := range figures {
			t.Flows = t.Flows || source.Rows > 0
		}
		if by.Require(auth.ReadFailures) == nil {
			t.Data, err = readData(ctx, queries, by, figures, now)
		}
		return err
	})
	return t, err
}

func (s *Service) toOrder(ctx context.Context, by auth.Principal) (*ToOrder, *freshness.Lag, error) {
	sum, err := s.procure.Summarize(ctx, by)
	if err != nil || sum.ComputedAt == nil {
		return nil, sum.Lag, err
	}
	t := &ToOrder{Articles: sum.Groups[procure.GroupOrder]}
	for _, one := range sum.Suppliers {
		t.Critical += one.Critical
		t.Cost = add(t.Cost, one.Currency, one.Cost)
		t.LeftOut += one.LeftOut
	}
	t.Top, _, err = s.procure.List(ctx, by, procure.Filter{Group: procure.GroupOrder, Most: topArticles})
	return t, sum.Lag, err
}

func (s *Service) agents(ctx context.Context, by auth.Principal, now time.Time) (a Agents, err error) {
	a.Since = time.Date(now.Year(), now.Month(), now.Day()-1, 0, 0, 0, 0, now.Location())
	runs, more, err := s.procure.Runs(ctx, by, page.Request{Most: mostRuns})
	for _, run := range runs {
		if run.CreatedAt.Before(a.Since) {
			return a, err
		}
		a.Runs++
		a.Drafted += run.Drafted
		a.Submitted += run.Submitted
		a.Refused += run.Refused
	}
	a.Cut = more
	return a, err
}
