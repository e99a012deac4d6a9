package mcpserver

import (
	"context"

	"github.com/google/uuid"

	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/failed"
	"github.com/quayside/quayside/internal/fault"
	"github.com/quayside/quayside/internal/ingest"
)

type (
	failedImportRetryIn struct {
		ID      uuid.UUID `json:"id" jsonschema:"The id, from failed_import_list."`
		Payload object    `json:"payload,omitzero" jsonschema:"The whole corrected record. Default: the record as it was sent."`
		Confirm bool      `json:"confirm,omitzero" jsonschema:"false shows what would happen and changes nothing; true does it."`
		Run     string    `json:"run_id,omitzero" jsonschema:"The run that this call belongs to, for the audit log."`
	}
	failedImportRetryOut struct {
		Notice  string        `json:"notice"`
		ID      uuid.UUID     `json:"id"`
		Stored  bool          `json:"stored" jsonschema:"The record was stored, and the failed import is resolved."`
		Would   bool          `json:"would_be_stored" jsonschema:"For a preview: whether confirm would store the record."`
		Result  ingest.Result `json:"result,omitempty" jsonschema:"created, updated, unchanged, or stale: a newer delivery is stored; confirm closes the import."`
		Dropped []string      `json:"dropped,omitempty" jsonschema:"Fields that the table does not accept."`
		Coerced []string      `json:"coerced,omitempty" jsonschema:"Fields that are converted before they are stored."`
		Cut     bool          `json:"cut,omitzero" jsonschema:"There are more such fields than are listed."`
		Refusal string        `json:"refusal,omitempty" jsonschema:"For a preview: why the record would be refused."`
		Errors  []fault.Field `json:"errors,omitempty" jsonschema:"All errors."`
	}
)

func failedImportRetry(s *Server) tool {
	return define(about{
		name: "failed_import_retry", title: "Retry a failed import", needs: auth.RetryFailures, changes: true, replaces: true,
		repeatable: true,
		description: "Sends a refused record again, unchanged or corrected. Without confirm it only shows what would happen: check that, then call again with the same arguments and confirm. " +
			"Change only fields that the errors name, and repeat all others exactly as they were sent; anything else is refused. A record that was changed after the failure is not overwritten. Only people can retry purchase order lines and failed imports that a person has dismissed.",
	}, func(ctx context.Context, by auth.Principal, in failedImportRetryIn) (failedImportRetryOut, error) {
		if int64(len(in.Payload.Value)) > s.MaxBody {
			return failedImportRetryOut{},
				fault.New(fault.TooLarge, "too_large", "the record is larger than %d KiB", s.MaxBody>>10)
		}
		again := failed.Again{Payload: in.Payload.Value}
		if in.Confirm {
			outcome, err := s.Failures.Retry(ctx, by, in.ID, again)
			return retried(in, outcome), err
		}
		outcome, err := s.Failures.Rehearse(ctx, by, in.ID, again)
		out := retried(in, outcome)
		if fault.Is(err, fault.Invalid) || fault.Is(err, fault.BadRequest) || fault.HasCode(err, "newer") {
			_, public := fault.Public(err)
			out.Would, out.Errors = false, fields(public.Fields)
			out.Refusal, _ = clip(public.Message, mostText/4)
			return out, nil
		}
		return out, err
	})
}

func retried(in failedImportRetryIn, outcome ingest.Outcome) failedImportRetryOut {
	out := failedImportRetryOut{Notice: notice, ID: in.ID, Result: outcome.Result}
	if outcome.Result != ingest.Stale {
		out.Stored, out.Would = in.Confirm, !in.Confirm
	}
	var more bool
	out.Dropped, out.Cut = clipAll(outcome.Dropped, mostText/20, mostText/2)
	out.Coerced, more = clipAll(outcome.Coerced, mostText/20, mostText/2)
	out.Cut = out.Cut || more
	return out
}
