// Package playbook keeps how a company buys: its purchasing config, strategies that override
// parts of the config for some articles, and SOPs, which say who does what and when.
//
// Each is a document whose versions are never changed: a change adds a version. In force is the
// newest version that is not a draft and has taken effect, so a draft leaves the version before it
// in force. Numbers come only from the config and from the parameters of strategies, never from
// their text.
//
// People who manage purchasing write it. Assistants and agents propose: they store drafts of strategies
// and SOPs, which change nothing until a person activates them, and an admin's assistant changes the
// config's figures for planning. No token changes anything else: the playbook holds rules that guard
// people's decisions, and what agents are told to follow.
package playbook

import (
	"context"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/fault"
	"github.com/quayside/quayside/internal/pg"
	"github.com/quayside/quayside/internal/pg/q"
)

// Service reads and writes the playbook.
type Service struct {
	cells *pg.Cells
}

// New returns the service.
func New(cells *pg.Cells) *Service { return &Service{cells: cells} }

// Meta says which version of a document something is, who made it, and why.
type Meta struct {
	ID        uuid.UUID
	Version   int64
	Author    auth.Actor
	Note      string
	CreatedAt time.Time
}

// Bounds of texts, in characters.
const (
	longestTitle  = 200
	longestNote   = 500
	longestTarget = 500
	longestBody   = 20_000
)

// mostDocuments is how many strategies, and how many SOPs, a workspace may have.
const mostDocuments = 1000

// mostVersions is how many versions a page of a document's history has.
const mostVersions = 50

// reading runs fn in a transaction of the principal's tenant, if they may read.
func (s *Service) reading(ctx context.Context, by auth.Principal, fn func(*q.Queries) error) error {
	if err := by.Require(auth.Read); err != nil {
		return err
	}
	return s.cells.InTenant(ctx, by.Tenant, func(tx pgx.Tx) error { return fn(q.New(tx)) })
}

// stale refuses a change of a version that is not the newest any more.
func stale(what string, newest int64) error {
	return fault.New(fault.Stale, "stale",
		"%s was changed since you saw it; load it again and repeat your change", what).At(newest)
}
