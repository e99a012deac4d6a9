-- +goose Up
-- Whether a silence is usual is judged by the hours in which a source was heard a week before.
SET LOCAL lock_timeout = '5s';
SET LOCAL statement_timeout = '60s';

-- Two weeks instead of 8 days, unless an operator has chosen another number: a silence is judged for up to four days.
UPDATE control.retention SET kept_days = 14 WHERE name = 'source_hours' AND kept_days = 8;

-- How long the oldest audit row has waited for its seal. Ids begin with the time.
-- squawk-ignore require-concurrent-index-creation -- the table holds only what waits, some seconds' worth
CREATE INDEX audit_unsealed_oldest ON workspace.audit_unsealed (id);
GRANT SELECT (id) ON workspace.audit_unsealed TO quayside_system;
