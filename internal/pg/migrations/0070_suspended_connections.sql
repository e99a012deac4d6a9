-- +goose Up
-- Nothing is read from the other systems of a suspended company. Set for all its connections, like suspended of its keys.
SET LOCAL lock_timeout = '5s';
SET LOCAL statement_timeout = '60s';

ALTER TABLE workspace.connections ADD COLUMN suspended boolean NOT NULL DEFAULT false;

UPDATE workspace.connections c SET suspended = true
FROM control.tenants t WHERE t.id = c.tenant_id AND t.suspended_at IS NOT NULL;
