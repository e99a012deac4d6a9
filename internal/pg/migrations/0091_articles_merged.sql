-- +goose Up
-- An article that came without an external_id is merged into the one that came later with its SKU. See docs/decisions/0049.
SET LOCAL lock_timeout = '5s';
SET LOCAL statement_timeout = '60s';

-- Not validated: all rows have what the one before asked for, which was more.
ALTER TABLE workspace.products ADD COLUMN merged_into text COLLATE "C",
    DROP CONSTRAINT products_identity_required,
    ADD CONSTRAINT products_identity_required CHECK (external_id IS NOT NULL OR sku IS NOT NULL OR merged_into IS NOT NULL) NOT VALID;

-- The names under which an article that was merged is still known: its SKU, which was its key, and its id. They are a part of
-- what the company's table accepts, as rules are, so that its version rises with each that comes or goes.
CREATE TABLE workspace.article_aliases (
    tenant_id uuid NOT NULL,
    name text COLLATE "C" NOT NULL,
    workspace_id uuid NOT NULL,
    product_id text COLLATE "C" NOT NULL, -- what it is now
    slug text NOT NULL DEFAULT 'products',
    created_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (tenant_id, name),
    FOREIGN KEY (tenant_id, product_id) REFERENCES workspace.products (tenant_id, id)
);
CREATE INDEX article_aliases_product ON workspace.article_aliases (tenant_id, product_id);
SELECT control.protect('workspace.article_aliases');
GRANT SELECT, INSERT, DELETE ON workspace.article_aliases TO quayside_app;
GRANT SELECT ON workspace.article_aliases TO quayside_backup;
CREATE TRIGGER count_delete AFTER DELETE ON workspace.article_aliases
    REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION workspace.count_registry_version();

GRANT UPDATE (recommendation_key, product_id) ON workspace.suggestions TO quayside_app;

-- A merged article stays as a row, because lines and counts refer to it, and the service sees it only while it merges.
CREATE POLICY merged ON workspace.products AS RESTRICTIVE TO quayside_app
    USING (merged_into IS NULL OR current_setting('app.merging', true) = 'on') WITH CHECK (true);

-- A record that was looked up before its article was merged does not make the article anew: it is tried again.
-- +goose StatementBegin
CREATE FUNCTION workspace.heed_alias() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (SELECT FROM workspace.article_aliases a WHERE a.tenant_id = NEW.tenant_id AND a.name = NEW.sku) THEN
        RAISE serialization_failure USING MESSAGE = 'the article was merged in the meantime';
    END IF;
    RETURN NULL;
END
$$;
-- +goose StatementEnd
CREATE TRIGGER heed_alias AFTER INSERT ON workspace.products
    FOR EACH ROW WHEN (NEW.external_id IS NULL) EXECUTE FUNCTION workspace.heed_alias();

-- Records without an external_id belong to an article for as long as it has their SKU.
-- +goose StatementBegin
CREATE FUNCTION workspace.end_alias() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    DELETE FROM workspace.article_aliases a WHERE a.tenant_id = NEW.tenant_id AND a.name = OLD.sku AND a.product_id = NEW.id;
    RETURN NULL;
END
$$;
-- +goose StatementEnd
CREATE TRIGGER end_alias AFTER UPDATE OF sku ON workspace.products
    FOR EACH ROW WHEN (OLD.sku <> NEW.sku OR NEW.sku IS NULL AND OLD.sku IS NOT NULL) EXECUTE FUNCTION workspace.end_alias();

-- A line whose article is being merged waits for that, and then names what it was merged into. The foreign key takes the
-- same lock anyway.
-- +goose StatementBegin
CREATE FUNCTION workspace.follow_merged() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    now_is text;
BEGIN
    PERFORM FROM workspace.products p WHERE p.tenant_id = NEW.tenant_id AND p.id = NEW.product_id FOR KEY SHARE;
    IF NOT FOUND THEN
        SELECT a.product_id INTO now_is FROM workspace.article_aliases a WHERE a.tenant_id = NEW.tenant_id AND a.name = NEW.product_id;
        NEW.product_id := coalesce(now_is, NEW.product_id);
    END IF;
    RETURN NEW;
END
$$;
-- +goose StatementEnd
CREATE TRIGGER article_merged_new BEFORE INSERT ON workspace.purchase_order_lines
    FOR EACH ROW WHEN (NEW.product_id IS NOT NULL) EXECUTE FUNCTION workspace.follow_merged();
CREATE TRIGGER article_merged BEFORE UPDATE OF product_id ON workspace.purchase_order_lines
    FOR EACH ROW WHEN (NEW.product_id IS NOT NULL AND NEW.product_id IS DISTINCT FROM OLD.product_id) EXECUTE FUNCTION workspace.follow_merged();

-- The snapshots of lines stay as they are when their article is merged.
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION workspace.fill_line_snapshot() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'UPDATE' AND current_setting('app.merging', true) = 'on' THEN RETURN NEW; END IF;
    SELECT s.product_name, s.supplier_name, s.variant_external_id, s.product_external_id
    INTO NEW.product_name, NEW.supplier_name, NEW.variant_external_id, NEW.product_external_id
    FROM workspace.line_snapshot(NEW.tenant_id, NEW.workspace_id, NEW.sku, NEW.product_id, NEW.supplier_id) s;
    RETURN NEW;
END
$$;
-- +goose StatementEnd

-- Nobody finds a merged article by its words.
CREATE OR REPLACE FUNCTION workspace.products_tokens(r workspace.products) RETURNS text[] LANGUAGE sql STABLE PARALLEL SAFE AS $$
    SELECT CASE WHEN r.merged_into IS NULL
        THEN workspace.tokens_of(ARRAY[r.sku, r.barcode, r.external_id, r.supplier_sku]::text[], concat_ws(' ', r.name, r.variant_name)) END
$$;
