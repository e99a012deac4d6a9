-- +goose Up
-- A company may be suspended, and may be about to be deleted.
SET LOCAL lock_timeout = '5s';
SET LOCAL statement_timeout = '60s';

ALTER TABLE control.tenants
    ADD COLUMN suspended_at timestamptz,
    ADD COLUMN suspended_because text NOT NULL DEFAULT '',
    ADD COLUMN delete_after timestamptz;

-- Set for all keys of a suspended company: the statement that stores a record confirms its key, and
-- instances remember keys. A key that they do not remember is refused by its company.
ALTER TABLE workspace.api_keys ADD COLUMN suspended boolean NOT NULL DEFAULT false;
GRANT UPDATE (suspended) ON workspace.api_keys TO quayside_app;
