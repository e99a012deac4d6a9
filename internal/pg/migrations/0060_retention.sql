-- +goose Up
-- How long things are kept that nobody needs for ever: one number each, for all instances. Rows are deleted by
-- the system role, which can delete only those that are older.
SET LOCAL lock_timeout = '5s';
SET LOCAL statement_timeout = '60s';

CREATE TABLE control.retention (
    name text COLLATE "C" PRIMARY KEY,
    kept_days bigint NOT NULL CHECK (kept_days BETWEEN 1 AND 36500)
);
INSERT INTO control.retention (name, kept_days)
VALUES ('failed_imports', 90), ('open_failed_imports', 365), ('imports', 365), ('bulk_retries', 365), ('stock_history', 730),
    ('source_hours', 8), ('key_hours', 8);
GRANT SELECT, UPDATE ON control.retention TO quayside_system;

-- kept_since is the time before which nothing is kept. While the clock is in doubt (docs/decisions/0031) everything is.
-- +goose StatementBegin
CREATE FUNCTION control.kept_since(of_name text) RETURNS timestamptz
LANGUAGE sql STABLE
SET search_path = pg_catalog, pg_temp
AS $$
    SELECT CASE
        WHEN now() - e.looked_at BETWEEN interval '-5 minutes' AND interval '1 day'
            AND now() - e.steady_since BETWEEN interval '1 day' AND interval '1000 years'
        THEN now() - make_interval(days => r.kept_days::integer) ELSE '-infinity' END
    FROM control.retention r, control.event_retention e WHERE r.name = of_name
$$;
-- +goose StatementEnd
REVOKE EXECUTE ON FUNCTION control.kept_since(text) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION control.kept_since(text) TO quayside_system;

-- squawk-ignore require-concurrent-index-creation -- there is no release that has failures yet
CREATE INDEX failed_imports_closed ON workspace.failed_imports (closed_at) WHERE closed_at IS NOT NULL;
-- squawk-ignore require-concurrent-index-creation -- as above
CREATE INDEX failed_imports_open_since ON workspace.failed_imports (last_seen_at) WHERE status = 'open';
-- squawk-ignore require-concurrent-index-creation -- as above
CREATE INDEX imports_finished ON workspace.imports (finished_at) WHERE finished_at IS NOT NULL;
-- squawk-ignore require-concurrent-index-creation -- as above
CREATE INDEX bulk_retries_finished ON workspace.bulk_retries (finished_at) WHERE finished_at IS NOT NULL;
-- squawk-ignore require-concurrent-index-creation -- as above
CREATE INDEX stock_history_observed ON workspace.stock_history (observed_at);
-- squawk-ignore require-concurrent-index-creation -- as above
CREATE INDEX source_hours_hour ON workspace.source_hours (hour);
-- squawk-ignore require-concurrent-index-creation -- as above
CREATE INDEX key_hours_hour ON workspace.key_hours (hour);
-- Whoever drops what has expired finds it by these.
-- squawk-ignore require-concurrent-index-creation -- as above
CREATE INDEX sessions_expires ON control.sessions (expires_at);
-- squawk-ignore require-concurrent-index-creation -- as above
CREATE INDEX password_resets_expires ON control.password_resets (expires_at);
-- squawk-ignore require-concurrent-index-creation -- as above
CREATE INDEX invitations_expires ON control.invitations (expires_at);
-- squawk-ignore require-concurrent-index-creation -- as above
CREATE INDEX browsers_expires ON control.browsers (expires_at);

-- What depends on them, attempts and rejected records, goes with them.
CREATE POLICY system_tidies ON workspace.failed_imports FOR DELETE TO quayside_system USING (
    closed_at < (SELECT control.kept_since('failed_imports'))
    OR closed_at IS NULL AND last_seen_at < (SELECT control.kept_since('open_failed_imports')));
CREATE POLICY system_tidies ON workspace.imports FOR DELETE TO quayside_system
    USING (finished_at < (SELECT control.kept_since('imports')));
CREATE POLICY system_reads ON workspace.bulk_retries FOR SELECT TO quayside_system USING (true);
CREATE POLICY system_tidies ON workspace.bulk_retries FOR DELETE TO quayside_system
    USING (finished_at < (SELECT control.kept_since('bulk_retries')));
-- Stock goes when its day is in stock_days, and never the last count of an article.
CREATE POLICY system_reads ON workspace.stock_history FOR SELECT TO quayside_system USING (true);
CREATE POLICY system_reads ON workspace.sales_series FOR SELECT TO quayside_system USING (true);
CREATE POLICY system_tidies ON workspace.stock_history FOR DELETE TO quayside_system USING (
    observed_at < (SELECT control.kept_since('stock_history')));
CREATE POLICY system_tidies ON workspace.source_hours FOR DELETE TO quayside_system
    USING (hour < (SELECT control.kept_since('source_hours')));
CREATE POLICY system_tidies ON workspace.key_hours FOR DELETE TO quayside_system
    USING (hour < (SELECT control.kept_since('key_hours')));
GRANT SELECT (tenant_id, id, finished_at) ON workspace.bulk_retries TO quayside_system;
GRANT SELECT (tenant_id, workspace_id, product_id, version, observed_at) ON workspace.stock_history TO quayside_system;
GRANT SELECT (tenant_id, workspace_id, product_id, stock_version) ON workspace.sales_series TO quayside_system;
GRANT DELETE ON workspace.failed_imports, workspace.imports, workspace.bulk_retries, workspace.stock_history,
    workspace.source_hours, workspace.key_hours TO quayside_system;

-- With a failed import goes what the search knows of it. The trigger that does so acts as whoever deletes. It
-- inserts no row then, and could not: there is no policy for that.
CREATE POLICY system_reads ON workspace.search_tokens FOR SELECT TO quayside_system USING (kind = 6);
CREATE POLICY system_tidies ON workspace.search_tokens FOR DELETE TO quayside_system USING (kind = 6);
GRANT SELECT, INSERT, DELETE ON workspace.search_tokens TO quayside_system;
GRANT EXECUTE ON FUNCTION workspace.words_of(text), workspace.tokens_of(text[], text), workspace.failed_imports_tokens(workspace.failed_imports),
    workspace.change_tokens(uuid, smallint, uuid, text, text[], uuid, text, text[]) TO quayside_system;
