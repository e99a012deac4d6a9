-- +goose Up
-- Calls of tools in the audit, ended sessions and closed alerts are kept for a number of days that can be set
-- (docs/decisions/0038).
SET LOCAL lock_timeout = '5s';
SET LOCAL statement_timeout = '60s';

INSERT INTO control.retention (name, kept_days) VALUES ('tool_calls', 365), ('sessions', 1), ('alerts', 90);

-- The seal of a call of a tool holds the hash of the row's content, so that it is still proven when the row is gone.
-- squawk-ignore constraint-missing-not-valid -- the new column is empty
ALTER TABLE workspace.audit_seals ADD COLUMN call_hash bytea CHECK (octet_length(call_hash) = 32);
GRANT INSERT (call_hash) ON workspace.audit_seals TO quayside_app;

-- squawk-ignore require-concurrent-index-creation -- there is no release that has an audit yet
CREATE INDEX audit_tool_calls ON workspace.audit (at) WHERE action = 'tool.called';
-- squawk-ignore require-concurrent-index-creation -- as above
CREATE INDEX alerts_resolved ON workspace.alerts (resolved_at) WHERE resolved_at IS NOT NULL;

-- No other row of the audit can be deleted, and none whose seal does not prove that it was a call.
ALTER POLICY system_reads ON workspace.audit USING (action IN ('purchase_order_line.sent_back', 'tool.called'));
CREATE POLICY system_reads ON workspace.audit_seals FOR SELECT TO quayside_system USING (call_hash IS NOT NULL);
CREATE POLICY system_tidies ON workspace.audit FOR DELETE TO quayside_system USING (
    action = 'tool.called' AND at < (SELECT control.kept_since('tool_calls'))
    AND EXISTS (SELECT FROM workspace.audit_seals s WHERE s.tenant_id = audit.tenant_id AND s.row_id = audit.id));
GRANT SELECT (tenant_id, id, at, action) ON workspace.audit TO quayside_system;
GRANT SELECT (tenant_id, row_id, call_hash) ON workspace.audit_seals TO quayside_system;
GRANT DELETE ON workspace.audit TO quayside_system;

ALTER POLICY system_tidies ON control.sessions USING (expires_at < (SELECT control.kept_since('sessions')));

CREATE POLICY system_tidies ON workspace.alerts FOR DELETE TO quayside_system
    USING (resolved_at < (SELECT control.kept_since('alerts')));
GRANT DELETE ON workspace.alerts TO quayside_system;
