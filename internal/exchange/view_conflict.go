package exchange

import (
	"context"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/inventory"
	"github.com/quayside/quayside/internal/page"
	"github.com/quayside/quayside/internal/pg/q"
)

// mostOfOrder limits the conflicts of one order that are shown and decided at once.
const mostOfOrder = 200

// Question is a conflict that waits for a person.
type Question struct {
	ID                 uuid.UUID
	Connection         uuid.UUID
	System             string // the connection's name
	Number             string // of the order
	Line               string
	SKU, Product       string // of the line
	Field              inventory.Field
	Reason             inventory.Reason
	Base, Ours, Theirs Value
	Currency           string // of prices; empty: it is not known, or in question itself
	Choices            []inventory.Side
	OpenedAt           time.Time
}

// Value is what a field has on one side. The text is the inventory system's: a supplier and an article are its id there.
type Value struct {
	Text string
	Name string // of a supplier or an article; empty if it is not known here
}

// Asked selects conflicts. Zero values match all.
type Asked struct {
	Connection uuid.UUID
	Number     string
}

// Questions returns the conflicts that wait for a person, the oldest first, and how many there are.
func (s *Service) Questions(ctx context.Context, by auth.Principal, about Asked, want page.Request) (
	questions []Question, more bool, all int64, err error) {
	if err := by.Require(auth.Read); err != nil {
		return nil, false, 0, err
	}
	params := q.ListExchangeConflictsParams{OrderNo: about.Number, After: want.After, Most: want.Limit()}
	if about.Connection != uuid.Nil {
		params.ConnectionID = &about.Connection
	}
	err = s.cells.InTenant(ctx, by.Tenant, func(tx pgx.Tx) error {
		all, err = q.New(tx).CountExchangeConflicts(ctx, q.CountExchangeConflictsParams{TenantID: by.Tenant,
			WorkspaceID: by.Workspace, ConnectionID: params.ConnectionID, OrderNo: params.OrderNo})
		if err != nil || all == 0 {
			return err
		}
		questions, err = readQuestions(ctx, tx, by, params)
		return err
	})
	questions, more = page.Cut(want, questions)
	return questions, more, all, err
}

// readQuestions reads conflicts of the principal's workspace that wait for a person, with names instead of ids.
func readQuestions(ctx context.Context, tx pgx.Tx, by auth.Principal, params q.ListExchangeConflictsParams) (
	questions []Question, err error) {
	params.TenantID, params.WorkspaceID = by.Tenant, by.Workspace
	rows, err := q.New(tx).ListExchangeConflicts(ctx, params)
	if err != nil {
		return nil, err
	}
	for _, row := range rows {
		one := Question{
			ID: row.ID, Connection: row.ConnectionID, System: row.ConnectionName, Number: row.OrderNo, Line: row.LineID,
			SKU: row.Sku, Product: row.ProductName, Field: inventory.Field(row.Field), Reason: inventory.Reason(row.Reason),
			Base: Value{Text: row.Base}, Ours: Value{Text: row.Ours}, Theirs: Value{Text: row.Theirs},
			Currency: row.Currency, OpenedAt: row.OpenedAt,
		}
		for _, choice := range row.Choices {
			one.Choices = append(one.Choices, inventory.Side(choice))
		}
		questions = append(questions, one)
	}
	return questions, nameValues(ctx, tx, by, questions)
}

// kinds are the fields whose values are ids there, and what exchange_ids calls them.
var kinds = map[inventory.Field]string{inventory.FieldSupplier: "supplier", inventory.FieldVariant: "article"}

// nameValues fills in what ids there are called.
func nameValues(ctx context.Context, tx pgx.Tx, by auth.Principal, questions []Question) error {
	params := q.NameExchangeIDsParams{TenantID: by.Tenant, WorkspaceID: by.Workspace}
	for _, one := range questions {
		if kinds[one.Field] != "" {
			params.Connections = append(params.Connections, one.Connection)
			params.Theirs = append(params.Theirs, one.Base.Text, one.Ours.Text, one.Theirs.Text)
		}
	}
	if len(params.Theirs) == 0 {
		return nil
	}
	rows, err := q.New(tx).NameExchangeIDs(ctx, params)
	if err != nil {
		return err
	}
	type id struct {
		connection   uuid.UUID
		kind, theirs string
	}
	names := map[id]string{}
	for _, row := range rows {
		names[id{row.ConnectionID, row.Kind, row.Theirs}] = row.Name
	}
	for i := range questions {
		one := &questions[i]
		for _, value := range []*Value{&one.Base, &one.Ours, &one.Theirs} {
			value.Name = names[id{one.Connection, kinds[one.Field], value.Text}]
		}
	}
	return nil
}
