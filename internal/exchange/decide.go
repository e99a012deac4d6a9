package exchange

import (
	"context"
	"errors"
	"slices"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/quayside/quayside/internal/audit"
	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/fault"
	"github.com/quayside/quayside/internal/inventory"
	"github.com/quayside/quayside/internal/pg/q"
)

// Answer is a person's decision about a conflict, with the values that the person saw.
type Answer struct {
	Conflict     uuid.UUID
	Take         inventory.Side
	Ours, Theirs string
}

// Decide decides conflicts of one order, all or none, and makes the order due. If a conflict has closed, was decided
// or has other values than the person saw, nothing is decided.
func (s *Service) Decide(ctx context.Context, by auth.Principal, number string, answers []Answer) error {
	if err := by.Require(auth.ChangeLines); err != nil {
		return err
	}
	if by.Actor.Type != auth.ByPerson {
		return fault.New(fault.Forbidden, "people_decide", "only a person decides which side counts")
	}
	ids := make([]uuid.UUID, 0, len(answers))
	for _, answer := range answers {
		if slices.Contains(ids, answer.Conflict) {
			return fault.InField("decisions", "twice", "a conflict is decided once")
		}
		ids = append(ids, answer.Conflict)
	}
	if len(ids) == 0 || len(ids) > mostOfOrder {
		return fault.InField("decisions", "decisions", "decide between 1 and %d conflicts at once", mostOfOrder)
	}
	return s.cells.InTenant(ctx, by.Tenant, func(tx pgx.Tx) error { return decide(ctx, tx, by, number, ids, answers) })
}

// decide locks the order's exchange, then its conflicts, as a sync does, and stores the answers.
func decide(ctx context.Context, tx pgx.Tx, by auth.Principal, number string, ids []uuid.UUID, answers []Answer) error {
	queries := q.New(tx)
	connections, err := queries.ListConflictConnections(ctx, q.ListConflictConnectionsParams{
		TenantID: by.Tenant, WorkspaceID: by.Workspace, OrderNo: number, Ids: ids})
	if err != nil {
		return err
	}
	states := map[uuid.UUID]State{}
	for _, id := range connections {
		if states[id], err = lockOrder(ctx, tx, by, id, number); err != nil {
			return err
		}
	}
	rows, err := queries.LockExchangeConflicts(ctx, q.LockExchangeConflictsParams{
		TenantID: by.Tenant, WorkspaceID: by.Workspace, OrderNo: number, Ids: ids})
	if err != nil {
		return err
	}
	questions, err := readQuestions(ctx, tx, by, q.ListExchangeConflictsParams{OrderNo: number, Ids: ids, Most: mostOfOrder})
	if err != nil {
		return err
	}
	for _, answer := range answers {
		if err := answer.check(rows); err != nil {
			return err
		}
		err := queries.DecideExchangeConflict(ctx, q.DecideExchangeConflictParams{
			TenantID: by.Tenant, ID: answer.Conflict, Take: string(answer.Take), Actor: by.Actor.JSON()})
		if err != nil {
			return err
		}
	}
	for id, state := range states {
		if state == Paused {
			continue // it is carried out when somebody resumes the order
		}
		if err := queries.AskExchangeOrder(ctx, asked(by, id, number)); err != nil {
			return err
		}
	}
	return audit.Record(ctx, tx, by, "exchange_conflict.decided", number, told(number, questions, answers))
}

// check refuses an answer to a question that is no longer asked, or was asked with other values.
func (a Answer) check(rows []q.LockExchangeConflictsRow) error {
	i := slices.IndexFunc(rows, func(row q.LockExchangeConflictsRow) bool { return row.ID == a.Conflict })
	switch {
	case i < 0:
		return fault.New(fault.NotFound, "unknown_conflict", "the order has no conflict with the id %s", a.Conflict)
	case rows[i].ClosedAt != nil:
		return fault.New(fault.Stale, "stale", "the conflict is gone: both sides have changed since. Look again")
	case rows[i].Take != nil:
		return fault.New(fault.Stale, "stale", "the conflict was decided already. Look again")
	case rows[i].Ours != a.Ours || rows[i].Theirs != a.Theirs:
		return fault.New(fault.Stale, "stale", "the values are no longer those that you saw. Look again, then decide")
	case !slices.Contains(rows[i].Choices, string(a.Take)):
		return fault.InField("take", "choice", "this conflict cannot be decided so")
	}
	return nil
}

// told returns decisions for the audit.
func told(number string, questions []Question, answers []Answer) audit.Data {
	data, decisions := audit.Data{"order_no": number}, []any{}
	for _, answer := range answers {
		for _, question := range questions {
			if question.ID != answer.Conflict {
				continue
			}
			data["name"] = question.System
			decisions = append(decisions, map[string]any{
				"line": question.Line, "sku": question.SKU, "field": question.Field, "take": answer.Take,
				"ours": question.Ours.shown(), "theirs": question.Theirs.shown(), "currency": question.Currency,
			})
		}
	}
	data["decisions"] = decisions
	return data
}

func (v Value) shown() string {
	if v.Name != "" {
		return v.Name
	}
	return v.Text
}

// lockOrder locks an order's exchange and returns its state.
func lockOrder(ctx context.Context, tx pgx.Tx, by auth.Principal, id uuid.UUID, number string) (State, error) {
	state, err := q.New(tx).LockExchangeOrder(ctx, q.LockExchangeOrderParams{
		TenantID: by.Tenant, WorkspaceID: by.Workspace, ConnectionID: id, OrderNo: number})
	if errors.Is(err, pgx.ErrNoRows) {
		return "", notExchanged(number)
	}
	return State(state), err
}
