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

// A retry sends what its sender said some time ago. Whether the row has something newer is
// decided by the time of the newest statement in it: the time of its last change or, when that
// change was itself a retry, the time at which the retried payload had come. So a record's
// failed imports may be retried one after the other, oldest first, and an older one that
// is retried last is left alone.
//
// That time is noted in the attempt, by the statement that writes the row. The columns are
//
//	subject, version  the row, and its version then
//	stated_at         when the payload came
//	as_of             the time of the newest statement in the row
//
// They are judged under a lock on the record's key that is taken before the statement begins: what
// another instance has retried is then visible to it, also if the row did not exist.

// Attempt is a try of a failed import. It is written with the row, if the record is stored.
type Attempt struct {
	ID       uuid.UUID  `json:"id"`
	Failure  uuid.UUID  `json:"failure"`
	StatedAt time.Time  `json:"stated_at"`         // when the payload came last
	Bulk     *uuid.UUID `json:"bulk,omitempty"`    // the bulk retry that it is part of
	Edited   []byte     `json:"payload,omitempty"` // what was sent, unless it was what came
}

// retryTerms are the terms as the statement reads them.
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

// lockRetries has retries of one record wait for each other, on every instance, until their
// transaction ends.
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

// retryInput reads the terms, where the row is locked before it is judged.
func retryInput(how mode) string {
	if how != insist {
		return ""
	}
	return ", u.retry::jsonb AS retry"
}

// retryLookup finds the newest statement that retries have brought into the row, if its version
// is still theirs, and the newest that they ever stored. Linking a row to a record that came later
// raises its version and states nothing.
func retryLookup(how mode, table *registry.Table) string {
	if how != insist {
		return ""
	}
	linked := literal("ingest."+table.Slug+".linked") + ", " + literal("ingest."+table.Slug+".resolved")
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

// retryJudgement adds to a record's columns what it needs of its terms, and begins the
// expression that leaves newer rows alone. Of several payloads that one bulk retry sends, or
// another has sent, an older one never replaces a newer one.
func retryJudgement(how mode) string {
	if how != insist {
		return ""
	}
	return `i.retry, coalesce(p.as_of, s.updated_at) AS as_of,
        coalesce(coalesce(p.as_of, s.updated_at) > (i.retry ->> 'not_after')::timestamptz, false)
            OR coalesce(i.retry ? 'bulk' AND p.stated_at > (i.retry ->> 'stated_at')::timestamptz, false) OR `
}

// retryNote writes the attempt of a retry whose event was written.
func retryNote(how mode) string {
	if how != insist {
		return ""
	}
	return `
    RETURNING tenant_id, subject, id, version, data ->> 'result' AS result
), noted AS (
    INSERT INTO workspace.failed_import_attempts
        (tenant_id, failed_id, id, actor, request_id, payload, http_status, code, bulk_id, subject, version, stated_at, as_of)
    SELECT c.tenant_id, (c.retry ->> 'failure')::uuid, (c.retry ->> 'id')::uuid, c.actor, c.request_id,
        decode(c.retry ->> 'payload', 'base64'), 200, e.result, (c.retry ->> 'bulk')::uuid, e.subject, e.version,
        (c.retry ->> 'stated_at')::timestamptz, greatest((c.retry ->> 'stated_at')::timestamptz, c.as_of)
    FROM emitted e JOIN checked c ON c.tenant_id = e.tenant_id AND c.event_id = e.id
    WHERE c.retry ? 'id'`
}
