// Package audit records who did what: one row for each deliberate action of a person, an agent
// or the service, written in the transaction of the action. Rows are added and read, never
// changed.
//
// Records that external systems send are not in the audit. The outbox's events cover them.
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

// Action names what was done: the object, a dot, and the verb in the past tense.
type Action string

// Data holds details of an action. It contains no secret and no payload.
type Data map[string]any

// Record adds a row: the principal did the action to the subject. The row and the action share
// tx, so that both are stored or neither. For an assistant or agent the row also has its token,
// tool and run.
func Record(ctx context.Context, tx pgx.Tx, by auth.Principal, action Action, subject string, data Data) error {
	text, err := data.Text(by)
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

// Text returns the data as a row has it, for a statement that writes the row itself.
func (d Data) Text(by auth.Principal) (json.RawMessage, error) { return json.Marshal(d.by(by)) }

// by returns the data with the details of a caller that used a token.
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

// Note is Record for callers without a transaction.
func (s *Service) Note(ctx context.Context, by auth.Principal, action Action, subject string, data Data) error {
	return s.cells.InTenant(ctx, by.Tenant, func(tx pgx.Tx) error { return Record(ctx, tx, by, action, subject, data) })
}
