-- +goose Up
-- Buying by people: a ledger of receipts, what an approval was given for, what external
-- systems did that people may not, limits and rules.
--
-- External systems write lines too, as they like. The triggers here follow every writer;
-- the app says with app.purchase that it has kept the rules itself.
SET LOCAL lock_timeout = '5s';
SET LOCAL statement_timeout = '60s';

-- quantity_received is always the sum of a line's receipts; a correction is a negative one.
CREATE TABLE workspace.receipts (
    tenant_id uuid NOT NULL,
    id text COLLATE "C" NOT NULL DEFAULT workspace.new_id(),
    workspace_id uuid NOT NULL,
    line_id text COLLATE "C" NOT NULL,
    -- The line's, after it. An external system is found through the event of that version.
    version bigint NOT NULL,
    quantity numeric NOT NULL CHECK (quantity <> 0),
    received_at timestamptz NOT NULL DEFAULT now(),
    actor jsonb, -- empty: an external system
    note text,
    created_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (tenant_id, id),
    FOREIGN KEY (tenant_id, line_id) REFERENCES workspace.purchase_order_lines (tenant_id, id)
);
CREATE INDEX receipts_line ON workspace.receipts (tenant_id, line_id, id);
SELECT control.protect('workspace.receipts');
GRANT SELECT, INSERT ON workspace.receipts TO quayside_app;

-- +goose StatementBegin
CREATE FUNCTION workspace.write_receipt() RETURNS trigger
LANGUAGE plpgsql AS $$
DECLARE
    by_hand jsonb := nullif(current_setting('app.receipt', true), '')::jsonb; -- the app says who, when and why
    before numeric := CASE TG_OP WHEN 'UPDATE' THEN OLD.quantity_received ELSE 0 END;
BEGIN
    INSERT INTO workspace.receipts (tenant_id, workspace_id, line_id, version, quantity, received_at, actor, note)
    VALUES (NEW.tenant_id, NEW.workspace_id, NEW.id, NEW.version, NEW.quantity_received - before,
        coalesce((by_hand ->> 'at')::timestamptz, now()), by_hand -> 'actor', by_hand ->> 'note');
    RETURN NULL;
END
$$;
-- +goose StatementEnd
CREATE TRIGGER write_first_receipt AFTER INSERT ON workspace.purchase_order_lines
    FOR EACH ROW WHEN (NEW.quantity_received > 0) EXECUTE FUNCTION workspace.write_receipt();
CREATE TRIGGER write_receipt AFTER UPDATE ON workspace.purchase_order_lines
    FOR EACH ROW WHEN (NEW.quantity_received <> OLD.quantity_received) EXECUTE FUNCTION workspace.write_receipt();

-- What was submitted and approved, so that nobody approves, or has approved, another
-- amount than they saw.
CREATE TABLE workspace.line_approvals (
    tenant_id uuid NOT NULL,
    line_id text COLLATE "C" NOT NULL,
    workspace_id uuid NOT NULL,
    money_by jsonb,             -- who last chose article, supplier, quantity, price or currency in the app
    money_hash bytea,           -- of these, when the line was submitted or approved
    submitted_by jsonb,
    submitted_at timestamptz,
    approved_quantity numeric,  -- later raises are measured against these
    approved_price numeric,
    self_approved boolean NOT NULL DEFAULT false, -- where the rules allow it, it is recorded
    PRIMARY KEY (tenant_id, line_id),
    FOREIGN KEY (tenant_id, line_id) REFERENCES workspace.purchase_order_lines (tenant_id, id)
);
SELECT control.protect('workspace.line_approvals');
GRANT SELECT, INSERT, UPDATE ON workspace.line_approvals TO quayside_app;

-- What external systems did to a status that people could not have done. It is stored as
-- they sent it, and somebody should look.
CREATE TABLE workspace.line_flags (
    tenant_id uuid NOT NULL,
    id text COLLATE "C" NOT NULL DEFAULT workspace.new_id(),
    workspace_id uuid NOT NULL,
    line_id text COLLATE "C" NOT NULL,
    from_status text NOT NULL,
    to_status text NOT NULL,
    version bigint NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    seen_by jsonb,
    seen_at timestamptz,
    PRIMARY KEY (tenant_id, id),
    FOREIGN KEY (tenant_id, line_id) REFERENCES workspace.purchase_order_lines (tenant_id, id)
);
CREATE INDEX line_flags_unseen ON workspace.line_flags (tenant_id, line_id) WHERE seen_at IS NULL;
SELECT control.protect('workspace.line_flags');
GRANT SELECT, INSERT, UPDATE ON workspace.line_flags TO quayside_app;

-- +goose StatementBegin
CREATE FUNCTION workspace.flag_line() RETURNS trigger
LANGUAGE plpgsql AS $$
BEGIN
    IF current_setting('app.purchase', true) = 'on' THEN
        RETURN NULL;
    END IF;
    INSERT INTO workspace.line_flags (tenant_id, workspace_id, line_id, from_status, to_status, version)
    VALUES (NEW.tenant_id, NEW.workspace_id, NEW.id, OLD.status, NEW.status, NEW.version);
    RETURN NULL;
END
$$;
-- +goose StatementEnd
CREATE TRIGGER flag_line AFTER UPDATE ON workspace.purchase_order_lines
    FOR EACH ROW WHEN (
        NEW.status <> OLD.status
        AND NOT (OLD.status = 'ordered' AND NEW.status IN ('partially_received', 'received'))
        AND NOT (OLD.status = 'ordered' AND NEW.status = 'cancelled' AND NEW.quantity_received = 0)
        AND NOT (OLD.status = 'partially_received' AND NEW.status = 'received')
    )
    EXECUTE FUNCTION workspace.flag_line();

-- A workspace without a row has the defaults.
CREATE TABLE workspace.purchasing_rules (
    tenant_id uuid NOT NULL,
    workspace_id uuid NOT NULL,
    four_eyes boolean NOT NULL DEFAULT true,
    agents_submit boolean NOT NULL DEFAULT false,
    over_receipt_percent numeric NOT NULL DEFAULT 10 CHECK (over_receipt_percent BETWEEN 0 AND 1000),
    reapproval_percent numeric NOT NULL DEFAULT 5 CHECK (reapproval_percent BETWEEN 0 AND 1000),
    next_order bigint NOT NULL DEFAULT 1001,
    version bigint NOT NULL DEFAULT 1,
    PRIMARY KEY (tenant_id, workspace_id)
);
SELECT control.protect('workspace.purchasing_rules');
GRANT SELECT, INSERT, UPDATE ON workspace.purchasing_rules TO quayside_app;

-- Who has no row approves any amount.
CREATE TABLE workspace.approval_limits (
    tenant_id uuid NOT NULL,
    workspace_id uuid NOT NULL,
    user_id uuid NOT NULL,
    amount numeric NOT NULL CHECK (amount >= 0 AND amount < 'Infinity'),
    currency text NOT NULL CHECK (currency ~ '^[A-Z]{3}$'),
    PRIMARY KEY (tenant_id, workspace_id, user_id)
);
SELECT control.protect('workspace.approval_limits');
GRANT SELECT, INSERT, UPDATE, DELETE ON workspace.approval_limits TO quayside_app;

-- Orders are lines with one number.
-- squawk-ignore require-concurrent-index-creation -- there is no release that has lines yet
CREATE INDEX purchase_order_lines_order ON workspace.purchase_order_lines (tenant_id, workspace_id, order_no);

-- What was received before there was a ledger.
ALTER TABLE workspace.purchase_order_lines NO FORCE ROW LEVEL SECURITY;
ALTER TABLE workspace.receipts NO FORCE ROW LEVEL SECURITY;
INSERT INTO workspace.receipts (tenant_id, workspace_id, line_id, version, quantity, received_at)
SELECT tenant_id, workspace_id, id, version, quantity_received, coalesce(received_at, updated_at)
FROM workspace.purchase_order_lines WHERE quantity_received > 0;
ALTER TABLE workspace.receipts FORCE ROW LEVEL SECURITY;
ALTER TABLE workspace.purchase_order_lines FORCE ROW LEVEL SECURITY;
