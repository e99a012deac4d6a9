-- +goose Up
-- Lists of the app have saved views, as tables do.
SET LOCAL lock_timeout = '5s';
SET LOCAL statement_timeout = '60s';

-- What slug names: a list of the app, or a table. The two may be called the same.
ALTER TABLE workspace.saved_views ADD COLUMN list boolean NOT NULL DEFAULT false;
-- squawk-ignore require-concurrent-index-creation -- a person has at most a hundred views of a table
CREATE UNIQUE INDEX saved_views_name_of ON workspace.saved_views (tenant_id, workspace_id, list, slug, owner_id, name);
-- squawk-ignore require-concurrent-index-deletion -- as above
DROP INDEX workspace.saved_views_name;
ALTER INDEX workspace.saved_views_name_of RENAME TO saved_views_name;
