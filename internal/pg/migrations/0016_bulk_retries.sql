-- +goose Up
-- Retrying many failed imports at once, in the background.
SET LOCAL lock_timeout = '5s';
SET LOCAL statement_timeout = '60s';

-- failure_matches says whether a failed import is meant by a filter. Whatever the filter
-- does not name may be anything; an empty field means those that name no field.
CREATE FUNCTION workspace.failure_matches(
    filter jsonb, slug text, code text, field text, key_id uuid, last_seen_at timestamptz, message text, record_key text
) RETURNS boolean
LANGUAGE sql STABLE PARALLEL SAFE AS $$
    SELECT (filter ->> 'table' IS NULL OR slug = filter ->> 'table')
        AND (filter ->> 'code' IS NULL OR code = filter ->> 'code')
        AND (filter ->> 'field' IS NULL OR coalesce(field, '') = filter ->> 'field')
        AND (filter ->> 'key' IS NULL OR key_id = (filter ->> 'key')::uuid)
        AND (filter ->> 'since' IS NULL OR last_seen_at >= (filter ->> 'since')::timestamptz)
        AND (filter ->> 'until' IS NULL OR last_seen_at < (filter ->> 'until')::timestamptz)
        AND (filter ->> 'text' IS NULL OR position(lower(filter ->> 'text') IN lower(message || ' ' || coalesce(record_key, ''))) > 0)
$$;
REVOKE EXECUTE ON FUNCTION workspace.failure_matches(jsonb, text, text, text, uuid, timestamptz, text, text) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION workspace.failure_matches(jsonb, text, text, text, uuid, timestamptz, text, text) TO quayside_app;

CREATE TABLE workspace.bulk_retries (
    tenant_id uuid NOT NULL,
    id uuid NOT NULL,
    workspace_id uuid NOT NULL,
    status text NOT NULL DEFAULT 'queued' CHECK (status IN ('queued', 'running', 'cancelled', 'done', 'failed')),
    filter jsonb NOT NULL,
    fixes jsonb NOT NULL CHECK (jsonb_typeof(fixes) = 'array'),
    overwrite boolean NOT NULL,
    actor jsonb NOT NULL,
    request_id text NOT NULL,
    total bigint NOT NULL,
    -- What failed later than the start is not meant; what is at or below the cursor is done.
    last_id uuid NOT NULL,
    cursor uuid NOT NULL DEFAULT '00000000-0000-0000-0000-000000000000',
    succeeded bigint NOT NULL DEFAULT 0,
    refused bigint NOT NULL DEFAULT 0,
    newer bigint NOT NULL DEFAULT 0, -- left alone: their rows were changed after the failure
    skipped bigint NOT NULL DEFAULT 0, -- others were retrying them, or had stored them
    cancel_asked boolean NOT NULL DEFAULT false,
    message text NOT NULL DEFAULT '', -- why it failed
    created_at timestamptz NOT NULL DEFAULT now(),
    started_at timestamptz,
    finished_at timestamptz,
    PRIMARY KEY (tenant_id, id),
    CHECK ((finished_at IS NULL) = (status IN ('queued', 'running')))
);
SELECT control.protect('workspace.bulk_retries');
GRANT SELECT, INSERT, UPDATE ON workspace.bulk_retries TO quayside_app;

ALTER TABLE workspace.failed_import_attempts ADD COLUMN bulk_id uuid; -- the bulk retry that it was part of
-- squawk-ignore require-concurrent-index-creation -- the table is young and written by people, not by records
CREATE INDEX failed_import_attempts_bulk ON workspace.failed_import_attempts (tenant_id, bulk_id) WHERE bulk_id IS NOT NULL;
