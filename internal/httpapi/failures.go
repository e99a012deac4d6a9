package httpapi

import (
	"cmp"
	"context"
	"net/http"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/danielgtaylor/huma/v2"
	"github.com/google/uuid"

	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/failed"
)

type (
	failureJSON struct {
		ID           uuid.UUID     `json:"id" format:"uuid"`
		Slug         string        `json:"slug" example:"orders"`
		Status       failed.Status `json:"status" enum:"open,ignored,resolved"`
		HTTPStatus   int64         `json:"http_status" doc:"The status that the sender got: 422 or 500."`
		Code         string        `json:"code" doc:"The first reason."`
		Field        *string       `json:"field,omitempty" doc:"The first field that was wrong."`
		Message      string        `json:"message"`
		RecordKey    *string       `json:"record_key,omitempty" doc:"The record's own key, if it could be read."`
		KeyID        uuid.UUID     `json:"key_id" format:"uuid" doc:"The API key that sent it. All zeros if a person sent it."`
		ByType       string        `json:"by_type" doc:"Who sent it: key, or user if a person imported a file."`
		ByID         string        `json:"by_id,omitempty"`
		RequestID    string        `json:"request_id"`
		Sequence     string        `json:"sequence,omitempty" doc:"The Ingest-Sequence that it was sent with. A retry has it too."`
		Seen         int64         `json:"seen" doc:"How often the same payload was received."`
		FirstSeenAt  time.Time     `json:"first_seen_at"`
		LastSeenAt   time.Time     `json:"last_seen_at"`
		ClosedAt     *time.Time    `json:"closed_at,omitempty"`
		ClosedReason *string       `json:"closed_reason,omitempty"`
		ClosedHow    *string       `json:"closed_how,omitempty" doc:"retry, later_success or hand."`
	}
	failureGroupJSON struct {
		Slug        string    `json:"slug"`
		Code        string    `json:"code"`
		Field       string    `json:"field" doc:"Empty if the reason names no field."`
		Message     string    `json:"message" doc:"The latest message."`
		Failures    int64     `json:"failures"`
		Seen        int64     `json:"seen" doc:"Includes repeats of the same payload."`
		FirstSeenAt time.Time `json:"first_seen_at"`
		LastSeenAt  time.Time `json:"last_seen_at"`
	}
	failureDetailJSON struct {
		Failure  failureJSON    `json:"failure"`
		Payload  string         `json:"payload" doc:"The payload as it was received."`
		Exact    bool           `json:"exact" doc:"False if the payload is not valid text. Invalid bytes are then shown as replacement characters."`
		Errors   []problemField `json:"errors" doc:"All errors."`
		Attempts []attemptJSON  `json:"attempts" doc:"Retries, the latest first."`
	}
	attemptJSON struct {
		ID        uuid.UUID `json:"id" format:"uuid"`
		At        time.Time `json:"at"`
		ByType    string    `json:"by_type" doc:"user, or system."`
		ByID      string    `json:"by_id,omitempty"`
		Payload   *string   `json:"payload,omitempty" doc:"The edited payload. Absent if it was sent unchanged."`
		Status    int64     `json:"status"`
		Code      string    `json:"code"`
		Message   string    `json:"message"`
		RequestID string    `json:"request_id"`
	}
	// FailureFilter selects failed imports.
	FailureFilter struct {
		Slug  string    `query:"table" json:"table,omitempty" doc:"The slug of a table." example:"orders"`
		Code  string    `query:"code" json:"code,omitempty" doc:"The first reason."`
		Field string    `query:"field" json:"field,omitempty" doc:"A field's name, or 'none' for reasons that name no field."`
		Key   string    `query:"key" json:"key,omitempty" doc:"The id of an API key."`
		Since time.Time `query:"since" json:"since,omitzero" doc:"Last seen at this time or later."`
		Until time.Time `query:"until" json:"until,omitzero" doc:"Last seen before this time."`
		Text  string    `query:"text" json:"text,omitempty" maxLength:"200" doc:"Text in the message or in the record's key."`
	}
	// OneFailure names a failed import.
	OneFailure struct {
		InWorkspace
		Failure uuid.UUID `path:"failure" format:"uuid"`
	}
)

// failureOperations are about failed imports.
func (s *Server) failureOperations(a *appAPI) {
	const tag, path = "Failed imports", "workspaces/{workspace}/failures"
	register(a, operation{
		id: "listFailures", method: http.MethodGet, path: path, tag: tag, needs: auth.ReadFailures,
		summary: "List failed imports, the newest first",
	}, func(ctx context.Context, in *struct {
		InWorkspace
		Paged
		FailureFilter
		Status string `query:"status" enum:"open,ignored,resolved" doc:"Absent means any status."`
	}) (*body[list[failureJSON]], error) {
		want, err := in.request()
		if err != nil {
			return nil, err
		}
		failures, more, err := s.Failures.List(ctx, by(ctx).Principal, failed.Status(in.Status), in.filter(), want)
		var items []failureJSON
		for _, one := range failures {
			items = append(items, toFailureJSON(one))
		}
		return listed(items, more, func(one failureJSON) uuid.UUID { return one.ID }), err
	})
	register(a, operation{
		id: "listFailureGroups", method: http.MethodGet, path: "workspaces/{workspace}/failure-groups", tag: tag,
		needs:   auth.ReadFailures,
		summary: "Count failed imports by table, reason and field",
	}, func(ctx context.Context, in *struct {
		InWorkspace
		FailureFilter
		Status string `query:"status" enum:"open,ignored,resolved" default:"open"`
	}) (*body[list[failureGroupJSON]], error) {
		groups, err := s.Failures.Groups(ctx, by(ctx).Principal, failed.Status(in.Status), in.filter())
		var items []failureGroupJSON
		for _, group := range groups {
			items = append(items, failureGroupJSON(group))
		}
		return listed(items, false, func(failureGroupJSON) uuid.UUID { return uuid.Nil }), err
	})
	register(a, operation{
		id: "getFailure", method: http.MethodGet, path: path + "/{failure}", tag: tag, needs: auth.ReadFailures,
		summary: "Get a failed import with its payload and attempts",
	}, func(ctx context.Context, in *OneFailure) (*body[failureDetailJSON], error) {
		detail, err := s.Failures.Get(ctx, by(ctx).Principal, in.Failure)
		return &body[failureDetailJSON]{toFailureDetailJSON(detail)}, err
	})
	register(a, operation{
		id: "exportFailures", method: http.MethodGet, path: path + ".ndjson", tag: tag, needs: auth.ReadFailures,
		summary: "Download the payloads of failed imports",
		about:   "One payload on each line, as it was received. A corrected file can be pushed again.",
	}, func(ctx context.Context, in *struct {
		InWorkspace
		FailureFilter
		Status string `query:"status" enum:"open,ignored,resolved" doc:"Absent means any status."`
	}) (*huma.StreamResponse, error) {
		caller := by(ctx).Principal
		return s.ndjson(ctx, "exportFailures", "failed-imports.ndjson", func(line func([]byte) error) error {
			return s.Failures.Export(ctx, caller, failed.Status(in.Status), in.filter(), line)
		}), nil
	})
	a.answersFile(path+".ndjson", ndjsonKind)
	s.retryOperations(a)
	s.bulkOperations(a)
	s.ingestRuleOperations(a)
}

// filter returns the domain's filter. The value none stands for an empty field, so that a link
// can contain it.
func (f FailureFilter) filter() failed.Filter {
	filter := failed.Filter{Slug: f.Slug, Code: f.Code, Key: parseID(f.Key), Since: f.Since, Until: f.Until, Words: f.Text}
	switch f.Field {
	case "":
	case noField:
		filter.Field = new(string)
	default:
		filter.Field = &f.Field
	}
	return filter
}

// noField stands for failures whose reason names no field.
const noField = "none"

func toFailureFilter(filter failed.Filter) FailureFilter {
	shown := FailureFilter{Slug: filter.Slug, Code: filter.Code, Since: filter.Since, Until: filter.Until,
		Text: filter.Words}
	if filter.Key != uuid.Nil {
		shown.Key = filter.Key.String()
	}
	if filter.Field != nil {
		shown.Field = cmp.Or(*filter.Field, noField)
	}
	return shown
}

// retryOperations retry and dismiss failed imports.
func (s *Server) retryOperations(a *appAPI) {
	const tag, path = "Failed imports", "workspaces/{workspace}/failures/{failure}"
	register(a, operation{
		id: "retryFailure", method: http.MethodPost, path: path + "/retry", tag: tag, needs: auth.RetryFailures, record: true,
		summary: "Send a failed import again",
		about:   "The payload is handled like a live request, with the original or an edited payload. A record that was changed after the failure is not overwritten (412 newer) unless overwrite is set.",
	}, func(ctx context.Context, in *struct {
		OneFailure
		Body struct {
			Payload   *string `json:"payload,omitempty" doc:"The edited payload. Absent sends the original."`
			Overwrite bool    `json:"overwrite,omitempty" example:"false"`

			Seen *uuid.UUID `json:"seen,omitempty" format:"uuid" doc:"The id of the latest attempt that you saw, or all zeros if there was none. If there is a later attempt, the answer is 412 attempted. Absent skips this check."`
		}
	}) (*body[testAnswerJSON], error) {
		again := failed.Again{Overwrite: in.Body.Overwrite, Seen: in.Body.Seen}
		if in.Body.Payload != nil {
			var err error
			if again.Payload, err = s.fits([]byte(*in.Body.Payload)); err != nil {
				return nil, err
			}
		}
		outcome, err := s.Failures.Retry(ctx, by(ctx).Principal, in.Failure, again)
		return toTestAnswer(outcome, err)
	})
	register(a, operation{
		id: "dismissFailure", method: http.MethodPost, path: path + "/dismiss", tag: tag, needs: auth.RetryFailures,
		status:  http.StatusNoContent,
		summary: "Ignore a failed import, with a reason",
	}, func(ctx context.Context, in *struct {
		OneFailure
		Body struct {
			Reason string `json:"reason" minLength:"1" maxLength:"500" example:"A test of the till"`
		}
	}) (*nothing, error) {
		return nil, s.Failures.Dismiss(ctx, by(ctx).Principal, in.Failure, in.Body.Reason)
	})
	register(a, operation{
		id: "reopenFailure", method: http.MethodPost, path: path + "/reopen", tag: tag, needs: auth.RetryFailures,
		status:  http.StatusNoContent,
		summary: "Reopen a dismissed failed import",
	}, func(ctx context.Context, in *OneFailure) (*nothing, error) {
		return nil, s.Failures.Reopen(ctx, by(ctx).Principal, in.Failure)
	})
}

func toFailureJSON(f failed.Failure) failureJSON {
	return failureJSON{
		ID: f.ID, Slug: f.Slug, Status: f.Status, HTTPStatus: f.HTTPStatus, Code: f.Code, Field: f.Field,
		Message: f.Message, RecordKey: f.RecordKey, KeyID: f.KeyID, ByType: string(f.By.Type), ByID: f.By.ID,
		RequestID: f.RequestID, Sequence: f.Sequence.String(), Seen: f.Seen, FirstSeenAt: f.FirstSeenAt.UTC(),
		LastSeenAt: f.LastSeenAt.UTC(), ClosedAt: utc(f.ClosedAt), ClosedReason: f.ClosedReason,
		ClosedHow: f.ClosedHow,
	}
}

func toFailureDetailJSON(detail failed.Detail) failureDetailJSON {
	out := failureDetailJSON{
		Failure: toFailureJSON(detail.Failure), Payload: strings.ToValidUTF8(string(detail.Payload), "\uFFFD"),
		Exact:  utf8.Valid(detail.Payload),
		Errors: []problemField{}, Attempts: []attemptJSON{},
	}
	for _, field := range detail.Errors {
		out.Errors = append(out.Errors, problemField{"#/" + field.Field, field.Code, field.Message})
	}
	for _, attempt := range detail.Attempts {
		shown := attemptJSON{
			ID: attempt.ID, At: attempt.At.UTC(), ByType: string(attempt.By.Type), ByID: attempt.By.ID,
			Status: attempt.HTTPStatus, Code: attempt.Code, Message: attempt.Message, RequestID: attempt.RequestID,
		}
		if attempt.Payload != nil {
			text := string(attempt.Payload)
			shown.Payload = &text
		}
		out.Attempts = append(out.Attempts, shown)
	}
	return out
}
