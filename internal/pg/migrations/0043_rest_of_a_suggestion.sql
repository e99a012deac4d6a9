-- +goose Up
-- A suggestion can be ordered in two parts: a line with less than suggested, and the rest on a later
-- day.
SET LOCAL lock_timeout = '5s';
SET LOCAL statement_timeout = '60s';

ALTER TABLE workspace.line_suggestions ADD COLUMN rest_on date; -- null: nobody said when
