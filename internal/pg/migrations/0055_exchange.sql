-- +goose Up
-- Purchase orders that are exchanged with an inventory system, over a connection.
SET LOCAL lock_timeout = '5s';
SET LOCAL statement_timeout = '60s';

-- What is what: a supplier, an article or a location of ours, and its id there.
CREATE TABLE workspace.exchange_ids (
    tenant_id uuid NOT NULL,
    connection_id uuid NOT NULL,
    kind text NOT NULL CHECK (kind IN ('supplier', 'article', 'location')),
    ours text COLLATE "C" NOT NULL,   -- suppliers.id, products.id, or a line's location_id
    theirs text COLLATE "C" NOT NULL,
    name text NOT NULL DEFAULT '',    -- what it is called there
    chosen_by jsonb NOT NULL,         -- an actor; a sync chooses articles whose SKU means one article on both sides
    chosen_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (tenant_id, connection_id, kind, ours),
    FOREIGN KEY (tenant_id, connection_id) REFERENCES workspace.connections (tenant_id, id)
);
CREATE UNIQUE INDEX exchange_ids_theirs ON workspace.exchange_ids (tenant_id, connection_id, kind, theirs);

-- An order that is exchanged. wanted is the version of the order here that is to be there; a sync that
-- compared this version or a later one puts it into done.
CREATE TABLE workspace.exchange_orders (
    tenant_id uuid NOT NULL,
    connection_id uuid NOT NULL,
    order_no text COLLATE "C" NOT NULL,
    workspace_id uuid NOT NULL,
    external_id text COLLATE "C",         -- of the order there; empty: not known, or there is none
    state text NOT NULL DEFAULT 'waiting' CHECK (state IN (
        'waiting',   -- to be compared at due_at
        'synced',    -- both sides were equal, or what differs waits for an approval here
        'conflict',  -- a person must decide; nothing is written there until then
        'held',      -- something is missing that only a person can give, such as a supplier's id there
        'failed',    -- refused there, or tried too often; a person retries it
        'paused'     -- a person stopped it
    )),
    wanted bigint NOT NULL DEFAULT 0,
    done bigint NOT NULL DEFAULT 0,
    asked bigint NOT NULL DEFAULT 0,      -- counts hints, reconciles, decisions and retries: reasons to compare besides a version
    answered bigint NOT NULL DEFAULT 0,
    due_at timestamptz NOT NULL DEFAULT now(),
    failures bigint NOT NULL DEFAULT 0,   -- in a row
    code text NOT NULL DEFAULT '',        -- of the last error, or of what is missing
    message text NOT NULL DEFAULT '',     -- in words; '' if all is well
    notices text[] NOT NULL DEFAULT '{}', -- what a person should know, see inventory.Notice
    synced_at timestamptz,
    changed_there timestamptz,            -- the version there that was merged last, by the other system's clock
    paused_by jsonb,
    claim uuid,                           -- of the comparison under way
    claimed_until timestamptz,            -- then it is given up: its process has died
    created_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (tenant_id, connection_id, order_no),
    FOREIGN KEY (tenant_id, connection_id) REFERENCES workspace.connections (tenant_id, id)
);
CREATE UNIQUE INDEX exchange_orders_external ON workspace.exchange_orders (tenant_id, connection_id, external_id)
    WHERE external_id IS NOT NULL;
-- What is to be compared, most urgent first.
CREATE INDEX exchange_orders_due ON workspace.exchange_orders (tenant_id, connection_id, due_at) WHERE state = 'waiting';
CREATE INDEX exchange_orders_state ON workspace.exchange_orders (tenant_id, connection_id, state, order_no);

-- What both sides last agreed on about a line of an order. A line that was moved to another order here has a
-- row for each of them, until it is deleted from the first one there.
CREATE TABLE workspace.exchange_lines (
    tenant_id uuid NOT NULL,
    connection_id uuid NOT NULL,
    order_no text COLLATE "C" NOT NULL,
    line_id text COLLATE "C" NOT NULL,
    base jsonb NOT NULL,                  -- an inventory.Base, with the line's key there
    PRIMARY KEY (tenant_id, connection_id, order_no, line_id),
    FOREIGN KEY (tenant_id, connection_id, order_no)
        REFERENCES workspace.exchange_orders (tenant_id, connection_id, order_no),
    FOREIGN KEY (tenant_id, line_id) REFERENCES workspace.purchase_order_lines (tenant_id, id)
);

-- Questions to a person, and the answers. An answer holds for the values that the person saw.
CREATE TABLE workspace.exchange_conflicts (
    tenant_id uuid NOT NULL,
    id uuid NOT NULL,
    connection_id uuid NOT NULL,
    workspace_id uuid NOT NULL,
    order_no text COLLATE "C" NOT NULL,
    line_id text COLLATE "C" NOT NULL,
    field text NOT NULL,
    reason text NOT NULL,
    base text NOT NULL,
    ours text NOT NULL,
    theirs text NOT NULL,
    choices text[] NOT NULL,              -- what can be carried out: ours, theirs
    opened_at timestamptz NOT NULL DEFAULT now(),
    take text CHECK (take IN ('ours', 'theirs')),
    decided_by jsonb,
    decided_at timestamptz,
    closed_at timestamptz,                -- a later comparison did not find it any more
    PRIMARY KEY (tenant_id, id),
    FOREIGN KEY (tenant_id, connection_id, order_no)
        REFERENCES workspace.exchange_orders (tenant_id, connection_id, order_no)
);
CREATE UNIQUE INDEX exchange_conflicts_open ON workspace.exchange_conflicts (tenant_id, connection_id, order_no, line_id, field)
    WHERE closed_at IS NULL;

-- Each comparison that did something or failed: why it was made, and what came of it.
CREATE TABLE workspace.exchange_attempts (
    tenant_id uuid NOT NULL,
    id uuid NOT NULL,                     -- in the order of time
    connection_id uuid NOT NULL,
    order_no text COLLATE "C" NOT NULL,
    version bigint NOT NULL,              -- of the order here
    outcome text NOT NULL CHECK (outcome IN ('synced', 'conflict', 'held', 'failed', 'later')),
    code text NOT NULL DEFAULT '',
    message text NOT NULL DEFAULT '',
    here text[] NOT NULL DEFAULT '{}',    -- what was written here, such as "TEA: receipts"
    there text[] NOT NULL DEFAULT '{}',
    at timestamptz NOT NULL DEFAULT now(),
    took interval NOT NULL,
    PRIMARY KEY (tenant_id, id)
);
CREATE INDEX exchange_attempts_order ON workspace.exchange_attempts (tenant_id, connection_id, order_no, id);

-- How far a connection's orders were read.
CREATE TABLE workspace.exchange_cursors (
    tenant_id uuid NOT NULL,
    connection_id uuid NOT NULL,
    workspace_id uuid NOT NULL,
    since timestamptz NOT NULL,           -- the other system's clock: the next poll begins here
    page bigint NOT NULL DEFAULT 0,       -- of a poll that is not at its end
    reached timestamptz NOT NULL,         -- the newest change that this poll has seen
    poll_at timestamptz NOT NULL DEFAULT now(),
    polled_at timestamptz,
    message text NOT NULL DEFAULT '',     -- why the last poll failed; '': it did not
    reconcile_at timestamptz NOT NULL DEFAULT now(),
    reconciled_at timestamptz,
    reconcile jsonb,                      -- the last one: what was compared and what differed
    PRIMARY KEY (tenant_id, connection_id),
    FOREIGN KEY (tenant_id, connection_id) REFERENCES workspace.connections (tenant_id, id)
);
CREATE INDEX exchange_cursors_poll ON workspace.exchange_cursors (poll_at);

SELECT control.protect('workspace.exchange_ids');
SELECT control.protect('workspace.exchange_orders');
SELECT control.protect('workspace.exchange_lines');
SELECT control.protect('workspace.exchange_conflicts');
SELECT control.protect('workspace.exchange_attempts');
SELECT control.protect('workspace.exchange_cursors');
GRANT SELECT, INSERT, UPDATE, DELETE ON workspace.exchange_ids, workspace.exchange_lines TO quayside_app;
GRANT SELECT, INSERT, UPDATE ON workspace.exchange_orders, workspace.exchange_conflicts, workspace.exchange_cursors
    TO quayside_app;
GRANT SELECT, INSERT, DELETE ON workspace.exchange_attempts TO quayside_app;

-- When the orders that were open before were last marked for their first export.
ALTER TABLE workspace.connections ADD COLUMN seeded_at timestamptz;

-- The dispatcher finds orders that are due, and whether their connections may call, in all tenants.
CREATE POLICY system_reads ON workspace.exchange_orders FOR SELECT TO quayside_system USING (true);
CREATE POLICY system_reads ON workspace.connections FOR SELECT TO quayside_system USING (true);
CREATE POLICY system_reads ON workspace.connection_pace FOR SELECT TO quayside_system USING (true);
GRANT SELECT ON workspace.exchange_orders, workspace.connections, workspace.connection_pace TO quayside_system;

-- Every write to the lines of an order raises the order's version. If the workspace exports its orders, that
-- version is wanted there. What a sync writes is compared already, so its own writes want nothing (it says so
-- with app.exchange).
-- +goose StatementBegin
CREATE FUNCTION workspace.want_exchange() RETURNS trigger
LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO workspace.exchange_orders AS e (tenant_id, connection_id, order_no, workspace_id, wanted)
    SELECT o.tenant_id, c.id, o.order_no, o.workspace_id, o.version
    FROM new_orders o
    JOIN workspace.connections c ON c.tenant_id = o.tenant_id AND c.workspace_id = o.workspace_id
        AND c.may_export AND c.state <> 'draft' AND c.deleted_at IS NULL
    WHERE coalesce(current_setting('app.exchange', true), '') <> c.id::text
    ORDER BY o.order_no
    ON CONFLICT (tenant_id, connection_id, order_no) DO UPDATE
    SET wanted = excluded.wanted, due_at = CASE WHEN e.state = 'synced' THEN now() ELSE least(e.due_at, now()) END,
        state = CASE WHEN e.state IN ('synced', 'conflict', 'held', 'failed') THEN 'waiting' ELSE e.state END, failures = 0;
    RETURN NULL;
END
$$;
-- +goose StatementEnd
CREATE TRIGGER want_new_exchange AFTER INSERT ON workspace.purchase_orders
    REFERENCING NEW TABLE AS new_orders FOR EACH STATEMENT EXECUTE FUNCTION workspace.want_exchange();
CREATE TRIGGER want_changed_exchange AFTER UPDATE ON workspace.purchase_orders
    REFERENCING NEW TABLE AS new_orders FOR EACH STATEMENT EXECUTE FUNCTION workspace.want_exchange();
