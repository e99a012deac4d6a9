-- +goose Up
-- Files that people import, in the background.
SET LOCAL lock_timeout = '5s';
SET LOCAL statement_timeout = '60s';

-- Who sent it when no key did: a person, with a file. Then key_id is nil, nobody's key.
ALTER TABLE workspace.failed_imports ADD COLUMN actor jsonb;

CREATE TABLE workspace.imports (
    tenant_id uuid NOT NULL,
    id uuid NOT NULL,
    workspace_id uuid NOT NULL,
    slug text COLLATE "C" NOT NULL,
    status text NOT NULL DEFAULT 'uploading'
        CHECK (status IN ('uploading', 'ready', 'queued', 'running', 'cancelled', 'done', 'failed')),
    file_name text NOT NULL,
    bytes bigint NOT NULL DEFAULT 0,
    -- How the file is read, and what it was found to be and to hold.
    reading jsonb NOT NULL DEFAULT '{}' CHECK (jsonb_typeof(reading) = 'object'),
    found jsonb NOT NULL DEFAULT '{}' CHECK (jsonb_typeof(found) = 'object'),
    -- Where each of its columns goes, as a person said it; empty: as it is suggested.
    mapping jsonb CHECK (jsonb_typeof(mapping) = 'array'),
    -- Who uploaded it and, since it was started, who did that.
    actor jsonb NOT NULL,
    request_id text NOT NULL,
    total bigint NOT NULL DEFAULT 0,
    -- All records up to the position are done, and so are those ahead of it.
    position bigint NOT NULL DEFAULT 0,
    ahead bigint[] NOT NULL DEFAULT '{}',
    -- How often progress was noted. Of two who work on it at once, only one can note.
    notes bigint NOT NULL DEFAULT 0,
    created bigint NOT NULL DEFAULT 0,
    updated bigint NOT NULL DEFAULT 0,
    unchanged bigint NOT NULL DEFAULT 0,
    refused bigint NOT NULL DEFAULT 0,
    unreadable bigint NOT NULL DEFAULT 0, -- of those refused: they were no records, so nothing was sent
    rejects_dropped boolean NOT NULL DEFAULT false,
    cancel_asked boolean NOT NULL DEFAULT false,
    message text NOT NULL DEFAULT '', -- why it failed
    created_at timestamptz NOT NULL DEFAULT now(),
    queued_at timestamptz,
    started_at timestamptz,
    finished_at timestamptz,
    PRIMARY KEY (tenant_id, id),
    CHECK ((finished_at IS NULL) = (status IN ('uploading', 'ready', 'queued', 'running')))
);
-- What has a file, and what has rejects that nobody will fetch any more.
CREATE INDEX imports_unfinished ON workspace.imports (tenant_id, workspace_id) WHERE finished_at IS NULL;
CREATE INDEX imports_with_rejects ON workspace.imports (tenant_id, finished_at) WHERE refused > 0 AND NOT rejects_dropped;

-- The file, in pieces, until the import has ended.
CREATE TABLE workspace.import_chunks (
    tenant_id uuid NOT NULL,
    import_id uuid NOT NULL,
    n bigint NOT NULL, -- from 0
    bytes bytea NOT NULL,
    PRIMARY KEY (tenant_id, import_id, n),
    FOREIGN KEY (tenant_id, import_id) REFERENCES workspace.imports (tenant_id, id) ON DELETE CASCADE
);

-- The records of the file that were refused, with notes, as they are given back.
CREATE TABLE workspace.import_rejects (
    tenant_id uuid NOT NULL,
    import_id uuid NOT NULL,
    record bigint NOT NULL, -- its number in the file
    reason text NOT NULL, -- the message, without what tells records apart
    message text NOT NULL,
    line bytea NOT NULL,
    PRIMARY KEY (tenant_id, import_id, record),
    FOREIGN KEY (tenant_id, import_id) REFERENCES workspace.imports (tenant_id, id) ON DELETE CASCADE
);

SELECT control.protect('workspace.imports');
SELECT control.protect('workspace.import_chunks');
SELECT control.protect('workspace.import_rejects');
GRANT SELECT, INSERT, UPDATE, DELETE ON workspace.imports TO quayside_app;
GRANT SELECT, INSERT, DELETE ON workspace.import_chunks, workspace.import_rejects TO quayside_app;
-- The job that drops old files and rejects asks who has any.
CREATE POLICY system_reads ON workspace.imports FOR SELECT TO quayside_system USING (true);
GRANT SELECT ON workspace.imports TO quayside_system;
