-- +goose Up
-- Alerts: imports that begin to fail, sources that refuse too much, sources that have
-- gone silent. The figures that they are judged by are summed in memory and flushed with
-- the others; no record pays for them.
SET LOCAL lock_timeout = '5s';
SET LOCAL statement_timeout = '60s';

-- When anything came, stored or refused. last_record_at is of what was stored.
ALTER TABLE workspace.source_figures ADD COLUMN last_seen_at timestamptz;

-- What came in by the minute, in a ring: a minute takes the place of the one sixteen
-- minutes before it, so that nothing has to be deleted.
CREATE TABLE workspace.source_minutes (
    tenant_id uuid NOT NULL,
    workspace_id uuid NOT NULL,
    slug text COLLATE "C" NOT NULL,
    place bigint NOT NULL CHECK (place BETWEEN 0 AND 15),
    minute timestamptz NOT NULL,
    accepted bigint NOT NULL,
    failed bigint NOT NULL,
    PRIMARY KEY (tenant_id, workspace_id, slug, place)
);
-- Who has had failures lately is asked all the time; sources without any are not in it.
CREATE INDEX source_minutes_failing ON workspace.source_minutes (minute) WHERE failed > 0;

-- How often a source is heard of. What comes within a quarter of an hour after a visit's
-- start belongs to that visit; gaps are the seconds between the starts of visits, the
-- latest fifty.
--
-- The usual gap is the median over time: half of the time went by in gaps that are no longer.
-- To a regular source that is the gap; a daily import that takes an hour is a daily one,
-- though most of its gaps are a quarter of an hour.
-- +goose StatementBegin
CREATE FUNCTION workspace.usual_gap(gaps bigint[]) RETURNS bigint
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT coalesce(min(gap), 0) FROM (
        SELECT gap, sum(gap) OVER (ORDER BY gap) AS up_to, sum(gap) OVER () AS total FROM unnest(gaps) gap
    ) g WHERE 2 * up_to >= total
$$;
-- +goose StatementEnd
REVOKE EXECUTE ON FUNCTION workspace.usual_gap(bigint[]) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION workspace.usual_gap(bigint[]) TO quayside_app;

CREATE TABLE workspace.source_rhythms (
    tenant_id uuid NOT NULL,
    workspace_id uuid NOT NULL,
    slug text COLLATE "C" NOT NULL,
    visit_at timestamptz NOT NULL, -- the latest visit's start
    visits bigint NOT NULL DEFAULT 1,
    gaps bigint[] NOT NULL DEFAULT '{}', -- the latest first
    usual_gap bigint NOT NULL DEFAULT 0,
    -- Not silent before this moment. Empty: too little is known to say.
    silent_after timestamptz,
    PRIMARY KEY (tenant_id, workspace_id, slug)
);
CREATE INDEX source_rhythms_silent ON workspace.source_rhythms (silent_after) WHERE silent_after IS NOT NULL;

CREATE TABLE workspace.alerts (
    tenant_id uuid NOT NULL,
    id uuid NOT NULL,
    workspace_id uuid NOT NULL,
    rule text COLLATE "C" NOT NULL CHECK (rule IN ('new_failures', 'failure_rate', 'silent_source')),
    -- What it is about: a source, or its failures of one code and field. Empty: none.
    slug text COLLATE "C" NOT NULL,
    code text COLLATE "C" NOT NULL DEFAULT '',
    field text COLLATE "C" NOT NULL DEFAULT '',
    -- What was seen when it was raised.
    failed bigint NOT NULL DEFAULT 0,
    total bigint NOT NULL DEFAULT 0,
    usual_gap bigint NOT NULL DEFAULT 0, -- seconds
    message text NOT NULL DEFAULT '', -- why it failed, without a word of the record
    since timestamptz NOT NULL, -- the first failure, the window's start, the last record
    raised_at timestamptz NOT NULL,
    resolved_at timestamptz,
    -- A mail is due while mail_next_at is set and the cause lasts. Whoever empties it sends.
    mail_next_at timestamptz,
    mail_tries bigint NOT NULL DEFAULT 0,
    mail_left uuid[], -- whom the last try did not reach; empty: nobody was tried
    mailed_at timestamptz,
    PRIMARY KEY (tenant_id, id)
);
-- One cause has one alert while it lasts.
CREATE UNIQUE INDEX alerts_open ON workspace.alerts (tenant_id, workspace_id, rule, slug, code, field) WHERE resolved_at IS NULL;
CREATE INDEX alerts_of_workspace ON workspace.alerts (tenant_id, workspace_id, id);
CREATE INDEX alerts_mail_due ON workspace.alerts (mail_next_at) WHERE mail_next_at IS NOT NULL AND resolved_at IS NULL;

-- Who has read what.
CREATE TABLE workspace.alert_reads (
    tenant_id uuid NOT NULL,
    alert_id uuid NOT NULL,
    user_id uuid NOT NULL,
    read_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (tenant_id, alert_id, user_id),
    FOREIGN KEY (tenant_id, alert_id) REFERENCES workspace.alerts (tenant_id, id) ON DELETE CASCADE
);

SELECT control.protect('workspace.source_minutes');
SELECT control.protect('workspace.source_rhythms');
SELECT control.protect('workspace.alerts');
SELECT control.protect('workspace.alert_reads');
GRANT SELECT, INSERT, UPDATE ON workspace.source_minutes, workspace.source_rhythms TO quayside_app;
GRANT SELECT, INSERT, UPDATE (resolved_at, mail_next_at, mail_tries, mail_left, mailed_at), DELETE ON workspace.alerts TO quayside_app;
GRANT SELECT, INSERT ON workspace.alert_reads TO quayside_app;

-- The jobs that look for causes and for mails that are due ask whose turn it is.
CREATE POLICY system_reads ON workspace.source_minutes FOR SELECT TO quayside_system USING (true);
CREATE POLICY system_reads ON workspace.source_rhythms FOR SELECT TO quayside_system USING (true);
CREATE POLICY system_reads ON workspace.alerts FOR SELECT TO quayside_system USING (true);
GRANT SELECT ON workspace.source_minutes, workspace.source_rhythms, workspace.alerts TO quayside_system;
-- And whether anybody can still write to a source that has gone silent; nothing else of keys.
CREATE POLICY system_reads ON workspace.api_keys FOR SELECT TO quayside_system USING (true);
GRANT SELECT (tenant_id, workspace_id, scope, revoked_at) ON workspace.api_keys TO quayside_system;

-- Whether a person wants alerts by mail.
ALTER TABLE control.users ADD COLUMN alert_mails boolean NOT NULL DEFAULT true;
GRANT UPDATE (alert_mails) ON control.users TO quayside_app;
