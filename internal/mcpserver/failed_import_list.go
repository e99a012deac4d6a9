package mcpserver

import (
	"context"
	"time"

	"github.com/google/uuid"

	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/failed"
	"github.com/quayside/quayside/internal/page"
)

type (
	failedImportListIn struct {
		Status failed.Status `json:"status,omitzero" jsonschema:"Default: open."`
		Table  string        `json:"table,omitzero" jsonschema:"The slug of one table."`
		Code   string        `json:"code,omitzero" jsonschema:"The reason, such as required or type."`
		Field  *string       `json:"field,omitzero" jsonschema:"The first wrong field. Empty text finds failures that name no field."`
		Key    uuid.UUID     `json:"key,omitzero" jsonschema:"The id of the API key that sent it."`
		Since  time.Time     `json:"since,omitzero" jsonschema:"Last seen at this time or later."`
		Until  time.Time     `json:"until,omitzero" jsonschema:"Last seen before this time."`
		Text   string        `json:"text,omitzero" jsonschema:"Text in the message or in the record's key."`
		Limit  int           `json:"limit,omitzero" jsonschema:"The maximum number of items, 1 to 100. Default: 20."`
		Cursor uuid.UUID     `json:"cursor,omitzero" jsonschema:"The next_cursor of the previous answer."`
	}
	failedImportListOut struct {
		Notice     string          `json:"notice"`
		Groups     []failureGroup  `json:"groups" jsonschema:"All matching failures by table, reason and field, the largest group first. Only on the first page."`
		GroupsCut  bool            `json:"groups_cut,omitzero" jsonschema:"There are more groups. Narrow the filters."`
		Items      []listedFailure `json:"items" jsonschema:"The newest first."`
		Truncated  bool            `json:"truncated" jsonschema:"More failures match than are returned."`
		NextCursor *uuid.UUID      `json:"next_cursor,omitzero"`
		AsOf       time.Time       `json:"as_of"`
	}
	failureGroup struct {
		Table      string    `json:"table"`
		Code       string    `json:"code"`
		Field      string    `json:"field" jsonschema:"Empty if the reason names no field."`
		Message    string    `json:"message" jsonschema:"The latest message."`
		Failures   int64     `json:"failures"`
		Seen       int64     `json:"seen" jsonschema:"How often they were received, including repeats."`
		LastSeenAt time.Time `json:"last_seen_at"`
	}
	listedFailure struct {
		ID         uuid.UUID     `json:"id"`
		Table      string        `json:"table"`
		Status     failed.Status `json:"status"`
		Code       string        `json:"code"`
		Field      *string       `json:"field,omitzero"`
		Message    string        `json:"message"`
		RecordKey  *string       `json:"record_key,omitzero" jsonschema:"What identifies the record in its own system."`
		Seen       int64         `json:"seen"`
		LastSeenAt time.Time     `json:"last_seen_at"`
	}
)

const (
	defaultFailures = 20
	mostFailures    = 100
	mostGroups      = 50
	mostGroupBytes  = 6_000
)

func failedImportList(s *Server) tool {
	return define(about{
		name: "failed_import_list", title: "List failed imports", needs: auth.ReadFailures,
		description: "Lists records of external systems that were refused: grouped by table, reason and field, and one by one. failed_import_get shows what was sent.",
	}, func(ctx context.Context, by auth.Principal, in failedImportListIn) (out failedImportListOut, err error) {
		want, err := in.page()
		if err != nil {
			return out, err
		}
		status := in.Status
		if status == "" {
			status = failed.Open
		}
		filter := failed.Filter{Slug: in.Table, Code: in.Code, Field: in.Field, Key: in.Key, Since: in.Since, Until: in.Until,
			Words: in.Text}
		out = failedImportListOut{Notice: notice, AsOf: time.Now().UTC()}
		if in.Cursor == uuid.Nil {
			if err := s.groups(ctx, by, status, filter, &out); err != nil {
				return out, err
			}
		}
		failures, more, err := s.Failures.List(ctx, by, status, filter, want)
		for _, failure := range failures {
			out.Items = append(out.Items, toListedFailure(failure))
		}
		var cut bool
		if out.Items, cut = fit(out.Items, mostRowBytes); (cut || more) && len(out.Items) > 0 {
			out.Truncated, out.NextCursor = true, &out.Items[len(out.Items)-1].ID
		}
		return out, err
	})
}

func (in failedImportListIn) page() (page.Request, error) {
	switch {
	case in.Limit == 0:
		in.Limit = defaultFailures
	case in.Limit < 0 || in.Limit > mostFailures:
		return page.Request{}, wrong("limit", "give a number between 1 and %d", mostFailures)
	}
	return page.Request{After: in.Cursor, Most: in.Limit}, nil
}

func (s *Server) groups(ctx context.Context, by auth.Principal, status failed.Status, filter failed.Filter,
	out *failedImportListOut) error {
	groups, err := s.Failures.Groups(ctx, by, status, filter)
	for _, group := range groups[:min(len(groups), mostGroups)] {
		message, _ := clip(group.Message, mostText/40)
		out.Groups = append(out.Groups, failureGroup{
			Table: group.Slug, Code: group.Code, Field: *clipped(&group.Field), Message: message,
			Failures: group.Failures, Seen: group.Seen, LastSeenAt: group.LastSeenAt.UTC(),
		})
	}
	out.Groups, out.GroupsCut = fit(out.Groups, mostGroupBytes)
	out.GroupsCut = out.GroupsCut || len(groups) > mostGroups
	return err
}

func toListedFailure(f failed.Failure) listedFailure {
	message, _ := clip(f.Message, mostText/20)
	return listedFailure{
		ID: f.ID, Table: f.Slug, Status: f.Status, Code: f.Code, Field: clipped(f.Field), Message: message,
		RecordKey: clipped(f.RecordKey), Seen: f.Seen, LastSeenAt: f.LastSeenAt.UTC(),
	}
}
