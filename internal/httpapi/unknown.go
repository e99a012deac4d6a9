package httpapi

import (
	"context"
	"net/http"
	"time"

	"github.com/google/uuid"

	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/registry"
	"github.com/quayside/quayside/internal/unknown"
)

type (
	unknownFieldsJSON struct {
		Items   []unknownFieldJSON `json:"items" doc:"The most frequent first."`
		Others  int64              `json:"others" doc:"Values of fields that are not listed: their names are too long or not readable, or there are too many of them."`
		Keeping bool               `json:"keeping" doc:"The values are kept too, so that a new column can be filled with them."`
	}
	unknownFieldJSON struct {
		Name        string           `json:"name" example:"vat_id" doc:"As it was sent."`
		Status      unknown.Status   `json:"status" enum:"seen,ignored,made,retired" doc:"made: there is a column for it. retired: there was one."`
		Records     int64            `json:"records" doc:"How many stored records had it."`
		Type        registry.Type    `json:"type,omitempty" enum:"text,number,boolean,date,datetime,uuid" doc:"A type that fits every value. Absent if all are objects or arrays, which no column takes."`
		Kinds       unknownKindsJSON `json:"kinds"`
		Samples     []string         `json:"samples" doc:"At most five, masked: letters are shown as x or X, digits as 9." example:"[\"XX999999999\"]"`
		FirstSeenAt time.Time        `json:"first_seen_at"`
		LastSeenAt  time.Time        `json:"last_seen_at"`
		Suggested   string           `json:"suggested,omitempty" doc:"A name for its column. Absent if none can be made from its name."`
		Column      string           `json:"column,omitempty" doc:"The column that was made for it."`
		StillComes  bool             `json:"still_comes" doc:"It came after its column was made. The column has another name, so it is still not stored."`
		Kept        int64            `json:"kept" doc:"How many of its values are kept."`
	}
	unknownKindsJSON struct {
		Text     int64 `json:"text"`
		Number   int64 `json:"number"`
		Boolean  int64 `json:"boolean"`
		Date     int64 `json:"date"`
		Datetime int64 `json:"datetime"`
		UUID     int64 `json:"uuid"`
		Nested   int64 `json:"nested" doc:"Objects and arrays."`
		Empty    int64 `json:"empty" doc:"null, or a blank text."`
	}
	backfillJSON struct {
		ID         uuid.UUID              `json:"id" format:"uuid"`
		Table      string                 `json:"table"`
		Field      string                 `json:"field" doc:"As it was sent."`
		Column     string                 `json:"column"`
		Status     unknown.BackfillStatus `json:"status" enum:"queued,running,cancelled,done,failed"`
		Cancelling bool                   `json:"cancelling" doc:"It will stop shortly."`
		ByType     string                 `json:"by_type"`
		ByID       string                 `json:"by_id,omitempty"`
		Total      int64                  `json:"total" doc:"Kept values and failed imports to look at, when it was started."`
		Looked     int64                  `json:"looked" doc:"How many of them it has looked at: the sum of the following."`
		Filled     int64                  `json:"filled"`
		AlreadySet int64                  `json:"already_set" doc:"The column was set since it was made."`
		Gone       int64                  `json:"gone" doc:"There is no such record in this workspace."`
		Refused    int64                  `json:"refused" doc:"The column does not take the value."`
		Empty      int64                  `json:"empty" doc:"There is no value."`
		Waiting    int64                  `json:"waiting" doc:"Open failed imports, which bring the value when they are retried."`
		Without    int64                  `json:"without" doc:"Failed imports that do not have the field."`
		Refusals   []backfillRefusalJSON  `json:"refusals" doc:"The first values that the column does not take."`
		Message    string                 `json:"message,omitempty" doc:"Why it stopped."`
		CreatedAt  time.Time              `json:"created_at"`
		StartedAt  *time.Time             `json:"started_at,omitempty"`
		FinishedAt *time.Time             `json:"finished_at,omitempty"`
	}
	backfillRefusalJSON struct {
		RecordKey string `json:"record_key"`
		Message   string `json:"message"`
	}
	// OneBackfill names a backfill.
	OneBackfill struct {
		InWorkspace
		Backfill uuid.UUID `path:"backfill" format:"uuid"`
	}
)

// unknownOperations are about fields that arrive and are not stored.
func (s *Server) unknownOperations(a *appAPI) {
	const tag, path = "Unknown fields", "workspaces/{workspace}/tables/{table}/unknown-fields"
	register(a, operation{
		id: "listUnknownFields", method: http.MethodGet, path: path, tag: tag, needs: auth.Read,
		summary: "Fields that arrive and are not stored",
		about:   "Records that were stored without these fields, because the table has no such column. Counts are some seconds old. A field that does not come for 90 days is forgotten.",
	}, func(ctx context.Context, in *InTable) (*body[unknownFieldsJSON], error) {
		return s.unknownFields(ctx, in.Table)
	})
	register(a, operation{
		id: "ignoreUnknownField", method: http.MethodPost, path: path + "/ignore", tag: tag, needs: auth.DefineTables,
		summary: "Say that a field is not needed, or take that back",
		about:   "Values of an ignored field are not kept, and those that were are deleted.",
	}, func(ctx context.Context, in *struct {
		InTable
		Body struct {
			Name    string `json:"name" minLength:"1" maxLength:"100" example:"vat_id"`
			Ignored bool   `json:"ignored" example:"true"`
		}
	}) (*body[unknownFieldsJSON], error) {
		if err := s.Unknown.SetIgnored(ctx, by(ctx).Principal, in.Table, in.Body.Name, in.Body.Ignored); err != nil {
			return nil, err
		}
		return s.unknownFields(ctx, in.Table)
	})
	register(a, operation{
		id: "keepUnknownValues", method: http.MethodPut, path: path + "/keeping", tag: tag, needs: auth.DefineTables,
		summary: "Keep the values of unknown fields, or stop",
		about:   "While it is on, the newest value of each record and field is kept, for 30 days unless your operator has set another number, and at most 100,000 of a table. Switching it off deletes them.",
	}, func(ctx context.Context, in *struct {
		InTable
		Body struct {
			Keep bool `json:"keep" example:"true"`
		}
	}) (*body[unknownFieldsJSON], error) {
		if err := s.Unknown.SetKeeping(ctx, by(ctx).Principal, in.Table, in.Body.Keep); err != nil {
			return nil, err
		}
		return s.unknownFields(ctx, in.Table)
	})
	s.backfillOperations(a, tag)
}

// backfillOperations fill columns.
func (s *Server) backfillOperations(a *appAPI, tag string) {
	const path = "workspaces/{workspace}/backfills"
	register(a, operation{
		id: "startBackfill", method: http.MethodPost, path: path, tag: tag, needs: auth.DefineTables,
		status:  http.StatusCreated,
		summary: "Fill a column that was made for a field",
		about:   "It goes through the values that are still kept, and then through the payloads of failed imports that were stored since, the newest first. A value that somebody has set stays. It runs in the background, survives restarts, can be cancelled and started again.",
	}, func(ctx context.Context, in *struct {
		InWorkspace
		Body struct {
			Table  string `json:"table" example:"decisions"`
			Field  string `json:"field" minLength:"1" maxLength:"100" example:"vat_id" doc:"As it was sent."`
			Column string `json:"column" example:"vat_id"`
		}
	}) (*body[backfillJSON], error) {
		one, err := s.Unknown.Start(ctx, by(ctx).Principal, in.Body.Table, in.Body.Field, in.Body.Column)
		return &body[backfillJSON]{toBackfillJSON(one)}, err
	})
	register(a, operation{
		id: "listBackfills", method: http.MethodGet, path: path, tag: tag, needs: auth.Read,
		summary: "Backfills, the newest first",
	}, func(ctx context.Context, in *struct {
		InWorkspace
		Paged
		Table string `query:"table" doc:"Only those of this table."`
	}) (*body[list[backfillJSON]], error) {
		want, err := in.request()
		if err != nil {
			return nil, err
		}
		all, more, err := s.Unknown.Backfills(ctx, by(ctx).Principal, in.Table, want)
		var items []backfillJSON
		for _, one := range all {
			items = append(items, toBackfillJSON(one))
		}
		return listed(items, more, func(one backfillJSON) uuid.UUID { return one.ID }), err
	})
	register(a, operation{
		id: "getBackfill", method: http.MethodGet, path: path + "/{backfill}", tag: tag, needs: auth.Read,
		summary: "Get the progress of a backfill",
	}, func(ctx context.Context, in *OneBackfill) (*body[backfillJSON], error) {
		one, err := s.Unknown.Backfill(ctx, by(ctx).Principal, in.Backfill)
		return &body[backfillJSON]{toBackfillJSON(one)}, err
	})
	register(a, operation{
		id: "cancelBackfill", method: http.MethodPost, path: path + "/{backfill}/cancel", tag: tag, needs: auth.DefineTables,
		summary: "Stop a backfill",
		about:   "Values that are already filled in stay. A backfill that has ended is not changed.",
	}, func(ctx context.Context, in *OneBackfill) (*body[backfillJSON], error) {
		one, err := s.Unknown.Cancel(ctx, by(ctx).Principal, in.Backfill)
		return &body[backfillJSON]{toBackfillJSON(one)}, err
	})
}

func (s *Server) unknownFields(ctx context.Context, table string) (*body[unknownFieldsJSON], error) {
	found, err := s.Unknown.List(ctx, by(ctx).Principal, table)
	out := unknownFieldsJSON{Items: []unknownFieldJSON{}, Others: found.Others, Keeping: found.Keeping}
	for i := range found.Fields {
		f := &found.Fields[i]
		out.Items = append(out.Items, unknownFieldJSON{
			Name: f.Name, Status: f.Status, Records: f.Records, Type: f.Type,
			Kinds:       unknownKindsJSON(f.Kinds),
			Samples:     append([]string{}, f.Samples...),
			FirstSeenAt: f.FirstSeenAt.UTC(), LastSeenAt: f.LastSeenAt.UTC(),
			Suggested: f.Suggested, Column: f.Column, StillComes: f.StillComes, Kept: f.Kept,
		})
	}
	return &body[unknownFieldsJSON]{out}, err
}

func toBackfillJSON(one unknown.Backfill) backfillJSON {
	out := backfillJSON{
		ID: one.ID, Table: one.Slug, Field: one.Field, Column: one.Column, Status: one.Status, Cancelling: one.Cancelling,
		ByType: string(one.By.Type), ByID: one.By.ID, Total: one.Total, Looked: one.Looked(),
		Filled: one.Filled, AlreadySet: one.AlreadySet, Gone: one.Gone, Refused: one.Refused, Empty: one.Empty,
		Waiting: one.Waiting, Without: one.Without, Refusals: []backfillRefusalJSON{}, Message: one.Message,
		CreatedAt: one.CreatedAt.UTC(), StartedAt: utc(one.StartedAt), FinishedAt: utc(one.FinishedAt),
	}
	for _, refusal := range one.Refusals {
		out.Refusals = append(out.Refusals, backfillRefusalJSON(refusal))
	}
	return out
}
