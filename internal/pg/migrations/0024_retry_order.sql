-- +goose Up
-- The order of a record's retries. A retry that stored its record notes with the row which
-- version of it that made, and how new the row is by what its senders said.
SET LOCAL lock_timeout = '5s';
SET LOCAL statement_timeout = '60s';

ALTER TABLE workspace.failed_import_attempts ADD COLUMN subject text COLLATE "C"; -- the row that it stored
ALTER TABLE workspace.failed_import_attempts ADD COLUMN version bigint; -- of that row, then
ALTER TABLE workspace.failed_import_attempts ADD COLUMN stated_at timestamptz; -- when the payload came last
-- The time of the newest statement in the row: stated_at, or later when the retry overwrote something newer.
ALTER TABLE workspace.failed_import_attempts ADD COLUMN as_of timestamptz;
-- squawk-ignore require-concurrent-index-creation -- it is empty: the column is new
CREATE INDEX failed_import_attempts_subject ON workspace.failed_import_attempts (tenant_id, subject) WHERE subject IS NOT NULL;

-- Failures are retried in the order in which they were last seen; the cursor is a place in it.
ALTER TABLE workspace.bulk_retries ADD COLUMN cursor_seen_at timestamptz NOT NULL DEFAULT '1970-01-01 00:00:00+00';
