package backup

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/quayside/quayside/internal/audit"
	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/pg"
	"github.com/quayside/quayside/internal/pg/q"
)

// Settled says what was done to a restored database, and what somebody has to look at.
type Settled struct {
	Companies   int   `json:"companies"`
	Sessions    int64 `json:"sessions_ended"`
	Invitations int64 `json:"invitations_withdrawn"`
	Mails       int64 `json:"order_mails_held"`   // they are "unknown" now: a person looks and sends again, or not
	Connections int64 `json:"connections_paused"` // an admin compares and resumes
	Alerts      int64 `json:"alert_mails_dropped"`
	Keys        int64 `json:"keys_alive"` // among them those that were revoked after the backup
	Tokens      int64 `json:"tokens_alive"`
}

// Settle makes a restored database safe to serve from: nothing leaves it that may have left the lost one after the
// backup, and nobody is let in by a session or link that may have ended since. Then it says that the database
// belongs where it is. Doing it again does nothing more.
func Settle(ctx context.Context, cells *pg.Cells, tenants []uuid.UUID, madeAt time.Time) (settled Settled, err error) {
	reason := "The database was restored from a backup."
	if !madeAt.IsZero() {
		reason = fmt.Sprintf("The database was restored from a backup of %s.", madeAt.UTC().Format("2006-01-02 15:04 MST"))
	}
	people := map[uuid.UUID]bool{}
	for _, tenant := range tenants {
		members, err := settled.company(ctx, cells, tenant, reason)
		if err != nil {
			return settled, fmt.Errorf("company %s: %w", tenant, err)
		}
		for _, person := range members {
			people[person] = true
		}
	}
	for person := range people {
		err := cells.InPerson(ctx, person, uuid.Nil, func(tx pgx.Tx) error {
			queries := q.New(tx)
			ended, err := queries.DropSessions(ctx, person)
			settled.Sessions += ended
			if err != nil {
				return err
			}
			return queries.DropResets(ctx, person)
		})
		if err != nil {
			return settled, err
		}
	}
	return settled, cells.Settle(ctx)
}

// company holds what one company would send and returns its members.
func (s *Settled) company(ctx context.Context, cells *pg.Cells, tenant uuid.UUID, reason string) (
	members []uuid.UUID, err error) {
	by := auth.Operator(tenant)
	var one Settled
	err = cells.InTenant(ctx, tenant, func(tx pgx.Tx) error {
		queries := q.New(tx)
		one = Settled{Companies: 1}
		steps := []struct {
			into *int64
			do   func() (int64, error)
		}{
			{&one.Mails, func() (int64, error) {
				return queries.HoldOrderMails(ctx, q.HoldOrderMailsParams{TenantID: tenant, Reason: reason})
			}},
			{&one.Connections, func() (int64, error) {
				return queries.PauseConnections(ctx,
					q.PauseConnectionsParams{TenantID: tenant, Reason: reason, UpdatedBy: by.Actor.JSON()})
			}},
			{&one.Alerts, func() (int64, error) { return queries.DropAlertMails(ctx, tenant) }},
			{&one.Invitations, func() (int64, error) { return queries.DropInvitations(ctx, tenant) }},
			{&one.Keys, func() (int64, error) { return queries.CountLiveKeys(ctx, tenant) }},
			{&one.Tokens, func() (int64, error) { return queries.CountLiveTokens(ctx, tenant) }},
		}
		for _, step := range steps {
			if *step.into, err = step.do(); err != nil {
				return err
			}
		}
		if members, err = queries.ListMemberIDs(ctx, tenant); err != nil {
			return err
		}
		return audit.Record(ctx, tx, by, "company.restored", tenant.String(), audit.Data{"reason": reason,
			"order_mails": one.Mails, "connections": one.Connections, "invitations": one.Invitations})
	})
	if err != nil {
		return nil, err
	}
	s.Companies++
	s.Mails += one.Mails
	s.Connections += one.Connections
	s.Alerts += one.Alerts
	s.Invitations += one.Invitations
	s.Keys += one.Keys
	s.Tokens += one.Tokens
	return members, nil
}
