// Package audit is who did what: one row for each thing that a person, an agent or the
// service did on purpose, written in the transaction in which it was done. Rows are
// added and read, never changed.
//
// Records that external systems send are not here: the outbox's events tell of them.
package audit

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/pg/q"
	"github.com/quayside/quayside/internal/telemetry"
)

// Action names what was done: the thing, a dot, and the verb in the past.
type Action string

// Data is what is worth knowing beside the action. It holds no secret and no payload.
type Data map[string]any

// Record notes that the principal did something to the subject, both or neither. What an
// assistant or agent does is noted with its token, tool and run.
func Record(ctx context.Context, tx pgx.Tx, by auth.Principal, action Action, subject string, data Data) error {
	text, err := json.Marshal(data.by(by))
	if err != nil {
		return fmt.Errorf("audit %s: %w", action, err)
	}
	row := q.InsertAuditParams{
		TenantID: by.Tenant, ID: uuid.Must(uuid.NewV7()), Actor: by.Actor.JSON(), RequestID: telemetry.RequestID(ctx),
		Action: string(action), Subject: subject, Data: text,
	}
	if by.Workspace != uuid.Nil {
		row.WorkspaceID = &by.Workspace
	}
	return q.New(tx).InsertAudit(ctx, row)
}

// by is the data with what is known of a caller that showed a token.
func (d Data) by(who auth.Principal) Data {
	all := Data{}
	if who.Token != uuid.Nil {
		all["token"], all["tool"] = who.Token, who.Tool
	}
	if who.Run != "" {
		all["run"] = who.Run
	}
	maps.Copy(all, d)
	return all
}

// Note is Record for what has no transaction of its own.
func (s *Service) Note(ctx context.Context, by auth.Principal, action Action, subject string, data Data) error {
	return s.cells.InTenant(ctx, by.Tenant, func(tx pgx.Tx) error { return Record(ctx, tx, by, action, subject, data) })
}
