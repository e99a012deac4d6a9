-- +goose Up
-- What people search for: the words and codes of records, one row each, so that a prefix is one
-- range of an index. Comparing texts is leakproof; LIKE and trigrams are not, and row security
-- would let none of their indexes be used.
SET LOCAL lock_timeout = '5s';
SET LOCAL statement_timeout = '60s';

-- A record's tokens are kept in the transaction that writes the record, whoever writes.
CREATE TABLE workspace.search_tokens (
    tenant_id uuid NOT NULL,
    workspace_id uuid NOT NULL,
    -- squawk-ignore prefer-bigint-over-smallint -- one of six kinds, in millions of rows
    kind smallint NOT NULL,              -- see make_searched below
    token text COLLATE "C" NOT NULL,     -- letters and digits, small, without accents; # and those of a code
    record_id text COLLATE "C" NOT NULL, -- a purchase order's is its number
    PRIMARY KEY (tenant_id, workspace_id, kind, token, record_id)
);
SELECT control.protect('workspace.search_tokens');
GRANT SELECT, INSERT, DELETE ON workspace.search_tokens TO quayside_app;

-- words_of is the one definition of a word: a run of letters and digits, in small letters and
-- without accents. What a person types goes through it, too.
-- +goose StatementBegin
CREATE FUNCTION workspace.words_of(said text) RETURNS text[]
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
BEGIN
    IF octet_length(said) = length(said) THEN -- all of it is ASCII
        RETURN array_remove(regexp_split_to_array(lower(said COLLATE "C"), '[^a-z0-9]+'), '');
    END IF;
    RETURN array_remove(regexp_split_to_array(
        lower(regexp_replace(normalize(said, NFKD), '[\u0300-\u036f]+', '', 'g') COLLATE "und-x-icu"), '[^[:alnum:]]+'), '');
END
$$;
-- +goose StatementEnd

-- A name has its first 16 words. A code is found by its beginning and by that of its next three
-- parts, whatever stands between them: AB-12-XL has the tokens #ab12xl, #12xl and #xl. A
-- later part of one letter has none. A token may come twice.
-- +goose StatementBegin
CREATE FUNCTION workspace.tokens_of(codes text[], names text) RETURNS text[]
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
DECLARE
    tokens text[] := (workspace.words_of(left(names, 1000)))[:16];
    code text;
    parts text[];
    rest text;
BEGIN
    IF length(names) > 64 THEN
        tokens := ARRAY(SELECT left(word, 64) FROM unnest(tokens) word);
    END IF;
    FOREACH code IN ARRAY codes LOOP
        CONTINUE WHEN code IS NULL;
        parts := workspace.words_of(left(code, 500));
        FOR part IN 1..least(cardinality(parts), 4) LOOP
            rest := left(array_to_string(parts[part:], ''), 64);
            CONTINUE WHEN part > 1 AND length(rest) = 1;
            tokens := tokens || ('#' || rest);
        END LOOP;
    END LOOP;
    RETURN tokens;
END
$$;

-- Whether a code begins with the words put together, or something with each of them.
CREATE FUNCTION workspace.has_words(tokens text[], words text[]) RETURNS boolean
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
DECLARE
    said text := E'\n' || array_to_string(tokens, E'\n');
    word text;
BEGIN
    IF strpos(said, E'\n#' || array_to_string(words, '')) > 0 THEN RETURN true; END IF;
    FOREACH word IN ARRAY words LOOP
        IF strpos(said, E'\n' || word) = 0 AND strpos(said, E'\n#' || word) = 0 THEN RETURN false; END IF;
    END LOOP;
    RETURN true;
END
$$;

-- Lanes plan joins for batches and would read all tokens there are, so these are looked up.
CREATE FUNCTION workspace.change_tokens(of_tenant uuid, of_kind smallint, there uuid, was text, before text[], here uuid, becomes text, after text[])
RETURNS void LANGUAGE sql SET enable_nestloop = on SET enable_hashjoin = off SET enable_mergejoin = off AS $$
    DELETE FROM workspace.search_tokens t
    USING (SELECT there, was, unnest(before) EXCEPT SELECT here, becomes, unnest(after)) gone (workspace_id, record_id, token)
    WHERE t.tenant_id = of_tenant AND t.workspace_id = gone.workspace_id AND t.kind = of_kind
      AND t.token = gone.token AND t.record_id = gone.record_id;
    INSERT INTO workspace.search_tokens (tenant_id, workspace_id, kind, token, record_id)
    SELECT of_tenant, come.workspace_id, of_kind, come.token, come.record_id
    FROM (SELECT here, becomes, unnest(after) EXCEPT SELECT there, was, unnest(before)) come (workspace_id, record_id, token);
$$;
-- +goose StatementEnd
REVOKE EXECUTE ON FUNCTION workspace.words_of(text), workspace.tokens_of(text[], text), workspace.has_words(text[], text[]),
    workspace.change_tokens(uuid, smallint, uuid, text, text[], uuid, text, text[]) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION workspace.words_of(text), workspace.tokens_of(text[], text), workspace.has_words(text[], text[]),
    workspace.change_tokens(uuid, smallint, uuid, text, text[], uuid, text, text[]) TO quayside_app;

-- make_searched has a table's records found from now on, and makes the tokens of those that are
-- there. Codes and names are columns of a row r; counted says which rows are found at all.
-- <table>_tokens is then the one place that says what is searched of a record; stable, as concat_ws
-- is, it becomes a part of the statement that calls it. New rows are taken by the statement. Changed
-- rows are asked one by one before anything is done for them, so that an update of nothing that is
-- searched costs a comparison.
-- +goose StatementBegin
CREATE FUNCTION workspace.make_searched(searched name, kind smallint, id text, codes text, names text, counted text DEFAULT 'true') RETURNS void
LANGUAGE plpgsql AS $make$
DECLARE
    columns text := concat_ws(', ', 'r.workspace_id, r.' || id, codes, names, CASE WHEN counted <> 'true' THEN counted END);
BEGIN
    EXECUTE format($$
        CREATE FUNCTION workspace.%1$s_tokens(r workspace.%1$I) RETURNS text[]
        LANGUAGE sql STABLE PARALLEL SAFE AS 'SELECT CASE WHEN %4$s THEN workspace.tokens_of(ARRAY[%2$s]::text[], concat_ws('' '', %3$s)) END';
        REVOKE EXECUTE ON FUNCTION workspace.%1$s_tokens(workspace.%1$I) FROM PUBLIC;
        GRANT EXECUTE ON FUNCTION workspace.%1$s_tokens(workspace.%1$I) TO quayside_app;
        $$, searched, codes, names, replace(counted, '''', ''''''));
    EXECUTE format($$
        CREATE FUNCTION workspace.search_new_%1$s() RETURNS trigger LANGUAGE plpgsql AS '
        BEGIN
            INSERT INTO workspace.search_tokens (tenant_id, workspace_id, kind, token, record_id)
            SELECT DISTINCT r.tenant_id, r.workspace_id, %2$s, unnest(workspace.%1$s_tokens(r::workspace.%1$I)), r.%3$s::text FROM new_rows r;
            RETURN NULL;
        END';
        CREATE FUNCTION workspace.search_changed_%1$s() RETURNS trigger LANGUAGE plpgsql AS '
        BEGIN
            IF TG_OP = ''DELETE'' THEN
                PERFORM workspace.change_tokens(OLD.tenant_id, %2$s::smallint, OLD.workspace_id, OLD.%3$s::text, workspace.%1$s_tokens(OLD), NULL, NULL, NULL);
            ELSE
                PERFORM workspace.change_tokens(NEW.tenant_id, %2$s::smallint, OLD.workspace_id, OLD.%3$s::text, workspace.%1$s_tokens(OLD),
                    NEW.workspace_id, NEW.%3$s::text, workspace.%1$s_tokens(NEW));
            END IF;
            RETURN NULL;
        END';
        CREATE TRIGGER search_new AFTER INSERT ON workspace.%1$I
            REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION workspace.search_new_%1$s();
        CREATE TRIGGER search_changed AFTER UPDATE ON workspace.%1$I
            FOR EACH ROW WHEN ((%4$s) IS DISTINCT FROM (%5$s)) EXECUTE FUNCTION workspace.search_changed_%1$s();
        CREATE TRIGGER search_deleted AFTER DELETE ON workspace.%1$I
            FOR EACH ROW EXECUTE FUNCTION workspace.search_changed_%1$s();
        $$, searched, kind, id, 'ROW(' || regexp_replace(columns, '\mr\.', 'OLD.', 'g') || ')', 'ROW(' || regexp_replace(columns, '\mr\.', 'NEW.', 'g') || ')');
    EXECUTE format($$
        ALTER TABLE workspace.%1$I NO FORCE ROW LEVEL SECURITY;
        INSERT INTO workspace.search_tokens (tenant_id, workspace_id, kind, token, record_id)
        SELECT DISTINCT r.tenant_id, r.workspace_id, %2$s, unnest(workspace.%1$s_tokens(r)), r.%3$s::text FROM workspace.%1$I r;
        ALTER TABLE workspace.%1$I FORCE ROW LEVEL SECURITY;
        $$, searched, kind, id);
END
$make$;
-- +goose StatementEnd
REVOKE EXECUTE ON FUNCTION workspace.make_searched(name, smallint, text, text, text, text) FROM PUBLIC;

SET LOCAL statement_timeout = 0; -- a million records take minutes
ALTER TABLE workspace.search_tokens NO FORCE ROW LEVEL SECURITY;
SELECT workspace.make_searched('purchase_orders', 1::smallint, 'order_no', 'r.order_no', 'NULL', 'r.lines > 0');
SELECT workspace.make_searched('suppliers', 2::smallint, 'id', 'r.external_id, r.email', 'r.name, r.contact_name');
SELECT workspace.make_searched('products', 3::smallint, 'id', 'r.sku, r.barcode, r.external_id, r.supplier_sku', 'r.name, r.variant_name');
SELECT workspace.make_searched('customers', 4::smallint, 'id', 'r.external_id, r.email', 'r.name, r.company');
SELECT workspace.make_searched('orders', 5::smallint, 'id', 'r.order_number, r.external_id', 'NULL');
SELECT workspace.make_searched('failed_imports', 6::smallint, 'id', 'r.record_key', 'NULL', 'r.status = ''open''');
ALTER TABLE workspace.search_tokens FORCE ROW LEVEL SECURITY;

-- The tokens of which what is kept is not what the records say: none, ever.
CREATE FUNCTION workspace.wrong_tokens(of_tenant uuid) RETURNS TABLE (kind smallint, record_id text, token text, kept boolean)
LANGUAGE sql STABLE AS $$
    WITH said AS (
        SELECT r.workspace_id, 1::smallint AS kind, r.order_no AS record_id, unnest(workspace.purchase_orders_tokens(r)) AS token FROM workspace.purchase_orders r WHERE r.tenant_id = of_tenant
        UNION SELECT r.workspace_id, 2, r.id, unnest(workspace.suppliers_tokens(r)) FROM workspace.suppliers r WHERE r.tenant_id = of_tenant
        UNION SELECT r.workspace_id, 3, r.id, unnest(workspace.products_tokens(r)) FROM workspace.products r WHERE r.tenant_id = of_tenant
        UNION SELECT r.workspace_id, 4, r.id, unnest(workspace.customers_tokens(r)) FROM workspace.customers r WHERE r.tenant_id = of_tenant
        UNION SELECT r.workspace_id, 5, r.id, unnest(workspace.orders_tokens(r)) FROM workspace.orders r WHERE r.tenant_id = of_tenant
        UNION SELECT r.workspace_id, 6, r.id::text, unnest(workspace.failed_imports_tokens(r)) FROM workspace.failed_imports r WHERE r.tenant_id = of_tenant
    )
    SELECT coalesce(s.kind, k.kind), coalesce(s.record_id, k.record_id), coalesce(s.token, k.token), k.kind IS NOT NULL
    FROM said s
    FULL JOIN (SELECT * FROM workspace.search_tokens WHERE tenant_id = of_tenant) k
        ON k.workspace_id = s.workspace_id AND k.kind = s.kind AND k.record_id = s.record_id AND k.token = s.token
    WHERE s.kind IS NULL OR k.kind IS NULL
$$;
REVOKE EXECUTE ON FUNCTION workspace.wrong_tokens(uuid) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION workspace.wrong_tokens(uuid) TO quayside_app;
