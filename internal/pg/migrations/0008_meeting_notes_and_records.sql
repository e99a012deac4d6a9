-- +goose Up
-- Meeting notes, and the one table that holds the records of all tables that
-- tenants add: the service has no right to create tables, and the catalog does
-- not grow with tenants.
SET LOCAL lock_timeout = '5s';
SET LOCAL statement_timeout = '60s';

CREATE TABLE workspace.meeting_notes (
    id text COLLATE "C" NOT NULL DEFAULT workspace.new_id(),
    tenant_id uuid NOT NULL,
    workspace_id uuid NOT NULL,
    external_id text COLLATE "C" NOT NULL CHECK (external_id <> ''),
    title text NOT NULL,
    started_at timestamptz NOT NULL,
    duration_minutes numeric CHECK (duration_minutes >= 0 AND duration_minutes < 'Infinity'),
    source text,
    organizer_email text,
    attendees text,
    summary text,
    action_items text,
    transcript text,
    url text,
    language text,
    customer_id text COLLATE "C",
    supplier_id text COLLATE "C",
    tags text,
    version bigint NOT NULL DEFAULT 1,
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (tenant_id, id),
    FOREIGN KEY (tenant_id, customer_id) REFERENCES workspace.customers (tenant_id, id),
    FOREIGN KEY (tenant_id, supplier_id) REFERENCES workspace.suppliers (tenant_id, id)
);
CREATE UNIQUE INDEX meeting_notes_external_id ON workspace.meeting_notes (tenant_id, external_id);

-- data holds the registered columns but external_id, each in its type's canonical
-- JSON form. jsonb numbers are numeric: nothing is rounded.
CREATE TABLE workspace.records (
    id text COLLATE "C" NOT NULL DEFAULT workspace.new_id(),
    tenant_id uuid NOT NULL,
    workspace_id uuid NOT NULL,
    slug text COLLATE "C" NOT NULL,
    external_id text COLLATE "C" NOT NULL CHECK (external_id <> ''),
    data jsonb NOT NULL DEFAULT '{}' CHECK (jsonb_typeof(data) = 'object'),
    version bigint NOT NULL DEFAULT 1,
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (tenant_id, id)
);
CREATE UNIQUE INDEX records_external_id ON workspace.records (tenant_id, slug, external_id);

CREATE TRIGGER count_version BEFORE UPDATE ON workspace.meeting_notes
    FOR EACH ROW WHEN (NEW.version = OLD.version) EXECUTE FUNCTION workspace.count_version();
CREATE TRIGGER count_version BEFORE UPDATE ON workspace.records
    FOR EACH ROW WHEN (NEW.version = OLD.version) EXECUTE FUNCTION workspace.count_version();

SELECT control.protect('workspace.meeting_notes');
SELECT control.protect('workspace.records');
GRANT SELECT, INSERT, UPDATE ON workspace.meeting_notes, workspace.records TO quayside_app;
