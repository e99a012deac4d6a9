-- +goose Up
-- People: users, what they are in which company, their sessions, and the links that
-- invite them or let them choose a new password. A person is not a tenant's: besides
-- the tenants, a transaction may bind one person, who sees their own rows.
SET LOCAL lock_timeout = '5s';
SET LOCAL statement_timeout = '60s';

-- +goose StatementBegin
CREATE FUNCTION control.bound_person() RETURNS uuid
LANGUAGE sql STABLE PARALLEL SAFE AS $$
    SELECT nullif(current_setting('app.person', true), '')::uuid
$$;
-- +goose StatementEnd

REVOKE EXECUTE ON FUNCTION control.bound_person() FROM PUBLIC;
GRANT EXECUTE ON FUNCTION control.bound_person() TO quayside_app, quayside_system;

-- protect_person puts a table of people under row security: a row is seen and written
-- by the person it belongs to, and by nobody else.
-- +goose StatementBegin
CREATE FUNCTION control.protect_person(protected regclass, person_column name DEFAULT 'user_id') RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE format('ALTER TABLE %s ENABLE ROW LEVEL SECURITY', protected);
    EXECUTE format('ALTER TABLE %s FORCE ROW LEVEL SECURITY', protected);
    EXECUTE format('CREATE POLICY person ON %s TO quayside_app USING (%I = (SELECT control.bound_person()))',
        protected, person_column);
END
$$;
-- +goose StatementEnd
REVOKE EXECUTE ON FUNCTION control.protect_person(regclass, name) FROM PUBLIC;

CREATE TABLE control.users (
    id uuid PRIMARY KEY,
    -- Lower case. Global by need: a person signs in before any tenant is known.
    email text COLLATE "C" NOT NULL UNIQUE CHECK (email = lower(email) AND email LIKE '_%@_%' AND length(email) <= 254),
    name text NOT NULL CHECK (btrim(name) <> '' AND length(name) <= 200),
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now()
);
SELECT control.protect_person('control.users', 'id');

-- Apart from the users, whom their companies see.
CREATE TABLE control.passwords (
    user_id uuid PRIMARY KEY REFERENCES control.users (id),
    hash text NOT NULL, -- argon2id, with its parameters
    updated_at timestamptz NOT NULL DEFAULT now()
);
SELECT control.protect_person('control.passwords');

CREATE TABLE control.memberships (
    tenant_id uuid NOT NULL REFERENCES control.tenants (id),
    user_id uuid NOT NULL REFERENCES control.users (id),
    role text NOT NULL CHECK (role IN ('company_admin', 'approver', 'buyer', 'viewer')),
    version bigint NOT NULL DEFAULT 1,
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (tenant_id, user_id)
);
CREATE INDEX memberships_of_person ON control.memberships (user_id);
SELECT control.protect('control.memberships');
-- A company sees who its people are. Row security of memberships holds inside.
CREATE POLICY members ON control.users FOR SELECT TO quayside_app
    USING (EXISTS (SELECT FROM control.memberships m WHERE m.user_id = users.id));

CREATE TABLE control.sessions (
    id uuid PRIMARY KEY,
    user_id uuid NOT NULL REFERENCES control.users (id),
    -- SHA-256 of the token that the cookie holds.
    token_hash bytea NOT NULL CHECK (octet_length(token_hash) = 32),
    user_agent text NOT NULL DEFAULT '' CHECK (length(user_agent) <= 400),
    address text NOT NULL DEFAULT '',
    created_at timestamptz NOT NULL DEFAULT now(),
    last_seen_at timestamptz NOT NULL DEFAULT now(),
    expires_at timestamptz NOT NULL
);
CREATE INDEX sessions_token ON control.sessions (token_hash);
CREATE INDEX sessions_of_person ON control.sessions (user_id);
SELECT control.protect_person('control.sessions');

CREATE TABLE control.password_resets (
    id uuid PRIMARY KEY,
    user_id uuid NOT NULL REFERENCES control.users (id),
    token_hash bytea NOT NULL CHECK (octet_length(token_hash) = 32),
    -- Who handed the link over, and in which company. Empty: it was mailed, or whoever
    -- runs the service made it.
    made_by uuid,
    tenant_id uuid,
    created_at timestamptz NOT NULL DEFAULT now(),
    expires_at timestamptz NOT NULL,
    CHECK ((made_by IS NULL) = (tenant_id IS NULL))
);
CREATE INDEX password_resets_token ON control.password_resets (token_hash);
CREATE INDEX password_resets_of_person ON control.password_resets (user_id);
SELECT control.protect_person('control.password_resets');

CREATE TABLE control.invitations (
    tenant_id uuid NOT NULL REFERENCES control.tenants (id),
    id uuid NOT NULL,
    email text COLLATE "C" NOT NULL CHECK (email = lower(email) AND email LIKE '_%@_%' AND length(email) <= 254),
    role text NOT NULL CHECK (role IN ('company_admin', 'approver', 'buyer', 'viewer')),
    token_hash bytea NOT NULL CHECK (octet_length(token_hash) = 32),
    -- Empty: whoever runs the service, at its command line.
    invited_by uuid,
    created_at timestamptz NOT NULL DEFAULT now(),
    expires_at timestamptz NOT NULL,
    PRIMARY KEY (tenant_id, id)
);
-- One open invitation for a person: inviting again replaces the link.
CREATE UNIQUE INDEX invitations_email ON control.invitations (tenant_id, email);
CREATE INDEX invitations_token ON control.invitations (token_hash);
SELECT control.protect('control.invitations');

-- How often somebody tried, by a hash of what they tried with: no tenant and nothing
-- readable in it.
CREATE TABLE control.throttles (
    subject bytea PRIMARY KEY CHECK (octet_length(subject) = 32),
    tries bigint NOT NULL,
    since timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX throttles_since ON control.throttles (since);

ALTER TABLE control.workspaces ADD COLUMN version bigint NOT NULL DEFAULT 1;
ALTER TABLE workspace.api_keys ADD COLUMN created_by uuid; -- a user; empty: the command line
ALTER TABLE workspace.api_keys ADD COLUMN replaced_by uuid; -- the key that a rotation made

GRANT SELECT, INSERT, UPDATE (name, updated_at) ON control.users TO quayside_app;
GRANT SELECT, INSERT, UPDATE (hash, updated_at) ON control.passwords TO quayside_app;
GRANT SELECT, INSERT, UPDATE (role, version, updated_at), DELETE ON control.memberships TO quayside_app;
GRANT SELECT, INSERT, UPDATE (last_seen_at, address, expires_at), DELETE ON control.sessions TO quayside_app;
GRANT SELECT, INSERT, DELETE ON control.password_resets TO quayside_app;
GRANT SELECT, INSERT, UPDATE (role, token_hash, invited_by, created_at, expires_at), DELETE ON control.invitations TO quayside_app;
GRANT SELECT, INSERT, UPDATE, DELETE ON control.throttles TO quayside_app;
GRANT UPDATE (replaced_by) ON workspace.api_keys TO quayside_app;

-- Who is it that shows this token or this address? Asked before a tenant is known.
CREATE POLICY system_reads ON control.users FOR SELECT TO quayside_system USING (true);
CREATE POLICY system_reads ON control.passwords FOR SELECT TO quayside_system USING (true);
CREATE POLICY system_reads ON control.memberships FOR SELECT TO quayside_system USING (true);
CREATE POLICY system_reads ON control.sessions FOR SELECT TO quayside_system USING (true);
CREATE POLICY system_reads ON control.password_resets FOR SELECT TO quayside_system USING (true);
CREATE POLICY system_reads ON control.invitations FOR SELECT TO quayside_system USING (true);
CREATE POLICY system_reads ON control.tenants FOR SELECT TO quayside_system USING (true);
GRANT SELECT ON control.users, control.passwords, control.memberships, control.sessions, control.password_resets,
    control.invitations, control.tenants TO quayside_system;
