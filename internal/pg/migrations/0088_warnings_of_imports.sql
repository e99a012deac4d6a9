-- +goose Up
-- What the records of a file were warned of: their number by warning and field, and the first of them.
SET LOCAL lock_timeout = '5s';
SET LOCAL statement_timeout = '60s';

ALTER TABLE workspace.imports ADD COLUMN warned jsonb NOT NULL DEFAULT '[]' CHECK (jsonb_typeof(warned) = 'array');
