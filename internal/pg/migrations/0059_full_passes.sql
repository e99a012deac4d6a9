-- +goose Up
-- The sweep reads what is new from the outbox. What it can miss is found by a pass through everything
-- that waits: once a night, in slices. The place is kept, so that another instance can go on.
SET LOCAL lock_timeout = '5s';
SET LOCAL statement_timeout = '60s';

CREATE TABLE control.full_passes (
    name text COLLATE "C" PRIMARY KEY,
    began_at timestamptz NOT NULL DEFAULT now(),
    -- The last row that was looked at; empty: none yet.
    place text[] NOT NULL,
    finished_at timestamptz
);
GRANT SELECT, INSERT, UPDATE ON control.full_passes TO quayside_system;
