package mcpserver

import (
	"context"
	"time"

	"github.com/google/uuid"

	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/fault"
)

type (
	failedImportGetIn struct {
		ID uuid.UUID `json:"id" jsonschema:"The id, from failed_import_list."`
	}
	failedImportGetOut struct {
		Notice     string           `json:"notice"`
		Import     listedFailure    `json:"import"`
		Payload    string           `json:"payload" jsonschema:"What was sent."`
		PayloadCut bool             `json:"payload_cut,omitzero" jsonschema:"The payload is longer than shown. Do not edit and retry it from here."`
		Errors     []fault.Field    `json:"errors" jsonschema:"All errors."`
		SentBy     string           `json:"sent_by" jsonschema:"What kind of caller sent it: key, user or agent."`
		ClosedAs   *string          `json:"closed_reason,omitzero"`
		Attempts   []failureAttempt `json:"attempts" jsonschema:"Retries, the latest first."`
	}
	failureAttempt struct {
		At      time.Time `json:"at"`
		By      string    `json:"by"`
		Edited  bool      `json:"edited"`
		Code    string    `json:"code" jsonschema:"created, updated or unchanged if stored; stale if a newer one is; else the reason."`
		Message string    `json:"message,omitempty"`
	}
)

const mostAttempts = 20

func failedImportGet(s *Server) tool {
	return define(about{
		name: "failed_import_get", title: "Show a failed import", needs: auth.ReadFailures,
		description: "Shows one record that was refused: what was sent, all its errors, and the retries since then.",
	}, func(ctx context.Context, by auth.Principal, in failedImportGetIn) (out failedImportGetOut, err error) {
		detail, err := s.Failures.Get(ctx, by, in.ID)
		if err != nil {
			return out, err
		}
		out = failedImportGetOut{Notice: notice, Import: toListedFailure(detail.Failure), SentBy: string(detail.By.Type),
			ClosedAs: detail.ClosedReason}
		out.Payload, out.PayloadCut = clip(string(detail.Payload), mostText)
		out.Errors = fields(detail.Errors)
		for _, attempt := range detail.Attempts[:min(len(detail.Attempts), mostAttempts)] {
			message, _ := clip(attempt.Message, mostText/40)
			out.Attempts = append(out.Attempts,
				failureAttempt{
					At: attempt.At.UTC(), By: string(attempt.By.Type), Edited: attempt.Payload != nil,
					Code: attempt.Code, Message: message,
				})
		}
		return out, nil
	})
}
