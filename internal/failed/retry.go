package failed

import (
	"bytes"
	"context"
	"encoding/json"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/quayside/quayside/internal/audit"
	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/fault"
	"github.com/quayside/quayside/internal/ingest"
	"github.com/quayside/quayside/internal/mend"
	"github.com/quayside/quayside/internal/pg/q"
	"github.com/quayside/quayside/internal/telemetry"
)

// Again says how a failure is tried again.
type Again struct {
	Payload   []byte     // edited; nil: the original payload
	Fixes     []mend.Fix // made to the payload
	Overwrite bool       // overwrite a row that was changed after the failure

	// Seen is the latest attempt that the caller knows of, or uuid.Nil for none. If there is a
	// later one, the retry is refused. nil: no such check.
	Seen *uuid.UUID

	key  string     // the identity that the record must have
	bulk *uuid.UUID // the bulk retry that this is part of
}

// Retry sends a failed record again. If the retry is refused, the failure stays open, the
// attempt is recorded and the refusal is returned. If a newer delivery of the record is stored,
// the outcome is Stale: nothing is stored, and the failure is closed. Of two concurrent retries,
// one gets a Conflict.
func (s *Service) Retry(ctx context.Context, by auth.Principal, id uuid.UUID, again Again) (ingest.Outcome, error) {
	if err := by.Require(auth.RetryFailures); err != nil {
		return ingest.Outcome{}, err
	}
	again, err := s.checkToken(ctx, by, id, again)
	if err != nil {
		return ingest.Outcome{}, err
	}
	outcome, refusal, err := s.retry(ctx, by, id, again)
	if refusal != nil {
		return ingest.Outcome{}, refusal
	}
	return outcome, err
}

// Rehearse returns what Retry would return, and stores nothing.
func (s *Service) Rehearse(ctx context.Context, by auth.Principal, id uuid.UUID, again Again) (ingest.Outcome, error) {
	again, err := s.checkToken(ctx, by, id, again)
	if err != nil {
		return ingest.Outcome{}, err
	}
	failure, err := s.Get(ctx, by, id)
	switch {
	case err != nil:
		return ingest.Outcome{}, err
	case failure.Status == Resolved:
		return ingest.Outcome{}, errResolved
	}
	terms := ingest.Terms{Sequence: string(failure.Sequence), NotAfter: failure.LastSeenAt, Key: again.key, External: failure.By.Type == auth.ByKey,
		Origin: origin(failure.KeyID, failure.Payload)}
	if again.Payload == nil {
		again.Payload = failure.Payload
	}
	if edited := !bytes.Equal(again.Payload, failure.Payload); edited {
		terms.External = false
		if err := mayCorrect(by, failure.Payload, again.Payload, failure.Errors); err != nil {
			return ingest.Outcome{}, err
		}
	}
	return s.records.Rehearse(ctx, by, failure.Slug, again.Payload, terms)
}

// guarded is the table that tokens may not retry, since its records order goods.
const guarded = "purchase_order_lines"

// checkToken limits what tokens of assistants and agents may retry. They may not retry dismissed
// imports, nor purchase order lines, by which an agent could order without approval. A correction
// must keep the identity of the record that failed; which fields it may change is decided by mayCorrect.
func (s *Service) checkToken(ctx context.Context, by auth.Principal, id uuid.UUID, again Again) (Again, error) {
	if by.Token == uuid.Nil {
		return again, nil
	}
	failure, err := s.Get(ctx, by, id)
	edited := again.Payload != nil && !bytes.Equal(again.Payload, failure.Payload)
	switch {
	case err != nil:
		return again, err
	case failure.Status == Ignored:
		return again, fault.New(fault.Forbidden, "dismissed",
			"a person has dismissed this import; only a person can retry it")
	case failure.Slug == guarded:
		return again, fault.New(fault.Forbidden, "not_by_token",
			"purchase order lines that failed are retried by people; to order, draft a line with purchase_order_draft_create")
	case edited && failure.RecordKey == nil:
		return again, fault.New(fault.Forbidden, "not_by_token",
			"nothing in this import says which record it is, so only a person can correct it; it can be retried as it came")
	case edited:
		again.key = *failure.RecordKey
	}
	return again, nil
}

// retry returns a refusal, which is recorded as an attempt, apart from an error that kept
// the record from being tried at all.
func (s *Service) retry(ctx context.Context, by auth.Principal, id uuid.UUID, again Again) (
	outcome ingest.Outcome, refusal, err error) {
	claim, stored, err := s.claim(ctx, by, id, again.bulk)
	if err != nil {
		return outcome, nil, err
	}
	if stored != nil { // by this bulk retry, before its process died
		outcome.Result = ingest.Result(*stored)
		return outcome, nil, s.resolve(ctx, by, id, *stored)
	}
	if err := s.unseen(ctx, by, id, again.Seen); err != nil {
		_ = s.release(ctx, by, id) // or the claim runs out
		return outcome, nil, err
	}
	payload, edited := claim.Payload, []byte(nil)
	if again.Payload != nil && !bytes.Equal(again.Payload, claim.Payload) {
		payload, edited = again.Payload, again.Payload
	}
	if len(again.Fixes) > 0 {
		var changed bool
		if payload, changed, refusal = mend.Payload(again.Fixes, payload); changed {
			edited = payload
		}
	}
	if refusal == nil && edited != nil {
		var errors []fault.Field
		if err := json.Unmarshal(claim.Errors, &errors); err != nil {
			return outcome, nil, err
		}
		refusal = mayCorrect(by, claim.Payload, edited, errors)
	}
	attempt := &ingest.Attempt{ID: uuid.Must(uuid.NewV7()), Failure: id, StatedAt: claim.LastSeenAt, Bulk: again.bulk,
		Edited: edited}
	if attempt.Audited, err = (audit.Data{"edited": edited != nil}).Text(by); err != nil {
		return outcome, nil, err
	}
	if refusal == nil {
		terms := ingest.Terms{Sequence: claim.Sequence, NotAfter: claim.LastSeenAt, Key: again.key, Attempt: attempt, External: edited == nil &&
			claim.Actor == nil, Origin: origin(claim.KeyID, claim.Payload)}
		if claim.Actor != nil {
			terms.Sender = &auth.Actor{}
			if err := json.Unmarshal(claim.Actor, terms.Sender); err != nil {
				return outcome, nil, err
			}
		}
		if again.Overwrite {
			terms.NotAfter = time.Time{}
		}
		outcome, refusal = s.records.Retry(ctx, by, claim.Slug, payload, terms)
	}
	// The result must be recorded even if the caller has hung up.
	ctx = context.WithoutCancel(ctx)
	switch {
	case fault.Is(refusal, fault.Unavailable):
		_ = s.release(ctx, by, id) // or the claim runs out
		return outcome, nil, refusal
	case refusal == nil:
		return outcome, nil, s.resolve(ctx, by, id, string(outcome.Result))
	}
	return outcome, refusal, s.refuse(ctx, by, attempt, refusal)
}

// unseen refuses a retry whose caller has not seen the latest attempt. It runs while the
// failure is claimed, so that no attempt comes between this check and the retry.
func (s *Service) unseen(ctx context.Context, by auth.Principal, id uuid.UUID, seen *uuid.UUID) error {
	if seen == nil {
		return nil
	}
	return s.cells.InTenant(ctx, by.Tenant, func(tx pgx.Tx) error {
		attempts, err := q.New(tx).ListAttempts(ctx, q.ListAttemptsParams{TenantID: by.Tenant, FailedID: id})
		if err != nil {
			return err
		}
		var latest uuid.UUID
		if len(attempts) > 0 {
			latest = attempts[0].ID
		}
		if latest != *seen {
			return fault.New(fault.Stale, "attempted", "somebody else has retried this import since you opened it")
		}
		return nil
	})
}

// resolve closes a failure whose retry was stored, or has become pointless. The audit has a row of it already.
func (s *Service) resolve(ctx context.Context, by auth.Principal, id uuid.UUID, result string) error {
	return s.cells.InTenant(ctx, by.Tenant, func(tx pgx.Tx) error {
		return resolveIn(ctx, tx, by, id, result)
	})
}

func resolveIn(ctx context.Context, tx pgx.Tx, by auth.Principal, id uuid.UUID, result string) error {
	reason := "stored by a retry"
	if result == string(ingest.Stale) {
		reason = "a newer delivery of the record is stored"
	}
	return q.New(tx).ResolveFailure(ctx,
		q.ResolveFailureParams{TenantID: by.Tenant, ID: id, Actor: by.Actor.JSON(), Reason: &reason})
}

// refuse records a refused attempt. If an attempt with this id exists, the retry was stored
// although its answer was lost, and refuse closes the failure instead.
func (s *Service) refuse(ctx context.Context, by auth.Principal, made *ingest.Attempt, refusal error) error {
	status, public := fault.Public(refusal)
	row := q.InsertRefusedAttemptParams{
		TenantID: by.Tenant, FailedID: made.Failure, ID: made.ID, Actor: by.Actor.JSON(), RequestID: telemetry.RequestID(ctx),
		Payload: made.Edited, HttpStatus: int64(status), Code: public.Code, Message: public.Message, BulkID: made.Bulk,
	}
	return s.cells.InTenant(ctx, by.Tenant, func(tx pgx.Tx) error {
		queries := q.New(tx)
		added, err := queries.InsertRefusedAttempt(ctx, row)
		switch {
		case err != nil:
			return err
		case added == 0:
			return resolveIn(ctx, tx, by, made.Failure, "stored")
		}
		data := audit.Data{"edited": made.Edited != nil, "answer": row.Code}
		if err := audit.Record(ctx, tx, by, "failure.retried", made.Failure.String(), data); err != nil {
			return err
		}
		return queries.ReleaseFailure(ctx, q.ReleaseFailureParams{TenantID: by.Tenant, ID: made.Failure})
	})
}

func (s *Service) release(ctx context.Context, by auth.Principal, id uuid.UUID) error {
	return s.cells.InTenant(ctx, by.Tenant, func(tx pgx.Tx) error {
		return q.New(tx).ReleaseFailure(ctx, q.ReleaseFailureParams{TenantID: by.Tenant, ID: id})
	})
}

// claim reserves a failure for one retry at a time, or returns why it cannot be retried.
// stored is the attempt by which this bulk retry has stored it already, or nil.
func (s *Service) claim(ctx context.Context, by auth.Principal, id uuid.UUID, bulk *uuid.UUID) (
	claim q.ClaimFailureRow, stored *string, err error,
) {
	err = s.cells.InTenant(ctx, by.Tenant, func(tx pgx.Tx) (err error) {
		queries := q.New(tx)
		claim, err = queries.ClaimFailure(ctx,
			q.ClaimFailureParams{TenantID: by.Tenant, WorkspaceID: by.Workspace, ID: id, BulkID: bulk})
		if err != nil || bulk == nil {
			return err
		}
		attempts, err := queries.ListStoredAttempts(ctx,
			q.ListStoredAttemptsParams{TenantID: by.Tenant, FailedID: id, BulkID: *bulk})
		if len(attempts) > 0 {
			stored = &attempts[0]
		}
		return err
	})
	if !fault.Is(err, fault.NotFound) {
		return claim, stored, err
	}
	failure, err := s.Get(ctx, by, id)
	switch {
	case err != nil:
		return claim, nil, err
	case failure.Status == Resolved:
		return claim, nil, errResolved
	}
	return claim, nil, fault.New(fault.Conflict, "retrying", "somebody is retrying this import right now")
}

var errResolved = fault.New(fault.Conflict, "resolved", "this import is stored already; there is nothing to retry")

const longestReason = 500

// Dismiss closes an open failure by hand, with a reason for later readers.
func (s *Service) Dismiss(ctx context.Context, by auth.Principal, id uuid.UUID, reason string) error {
	if err := by.Require(auth.RetryFailures); err != nil {
		return err
	}
	reason = strings.TrimSpace(reason)
	if reason == "" || strings.ContainsRune(reason, 0) || utf8.RuneCountInString(reason) > longestReason {
		return fault.InField("reason", "reason", "say in at most %d characters why it can be ignored", longestReason)
	}
	return s.change(ctx, by, id, "dismissed", "open", func(queries *q.Queries) (int64, error) {
		return queries.DismissFailure(ctx, q.DismissFailureParams{TenantID: by.Tenant, WorkspaceID: by.Workspace, ID: id,
			Reason: &reason, Actor: by.Actor.JSON()})
	})
}

// Reopen undoes a dismissal.
func (s *Service) Reopen(ctx context.Context, by auth.Principal, id uuid.UUID) error {
	if err := by.Require(auth.RetryFailures); err != nil {
		return err
	}
	return s.change(ctx, by, id, "reopened", "ignored, or the same payload has failed again since",
		func(queries *q.Queries) (int64, error) {
			return queries.ReopenFailure(ctx, q.ReopenFailureParams{TenantID: by.Tenant, WorkspaceID: by.Workspace, ID: id})
		})
}

// change runs a change of status. It returns a Conflict if the failure's status does not
// permit the change, and NotFound if there is no such failure.
func (s *Service) change(ctx context.Context, by auth.Principal, id uuid.UUID, verb, must string,
	change func(*q.Queries) (int64, error)) error {
	var changed int64
	err := s.cells.InTenant(ctx, by.Tenant, func(tx pgx.Tx) (err error) {
		if changed, err = change(q.New(tx)); err != nil || changed == 0 {
			return err
		}
		return audit.Record(ctx, tx, by, audit.Action("failure."+verb), id.String(), nil)
	})
	if err != nil || changed > 0 {
		return err
	}
	if _, err := s.Get(ctx, by, id); err != nil {
		return err
	}
	return fault.New(fault.Conflict, "status", "this import is not %s", must)
}
