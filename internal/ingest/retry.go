package ingest

import (
	"cmp"
	"encoding/json"
	"hash/fnv"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"

	"github.com/quayside/quayside/internal/registry"
)

// A retry sends an old payload again. Whether the row is newer is decided by the arrival
// time of the newest data in it: the time of its last change or, if that change was itself a
// retry, the time at which the retried payload had arrived. So the failed imports of a record
// may be retried oldest first, and an older one that is retried last changes nothing.
//
// The statement that writes the row records that time in the attempt. The columns are
//
//	subject, version  the row, and its version after the retry
//	stated_at         when the payload arrived
//	as_of             when the newest data in the row arrived
//
// A retry has the sequence with which its record was sent. If a greater one is stored by then, the retry is stale: that comes
// before the rule above, and overwrite does not change it.
//
// A lock on the record's key is taken before the statement begins, so that the statement sees
// the retries of other instances, even if the row did not exist.

// Attempt is one retry of a failed import. It is written together with the row.
type Attempt struct {
	ID       uuid.UUID  `json:"id"`
	Failure  uuid.UUID  `json:"failure"`
	StatedAt time.Time  `json:"stated_at"`         // when the payload last arrived
	Bulk     *uuid.UUID `json:"bulk,omitempty"`    // the bulk retry that it is part of
	Edited   []byte     `json:"payload,omitempty"` // the payload of the retry, if it was edited
	// Audited is the data of the audit's row, to which the statement adds the answer.
	Audited json.RawMessage `json:"audited"`
}

// retryTerms returns the terms as JSON for the statement, or null if there are none.
func (t Terms) retryTerms() pgtype.Text {
	if t.NotAfter.IsZero() && t.Attempt == nil {
		return pgtype.Text{}
	}
	terms := struct {
		NotAfter *time.Time `json:"not_after,omitempty"`
		*Attempt
	}{Attempt: t.Attempt}
	if !t.NotAfter.IsZero() {
		terms.NotAfter = &t.NotAfter
	}
	text, _ := json.Marshal(terms) // nothing in it can fail
	return asText(string(text))
}

// lockRetries makes concurrent retries of one record wait for each other, across instances,
// until their transaction ends.
func lockRetries(b *pgx.Batch, group []*ticket) {
	var keys []int64
	for _, t := range group {
		if t.record.Attempt == nil {
			continue
		}
		hash := fnv.New64a()
		for _, part := range []string{t.record.By.Tenant.String(), t.record.Slug, t.clean.identity} {
			_, _ = hash.Write(append([]byte(part), 0))
		}
		keys = append(keys, int64(hash.Sum64())) //nolint:gosec // any 64 bits will do
	}
	if len(keys) > 0 {
		slices.SortFunc(keys, cmp.Compare)
		b.Queue("SELECT pg_advisory_xact_lock(k) FROM unnest($1::bigint[]) k", keys)
	}
}

// retryInput selects the terms, in the mode that locks the row before judging it.
func retryInput(how mode) string {
	if !how.locks() {
		return ""
	}
	return ", u.retry::jsonb AS retry"
}

// retryLookup finds two times: as_of of the retry that last changed the row, if nothing else
// has changed it since, and the newest stated_at of all retries. Linking the row and
// converting its values raise its version too, but do not count as a change.
func retryLookup(how mode, table *registry.Table) string {
	if !how.locks() {
		return ""
	}
	linked := literal("ingest."+table.Slug+".linked") + ", " + literal("ingest."+table.Slug+".resolved") + ", " +
		literal(convertedEvent(table.Slug))
	return `
    LEFT JOIN LATERAL (
        SELECT max(p.as_of) FILTER (WHERE s.version - p.version = (
                SELECT count(*) FROM workspace.events e
                WHERE e.tenant_id = p.tenant_id AND e.subject = p.subject AND e.version > p.version AND e.kind IN (` + linked + `)
            )) AS as_of, max(p.stated_at) AS stated_at
        FROM workspace.failed_import_attempts p
        WHERE i.retry IS NOT NULL AND p.tenant_id = i.tenant_id AND p.subject = s.id
    ) p ON true`
}

// retryJudgement selects the terms and begins the expression that refuses to change newer
// rows. In bulk retries an older payload never replaces a newer one. A row is not newer than a
// greater sequence if its last change has the one that is stored.
func (b *builder) retryJudgement() string {
	if !b.mode.locks() {
		return ""
	}
	return `i.retry, coalesce(p.as_of, s.updated_at) AS as_of,
        (coalesce(coalesce(p.as_of, s.updated_at) > (i.retry ->> 'not_after')::timestamptz, false)
            OR coalesce(i.retry ? 'bulk' AND p.stated_at > (i.retry ->> 'stated_at')::timestamptz, false))` + b.withSequences(`
            AND NOT (i.retry IS NOT NULL AND coalesce(length(q.sequence) = length(i.sequence) AND q.sequence < i.sequence, false) AND EXISTS (
                SELECT FROM workspace.events e
                WHERE e.tenant_id = i.tenant_id AND e.subject = s.id AND e.version = s.version AND e.data ->> 'sequence' = q.sequence))`, "") +
		` OR `
}

// retryNote inserts the attempt of each retry whose event was written, and its row of the audit: what is stored was done by
// somebody, also if the process dies before it can note more. The attempt of a stale record says nothing about the row.
func retryNote(how mode) string {
	if !how.locks() {
		return ""
	}
	return `
    RETURNING tenant_id, subject, id, version, data ->> 'result' AS result
), noted AS (
    INSERT INTO workspace.failed_import_attempts
        (tenant_id, failed_id, id, actor, request_id, payload, http_status, code, bulk_id, subject, version, stated_at, as_of)
    SELECT c.tenant_id, (c.retry ->> 'failure')::uuid, (c.retry ->> 'id')::uuid, c.actor, c.request_id,
        decode(c.retry ->> 'payload', 'base64'), 200, e.result, (c.retry ->> 'bulk')::uuid,
        CASE WHEN e.result <> 'stale' THEN e.subject END, CASE WHEN e.result <> 'stale' THEN e.version END,
        CASE WHEN e.result <> 'stale' THEN (c.retry ->> 'stated_at')::timestamptz END,
        CASE WHEN e.result <> 'stale' THEN greatest((c.retry ->> 'stated_at')::timestamptz, c.as_of) END
    FROM emitted e JOIN checked c ON c.tenant_id = e.tenant_id AND c.event_id = e.id
    WHERE c.retry ? 'id'
), audited AS (
    INSERT INTO workspace.audit (tenant_id, id, workspace_id, actor, request_id, action, subject, data)
    SELECT c.tenant_id, (c.retry ->> 'id')::uuid, c.workspace_id, c.actor, c.request_id, 'failure.retried', c.retry ->> 'failure',
        (c.retry -> 'audited') || jsonb_build_object('answer', e.result)
    FROM emitted e JOIN checked c ON c.tenant_id = e.tenant_id AND c.event_id = e.id
    WHERE c.retry ? 'id'`
}
