-- +goose Up
-- What a purchase order on paper needs: the supplier's address and language, and what a workspace says
-- of itself. Then the mails with orders, and what suppliers confirm.
SET LOCAL lock_timeout = '5s';
SET LOCAL statement_timeout = '60s';

ALTER TABLE workspace.suppliers
    ADD COLUMN address text CHECK (char_length(address) <= 1000),
    ADD COLUMN language text CHECK (language IN ('en', 'de', 'fr', 'es', 'it', 'nl'));

-- They come after phone.
UPDATE workspace.registry_columns SET position = position + 2
WHERE tenant_id = '00000000-0000-0000-0000-000000000000' AND slug = 'suppliers' AND position > 5;
INSERT INTO workspace.registry_columns (tenant_id, slug, position, name, type, choices, max_length, example, description)
VALUES
    ('00000000-0000-0000-0000-000000000000', 'suppliers', 6, 'address', 'text', NULL, 1000, '"12 Quay Street\nLondon E1 6AN\nUnited Kingdom"',
        'Postal address, in several lines. Orders on paper are addressed to it.'),
    ('00000000-0000-0000-0000-000000000000', 'suppliers', 7, 'language', 'text', '{en,de,fr,es,it,nl}', NULL, '"en"',
        'The language in which orders are written to the supplier.');

-- What orders say of the workspace. Empty: not said.
ALTER TABLE control.workspaces
    ADD COLUMN address text NOT NULL DEFAULT '' CHECK (char_length(address) <= 1000),
    ADD COLUMN delivery_address text NOT NULL DEFAULT '' CHECK (char_length(delivery_address) <= 1000),
    ADD COLUMN order_contact text NOT NULL DEFAULT '' CHECK (char_length(order_contact) <= 200), -- whom suppliers ask
    ADD COLUMN order_email text NOT NULL DEFAULT '' CHECK (char_length(order_email) <= 200), -- where they answer
    ADD COLUMN vat_id text NOT NULL DEFAULT '' CHECK (char_length(vat_id) <= 50);

-- Two more kinds of entries: an order that was sent to its supplier, and what the supplier confirmed.
-- A confirmation has its content in data, and a text only if somebody wrote one.
ALTER TABLE workspace.order_entries ADD COLUMN data jsonb NOT NULL DEFAULT '{}';
ALTER TABLE workspace.order_entries
    DROP CONSTRAINT order_entries_kind,
    DROP CONSTRAINT order_entries_text_check;
-- squawk-ignore constraint-missing-not-valid -- one row for what a person wrote
ALTER TABLE workspace.order_entries ADD CONSTRAINT order_entries_kind CHECK (kind IN ('comment', 'call', 'reminder', 'sent', 'confirmation'));
-- squawk-ignore constraint-missing-not-valid -- the same
ALTER TABLE workspace.order_entries ADD CONSTRAINT order_entries_text_check CHECK (char_length(text) <= 2000 AND (text <> '' OR kind = 'confirmation'));

-- An order as it was sent to a supplier. The mail's text is in the entry with the same id. The key is the
-- caller's: a request that is repeated finds its mail. The state says what is known of it: a mail is
-- queued, an instance then claims it (sending), and it ends as sent, failed or unknown. A mail that
-- somebody sends with their own program is by_hand.
CREATE TABLE workspace.order_mails (
    tenant_id uuid NOT NULL,
    id uuid NOT NULL,
    workspace_id uuid NOT NULL,
    order_no text COLLATE "C" NOT NULL,
    key uuid NOT NULL,
    supplier text COLLATE "C" NOT NULL, -- id, or else the name; empty for lines without a supplier
    receivers text[] NOT NULL,
    copies text[] NOT NULL,
    reply_to text NOT NULL,
    subject text NOT NULL,
    document bytea NOT NULL, -- the PDF
    file_name text NOT NULL,
    lines jsonb NOT NULL, -- what the document says, by the line's id
    state text NOT NULL CONSTRAINT order_mails_state CHECK (state IN ('queued', 'sending', 'sent', 'failed', 'unknown', 'by_hand')),
    reason text NOT NULL DEFAULT '', -- why the last try failed
    tries bigint NOT NULL DEFAULT 0,
    changed_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (tenant_id, id)
);
CREATE UNIQUE INDEX order_mails_key ON workspace.order_mails (tenant_id, key);
CREATE INDEX order_mails_order ON workspace.order_mails (tenant_id, workspace_id, order_no, id);

SELECT control.protect('workspace.order_mails');
GRANT SELECT, INSERT ON workspace.order_mails TO quayside_app;
GRANT UPDATE (state, reason, tries, changed_at) ON workspace.order_mails TO quayside_app;
