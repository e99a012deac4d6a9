-- +goose Up
-- A table of a company's own may name one of its columns as the sequence of its records (docs/decisions/0043).
SET LOCAL lock_timeout = '5s';
SET LOCAL statement_timeout = '60s';

-- squawk-ignore constraint-missing-not-valid -- the new column is empty
ALTER TABLE workspace.registry_tables ADD COLUMN sequence_column text COLLATE "C"
    CHECK (sequence_column IS NULL OR storage = 'records');
