-- +goose Up
-- Browsers in which a person has signed in before. A try to sign in from one of them counts
-- for itself, so that somebody else's wrong passwords do not lock the person out.
SET LOCAL lock_timeout = '5s';
SET LOCAL statement_timeout = '60s';

CREATE TABLE control.browsers (
    -- SHA-256 of the token that the browser's cookie holds.
    token_hash bytea PRIMARY KEY CHECK (octet_length(token_hash) = 32),
    user_id uuid NOT NULL REFERENCES control.users (id),
    created_at timestamptz NOT NULL DEFAULT now(),
    expires_at timestamptz NOT NULL
);
CREATE INDEX browsers_of_person ON control.browsers (user_id);
SELECT control.protect_person('control.browsers');
GRANT SELECT, INSERT, UPDATE (expires_at), DELETE ON control.browsers TO quayside_app;

-- Asked while somebody signs in: whose browser is it?
CREATE POLICY system_reads ON control.browsers FOR SELECT TO quayside_system USING (true);
GRANT SELECT ON control.browsers TO quayside_system;

-- The hourly chore deletes what has expired, of all tenants and people, and can delete
-- nothing else. It reads whole tables, which are small: an index over expires_at would be
-- written by every call that keeps a session alive.
CREATE POLICY system_tidies ON control.browsers FOR DELETE TO quayside_system USING (expires_at <= now());
CREATE POLICY system_tidies ON control.sessions FOR DELETE TO quayside_system USING (expires_at <= now());
CREATE POLICY system_tidies ON control.password_resets FOR DELETE TO quayside_system USING (expires_at <= now());
CREATE POLICY system_tidies ON control.invitations FOR DELETE TO quayside_system USING (expires_at <= now());
GRANT DELETE ON control.browsers, control.sessions, control.password_resets, control.invitations TO quayside_system;
