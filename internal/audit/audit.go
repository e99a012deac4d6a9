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

// Record notes that the principal did something to the subject, both or neither.
func Record(ctx context.Context, tx pgx.Tx, by auth.Principal, action Action, subject string, data Data) error {
	if data == nil {
		data = Data{}
	}
	text, err := json.Marshal(data)
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
