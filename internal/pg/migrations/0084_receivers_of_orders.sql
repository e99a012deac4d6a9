-- +goose Up
-- To whom orders may be mailed, and to whom they were mailed: so that nobody uses the service to mail strangers.
SET LOCAL lock_timeout = '5s';
SET LOCAL statement_timeout = '60s';

-- Addresses beside the supplier's own that an admin has allowed. The supplier is named as in order_mails.
CREATE TABLE workspace.order_receivers (
    tenant_id uuid NOT NULL,
    workspace_id uuid NOT NULL,
    supplier text COLLATE "C" NOT NULL,
    address text COLLATE "C" NOT NULL CHECK (address = lower(address) AND length(address) <= 254),
    actor jsonb NOT NULL, -- who allowed it
    created_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (tenant_id, workspace_id, supplier, address)
);

-- Every address that the company has mailed an order to, and since when: new ones are limited.
CREATE TABLE workspace.mailed_addresses (
    tenant_id uuid NOT NULL,
    address text COLLATE "C" NOT NULL,
    since timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (tenant_id, address)
);
CREATE INDEX mailed_addresses_since ON workspace.mailed_addresses (tenant_id, since);

-- What was mailed before is known. Row security is forced on the owner too, and lifted for this statement.
ALTER TABLE workspace.order_mails NO FORCE ROW LEVEL SECURITY;
INSERT INTO workspace.mailed_addresses (tenant_id, address, since)
SELECT m.tenant_id, lower(r.address), min(m.changed_at)
FROM workspace.order_mails m CROSS JOIN unnest(m.receivers || m.copies) AS r (address)
WHERE m.state = 'sent' GROUP BY 1, 2;
ALTER TABLE workspace.order_mails FORCE ROW LEVEL SECURITY;

SELECT control.protect('workspace.order_receivers');
SELECT control.protect('workspace.mailed_addresses');
GRANT SELECT, INSERT, DELETE ON workspace.order_receivers TO quayside_app;
GRANT SELECT, INSERT ON workspace.mailed_addresses TO quayside_app;
