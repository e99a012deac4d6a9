-- +goose Up
-- When a line is split, what was suggested for it is divided with it.
SET LOCAL lock_timeout = '5s';
SET LOCAL statement_timeout = '60s';

GRANT UPDATE (raw_quantity, suggested_quantity) ON workspace.line_suggestions TO quayside_app;
