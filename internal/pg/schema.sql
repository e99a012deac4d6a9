-- The schema as the migrations leave it: made by 'make gen', read by sqlc and by people.

CREATE SCHEMA control;

CREATE SCHEMA workspace;

CREATE TYPE workspace.order_share AS (
	tenant_id uuid,
	workspace_id uuid,
	order_no text,
	supplier_id text,
	supplier_name text,
	currency text,
	newest_id text,
	next_arrival date,
	updated_at timestamp with time zone,
	lines integer,
	draft integer,
	pending_approval integer,
	ordered_lines integer,
	partially_received integer,
	received_lines integer,
	closed_short integer,
	cancelled integer,
	unresolved integer,
	flags integer,
	live integer,
	binding integer,
	total numeric,
	bound numeric,
	ordered numeric,
	received numeric,
	given_up numeric,
	expected numeric
);

CREATE FUNCTION control.bound_person() RETURNS uuid
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $$
    SELECT nullif(current_setting('app.person', true), '')::uuid
$$;

CREATE FUNCTION control.bound_tenants() RETURNS uuid[]
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $$
    SELECT array_remove(string_to_array(nullif(current_setting('app.tenants', true), ''), ',')::uuid[],
        '00000000-0000-0000-0000-000000000000')
$$;

CREATE FUNCTION control.kept_since(of_name text) RETURNS timestamp with time zone
    LANGUAGE sql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
    SELECT CASE
        WHEN now() - e.looked_at BETWEEN interval '-5 minutes' AND interval '1 day'
            AND now() - e.steady_since BETWEEN interval '1 day' AND interval '1000 years'
        THEN now() - make_interval(days => r.kept_days::integer) ELSE '-infinity' END
    FROM control.retention r, control.event_retention e WHERE r.name = of_name
$$;

CREATE FUNCTION control.protect(protected regclass, tenant_column name DEFAULT 'tenant_id'::name) RETURNS void
    LANGUAGE plpgsql
    AS $$
DECLARE
    -- IS TRUE keeps the list out of index conditions, where every look-up would try
    -- every tenant of a batch. Queries name the tenant they mean; this is the guard.
    bound text := format('(%I = ANY ((SELECT control.bound_tenants())::uuid[])) IS TRUE', tenant_column);
BEGIN
    EXECUTE format('ALTER TABLE %s ENABLE ROW LEVEL SECURITY', protected);
    EXECUTE format('ALTER TABLE %s FORCE ROW LEVEL SECURITY', protected);
    EXECUTE format('CREATE POLICY tenant ON %s TO quayside_app USING (%s) WITH CHECK (%s)', protected, bound, bound);
    EXECUTE format('CREATE POLICY backup ON %s FOR SELECT TO quayside_backup USING (true)', protected);
END
$$;

CREATE FUNCTION control.protect_person(protected regclass, person_column name DEFAULT 'user_id'::name) RETURNS void
    LANGUAGE plpgsql
    AS $$
BEGIN
    EXECUTE format('ALTER TABLE %s ENABLE ROW LEVEL SECURITY', protected);
    EXECUTE format('ALTER TABLE %s FORCE ROW LEVEL SECURITY', protected);
    EXECUTE format('CREATE POLICY person ON %s TO quayside_app USING (%I = (SELECT control.bound_person()))',
        protected, person_column);
    EXECUTE format('CREATE POLICY backup ON %s FOR SELECT TO quayside_backup USING (true)', protected);
END
$$;

CREATE FUNCTION workspace.add_counts(a jsonb, b jsonb) RETURNS jsonb
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$
    SELECT coalesce(jsonb_object_agg(c.name, c.n), '{}') FROM (
        SELECT e.key AS name, sum(e.value::bigint) AS n
        FROM (SELECT * FROM jsonb_each_text(a) UNION ALL SELECT * FROM jsonb_each_text(b)) e GROUP BY e.key) c
$$;

CREATE FUNCTION workspace.add_to_orders(shares workspace.order_share[]) RETURNS void
    LANGUAGE plpgsql
    SET enable_nestloop TO 'on'
    SET enable_hashjoin TO 'off'
    SET enable_mergejoin TO 'off'
    AS $$
BEGIN
    INSERT INTO workspace.purchase_orders AS o (tenant_id, workspace_id, order_no, sort_no, newest_id, next_arrival, lines, draft, pending_approval,
        ordered, partially_received, received, closed_short, cancelled, unresolved, flags, updated_at)
    SELECT s.tenant_id, s.workspace_id, s.order_no, workspace.sort_number(s.order_no), max(s.newest_id), coalesce(min(s.next_arrival), 'infinity'),
        sum(s.lines), sum(s.draft), sum(s.pending_approval), sum(s.ordered_lines), sum(s.partially_received), sum(s.received_lines),
        sum(s.closed_short), sum(s.cancelled), sum(s.unresolved), sum(s.flags), max(s.updated_at)
    FROM unnest(shares) s
    GROUP BY s.tenant_id, s.workspace_id, s.order_no ORDER BY s.tenant_id, s.workspace_id, s.order_no COLLATE "C"
    ON CONFLICT (tenant_id, workspace_id, order_no) DO UPDATE
    SET version = o.version + 1, lines = o.lines + excluded.lines, draft = o.draft + excluded.draft,
        pending_approval = o.pending_approval + excluded.pending_approval, ordered = o.ordered + excluded.ordered,
        partially_received = o.partially_received + excluded.partially_received, received = o.received + excluded.received,
        closed_short = o.closed_short + excluded.closed_short, cancelled = o.cancelled + excluded.cancelled,
        unresolved = o.unresolved + excluded.unresolved, flags = o.flags + excluded.flags,
        updated_at = greatest(o.updated_at, excluded.updated_at);

    INSERT INTO workspace.purchase_order_sums AS o (tenant_id, workspace_id, order_no, supplier_id, supplier_name, currency,
        lines, live, binding, total, bound, ordered, received, given_up, expected)
    SELECT s.tenant_id, s.workspace_id, s.order_no, s.supplier_id, s.supplier_name, s.currency,
        sum(s.lines), sum(s.live), sum(s.binding), sum(s.total), sum(s.bound), sum(s.ordered), sum(s.received), sum(s.given_up), sum(s.expected)
    FROM unnest(shares) s
    GROUP BY s.tenant_id, s.workspace_id, s.order_no, s.supplier_id, s.supplier_name, s.currency
    HAVING (sum(s.lines), sum(s.live), sum(s.binding), sum(s.total), sum(s.bound), sum(s.ordered), sum(s.received), sum(s.given_up), sum(s.expected))
        <> (0, 0, 0, 0, 0, 0, 0, 0, 0)
    ON CONFLICT (tenant_id, workspace_id, order_no, supplier_id, supplier_name, currency) DO UPDATE
    SET lines = o.lines + excluded.lines, live = o.live + excluded.live, binding = o.binding + excluded.binding, total = o.total + excluded.total, bound = o.bound + excluded.bound,
        ordered = o.ordered + excluded.ordered, received = o.received + excluded.received,
        given_up = o.given_up + excluded.given_up, expected = o.expected + excluded.expected;

    UPDATE workspace.purchase_orders o
    SET newest_id = now.newest_id, next_arrival = now.next_arrival, supplier = now.supplier, suppliers = now.suppliers
    FROM (SELECT DISTINCT s.tenant_id, s.workspace_id, s.order_no FROM unnest(shares) s) s
    CROSS JOIN LATERAL (
        SELECT
            coalesce((SELECT l.id FROM workspace.purchase_order_lines l
                WHERE l.tenant_id = s.tenant_id AND l.workspace_id = s.workspace_id AND l.order_no = s.order_no
                ORDER BY l.id DESC LIMIT 1), '') AS newest_id,
            coalesce((SELECT l.expected_arrival_date FROM workspace.purchase_order_lines l
                WHERE l.tenant_id = s.tenant_id AND l.workspace_id = s.workspace_id AND l.order_no = s.order_no
                  AND l.status IN ('ordered', 'partially_received')
                ORDER BY l.expected_arrival_date LIMIT 1), 'infinity') AS next_arrival,
            coalesce(named.supplier, '') AS supplier, named.suppliers
        FROM (
            -- A supplier that some lines know by name alone is the one with an id.
            SELECT min(lower(m.supplier_name) COLLATE "C") FILTER (WHERE m.supplier_name <> '') AS supplier,
                count(DISTINCT coalesce(nullif(m.supplier_id, ''), nullif(m.supplier_name, ''))) FILTER (
                    WHERE m.live > 0 AND (m.supplier_id <> '' OR m.supplier_name <> '' AND NOT EXISTS (
                        SELECT FROM workspace.purchase_order_sums i
                        WHERE i.tenant_id = s.tenant_id AND i.workspace_id = s.workspace_id AND i.order_no = s.order_no
                          AND i.live > 0 AND i.supplier_id <> '' AND i.supplier_name = m.supplier_name))) AS suppliers
            FROM workspace.purchase_order_sums m
            WHERE m.tenant_id = s.tenant_id AND m.workspace_id = s.workspace_id AND m.order_no = s.order_no AND m.lines > 0
        ) named
    ) now
    WHERE o.tenant_id = s.tenant_id AND o.workspace_id = s.workspace_id AND o.order_no = s.order_no
      AND (o.newest_id, o.next_arrival, o.supplier, o.suppliers) IS DISTINCT FROM (now.newest_id, now.next_arrival, now.supplier, now.suppliers);
END
$$;

CREATE FUNCTION workspace.analyze_sales() RETURNS integer
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET lock_timeout TO '1s'
    AS $$
DECLARE
    grown name;
    analyzed integer := 0;
BEGIN
    FOR grown IN
        SELECT c.relname FROM pg_class c
        WHERE c.relnamespace = 'workspace'::regnamespace
          AND c.relname IN ('sales_lines', 'sales_orders', 'sales_days', 'sales_weeks', 'sales_series', 'sales_customers',
              'sales_changed', 'stock_days', 'forecasts', 'forecast_marks', 'forecast_log')
          AND pg_relation_size(c.oid) / current_setting('block_size')::bigint > greatest(16, 8 * c.relpages)
    LOOP
        EXECUTE format('ANALYZE workspace.%I', grown);
        analyzed := analyzed + 1;
    END LOOP;
    RETURN analyzed;
EXCEPTION WHEN lock_not_available THEN
    RETURN analyzed; -- somebody else is at it
END
$$;

CREATE FUNCTION workspace.apply_receipt() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    IF NEW.quantity_received < NEW.quantity_ordered THEN
        NEW.status := 'partially_received';
    ELSE
        NEW.status := 'received';
        IF NEW.received_at IS NULL THEN
            SELECT l.received_at INTO NEW.received_at FROM workspace.purchase_order_lines l
            WHERE l.tenant_id = NEW.tenant_id AND l.external_id = NEW.external_id;
            NEW.received_at := coalesce(NEW.received_at, now());
        END IF;
    END IF;
    RETURN NEW;
END
$$;

CREATE FUNCTION workspace.await_seal() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    INSERT INTO workspace.audit_unsealed (tenant_id, id) SELECT tenant_id, id FROM added;
    RETURN NULL;
END
$$;

CREATE FUNCTION workspace.change_tokens(of_tenant uuid, of_kind smallint, there uuid, was text, before text[], here uuid, becomes text, after text[]) RETURNS void
    LANGUAGE sql
    SET enable_nestloop TO 'on'
    SET enable_hashjoin TO 'off'
    SET enable_mergejoin TO 'off'
    AS $$
    DELETE FROM workspace.search_tokens t
    USING (SELECT there, was, unnest(before) EXCEPT SELECT here, becomes, unnest(after)) gone (workspace_id, record_id, token)
    WHERE t.tenant_id = of_tenant AND t.workspace_id = gone.workspace_id AND t.kind = of_kind
      AND t.token = gone.token AND t.record_id = gone.record_id;
    INSERT INTO workspace.search_tokens (tenant_id, workspace_id, kind, token, record_id)
    SELECT of_tenant, come.workspace_id, of_kind, come.token, come.record_id
    FROM (SELECT here, becomes, unnest(after) EXCEPT SELECT there, was, unnest(before)) come (workspace_id, record_id, token);
$$;

CREATE FUNCTION workspace.count_changed_lines() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    PERFORM workspace.add_to_orders(array_agg(s)) FROM (
        SELECT (s.tenant_id, s.workspace_id, s.order_no, s.supplier_id, s.supplier_name, s.currency, max(s.newest_id), min(s.next_arrival), max(s.updated_at),
            sum(s.lines), sum(s.draft), sum(s.pending_approval), sum(s.ordered_lines), sum(s.partially_received), sum(s.received_lines),
            sum(s.closed_short), sum(s.cancelled), sum(s.unresolved), sum(s.flags), sum(s.live), sum(s.binding),
            sum(s.total), sum(s.bound), sum(s.ordered), sum(s.received), sum(s.given_up), sum(s.expected))::workspace.order_share AS s
        FROM (
            SELECT n.*, 1 AS sign, o.order_no <> n.order_no AS moved, n.version AS until
            FROM new_lines n JOIN old_lines o ON o.tenant_id = n.tenant_id AND o.id = n.id
          UNION ALL
            SELECT o.*, -1, o.order_no <> n.order_no, n.version
            FROM new_lines n JOIN old_lines o ON o.tenant_id = n.tenant_id AND o.id = n.id
        ) l
        CROSS JOIN LATERAL workspace.share_of(l.tenant_id, l.workspace_id, l.id, l.order_no, l.status, l.quantity_ordered, l.quantity_received,
            l.expected_arrival_date, l.price_per_unit, l.currency, l.supplier_id, l.supplier_name, l.product_name, l.updated_at, l.sign, CASE WHEN l.moved THEN (
                SELECT count(*)::int FROM workspace.line_flags f
                WHERE f.tenant_id = l.tenant_id AND f.line_id = l.id AND f.seen_at IS NULL AND f.version < l.until) ELSE 0 END) s
        GROUP BY s.tenant_id, s.workspace_id, s.order_no, s.supplier_id, s.supplier_name, s.currency
    ) shares HAVING count(*) > 0;
    RETURN NULL;
END
$$;

CREATE FUNCTION workspace.count_flag() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    INSERT INTO workspace.purchase_orders AS o (tenant_id, workspace_id, order_no, sort_no, flags)
    SELECT l.tenant_id, l.workspace_id, l.order_no, workspace.sort_number(l.order_no), CASE WHEN NEW.seen_at IS NULL THEN 1 ELSE -1 END
    FROM workspace.purchase_order_lines l WHERE l.tenant_id = NEW.tenant_id AND l.id = NEW.line_id
    ON CONFLICT (tenant_id, workspace_id, order_no) DO UPDATE SET flags = o.flags + excluded.flags, version = o.version + 1;
    RETURN NULL;
END
$$;

CREATE FUNCTION workspace.count_new_lines() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    PERFORM workspace.add_to_orders(array_agg(s)) FROM (
        SELECT (s.tenant_id, s.workspace_id, s.order_no, s.supplier_id, s.supplier_name, s.currency, max(s.newest_id), min(s.next_arrival), max(s.updated_at),
            sum(s.lines), sum(s.draft), sum(s.pending_approval), sum(s.ordered_lines), sum(s.partially_received), sum(s.received_lines),
            sum(s.closed_short), sum(s.cancelled), sum(s.unresolved), sum(s.flags), sum(s.live), sum(s.binding),
            sum(s.total), sum(s.bound), sum(s.ordered), sum(s.received), sum(s.given_up), sum(s.expected))::workspace.order_share AS s
        FROM new_lines l CROSS JOIN LATERAL workspace.share_of(l.tenant_id, l.workspace_id, l.id, l.order_no, l.status, l.quantity_ordered, l.quantity_received,
            l.expected_arrival_date, l.price_per_unit, l.currency, l.supplier_id, l.supplier_name, l.product_name, l.updated_at, 1, 0) s
        GROUP BY s.tenant_id, s.workspace_id, s.order_no, s.supplier_id, s.supplier_name, s.currency
    ) shares HAVING count(*) > 0;
    RETURN NULL;
END
$$;

CREATE FUNCTION workspace.count_received_here() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    IF current_setting('app.receipt')::jsonb -> 'actor' ->> 'type' = 'user' THEN
        NEW.received_here := nullif(greatest(coalesce(OLD.received_here, 0) + NEW.quantity_received - OLD.quantity_received, 0), 0);
    END IF;
    RETURN NEW;
END
$$;

CREATE FUNCTION workspace.count_referring_versions() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    UPDATE workspace.registry_tables t SET updated_at = now()
    FROM changed c
    WHERE t.tenant_id = c.tenant_id AND t.slug <> c.slug
      AND EXISTS (SELECT FROM workspace.registry_columns r
                  WHERE r.tenant_id = t.tenant_id AND r.slug = t.slug AND r.reference = c.slug);
    RETURN NULL;
END
$$;

CREATE FUNCTION workspace.count_registry_version() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    IF TG_TABLE_NAME = 'registry_tables' THEN
        NEW.version := greatest(OLD.version + 1, (extract(epoch FROM clock_timestamp()) * 1000000)::bigint);
        NEW.updated_at := now();
        RETURN NEW;
    END IF;
    -- An UPDATE of the parent runs the branch above.
    UPDATE workspace.registry_tables t SET updated_at = now()
    FROM (SELECT DISTINCT c.tenant_id, c.slug FROM changed c) c
    WHERE t.tenant_id = c.tenant_id AND t.slug = c.slug;
    RETURN NULL;
END
$$;

CREATE FUNCTION workspace.count_version() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    IF (to_jsonb(NEW) - 'identity_key')::text <> (to_jsonb(OLD) - 'identity_key')::text THEN
        NEW.version := OLD.version + 1;
        NEW.updated_at := now();
    END IF;
    RETURN NEW;
END
$$;

CREATE FUNCTION workspace.new_id() RETURNS text
    LANGUAGE sql PARALLEL SAFE
    AS $$
    SELECT (lpad(to_hex((extract(epoch FROM clock_timestamp()) * 1000)::bigint), 12, '0')
        || '7' || substr(replace(gen_random_uuid()::text, '-', ''), 14))::uuid::text
$$;

CREATE TABLE workspace.customers (
    id text DEFAULT workspace.new_id() NOT NULL COLLATE pg_catalog."C",
    tenant_id uuid NOT NULL,
    workspace_id uuid NOT NULL,
    external_id text NOT NULL COLLATE pg_catalog."C",
    name text,
    email text,
    phone text,
    company text,
    country text,
    city text,
    accepts_marketing boolean,
    source_created_at timestamp with time zone,
    locale text,
    tags text,
    note text,
    version bigint DEFAULT 1 NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    custom jsonb DEFAULT '{}'::jsonb NOT NULL,
    CONSTRAINT customers_external_id_check CHECK ((external_id <> ''::text))
);

ALTER TABLE ONLY workspace.customers FORCE ROW LEVEL SECURITY;

CREATE FUNCTION workspace.customers_tokens(r workspace.customers) RETURNS text[]
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $$SELECT CASE WHEN true THEN workspace.tokens_of(ARRAY[r.external_id, r.email]::text[], concat_ws(' ', r.name, r.company)) END$$;

CREATE FUNCTION workspace.drop_event_days(service_clock timestamp with time zone, most integer, OUT held text, OUT due bigint, OUT dropped date[], OUT bytes bigint) RETURNS record
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
DECLARE
    at timestamptz := clock_timestamp();
    today date := (at AT TIME ZONE 'UTC')::date;
    kept control.event_retention;
    newest date;
    old record;
BEGIN
    held := '';
    dropped := '{}';
    bytes := 0;
    SELECT * INTO STRICT kept FROM control.event_retention FOR UPDATE;
    IF at - kept.looked_at NOT BETWEEN interval '-5 minutes' AND interval '1 day' THEN
        kept.steady_since := at;
    END IF;
    UPDATE control.event_retention SET looked_at = at, steady_since = kept.steady_since;
    SELECT max(d.day) INTO newest FROM workspace.event_days() d WHERE d.bytes > 0;
    SELECT count(*) INTO due FROM workspace.event_days() d WHERE d.bytes > 0 AND d.day < newest - kept.kept_days::integer;
    IF abs(extract(epoch FROM at - service_clock)) > 300 THEN
        held := 'service_clock';
    ELSIF newest > today THEN
        held := 'events_ahead';
    ELSIF at - kept.steady_since NOT BETWEEN interval '1 day' AND interval '1000 years' THEN
        held := 'not_steady';
    END IF;
    IF held <> '' THEN
        RETURN;
    END IF;
    FOR old IN
        SELECT d.day, d.partition, d.total_bytes FROM workspace.event_days() d
        WHERE d.bytes > 0 AND d.day < newest - kept.kept_days::integer
        ORDER BY d.day LIMIT greatest(most, 0)
    LOOP
        BEGIN
            EXECUTE format('LOCK TABLE workspace.%I IN ACCESS EXCLUSIVE MODE NOWAIT', old.partition);
        EXCEPTION WHEN lock_not_available THEN
            CONTINUE; -- somebody reads it, a backup perhaps
        END;
        EXECUTE format('TRUNCATE workspace.%I', old.partition);
        INSERT INTO control.event_days_dropped (day, bytes, kept_days) VALUES (old.day, old.total_bytes, kept.kept_days);
        dropped := dropped || old.day;
        bytes := bytes + old.total_bytes;
        due := due - 1;
    END LOOP;
END
$$;

CREATE FUNCTION workspace.empty_days_of(week date, first_week date, empty_days integer[], ends_empty boolean, ends_on date) RETURNS integer
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$
    SELECT coalesce(empty_days[(week - first_week) / 7 + 1], 0)
        + CASE WHEN ends_empty THEN greatest(0, least(7, week + 6 - ends_on)) ELSE 0 END
$$;

CREATE FUNCTION workspace.end_alias() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    DELETE FROM workspace.article_aliases a WHERE a.tenant_id = NEW.tenant_id AND a.name = OLD.sku AND a.product_id = NEW.id;
    RETURN NULL;
END
$$;

CREATE FUNCTION workspace.end_indexes() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    UPDATE workspace.indexed_fields f SET state = 'leaving', horizon = NULL
    WHERE f.tenant_id = NEW.tenant_id AND f.slug = NEW.slug AND f.state <> 'leaving'
      AND (TG_TABLE_NAME = 'registry_tables' OR f.field = to_jsonb(NEW) ->> 'name');
    RETURN NULL;
END
$$;

CREATE FUNCTION workspace.entries_of(of_home text, of_tenant uuid, of_workspace uuid, of_row text, document jsonb) RETURNS TABLE(tenant_id uuid, index_id bigint, key text, words text, id text)
    LANGUAGE sql STABLE
    AS $$
    SELECT f.tenant_id, f.id, workspace.index_key(f.type, f.collated, f.cut, v.value),
        CASE WHEN f.collated THEN coalesce(left(v.value, f.cut), '') ELSE '' END, of_row
    FROM workspace.indexed_fields f
    CROSS JOIN LATERAL (SELECT CASE f.stored WHEN 'column' THEN document ->> f.field ELSE document -> f.stored ->> f.field END AS value OFFSET 0) v
    WHERE f.tenant_id = of_tenant AND f.home = of_home AND f.workspace_id = of_workspace AND f.state <> 'leaving'
      AND (f.home <> 'records' OR f.slug = document ->> 'slug')
$$;

CREATE FUNCTION workspace.event_days() RETURNS TABLE(day date, partition text, bytes bigint, total_bytes bigint)
    LANGUAGE sql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
    SELECT to_date(substr(c.relname::text, 8), 'YYYYMMDD'), c.relname::text, pg_relation_size(c.oid), pg_total_relation_size(c.oid)
    FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
    WHERE i.inhparent = 'workspace.events'::regclass
$$;

CREATE TABLE workspace.failed_imports (
    tenant_id uuid NOT NULL,
    id uuid NOT NULL,
    workspace_id uuid NOT NULL,
    slug text NOT NULL COLLATE pg_catalog."C",
    status text DEFAULT 'open'::text NOT NULL,
    http_status bigint NOT NULL,
    code text NOT NULL COLLATE pg_catalog."C",
    field text,
    message text NOT NULL,
    errors jsonb DEFAULT '[]'::jsonb NOT NULL,
    payload bytea NOT NULL,
    payload_hash bytea NOT NULL,
    record_key text COLLATE pg_catalog."C",
    key_id uuid NOT NULL,
    request_id text NOT NULL,
    seen bigint DEFAULT 1 NOT NULL,
    first_seen_at timestamp with time zone DEFAULT now() NOT NULL,
    last_seen_at timestamp with time zone DEFAULT now() NOT NULL,
    closed_at timestamp with time zone,
    closed_reason text,
    closed_how text,
    closed_by jsonb,
    retrying_until timestamp with time zone,
    actor jsonb,
    sequence text COLLATE pg_catalog."C",
    CONSTRAINT failed_imports_check CHECK (((status = 'open'::text) = (closed_at IS NULL))),
    CONSTRAINT failed_imports_errors_check CHECK ((jsonb_typeof(errors) = 'array'::text)),
    CONSTRAINT failed_imports_http_status_check CHECK ((http_status = ANY (ARRAY[(422)::bigint, (500)::bigint]))),
    CONSTRAINT failed_imports_payload_hash_check CHECK ((octet_length(payload_hash) = 32)),
    CONSTRAINT failed_imports_sequence_check CHECK ((length(sequence) = ANY (ARRAY[19, 30]))),
    CONSTRAINT failed_imports_status_check CHECK ((status = ANY (ARRAY['open'::text, 'ignored'::text, 'resolved'::text])))
);

ALTER TABLE ONLY workspace.failed_imports FORCE ROW LEVEL SECURITY;

CREATE FUNCTION workspace.failed_imports_tokens(r workspace.failed_imports) RETURNS text[]
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $$SELECT CASE WHEN r.status = 'open' THEN workspace.tokens_of(ARRAY[r.record_key]::text[], concat_ws(' ', NULL)) END$$;

CREATE FUNCTION workspace.failure_matches(filter jsonb, slug text, code text, field text, key_id uuid, last_seen_at timestamp with time zone, message text, record_key text) RETURNS boolean
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $$
    SELECT (filter ->> 'table' IS NULL OR slug = filter ->> 'table')
        AND (filter ->> 'code' IS NULL OR code = filter ->> 'code')
        AND (filter ->> 'field' IS NULL OR coalesce(field, '') = filter ->> 'field')
        AND (filter ->> 'key' IS NULL OR key_id = (filter ->> 'key')::uuid)
        AND (filter ->> 'since' IS NULL OR last_seen_at >= (filter ->> 'since')::timestamptz)
        AND (filter ->> 'until' IS NULL OR last_seen_at < (filter ->> 'until')::timestamptz)
        AND (filter ->> 'text' IS NULL OR position(lower(filter ->> 'text') IN lower(message || ' ' || coalesce(record_key, ''))) > 0)
$$;

CREATE FUNCTION workspace.fill_line_snapshot() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    IF TG_OP = 'UPDATE' AND current_setting('app.merging', true) = 'on' THEN RETURN NEW; END IF;
    SELECT s.product_name, s.supplier_name, s.variant_external_id, s.product_external_id
    INTO NEW.product_name, NEW.supplier_name, NEW.variant_external_id, NEW.product_external_id
    FROM workspace.line_snapshot(NEW.tenant_id, NEW.workspace_id, NEW.sku, NEW.product_id, NEW.supplier_id) s;
    RETURN NEW;
END
$$;

CREATE FUNCTION workspace.flag_line() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    IF current_setting('app.purchase', true) = 'on' THEN
        RETURN NULL;
    END IF;
    INSERT INTO workspace.line_flags (tenant_id, workspace_id, line_id, from_status, to_status, version)
    VALUES (NEW.tenant_id, NEW.workspace_id, NEW.id, OLD.status, NEW.status, NEW.version);
    RETURN NULL;
END
$$;

CREATE FUNCTION workspace.follow_merged() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
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

CREATE FUNCTION workspace.follow_receipts() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    IF NEW.quantity_received >= NEW.quantity_ordered THEN -- all of it, for the second time
        NEW.received_at := now();
    ELSIF coalesce(current_setting('app.said_received', true), '') <> NEW.id THEN
        NEW.status := CASE WHEN NEW.quantity_received > 0 THEN 'partially_received' ELSE 'ordered' END;
        NEW.received_at := NULL;
    END IF;
    PERFORM set_config('app.said_received', '', true);
    RETURN NEW;
END
$$;

CREATE FUNCTION workspace.follow_sku() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    IF coalesce(current_setting('app.said_article', true), '') <> NEW.id THEN
        NEW.product_id := NULL;
        NEW.product_name := OLD.product_name; -- so that all of them are looked up again
        NEW.supplier_name := OLD.supplier_name;
        NEW.variant_external_id := OLD.variant_external_id;
        NEW.product_external_id := OLD.product_external_id;
    END IF;
    PERFORM set_config('app.said_article', '', true);
    RETURN NEW;
END
$$;

CREATE FUNCTION workspace.has_words(tokens text[], words text[]) RETURNS boolean
    LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
    AS $$
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

CREATE FUNCTION workspace.heed_alias() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    IF EXISTS (SELECT FROM workspace.article_aliases a WHERE a.tenant_id = NEW.tenant_id AND a.name = NEW.sku) THEN
        RAISE serialization_failure USING MESSAGE = 'the article was merged in the meantime';
    END IF;
    RETURN NULL;
END
$$;

CREATE FUNCTION workspace.index_key(of_type text, collated boolean, cut integer, value text) RETURNS text
    LANGUAGE plpgsql STABLE
    AS $$
BEGIN
    IF value IS NULL THEN
        RETURN '';
    ELSIF of_type = 'text' THEN
        RETURN CASE WHEN collated THEN '=' ELSE '=' || left(value, cut) END;
    END IF;
    BEGIN
        RETURN CASE of_type
            WHEN 'number' THEN workspace.number_key(value::numeric)
            WHEN 'boolean' THEN CASE WHEN value::boolean THEN 't' ELSE 'f' END
            WHEN 'date' THEN to_char(value::date - date '0001-01-01', 'FM0000000')
            WHEN 'datetime' THEN to_char((extract(epoch FROM value::timestamptz) * 1000000)::bigint + 100000000000000000, 'FM000000000000000000')
            WHEN 'uuid' THEN value::uuid::text
        END;
    EXCEPTION WHEN data_exception THEN
        RETURN '';
    END;
END
$$;

CREATE FUNCTION workspace.keep_entries() RETURNS trigger
    LANGUAGE plpgsql
    SET enable_nestloop TO 'on'
    SET enable_hashjoin TO 'off'
    SET enable_mergejoin TO 'off'
    SET enable_seqscan TO 'off'
    AS $$
BEGIN
    IF TG_OP = 'DELETE' THEN
        PERFORM FROM old_rows r, LATERAL (SELECT FROM workspace.indexed_fields f WHERE f.tenant_id = r.tenant_id AND f.home = TG_TABLE_NAME::text LIMIT 1) f LIMIT 1;
    ELSE
        PERFORM FROM new_rows r, LATERAL (SELECT FROM workspace.indexed_fields f WHERE f.tenant_id = r.tenant_id AND f.home = TG_TABLE_NAME::text LIMIT 1) f LIMIT 1;
    END IF;
    IF NOT FOUND THEN
        RETURN NULL;
    END IF;
    IF TG_OP = 'INSERT' THEN
        INSERT INTO workspace.index_entries (tenant_id, index_id, key, words, id)
        SELECT e.* FROM (SELECT r.tenant_id, r.workspace_id, r.id, to_jsonb(r) AS document FROM new_rows r
            WHERE EXISTS (SELECT FROM workspace.indexed_fields f WHERE f.tenant_id = r.tenant_id AND f.home = TG_TABLE_NAME::text) OFFSET 0) r,
            LATERAL workspace.entries_of(TG_TABLE_NAME::text, r.tenant_id, r.workspace_id, r.id, r.document) e
        ON CONFLICT DO NOTHING;
        RETURN NULL;
    END IF;
    IF TG_OP = 'DELETE' THEN
        DELETE FROM workspace.index_entries t
        USING (SELECT r.tenant_id, r.workspace_id, r.id, to_jsonb(r) AS document FROM old_rows r OFFSET 0) r,
            LATERAL workspace.entries_of(TG_TABLE_NAME::text, r.tenant_id, r.workspace_id, r.id, r.document) e
        WHERE t.tenant_id = e.tenant_id AND t.index_id = e.index_id AND t.key = e.key AND t.words = e.words AND t.id = e.id;
        RETURN NULL;
    END IF;
    WITH before AS MATERIALIZED (
        SELECT e.* FROM (SELECT r.tenant_id, r.workspace_id, r.id, to_jsonb(r) AS document FROM old_rows r
            WHERE EXISTS (SELECT FROM workspace.indexed_fields f WHERE f.tenant_id = r.tenant_id AND f.home = TG_TABLE_NAME::text) OFFSET 0) r,
            LATERAL workspace.entries_of(TG_TABLE_NAME::text, r.tenant_id, r.workspace_id, r.id, r.document) e
    ), after AS MATERIALIZED (
        SELECT e.* FROM (SELECT r.tenant_id, r.workspace_id, r.id, to_jsonb(r) AS document FROM new_rows r
            WHERE EXISTS (SELECT FROM workspace.indexed_fields f WHERE f.tenant_id = r.tenant_id AND f.home = TG_TABLE_NAME::text) OFFSET 0) r,
            LATERAL workspace.entries_of(TG_TABLE_NAME::text, r.tenant_id, r.workspace_id, r.id, r.document) e
    ), gone AS (
        DELETE FROM workspace.index_entries t USING (SELECT * FROM before EXCEPT SELECT * FROM after) e
        WHERE t.tenant_id = e.tenant_id AND t.index_id = e.index_id AND t.key = e.key AND t.words = e.words AND t.id = e.id
    )
    INSERT INTO workspace.index_entries (tenant_id, index_id, key, words, id)
    SELECT * FROM after EXCEPT SELECT * FROM before
    ON CONFLICT DO NOTHING;
    RETURN NULL;
END
$$;

CREATE FUNCTION workspace.keep_event_partitions(days_ahead integer, days_kept integer, OUT made integer, OUT dropped integer) RETURNS record
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
BEGIN
    made := workspace.make_event_days(days_ahead);
    dropped := 0;
END
$$;

CREATE FUNCTION workspace.line_snapshot(of_tenant uuid, of_workspace uuid, line_sku text, line_product_id text, line_supplier_id text) RETURNS TABLE(product_name text, supplier_name text, variant_external_id text, product_external_id text, sku_warning text)
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $$
    SELECT p.name, s.name, p.external_id, p.product_external_id,
        CASE WHEN line_sku IS NULL OR p.sku = line_sku THEN NULL
            WHEN line_product_id IS NULL THEN CASE WHEN found.articles = 0 THEN 'sku_unknown' ELSE 'sku_ambiguous' END
            WHEN (SELECT true FROM workspace.products o
                WHERE o.tenant_id = of_tenant AND o.workspace_id = of_workspace AND o.sku = line_sku LIMIT 1) THEN 'sku_product_mismatch'
            ELSE 'sku_unknown' END
    FROM (
        SELECT count(*) AS articles, CASE WHEN count(c.external_id) < 2 THEN min(c.id) FILTER (WHERE c.place = 1) END AS id
        FROM (
            SELECT c.id, c.external_id, row_number() OVER (ORDER BY c.external_id NULLS LAST) AS place
            FROM workspace.products c
            WHERE line_product_id IS NULL AND c.tenant_id = of_tenant AND c.workspace_id = of_workspace AND c.sku = line_sku
            LIMIT 2
        ) c
    ) found
    LEFT JOIN LATERAL (
        SELECT p.name, p.sku, p.external_id, p.product_external_id, p.supplier_id FROM workspace.products p
        WHERE p.tenant_id = of_tenant AND p.workspace_id = of_workspace
          AND p.id = CASE WHEN line_product_id IS NOT NULL THEN line_product_id ELSE found.id END LIMIT 1
    ) p ON true
    LEFT JOIN LATERAL (
        SELECT s.name FROM workspace.suppliers s
        WHERE s.tenant_id = of_tenant AND s.workspace_id = of_workspace
          AND s.id = CASE WHEN line_supplier_id IS NOT NULL THEN line_supplier_id ELSE p.supplier_id END LIMIT 1
    ) s ON true
$$;

CREATE FUNCTION workspace.make_event_days(days_ahead integer) RETURNS integer
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET lock_timeout TO '2s'
    AS $$
DECLARE
    today date := (clock_timestamp() AT TIME ZONE 'UTC')::date;
    made integer := 0;
    day date;
    partition text;
BEGIN
    PERFORM pg_advisory_xact_lock(hashtext('workspace.keep_event_partitions')); -- instances start together
    FOR day IN SELECT today + n FROM generate_series(-1, least(greatest(days_ahead, 1), 60)) n LOOP
        partition := 'events_' || to_char(day, 'YYYYMMDD');
        CONTINUE WHEN to_regclass('workspace.' || partition) IS NOT NULL;
        EXECUTE format('CREATE TABLE workspace.%I (LIKE workspace.events INCLUDING DEFAULTS INCLUDING CONSTRAINTS)', partition);
        -- Reached through its parent only, but for backups, which read table by table.
        EXECUTE format('ALTER TABLE workspace.%I ENABLE ROW LEVEL SECURITY', partition);
        EXECUTE format('ALTER TABLE workspace.%I FORCE ROW LEVEL SECURITY', partition);
        EXECUTE format('CREATE POLICY backup ON workspace.%I FOR SELECT TO quayside_backup USING (true)', partition);
        EXECUTE format('ALTER TABLE workspace.events ATTACH PARTITION workspace.%I FOR VALUES FROM (%L) TO (%L)',
            partition, day || ' 00:00+00', (day + 1) || ' 00:00+00');
        made := made + 1;
    END LOOP;
    BEGIN
        FOR partition IN SELECT d.partition FROM workspace.event_days() d WHERE d.day < today - 1 AND d.bytes = 0 LOOP
            LOCK TABLE ONLY workspace.events IN ACCESS EXCLUSIVE MODE NOWAIT;
            EXECUTE format('LOCK TABLE workspace.%I IN ACCESS EXCLUSIVE MODE NOWAIT', partition);
            -- Whoever wrote to it had the lock; now nobody does.
            IF pg_relation_size(('workspace.' || partition)::regclass) = 0 THEN
                EXECUTE format('DROP TABLE workspace.%I', partition);
            END IF;
        END LOOP;
    EXCEPTION WHEN lock_not_available OR insufficient_privilege THEN
        NULL; -- the next call, or whoever owns it; the coming days are made all the same
    END;
    RETURN made;
END
$$;

CREATE FUNCTION workspace.make_indexed(home name) RETURNS void
    LANGUAGE plpgsql
    AS $_$
BEGIN
    EXECUTE format($$
        CREATE TRIGGER index_new AFTER INSERT ON workspace.%1$I
            REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION workspace.keep_entries();
        CREATE TRIGGER index_changed AFTER UPDATE ON workspace.%1$I
            REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION workspace.keep_entries();
        CREATE TRIGGER index_deleted AFTER DELETE ON workspace.%1$I
            REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION workspace.keep_entries();
        $$, home);
END
$_$;

CREATE FUNCTION workspace.make_searched(searched name, kind smallint, id text, codes text, names text, counted text DEFAULT 'true'::text) RETURNS void
    LANGUAGE plpgsql
    AS $_$
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
$_$;

CREATE FUNCTION workspace.mark_left_articles() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
DECLARE
    line boolean := TG_TABLE_NAME = 'purchase_order_lines';
    article text := CASE WHEN line THEN to_jsonb(OLD) ->> 'product_id' END;
    code text := CASE WHEN article IS NULL THEN OLD.sku END;
    supplier text := CASE WHEN line AND to_jsonb(OLD) ->> 'received_at' IS NOT NULL THEN OLD.supplier_id END;
BEGIN
    -- All of a supplier's articles are marked once in a row of its deliveries, however many move in this transaction.
    IF supplier = current_setting('app.left_supplier', true) THEN
        supplier := NULL;
    ELSIF supplier IS NOT NULL THEN
        PERFORM set_config('app.left_supplier', supplier, true);
    END IF;
    INSERT INTO workspace.queue_marks (tenant_id, workspace_id, product_id)
    SELECT OLD.tenant_id, OLD.workspace_id, t.id FROM (
        SELECT article AS id WHERE article IS NOT NULL
      UNION
        SELECT p.id FROM workspace.products p WHERE p.tenant_id = OLD.tenant_id AND p.workspace_id = OLD.workspace_id AND p.sku = code
      UNION
        SELECT p.id FROM workspace.products p WHERE p.tenant_id = OLD.tenant_id AND p.workspace_id = OLD.workspace_id AND p.supplier_id = supplier
    ) t ORDER BY t.id
    ON CONFLICT (tenant_id, workspace_id, product_id) DO UPDATE SET product_id = excluded.product_id;
    RETURN NULL;
END
$$;

CREATE FUNCTION workspace.note_ordered_outside() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    INSERT INTO workspace.line_approvals AS a (tenant_id, line_id, workspace_id, ordered_version,
        approved_quantity, approved_price, approved_currency, approved_sku, approved_product_id, approved_supplier_id, approved_order_no)
    VALUES (NEW.tenant_id, NEW.id, NEW.workspace_id, NEW.version,
        NEW.quantity_ordered, NEW.price_per_unit, NEW.currency, NEW.sku, NEW.product_id, NEW.supplier_id, NEW.order_no)
    ON CONFLICT (tenant_id, line_id) DO UPDATE
    SET ordered_version = excluded.ordered_version, approved_quantity = excluded.approved_quantity, approved_price = excluded.approved_price,
        approved_currency = excluded.approved_currency, approved_sku = excluded.approved_sku, approved_product_id = excluded.approved_product_id,
        approved_supplier_id = excluded.approved_supplier_id, approved_order_no = excluded.approved_order_no
    WHERE a.approved_quantity IS NULL;
    RETURN NULL;
END
$$;

CREATE FUNCTION workspace.note_said_article() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    PERFORM set_config('app.said_article', NEW.id, true);
    RETURN NEW;
END
$$;

CREATE FUNCTION workspace.note_said_received() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    PERFORM set_config('app.said_received', NEW.id, true);
    RETURN NEW;
END
$$;

CREATE FUNCTION workspace.note_stock() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
DECLARE
    observed timestamptz := now();
    said timestamptz;
BEGIN
    IF TG_OP = 'INSERT' OR NEW.stock_updated_at IS DISTINCT FROM OLD.stock_updated_at THEN
        said := NEW.stock_updated_at;
        observed := least(coalesce(said, now()), now());
    END IF;
    INSERT INTO workspace.stock_history
        (tenant_id, product_id, version, workspace_id, observed_at, reported_at, stock_on_hand, stock_available)
    VALUES
        (NEW.tenant_id, NEW.id, NEW.version, NEW.workspace_id, observed, said, NEW.stock_on_hand, NEW.stock_available);
    RETURN NULL;
END
$$;

CREATE FUNCTION workspace.number_key(n numeric) RETURNS text
    LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE
    AS $$
DECLARE
    printed text := trim_scale(abs(n))::text;
    whole text := split_part(printed, '.', 1);
    fraction text := split_part(printed, '.', 2);
    digits text;
    size integer;
BEGIN
    CASE
        WHEN n = 0 THEN RETURN '1';
        WHEN n = 'NaN' THEN RETURN '3';
        WHEN n = 'Infinity' THEN RETURN '29';
        WHEN n = '-Infinity' THEN RETURN '00';
        WHEN whole = '0' THEN
            digits := ltrim(fraction, '0');
            size := 200000 + length(digits) - length(fraction);
        ELSE
            digits := rtrim(whole || fraction, '0');
            size := 200000 + length(whole);
    END CASE;
    IF n > 0 THEN
        RETURN '2' || size || digits;
    END IF;
    RETURN '0' || 999999 - size || translate(digits, '0123456789', '9876543210') || '~';
END
$$;

CREATE TABLE workspace.orders (
    id text DEFAULT workspace.new_id() NOT NULL COLLATE pg_catalog."C",
    tenant_id uuid NOT NULL,
    workspace_id uuid NOT NULL,
    external_id text NOT NULL COLLATE pg_catalog."C",
    order_number text,
    ordered_at timestamp with time zone NOT NULL,
    status text NOT NULL,
    financial_status text,
    fulfillment_status text,
    customer_id text COLLATE pg_catalog."C",
    customer_email text,
    currency text NOT NULL,
    total numeric NOT NULL,
    subtotal numeric,
    discount_total numeric,
    tax_total numeric,
    shipping_total numeric,
    base_currency text,
    base_total numeric,
    cancelled_at timestamp with time zone,
    is_test boolean,
    channel text,
    country text,
    tags text,
    note text,
    version bigint DEFAULT 1 NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    custom jsonb DEFAULT '{}'::jsonb NOT NULL,
    CONSTRAINT orders_external_id_check CHECK ((external_id <> ''::text)),
    CONSTRAINT orders_status_check CHECK ((status = ANY (ARRAY['open'::text, 'completed'::text, 'cancelled'::text, 'draft'::text, 'failed'::text])))
);

ALTER TABLE ONLY workspace.orders FORCE ROW LEVEL SECURITY;

CREATE FUNCTION workspace.orders_tokens(r workspace.orders) RETURNS text[]
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $$SELECT CASE WHEN true THEN workspace.tokens_of(ARRAY[r.order_number, r.external_id]::text[], concat_ws(' ', NULL)) END$$;

CREATE FUNCTION workspace.plausible(amount numeric) RETURNS boolean
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$ SELECT coalesce(abs(amount) <= 1000000000000, true) $$;

CREATE FUNCTION workspace.plausible_arrival(expected date, today date) RETURNS boolean
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$ SELECT expected >= date '2000-01-01' AND expected <= today + 3650 $$;

CREATE FUNCTION workspace.plausible_cost(quantity numeric, price numeric) RETURNS boolean
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$
    SELECT coalesce(abs(quantity) <= 1000000000000 AND abs(price) <= 1000000000000 AND abs(quantity * price) <= 1000000000000, true)
$$;

CREATE FUNCTION workspace.plausible_day(day date, known date) RETURNS boolean
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$ SELECT day >= date '2000-01-01' AND day <= known + 1 $$;

CREATE TABLE workspace.products (
    id text DEFAULT workspace.new_id() NOT NULL COLLATE pg_catalog."C",
    tenant_id uuid NOT NULL,
    workspace_id uuid NOT NULL,
    external_id text COLLATE pg_catalog."C",
    sku text COLLATE pg_catalog."C",
    identity_key text GENERATED ALWAYS AS (COALESCE(external_id, sku)) STORED COLLATE pg_catalog."C",
    product_external_id text COLLATE pg_catalog."C",
    barcode text,
    name text NOT NULL,
    variant_name text,
    family text,
    category text,
    vendor text,
    status text,
    price numeric,
    currency text,
    unit_cost numeric,
    cost_currency text,
    stock_on_hand numeric,
    stock_committed numeric,
    stock_available numeric,
    stock_updated_at timestamp with time zone,
    track_inventory boolean,
    allow_backorder boolean,
    supplier_id text COLLATE pg_catalog."C",
    supplier_sku text,
    lead_time_days numeric,
    moq numeric,
    order_multiple numeric,
    safety_stock numeric,
    reorder_point numeric,
    cover_days numeric,
    do_not_reorder boolean,
    launched_at timestamp with time zone,
    image_url text,
    tags text,
    version bigint DEFAULT 1 NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    custom jsonb DEFAULT '{}'::jsonb NOT NULL,
    merged_into text COLLATE pg_catalog."C",
    CONSTRAINT products_cover_days_check CHECK (((cover_days >= (0)::numeric) AND (cover_days < 'Infinity'::numeric))),
    CONSTRAINT products_external_id_check CHECK ((external_id <> ''::text)),
    CONSTRAINT products_lead_time_days_check CHECK (((lead_time_days >= (0)::numeric) AND (lead_time_days < 'Infinity'::numeric))),
    CONSTRAINT products_moq_check CHECK (((moq >= (0)::numeric) AND (moq < 'Infinity'::numeric))),
    CONSTRAINT products_order_multiple_check CHECK (((order_multiple >= (0)::numeric) AND (order_multiple < 'Infinity'::numeric))),
    CONSTRAINT products_price_check CHECK (((price >= (0)::numeric) AND (price < 'Infinity'::numeric))),
    CONSTRAINT products_reorder_point_check CHECK (((reorder_point >= (0)::numeric) AND (reorder_point < 'Infinity'::numeric))),
    CONSTRAINT products_safety_stock_check CHECK (((safety_stock >= (0)::numeric) AND (safety_stock < 'Infinity'::numeric))),
    CONSTRAINT products_sku_check CHECK ((sku <> ''::text)),
    CONSTRAINT products_status_check CHECK ((status = ANY (ARRAY['active'::text, 'draft'::text, 'archived'::text]))),
    CONSTRAINT products_unit_cost_check CHECK (((unit_cost >= (0)::numeric) AND (unit_cost < 'Infinity'::numeric)))
);

ALTER TABLE ONLY workspace.products FORCE ROW LEVEL SECURITY;

CREATE FUNCTION workspace.products_tokens(r workspace.products) RETURNS text[]
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $$
    SELECT CASE WHEN r.merged_into IS NULL
        THEN workspace.tokens_of(ARRAY[r.sku, r.barcode, r.external_id, r.supplier_sku]::text[], concat_ws(' ', r.name, r.variant_name)) END
$$;

CREATE TABLE workspace.purchase_orders (
    tenant_id uuid NOT NULL,
    workspace_id uuid NOT NULL,
    order_no text NOT NULL COLLATE pg_catalog."C",
    sort_no text NOT NULL COLLATE pg_catalog."C",
    newest_id text DEFAULT ''::text NOT NULL COLLATE pg_catalog."C",
    version bigint DEFAULT 1 NOT NULL,
    lines bigint DEFAULT 0 NOT NULL,
    draft bigint DEFAULT 0 NOT NULL,
    pending_approval bigint DEFAULT 0 NOT NULL,
    ordered bigint DEFAULT 0 NOT NULL,
    partially_received bigint DEFAULT 0 NOT NULL,
    received bigint DEFAULT 0 NOT NULL,
    closed_short bigint DEFAULT 0 NOT NULL,
    cancelled bigint DEFAULT 0 NOT NULL,
    unresolved bigint DEFAULT 0 NOT NULL,
    flags bigint DEFAULT 0 NOT NULL,
    next_arrival date DEFAULT 'infinity'::date NOT NULL,
    supplier text DEFAULT ''::text NOT NULL COLLATE pg_catalog."C",
    suppliers bigint DEFAULT 0 NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL
);

ALTER TABLE ONLY workspace.purchase_orders FORCE ROW LEVEL SECURITY;

CREATE FUNCTION workspace.purchase_orders_tokens(r workspace.purchase_orders) RETURNS text[]
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $$SELECT CASE WHEN r.lines > 0 THEN workspace.tokens_of(ARRAY[r.order_no]::text[], concat_ws(' ', NULL)) END$$;

CREATE FUNCTION workspace.refuse_built_in_slug() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    IF NEW.slug IN ('procurement_config', 'strategies', 'sops', 'weekly_sales', 'family_trend', 'customer_reorder_due',
            'product_demand', 'seasonality', 'procurement_queue', 'unmatched_lines')
        OR (NEW.storage = 'extension') IS DISTINCT FROM EXISTS (SELECT FROM workspace.registry_tables t
            WHERE t.tenant_id = '00000000-0000-0000-0000-000000000000' AND t.slug = NEW.slug) THEN
        RAISE EXCEPTION 'the slug % is taken by a built-in table, or there is none to extend', NEW.slug
            USING ERRCODE = 'unique_violation', CONSTRAINT = 'registry_tables_built_in_slug';
    END IF;
    RETURN NEW;
END
$$;

CREATE FUNCTION workspace.search_changed_customers() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
        BEGIN
            IF TG_OP = 'DELETE' THEN
                PERFORM workspace.change_tokens(OLD.tenant_id, 4::smallint, OLD.workspace_id, OLD.id::text, workspace.customers_tokens(OLD), NULL, NULL, NULL);
            ELSE
                PERFORM workspace.change_tokens(NEW.tenant_id, 4::smallint, OLD.workspace_id, OLD.id::text, workspace.customers_tokens(OLD),
                    NEW.workspace_id, NEW.id::text, workspace.customers_tokens(NEW));
            END IF;
            RETURN NULL;
        END$$;

CREATE FUNCTION workspace.search_changed_failed_imports() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
        BEGIN
            IF TG_OP = 'DELETE' THEN
                PERFORM workspace.change_tokens(OLD.tenant_id, 6::smallint, OLD.workspace_id, OLD.id::text, workspace.failed_imports_tokens(OLD), NULL, NULL, NULL);
            ELSE
                PERFORM workspace.change_tokens(NEW.tenant_id, 6::smallint, OLD.workspace_id, OLD.id::text, workspace.failed_imports_tokens(OLD),
                    NEW.workspace_id, NEW.id::text, workspace.failed_imports_tokens(NEW));
            END IF;
            RETURN NULL;
        END$$;

CREATE FUNCTION workspace.search_changed_orders() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
        BEGIN
            IF TG_OP = 'DELETE' THEN
                PERFORM workspace.change_tokens(OLD.tenant_id, 5::smallint, OLD.workspace_id, OLD.id::text, workspace.orders_tokens(OLD), NULL, NULL, NULL);
            ELSE
                PERFORM workspace.change_tokens(NEW.tenant_id, 5::smallint, OLD.workspace_id, OLD.id::text, workspace.orders_tokens(OLD),
                    NEW.workspace_id, NEW.id::text, workspace.orders_tokens(NEW));
            END IF;
            RETURN NULL;
        END$$;

CREATE FUNCTION workspace.search_changed_products() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
        BEGIN
            IF TG_OP = 'DELETE' THEN
                PERFORM workspace.change_tokens(OLD.tenant_id, 3::smallint, OLD.workspace_id, OLD.id::text, workspace.products_tokens(OLD), NULL, NULL, NULL);
            ELSE
                PERFORM workspace.change_tokens(NEW.tenant_id, 3::smallint, OLD.workspace_id, OLD.id::text, workspace.products_tokens(OLD),
                    NEW.workspace_id, NEW.id::text, workspace.products_tokens(NEW));
            END IF;
            RETURN NULL;
        END$$;

CREATE FUNCTION workspace.search_changed_purchase_orders() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
        BEGIN
            IF TG_OP = 'DELETE' THEN
                PERFORM workspace.change_tokens(OLD.tenant_id, 1::smallint, OLD.workspace_id, OLD.order_no::text, workspace.purchase_orders_tokens(OLD), NULL, NULL, NULL);
            ELSE
                PERFORM workspace.change_tokens(NEW.tenant_id, 1::smallint, OLD.workspace_id, OLD.order_no::text, workspace.purchase_orders_tokens(OLD),
                    NEW.workspace_id, NEW.order_no::text, workspace.purchase_orders_tokens(NEW));
            END IF;
            RETURN NULL;
        END$$;

CREATE FUNCTION workspace.search_changed_suppliers() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
        BEGIN
            IF TG_OP = 'DELETE' THEN
                PERFORM workspace.change_tokens(OLD.tenant_id, 2::smallint, OLD.workspace_id, OLD.id::text, workspace.suppliers_tokens(OLD), NULL, NULL, NULL);
            ELSE
                PERFORM workspace.change_tokens(NEW.tenant_id, 2::smallint, OLD.workspace_id, OLD.id::text, workspace.suppliers_tokens(OLD),
                    NEW.workspace_id, NEW.id::text, workspace.suppliers_tokens(NEW));
            END IF;
            RETURN NULL;
        END$$;

CREATE FUNCTION workspace.search_new_customers() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
        BEGIN
            INSERT INTO workspace.search_tokens (tenant_id, workspace_id, kind, token, record_id)
            SELECT DISTINCT r.tenant_id, r.workspace_id, 4, unnest(workspace.customers_tokens(r::workspace.customers)), r.id::text FROM new_rows r;
            RETURN NULL;
        END$$;

CREATE FUNCTION workspace.search_new_failed_imports() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
        BEGIN
            INSERT INTO workspace.search_tokens (tenant_id, workspace_id, kind, token, record_id)
            SELECT DISTINCT r.tenant_id, r.workspace_id, 6, unnest(workspace.failed_imports_tokens(r::workspace.failed_imports)), r.id::text FROM new_rows r;
            RETURN NULL;
        END$$;

CREATE FUNCTION workspace.search_new_orders() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
        BEGIN
            INSERT INTO workspace.search_tokens (tenant_id, workspace_id, kind, token, record_id)
            SELECT DISTINCT r.tenant_id, r.workspace_id, 5, unnest(workspace.orders_tokens(r::workspace.orders)), r.id::text FROM new_rows r;
            RETURN NULL;
        END$$;

CREATE FUNCTION workspace.search_new_products() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
        BEGIN
            INSERT INTO workspace.search_tokens (tenant_id, workspace_id, kind, token, record_id)
            SELECT DISTINCT r.tenant_id, r.workspace_id, 3, unnest(workspace.products_tokens(r::workspace.products)), r.id::text FROM new_rows r;
            RETURN NULL;
        END$$;

CREATE FUNCTION workspace.search_new_purchase_orders() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
        BEGIN
            INSERT INTO workspace.search_tokens (tenant_id, workspace_id, kind, token, record_id)
            SELECT DISTINCT r.tenant_id, r.workspace_id, 1, unnest(workspace.purchase_orders_tokens(r::workspace.purchase_orders)), r.order_no::text FROM new_rows r;
            RETURN NULL;
        END$$;

CREATE FUNCTION workspace.search_new_suppliers() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
        BEGIN
            INSERT INTO workspace.search_tokens (tenant_id, workspace_id, kind, token, record_id)
            SELECT DISTINCT r.tenant_id, r.workspace_id, 2, unnest(workspace.suppliers_tokens(r::workspace.suppliers)), r.id::text FROM new_rows r;
            RETURN NULL;
        END$$;

CREATE FUNCTION workspace.sequence_overtaken() RETURNS bigint
    LANGUAGE plpgsql
    AS $$
BEGIN
    RAISE EXCEPTION 'another delivery of the record was faster' USING ERRCODE = 'serialization_failure';
END
$$;

CREATE FUNCTION workspace.share_of(tenant_id uuid, workspace_id uuid, id text, order_no text, status text, quantity_ordered numeric, quantity_received numeric, expected_arrival_date date, price_per_unit numeric, currency text, supplier_id text, supplier_name text, product_name text, updated_at timestamp with time zone, sign integer, flags integer) RETURNS SETOF workspace.order_share
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$
    SELECT tenant_id, workspace_id, order_no, coalesce(supplier_id, ''), coalesce(left(supplier_name, 120), ''), coalesce(currency, ''),
        id, CASE WHEN status IN ('ordered', 'partially_received') THEN expected_arrival_date END, updated_at,
        sign, sign * (status = 'draft')::int, sign * (status = 'pending_approval')::int, sign * (status = 'ordered')::int,
        sign * (status = 'partially_received')::int, sign * (status = 'received')::int,
        sign * (status = 'received' AND quantity_received < quantity_ordered)::int, sign * (status = 'cancelled')::int,
        sign * (product_name IS NULL)::int, sign * flags, sign * (status <> 'cancelled')::int, sign * (status NOT IN ('draft', 'cancelled'))::int,
        CASE WHEN status <> 'cancelled' THEN sign * price * quantity_ordered ELSE 0 END,
        CASE WHEN status NOT IN ('draft', 'cancelled') THEN sign * price * quantity_ordered ELSE 0 END,
        CASE WHEN status IN ('ordered', 'partially_received', 'received') THEN sign * price * quantity_ordered ELSE 0 END,
        CASE WHEN status IN ('ordered', 'partially_received', 'received') THEN sign * price * quantity_received ELSE 0 END,
        CASE WHEN status = 'received' THEN sign * price * greatest(quantity_ordered - quantity_received, 0) ELSE 0 END,
        CASE WHEN status IN ('ordered', 'partially_received') THEN sign * price * greatest(quantity_ordered - quantity_received, 0) ELSE 0 END
    FROM (SELECT coalesce(price_per_unit, 0) AS price) p
$$;

CREATE FUNCTION workspace.sort_number(order_no text) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$
    SELECT coalesce(left(string_agg(CASE WHEN part[1] IS NULL THEN part[2] ELSE lpad(part[1], greatest(12, length(part[1])), '0') END, '' ORDER BY place), 120), '')
    FROM regexp_matches(lower(order_no), '(\d+)|(\D+)', 'g') WITH ORDINALITY AS parts (part, place)
$$;

CREATE TABLE workspace.suppliers (
    id text DEFAULT workspace.new_id() NOT NULL COLLATE pg_catalog."C",
    tenant_id uuid NOT NULL,
    workspace_id uuid NOT NULL,
    external_id text NOT NULL COLLATE pg_catalog."C",
    name text NOT NULL,
    email text,
    contact_name text,
    phone text,
    currency text,
    lead_time_days numeric,
    order_cycle_days numeric,
    min_order_value numeric,
    payment_terms_days numeric,
    country text,
    active boolean,
    note text,
    version bigint DEFAULT 1 NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    free_shipping_value numeric,
    address text,
    language text,
    custom jsonb DEFAULT '{}'::jsonb NOT NULL,
    CONSTRAINT suppliers_address_check CHECK ((char_length(address) <= 1000)),
    CONSTRAINT suppliers_external_id_check CHECK ((external_id <> ''::text)),
    CONSTRAINT suppliers_free_shipping_value_check CHECK (((free_shipping_value >= (0)::numeric) AND (free_shipping_value < 'Infinity'::numeric))),
    CONSTRAINT suppliers_language_check CHECK ((language = ANY (ARRAY['en'::text, 'de'::text, 'fr'::text, 'es'::text, 'it'::text, 'nl'::text]))),
    CONSTRAINT suppliers_lead_time_days_check CHECK (((lead_time_days >= (0)::numeric) AND (lead_time_days < 'Infinity'::numeric))),
    CONSTRAINT suppliers_min_order_value_check CHECK (((min_order_value >= (0)::numeric) AND (min_order_value < 'Infinity'::numeric))),
    CONSTRAINT suppliers_order_cycle_days_check CHECK (((order_cycle_days >= (0)::numeric) AND (order_cycle_days < 'Infinity'::numeric))),
    CONSTRAINT suppliers_payment_terms_days_check CHECK (((payment_terms_days >= (0)::numeric) AND (payment_terms_days < 'Infinity'::numeric)))
);

ALTER TABLE ONLY workspace.suppliers FORCE ROW LEVEL SECURITY;

CREATE FUNCTION workspace.suppliers_tokens(r workspace.suppliers) RETURNS text[]
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $$SELECT CASE WHEN true THEN workspace.tokens_of(ARRAY[r.external_id, r.email]::text[], concat_ws(' ', r.name, r.contact_name)) END$$;

CREATE FUNCTION workspace.tokens_of(codes text[], names text) RETURNS text[]
    LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
    AS $$
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

CREATE FUNCTION workspace.usual_gap(gaps bigint[]) RETURNS bigint
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$
    SELECT coalesce(min(gap), 0) FROM (
        SELECT gap, sum(gap) OVER (ORDER BY gap) AS up_to, sum(gap) OVER () AS total FROM unnest(gaps) gap
    ) g WHERE 2 * up_to >= total
$$;

CREATE FUNCTION workspace.want_exchange() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
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

CREATE FUNCTION workspace.week_of(day date, week_start integer) RETURNS date
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    AS $$
    SELECT day - (extract(isodow FROM day)::integer + 7 - week_start) % 7
$$;

CREATE FUNCTION workspace.withdraw_approval() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    NEW.approved_by := NULL;
    NEW.approved_at := NULL;
    UPDATE workspace.line_approvals
    SET money_hash = NULL, submitted_by = NULL, submitted_at = NULL, approved_quantity = NULL, approved_price = NULL,
        approved_sku = NULL, approved_product_id = NULL, approved_supplier_id = NULL, approved_currency = NULL,
        approved_order_no = NULL, approved_total = NULL, approver_limit = NULL, self_approved = false, ordered_version = NULL
    WHERE tenant_id = NEW.tenant_id AND line_id = NEW.id;
    RETURN NEW;
END
$$;

CREATE FUNCTION workspace.words_of(said text) RETURNS text[]
    LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE
    AS $$
BEGIN
    IF octet_length(said) = length(said) THEN -- all of it is ASCII
        RETURN array_remove(regexp_split_to_array(lower(said COLLATE "C"), '[^a-z0-9]+'), '');
    END IF;
    RETURN array_remove(regexp_split_to_array(
        lower(regexp_replace(normalize(said, NFKD), '[\u0300-\u036f]+', '', 'g') COLLATE "und-x-icu"), '[^[:alnum:]]+'), '');
END
$$;

CREATE FUNCTION workspace.write_receipt() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
DECLARE
    by_hand jsonb := nullif(current_setting('app.receipt', true), '')::jsonb; -- the app says who, when and why
    before numeric := CASE TG_OP WHEN 'UPDATE' THEN OLD.quantity_received ELSE 0 END;
    came numeric := NEW.quantity_received - before; -- what is not yet written
    day timestamptz := (by_hand ->> 'at')::timestamptz;
    one record;
BEGIN
    IF came < 0 AND by_hand ->> 'at' IS NULL THEN
        FOR one IN
            SELECT r.received_at, sum(r.quantity) AS stands FROM workspace.receipts r
            WHERE r.tenant_id = NEW.tenant_id AND r.line_id = NEW.id
            GROUP BY r.received_at HAVING sum(r.quantity) > 0 ORDER BY r.received_at DESC
        LOOP
            INSERT INTO workspace.receipts (tenant_id, workspace_id, line_id, version, quantity, received_at, actor, note)
            VALUES (NEW.tenant_id, NEW.workspace_id, NEW.id, NEW.version, greatest(came, -one.stands), one.received_at,
                by_hand -> 'actor', by_hand ->> 'note');
            came := came - greatest(came, -one.stands);
            EXIT WHEN came = 0;
        END LOOP;
    ELSIF by_hand ->> 'at' IS NULL AND (TG_OP = 'INSERT' OR NEW.received_at IS DISTINCT FROM OLD.received_at) THEN
        day := NEW.received_at;
    END IF;
    IF came <> 0 THEN
        day := CASE WHEN workspace.plausible_day(day::date, now()::date) THEN least(day, now()) ELSE now() END;
        INSERT INTO workspace.receipts (tenant_id, workspace_id, line_id, version, quantity, received_at, actor, note)
        VALUES (NEW.tenant_id, NEW.workspace_id, NEW.id, NEW.version, came, day, by_hand -> 'actor', by_hand ->> 'note');
    END IF;
    RETURN NULL;
END
$$;

CREATE FUNCTION workspace.wrong_entries(of_tenant uuid) RETURNS TABLE(index_id bigint, id text, key text, words text, kept boolean)
    LANGUAGE plpgsql STABLE
    AS $_$
DECLARE
    of_home text;
BEGIN
    FOR of_home IN SELECT DISTINCT f.home FROM workspace.indexed_fields f WHERE f.tenant_id = of_tenant AND f.state = 'ready' LOOP
        RETURN QUERY EXECUTE format('
            WITH said AS (
                SELECT e.* FROM workspace.%1$I r, LATERAL workspace.entries_of(%1$L, r.tenant_id, r.workspace_id, r.id, to_jsonb(r)) e
                WHERE r.tenant_id = $1
            ), kept AS (
                SELECT e.* FROM workspace.index_entries e WHERE e.tenant_id = $1
            ), ready AS (
                SELECT f.id FROM workspace.indexed_fields f WHERE f.tenant_id = $1 AND f.home = %1$L AND f.state = ''ready''
            )
            SELECT w.index_id, w.id, w.key, w.words, w.kept FROM (
                SELECT s.*, false AS kept FROM (SELECT * FROM said EXCEPT SELECT * FROM kept) s
                UNION ALL SELECT k.*, true FROM (SELECT * FROM kept EXCEPT SELECT * FROM said) k
            ) w JOIN ready ON ready.id = w.index_id', of_home) USING of_tenant;
    END LOOP;
END
$_$;

CREATE FUNCTION workspace.wrong_orders(of_tenant uuid) RETURNS TABLE(order_no text, counted jsonb, kept jsonb)
    LANGUAGE sql STABLE
    AS $$
    WITH lines AS (
        SELECT s.* FROM workspace.purchase_order_lines l
        CROSS JOIN LATERAL workspace.share_of(l.tenant_id, l.workspace_id, l.id, l.order_no, l.status, l.quantity_ordered, l.quantity_received,
            l.expected_arrival_date, l.price_per_unit, l.currency, l.supplier_id, l.supplier_name, l.product_name, l.updated_at, 1, (
            SELECT count(*)::int FROM workspace.line_flags f WHERE f.tenant_id = l.tenant_id AND f.line_id = l.id AND f.seen_at IS NULL)) s
        WHERE l.tenant_id = of_tenant
    ), counted AS (
        SELECT order_no, workspace_id, max(newest_id COLLATE "C") AS newest_id, count(*) AS lines, sum(draft) AS draft, sum(pending_approval) AS pending_approval,
            sum(ordered_lines) AS ordered, sum(partially_received) AS partially_received, sum(received_lines) AS received,
            sum(closed_short) AS closed_short, sum(cancelled) AS cancelled, sum(unresolved) AS unresolved, sum(flags) AS flags,
            coalesce(min(next_arrival), 'infinity') AS next_arrival
        FROM lines GROUP BY order_no, workspace_id
    ), summed AS (
        SELECT order_no, workspace_id, supplier_id, supplier_name, currency, count(*) AS lines, sum(live) AS live, sum(binding) AS binding, sum(total) AS total, sum(bound) AS bound,
            sum(ordered) AS ordered, sum(received) AS received, sum(given_up) AS given_up, sum(expected) AS expected
        FROM lines GROUP BY order_no, workspace_id, supplier_id, supplier_name, currency
    )
    SELECT coalesce(c.order_no, o.order_no), to_jsonb(c), to_jsonb(o)
    FROM counted c
    FULL JOIN (SELECT * FROM workspace.purchase_orders WHERE tenant_id = of_tenant AND lines > 0) o ON o.workspace_id = c.workspace_id AND o.order_no = c.order_no
    WHERE (c.newest_id, c.lines, c.draft, c.pending_approval, c.ordered, c.partially_received, c.received, c.closed_short, c.cancelled, c.unresolved, c.flags, c.next_arrival)
        IS DISTINCT FROM (o.newest_id, o.lines, o.draft, o.pending_approval, o.ordered, o.partially_received, o.received, o.closed_short, o.cancelled, o.unresolved, o.flags, o.next_arrival)
    UNION ALL
    SELECT coalesce(c.order_no, o.order_no), to_jsonb(c), to_jsonb(o)
    FROM summed c
    FULL JOIN (SELECT * FROM workspace.purchase_order_sums WHERE tenant_id = of_tenant AND (lines, live, binding, total, bound, ordered, received, given_up, expected)
        <> (0, 0, 0, 0, 0, 0, 0, 0, 0)) o
        ON o.workspace_id = c.workspace_id AND o.order_no = c.order_no AND o.supplier_id = c.supplier_id AND o.supplier_name = c.supplier_name AND o.currency = c.currency
    WHERE (c.lines, c.live, c.binding, c.total, c.bound, c.ordered, c.received, c.given_up, c.expected)
        IS DISTINCT FROM (o.lines, o.live, o.binding, o.total, o.bound, o.ordered, o.received, o.given_up, o.expected)
$$;

CREATE FUNCTION workspace.wrong_tokens(of_tenant uuid) RETURNS TABLE(kind smallint, record_id text, token text, kept boolean)
    LANGUAGE sql STABLE
    AS $$
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

CREATE TABLE control.browsers (
    token_hash bytea NOT NULL,
    user_id uuid NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    expires_at timestamp with time zone NOT NULL,
    CONSTRAINT browsers_token_hash_check CHECK ((octet_length(token_hash) = 32))
);

ALTER TABLE ONLY control.browsers FORCE ROW LEVEL SECURITY;

CREATE TABLE control.cells (
    name text NOT NULL COLLATE pg_catalog."C",
    created_at timestamp with time zone DEFAULT now() NOT NULL
);

CREATE TABLE control.event_days_dropped (
    day date NOT NULL,
    dropped_at timestamp with time zone DEFAULT now() NOT NULL,
    bytes bigint NOT NULL,
    kept_days bigint NOT NULL
);

CREATE TABLE control.event_retention (
    only_one boolean DEFAULT true NOT NULL,
    kept_days bigint NOT NULL,
    looked_at timestamp with time zone DEFAULT now() NOT NULL,
    steady_since timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT event_retention_kept_days_check CHECK (((kept_days >= 1) AND (kept_days <= 36500))),
    CONSTRAINT event_retention_only_one_check CHECK (only_one)
);

CREATE TABLE control.full_passes (
    name text NOT NULL COLLATE pg_catalog."C",
    began_at timestamp with time zone DEFAULT now() NOT NULL,
    place text[] NOT NULL,
    finished_at timestamp with time zone
);

CREATE TABLE control.invitations (
    tenant_id uuid NOT NULL,
    id uuid NOT NULL,
    email text NOT NULL COLLATE pg_catalog."C",
    role text NOT NULL,
    token_hash bytea NOT NULL,
    invited_by uuid,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    expires_at timestamp with time zone NOT NULL,
    CONSTRAINT invitations_email_check CHECK (((email = lower(email)) AND (email ~~ '_%@_%'::text) AND (length(email) <= 254))),
    CONSTRAINT invitations_role_check CHECK ((role = ANY (ARRAY['company_admin'::text, 'approver'::text, 'buyer'::text, 'viewer'::text]))),
    CONSTRAINT invitations_token_hash_check CHECK ((octet_length(token_hash) = 32))
);

ALTER TABLE ONLY control.invitations FORCE ROW LEVEL SECURITY;

CREATE TABLE control.key_directory (
    key_hash bytea NOT NULL,
    key_id uuid NOT NULL,
    tenant_id uuid NOT NULL,
    workspace_id uuid NOT NULL,
    CONSTRAINT key_directory_key_hash_check CHECK ((octet_length(key_hash) = 32))
);

ALTER TABLE ONLY control.key_directory FORCE ROW LEVEL SECURITY;

CREATE TABLE control.memberships (
    tenant_id uuid NOT NULL,
    user_id uuid NOT NULL,
    role text NOT NULL,
    version bigint DEFAULT 1 NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT memberships_role_check CHECK ((role = ANY (ARRAY['company_admin'::text, 'approver'::text, 'buyer'::text, 'viewer'::text])))
);

ALTER TABLE ONLY control.memberships FORCE ROW LEVEL SECURITY;

CREATE TABLE control.origin (
    one boolean DEFAULT true NOT NULL,
    system text NOT NULL,
    database bigint NOT NULL,
    settled_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT origin_one_check CHECK (one)
);

CREATE TABLE control.password_resets (
    id uuid NOT NULL,
    user_id uuid NOT NULL,
    token_hash bytea NOT NULL,
    made_by uuid,
    tenant_id uuid,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    expires_at timestamp with time zone NOT NULL,
    CONSTRAINT password_resets_check CHECK (((made_by IS NULL) = (tenant_id IS NULL))),
    CONSTRAINT password_resets_token_hash_check CHECK ((octet_length(token_hash) = 32))
);

ALTER TABLE ONLY control.password_resets FORCE ROW LEVEL SECURITY;

CREATE TABLE control.passwords (
    user_id uuid NOT NULL,
    hash text NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL
);

ALTER TABLE ONLY control.passwords FORCE ROW LEVEL SECURITY;

CREATE TABLE control.readers (
    name text NOT NULL COLLATE pg_catalog."C",
    xid xid8 NOT NULL,
    event_id uuid NOT NULL,
    began_at timestamp with time zone DEFAULT now() NOT NULL,
    read_to timestamp with time zone DEFAULT now() NOT NULL
);

CREATE TABLE control.retention (
    name text NOT NULL COLLATE pg_catalog."C",
    kept_days bigint NOT NULL,
    CONSTRAINT retention_kept_days_check CHECK (((kept_days >= 1) AND (kept_days <= 36500)))
);

CREATE TABLE control.sessions (
    id uuid NOT NULL,
    user_id uuid NOT NULL,
    token_hash bytea NOT NULL,
    user_agent text DEFAULT ''::text NOT NULL,
    address text DEFAULT ''::text NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    last_seen_at timestamp with time zone DEFAULT now() NOT NULL,
    expires_at timestamp with time zone NOT NULL,
    CONSTRAINT sessions_token_hash_check CHECK ((octet_length(token_hash) = 32)),
    CONSTRAINT sessions_user_agent_check CHECK ((length(user_agent) <= 400))
);

ALTER TABLE ONLY control.sessions FORCE ROW LEVEL SECURITY;

CREATE TABLE control.tenants (
    id uuid NOT NULL,
    name text NOT NULL,
    cell text DEFAULT 'main'::text NOT NULL COLLATE pg_catalog."C",
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    suspended_at timestamp with time zone,
    suspended_because text DEFAULT ''::text NOT NULL,
    delete_after timestamp with time zone,
    outbound_allow cidr[],
    CONSTRAINT tenants_name_check CHECK ((btrim(name) <> ''::text))
);

ALTER TABLE ONLY control.tenants FORCE ROW LEVEL SECURITY;

CREATE TABLE control.throttles (
    subject bytea NOT NULL,
    tries bigint NOT NULL,
    since timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT throttles_subject_check CHECK ((octet_length(subject) = 32))
);

CREATE TABLE control.users (
    id uuid NOT NULL,
    email text NOT NULL COLLATE pg_catalog."C",
    name text NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    alert_mails boolean DEFAULT true NOT NULL,
    approval_mails boolean DEFAULT true NOT NULL,
    mention_mails boolean DEFAULT true NOT NULL,
    sent_back_mails boolean DEFAULT false NOT NULL,
    CONSTRAINT users_email_check CHECK (((email = lower(email)) AND (email ~~ '_%@_%'::text) AND (length(email) <= 254))),
    CONSTRAINT users_name_check CHECK (((btrim(name) <> ''::text) AND (length(name) <= 200)))
);

ALTER TABLE ONLY control.users FORCE ROW LEVEL SECURITY;

CREATE TABLE control.workspaces (
    tenant_id uuid NOT NULL,
    id uuid NOT NULL,
    name text NOT NULL,
    time_zone text DEFAULT 'UTC'::text NOT NULL,
    base_currency text DEFAULT 'EUR'::text NOT NULL,
    locale text DEFAULT 'en'::text NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    version bigint DEFAULT 1 NOT NULL,
    week_start smallint DEFAULT 1 NOT NULL,
    address text DEFAULT ''::text NOT NULL,
    delivery_address text DEFAULT ''::text NOT NULL,
    order_contact text DEFAULT ''::text NOT NULL,
    order_email text DEFAULT ''::text NOT NULL,
    vat_id text DEFAULT ''::text NOT NULL,
    CONSTRAINT workspaces_address_check CHECK ((char_length(address) <= 1000)),
    CONSTRAINT workspaces_base_currency_check CHECK ((base_currency ~ '^[A-Z]{3}$'::text)),
    CONSTRAINT workspaces_delivery_address_check CHECK ((char_length(delivery_address) <= 1000)),
    CONSTRAINT workspaces_name_check CHECK ((btrim(name) <> ''::text)),
    CONSTRAINT workspaces_order_contact_check CHECK ((char_length(order_contact) <= 200)),
    CONSTRAINT workspaces_order_email_check CHECK ((char_length(order_email) <= 200)),
    CONSTRAINT workspaces_vat_id_check CHECK ((char_length(vat_id) <= 50)),
    CONSTRAINT workspaces_week_start_check CHECK (((week_start >= 1) AND (week_start <= 7)))
);

ALTER TABLE ONLY control.workspaces FORCE ROW LEVEL SECURITY;

CREATE TABLE workspace.agent_decisions (
    tenant_id uuid NOT NULL,
    run_id uuid NOT NULL,
    n bigint NOT NULL,
    product_id text NOT NULL,
    recommendation_key text NOT NULL COLLATE pg_catalog."C",
    sku text NOT NULL,
    name text NOT NULL,
    supplier_id text NOT NULL,
    supplier_name text NOT NULL,
    quantity numeric NOT NULL,
    cost numeric,
    currency text NOT NULL,
    rule text NOT NULL,
    sentence text NOT NULL,
    outcome text DEFAULT 'none'::text NOT NULL,
    note text DEFAULT ''::text NOT NULL,
    line_id text,
    line_version bigint,
    order_no text DEFAULT ''::text NOT NULL,
    CONSTRAINT agent_decisions_outcome_check CHECK ((outcome = ANY (ARRAY['none'::text, 'drafted'::text, 'submitted'::text, 'refused'::text, 'undone'::text, 'kept'::text])))
);

ALTER TABLE ONLY workspace.agent_decisions FORCE ROW LEVEL SECURITY;

CREATE TABLE workspace.agent_runs (
    tenant_id uuid NOT NULL,
    id uuid NOT NULL,
    workspace_id uuid NOT NULL,
    dry boolean NOT NULL,
    day date,
    status text NOT NULL,
    started_by jsonb NOT NULL,
    inputs jsonb,
    message text DEFAULT ''::text NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    decided_at timestamp with time zone,
    ended_at timestamp with time zone,
    undone_at timestamp with time zone,
    undone_by jsonb,
    CONSTRAINT agent_runs_status_check CHECK ((status = ANY (ARRAY['queued'::text, 'running'::text, 'done'::text, 'failed'::text])))
);

ALTER TABLE ONLY workspace.agent_runs FORCE ROW LEVEL SECURITY;

CREATE TABLE workspace.alert_reads (
    tenant_id uuid NOT NULL,
    alert_id uuid NOT NULL,
    user_id uuid NOT NULL,
    read_at timestamp with time zone DEFAULT now() NOT NULL
);

ALTER TABLE ONLY workspace.alert_reads FORCE ROW LEVEL SECURITY;

CREATE TABLE workspace.alerts (
    tenant_id uuid NOT NULL,
    id uuid NOT NULL,
    workspace_id uuid NOT NULL,
    rule text NOT NULL COLLATE pg_catalog."C",
    slug text NOT NULL COLLATE pg_catalog."C",
    code text DEFAULT ''::text NOT NULL COLLATE pg_catalog."C",
    field text DEFAULT ''::text NOT NULL COLLATE pg_catalog."C",
    failed bigint DEFAULT 0 NOT NULL,
    total bigint DEFAULT 0 NOT NULL,
    usual_gap bigint DEFAULT 0 NOT NULL,
    message text DEFAULT ''::text NOT NULL,
    since timestamp with time zone NOT NULL,
    raised_at timestamp with time zone NOT NULL,
    resolved_at timestamp with time zone,
    mail_next_at timestamp with time zone,
    mail_tries bigint DEFAULT 0 NOT NULL,
    mail_left uuid[],
    mailed_at timestamp with time zone,
    CONSTRAINT alerts_rule_check CHECK ((rule = ANY (ARRAY['new_failures'::text, 'failure_rate'::text, 'silent_source'::text, 'not_computed'::text])))
);

ALTER TABLE ONLY workspace.alerts FORCE ROW LEVEL SECURITY;

CREATE TABLE workspace.api_keys (
    tenant_id uuid NOT NULL,
    id uuid NOT NULL,
    workspace_id uuid NOT NULL,
    key_hash bytea NOT NULL,
    prefix text NOT NULL,
    label text NOT NULL,
    scope text NOT NULL COLLATE pg_catalog."C",
    rate_per_second bigint,
    rate_burst bigint,
    expires_at timestamp with time zone,
    revoked_at timestamp with time zone,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    created_by uuid,
    replaced_by uuid,
    suspended boolean DEFAULT false NOT NULL,
    order_drafted_here boolean DEFAULT false NOT NULL,
    CONSTRAINT api_keys_key_hash_check CHECK ((octet_length(key_hash) = 32)),
    CONSTRAINT api_keys_label_check CHECK (((btrim(label) <> ''::text) AND (length(label) <= 200))),
    CONSTRAINT api_keys_prefix_check CHECK ((length(prefix) = 11)),
    CONSTRAINT api_keys_rate_burst_check CHECK ((rate_burst > 0)),
    CONSTRAINT api_keys_rate_per_second_check CHECK ((rate_per_second > 0)),
    CONSTRAINT api_keys_scope_check CHECK (((scope = '*'::text) OR (scope ~ '^[a-z][a-z0-9_]{0,47}$'::text)))
);

ALTER TABLE ONLY workspace.api_keys FORCE ROW LEVEL SECURITY;

CREATE TABLE workspace.approval_limits (
    tenant_id uuid NOT NULL,
    workspace_id uuid NOT NULL,
    user_id uuid NOT NULL,
    amount numeric NOT NULL,
    currency text NOT NULL,
    CONSTRAINT approval_limits_amount_check CHECK (((amount >= (0)::numeric) AND (amount < 'Infinity'::numeric))),
    CONSTRAINT approval_limits_currency_check CHECK ((currency ~ '^[A-Z]{3}$'::text))
);

ALTER TABLE ONLY workspace.approval_limits FORCE ROW LEVEL SECURITY;

CREATE TABLE workspace.article_aliases (
    tenant_id uuid NOT NULL,
    name text NOT NULL COLLATE pg_catalog."C",
    workspace_id uuid NOT NULL,
    product_id text NOT NULL COLLATE pg_catalog."C",
    slug text DEFAULT 'products'::text NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL
);

ALTER TABLE ONLY workspace.article_aliases FORCE ROW LEVEL SECURITY;

CREATE TABLE workspace.audit (
    tenant_id uuid NOT NULL,
    id uuid NOT NULL,
    at timestamp with time zone DEFAULT now() NOT NULL,
    workspace_id uuid,
    actor jsonb NOT NULL,
    request_id text NOT NULL,
    action text NOT NULL COLLATE pg_catalog."C",
    subject text NOT NULL COLLATE pg_catalog."C",
    data jsonb DEFAULT '{}'::jsonb NOT NULL,
    xid xid8 DEFAULT pg_current_xact_id() NOT NULL,
    CONSTRAINT audit_action_check CHECK ((action ~ '^[a-z_]+\.[a-z_]+$'::text)),
    CONSTRAINT audit_data_check CHECK ((jsonb_typeof(data) = 'object'::text))
);

ALTER TABLE ONLY workspace.audit FORCE ROW LEVEL SECURITY;

CREATE TABLE workspace.audit_seals (
    tenant_id uuid NOT NULL,
    number bigint NOT NULL,
    row_id uuid NOT NULL,
    row_hash bytea NOT NULL,
    hash bytea NOT NULL,
    sealed_at timestamp with time zone DEFAULT now() NOT NULL,
    call_hash bytea,
    CONSTRAINT audit_seals_call_hash_check CHECK ((octet_length(call_hash) = 32)),
    CONSTRAINT audit_seals_hash_check CHECK ((octet_length(hash) = 32)),
    CONSTRAINT audit_seals_number_check CHECK ((number > 0)),
    CONSTRAINT audit_seals_row_hash_check CHECK ((octet_length(row_hash) = 32))
);

ALTER TABLE ONLY workspace.audit_seals FORCE ROW LEVEL SECURITY;

CREATE TABLE workspace.audit_unsealed (
    tenant_id uuid NOT NULL,
    id uuid NOT NULL
);

ALTER TABLE ONLY workspace.audit_unsealed FORCE ROW LEVEL SECURITY;

CREATE TABLE workspace.backfills (
    tenant_id uuid NOT NULL,
    id uuid NOT NULL,
    workspace_id uuid NOT NULL,
    slug text NOT NULL COLLATE pg_catalog."C",
    field text NOT NULL COLLATE pg_catalog."C",
    column_name text NOT NULL COLLATE pg_catalog."C",
    status text DEFAULT 'queued'::text NOT NULL,
    actor jsonb NOT NULL,
    total bigint NOT NULL,
    filled bigint DEFAULT 0 NOT NULL,
    already_set bigint DEFAULT 0 NOT NULL,
    gone bigint DEFAULT 0 NOT NULL,
    refused bigint DEFAULT 0 NOT NULL,
    empty bigint DEFAULT 0 NOT NULL,
    waiting bigint DEFAULT 0 NOT NULL,
    without bigint DEFAULT 0 NOT NULL,
    refusals jsonb DEFAULT '[]'::jsonb NOT NULL,
    notes bigint DEFAULT 0 NOT NULL,
    cursor_seen_at timestamp with time zone DEFAULT now() NOT NULL,
    cursor uuid DEFAULT 'ffffffff-ffff-ffff-ffff-ffffffffffff'::uuid NOT NULL,
    ahead uuid[] DEFAULT '{}'::uuid[] NOT NULL,
    cancel_asked boolean DEFAULT false NOT NULL,
    message text DEFAULT ''::text NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    started_at timestamp with time zone,
    finished_at timestamp with time zone,
    CONSTRAINT backfills_check CHECK (((finished_at IS NULL) = (status = ANY (ARRAY['queued'::text, 'running'::text])))),
    CONSTRAINT backfills_refusals_check CHECK ((jsonb_typeof(refusals) = 'array'::text)),
    CONSTRAINT backfills_status_check CHECK ((status = ANY (ARRAY['queued'::text, 'running'::text, 'cancelled'::text, 'done'::text, 'failed'::text])))
);

ALTER TABLE ONLY workspace.backfills FORCE ROW LEVEL SECURITY;

CREATE TABLE workspace.bulk_retries (
    tenant_id uuid NOT NULL,
    id uuid NOT NULL,
    workspace_id uuid NOT NULL,
    status text DEFAULT 'queued'::text NOT NULL,
    filter jsonb NOT NULL,
    fixes jsonb NOT NULL,
    overwrite boolean NOT NULL,
    actor jsonb NOT NULL,
    request_id text NOT NULL,
    total bigint NOT NULL,
    last_id uuid NOT NULL,
    cursor uuid DEFAULT '00000000-0000-0000-0000-000000000000'::uuid NOT NULL,
    succeeded bigint DEFAULT 0 NOT NULL,
    refused bigint DEFAULT 0 NOT NULL,
    newer bigint DEFAULT 0 NOT NULL,
    skipped bigint DEFAULT 0 NOT NULL,
    cancel_asked boolean DEFAULT false NOT NULL,
    message text DEFAULT ''::text NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    started_at timestamp with time zone,
    finished_at timestamp with time zone,
    cursor_seen_at timestamp with time zone DEFAULT '1970-01-01 00:00:00+00'::timestamp with time zone NOT NULL,
    CONSTRAINT bulk_retries_check CHECK (((finished_at IS NULL) = (status = ANY (ARRAY['queued'::text, 'running'::text])))),
    CONSTRAINT bulk_retries_fixes_check CHECK ((jsonb_typeof(fixes) = 'array'::text)),
    CONSTRAINT bulk_retries_status_check CHECK ((status = ANY (ARRAY['queued'::text, 'running'::text, 'cancelled'::text, 'done'::text, 'failed'::text])))
);

ALTER TABLE ONLY workspace.bulk_retries FORCE ROW LEVEL SECURITY;

CREATE TABLE workspace.connection_pace (
    tenant_id uuid NOT NULL,
    connection_id uuid NOT NULL,
    used_until timestamp with time zone DEFAULT now() NOT NULL,
    held_until timestamp with time zone DEFAULT now() NOT NULL
);

ALTER TABLE ONLY workspace.connection_pace FORCE ROW LEVEL SECURITY;

CREATE TABLE workspace.connections (
    tenant_id uuid NOT NULL,
    id uuid NOT NULL,
    workspace_id uuid NOT NULL,
    system text NOT NULL,
    name text NOT NULL,
    address text NOT NULL,
    may_export boolean NOT NULL,
    may_load boolean NOT NULL,
    location text NOT NULL,
    calls_per_minute bigint NOT NULL,
    state text NOT NULL,
    paused_because text DEFAULT ''::text NOT NULL,
    credentials bigint DEFAULT 1 NOT NULL,
    tested bigint DEFAULT 0 NOT NULL,
    tested_at timestamp with time zone,
    test_failure text DEFAULT ''::text NOT NULL,
    version bigint DEFAULT 1 NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    created_by jsonb NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    updated_by jsonb NOT NULL,
    deleted_at timestamp with time zone,
    seeded_at timestamp with time zone,
    suspended boolean DEFAULT false NOT NULL,
    CONSTRAINT connections_name_check CHECK (((name <> ''::text) AND (char_length(name) <= 100))),
    CONSTRAINT connections_state_check CHECK ((state = ANY (ARRAY['draft'::text, 'active'::text, 'paused'::text])))
);

ALTER TABLE ONLY workspace.connections FORCE ROW LEVEL SECURITY;

CREATE TABLE workspace.conversions (
    tenant_id uuid NOT NULL,
    id uuid NOT NULL,
    slug text NOT NULL COLLATE pg_catalog."C",
    name text NOT NULL COLLATE pg_catalog."C",
    from_type text NOT NULL,
    to_type text NOT NULL,
    actor jsonb NOT NULL,
    pass text DEFAULT 'first'::text NOT NULL,
    place text DEFAULT ''::text NOT NULL COLLATE pg_catalog."C",
    settled_at timestamp with time zone,
    horizon xid8,
    converted bigint DEFAULT 0 NOT NULL,
    emptied bigint DEFAULT 0 NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    finished_at timestamp with time zone,
    CONSTRAINT conversions_check CHECK (((pass = 'done'::text) = (finished_at IS NOT NULL))),
    CONSTRAINT conversions_pass_check CHECK ((pass = ANY (ARRAY['first'::text, 'waiting'::text, 'last'::text, 'done'::text])))
);

ALTER TABLE ONLY workspace.conversions FORCE ROW LEVEL SECURITY;

CREATE TABLE workspace.events (
    tenant_id uuid NOT NULL,
    subject text NOT NULL COLLATE pg_catalog."C",
    id uuid NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    workspace_id uuid NOT NULL,
    kind text NOT NULL COLLATE pg_catalog."C",
    slug text NOT NULL COLLATE pg_catalog."C",
    version bigint NOT NULL,
    actor jsonb NOT NULL,
    request_id text NOT NULL,
    data jsonb NOT NULL,
    xid xid8 DEFAULT pg_current_xact_id()
)
PARTITION BY RANGE (created_at);

ALTER TABLE ONLY workspace.events FORCE ROW LEVEL SECURITY;

CREATE TABLE workspace.exchange_attempts (
    tenant_id uuid NOT NULL,
    id uuid NOT NULL,
    connection_id uuid NOT NULL,
    order_no text NOT NULL COLLATE pg_catalog."C",
    version bigint NOT NULL,
    outcome text NOT NULL,
    code text DEFAULT ''::text NOT NULL,
    message text DEFAULT ''::text NOT NULL,
    here text[] DEFAULT '{}'::text[] NOT NULL,
    there text[] DEFAULT '{}'::text[] NOT NULL,
    at timestamp with time zone DEFAULT now() NOT NULL,
    took interval NOT NULL,
    CONSTRAINT exchange_attempts_outcome_check CHECK ((outcome = ANY (ARRAY['synced'::text, 'conflict'::text, 'held'::text, 'failed'::text, 'later'::text])))
);

ALTER TABLE ONLY workspace.exchange_attempts FORCE ROW LEVEL SECURITY;

CREATE TABLE workspace.exchange_conflicts (
    tenant_id uuid NOT NULL,
    id uuid NOT NULL,
    connection_id uuid NOT NULL,
    workspace_id uuid NOT NULL,
    order_no text NOT NULL COLLATE pg_catalog."C",
    line_id text NOT NULL COLLATE pg_catalog."C",
    field text NOT NULL,
    reason text NOT NULL,
    base text NOT NULL,
    ours text NOT NULL,
    theirs text NOT NULL,
    choices text[] NOT NULL,
    opened_at timestamp with time zone DEFAULT now() NOT NULL,
    take text,
    decided_by jsonb,
    decided_at timestamp with time zone,
    closed_at timestamp with time zone,
    CONSTRAINT exchange_conflicts_take_check CHECK ((take = ANY (ARRAY['ours'::text, 'theirs'::text])))
);

ALTER TABLE ONLY workspace.exchange_conflicts FORCE ROW LEVEL SECURITY;

CREATE TABLE workspace.exchange_cursors (
    tenant_id uuid NOT NULL,
    connection_id uuid NOT NULL,
    workspace_id uuid NOT NULL,
    since timestamp with time zone NOT NULL,
    page bigint DEFAULT 0 NOT NULL,
    reached timestamp with time zone NOT NULL,
    poll_at timestamp with time zone DEFAULT now() NOT NULL,
    polled_at timestamp with time zone,
    message text DEFAULT ''::text NOT NULL,
    reconcile_at timestamp with time zone DEFAULT now() NOT NULL,
    reconciled_at timestamp with time zone,
    reconcile jsonb,
    busy_until timestamp with time zone,
    began_at timestamp with time zone,
    failures bigint DEFAULT 0 NOT NULL,
    reconciling jsonb
);

ALTER TABLE ONLY workspace.exchange_cursors FORCE ROW LEVEL SECURITY;

CREATE TABLE workspace.exchange_ids (
    tenant_id uuid NOT NULL,
    connection_id uuid NOT NULL,
    kind text NOT NULL,
    ours text NOT NULL COLLATE pg_catalog."C",
    theirs text NOT NULL COLLATE pg_catalog."C",
    name text DEFAULT ''::text NOT NULL,
    chosen_by jsonb NOT NULL,
    chosen_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT exchange_ids_kind_check CHECK ((kind = ANY (ARRAY['supplier'::text, 'article'::text, 'location'::text])))
);

ALTER TABLE ONLY workspace.exchange_ids FORCE ROW LEVEL SECURITY;

CREATE TABLE workspace.exchange_lines (
    tenant_id uuid NOT NULL,
    connection_id uuid NOT NULL,
    order_no text NOT NULL COLLATE pg_catalog."C",
    line_id text NOT NULL COLLATE pg_catalog."C",
    base jsonb NOT NULL
);

ALTER TABLE ONLY workspace.exchange_lines FORCE ROW LEVEL SECURITY;

CREATE TABLE workspace.exchange_listed (
    tenant_id uuid NOT NULL,
    connection_id uuid NOT NULL,
    external_id text NOT NULL COLLATE pg_catalog."C"
);

ALTER TABLE ONLY workspace.exchange_listed FORCE ROW LEVEL SECURITY;

CREATE TABLE workspace.exchange_orders (
    tenant_id uuid NOT NULL,
    connection_id uuid NOT NULL,
    order_no text NOT NULL COLLATE pg_catalog."C",
    workspace_id uuid NOT NULL,
    external_id text COLLATE pg_catalog."C",
    state text DEFAULT 'waiting'::text NOT NULL,
    wanted bigint DEFAULT 0 NOT NULL,
    done bigint DEFAULT 0 NOT NULL,
    asked bigint DEFAULT 0 NOT NULL,
    answered bigint DEFAULT 0 NOT NULL,
    due_at timestamp with time zone DEFAULT now() NOT NULL,
    failures bigint DEFAULT 0 NOT NULL,
    code text DEFAULT ''::text NOT NULL,
    message text DEFAULT ''::text NOT NULL,
    notices text[] DEFAULT '{}'::text[] NOT NULL,
    synced_at timestamp with time zone,
    changed_there timestamp with time zone,
    paused_by jsonb,
    claim uuid,
    claimed_until timestamp with time zone,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    seen_there timestamp with time zone,
    CONSTRAINT exchange_orders_state_check CHECK ((state = ANY (ARRAY['waiting'::text, 'synced'::text, 'conflict'::text, 'held'::text, 'failed'::text, 'paused'::text])))
);

ALTER TABLE ONLY workspace.exchange_orders FORCE ROW LEVEL SECURITY;

CREATE TABLE workspace.failed_import_attempts (
    tenant_id uuid NOT NULL,
    failed_id uuid NOT NULL,
    id uuid NOT NULL,
    at timestamp with time zone DEFAULT now() NOT NULL,
    actor jsonb NOT NULL,
    request_id text NOT NULL,
    payload bytea,
    http_status bigint NOT NULL,
    code text DEFAULT ''::text NOT NULL COLLATE pg_catalog."C",
    message text DEFAULT ''::text NOT NULL,
    bulk_id uuid,
    subject text COLLATE pg_catalog."C",
    version bigint,
    stated_at timestamp with time zone,
    as_of timestamp with time zone
);

ALTER TABLE ONLY workspace.failed_import_attempts FORCE ROW LEVEL SECURITY;

CREATE TABLE workspace.forecast_classes (
    tenant_id uuid NOT NULL,
    workspace_id uuid NOT NULL,
    class text NOT NULL COLLATE pg_catalog."C",
    forecasts bigint NOT NULL,
    tau2 double precision NOT NULL,
    z_90 double precision NOT NULL,
    z_95 double precision NOT NULL,
    z_975 double precision NOT NULL,
    z_99 double precision NOT NULL
);

ALTER TABLE ONLY workspace.forecast_classes FORCE ROW LEVEL SECURITY;

CREATE TABLE workspace.forecast_families (
    tenant_id uuid NOT NULL,
    workspace_id uuid NOT NULL,
    family text NOT NULL,
    prior double precision,
    indexed boolean NOT NULL,
    strength double precision NOT NULL,
    strength_reason text NOT NULL COLLATE pg_catalog."C",
    raw_index double precision[] NOT NULL,
    index double precision[] NOT NULL,
    years integer[] NOT NULL,
    units double precision[] NOT NULL
);

ALTER TABLE ONLY workspace.forecast_families FORCE ROW LEVEL SECURITY;

CREATE TABLE workspace.forecast_log (
    tenant_id uuid NOT NULL,
    workspace_id uuid NOT NULL,
    product_id text NOT NULL COLLATE pg_catalog."C",
    origin date NOT NULL,
    family text NOT NULL,
    forecast_none double precision NOT NULL,
    forecast_half double precision NOT NULL,
    forecast_full double precision NOT NULL,
    strength double precision NOT NULL,
    indexed boolean NOT NULL,
    sigma_day2 double precision NOT NULL,
    class text NOT NULL COLLATE pg_catalog."C",
    replayed boolean NOT NULL,
    in_stock_days integer,
    units double precision
);

ALTER TABLE ONLY workspace.forecast_log FORCE ROW LEVEL SECURITY;

CREATE TABLE workspace.forecast_marks (
    tenant_id uuid NOT NULL,
    workspace_id uuid NOT NULL,
    product_id text NOT NULL COLLATE pg_catalog."C",
    marked_at timestamp with time zone DEFAULT now() NOT NULL
);

ALTER TABLE ONLY workspace.forecast_marks FORCE ROW LEVEL SECURITY;

CREATE TABLE workspace.forecast_state (
    tenant_id uuid NOT NULL,
    workspace_id uuid NOT NULL,
    as_of date NOT NULL,
    newest_origin date,
    time_zone text NOT NULL,
    week_start smallint NOT NULL,
    computed_at timestamp with time zone NOT NULL,
    stale boolean NOT NULL,
    stale_since timestamp with time zone,
    queue_waits_since timestamp with time zone DEFAULT now() NOT NULL
);

ALTER TABLE ONLY workspace.forecast_state FORCE ROW LEVEL SECURITY;

CREATE TABLE workspace.forecasts (
    tenant_id uuid NOT NULL,
    workspace_id uuid NOT NULL,
    product_id text NOT NULL COLLATE pg_catalog."C",
    as_of date NOT NULL,
    family text NOT NULL,
    first_sale_date date,
    last_sale_date date,
    exposure_days integer NOT NULL,
    stockout_days_84 integer NOT NULL,
    units_28 double precision NOT NULL,
    units_84 double precision NOT NULL,
    units_365 double precision NOT NULL,
    velocity_raw double precision NOT NULL,
    velocity double precision NOT NULL,
    sigma_day double precision NOT NULL,
    season_factor double precision NOT NULL,
    season_strength double precision NOT NULL,
    demand_per_day double precision NOT NULL,
    trend_pct double precision,
    demand_class text NOT NULL COLLATE pg_catalog."C",
    forecast_30 double precision NOT NULL,
    forecast_90 double precision NOT NULL,
    low_30 double precision NOT NULL,
    high_30 double precision NOT NULL,
    wape double precision,
    wape_naive double precision,
    wape_seasonal_naive double precision,
    rmsse double precision,
    bias double precision,
    confidence text NOT NULL COLLATE pg_catalog."C",
    flags text[] NOT NULL
)
WITH (fillfactor='80');

ALTER TABLE ONLY workspace.forecasts FORCE ROW LEVEL SECURITY;

CREATE TABLE workspace.import_chunks (
    tenant_id uuid NOT NULL,
    import_id uuid NOT NULL,
    n bigint NOT NULL,
    bytes bytea NOT NULL
);

ALTER TABLE ONLY workspace.import_chunks FORCE ROW LEVEL SECURITY;

CREATE TABLE workspace.import_rejects (
    tenant_id uuid NOT NULL,
    import_id uuid NOT NULL,
    record bigint NOT NULL,
    reason text NOT NULL,
    message text NOT NULL,
    line bytea NOT NULL
);

ALTER TABLE ONLY workspace.import_rejects FORCE ROW LEVEL SECURITY;

CREATE TABLE workspace.imports (
    tenant_id uuid NOT NULL,
    id uuid NOT NULL,
    workspace_id uuid NOT NULL,
    slug text NOT NULL COLLATE pg_catalog."C",
    status text DEFAULT 'uploading'::text NOT NULL,
    file_name text NOT NULL,
    bytes bigint DEFAULT 0 NOT NULL,
    reading jsonb DEFAULT '{}'::jsonb NOT NULL,
    found jsonb DEFAULT '{}'::jsonb NOT NULL,
    mapping jsonb,
    actor jsonb NOT NULL,
    request_id text NOT NULL,
    total bigint DEFAULT 0 NOT NULL,
    "position" bigint DEFAULT 0 NOT NULL,
    ahead bigint[] DEFAULT '{}'::bigint[] NOT NULL,
    notes bigint DEFAULT 0 NOT NULL,
    created bigint DEFAULT 0 NOT NULL,
    updated bigint DEFAULT 0 NOT NULL,
    unchanged bigint DEFAULT 0 NOT NULL,
    refused bigint DEFAULT 0 NOT NULL,
    unreadable bigint DEFAULT 0 NOT NULL,
    rejects_dropped boolean DEFAULT false NOT NULL,
    cancel_asked boolean DEFAULT false NOT NULL,
    message text DEFAULT ''::text NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    queued_at timestamp with time zone,
    started_at timestamp with time zone,
    finished_at timestamp with time zone,
    warned jsonb DEFAULT '[]'::jsonb NOT NULL,
    CONSTRAINT imports_check CHECK (((finished_at IS NULL) = (status = ANY (ARRAY['uploading'::text, 'ready'::text, 'queued'::text, 'running'::text])))),
    CONSTRAINT imports_found_check CHECK ((jsonb_typeof(found) = 'object'::text)),
    CONSTRAINT imports_mapping_check CHECK ((jsonb_typeof(mapping) = 'array'::text)),
    CONSTRAINT imports_reading_check CHECK ((jsonb_typeof(reading) = 'object'::text)),
    CONSTRAINT imports_status_check CHECK ((status = ANY (ARRAY['uploading'::text, 'ready'::text, 'queued'::text, 'running'::text, 'cancelled'::text, 'done'::text, 'failed'::text]))),
    CONSTRAINT imports_warned_check CHECK ((jsonb_typeof(warned) = 'array'::text))
);

ALTER TABLE ONLY workspace.imports FORCE ROW LEVEL SECURITY;

CREATE TABLE workspace.inbox_mails (
    tenant_id uuid NOT NULL,
    workspace_id uuid NOT NULL,
    since timestamp with time zone NOT NULL,
    until timestamp with time zone NOT NULL,
    looked_at timestamp with time zone NOT NULL
);

ALTER TABLE ONLY workspace.inbox_mails FORCE ROW LEVEL SECURITY;

CREATE TABLE workspace.inbox_seen (
    tenant_id uuid NOT NULL,
    workspace_id uuid NOT NULL,
    user_id uuid NOT NULL,
    subject text NOT NULL COLLATE pg_catalog."C",
    kind text NOT NULL COLLATE pg_catalog."C",
    seen_until timestamp with time zone NOT NULL,
    done_until timestamp with time zone,
    CONSTRAINT inbox_seen_kind CHECK ((kind = ANY (ARRAY['approval'::text, 'sent_back'::text, 'mention'::text])))
);

ALTER TABLE ONLY workspace.inbox_seen FORCE ROW LEVEL SECURITY;

CREATE TABLE workspace.inbox_unsent (
    tenant_id uuid NOT NULL,
    workspace_id uuid NOT NULL,
    user_id uuid NOT NULL,
    since timestamp with time zone NOT NULL,
    until timestamp with time zone NOT NULL,
    tries bigint NOT NULL,
    next_at timestamp with time zone NOT NULL
);

ALTER TABLE ONLY workspace.inbox_unsent FORCE ROW LEVEL SECURITY;

CREATE TABLE workspace.index_entries (
    tenant_id uuid NOT NULL,
    index_id bigint NOT NULL,
    key text NOT NULL COLLATE pg_catalog."C",
    words text NOT NULL,
    id text NOT NULL COLLATE pg_catalog."C"
);

ALTER TABLE ONLY workspace.index_entries FORCE ROW LEVEL SECURITY;

CREATE TABLE workspace.indexed_fields (
    tenant_id uuid NOT NULL,
    id bigint NOT NULL,
    workspace_id uuid NOT NULL,
    slug text NOT NULL COLLATE pg_catalog."C",
    field text NOT NULL COLLATE pg_catalog."C",
    home text NOT NULL COLLATE pg_catalog."C",
    stored text NOT NULL COLLATE pg_catalog."C",
    type text NOT NULL COLLATE pg_catalog."C",
    collated boolean NOT NULL,
    cut integer NOT NULL,
    state text DEFAULT 'wanted'::text NOT NULL COLLATE pg_catalog."C",
    horizon xid8,
    place text DEFAULT ''::text NOT NULL COLLATE pg_catalog."C",
    rows bigint DEFAULT 0 NOT NULL,
    made_at timestamp with time zone DEFAULT now() NOT NULL,
    used_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT indexed_fields_state_check CHECK ((state = ANY (ARRAY['wanted'::text, 'building'::text, 'ready'::text, 'refused'::text, 'leaving'::text]))),
    CONSTRAINT indexed_fields_stored_check CHECK ((stored = ANY (ARRAY['column'::text, 'data'::text, 'custom'::text])))
);

ALTER TABLE ONLY workspace.indexed_fields FORCE ROW LEVEL SECURITY;

ALTER TABLE workspace.indexed_fields ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME workspace.indexed_fields_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE workspace.ingest_rule_versions (
    tenant_id uuid NOT NULL,
    rule_id uuid NOT NULL,
    version bigint NOT NULL,
    workspace_id uuid NOT NULL,
    key_id uuid,
    fix json NOT NULL,
    "position" bigint NOT NULL,
    enabled boolean NOT NULL,
    author jsonb NOT NULL,
    created_at timestamp with time zone NOT NULL
);

ALTER TABLE ONLY workspace.ingest_rule_versions FORCE ROW LEVEL SECURITY;

CREATE TABLE workspace.ingest_rules (
    tenant_id uuid NOT NULL,
    id uuid NOT NULL,
    workspace_id uuid NOT NULL,
    slug text NOT NULL COLLATE pg_catalog."C",
    key_id uuid,
    fix json NOT NULL,
    "position" bigint NOT NULL,
    enabled boolean NOT NULL,
    version bigint NOT NULL,
    bulk_id uuid,
    created_by jsonb NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    updated_by jsonb NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT ingest_rules_version_check CHECK ((version > 0))
);

ALTER TABLE ONLY workspace.ingest_rules FORCE ROW LEVEL SECURITY;

CREATE TABLE workspace.key_figures (
    tenant_id uuid NOT NULL,
    key_id uuid NOT NULL,
    last_used_at timestamp with time zone NOT NULL,
    last_used_from text NOT NULL
);

ALTER TABLE ONLY workspace.key_figures FORCE ROW LEVEL SECURITY;

CREATE TABLE workspace.key_hours (
    tenant_id uuid NOT NULL,
    key_id uuid NOT NULL,
    hour timestamp with time zone NOT NULL,
    calls bigint NOT NULL
);

ALTER TABLE ONLY workspace.key_hours FORCE ROW LEVEL SECURITY;

CREATE TABLE workspace.line_approvals (
    tenant_id uuid NOT NULL,
    line_id text NOT NULL COLLATE pg_catalog."C",
    workspace_id uuid NOT NULL,
    money_by jsonb,
    money_hash bytea,
    submitted_by jsonb,
    submitted_at timestamp with time zone,
    approved_quantity numeric,
    approved_price numeric,
    self_approved boolean DEFAULT false NOT NULL,
    approved_sku text COLLATE pg_catalog."C",
    approved_product_id text COLLATE pg_catalog."C",
    approved_supplier_id text COLLATE pg_catalog."C",
    approved_currency text,
    approved_order_no text COLLATE pg_catalog."C",
    approved_total numeric,
    approver_limit numeric,
    imported_by jsonb,
    ordered_version bigint
);

ALTER TABLE ONLY workspace.line_approvals FORCE ROW LEVEL SECURITY;

CREATE TABLE workspace.line_flags (
    tenant_id uuid NOT NULL,
    id text DEFAULT workspace.new_id() NOT NULL COLLATE pg_catalog."C",
    workspace_id uuid NOT NULL,
    line_id text NOT NULL COLLATE pg_catalog."C",
    from_status text NOT NULL,
    to_status text NOT NULL,
    version bigint NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    seen_by jsonb,
    seen_at timestamp with time zone,
    claimed numeric,
    above boolean DEFAULT false NOT NULL
);

ALTER TABLE ONLY workspace.line_flags FORCE ROW LEVEL SECURITY;

CREATE TABLE workspace.line_suggestions (
    tenant_id uuid NOT NULL,
    line_id text NOT NULL COLLATE pg_catalog."C",
    workspace_id uuid NOT NULL,
    product_id text NOT NULL COLLATE pg_catalog."C",
    recommendation_key text NOT NULL COLLATE pg_catalog."C",
    as_of date NOT NULL,
    action text NOT NULL COLLATE pg_catalog."C",
    urgency text NOT NULL COLLATE pg_catalog."C",
    raw_quantity double precision NOT NULL,
    suggested_quantity double precision NOT NULL,
    reason_text text NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    rest_on date
);

ALTER TABLE ONLY workspace.line_suggestions FORCE ROW LEVEL SECURITY;

CREATE TABLE workspace.mailed_addresses (
    tenant_id uuid NOT NULL,
    address text NOT NULL COLLATE pg_catalog."C",
    since timestamp with time zone DEFAULT now() NOT NULL
);

ALTER TABLE ONLY workspace.mailed_addresses FORCE ROW LEVEL SECURITY;

CREATE TABLE workspace.meeting_notes (
    id text DEFAULT workspace.new_id() NOT NULL COLLATE pg_catalog."C",
    tenant_id uuid NOT NULL,
    workspace_id uuid NOT NULL,
    external_id text NOT NULL COLLATE pg_catalog."C",
    title text NOT NULL,
    started_at timestamp with time zone NOT NULL,
    duration_minutes numeric,
    source text,
    organizer_email text,
    attendees text,
    summary text,
    action_items text,
    transcript text,
    url text,
    language text,
    customer_id text COLLATE pg_catalog."C",
    supplier_id text COLLATE pg_catalog."C",
    tags text,
    version bigint DEFAULT 1 NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    custom jsonb DEFAULT '{}'::jsonb NOT NULL,
    CONSTRAINT meeting_notes_duration_minutes_check CHECK (((duration_minutes >= (0)::numeric) AND (duration_minutes < 'Infinity'::numeric))),
    CONSTRAINT meeting_notes_external_id_check CHECK ((external_id <> ''::text))
);

ALTER TABLE ONLY workspace.meeting_notes FORCE ROW LEVEL SECURITY;

CREATE TABLE workspace.order_entries (
    tenant_id uuid NOT NULL,
    id uuid NOT NULL,
    workspace_id uuid NOT NULL,
    order_no text NOT NULL COLLATE pg_catalog."C",
    kind text NOT NULL,
    actor jsonb NOT NULL,
    text text NOT NULL,
    mentions uuid[] DEFAULT '{}'::uuid[] NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    data jsonb DEFAULT '{}'::jsonb NOT NULL,
    CONSTRAINT order_entries_kind CHECK ((kind = ANY (ARRAY['comment'::text, 'call'::text, 'reminder'::text, 'sent'::text, 'confirmation'::text]))),
    CONSTRAINT order_entries_text_check CHECK (((char_length(text) <= 2000) AND ((text <> ''::text) OR (kind = 'confirmation'::text))))
);

ALTER TABLE ONLY workspace.order_entries FORCE ROW LEVEL SECURITY;

CREATE TABLE workspace.order_line_items (
    id text DEFAULT workspace.new_id() NOT NULL COLLATE pg_catalog."C",
    tenant_id uuid NOT NULL,
    workspace_id uuid NOT NULL,
    external_id text NOT NULL COLLATE pg_catalog."C",
    order_id text COLLATE pg_catalog."C",
    order_external_id text COLLATE pg_catalog."C",
    product_id text COLLATE pg_catalog."C",
    variant_external_id text COLLATE pg_catalog."C",
    product_external_id text COLLATE pg_catalog."C",
    sku text COLLATE pg_catalog."C",
    name text NOT NULL,
    quantity numeric NOT NULL,
    current_quantity numeric,
    returned_quantity numeric,
    unit_price numeric NOT NULL,
    discount_amount numeric,
    tax_amount numeric,
    currency text,
    is_gift_card boolean,
    version bigint DEFAULT 1 NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    custom jsonb DEFAULT '{}'::jsonb NOT NULL,
    CONSTRAINT order_line_items_external_id_check CHECK ((external_id <> ''::text)),
    CONSTRAINT order_line_items_order_required CHECK (((order_id IS NOT NULL) OR (order_external_id IS NOT NULL)))
);

ALTER TABLE ONLY workspace.order_line_items FORCE ROW LEVEL SECURITY;

CREATE TABLE workspace.order_mails (
    tenant_id uuid NOT NULL,
    id uuid NOT NULL,
    workspace_id uuid NOT NULL,
    order_no text NOT NULL COLLATE pg_catalog."C",
    key uuid NOT NULL,
    supplier text NOT NULL COLLATE pg_catalog."C",
    receivers text[] NOT NULL,
    copies text[] NOT NULL,
    reply_to text NOT NULL,
    subject text NOT NULL,
    document bytea NOT NULL,
    file_name text NOT NULL,
    lines jsonb NOT NULL,
    state text NOT NULL,
    reason text DEFAULT ''::text NOT NULL,
    tries bigint DEFAULT 0 NOT NULL,
    changed_at timestamp with time zone DEFAULT now() NOT NULL,
    particulars jsonb DEFAULT '{}'::jsonb NOT NULL,
    CONSTRAINT order_mails_state CHECK ((state = ANY (ARRAY['queued'::text, 'sending'::text, 'sent'::text, 'failed'::text, 'unknown'::text, 'by_hand'::text])))
);

ALTER TABLE ONLY workspace.order_mails FORCE ROW LEVEL SECURITY;

CREATE TABLE workspace.order_receivers (
    tenant_id uuid NOT NULL,
    workspace_id uuid NOT NULL,
    supplier text NOT NULL COLLATE pg_catalog."C",
    address text NOT NULL COLLATE pg_catalog."C",
    actor jsonb NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT order_receivers_address_check CHECK (((address = lower(address)) AND (length(address) <= 254)))
);

ALTER TABLE ONLY workspace.order_receivers FORCE ROW LEVEL SECURITY;

CREATE TABLE workspace.playbook_state (
    tenant_id uuid NOT NULL,
    workspace_id uuid NOT NULL,
    revision bigint NOT NULL,
    changed_at timestamp with time zone DEFAULT now() NOT NULL
);

ALTER TABLE ONLY workspace.playbook_state FORCE ROW LEVEL SECURITY;

CREATE TABLE workspace.playbook_versions (
    tenant_id uuid NOT NULL,
    workspace_id uuid NOT NULL,
    kind text NOT NULL COLLATE pg_catalog."C",
    document_id uuid NOT NULL,
    version bigint NOT NULL,
    slug text COLLATE pg_catalog."C",
    content jsonb NOT NULL,
    author jsonb NOT NULL,
    note text NOT NULL,
    revision bigint NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT playbook_versions_check CHECK (((slug IS NOT NULL) = (kind = 'sop'::text))),
    CONSTRAINT playbook_versions_kind_check CHECK ((kind = ANY (ARRAY['config'::text, 'strategy'::text, 'sop'::text]))),
    CONSTRAINT playbook_versions_version_check CHECK ((version > 0))
);

ALTER TABLE ONLY workspace.playbook_versions FORCE ROW LEVEL SECURITY;

CREATE TABLE workspace.purchase_order_lines (
    id text DEFAULT workspace.new_id() NOT NULL COLLATE pg_catalog."C",
    tenant_id uuid NOT NULL,
    workspace_id uuid NOT NULL,
    external_id text NOT NULL COLLATE pg_catalog."C",
    order_no text NOT NULL COLLATE pg_catalog."C",
    sku text NOT NULL COLLATE pg_catalog."C",
    status text DEFAULT 'draft'::text NOT NULL COLLATE pg_catalog."C",
    quantity_ordered numeric NOT NULL,
    quantity_received numeric DEFAULT 0 NOT NULL,
    expected_arrival_date date,
    price_per_unit numeric,
    currency text,
    note text,
    supplier_id text COLLATE pg_catalog."C",
    product_id text COLLATE pg_catalog."C",
    ordered_at timestamp with time zone,
    received_at timestamp with time zone,
    location_id uuid,
    product_name text,
    supplier_name text,
    variant_external_id text COLLATE pg_catalog."C",
    product_external_id text COLLATE pg_catalog."C",
    recommendation_key text COLLATE pg_catalog."C",
    created_by_type text,
    created_by_user_id uuid,
    created_by_agent_id uuid,
    created_by_run_id text,
    approved_by uuid,
    approved_at timestamp with time zone,
    external_system text,
    external_po_id text,
    external_line_id text,
    version bigint DEFAULT 1 NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    custom jsonb DEFAULT '{}'::jsonb NOT NULL,
    received_here numeric,
    CONSTRAINT purchase_order_lines_created_by_type_check CHECK ((created_by_type = ANY (ARRAY['user'::text, 'agent'::text]))),
    CONSTRAINT purchase_order_lines_external_id_check CHECK ((external_id <> ''::text)),
    CONSTRAINT purchase_order_lines_price_per_unit_check CHECK (((price_per_unit >= (0)::numeric) AND (price_per_unit < 'Infinity'::numeric))),
    CONSTRAINT purchase_order_lines_quantity_ordered_check CHECK (((quantity_ordered >= (0)::numeric) AND (quantity_ordered < 'Infinity'::numeric))),
    CONSTRAINT purchase_order_lines_quantity_received_check CHECK (((quantity_received >= (0)::numeric) AND (quantity_received < 'Infinity'::numeric))),
    CONSTRAINT purchase_order_lines_sku_check CHECK ((sku <> ''::text)),
    CONSTRAINT purchase_order_lines_status_check CHECK ((status = ANY (ARRAY['draft'::text, 'pending_approval'::text, 'ordered'::text, 'partially_received'::text, 'received'::text, 'cancelled'::text])))
);

ALTER TABLE ONLY workspace.purchase_order_lines FORCE ROW LEVEL SECURITY;

CREATE TABLE workspace.purchase_order_sums (
    tenant_id uuid NOT NULL,
    workspace_id uuid NOT NULL,
    order_no text NOT NULL COLLATE pg_catalog."C",
    supplier_id text NOT NULL COLLATE pg_catalog."C",
    supplier_name text NOT NULL COLLATE pg_catalog."C",
    currency text NOT NULL COLLATE pg_catalog."C",
    lines bigint DEFAULT 0 NOT NULL,
    live bigint DEFAULT 0 NOT NULL,
    binding bigint DEFAULT 0 NOT NULL,
    total numeric DEFAULT 0 NOT NULL,
    bound numeric DEFAULT 0 NOT NULL,
    ordered numeric DEFAULT 0 NOT NULL,
    received numeric DEFAULT 0 NOT NULL,
    given_up numeric DEFAULT 0 NOT NULL,
    expected numeric DEFAULT 0 NOT NULL
);

ALTER TABLE ONLY workspace.purchase_order_sums FORCE ROW LEVEL SECURITY;

CREATE TABLE workspace.queue_marks (
    tenant_id uuid NOT NULL,
    workspace_id uuid NOT NULL,
    product_id text NOT NULL COLLATE pg_catalog."C",
    marked_at timestamp with time zone DEFAULT now() NOT NULL
);

ALTER TABLE ONLY workspace.queue_marks FORCE ROW LEVEL SECURITY;

CREATE TABLE workspace.queue_rows (
    tenant_id uuid NOT NULL,
    workspace_id uuid NOT NULL,
    product_id text NOT NULL COLLATE pg_catalog."C",
    as_of date NOT NULL,
    recommendation_key text NOT NULL COLLATE pg_catalog."C",
    variant_external_id text COLLATE pg_catalog."C",
    sku text COLLATE pg_catalog."C",
    name text NOT NULL,
    family text,
    supplier_id text COLLATE pg_catalog."C",
    supplier_name text,
    action text NOT NULL COLLATE pg_catalog."C",
    urgency text NOT NULL COLLATE pg_catalog."C",
    rank smallint NOT NULL,
    margin_at_risk double precision NOT NULL,
    blocked_reason text COLLATE pg_catalog."C",
    available double precision,
    open_purchase_order_quantity double precision NOT NULL,
    draft_quantity double precision NOT NULL,
    overdue_quantity double precision NOT NULL,
    next_arrival_date date,
    last_arrival_date date,
    demand_per_day double precision NOT NULL,
    days_of_cover double precision,
    days_of_cover_incl_open double precision,
    lead_time_days integer NOT NULL,
    lead_time_source text NOT NULL COLLATE pg_catalog."C",
    safety_stock double precision NOT NULL,
    reorder_point double precision NOT NULL,
    target_stock double precision NOT NULL,
    projected_stockout_date date,
    order_by_date date,
    earliest_arrival_date date,
    late_by_days integer NOT NULL,
    raw_quantity double precision NOT NULL,
    suggested_quantity double precision NOT NULL,
    overbuy_quantity double precision NOT NULL,
    unit_price numeric,
    currency text,
    line_cost numeric,
    locked_by_line_id text COLLATE pg_catalog."C",
    suppressed_until date,
    confidence text NOT NULL COLLATE pg_catalog."C",
    data_gaps jsonb NOT NULL,
    reason jsonb NOT NULL,
    reason_text text NOT NULL,
    computed_at timestamp with time zone NOT NULL,
    digest bytea NOT NULL
);

ALTER TABLE ONLY workspace.queue_rows FORCE ROW LEVEL SECURITY;

CREATE TABLE workspace.queue_state (
    tenant_id uuid NOT NULL,
    workspace_id uuid NOT NULL,
    as_of date NOT NULL,
    forecasts_at timestamp with time zone NOT NULL,
    playbook_revision bigint NOT NULL,
    computed_at timestamp with time zone NOT NULL
);

ALTER TABLE ONLY workspace.queue_state FORCE ROW LEVEL SECURITY;

CREATE TABLE workspace.receipts (
    tenant_id uuid NOT NULL,
    id text DEFAULT workspace.new_id() NOT NULL COLLATE pg_catalog."C",
    workspace_id uuid NOT NULL,
    line_id text NOT NULL COLLATE pg_catalog."C",
    version bigint NOT NULL,
    quantity numeric NOT NULL,
    received_at timestamp with time zone DEFAULT now() NOT NULL,
    actor jsonb,
    note text,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT receipts_quantity_check CHECK ((quantity <> (0)::numeric))
);

ALTER TABLE ONLY workspace.receipts FORCE ROW LEVEL SECURITY;

CREATE TABLE workspace.record_sequences (
    tenant_id uuid NOT NULL,
    record_id text NOT NULL COLLATE pg_catalog."C",
    sequence text NOT NULL COLLATE pg_catalog."C",
    version bigint NOT NULL,
    CONSTRAINT record_sequences_sequence_check CHECK ((length(sequence) = ANY (ARRAY[19, 30])))
)
WITH (fillfactor='80');

ALTER TABLE ONLY workspace.record_sequences FORCE ROW LEVEL SECURITY;

CREATE TABLE workspace.records (
    id text DEFAULT workspace.new_id() NOT NULL COLLATE pg_catalog."C",
    tenant_id uuid NOT NULL,
    workspace_id uuid NOT NULL,
    slug text NOT NULL COLLATE pg_catalog."C",
    external_id text NOT NULL COLLATE pg_catalog."C",
    data jsonb DEFAULT '{}'::jsonb NOT NULL,
    version bigint DEFAULT 1 NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT records_data_check CHECK ((jsonb_typeof(data) = 'object'::text)),
    CONSTRAINT records_external_id_check CHECK ((external_id <> ''::text))
);

ALTER TABLE ONLY workspace.records FORCE ROW LEVEL SECURITY;

CREATE TABLE workspace.registry_columns (
    tenant_id uuid NOT NULL,
    slug text NOT NULL COLLATE pg_catalog."C",
    name text NOT NULL COLLATE pg_catalog."C",
    "position" bigint NOT NULL,
    type text NOT NULL,
    kind text DEFAULT 'writable'::text NOT NULL,
    accepted boolean DEFAULT true NOT NULL,
    required boolean DEFAULT false NOT NULL,
    nullable boolean DEFAULT true NOT NULL,
    default_value text,
    choices text[],
    minimum numeric,
    maximum numeric,
    reference text COLLATE pg_catalog."C",
    pending_column text COLLATE pg_catalog."C",
    description text DEFAULT ''::text NOT NULL,
    example jsonb,
    max_length bigint,
    indexed boolean DEFAULT false NOT NULL,
    format text COLLATE pg_catalog."C",
    retired_at timestamp with time zone,
    records_past boolean DEFAULT false NOT NULL,
    CONSTRAINT registry_columns_check CHECK (((NOT required) OR (accepted AND (NOT nullable)))),
    CONSTRAINT registry_columns_check1 CHECK ((nullable OR required OR (default_value IS NOT NULL))),
    CONSTRAINT registry_columns_check2 CHECK (((NOT accepted) OR (kind = ANY (ARRAY['writable'::text, 'api_only'::text])))),
    CONSTRAINT registry_columns_check3 CHECK (((pending_column IS NULL) OR ((reference IS NOT NULL) AND (tenant_id = '00000000-0000-0000-0000-000000000000'::uuid)))),
    CONSTRAINT registry_columns_check4 CHECK (((NOT indexed) OR (type <> 'text'::text) OR ((max_length IS NOT NULL) AND (max_length <= 500)))),
    CONSTRAINT registry_columns_check5 CHECK (((format IS NULL) OR ((format = 'currency'::text) AND (type = 'text'::text)))),
    CONSTRAINT registry_columns_check6 CHECK (((NOT records_past) OR (type = ANY (ARRAY['date'::text, 'datetime'::text])))),
    CONSTRAINT registry_columns_kind_check CHECK ((kind = ANY (ARRAY['writable'::text, 'api_only'::text, 'trigger'::text, 'read_only'::text]))),
    CONSTRAINT registry_columns_max_length_check CHECK ((max_length > 0)),
    CONSTRAINT registry_columns_name_check CHECK (((name ~ '^[a-z][a-z0-9_]{0,62}$'::text) AND (name <> ALL (ARRAY['id'::text, 'tenant_id'::text, 'workspace_id'::text, 'version'::text, 'created_at'::text, 'updated_at'::text])))),
    CONSTRAINT registry_columns_type_check CHECK ((type = ANY (ARRAY['text'::text, 'number'::text, 'boolean'::text, 'date'::text, 'datetime'::text, 'uuid'::text])))
);

ALTER TABLE ONLY workspace.registry_columns FORCE ROW LEVEL SECURITY;

CREATE TABLE workspace.registry_snapshots (
    tenant_id uuid NOT NULL,
    slug text NOT NULL COLLATE pg_catalog."C",
    function text NOT NULL COLLATE pg_catalog."C",
    arguments text[] NOT NULL,
    columns text[] NOT NULL,
    source text NOT NULL COLLATE pg_catalog."C",
    match_column text NOT NULL COLLATE pg_catalog."C",
    marker_column text NOT NULL COLLATE pg_catalog."C"
);

ALTER TABLE ONLY workspace.registry_snapshots FORCE ROW LEVEL SECURITY;

CREATE TABLE workspace.registry_tables (
    tenant_id uuid NOT NULL,
    slug text NOT NULL COLLATE pg_catalog."C",
    title text NOT NULL,
    description text DEFAULT ''::text NOT NULL,
    storage text DEFAULT 'records'::text NOT NULL,
    conflict_key text[] DEFAULT '{tenant_id,external_id}'::text[] NOT NULL,
    conflict_column text DEFAULT 'external_id'::text NOT NULL COLLATE pg_catalog."C",
    identity_columns text[] DEFAULT '{external_id}'::text[] NOT NULL,
    "position" bigint DEFAULT 1000 NOT NULL,
    version bigint DEFAULT ((EXTRACT(epoch FROM clock_timestamp()) * (1000000)::numeric))::bigint NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    retired_at timestamp with time zone,
    sequence_column text COLLATE pg_catalog."C",
    CONSTRAINT registry_tables_check CHECK (
CASE storage
    WHEN 'table'::text THEN (tenant_id = '00000000-0000-0000-0000-000000000000'::uuid)
    WHEN 'extension'::text THEN ((tenant_id <> '00000000-0000-0000-0000-000000000000'::uuid) AND (retired_at IS NULL))
    ELSE true
END),
    CONSTRAINT registry_tables_check1 CHECK (((sequence_column IS NULL) OR (storage = 'records'::text))),
    CONSTRAINT registry_tables_identity_columns_check CHECK ((cardinality(identity_columns) > 0)),
    CONSTRAINT registry_tables_slug_check CHECK ((slug ~ '^[a-z][a-z0-9_]{0,47}$'::text)),
    CONSTRAINT registry_tables_storage_check CHECK ((storage = ANY (ARRAY['table'::text, 'records'::text, 'extension'::text]))),
    CONSTRAINT registry_tables_title_check CHECK ((btrim(title) <> ''::text))
);

ALTER TABLE ONLY workspace.registry_tables FORCE ROW LEVEL SECURITY;

CREATE TABLE workspace.sales_changed (
    tenant_id uuid NOT NULL,
    workspace_id uuid NOT NULL,
    slug text NOT NULL COLLATE pg_catalog."C",
    record_id text NOT NULL COLLATE pg_catalog."C",
    changed_at timestamp with time zone NOT NULL
);

ALTER TABLE ONLY workspace.sales_changed FORCE ROW LEVEL SECURITY;

CREATE TABLE workspace.sales_customers (
    tenant_id uuid NOT NULL,
    workspace_id uuid NOT NULL,
    customer_id text NOT NULL COLLATE pg_catalog."C",
    day date NOT NULL,
    until date NOT NULL,
    orders bigint NOT NULL,
    first_day date NOT NULL,
    first_gap integer,
    gaps integer NOT NULL,
    median_gap numeric,
    expected numeric,
    lifetime numeric,
    family text,
    usual text,
    twice_gaps bigint GENERATED ALWAYS AS (((((2 * gaps))::numeric * COALESCE(median_gap, (0)::numeric)))::bigint) STORED NOT NULL
)
WITH (autovacuum_vacuum_scale_factor='0.02', autovacuum_vacuum_insert_scale_factor='0.02');

ALTER TABLE ONLY workspace.sales_customers FORCE ROW LEVEL SECURITY;

CREATE TABLE workspace.sales_days (
    tenant_id uuid NOT NULL,
    workspace_id uuid NOT NULL,
    product_id text NOT NULL COLLATE pg_catalog."C",
    day date NOT NULL,
    lines bigint NOT NULL,
    units numeric NOT NULL,
    returned numeric NOT NULL,
    net numeric NOT NULL
);

ALTER TABLE ONLY workspace.sales_days FORCE ROW LEVEL SECURITY;

CREATE TABLE workspace.sales_lines (
    tenant_id uuid NOT NULL,
    workspace_id uuid NOT NULL,
    line_id text NOT NULL COLLATE pg_catalog."C",
    order_id text NOT NULL COLLATE pg_catalog."C",
    product_id text NOT NULL COLLATE pg_catalog."C",
    customer_id text COLLATE pg_catalog."C",
    day date NOT NULL,
    week date NOT NULL,
    counts boolean NOT NULL,
    units numeric NOT NULL,
    returned numeric NOT NULL,
    gross numeric,
    discount numeric,
    net numeric,
    variant_external_id text COLLATE pg_catalog."C",
    sku text COLLATE pg_catalog."C",
    left_out text COLLATE pg_catalog."C",
    CONSTRAINT sales_lines_left_out_check CHECK ((left_out = ANY (ARRAY['day'::text, 'quantity'::text, 'amount'::text])))
);

ALTER TABLE ONLY workspace.sales_lines FORCE ROW LEVEL SECURITY;

CREATE TABLE workspace.sales_orders (
    tenant_id uuid NOT NULL,
    workspace_id uuid NOT NULL,
    order_id text NOT NULL COLLATE pg_catalog."C",
    customer_id text COLLATE pg_catalog."C",
    day date NOT NULL,
    week date NOT NULL,
    net numeric
);

ALTER TABLE ONLY workspace.sales_orders FORCE ROW LEVEL SECURITY;

CREATE TABLE workspace.sales_series (
    tenant_id uuid NOT NULL,
    workspace_id uuid NOT NULL,
    product_id text NOT NULL COLLATE pg_catalog."C",
    external_id text COLLATE pg_catalog."C",
    sku text COLLATE pg_catalog."C",
    archived boolean DEFAULT false NOT NULL,
    stock_version bigint DEFAULT 0 NOT NULL,
    first_sale date,
    last_sale date,
    first_week date,
    units numeric[] DEFAULT '{}'::numeric[] NOT NULL,
    empty_days integer[] DEFAULT '{}'::integer[] NOT NULL,
    counted_from date,
    ends_empty boolean DEFAULT false NOT NULL,
    ends_on date,
    family text
);

ALTER TABLE ONLY workspace.sales_series FORCE ROW LEVEL SECURITY;

CREATE TABLE workspace.sales_settings (
    tenant_id uuid NOT NULL,
    workspace_id uuid NOT NULL,
    time_zone text NOT NULL,
    week_start smallint NOT NULL,
    base_currency text NOT NULL,
    rebuild_began_at timestamp with time zone NOT NULL,
    rebuilding text,
    rebuilt_to text DEFAULT ''::text NOT NULL COLLATE pg_catalog."C"
);

ALTER TABLE ONLY workspace.sales_settings FORCE ROW LEVEL SECURITY;

CREATE TABLE workspace.sales_weeks (
    tenant_id uuid NOT NULL,
    workspace_id uuid NOT NULL,
    product_id text NOT NULL COLLATE pg_catalog."C",
    week date NOT NULL,
    lines bigint NOT NULL,
    orders bigint NOT NULL,
    customers bigint NOT NULL,
    units numeric NOT NULL,
    returned numeric NOT NULL,
    gross numeric NOT NULL,
    discount numeric NOT NULL,
    net numeric NOT NULL,
    unconverted bigint NOT NULL
)
WITH (autovacuum_vacuum_scale_factor='0.02', autovacuum_vacuum_insert_scale_factor='0.02');

ALTER TABLE ONLY workspace.sales_weeks FORCE ROW LEVEL SECURITY;

CREATE TABLE workspace.saved_views (
    tenant_id uuid NOT NULL,
    id uuid NOT NULL,
    workspace_id uuid NOT NULL,
    slug text NOT NULL COLLATE pg_catalog."C",
    name text NOT NULL,
    definition jsonb NOT NULL,
    owner_id uuid NOT NULL,
    shared boolean DEFAULT false NOT NULL,
    version bigint DEFAULT 1 NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    list boolean DEFAULT false NOT NULL,
    CONSTRAINT saved_views_definition_check CHECK ((jsonb_typeof(definition) = 'object'::text)),
    CONSTRAINT saved_views_name_check CHECK (((btrim(name) <> ''::text) AND (length(name) <= 100)))
);

ALTER TABLE ONLY workspace.saved_views FORCE ROW LEVEL SECURITY;

CREATE TABLE workspace.search_tokens (
    tenant_id uuid NOT NULL,
    workspace_id uuid NOT NULL,
    kind smallint NOT NULL,
    token text NOT NULL COLLATE pg_catalog."C",
    record_id text NOT NULL COLLATE pg_catalog."C"
);

ALTER TABLE ONLY workspace.search_tokens FORCE ROW LEVEL SECURITY;

CREATE TABLE workspace.secrets (
    tenant_id uuid NOT NULL,
    owner_id uuid NOT NULL,
    purpose text NOT NULL COLLATE pg_catalog."C",
    key_id text NOT NULL COLLATE pg_catalog."C",
    sealed bytea NOT NULL,
    ending text NOT NULL,
    set_at timestamp with time zone DEFAULT now() NOT NULL
);

ALTER TABLE ONLY workspace.secrets FORCE ROW LEVEL SECURITY;

CREATE TABLE workspace.source_figures (
    tenant_id uuid NOT NULL,
    workspace_id uuid NOT NULL,
    slug text NOT NULL COLLATE pg_catalog."C",
    rows bigint DEFAULT 0 NOT NULL,
    last_record_at timestamp with time zone,
    open_failures bigint DEFAULT 0 NOT NULL,
    pending bigint DEFAULT 0 NOT NULL,
    touched_at timestamp with time zone DEFAULT now() NOT NULL,
    counted_at timestamp with time zone DEFAULT '-infinity'::timestamp with time zone NOT NULL,
    rows_counted_at timestamp with time zone DEFAULT '-infinity'::timestamp with time zone NOT NULL,
    last_seen_at timestamp with time zone
);

ALTER TABLE ONLY workspace.source_figures FORCE ROW LEVEL SECURITY;

CREATE TABLE workspace.source_hours (
    tenant_id uuid NOT NULL,
    workspace_id uuid NOT NULL,
    slug text NOT NULL COLLATE pg_catalog."C",
    hour timestamp with time zone NOT NULL,
    accepted bigint NOT NULL,
    failed bigint NOT NULL,
    stale bigint DEFAULT 0 NOT NULL,
    warned jsonb DEFAULT '{}'::jsonb NOT NULL,
    CONSTRAINT source_hours_warned_check CHECK ((jsonb_typeof(warned) = 'object'::text))
);

ALTER TABLE ONLY workspace.source_hours FORCE ROW LEVEL SECURITY;

CREATE TABLE workspace.source_minutes (
    tenant_id uuid NOT NULL,
    workspace_id uuid NOT NULL,
    slug text NOT NULL COLLATE pg_catalog."C",
    place bigint NOT NULL,
    minute timestamp with time zone NOT NULL,
    accepted bigint NOT NULL,
    failed bigint NOT NULL,
    CONSTRAINT source_minutes_place_check CHECK (((place >= 0) AND (place <= 15)))
);

ALTER TABLE ONLY workspace.source_minutes FORCE ROW LEVEL SECURITY;

CREATE TABLE workspace.source_rhythms (
    tenant_id uuid NOT NULL,
    workspace_id uuid NOT NULL,
    slug text NOT NULL COLLATE pg_catalog."C",
    visit_at timestamp with time zone NOT NULL,
    visits bigint DEFAULT 1 NOT NULL,
    gaps bigint[] DEFAULT '{}'::bigint[] NOT NULL,
    usual_gap bigint DEFAULT 0 NOT NULL,
    silent_after timestamp with time zone
);

ALTER TABLE ONLY workspace.source_rhythms FORCE ROW LEVEL SECURITY;

CREATE TABLE workspace.stock_days (
    tenant_id uuid NOT NULL,
    workspace_id uuid NOT NULL,
    product_id text NOT NULL COLLATE pg_catalog."C",
    day date NOT NULL,
    available boolean NOT NULL,
    closing numeric,
    closed_at timestamp with time zone NOT NULL,
    version bigint NOT NULL
);

ALTER TABLE ONLY workspace.stock_days FORCE ROW LEVEL SECURITY;

CREATE TABLE workspace.stock_history (
    tenant_id uuid NOT NULL,
    product_id text NOT NULL COLLATE pg_catalog."C",
    version bigint NOT NULL,
    workspace_id uuid NOT NULL,
    observed_at timestamp with time zone NOT NULL,
    stock_on_hand numeric,
    stock_available numeric,
    reported_at timestamp with time zone
);

ALTER TABLE ONLY workspace.stock_history FORCE ROW LEVEL SECURITY;

CREATE TABLE workspace.suggestions (
    tenant_id uuid NOT NULL,
    recommendation_key text NOT NULL COLLATE pg_catalog."C",
    first_on date NOT NULL,
    workspace_id uuid NOT NULL,
    product_id text NOT NULL COLLATE pg_catalog."C",
    supplier_id text COLLATE pg_catalog."C",
    urgency text NOT NULL COLLATE pg_catalog."C",
    suggested_quantity double precision NOT NULL,
    safety_stock double precision NOT NULL,
    unit_price numeric,
    currency text,
    lead_time_days integer NOT NULL,
    projected_stockout_date date,
    until date NOT NULL,
    last_on date NOT NULL,
    decision text DEFAULT 'undecided'::text NOT NULL COLLATE pg_catalog."C",
    decided_on date,
    decided_by jsonb,
    line_id text COLLATE pg_catalog."C",
    line_price numeric,
    line_currency text,
    ordered_quantity double precision,
    known boolean,
    prevented_on date,
    empty_from date,
    empty_too_late integer DEFAULT 0 NOT NULL,
    empty_waiting integer DEFAULT 0 NOT NULL,
    empty_supplier integer DEFAULT 0 NOT NULL,
    empty_too_few integer DEFAULT 0 NOT NULL,
    overbuy_quantity double precision,
    overbuy_beyond double precision,
    judged_on date NOT NULL,
    closed boolean DEFAULT false NOT NULL,
    CONSTRAINT suggestions_decision_check CHECK ((decision = ANY (ARRAY['as_suggested'::text, 'less'::text, 'more'::text, 'turned_down'::text, 'put_off'::text, 'undecided'::text, 'taken_back'::text])))
);

ALTER TABLE ONLY workspace.suggestions FORCE ROW LEVEL SECURITY;

CREATE TABLE workspace.suppressions (
    tenant_id uuid NOT NULL,
    id uuid NOT NULL,
    workspace_id uuid NOT NULL,
    product_id text NOT NULL COLLATE pg_catalog."C",
    recommendation_key text NOT NULL COLLATE pg_catalog."C",
    kind text NOT NULL COLLATE pg_catalog."C",
    since date NOT NULL,
    until date,
    raw_quantity double precision NOT NULL,
    critical boolean NOT NULL,
    line_id text COLLATE pg_catalog."C",
    reason text NOT NULL,
    actor jsonb NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    lifted_at timestamp with time zone,
    lifted_by jsonb,
    CONSTRAINT suppressions_kind_check CHECK ((kind = ANY (ARRAY['dismissed'::text, 'snoozed'::text, 'rejected'::text, 'short'::text])))
);

ALTER TABLE ONLY workspace.suppressions FORCE ROW LEVEL SECURITY;

CREATE TABLE workspace.tokens (
    tenant_id uuid NOT NULL,
    id uuid NOT NULL,
    workspace_id uuid NOT NULL,
    token_hash bytea NOT NULL,
    prefix text NOT NULL,
    label text NOT NULL,
    user_id uuid,
    agent_id uuid,
    scopes text[] NOT NULL,
    created_by jsonb NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    expires_at timestamp with time zone,
    revoked_at timestamp with time zone,
    last_used_at timestamp with time zone,
    CONSTRAINT tokens_check CHECK (((user_id IS NULL) <> (agent_id IS NULL))),
    CONSTRAINT tokens_label_check CHECK (((btrim(label) <> ''::text) AND (length(label) <= 200))),
    CONSTRAINT tokens_scopes_check CHECK (((cardinality(scopes) > 0) AND (scopes <@ ARRAY['read'::text, 'write'::text, 'failed_imports'::text, 'admin'::text]))),
    CONSTRAINT tokens_token_hash_check CHECK ((octet_length(token_hash) = 32))
);

ALTER TABLE ONLY workspace.tokens FORCE ROW LEVEL SECURITY;

CREATE TABLE workspace.uncomputed_articles (
    tenant_id uuid NOT NULL,
    workspace_id uuid NOT NULL,
    product_id text NOT NULL COLLATE pg_catalog."C",
    part text NOT NULL COLLATE pg_catalog."C",
    reason text NOT NULL,
    since timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT uncomputed_articles_part_check CHECK ((part = ANY (ARRAY['demand'::text, 'queue'::text])))
);

ALTER TABLE ONLY workspace.uncomputed_articles FORCE ROW LEVEL SECURITY;

CREATE TABLE workspace.unknown_fields (
    tenant_id uuid NOT NULL,
    workspace_id uuid NOT NULL,
    slug text NOT NULL COLLATE pg_catalog."C",
    name text NOT NULL COLLATE pg_catalog."C",
    records bigint NOT NULL,
    texts bigint DEFAULT 0 NOT NULL,
    numbers bigint DEFAULT 0 NOT NULL,
    booleans bigint DEFAULT 0 NOT NULL,
    dates bigint DEFAULT 0 NOT NULL,
    datetimes bigint DEFAULT 0 NOT NULL,
    uuids bigint DEFAULT 0 NOT NULL,
    nested bigint DEFAULT 0 NOT NULL,
    empty bigint DEFAULT 0 NOT NULL,
    samples text[] DEFAULT '{}'::text[] NOT NULL,
    first_seen_at timestamp with time zone NOT NULL,
    last_seen_at timestamp with time zone NOT NULL,
    ignored boolean DEFAULT false NOT NULL,
    made_column text COLLATE pg_catalog."C",
    made_at timestamp with time zone,
    CONSTRAINT unknown_fields_check CHECK (((made_column IS NULL) = (made_at IS NULL))),
    CONSTRAINT unknown_fields_name_check CHECK ((char_length(name) <= 100)),
    CONSTRAINT unknown_fields_samples_check CHECK ((cardinality(samples) <= 5))
);

ALTER TABLE ONLY workspace.unknown_fields FORCE ROW LEVEL SECURITY;

CREATE TABLE workspace.unknown_keeping (
    tenant_id uuid NOT NULL,
    workspace_id uuid NOT NULL,
    slug text NOT NULL COLLATE pg_catalog."C",
    since timestamp with time zone DEFAULT now() NOT NULL
);

ALTER TABLE ONLY workspace.unknown_keeping FORCE ROW LEVEL SECURITY;

CREATE TABLE workspace.unknown_values (
    tenant_id uuid NOT NULL,
    workspace_id uuid NOT NULL,
    slug text NOT NULL COLLATE pg_catalog."C",
    name text NOT NULL COLLATE pg_catalog."C",
    record_key text NOT NULL COLLATE pg_catalog."C",
    value jsonb NOT NULL,
    seen_at timestamp with time zone NOT NULL,
    tried_by uuid
);

ALTER TABLE ONLY workspace.unknown_values FORCE ROW LEVEL SECURITY;

ALTER TABLE ONLY control.browsers
    ADD CONSTRAINT browsers_pkey PRIMARY KEY (token_hash);

ALTER TABLE ONLY control.cells
    ADD CONSTRAINT cells_pkey PRIMARY KEY (name);

ALTER TABLE ONLY control.event_days_dropped
    ADD CONSTRAINT event_days_dropped_pkey PRIMARY KEY (day, dropped_at);

ALTER TABLE ONLY control.event_retention
    ADD CONSTRAINT event_retention_pkey PRIMARY KEY (only_one);

ALTER TABLE ONLY control.full_passes
    ADD CONSTRAINT full_passes_pkey PRIMARY KEY (name);

ALTER TABLE ONLY control.invitations
    ADD CONSTRAINT invitations_pkey PRIMARY KEY (tenant_id, id);

ALTER TABLE ONLY control.key_directory
    ADD CONSTRAINT key_directory_key_id_key UNIQUE (key_id);

ALTER TABLE ONLY control.key_directory
    ADD CONSTRAINT key_directory_pkey PRIMARY KEY (key_hash);

ALTER TABLE ONLY control.memberships
    ADD CONSTRAINT memberships_pkey PRIMARY KEY (tenant_id, user_id);

ALTER TABLE ONLY control.origin
    ADD CONSTRAINT origin_pkey PRIMARY KEY (one);

ALTER TABLE ONLY control.password_resets
    ADD CONSTRAINT password_resets_pkey PRIMARY KEY (id);

ALTER TABLE ONLY control.passwords
    ADD CONSTRAINT passwords_pkey PRIMARY KEY (user_id);

ALTER TABLE ONLY control.readers
    ADD CONSTRAINT readers_pkey PRIMARY KEY (name);

ALTER TABLE ONLY control.retention
    ADD CONSTRAINT retention_pkey PRIMARY KEY (name);

ALTER TABLE ONLY control.sessions
    ADD CONSTRAINT sessions_pkey PRIMARY KEY (id);

ALTER TABLE ONLY control.tenants
    ADD CONSTRAINT tenants_pkey PRIMARY KEY (id);

ALTER TABLE ONLY control.throttles
    ADD CONSTRAINT throttles_pkey PRIMARY KEY (subject);

ALTER TABLE ONLY control.users
    ADD CONSTRAINT users_email_key UNIQUE (email);

ALTER TABLE ONLY control.users
    ADD CONSTRAINT users_pkey PRIMARY KEY (id);

ALTER TABLE ONLY control.workspaces
    ADD CONSTRAINT workspaces_pkey PRIMARY KEY (tenant_id, id);

ALTER TABLE ONLY workspace.agent_decisions
    ADD CONSTRAINT agent_decisions_pkey PRIMARY KEY (tenant_id, run_id, n);

ALTER TABLE ONLY workspace.agent_runs
    ADD CONSTRAINT agent_runs_pkey PRIMARY KEY (tenant_id, id);

ALTER TABLE ONLY workspace.alert_reads
    ADD CONSTRAINT alert_reads_pkey PRIMARY KEY (tenant_id, alert_id, user_id);

ALTER TABLE ONLY workspace.alerts
    ADD CONSTRAINT alerts_pkey PRIMARY KEY (tenant_id, id);

ALTER TABLE ONLY workspace.api_keys
    ADD CONSTRAINT api_keys_pkey PRIMARY KEY (tenant_id, id);

ALTER TABLE ONLY workspace.approval_limits
    ADD CONSTRAINT approval_limits_pkey PRIMARY KEY (tenant_id, workspace_id, user_id);

ALTER TABLE ONLY workspace.article_aliases
    ADD CONSTRAINT article_aliases_pkey PRIMARY KEY (tenant_id, name);

ALTER TABLE ONLY workspace.audit
    ADD CONSTRAINT audit_pkey PRIMARY KEY (tenant_id, id);

ALTER TABLE ONLY workspace.audit_seals
    ADD CONSTRAINT audit_seals_pkey PRIMARY KEY (tenant_id, number);

ALTER TABLE ONLY workspace.audit_unsealed
    ADD CONSTRAINT audit_unsealed_pkey PRIMARY KEY (tenant_id, id);

ALTER TABLE ONLY workspace.backfills
    ADD CONSTRAINT backfills_pkey PRIMARY KEY (tenant_id, id);

ALTER TABLE ONLY workspace.bulk_retries
    ADD CONSTRAINT bulk_retries_pkey PRIMARY KEY (tenant_id, id);

ALTER TABLE ONLY workspace.connection_pace
    ADD CONSTRAINT connection_pace_pkey PRIMARY KEY (tenant_id, connection_id);

ALTER TABLE workspace.connections
    ADD CONSTRAINT connections_calls_per_minute_check CHECK (((calls_per_minute >= 1) AND (calls_per_minute <= 6000))) NOT VALID;

ALTER TABLE ONLY workspace.connections
    ADD CONSTRAINT connections_pkey PRIMARY KEY (tenant_id, id);

ALTER TABLE ONLY workspace.conversions
    ADD CONSTRAINT conversions_pkey PRIMARY KEY (tenant_id, id);

ALTER TABLE ONLY workspace.customers
    ADD CONSTRAINT customers_pkey PRIMARY KEY (tenant_id, id);

ALTER TABLE ONLY workspace.events
    ADD CONSTRAINT events_pkey PRIMARY KEY (tenant_id, subject, id, created_at);

ALTER TABLE ONLY workspace.exchange_attempts
    ADD CONSTRAINT exchange_attempts_pkey PRIMARY KEY (tenant_id, id);

ALTER TABLE ONLY workspace.exchange_conflicts
    ADD CONSTRAINT exchange_conflicts_pkey PRIMARY KEY (tenant_id, id);

ALTER TABLE ONLY workspace.exchange_cursors
    ADD CONSTRAINT exchange_cursors_pkey PRIMARY KEY (tenant_id, connection_id);

ALTER TABLE ONLY workspace.exchange_ids
    ADD CONSTRAINT exchange_ids_pkey PRIMARY KEY (tenant_id, connection_id, kind, ours);

ALTER TABLE ONLY workspace.exchange_lines
    ADD CONSTRAINT exchange_lines_pkey PRIMARY KEY (tenant_id, connection_id, order_no, line_id);

ALTER TABLE ONLY workspace.exchange_listed
    ADD CONSTRAINT exchange_listed_pkey PRIMARY KEY (tenant_id, connection_id, external_id);

ALTER TABLE ONLY workspace.exchange_orders
    ADD CONSTRAINT exchange_orders_pkey PRIMARY KEY (tenant_id, connection_id, order_no);

ALTER TABLE ONLY workspace.failed_import_attempts
    ADD CONSTRAINT failed_import_attempts_pkey PRIMARY KEY (tenant_id, failed_id, id);

ALTER TABLE ONLY workspace.failed_imports
    ADD CONSTRAINT failed_imports_pkey PRIMARY KEY (tenant_id, id);

ALTER TABLE ONLY workspace.forecast_classes
    ADD CONSTRAINT forecast_classes_pkey PRIMARY KEY (tenant_id, workspace_id, class);

ALTER TABLE ONLY workspace.forecast_families
    ADD CONSTRAINT forecast_families_pkey PRIMARY KEY (tenant_id, workspace_id, family);

ALTER TABLE ONLY workspace.forecast_log
    ADD CONSTRAINT forecast_log_pkey PRIMARY KEY (tenant_id, workspace_id, product_id, origin);

ALTER TABLE ONLY workspace.forecast_marks
    ADD CONSTRAINT forecast_marks_pkey PRIMARY KEY (tenant_id, workspace_id, product_id);

ALTER TABLE ONLY workspace.forecast_state
    ADD CONSTRAINT forecast_state_pkey PRIMARY KEY (tenant_id, workspace_id);

ALTER TABLE ONLY workspace.forecasts
    ADD CONSTRAINT forecasts_pkey PRIMARY KEY (tenant_id, workspace_id, product_id);

ALTER TABLE ONLY workspace.import_chunks
    ADD CONSTRAINT import_chunks_pkey PRIMARY KEY (tenant_id, import_id, n);

ALTER TABLE ONLY workspace.import_rejects
    ADD CONSTRAINT import_rejects_pkey PRIMARY KEY (tenant_id, import_id, record);

ALTER TABLE ONLY workspace.imports
    ADD CONSTRAINT imports_pkey PRIMARY KEY (tenant_id, id);

ALTER TABLE ONLY workspace.inbox_mails
    ADD CONSTRAINT inbox_mails_pkey PRIMARY KEY (tenant_id, workspace_id);

ALTER TABLE ONLY workspace.inbox_seen
    ADD CONSTRAINT inbox_seen_pkey PRIMARY KEY (tenant_id, workspace_id, user_id, subject, kind);

ALTER TABLE ONLY workspace.inbox_unsent
    ADD CONSTRAINT inbox_unsent_pkey PRIMARY KEY (tenant_id, workspace_id, user_id, since);

ALTER TABLE ONLY workspace.index_entries
    ADD CONSTRAINT index_entries_pkey PRIMARY KEY (tenant_id, index_id, key, words, id);

ALTER TABLE ONLY workspace.indexed_fields
    ADD CONSTRAINT indexed_fields_pkey PRIMARY KEY (tenant_id, id);

ALTER TABLE ONLY workspace.ingest_rule_versions
    ADD CONSTRAINT ingest_rule_versions_pkey PRIMARY KEY (tenant_id, rule_id, version);

ALTER TABLE ONLY workspace.ingest_rules
    ADD CONSTRAINT ingest_rules_pkey PRIMARY KEY (tenant_id, id);

ALTER TABLE ONLY workspace.key_figures
    ADD CONSTRAINT key_figures_pkey PRIMARY KEY (tenant_id, key_id);

ALTER TABLE ONLY workspace.key_hours
    ADD CONSTRAINT key_hours_pkey PRIMARY KEY (tenant_id, key_id, hour);

ALTER TABLE ONLY workspace.line_approvals
    ADD CONSTRAINT line_approvals_pkey PRIMARY KEY (tenant_id, line_id);

ALTER TABLE ONLY workspace.line_flags
    ADD CONSTRAINT line_flags_pkey PRIMARY KEY (tenant_id, id);

ALTER TABLE ONLY workspace.line_suggestions
    ADD CONSTRAINT line_suggestions_pkey PRIMARY KEY (tenant_id, line_id);

ALTER TABLE ONLY workspace.mailed_addresses
    ADD CONSTRAINT mailed_addresses_pkey PRIMARY KEY (tenant_id, address);

ALTER TABLE ONLY workspace.meeting_notes
    ADD CONSTRAINT meeting_notes_pkey PRIMARY KEY (tenant_id, id);

ALTER TABLE ONLY workspace.order_entries
    ADD CONSTRAINT order_entries_pkey PRIMARY KEY (tenant_id, id);

ALTER TABLE ONLY workspace.order_line_items
    ADD CONSTRAINT order_line_items_pkey PRIMARY KEY (tenant_id, id);

ALTER TABLE ONLY workspace.order_mails
    ADD CONSTRAINT order_mails_pkey PRIMARY KEY (tenant_id, id);

ALTER TABLE ONLY workspace.order_receivers
    ADD CONSTRAINT order_receivers_pkey PRIMARY KEY (tenant_id, workspace_id, supplier, address);

ALTER TABLE ONLY workspace.orders
    ADD CONSTRAINT orders_pkey PRIMARY KEY (tenant_id, id);

ALTER TABLE ONLY workspace.playbook_state
    ADD CONSTRAINT playbook_state_pkey PRIMARY KEY (tenant_id, workspace_id);

ALTER TABLE ONLY workspace.playbook_versions
    ADD CONSTRAINT playbook_versions_pkey PRIMARY KEY (tenant_id, workspace_id, kind, document_id, version);

ALTER TABLE workspace.products
    ADD CONSTRAINT products_identity_required CHECK (((external_id IS NOT NULL) OR (sku IS NOT NULL) OR (merged_into IS NOT NULL))) NOT VALID;

ALTER TABLE ONLY workspace.products
    ADD CONSTRAINT products_pkey PRIMARY KEY (tenant_id, id);

ALTER TABLE ONLY workspace.purchase_order_lines
    ADD CONSTRAINT purchase_order_lines_pkey PRIMARY KEY (tenant_id, id);

ALTER TABLE ONLY workspace.purchase_order_sums
    ADD CONSTRAINT purchase_order_sums_pkey PRIMARY KEY (tenant_id, workspace_id, order_no, supplier_id, supplier_name, currency);

ALTER TABLE ONLY workspace.purchase_orders
    ADD CONSTRAINT purchase_orders_pkey PRIMARY KEY (tenant_id, workspace_id, order_no);

ALTER TABLE ONLY workspace.queue_marks
    ADD CONSTRAINT queue_marks_pkey PRIMARY KEY (tenant_id, workspace_id, product_id);

ALTER TABLE ONLY workspace.queue_rows
    ADD CONSTRAINT queue_rows_pkey PRIMARY KEY (tenant_id, workspace_id, product_id);

ALTER TABLE ONLY workspace.queue_state
    ADD CONSTRAINT queue_state_pkey PRIMARY KEY (tenant_id, workspace_id);

ALTER TABLE ONLY workspace.receipts
    ADD CONSTRAINT receipts_pkey PRIMARY KEY (tenant_id, id);

ALTER TABLE ONLY workspace.record_sequences
    ADD CONSTRAINT record_sequences_pkey PRIMARY KEY (tenant_id, record_id);

ALTER TABLE ONLY workspace.records
    ADD CONSTRAINT records_pkey PRIMARY KEY (tenant_id, id);

ALTER TABLE ONLY workspace.registry_columns
    ADD CONSTRAINT registry_columns_pkey PRIMARY KEY (tenant_id, slug, name);

ALTER TABLE ONLY workspace.registry_snapshots
    ADD CONSTRAINT registry_snapshots_pkey PRIMARY KEY (tenant_id, slug);

ALTER TABLE ONLY workspace.registry_tables
    ADD CONSTRAINT registry_tables_pkey PRIMARY KEY (tenant_id, slug);

ALTER TABLE ONLY workspace.sales_changed
    ADD CONSTRAINT sales_changed_pkey PRIMARY KEY (tenant_id, workspace_id, slug, record_id);

ALTER TABLE ONLY workspace.sales_customers
    ADD CONSTRAINT sales_customers_pkey PRIMARY KEY (tenant_id, workspace_id, customer_id, day);

ALTER TABLE ONLY workspace.sales_days
    ADD CONSTRAINT sales_days_pkey PRIMARY KEY (tenant_id, workspace_id, product_id, day);

ALTER TABLE ONLY workspace.sales_lines
    ADD CONSTRAINT sales_lines_pkey PRIMARY KEY (tenant_id, line_id);

ALTER TABLE ONLY workspace.sales_orders
    ADD CONSTRAINT sales_orders_pkey PRIMARY KEY (tenant_id, order_id);

ALTER TABLE ONLY workspace.sales_series
    ADD CONSTRAINT sales_series_pkey PRIMARY KEY (tenant_id, workspace_id, product_id);

ALTER TABLE ONLY workspace.sales_settings
    ADD CONSTRAINT sales_settings_pkey PRIMARY KEY (tenant_id, workspace_id);

ALTER TABLE ONLY workspace.sales_weeks
    ADD CONSTRAINT sales_weeks_pkey PRIMARY KEY (tenant_id, workspace_id, product_id, week);

ALTER TABLE ONLY workspace.saved_views
    ADD CONSTRAINT saved_views_pkey PRIMARY KEY (tenant_id, id);

ALTER TABLE ONLY workspace.search_tokens
    ADD CONSTRAINT search_tokens_pkey PRIMARY KEY (tenant_id, workspace_id, kind, token, record_id);

ALTER TABLE ONLY workspace.secrets
    ADD CONSTRAINT secrets_pkey PRIMARY KEY (tenant_id, owner_id, purpose);

ALTER TABLE ONLY workspace.source_figures
    ADD CONSTRAINT source_figures_pkey PRIMARY KEY (tenant_id, workspace_id, slug);

ALTER TABLE ONLY workspace.source_hours
    ADD CONSTRAINT source_hours_pkey PRIMARY KEY (tenant_id, workspace_id, slug, hour);

ALTER TABLE ONLY workspace.source_minutes
    ADD CONSTRAINT source_minutes_pkey PRIMARY KEY (tenant_id, workspace_id, slug, place);

ALTER TABLE ONLY workspace.source_rhythms
    ADD CONSTRAINT source_rhythms_pkey PRIMARY KEY (tenant_id, workspace_id, slug);

ALTER TABLE ONLY workspace.stock_days
    ADD CONSTRAINT stock_days_pkey PRIMARY KEY (tenant_id, workspace_id, product_id, day);

ALTER TABLE ONLY workspace.stock_history
    ADD CONSTRAINT stock_history_pkey PRIMARY KEY (tenant_id, product_id, version);

ALTER TABLE ONLY workspace.suggestions
    ADD CONSTRAINT suggestions_pkey PRIMARY KEY (tenant_id, recommendation_key, first_on);

ALTER TABLE ONLY workspace.suppliers
    ADD CONSTRAINT suppliers_pkey PRIMARY KEY (tenant_id, id);

ALTER TABLE ONLY workspace.suppressions
    ADD CONSTRAINT suppressions_pkey PRIMARY KEY (tenant_id, id);

ALTER TABLE ONLY workspace.tokens
    ADD CONSTRAINT tokens_pkey PRIMARY KEY (tenant_id, id);

ALTER TABLE ONLY workspace.uncomputed_articles
    ADD CONSTRAINT uncomputed_articles_pkey PRIMARY KEY (tenant_id, workspace_id, product_id, part);

ALTER TABLE ONLY workspace.unknown_fields
    ADD CONSTRAINT unknown_fields_pkey PRIMARY KEY (tenant_id, workspace_id, slug, name);

ALTER TABLE ONLY workspace.unknown_keeping
    ADD CONSTRAINT unknown_keeping_pkey PRIMARY KEY (tenant_id, workspace_id, slug);

ALTER TABLE ONLY workspace.unknown_values
    ADD CONSTRAINT unknown_values_pkey PRIMARY KEY (tenant_id, workspace_id, slug, name, record_key);

CREATE INDEX browsers_expires ON control.browsers USING btree (expires_at);

CREATE INDEX browsers_of_person ON control.browsers USING btree (user_id);

CREATE UNIQUE INDEX invitations_email ON control.invitations USING btree (tenant_id, email);

CREATE INDEX invitations_expires ON control.invitations USING btree (expires_at);

CREATE INDEX invitations_token ON control.invitations USING btree (token_hash);

CREATE INDEX memberships_of_person ON control.memberships USING btree (user_id);

CREATE INDEX password_resets_expires ON control.password_resets USING btree (expires_at);

CREATE INDEX password_resets_of_person ON control.password_resets USING btree (user_id);

CREATE INDEX password_resets_token ON control.password_resets USING btree (token_hash);

CREATE INDEX sessions_expires ON control.sessions USING btree (expires_at);

CREATE INDEX sessions_of_person ON control.sessions USING btree (user_id);

CREATE INDEX sessions_token ON control.sessions USING btree (token_hash);

CREATE INDEX throttles_since ON control.throttles USING btree (since);

CREATE UNIQUE INDEX agent_runs_daily ON workspace.agent_runs USING btree (tenant_id, workspace_id, day) WHERE (day IS NOT NULL);

CREATE INDEX agent_runs_list ON workspace.agent_runs USING btree (tenant_id, workspace_id, id);

CREATE UNIQUE INDEX agent_runs_one ON workspace.agent_runs USING btree (tenant_id, workspace_id) WHERE (status = ANY (ARRAY['queued'::text, 'running'::text]));

CREATE INDEX alerts_mail_due ON workspace.alerts USING btree (mail_next_at) WHERE ((mail_next_at IS NOT NULL) AND (resolved_at IS NULL));

CREATE INDEX alerts_of_workspace ON workspace.alerts USING btree (tenant_id, workspace_id, id);

CREATE UNIQUE INDEX alerts_open ON workspace.alerts USING btree (tenant_id, workspace_id, rule, slug, code, field) WHERE (resolved_at IS NULL);

CREATE INDEX alerts_resolved ON workspace.alerts USING btree (resolved_at) WHERE (resolved_at IS NOT NULL);

CREATE UNIQUE INDEX api_keys_hash ON workspace.api_keys USING btree (tenant_id, key_hash);

CREATE INDEX article_aliases_product ON workspace.article_aliases USING btree (tenant_id, product_id);

CREATE INDEX audit_action ON workspace.audit USING btree (tenant_id, action, id);

CREATE INDEX audit_latest_sent_back ON workspace.audit USING btree (at) WHERE (action = 'purchase_order_line.sent_back'::text);

CREATE UNIQUE INDEX audit_seals_row ON workspace.audit_seals USING btree (tenant_id, row_id);

CREATE INDEX audit_subject ON workspace.audit USING btree (tenant_id, subject, id);

CREATE INDEX audit_tool_calls ON workspace.audit USING btree (at) WHERE (action = 'tool.called'::text);

CREATE INDEX audit_unsealed_oldest ON workspace.audit_unsealed USING btree (id);

CREATE INDEX backfills_finished ON workspace.backfills USING btree (finished_at) WHERE (finished_at IS NOT NULL);

CREATE UNIQUE INDEX backfills_open ON workspace.backfills USING btree (tenant_id, workspace_id, slug, column_name) WHERE (finished_at IS NULL);

CREATE INDEX bulk_retries_finished ON workspace.bulk_retries USING btree (finished_at) WHERE (finished_at IS NOT NULL);

CREATE UNIQUE INDEX connections_one ON workspace.connections USING btree (tenant_id, workspace_id, system) WHERE (deleted_at IS NULL);

CREATE UNIQUE INDEX conversions_open ON workspace.conversions USING btree (tenant_id, slug, name) WHERE (finished_at IS NULL);

CREATE UNIQUE INDEX customers_external_id ON workspace.customers USING btree (tenant_id, external_id);

CREATE INDEX events_xid ON ONLY workspace.events USING btree (xid, id) WHERE (xid IS NOT NULL);

CREATE INDEX exchange_attempts_order ON workspace.exchange_attempts USING btree (tenant_id, connection_id, order_no, id);

CREATE UNIQUE INDEX exchange_conflicts_open ON workspace.exchange_conflicts USING btree (tenant_id, connection_id, order_no, line_id, field) WHERE (closed_at IS NULL);

CREATE INDEX exchange_cursors_poll ON workspace.exchange_cursors USING btree (poll_at);

CREATE UNIQUE INDEX exchange_ids_theirs ON workspace.exchange_ids USING btree (tenant_id, connection_id, kind, theirs);

CREATE INDEX exchange_orders_due ON workspace.exchange_orders USING btree (tenant_id, connection_id, due_at) WHERE (state = 'waiting'::text);

CREATE UNIQUE INDEX exchange_orders_external ON workspace.exchange_orders USING btree (tenant_id, connection_id, external_id) WHERE (external_id IS NOT NULL);

CREATE INDEX exchange_orders_state ON workspace.exchange_orders USING btree (tenant_id, connection_id, state, order_no);

CREATE INDEX failed_import_attempts_bulk ON workspace.failed_import_attempts USING btree (tenant_id, bulk_id) WHERE (bulk_id IS NOT NULL);

CREATE INDEX failed_import_attempts_subject ON workspace.failed_import_attempts USING btree (tenant_id, subject) WHERE (subject IS NOT NULL);

CREATE INDEX failed_imports_closed ON workspace.failed_imports USING btree (closed_at) WHERE (closed_at IS NOT NULL);

CREATE INDEX failed_imports_last_seen ON workspace.failed_imports USING btree (tenant_id, last_seen_at);

CREATE UNIQUE INDEX failed_imports_open_payload ON workspace.failed_imports USING btree (tenant_id, workspace_id, slug, payload_hash) WHERE (status = 'open'::text);

CREATE INDEX failed_imports_open_record ON workspace.failed_imports USING btree (tenant_id, slug, record_key) WHERE (status = 'open'::text);

CREATE INDEX failed_imports_open_since ON workspace.failed_imports USING btree (last_seen_at) WHERE (status = 'open'::text);

CREATE INDEX imports_finished ON workspace.imports USING btree (finished_at) WHERE (finished_at IS NOT NULL);

CREATE INDEX imports_unfinished ON workspace.imports USING btree (tenant_id, workspace_id) WHERE (finished_at IS NULL);

CREATE INDEX imports_with_rejects ON workspace.imports USING btree (tenant_id, finished_at) WHERE ((refused > 0) AND (NOT rejects_dropped));

CREATE INDEX inbox_unsent_due ON workspace.inbox_unsent USING btree (next_at);

CREATE UNIQUE INDEX indexed_fields_field ON workspace.indexed_fields USING btree (tenant_id, workspace_id, slug, field);

CREATE INDEX indexed_fields_home ON workspace.indexed_fields USING btree (tenant_id, home);

CREATE INDEX ingest_rules_of_table ON workspace.ingest_rules USING btree (tenant_id, slug, workspace_id, "position");

CREATE INDEX key_hours_hour ON workspace.key_hours USING btree (hour);

CREATE INDEX line_flags_claimed ON workspace.line_flags USING btree (tenant_id, line_id) WHERE (claimed IS NOT NULL);

CREATE INDEX line_flags_unseen ON workspace.line_flags USING btree (tenant_id, line_id) WHERE (seen_at IS NULL);

CREATE INDEX mailed_addresses_since ON workspace.mailed_addresses USING btree (tenant_id, since);

CREATE INDEX meeting_notes_customer ON workspace.meeting_notes USING btree (tenant_id, workspace_id, customer_id, started_at) WHERE (customer_id IS NOT NULL);

CREATE UNIQUE INDEX meeting_notes_external_id ON workspace.meeting_notes USING btree (tenant_id, external_id);

CREATE INDEX meeting_notes_supplier ON workspace.meeting_notes USING btree (tenant_id, workspace_id, supplier_id, started_at) WHERE (supplier_id IS NOT NULL);

CREATE INDEX order_entries_latest_mentions ON workspace.order_entries USING btree (created_at) WHERE (mentions <> '{}'::uuid[]);

CREATE INDEX order_entries_mentions ON workspace.order_entries USING btree (tenant_id, workspace_id, created_at) WHERE (mentions <> '{}'::uuid[]);

CREATE INDEX order_entries_order ON workspace.order_entries USING btree (tenant_id, workspace_id, order_no, id);

CREATE UNIQUE INDEX order_line_items_external_id ON workspace.order_line_items USING btree (tenant_id, external_id);

CREATE INDEX order_line_items_pending_order ON workspace.order_line_items USING btree (tenant_id, order_external_id) WHERE (order_id IS NULL);

CREATE UNIQUE INDEX order_mails_key ON workspace.order_mails USING btree (tenant_id, key);

CREATE INDEX order_mails_order ON workspace.order_mails USING btree (tenant_id, workspace_id, order_no, id);

CREATE INDEX order_mails_supplier ON workspace.order_mails USING btree (tenant_id, workspace_id, supplier, id) WHERE (state <> 'failed'::text);

CREATE UNIQUE INDEX orders_external_id ON workspace.orders USING btree (tenant_id, external_id);

CREATE UNIQUE INDEX playbook_slug ON workspace.playbook_versions USING btree (tenant_id, workspace_id, slug) WHERE ((kind = 'sop'::text) AND (version = 1));

CREATE UNIQUE INDEX products_identity_key ON workspace.products USING btree (tenant_id, identity_key) WHERE (identity_key IS NOT NULL);

CREATE INDEX products_sku ON workspace.products USING btree (tenant_id, sku) WHERE (sku IS NOT NULL);

CREATE INDEX products_supplier ON workspace.products USING btree (tenant_id, supplier_id) WHERE (supplier_id IS NOT NULL);

CREATE INDEX purchase_order_lines_arrival ON workspace.purchase_order_lines USING btree (tenant_id, workspace_id, expected_arrival_date, order_no, id) WHERE (status = ANY (ARRAY['ordered'::text, 'partially_received'::text]));

CREATE INDEX purchase_order_lines_dated_otherwise ON workspace.purchase_order_lines USING btree (tenant_id, workspace_id, COALESCE(approved_at, created_at)) WHERE ((status = ANY (ARRAY['ordered'::text, 'partially_received'::text, 'received'::text])) AND ((ordered_at IS NULL) OR (ordered_at <> approved_at)));

CREATE INDEX purchase_order_lines_expected ON workspace.purchase_order_lines USING btree (tenant_id, workspace_id, order_no, expected_arrival_date) WHERE (status = ANY (ARRAY['ordered'::text, 'partially_received'::text]));

CREATE UNIQUE INDEX purchase_order_lines_external_id ON workspace.purchase_order_lines USING btree (tenant_id, external_id);

CREATE INDEX purchase_order_lines_newest_supplier ON workspace.purchase_order_lines USING btree (tenant_id, workspace_id, supplier_id, id) WHERE (supplier_id IS NOT NULL);

CREATE INDEX purchase_order_lines_open_product ON workspace.purchase_order_lines USING btree (tenant_id, workspace_id, product_id) WHERE ((product_id IS NOT NULL) AND (status <> ALL (ARRAY['received'::text, 'cancelled'::text])));

CREATE UNIQUE INDEX purchase_order_lines_open_recommendation ON workspace.purchase_order_lines USING btree (tenant_id, recommendation_key) WHERE ((recommendation_key IS NOT NULL) AND (status <> ALL (ARRAY['received'::text, 'cancelled'::text])));

CREATE INDEX purchase_order_lines_open_sku ON workspace.purchase_order_lines USING btree (tenant_id, workspace_id, sku) WHERE (status <> ALL (ARRAY['received'::text, 'cancelled'::text]));

CREATE INDEX purchase_order_lines_open_supplier ON workspace.purchase_order_lines USING btree (tenant_id, workspace_id, supplier_id, expected_arrival_date, id) WHERE ((supplier_id IS NOT NULL) AND (status <> ALL (ARRAY['received'::text, 'cancelled'::text])));

CREATE INDEX purchase_order_lines_order ON workspace.purchase_order_lines USING btree (tenant_id, workspace_id, order_no, id);

CREATE INDEX purchase_order_lines_ordered ON workspace.purchase_order_lines USING btree (tenant_id, workspace_id, ordered_at) WHERE (ordered_at IS NOT NULL);

CREATE INDEX purchase_order_lines_pending ON workspace.purchase_order_lines USING btree (tenant_id, workspace_id, order_no) WHERE (status = 'pending_approval'::text);

CREATE INDEX purchase_order_lines_product ON workspace.purchase_order_lines USING btree (tenant_id, workspace_id, product_id, id) WHERE (product_id IS NOT NULL);

CREATE INDEX purchase_order_lines_recommendation ON workspace.purchase_order_lines USING btree (tenant_id, recommendation_key) WHERE (recommendation_key IS NOT NULL);

CREATE INDEX purchase_order_lines_sku ON workspace.purchase_order_lines USING btree (tenant_id, workspace_id, sku, id) WHERE (product_id IS NULL);

CREATE INDEX purchase_order_lines_supplier ON workspace.purchase_order_lines USING btree (tenant_id, workspace_id, supplier_id, received_at) WHERE ((status = 'received'::text) AND (supplier_id IS NOT NULL));

CREATE INDEX purchase_order_lines_unresolved ON workspace.purchase_order_lines USING btree (tenant_id, sku) WHERE (product_name IS NULL);

CREATE INDEX purchase_orders_arrival ON workspace.purchase_orders USING btree (tenant_id, workspace_id, next_arrival, order_no) WHERE (lines > 0);

CREATE INDEX purchase_orders_cancelled ON workspace.purchase_orders USING btree (tenant_id, workspace_id, newest_id) WHERE (cancelled > 0);

CREATE INDEX purchase_orders_draft ON workspace.purchase_orders USING btree (tenant_id, workspace_id, newest_id) WHERE (draft > 0);

CREATE INDEX purchase_orders_newest ON workspace.purchase_orders USING btree (tenant_id, workspace_id, newest_id) WHERE (lines > 0);

CREATE INDEX purchase_orders_number ON workspace.purchase_orders USING btree (tenant_id, workspace_id, sort_no, order_no) WHERE (lines > 0);

CREATE INDEX purchase_orders_ordered ON workspace.purchase_orders USING btree (tenant_id, workspace_id, newest_id) WHERE (ordered > 0);

CREATE INDEX purchase_orders_partially ON workspace.purchase_orders USING btree (tenant_id, workspace_id, newest_id) WHERE (partially_received > 0);

CREATE INDEX purchase_orders_pending ON workspace.purchase_orders USING btree (tenant_id, workspace_id, newest_id) WHERE (pending_approval > 0);

CREATE INDEX purchase_orders_received ON workspace.purchase_orders USING btree (tenant_id, workspace_id, newest_id) WHERE (received > 0);

CREATE INDEX purchase_orders_short ON workspace.purchase_orders USING btree (tenant_id, workspace_id, newest_id) WHERE (closed_short > 0);

CREATE INDEX purchase_orders_supplier ON workspace.purchase_orders USING btree (tenant_id, workspace_id, supplier, order_no) WHERE (lines > 0);

CREATE INDEX queue_rows_key ON workspace.queue_rows USING btree (tenant_id, recommendation_key);

CREATE INDEX queue_rows_supplier ON workspace.queue_rows USING btree (tenant_id, workspace_id, supplier_id, rank, margin_at_risk DESC, product_id) WHERE (action <> 'none'::text);

CREATE INDEX queue_rows_work ON workspace.queue_rows USING btree (tenant_id, workspace_id, rank, margin_at_risk DESC, product_id) WHERE (action <> 'none'::text);

CREATE INDEX receipts_line ON workspace.receipts USING btree (tenant_id, line_id, id);

CREATE UNIQUE INDEX records_external_id ON workspace.records USING btree (tenant_id, slug, external_id);

CREATE INDEX records_in_order ON workspace.records USING btree (tenant_id, workspace_id, slug, id);

CREATE INDEX sales_changed_oldest ON workspace.sales_changed USING btree (tenant_id, workspace_id, changed_at);

CREATE INDEX sales_customers_until ON workspace.sales_customers USING btree (tenant_id, workspace_id, until, day) INCLUDE (family, first_gap);

CREATE INDEX sales_lines_left_out ON workspace.sales_lines USING btree (tenant_id, workspace_id, product_id) WHERE (left_out IS NOT NULL);

CREATE INDEX sales_lines_left_out_customer ON workspace.sales_lines USING btree (tenant_id, workspace_id, customer_id) WHERE (left_out IS NOT NULL);

CREATE INDEX sales_lines_left_out_day ON workspace.sales_lines USING btree (tenant_id, workspace_id, day) WHERE (left_out IS NOT NULL);

CREATE INDEX sales_lines_order ON workspace.sales_lines USING btree (tenant_id, order_id);

CREATE INDEX sales_lines_product ON workspace.sales_lines USING btree (tenant_id, workspace_id, product_id, day) WHERE counts;

CREATE INDEX sales_lines_sku ON workspace.sales_lines USING btree (tenant_id, workspace_id, sku) WHERE (sku IS NOT NULL);

CREATE INDEX sales_lines_variant ON workspace.sales_lines USING btree (tenant_id, workspace_id, variant_external_id) WHERE (variant_external_id IS NOT NULL);

CREATE INDEX sales_orders_customer ON workspace.sales_orders USING btree (tenant_id, workspace_id, customer_id, day) WHERE (customer_id IS NOT NULL);

CREATE INDEX sales_orders_week ON workspace.sales_orders USING btree (tenant_id, workspace_id, week) INCLUDE (customer_id);

CREATE INDEX sales_series_external_id ON workspace.sales_series USING btree (tenant_id, workspace_id, external_id) WHERE (external_id IS NOT NULL);

CREATE INDEX sales_series_sku ON workspace.sales_series USING btree (tenant_id, workspace_id, sku) WHERE ((sku IS NOT NULL) AND (NOT archived));

CREATE INDEX sales_weeks_week ON workspace.sales_weeks USING btree (tenant_id, workspace_id, week, product_id) INCLUDE (lines, units, returned, net) WHERE (product_id <> '*'::text);

CREATE UNIQUE INDEX saved_views_name ON workspace.saved_views USING btree (tenant_id, workspace_id, list, slug, owner_id, name);

CREATE INDEX source_hours_hour ON workspace.source_hours USING btree (hour);

CREATE INDEX source_minutes_failing ON workspace.source_minutes USING btree (minute) WHERE (failed > 0);

CREATE INDEX source_rhythms_silent ON workspace.source_rhythms USING btree (silent_after) WHERE (silent_after IS NOT NULL);

CREATE INDEX stock_history_observed ON workspace.stock_history USING btree (observed_at);

CREATE UNIQUE INDEX suggestions_open ON workspace.suggestions USING btree (tenant_id, recommendation_key) WHERE (NOT closed);

CREATE INDEX suggestions_record ON workspace.suggestions USING btree (tenant_id, workspace_id, first_on DESC, recommendation_key);

CREATE INDEX suggestions_to_judge ON workspace.suggestions USING btree (tenant_id, workspace_id, judged_on, recommendation_key) WHERE (NOT closed);

CREATE UNIQUE INDEX suppliers_external_id ON workspace.suppliers USING btree (tenant_id, external_id);

CREATE INDEX suppressions_article ON workspace.suppressions USING btree (tenant_id, workspace_id, product_id, created_at DESC) WHERE (lifted_at IS NULL);

CREATE UNIQUE INDEX tokens_hash ON workspace.tokens USING btree (tenant_id, token_hash);

CREATE INDEX unknown_fields_last_seen ON workspace.unknown_fields USING btree (last_seen_at);

CREATE INDEX unknown_values_newest ON workspace.unknown_values USING btree (tenant_id, workspace_id, slug, seen_at);

CREATE INDEX unknown_values_seen ON workspace.unknown_values USING btree (seen_at);

CREATE TRIGGER approval_withdrawn BEFORE UPDATE ON workspace.purchase_order_lines FOR EACH ROW WHEN (((new.status <> old.status) AND ((new.status = 'draft'::text) OR ((new.status = 'pending_approval'::text) AND (old.status <> 'draft'::text))) AND (COALESCE(current_setting('app.purchase'::text, true), ''::text) <> 'on'::text))) EXECUTE FUNCTION workspace.withdraw_approval();

CREATE TRIGGER article_merged BEFORE UPDATE OF product_id ON workspace.purchase_order_lines FOR EACH ROW WHEN (((new.product_id IS NOT NULL) AND (new.product_id IS DISTINCT FROM old.product_id))) EXECUTE FUNCTION workspace.follow_merged();

CREATE TRIGGER article_merged_new BEFORE INSERT ON workspace.purchase_order_lines FOR EACH ROW WHEN ((new.product_id IS NOT NULL)) EXECUTE FUNCTION workspace.follow_merged();

CREATE TRIGGER article_said BEFORE UPDATE OF product_id ON workspace.purchase_order_lines FOR EACH ROW WHEN (((old.sku <> new.sku) AND (old.product_id = new.product_id))) EXECUTE FUNCTION workspace.note_said_article();

CREATE TRIGGER article_unsaid BEFORE UPDATE ON workspace.purchase_order_lines FOR EACH ROW WHEN (((old.sku <> new.sku) AND (old.product_id = new.product_id))) EXECUTE FUNCTION workspace.follow_sku();

CREATE TRIGGER await_seal AFTER INSERT ON workspace.audit REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION workspace.await_seal();

CREATE TRIGGER count_changed_lines AFTER UPDATE ON workspace.purchase_order_lines REFERENCING OLD TABLE AS old_lines NEW TABLE AS new_lines FOR EACH STATEMENT EXECUTE FUNCTION workspace.count_changed_lines();

CREATE TRIGGER count_delete AFTER DELETE ON workspace.article_aliases REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION workspace.count_registry_version();

CREATE TRIGGER count_delete AFTER DELETE ON workspace.registry_columns REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION workspace.count_registry_version();

CREATE TRIGGER count_delete AFTER DELETE ON workspace.registry_snapshots REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION workspace.count_registry_version();

CREATE TRIGGER count_delete AFTER DELETE ON workspace.unknown_keeping REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION workspace.count_registry_version();

CREATE TRIGGER count_insert AFTER INSERT ON workspace.ingest_rules REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION workspace.count_registry_version();

CREATE TRIGGER count_insert AFTER INSERT ON workspace.registry_columns REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION workspace.count_registry_version();

CREATE TRIGGER count_insert AFTER INSERT ON workspace.registry_snapshots REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION workspace.count_registry_version();

CREATE TRIGGER count_insert AFTER INSERT ON workspace.unknown_keeping REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION workspace.count_registry_version();

CREATE TRIGGER count_new_flag AFTER INSERT ON workspace.line_flags FOR EACH ROW WHEN ((new.seen_at IS NULL)) EXECUTE FUNCTION workspace.count_flag();

CREATE TRIGGER count_new_lines AFTER INSERT ON workspace.purchase_order_lines REFERENCING NEW TABLE AS new_lines FOR EACH STATEMENT EXECUTE FUNCTION workspace.count_new_lines();

CREATE TRIGGER count_referring_delete AFTER DELETE ON workspace.registry_tables REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION workspace.count_referring_versions();

CREATE TRIGGER count_referring_insert AFTER INSERT ON workspace.registry_tables REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION workspace.count_referring_versions();

CREATE TRIGGER count_seen_flag AFTER UPDATE ON workspace.line_flags FOR EACH ROW WHEN (((new.seen_at IS NULL) <> (old.seen_at IS NULL))) EXECUTE FUNCTION workspace.count_flag();

CREATE TRIGGER count_update AFTER UPDATE ON workspace.ingest_rules REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION workspace.count_registry_version();

CREATE TRIGGER count_update AFTER UPDATE ON workspace.registry_columns REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION workspace.count_registry_version();

CREATE TRIGGER count_update AFTER UPDATE ON workspace.registry_snapshots REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION workspace.count_registry_version();

CREATE TRIGGER count_version BEFORE UPDATE ON workspace.customers FOR EACH ROW WHEN ((new.version = old.version)) EXECUTE FUNCTION workspace.count_version();

CREATE TRIGGER count_version BEFORE UPDATE ON workspace.meeting_notes FOR EACH ROW WHEN ((new.version = old.version)) EXECUTE FUNCTION workspace.count_version();

CREATE TRIGGER count_version BEFORE UPDATE ON workspace.order_line_items FOR EACH ROW WHEN ((new.version = old.version)) EXECUTE FUNCTION workspace.count_version();

CREATE TRIGGER count_version BEFORE UPDATE ON workspace.orders FOR EACH ROW WHEN ((new.version = old.version)) EXECUTE FUNCTION workspace.count_version();

CREATE TRIGGER count_version BEFORE UPDATE ON workspace.products FOR EACH ROW WHEN ((new.version = old.version)) EXECUTE FUNCTION workspace.count_version();

CREATE TRIGGER count_version BEFORE UPDATE ON workspace.records FOR EACH ROW WHEN ((new.version = old.version)) EXECUTE FUNCTION workspace.count_version();

CREATE TRIGGER count_version BEFORE UPDATE ON workspace.registry_tables FOR EACH ROW EXECUTE FUNCTION workspace.count_registry_version();

CREATE TRIGGER count_version BEFORE UPDATE ON workspace.suppliers FOR EACH ROW WHEN ((new.version = old.version)) EXECUTE FUNCTION workspace.count_version();

CREATE TRIGGER end_alias AFTER UPDATE OF sku ON workspace.products FOR EACH ROW WHEN (((old.sku <> new.sku) OR ((new.sku IS NULL) AND (old.sku IS NOT NULL)))) EXECUTE FUNCTION workspace.end_alias();

CREATE TRIGGER end_indexes AFTER UPDATE ON workspace.registry_columns FOR EACH ROW WHEN (((old.type IS DISTINCT FROM new.type) OR ((old.retired_at IS NULL) AND (new.retired_at IS NOT NULL)))) EXECUTE FUNCTION workspace.end_indexes();

CREATE TRIGGER end_indexes AFTER UPDATE ON workspace.registry_tables FOR EACH ROW WHEN (((old.retired_at IS NULL) AND (new.retired_at IS NOT NULL))) EXECUTE FUNCTION workspace.end_indexes();

CREATE TRIGGER fill_changed_snapshot BEFORE UPDATE ON workspace.purchase_order_lines FOR EACH ROW WHEN (((((old.sku IS DISTINCT FROM new.sku) OR (old.product_id IS DISTINCT FROM new.product_id)) OR (old.supplier_id IS DISTINCT FROM new.supplier_id)) AND (NOT ((((old.product_name IS DISTINCT FROM new.product_name) OR (old.supplier_name IS DISTINCT FROM new.supplier_name)) OR (old.variant_external_id IS DISTINCT FROM new.variant_external_id)) OR (old.product_external_id IS DISTINCT FROM new.product_external_id))))) EXECUTE FUNCTION workspace.fill_line_snapshot();

CREATE TRIGGER fill_new_snapshot BEFORE INSERT ON workspace.purchase_order_lines FOR EACH ROW WHEN ((new.product_name IS NULL)) EXECUTE FUNCTION workspace.fill_line_snapshot();

CREATE TRIGGER flag_line AFTER UPDATE ON workspace.purchase_order_lines FOR EACH ROW WHEN (((new.status <> old.status) AND (NOT ((old.status = 'ordered'::text) AND (new.status = ANY (ARRAY['partially_received'::text, 'received'::text])))) AND (NOT ((old.status = 'ordered'::text) AND (new.status = 'cancelled'::text) AND (new.quantity_received = (0)::numeric))) AND (NOT ((old.status = 'partially_received'::text) AND (new.status = 'received'::text))))) EXECUTE FUNCTION workspace.flag_line();

CREATE TRIGGER flag_short AFTER UPDATE ON workspace.purchase_order_lines FOR EACH ROW WHEN (((old.status = 'received'::text) AND (new.status = 'received'::text) AND (new.quantity_received < old.quantity_received) AND (new.quantity_received < new.quantity_ordered))) EXECUTE FUNCTION workspace.flag_line();

CREATE TRIGGER heed_alias AFTER INSERT ON workspace.products FOR EACH ROW WHEN ((new.external_id IS NULL)) EXECUTE FUNCTION workspace.heed_alias();

CREATE TRIGGER index_changed AFTER UPDATE ON workspace.customers REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION workspace.keep_entries();

CREATE TRIGGER index_changed AFTER UPDATE ON workspace.meeting_notes REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION workspace.keep_entries();

CREATE TRIGGER index_changed AFTER UPDATE ON workspace.order_line_items REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION workspace.keep_entries();

CREATE TRIGGER index_changed AFTER UPDATE ON workspace.orders REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION workspace.keep_entries();

CREATE TRIGGER index_changed AFTER UPDATE ON workspace.products REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION workspace.keep_entries();

CREATE TRIGGER index_changed AFTER UPDATE ON workspace.purchase_order_lines REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION workspace.keep_entries();

CREATE TRIGGER index_changed AFTER UPDATE ON workspace.records REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION workspace.keep_entries();

CREATE TRIGGER index_changed AFTER UPDATE ON workspace.suppliers REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION workspace.keep_entries();

CREATE TRIGGER index_deleted AFTER DELETE ON workspace.customers REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION workspace.keep_entries();

CREATE TRIGGER index_deleted AFTER DELETE ON workspace.meeting_notes REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION workspace.keep_entries();

CREATE TRIGGER index_deleted AFTER DELETE ON workspace.order_line_items REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION workspace.keep_entries();

CREATE TRIGGER index_deleted AFTER DELETE ON workspace.orders REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION workspace.keep_entries();

CREATE TRIGGER index_deleted AFTER DELETE ON workspace.products REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION workspace.keep_entries();

CREATE TRIGGER index_deleted AFTER DELETE ON workspace.purchase_order_lines REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION workspace.keep_entries();

CREATE TRIGGER index_deleted AFTER DELETE ON workspace.records REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION workspace.keep_entries();

CREATE TRIGGER index_deleted AFTER DELETE ON workspace.suppliers REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION workspace.keep_entries();

CREATE TRIGGER index_new AFTER INSERT ON workspace.customers REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION workspace.keep_entries();

CREATE TRIGGER index_new AFTER INSERT ON workspace.meeting_notes REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION workspace.keep_entries();

CREATE TRIGGER index_new AFTER INSERT ON workspace.order_line_items REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION workspace.keep_entries();

CREATE TRIGGER index_new AFTER INSERT ON workspace.orders REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION workspace.keep_entries();

CREATE TRIGGER index_new AFTER INSERT ON workspace.products REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION workspace.keep_entries();

CREATE TRIGGER index_new AFTER INSERT ON workspace.purchase_order_lines REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION workspace.keep_entries();

CREATE TRIGGER index_new AFTER INSERT ON workspace.records REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION workspace.keep_entries();

CREATE TRIGGER index_new AFTER INSERT ON workspace.suppliers REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION workspace.keep_entries();

CREATE TRIGGER mark_left_articles AFTER UPDATE ON workspace.products FOR EACH ROW WHEN (((old.sku IS NOT NULL) AND (old.sku IS DISTINCT FROM new.sku))) EXECUTE FUNCTION workspace.mark_left_articles();

CREATE TRIGGER mark_left_articles AFTER UPDATE ON workspace.purchase_order_lines FOR EACH ROW WHEN (((old.product_id IS DISTINCT FROM new.product_id) OR ((old.product_id IS NULL) AND (old.sku <> new.sku)) OR ((old.received_at IS NOT NULL) AND ((old.supplier_id IS DISTINCT FROM new.supplier_id) OR (new.received_at IS NULL))))) EXECUTE FUNCTION workspace.mark_left_articles();

CREATE TRIGGER note_new_stock AFTER INSERT ON workspace.products FOR EACH ROW WHEN (((new.stock_on_hand IS NOT NULL) OR (new.stock_available IS NOT NULL))) EXECUTE FUNCTION workspace.note_stock();

CREATE TRIGGER note_stock_change AFTER UPDATE ON workspace.products FOR EACH ROW WHEN (((old.stock_available IS DISTINCT FROM new.stock_available) OR ((new.stock_available IS NULL) AND (old.stock_on_hand IS DISTINCT FROM new.stock_on_hand)) OR ((new.stock_updated_at > now()) AND (old.stock_updated_at IS DISTINCT FROM new.stock_updated_at)))) EXECUTE FUNCTION workspace.note_stock();

CREATE TRIGGER ordered_outside AFTER INSERT ON workspace.purchase_order_lines FOR EACH ROW WHEN (((new.status = ANY (ARRAY['ordered'::text, 'partially_received'::text, 'received'::text])) AND (new.approved_by IS NULL) AND (COALESCE(current_setting('app.purchase'::text, true), ''::text) <> 'on'::text))) EXECUTE FUNCTION workspace.note_ordered_outside();

CREATE TRIGGER ordered_outside_later AFTER UPDATE ON workspace.purchase_order_lines FOR EACH ROW WHEN (((new.status = ANY (ARRAY['ordered'::text, 'partially_received'::text, 'received'::text])) AND (old.status <> ALL (ARRAY['ordered'::text, 'partially_received'::text, 'received'::text])) AND (new.approved_by IS NULL) AND (COALESCE(current_setting('app.purchase'::text, true), ''::text) <> 'on'::text))) EXECUTE FUNCTION workspace.note_ordered_outside();

CREATE TRIGGER receipts_said BEFORE UPDATE OF status ON workspace.purchase_order_lines FOR EACH ROW WHEN (((old.status = 'received'::text) AND (new.status = 'received'::text) AND (new.quantity_received < old.quantity_received) AND (new.quantity_received < new.quantity_ordered))) EXECUTE FUNCTION workspace.note_said_received();

CREATE TRIGGER receipts_taken_back BEFORE UPDATE ON workspace.purchase_order_lines FOR EACH ROW WHEN (((old.status = 'received'::text) AND (new.status = 'received'::text) AND (COALESCE(current_setting('app.purchase'::text, true), ''::text) <> 'on'::text) AND (((new.quantity_received < old.quantity_received) AND (new.quantity_received < new.quantity_ordered)) OR ((new.quantity_received >= new.quantity_ordered) AND (old.quantity_received < old.quantity_ordered) AND (NOT (new.received_at IS DISTINCT FROM old.received_at)))))) EXECUTE FUNCTION workspace.follow_receipts();

CREATE TRIGGER receive BEFORE INSERT OR UPDATE ON workspace.purchase_order_lines FOR EACH ROW WHEN (((new.quantity_received > (0)::numeric) AND ((new.status = ANY (ARRAY['ordered'::text, 'partially_received'::text])) OR ((new.status = 'received'::text) AND (new.received_at IS NULL) AND (new.quantity_received >= new.quantity_ordered))) AND (NOT ((new.status = 'partially_received'::text) AND (new.quantity_received < new.quantity_ordered))))) EXECUTE FUNCTION workspace.apply_receipt();

CREATE TRIGGER received_here BEFORE UPDATE ON workspace.purchase_order_lines FOR EACH ROW WHEN (((new.quantity_received <> old.quantity_received) AND (COALESCE(current_setting('app.receipt'::text, true), ''::text) <> ''::text))) EXECUTE FUNCTION workspace.count_received_here();

CREATE TRIGGER refuse_built_in_slug BEFORE INSERT OR UPDATE OF slug, storage ON workspace.registry_tables FOR EACH ROW WHEN ((new.tenant_id <> '00000000-0000-0000-0000-000000000000'::uuid)) EXECUTE FUNCTION workspace.refuse_built_in_slug();

CREATE TRIGGER search_changed AFTER UPDATE ON workspace.customers FOR EACH ROW WHEN (((((((old.workspace_id IS DISTINCT FROM new.workspace_id) OR (old.id IS DISTINCT FROM new.id)) OR (old.external_id IS DISTINCT FROM new.external_id)) OR (old.email IS DISTINCT FROM new.email)) OR (old.name IS DISTINCT FROM new.name)) OR (old.company IS DISTINCT FROM new.company))) EXECUTE FUNCTION workspace.search_changed_customers();

CREATE TRIGGER search_changed AFTER UPDATE ON workspace.failed_imports FOR EACH ROW WHEN ((((((old.workspace_id IS DISTINCT FROM new.workspace_id) OR (old.id IS DISTINCT FROM new.id)) OR (old.record_key IS DISTINCT FROM new.record_key)) OR (NULL::text IS DISTINCT FROM NULL::text)) OR ((old.status = 'open'::text) IS DISTINCT FROM (new.status = 'open'::text)))) EXECUTE FUNCTION workspace.search_changed_failed_imports();

CREATE TRIGGER search_changed AFTER UPDATE ON workspace.orders FOR EACH ROW WHEN ((((((old.workspace_id IS DISTINCT FROM new.workspace_id) OR (old.id IS DISTINCT FROM new.id)) OR (old.order_number IS DISTINCT FROM new.order_number)) OR (old.external_id IS DISTINCT FROM new.external_id)) OR (NULL::text IS DISTINCT FROM NULL::text))) EXECUTE FUNCTION workspace.search_changed_orders();

CREATE TRIGGER search_changed AFTER UPDATE ON workspace.products FOR EACH ROW WHEN (((((((((old.workspace_id IS DISTINCT FROM new.workspace_id) OR (old.id IS DISTINCT FROM new.id)) OR (old.sku IS DISTINCT FROM new.sku)) OR (old.barcode IS DISTINCT FROM new.barcode)) OR (old.external_id IS DISTINCT FROM new.external_id)) OR (old.supplier_sku IS DISTINCT FROM new.supplier_sku)) OR (old.name IS DISTINCT FROM new.name)) OR (old.variant_name IS DISTINCT FROM new.variant_name))) EXECUTE FUNCTION workspace.search_changed_products();

CREATE TRIGGER search_changed AFTER UPDATE ON workspace.purchase_orders FOR EACH ROW WHEN ((((((old.workspace_id IS DISTINCT FROM new.workspace_id) OR (old.order_no IS DISTINCT FROM new.order_no)) OR (old.order_no IS DISTINCT FROM new.order_no)) OR (NULL::text IS DISTINCT FROM NULL::text)) OR ((old.lines > 0) IS DISTINCT FROM (new.lines > 0)))) EXECUTE FUNCTION workspace.search_changed_purchase_orders();

CREATE TRIGGER search_changed AFTER UPDATE ON workspace.suppliers FOR EACH ROW WHEN (((((((old.workspace_id IS DISTINCT FROM new.workspace_id) OR (old.id IS DISTINCT FROM new.id)) OR (old.external_id IS DISTINCT FROM new.external_id)) OR (old.email IS DISTINCT FROM new.email)) OR (old.name IS DISTINCT FROM new.name)) OR (old.contact_name IS DISTINCT FROM new.contact_name))) EXECUTE FUNCTION workspace.search_changed_suppliers();

CREATE TRIGGER search_deleted AFTER DELETE ON workspace.customers FOR EACH ROW EXECUTE FUNCTION workspace.search_changed_customers();

CREATE TRIGGER search_deleted AFTER DELETE ON workspace.failed_imports FOR EACH ROW EXECUTE FUNCTION workspace.search_changed_failed_imports();

CREATE TRIGGER search_deleted AFTER DELETE ON workspace.orders FOR EACH ROW EXECUTE FUNCTION workspace.search_changed_orders();

CREATE TRIGGER search_deleted AFTER DELETE ON workspace.products FOR EACH ROW EXECUTE FUNCTION workspace.search_changed_products();

CREATE TRIGGER search_deleted AFTER DELETE ON workspace.purchase_orders FOR EACH ROW EXECUTE FUNCTION workspace.search_changed_purchase_orders();

CREATE TRIGGER search_deleted AFTER DELETE ON workspace.suppliers FOR EACH ROW EXECUTE FUNCTION workspace.search_changed_suppliers();

CREATE TRIGGER search_new AFTER INSERT ON workspace.customers REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION workspace.search_new_customers();

CREATE TRIGGER search_new AFTER INSERT ON workspace.failed_imports REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION workspace.search_new_failed_imports();

CREATE TRIGGER search_new AFTER INSERT ON workspace.orders REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION workspace.search_new_orders();

CREATE TRIGGER search_new AFTER INSERT ON workspace.products REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION workspace.search_new_products();

CREATE TRIGGER search_new AFTER INSERT ON workspace.purchase_orders REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION workspace.search_new_purchase_orders();

CREATE TRIGGER search_new AFTER INSERT ON workspace.suppliers REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION workspace.search_new_suppliers();

CREATE TRIGGER touch_version BEFORE UPDATE ON workspace.purchase_order_lines FOR EACH ROW WHEN ((new.version = old.version)) EXECUTE FUNCTION workspace.count_version();

CREATE TRIGGER want_changed_exchange AFTER UPDATE ON workspace.purchase_orders REFERENCING NEW TABLE AS new_orders FOR EACH STATEMENT EXECUTE FUNCTION workspace.want_exchange();

CREATE TRIGGER want_new_exchange AFTER INSERT ON workspace.purchase_orders REFERENCING NEW TABLE AS new_orders FOR EACH STATEMENT EXECUTE FUNCTION workspace.want_exchange();

CREATE TRIGGER write_first_receipt AFTER INSERT ON workspace.purchase_order_lines FOR EACH ROW WHEN ((new.quantity_received > (0)::numeric)) EXECUTE FUNCTION workspace.write_receipt();

CREATE TRIGGER write_receipt AFTER UPDATE ON workspace.purchase_order_lines FOR EACH ROW WHEN ((new.quantity_received <> old.quantity_received)) EXECUTE FUNCTION workspace.write_receipt();

ALTER TABLE ONLY control.browsers
    ADD CONSTRAINT browsers_user_id_fkey FOREIGN KEY (user_id) REFERENCES control.users(id);

ALTER TABLE ONLY control.invitations
    ADD CONSTRAINT invitations_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES control.tenants(id);

ALTER TABLE ONLY control.key_directory
    ADD CONSTRAINT key_directory_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES control.tenants(id);

ALTER TABLE ONLY control.key_directory
    ADD CONSTRAINT key_directory_tenant_id_workspace_id_fkey FOREIGN KEY (tenant_id, workspace_id) REFERENCES control.workspaces(tenant_id, id);

ALTER TABLE ONLY control.memberships
    ADD CONSTRAINT memberships_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES control.tenants(id);

ALTER TABLE ONLY control.memberships
    ADD CONSTRAINT memberships_user_id_fkey FOREIGN KEY (user_id) REFERENCES control.users(id);

ALTER TABLE ONLY control.password_resets
    ADD CONSTRAINT password_resets_user_id_fkey FOREIGN KEY (user_id) REFERENCES control.users(id);

ALTER TABLE ONLY control.passwords
    ADD CONSTRAINT passwords_user_id_fkey FOREIGN KEY (user_id) REFERENCES control.users(id);

ALTER TABLE ONLY control.sessions
    ADD CONSTRAINT sessions_user_id_fkey FOREIGN KEY (user_id) REFERENCES control.users(id);

ALTER TABLE ONLY control.tenants
    ADD CONSTRAINT tenants_cell_fkey FOREIGN KEY (cell) REFERENCES control.cells(name);

ALTER TABLE ONLY control.workspaces
    ADD CONSTRAINT workspaces_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES control.tenants(id);

ALTER TABLE ONLY workspace.agent_decisions
    ADD CONSTRAINT agent_decisions_tenant_id_run_id_fkey FOREIGN KEY (tenant_id, run_id) REFERENCES workspace.agent_runs(tenant_id, id);

ALTER TABLE ONLY workspace.alert_reads
    ADD CONSTRAINT alert_reads_tenant_id_alert_id_fkey FOREIGN KEY (tenant_id, alert_id) REFERENCES workspace.alerts(tenant_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY workspace.article_aliases
    ADD CONSTRAINT article_aliases_tenant_id_product_id_fkey FOREIGN KEY (tenant_id, product_id) REFERENCES workspace.products(tenant_id, id);

ALTER TABLE ONLY workspace.connection_pace
    ADD CONSTRAINT connection_pace_tenant_id_connection_id_fkey FOREIGN KEY (tenant_id, connection_id) REFERENCES workspace.connections(tenant_id, id);

ALTER TABLE ONLY workspace.exchange_conflicts
    ADD CONSTRAINT exchange_conflicts_tenant_id_connection_id_order_no_fkey FOREIGN KEY (tenant_id, connection_id, order_no) REFERENCES workspace.exchange_orders(tenant_id, connection_id, order_no);

ALTER TABLE ONLY workspace.exchange_cursors
    ADD CONSTRAINT exchange_cursors_tenant_id_connection_id_fkey FOREIGN KEY (tenant_id, connection_id) REFERENCES workspace.connections(tenant_id, id);

ALTER TABLE ONLY workspace.exchange_ids
    ADD CONSTRAINT exchange_ids_tenant_id_connection_id_fkey FOREIGN KEY (tenant_id, connection_id) REFERENCES workspace.connections(tenant_id, id);

ALTER TABLE ONLY workspace.exchange_lines
    ADD CONSTRAINT exchange_lines_tenant_id_connection_id_order_no_fkey FOREIGN KEY (tenant_id, connection_id, order_no) REFERENCES workspace.exchange_orders(tenant_id, connection_id, order_no);

ALTER TABLE ONLY workspace.exchange_lines
    ADD CONSTRAINT exchange_lines_tenant_id_line_id_fkey FOREIGN KEY (tenant_id, line_id) REFERENCES workspace.purchase_order_lines(tenant_id, id);

ALTER TABLE ONLY workspace.exchange_listed
    ADD CONSTRAINT exchange_listed_tenant_id_connection_id_fkey FOREIGN KEY (tenant_id, connection_id) REFERENCES workspace.connections(tenant_id, id);

ALTER TABLE ONLY workspace.exchange_orders
    ADD CONSTRAINT exchange_orders_tenant_id_connection_id_fkey FOREIGN KEY (tenant_id, connection_id) REFERENCES workspace.connections(tenant_id, id);

ALTER TABLE ONLY workspace.failed_import_attempts
    ADD CONSTRAINT failed_import_attempts_tenant_id_failed_id_fkey FOREIGN KEY (tenant_id, failed_id) REFERENCES workspace.failed_imports(tenant_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY workspace.import_chunks
    ADD CONSTRAINT import_chunks_tenant_id_import_id_fkey FOREIGN KEY (tenant_id, import_id) REFERENCES workspace.imports(tenant_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY workspace.import_rejects
    ADD CONSTRAINT import_rejects_tenant_id_import_id_fkey FOREIGN KEY (tenant_id, import_id) REFERENCES workspace.imports(tenant_id, id) ON DELETE CASCADE;

ALTER TABLE ONLY workspace.ingest_rule_versions
    ADD CONSTRAINT ingest_rule_versions_tenant_id_rule_id_fkey FOREIGN KEY (tenant_id, rule_id) REFERENCES workspace.ingest_rules(tenant_id, id);

ALTER TABLE ONLY workspace.ingest_rules
    ADD CONSTRAINT ingest_rules_tenant_id_slug_fkey FOREIGN KEY (tenant_id, slug) REFERENCES workspace.registry_tables(tenant_id, slug);

ALTER TABLE ONLY workspace.line_approvals
    ADD CONSTRAINT line_approvals_tenant_id_line_id_fkey FOREIGN KEY (tenant_id, line_id) REFERENCES workspace.purchase_order_lines(tenant_id, id);

ALTER TABLE ONLY workspace.line_flags
    ADD CONSTRAINT line_flags_tenant_id_line_id_fkey FOREIGN KEY (tenant_id, line_id) REFERENCES workspace.purchase_order_lines(tenant_id, id);

ALTER TABLE ONLY workspace.line_suggestions
    ADD CONSTRAINT line_suggestions_tenant_id_line_id_fkey FOREIGN KEY (tenant_id, line_id) REFERENCES workspace.purchase_order_lines(tenant_id, id);

ALTER TABLE ONLY workspace.meeting_notes
    ADD CONSTRAINT meeting_notes_tenant_id_customer_id_fkey FOREIGN KEY (tenant_id, customer_id) REFERENCES workspace.customers(tenant_id, id);

ALTER TABLE ONLY workspace.meeting_notes
    ADD CONSTRAINT meeting_notes_tenant_id_supplier_id_fkey FOREIGN KEY (tenant_id, supplier_id) REFERENCES workspace.suppliers(tenant_id, id);

ALTER TABLE ONLY workspace.order_line_items
    ADD CONSTRAINT order_line_items_tenant_id_order_id_fkey FOREIGN KEY (tenant_id, order_id) REFERENCES workspace.orders(tenant_id, id);

ALTER TABLE ONLY workspace.order_line_items
    ADD CONSTRAINT order_line_items_tenant_id_product_id_fkey FOREIGN KEY (tenant_id, product_id) REFERENCES workspace.products(tenant_id, id);

ALTER TABLE ONLY workspace.orders
    ADD CONSTRAINT orders_tenant_id_customer_id_fkey FOREIGN KEY (tenant_id, customer_id) REFERENCES workspace.customers(tenant_id, id);

ALTER TABLE ONLY workspace.products
    ADD CONSTRAINT products_tenant_id_supplier_id_fkey FOREIGN KEY (tenant_id, supplier_id) REFERENCES workspace.suppliers(tenant_id, id);

ALTER TABLE ONLY workspace.purchase_order_lines
    ADD CONSTRAINT purchase_order_lines_tenant_id_product_id_fkey FOREIGN KEY (tenant_id, product_id) REFERENCES workspace.products(tenant_id, id);

ALTER TABLE ONLY workspace.purchase_order_lines
    ADD CONSTRAINT purchase_order_lines_tenant_id_supplier_id_fkey FOREIGN KEY (tenant_id, supplier_id) REFERENCES workspace.suppliers(tenant_id, id);

ALTER TABLE ONLY workspace.purchase_order_sums
    ADD CONSTRAINT purchase_order_sums_tenant_id_workspace_id_order_no_fkey FOREIGN KEY (tenant_id, workspace_id, order_no) REFERENCES workspace.purchase_orders(tenant_id, workspace_id, order_no);

ALTER TABLE ONLY workspace.receipts
    ADD CONSTRAINT receipts_tenant_id_line_id_fkey FOREIGN KEY (tenant_id, line_id) REFERENCES workspace.purchase_order_lines(tenant_id, id);

ALTER TABLE ONLY workspace.registry_columns
    ADD CONSTRAINT registry_columns_tenant_id_slug_fkey FOREIGN KEY (tenant_id, slug) REFERENCES workspace.registry_tables(tenant_id, slug) ON DELETE CASCADE;

ALTER TABLE ONLY workspace.registry_snapshots
    ADD CONSTRAINT registry_snapshots_tenant_id_slug_fkey FOREIGN KEY (tenant_id, slug) REFERENCES workspace.registry_tables(tenant_id, slug) ON DELETE CASCADE;

ALTER TABLE ONLY workspace.stock_history
    ADD CONSTRAINT stock_history_tenant_id_product_id_fkey FOREIGN KEY (tenant_id, product_id) REFERENCES workspace.products(tenant_id, id);

CREATE POLICY backup ON control.browsers FOR SELECT TO quayside_backup USING (true);

CREATE POLICY backup ON control.invitations FOR SELECT TO quayside_backup USING (true);

CREATE POLICY backup ON control.key_directory FOR SELECT TO quayside_backup USING (true);

CREATE POLICY backup ON control.memberships FOR SELECT TO quayside_backup USING (true);

CREATE POLICY backup ON control.password_resets FOR SELECT TO quayside_backup USING (true);

CREATE POLICY backup ON control.passwords FOR SELECT TO quayside_backup USING (true);

CREATE POLICY backup ON control.sessions FOR SELECT TO quayside_backup USING (true);

CREATE POLICY backup ON control.tenants FOR SELECT TO quayside_backup USING (true);

CREATE POLICY backup ON control.users FOR SELECT TO quayside_backup USING (true);

CREATE POLICY backup ON control.workspaces FOR SELECT TO quayside_backup USING (true);

ALTER TABLE control.browsers ENABLE ROW LEVEL SECURITY;

ALTER TABLE control.invitations ENABLE ROW LEVEL SECURITY;

ALTER TABLE control.key_directory ENABLE ROW LEVEL SECURITY;

CREATE POLICY members ON control.users FOR SELECT TO quayside_app USING ((EXISTS ( SELECT
   FROM control.memberships m
  WHERE (m.user_id = users.id))));

ALTER TABLE control.memberships ENABLE ROW LEVEL SECURITY;

ALTER TABLE control.password_resets ENABLE ROW LEVEL SECURITY;

ALTER TABLE control.passwords ENABLE ROW LEVEL SECURITY;

CREATE POLICY person ON control.browsers TO quayside_app USING ((user_id = ( SELECT control.bound_person() AS bound_person)));

CREATE POLICY person ON control.password_resets TO quayside_app USING ((user_id = ( SELECT control.bound_person() AS bound_person)));

CREATE POLICY person ON control.passwords TO quayside_app USING ((user_id = ( SELECT control.bound_person() AS bound_person)));

CREATE POLICY person ON control.sessions TO quayside_app USING ((user_id = ( SELECT control.bound_person() AS bound_person)));

CREATE POLICY person ON control.users TO quayside_app USING ((id = ( SELECT control.bound_person() AS bound_person)));

ALTER TABLE control.sessions ENABLE ROW LEVEL SECURITY;

CREATE POLICY system_reads ON control.browsers FOR SELECT TO quayside_system USING (true);

CREATE POLICY system_reads ON control.invitations FOR SELECT TO quayside_system USING (true);

CREATE POLICY system_reads ON control.key_directory FOR SELECT TO quayside_system USING (true);

CREATE POLICY system_reads ON control.memberships FOR SELECT TO quayside_system USING (true);

CREATE POLICY system_reads ON control.password_resets FOR SELECT TO quayside_system USING (true);

CREATE POLICY system_reads ON control.passwords FOR SELECT TO quayside_system USING (true);

CREATE POLICY system_reads ON control.sessions FOR SELECT TO quayside_system USING (true);

CREATE POLICY system_reads ON control.tenants FOR SELECT TO quayside_system USING (true);

CREATE POLICY system_reads ON control.users FOR SELECT TO quayside_system USING (true);

CREATE POLICY system_reads ON control.workspaces FOR SELECT TO quayside_system USING (true);

CREATE POLICY system_tidies ON control.browsers FOR DELETE TO quayside_system USING ((expires_at <= now()));

CREATE POLICY system_tidies ON control.invitations FOR DELETE TO quayside_system USING ((expires_at <= now()));

CREATE POLICY system_tidies ON control.password_resets FOR DELETE TO quayside_system USING ((expires_at <= now()));

CREATE POLICY system_tidies ON control.sessions FOR DELETE TO quayside_system USING ((expires_at < ( SELECT control.kept_since('sessions'::text) AS kept_since)));

CREATE POLICY tenant ON control.invitations TO quayside_app USING (((tenant_id = ANY (( SELECT control.bound_tenants() AS bound_tenants)::uuid[])) IS TRUE)) WITH CHECK (((tenant_id = ANY (( SELECT control.bound_tenants() AS bound_tenants)::uuid[])) IS TRUE));

CREATE POLICY tenant ON control.key_directory TO quayside_app USING (((tenant_id = ANY (( SELECT control.bound_tenants() AS bound_tenants)::uuid[])) IS TRUE)) WITH CHECK (((tenant_id = ANY (( SELECT control.bound_tenants() AS bound_tenants)::uuid[])) IS TRUE));

CREATE POLICY tenant ON control.memberships TO quayside_app USING (((tenant_id = ANY (( SELECT control.bound_tenants() AS bound_tenants)::uuid[])) IS TRUE)) WITH CHECK (((tenant_id = ANY (( SELECT control.bound_tenants() AS bound_tenants)::uuid[])) IS TRUE));

CREATE POLICY tenant ON control.tenants TO quayside_app USING (((id = ANY (( SELECT control.bound_tenants() AS bound_tenants)::uuid[])) IS TRUE)) WITH CHECK (((id = ANY (( SELECT control.bound_tenants() AS bound_tenants)::uuid[])) IS TRUE));

CREATE POLICY tenant ON control.workspaces TO quayside_app USING (((tenant_id = ANY (( SELECT control.bound_tenants() AS bound_tenants)::uuid[])) IS TRUE)) WITH CHECK (((tenant_id = ANY (( SELECT control.bound_tenants() AS bound_tenants)::uuid[])) IS TRUE));

ALTER TABLE control.tenants ENABLE ROW LEVEL SECURITY;

ALTER TABLE control.users ENABLE ROW LEVEL SECURITY;

ALTER TABLE control.workspaces ENABLE ROW LEVEL SECURITY;

ALTER TABLE workspace.agent_decisions ENABLE ROW LEVEL SECURITY;

ALTER TABLE workspace.agent_runs ENABLE ROW LEVEL SECURITY;

ALTER TABLE workspace.alert_reads ENABLE ROW LEVEL SECURITY;

ALTER TABLE workspace.alerts ENABLE ROW LEVEL SECURITY;

ALTER TABLE workspace.api_keys ENABLE ROW LEVEL SECURITY;

ALTER TABLE workspace.approval_limits ENABLE ROW LEVEL SECURITY;

ALTER TABLE workspace.article_aliases ENABLE ROW LEVEL SECURITY;

ALTER TABLE workspace.audit ENABLE ROW LEVEL SECURITY;

ALTER TABLE workspace.audit_seals ENABLE ROW LEVEL SECURITY;

ALTER TABLE workspace.audit_unsealed ENABLE ROW LEVEL SECURITY;

ALTER TABLE workspace.backfills ENABLE ROW LEVEL SECURITY;

CREATE POLICY backup ON workspace.agent_decisions FOR SELECT TO quayside_backup USING (true);

CREATE POLICY backup ON workspace.agent_runs FOR SELECT TO quayside_backup USING (true);

CREATE POLICY backup ON workspace.alert_reads FOR SELECT TO quayside_backup USING (true);

CREATE POLICY backup ON workspace.alerts FOR SELECT TO quayside_backup USING (true);

CREATE POLICY backup ON workspace.api_keys FOR SELECT TO quayside_backup USING (true);

CREATE POLICY backup ON workspace.approval_limits FOR SELECT TO quayside_backup USING (true);

CREATE POLICY backup ON workspace.article_aliases FOR SELECT TO quayside_backup USING (true);

CREATE POLICY backup ON workspace.audit FOR SELECT TO quayside_backup USING (true);

CREATE POLICY backup ON workspace.audit_seals FOR SELECT TO quayside_backup USING (true);

CREATE POLICY backup ON workspace.audit_unsealed FOR SELECT TO quayside_backup USING (true);

CREATE POLICY backup ON workspace.backfills FOR SELECT TO quayside_backup USING (true);

CREATE POLICY backup ON workspace.bulk_retries FOR SELECT TO quayside_backup USING (true);

CREATE POLICY backup ON workspace.connection_pace FOR SELECT TO quayside_backup USING (true);

CREATE POLICY backup ON workspace.connections FOR SELECT TO quayside_backup USING (true);

CREATE POLICY backup ON workspace.conversions FOR SELECT TO quayside_backup USING (true);

CREATE POLICY backup ON workspace.customers FOR SELECT TO quayside_backup USING (true);

CREATE POLICY backup ON workspace.events FOR SELECT TO quayside_backup USING (true);

CREATE POLICY backup ON workspace.exchange_attempts FOR SELECT TO quayside_backup USING (true);

CREATE POLICY backup ON workspace.exchange_conflicts FOR SELECT TO quayside_backup USING (true);

CREATE POLICY backup ON workspace.exchange_cursors FOR SELECT TO quayside_backup USING (true);

CREATE POLICY backup ON workspace.exchange_ids FOR SELECT TO quayside_backup USING (true);

CREATE POLICY backup ON workspace.exchange_lines FOR SELECT TO quayside_backup USING (true);

CREATE POLICY backup ON workspace.exchange_listed FOR SELECT TO quayside_backup USING (true);

CREATE POLICY backup ON workspace.exchange_orders FOR SELECT TO quayside_backup USING (true);

CREATE POLICY backup ON workspace.failed_import_attempts FOR SELECT TO quayside_backup USING (true);

CREATE POLICY backup ON workspace.failed_imports FOR SELECT TO quayside_backup USING (true);

CREATE POLICY backup ON workspace.forecast_classes FOR SELECT TO quayside_backup USING (true);

CREATE POLICY backup ON workspace.forecast_families FOR SELECT TO quayside_backup USING (true);

CREATE POLICY backup ON workspace.forecast_log FOR SELECT TO quayside_backup USING (true);

CREATE POLICY backup ON workspace.forecast_marks FOR SELECT TO quayside_backup USING (true);

CREATE POLICY backup ON workspace.forecast_state FOR SELECT TO quayside_backup USING (true);

CREATE POLICY backup ON workspace.forecasts FOR SELECT TO quayside_backup USING (true);

CREATE POLICY backup ON workspace.import_chunks FOR SELECT TO quayside_backup USING (true);

CREATE POLICY backup ON workspace.import_rejects FOR SELECT TO quayside_backup USING (true);

CREATE POLICY backup ON workspace.imports FOR SELECT TO quayside_backup USING (true);

CREATE POLICY backup ON workspace.inbox_mails FOR SELECT TO quayside_backup USING (true);

CREATE POLICY backup ON workspace.inbox_seen FOR SELECT TO quayside_backup USING (true);

CREATE POLICY backup ON workspace.inbox_unsent FOR SELECT TO quayside_backup USING (true);

CREATE POLICY backup ON workspace.index_entries FOR SELECT TO quayside_backup USING (true);

CREATE POLICY backup ON workspace.indexed_fields FOR SELECT TO quayside_backup USING (true);

CREATE POLICY backup ON workspace.ingest_rule_versions FOR SELECT TO quayside_backup USING (true);

CREATE POLICY backup ON workspace.ingest_rules FOR SELECT TO quayside_backup USING (true);

CREATE POLICY backup ON workspace.key_figures FOR SELECT TO quayside_backup USING (true);

CREATE POLICY backup ON workspace.key_hours FOR SELECT TO quayside_backup USING (true);

CREATE POLICY backup ON workspace.line_approvals FOR SELECT TO quayside_backup USING (true);

CREATE POLICY backup ON workspace.line_flags FOR SELECT TO quayside_backup USING (true);

CREATE POLICY backup ON workspace.line_suggestions FOR SELECT TO quayside_backup USING (true);

CREATE POLICY backup ON workspace.mailed_addresses FOR SELECT TO quayside_backup USING (true);

CREATE POLICY backup ON workspace.meeting_notes FOR SELECT TO quayside_backup USING (true);

CREATE POLICY backup ON workspace.order_entries FOR SELECT TO quayside_backup USING (true);

CREATE POLICY backup ON workspace.order_line_items FOR SELECT TO quayside_backup USING (true);

CREATE POLICY backup ON workspace.order_mails FOR SELECT TO quayside_backup USING (true);

CREATE POLICY backup ON workspace.order_receivers FOR SELECT TO quayside_backup USING (true);

CREATE POLICY backup ON workspace.orders FOR SELECT TO quayside_backup USING (true);

CREATE POLICY backup ON workspace.playbook_state FOR SELECT TO quayside_backup USING (true);

CREATE POLICY backup ON workspace.playbook_versions FOR SELECT TO quayside_backup USING (true);

CREATE POLICY backup ON workspace.products FOR SELECT TO quayside_backup USING (true);

CREATE POLICY backup ON workspace.purchase_order_lines FOR SELECT TO quayside_backup USING (true);

CREATE POLICY backup ON workspace.purchase_order_sums FOR SELECT TO quayside_backup USING (true);

CREATE POLICY backup ON workspace.purchase_orders FOR SELECT TO quayside_backup USING (true);

CREATE POLICY backup ON workspace.queue_marks FOR SELECT TO quayside_backup USING (true);

CREATE POLICY backup ON workspace.queue_rows FOR SELECT TO quayside_backup USING (true);

CREATE POLICY backup ON workspace.queue_state FOR SELECT TO quayside_backup USING (true);

CREATE POLICY backup ON workspace.receipts FOR SELECT TO quayside_backup USING (true);

CREATE POLICY backup ON workspace.record_sequences FOR SELECT TO quayside_backup USING (true);

CREATE POLICY backup ON workspace.records FOR SELECT TO quayside_backup USING (true);

CREATE POLICY backup ON workspace.registry_columns FOR SELECT TO quayside_backup USING (true);

CREATE POLICY backup ON workspace.registry_snapshots FOR SELECT TO quayside_backup USING (true);

CREATE POLICY backup ON workspace.registry_tables FOR SELECT TO quayside_backup USING (true);

CREATE POLICY backup ON workspace.sales_changed FOR SELECT TO quayside_backup USING (true);

CREATE POLICY backup ON workspace.sales_customers FOR SELECT TO quayside_backup USING (true);

CREATE POLICY backup ON workspace.sales_days FOR SELECT TO quayside_backup USING (true);

CREATE POLICY backup ON workspace.sales_lines FOR SELECT TO quayside_backup USING (true);

CREATE POLICY backup ON workspace.sales_orders FOR SELECT TO quayside_backup USING (true);

CREATE POLICY backup ON workspace.sales_series FOR SELECT TO quayside_backup USING (true);

CREATE POLICY backup ON workspace.sales_settings FOR SELECT TO quayside_backup USING (true);

CREATE POLICY backup ON workspace.sales_weeks FOR SELECT TO quayside_backup USING (true);

CREATE POLICY backup ON workspace.saved_views FOR SELECT TO quayside_backup USING (true);

CREATE POLICY backup ON workspace.search_tokens FOR SELECT TO quayside_backup USING (true);

CREATE POLICY backup ON workspace.secrets FOR SELECT TO quayside_backup USING (true);

CREATE POLICY backup ON workspace.source_figures FOR SELECT TO quayside_backup USING (true);

CREATE POLICY backup ON workspace.source_hours FOR SELECT TO quayside_backup USING (true);

CREATE POLICY backup ON workspace.source_minutes FOR SELECT TO quayside_backup USING (true);

CREATE POLICY backup ON workspace.source_rhythms FOR SELECT TO quayside_backup USING (true);

CREATE POLICY backup ON workspace.stock_days FOR SELECT TO quayside_backup USING (true);

CREATE POLICY backup ON workspace.stock_history FOR SELECT TO quayside_backup USING (true);

CREATE POLICY backup ON workspace.suggestions FOR SELECT TO quayside_backup USING (true);

CREATE POLICY backup ON workspace.suppliers FOR SELECT TO quayside_backup USING (true);

CREATE POLICY backup ON workspace.suppressions FOR SELECT TO quayside_backup USING (true);

CREATE POLICY backup ON workspace.tokens FOR SELECT TO quayside_backup USING (true);

CREATE POLICY backup ON workspace.uncomputed_articles FOR SELECT TO quayside_backup USING (true);

CREATE POLICY backup ON workspace.unknown_fields FOR SELECT TO quayside_backup USING (true);

CREATE POLICY backup ON workspace.unknown_keeping FOR SELECT TO quayside_backup USING (true);

CREATE POLICY backup ON workspace.unknown_values FOR SELECT TO quayside_backup USING (true);

CREATE POLICY built_in ON workspace.registry_columns FOR SELECT TO quayside_app USING ((tenant_id = '00000000-0000-0000-0000-000000000000'::uuid));

CREATE POLICY built_in ON workspace.registry_snapshots FOR SELECT TO quayside_app USING ((tenant_id = '00000000-0000-0000-0000-000000000000'::uuid));

CREATE POLICY built_in ON workspace.registry_tables FOR SELECT TO quayside_app USING ((tenant_id = '00000000-0000-0000-0000-000000000000'::uuid));

ALTER TABLE workspace.bulk_retries ENABLE ROW LEVEL SECURITY;

ALTER TABLE workspace.connection_pace ENABLE ROW LEVEL SECURITY;

ALTER TABLE workspace.connections ENABLE ROW LEVEL SECURITY;

ALTER TABLE workspace.conversions ENABLE ROW LEVEL SECURITY;

ALTER TABLE workspace.customers ENABLE ROW LEVEL SECURITY;

ALTER TABLE workspace.events ENABLE ROW LEVEL SECURITY;

ALTER TABLE workspace.exchange_attempts ENABLE ROW LEVEL SECURITY;

ALTER TABLE workspace.exchange_conflicts ENABLE ROW LEVEL SECURITY;

ALTER TABLE workspace.exchange_cursors ENABLE ROW LEVEL SECURITY;

ALTER TABLE workspace.exchange_ids ENABLE ROW LEVEL SECURITY;

ALTER TABLE workspace.exchange_lines ENABLE ROW LEVEL SECURITY;

ALTER TABLE workspace.exchange_listed ENABLE ROW LEVEL SECURITY;

ALTER TABLE workspace.exchange_orders ENABLE ROW LEVEL SECURITY;

ALTER TABLE workspace.failed_import_attempts ENABLE ROW LEVEL SECURITY;

ALTER TABLE workspace.failed_imports ENABLE ROW LEVEL SECURITY;

ALTER TABLE workspace.forecast_classes ENABLE ROW LEVEL SECURITY;

ALTER TABLE workspace.forecast_families ENABLE ROW LEVEL SECURITY;

ALTER TABLE workspace.forecast_log ENABLE ROW LEVEL SECURITY;

ALTER TABLE workspace.forecast_marks ENABLE ROW LEVEL SECURITY;

ALTER TABLE workspace.forecast_state ENABLE ROW LEVEL SECURITY;

ALTER TABLE workspace.forecasts ENABLE ROW LEVEL SECURITY;

ALTER TABLE workspace.import_chunks ENABLE ROW LEVEL SECURITY;

ALTER TABLE workspace.import_rejects ENABLE ROW LEVEL SECURITY;

ALTER TABLE workspace.imports ENABLE ROW LEVEL SECURITY;

ALTER TABLE workspace.inbox_mails ENABLE ROW LEVEL SECURITY;

ALTER TABLE workspace.inbox_seen ENABLE ROW LEVEL SECURITY;

ALTER TABLE workspace.inbox_unsent ENABLE ROW LEVEL SECURITY;

ALTER TABLE workspace.index_entries ENABLE ROW LEVEL SECURITY;

ALTER TABLE workspace.indexed_fields ENABLE ROW LEVEL SECURITY;

ALTER TABLE workspace.ingest_rule_versions ENABLE ROW LEVEL SECURITY;

ALTER TABLE workspace.ingest_rules ENABLE ROW LEVEL SECURITY;

ALTER TABLE workspace.key_figures ENABLE ROW LEVEL SECURITY;

ALTER TABLE workspace.key_hours ENABLE ROW LEVEL SECURITY;

ALTER TABLE workspace.line_approvals ENABLE ROW LEVEL SECURITY;

ALTER TABLE workspace.line_flags ENABLE ROW LEVEL SECURITY;

ALTER TABLE workspace.line_suggestions ENABLE ROW LEVEL SECURITY;

ALTER TABLE workspace.mailed_addresses ENABLE ROW LEVEL SECURITY;

ALTER TABLE workspace.meeting_notes ENABLE ROW LEVEL SECURITY;

CREATE POLICY merged ON workspace.products AS RESTRICTIVE TO quayside_app USING (((merged_into IS NULL) OR (current_setting('app.merging'::text, true) = 'on'::text))) WITH CHECK (true);

CREATE POLICY migrations ON workspace.registry_columns TO CURRENT_USER USING ((tenant_id = '00000000-0000-0000-0000-000000000000'::uuid));

CREATE POLICY migrations ON workspace.registry_snapshots TO CURRENT_USER USING ((tenant_id = '00000000-0000-0000-0000-000000000000'::uuid));

CREATE POLICY migrations ON workspace.registry_tables TO CURRENT_USER USING ((tenant_id = '00000000-0000-0000-0000-000000000000'::uuid));

CREATE POLICY only_old ON workspace.forecast_log AS RESTRICTIVE FOR DELETE TO quayside_app USING ((origin < (CURRENT_DATE - 795)));

ALTER TABLE workspace.order_entries ENABLE ROW LEVEL SECURITY;

ALTER TABLE workspace.order_line_items ENABLE ROW LEVEL SECURITY;

ALTER TABLE workspace.order_mails ENABLE ROW LEVEL SECURITY;

ALTER TABLE workspace.order_receivers ENABLE ROW LEVEL SECURITY;

ALTER TABLE workspace.orders ENABLE ROW LEVEL SECURITY;

ALTER TABLE workspace.playbook_state ENABLE ROW LEVEL SECURITY;

ALTER TABLE workspace.playbook_versions ENABLE ROW LEVEL SECURITY;

ALTER TABLE workspace.products ENABLE ROW LEVEL SECURITY;

ALTER TABLE workspace.purchase_order_lines ENABLE ROW LEVEL SECURITY;

ALTER TABLE workspace.purchase_order_sums ENABLE ROW LEVEL SECURITY;

ALTER TABLE workspace.purchase_orders ENABLE ROW LEVEL SECURITY;

ALTER TABLE workspace.queue_marks ENABLE ROW LEVEL SECURITY;

ALTER TABLE workspace.queue_rows ENABLE ROW LEVEL SECURITY;

ALTER TABLE workspace.queue_state ENABLE ROW LEVEL SECURITY;

ALTER TABLE workspace.receipts ENABLE ROW LEVEL SECURITY;

ALTER TABLE workspace.record_sequences ENABLE ROW LEVEL SECURITY;

ALTER TABLE workspace.records ENABLE ROW LEVEL SECURITY;

ALTER TABLE workspace.registry_columns ENABLE ROW LEVEL SECURITY;

ALTER TABLE workspace.registry_snapshots ENABLE ROW LEVEL SECURITY;

ALTER TABLE workspace.registry_tables ENABLE ROW LEVEL SECURITY;

ALTER TABLE workspace.sales_changed ENABLE ROW LEVEL SECURITY;

ALTER TABLE workspace.sales_customers ENABLE ROW LEVEL SECURITY;

ALTER TABLE workspace.sales_days ENABLE ROW LEVEL SECURITY;

ALTER TABLE workspace.sales_lines ENABLE ROW LEVEL SECURITY;

ALTER TABLE workspace.sales_orders ENABLE ROW LEVEL SECURITY;

ALTER TABLE workspace.sales_series ENABLE ROW LEVEL SECURITY;

ALTER TABLE workspace.sales_settings ENABLE ROW LEVEL SECURITY;

ALTER TABLE workspace.sales_weeks ENABLE ROW LEVEL SECURITY;

ALTER TABLE workspace.saved_views ENABLE ROW LEVEL SECURITY;

ALTER TABLE workspace.search_tokens ENABLE ROW LEVEL SECURITY;

ALTER TABLE workspace.secrets ENABLE ROW LEVEL SECURITY;

ALTER TABLE workspace.source_figures ENABLE ROW LEVEL SECURITY;

ALTER TABLE workspace.source_hours ENABLE ROW LEVEL SECURITY;

ALTER TABLE workspace.source_minutes ENABLE ROW LEVEL SECURITY;

ALTER TABLE workspace.source_rhythms ENABLE ROW LEVEL SECURITY;

ALTER TABLE workspace.stock_days ENABLE ROW LEVEL SECURITY;

ALTER TABLE workspace.stock_history ENABLE ROW LEVEL SECURITY;

ALTER TABLE workspace.suggestions ENABLE ROW LEVEL SECURITY;

ALTER TABLE workspace.suppliers ENABLE ROW LEVEL SECURITY;

ALTER TABLE workspace.suppressions ENABLE ROW LEVEL SECURITY;

CREATE POLICY system_reads ON workspace.agent_runs FOR SELECT TO quayside_system USING (true);

CREATE POLICY system_reads ON workspace.alerts FOR SELECT TO quayside_system USING (true);

CREATE POLICY system_reads ON workspace.api_keys FOR SELECT TO quayside_system USING (true);

CREATE POLICY system_reads ON workspace.audit FOR SELECT TO quayside_system USING ((action = ANY (ARRAY['purchase_order_line.sent_back'::text, 'tool.called'::text])));

CREATE POLICY system_reads ON workspace.audit_seals FOR SELECT TO quayside_system USING ((call_hash IS NOT NULL));

CREATE POLICY system_reads ON workspace.audit_unsealed FOR SELECT TO quayside_system USING (true);

CREATE POLICY system_reads ON workspace.backfills FOR SELECT TO quayside_system USING (true);

CREATE POLICY system_reads ON workspace.bulk_retries FOR SELECT TO quayside_system USING (true);

CREATE POLICY system_reads ON workspace.connection_pace FOR SELECT TO quayside_system USING (true);

CREATE POLICY system_reads ON workspace.connections FOR SELECT TO quayside_system USING (true);

CREATE POLICY system_reads ON workspace.events FOR SELECT TO quayside_system USING (true);

CREATE POLICY system_reads ON workspace.exchange_cursors FOR SELECT TO quayside_system USING (true);

CREATE POLICY system_reads ON workspace.exchange_orders FOR SELECT TO quayside_system USING (true);

CREATE POLICY system_reads ON workspace.failed_imports FOR SELECT TO quayside_system USING (true);

CREATE POLICY system_reads ON workspace.forecast_marks FOR SELECT TO quayside_system USING (true);

CREATE POLICY system_reads ON workspace.forecast_state FOR SELECT TO quayside_system USING (true);

CREATE POLICY system_reads ON workspace.imports FOR SELECT TO quayside_system USING (true);

CREATE POLICY system_reads ON workspace.inbox_mails FOR SELECT TO quayside_system USING (true);

CREATE POLICY system_reads ON workspace.inbox_unsent FOR SELECT TO quayside_system USING (true);

CREATE POLICY system_reads ON workspace.indexed_fields FOR SELECT TO quayside_system USING (true);

CREATE POLICY system_reads ON workspace.key_hours FOR SELECT TO quayside_system USING (true);

CREATE POLICY system_reads ON workspace.order_entries FOR SELECT TO quayside_system USING (true);

CREATE POLICY system_reads ON workspace.order_line_items FOR SELECT TO quayside_system USING (true);

CREATE POLICY system_reads ON workspace.orders FOR SELECT TO quayside_system USING (true);

CREATE POLICY system_reads ON workspace.playbook_state FOR SELECT TO quayside_system USING (true);

CREATE POLICY system_reads ON workspace.playbook_versions FOR SELECT TO quayside_system USING ((kind = 'config'::text));

CREATE POLICY system_reads ON workspace.products FOR SELECT TO quayside_system USING (true);

CREATE POLICY system_reads ON workspace.purchase_order_lines FOR SELECT TO quayside_system USING (true);

CREATE POLICY system_reads ON workspace.queue_marks FOR SELECT TO quayside_system USING (true);

CREATE POLICY system_reads ON workspace.queue_state FOR SELECT TO quayside_system USING (true);

CREATE POLICY system_reads ON workspace.sales_changed FOR SELECT TO quayside_system USING (true);

CREATE POLICY system_reads ON workspace.sales_series FOR SELECT TO quayside_system USING (true);

CREATE POLICY system_reads ON workspace.sales_settings FOR SELECT TO quayside_system USING (true);

CREATE POLICY system_reads ON workspace.search_tokens FOR SELECT TO quayside_system USING ((kind = 6));

CREATE POLICY system_reads ON workspace.secrets FOR SELECT TO quayside_system USING (true);

CREATE POLICY system_reads ON workspace.source_figures FOR SELECT TO quayside_system USING (true);

CREATE POLICY system_reads ON workspace.source_hours FOR SELECT TO quayside_system USING (true);

CREATE POLICY system_reads ON workspace.source_minutes FOR SELECT TO quayside_system USING (true);

CREATE POLICY system_reads ON workspace.source_rhythms FOR SELECT TO quayside_system USING (true);

CREATE POLICY system_reads ON workspace.stock_history FOR SELECT TO quayside_system USING (true);

CREATE POLICY system_reads ON workspace.suggestions FOR SELECT TO quayside_system USING (true);

CREATE POLICY system_reads ON workspace.suppliers FOR SELECT TO quayside_system USING (true);

CREATE POLICY system_reads ON workspace.unknown_fields FOR SELECT TO quayside_system USING (true);

CREATE POLICY system_reads ON workspace.unknown_keeping FOR SELECT TO quayside_system USING (true);

CREATE POLICY system_reads ON workspace.unknown_values FOR SELECT TO quayside_system USING (true);

CREATE POLICY system_tidies ON workspace.alerts FOR DELETE TO quayside_system USING ((resolved_at < ( SELECT control.kept_since('alerts'::text) AS kept_since)));

CREATE POLICY system_tidies ON workspace.audit FOR DELETE TO quayside_system USING (((action = 'tool.called'::text) AND (at < ( SELECT control.kept_since('tool_calls'::text) AS kept_since)) AND (EXISTS ( SELECT
   FROM workspace.audit_seals s
  WHERE ((s.tenant_id = audit.tenant_id) AND (s.row_id = audit.id))))));

CREATE POLICY system_tidies ON workspace.backfills FOR DELETE TO quayside_system USING ((finished_at < ( SELECT control.kept_since('backfills'::text) AS kept_since)));

CREATE POLICY system_tidies ON workspace.bulk_retries FOR DELETE TO quayside_system USING ((finished_at < ( SELECT control.kept_since('bulk_retries'::text) AS kept_since)));

CREATE POLICY system_tidies ON workspace.failed_imports FOR DELETE TO quayside_system USING (((closed_at < ( SELECT control.kept_since('failed_imports'::text) AS kept_since)) OR ((closed_at IS NULL) AND (last_seen_at < ( SELECT control.kept_since('open_failed_imports'::text) AS kept_since)))));

CREATE POLICY system_tidies ON workspace.imports FOR DELETE TO quayside_system USING ((finished_at < ( SELECT control.kept_since('imports'::text) AS kept_since)));

CREATE POLICY system_tidies ON workspace.key_hours FOR DELETE TO quayside_system USING ((hour < ( SELECT control.kept_since('key_hours'::text) AS kept_since)));

CREATE POLICY system_tidies ON workspace.search_tokens FOR DELETE TO quayside_system USING ((kind = 6));

CREATE POLICY system_tidies ON workspace.source_hours FOR DELETE TO quayside_system USING ((hour < ( SELECT control.kept_since('source_hours'::text) AS kept_since)));

CREATE POLICY system_tidies ON workspace.stock_history FOR DELETE TO quayside_system USING ((observed_at < ( SELECT control.kept_since('stock_history'::text) AS kept_since)));

CREATE POLICY system_tidies ON workspace.unknown_fields FOR DELETE TO quayside_system USING ((last_seen_at < ( SELECT control.kept_since('unknown_fields'::text) AS kept_since)));

CREATE POLICY system_tidies ON workspace.unknown_values FOR DELETE TO quayside_system USING ((seen_at < ( SELECT control.kept_since('unknown_values'::text) AS kept_since)));

CREATE POLICY tenant ON workspace.agent_decisions TO quayside_app USING (((tenant_id = ANY (( SELECT control.bound_tenants() AS bound_tenants)::uuid[])) IS TRUE)) WITH CHECK (((tenant_id = ANY (( SELECT control.bound_tenants() AS bound_tenants)::uuid[])) IS TRUE));

CREATE POLICY tenant ON workspace.agent_runs TO quayside_app USING (((tenant_id = ANY (( SELECT control.bound_tenants() AS bound_tenants)::uuid[])) IS TRUE)) WITH CHECK (((tenant_id = ANY (( SELECT control.bound_tenants() AS bound_tenants)::uuid[])) IS TRUE));

CREATE POLICY tenant ON workspace.alert_reads TO quayside_app USING (((tenant_id = ANY (( SELECT control.bound_tenants() AS bound_tenants)::uuid[])) IS TRUE)) WITH CHECK (((tenant_id = ANY (( SELECT control.bound_tenants() AS bound_tenants)::uuid[])) IS TRUE));

CREATE POLICY tenant ON workspace.alerts TO quayside_app USING (((tenant_id = ANY (( SELECT control.bound_tenants() AS bound_tenants)::uuid[])) IS TRUE)) WITH CHECK (((tenant_id = ANY (( SELECT control.bound_tenants() AS bound_tenants)::uuid[])) IS TRUE));

CREATE POLICY tenant ON workspace.api_keys TO quayside_app USING (((tenant_id = ANY (( SELECT control.bound_tenants() AS bound_tenants)::uuid[])) IS TRUE)) WITH CHECK (((tenant_id = ANY (( SELECT control.bound_tenants() AS bound_tenants)::uuid[])) IS TRUE));

CREATE POLICY tenant ON workspace.approval_limits TO quayside_app USING (((tenant_id = ANY (( SELECT control.bound_tenants() AS bound_tenants)::uuid[])) IS TRUE)) WITH CHECK (((tenant_id = ANY (( SELECT control.bound_tenants() AS bound_tenants)::uuid[])) IS TRUE));

CREATE POLICY tenant ON workspace.article_aliases TO quayside_app USING (((tenant_id = ANY (( SELECT control.bound_tenants() AS bound_tenants)::uuid[])) IS TRUE)) WITH CHECK (((tenant_id = ANY (( SELECT control.bound_tenants() AS bound_tenants)::uuid[])) IS TRUE));

CREATE POLICY tenant ON workspace.audit TO quayside_app USING (((tenant_id = ANY (( SELECT control.bound_tenants() AS bound_tenants)::uuid[])) IS TRUE)) WITH CHECK (((tenant_id = ANY (( SELECT control.bound_tenants() AS bound_tenants)::uuid[])) IS TRUE));

CREATE POLICY tenant ON workspace.audit_seals TO quayside_app USING (((tenant_id = ANY (( SELECT control.bound_tenants() AS bound_tenants)::uuid[])) IS TRUE)) WITH CHECK (((tenant_id = ANY (( SELECT control.bound_tenants() AS bound_tenants)::uuid[])) IS TRUE));

CREATE POLICY tenant ON workspace.audit_unsealed TO quayside_app USING (((tenant_id = ANY (( SELECT control.bound_tenants() AS bound_tenants)::uuid[])) IS TRUE)) WITH CHECK (((tenant_id = ANY (( SELECT control.bound_tenants() AS bound_tenants)::uuid[])) IS TRUE));

CREATE POLICY tenant ON workspace.backfills TO quayside_app USING (((tenant_id = ANY (( SELECT control.bound_tenants() AS bound_tenants)::uuid[])) IS TRUE)) WITH CHECK (((tenant_id = ANY (( SELECT control.bound_tenants() AS bound_tenants)::uuid[])) IS TRUE));

CREATE POLICY tenant ON workspace.bulk_retries TO quayside_app USING (((tenant_id = ANY (( SELECT control.bound_tenants() AS bound_tenants)::uuid[])) IS TRUE)) WITH CHECK (((tenant_id = ANY (( SELECT control.bound_tenants() AS bound_tenants)::uuid[])) IS TRUE));

CREATE POLICY tenant ON workspace.connection_pace TO quayside_app USING (((tenant_id = ANY (( SELECT control.bound_tenants() AS bound_tenants)::uuid[])) IS TRUE)) WITH CHECK (((tenant_id = ANY (( SELECT control.bound_tenants() AS bound_tenants)::uuid[])) IS TRUE));

CREATE POLICY tenant ON workspace.connections TO quayside_app USING (((tenant_id = ANY (( SELECT control.bound_tenants() AS bound_tenants)::uuid[])) IS TRUE)) WITH CHECK (((tenant_id = ANY (( SELECT control.bound_tenants() AS bound_tenants)::uuid[])) IS TRUE));

CREATE POLICY tenant ON workspace.conversions TO quayside_app USING (((tenant_id = ANY (( SELECT control.bound_tenants() AS bound_tenants)::uuid[])) IS TRUE)) WITH CHECK (((tenant_id = ANY (( SELECT control.bound_tenants() AS bound_tenants)::uuid[])) IS TRUE));

CREATE POLICY tenant ON workspace.customers TO quayside_app USING (((tenant_id = ANY (( SELECT control.bound_tenants() AS bound_tenants)::uuid[])) IS TRUE)) WITH CHECK (((tenant_id = ANY (( SELECT control.bound_tenants() AS bound_tenants)::uuid[])) IS TRUE));

CREATE POLICY tenant ON workspace.events TO quayside_app USING (((tenant_id = ANY (( SELECT control.bound_tenants() AS bound_tenants)::uuid[])) IS TRUE)) WITH CHECK (((tenant_id = ANY (( SELECT control.bound_tenants() AS bound_tenants)::uuid[])) IS TRUE));

CREATE POLICY tenant ON workspace.exchange_attempts TO quayside_app USING (((tenant_id = ANY (( SELECT control.bound_tenants() AS bound_tenants)::uuid[])) IS TRUE)) WITH CHECK (((tenant_id = ANY (( SELECT control.bound_tenants() AS bound_tenants)::uuid[])) IS TRUE));

CREATE POLICY tenant ON workspace.exchange_conflicts TO quayside_app USING (((tenant_id = ANY (( SELECT control.bound_tenants() AS bound_tenants)::uuid[])) IS TRUE)) WITH CHECK (((tenant_id = ANY (( SELECT control.bound_tenants() AS bound_tenants)::uuid[])) IS TRUE));

CREATE POLICY tenant ON workspace.exchange_cursors TO quayside_app USING (((tenant_id = ANY (( SELECT control.bound_tenants() AS bound_tenants)::uuid[])) IS TRUE)) WITH CHECK (((tenant_id = ANY (( SELECT control.bound_tenants() AS bound_tenants)::uuid[])) IS TRUE));

CREATE POLICY tenant ON workspace.exchange_ids TO quayside_app USING (((tenant_id = ANY (( SELECT control.bound_tenants() AS bound_tenants)::uuid[])) IS TRUE)) WITH CHECK (((tenant_id = ANY (( SELECT control.bound_tenants() AS bound_tenants)::uuid[])) IS TRUE));

CREATE POLICY tenant ON workspace.exchange_lines TO quayside_app USING (((tenant_id = ANY (( SELECT control.bound_tenants() AS bound_tenants)::uuid[])) IS TRUE)) WITH CHECK (((tenant_id = ANY (( SELECT control.bound_tenants() AS bound_tenants)::uuid[])) IS TRUE));

CREATE POLICY tenant ON workspace.exchange_listed TO quayside_app USING (((tenant_id = ANY (( SELECT control.bound_tenants() AS bound_tenants)::uuid[])) IS TRUE)) WITH CHECK (((tenant_id = ANY (( SELECT control.bound_tenants() AS bound_tenants)::uuid[])) IS TRUE));

CREATE POLICY tenant ON workspace.exchange_orders TO quayside_app USING (((tenant_id = ANY (( SELECT control.bound_tenants() AS bound_tenants)::uuid[])) IS TRUE)) WITH CHECK (((tenant_id = ANY (( SELECT control.bound_tenants() AS bound_tenants)::uuid[])) IS TRUE));

CREATE POLICY tenant ON workspace.failed_import_attempts TO quayside_app USING (((tenant_id = ANY (( SELECT control.bound_tenants() AS bound_tenants)::uuid[])) IS TRUE)) WITH CHECK (((tenant_id = ANY (( SELECT control.bound_tenants() AS bound_tenants)::uuid[])) IS TRUE));

CREATE POLICY tenant ON workspace.failed_imports TO quayside_app USING (((tenant_id = ANY (( SELECT control.bound_tenants() AS bound_tenants)::uuid[])) IS TRUE)) WITH CHECK (((tenant_id = ANY (( SELECT control.bound_tenants() AS bound_tenants)::uuid[])) IS TRUE));

CREATE POLICY tenant ON workspace.forecast_classes TO quayside_app USING (((tenant_id = ANY (( SELECT control.bound_tenants() AS bound_tenants)::uuid[])) IS TRUE)) WITH CHECK (((tenant_id = ANY (( SELECT control.bound_tenants() AS bound_tenants)::uuid[])) IS TRUE));

CREATE POLICY tenant ON workspace.forecast_families TO quayside_app USING (((tenant_id = ANY (( SELECT control.bound_tenants() AS bound_tenants)::uuid[])) IS TRUE)) WITH CHECK (((tenant_id = ANY (( SELECT control.bound_tenants() AS bound_tenants)::uuid[])) IS TRUE));

CREATE POLICY tenant ON workspace.forecast_log TO quayside_app USING (((tenant_id = ANY (( SELECT control.bound_tenants() AS bound_tenants)::uuid[])) IS TRUE)) WITH CHECK (((tenant_id = ANY (( SELECT control.bound_tenants() AS bound_tenants)::uuid[])) IS TRUE));

CREATE POLICY tenant ON workspace.forecast_marks TO quayside_app USING (((tenant_id = ANY (( SELECT control.bound_tenants() AS bound_tenants)::uuid[])) IS TRUE)) WITH CHECK (((tenant_id = ANY (( SELECT control.bound_tenants() AS bound_tenants)::uuid[])) IS TRUE));

CREATE POLICY tenant ON workspace.forecast_state TO quayside_app USING (((tenant_id = ANY (( SELECT control.bound_tenants() AS bound_tenants)::uuid[])) IS TRUE)) WITH CHECK (((tenant_id = ANY (( SELECT control.bound_tenants() AS bound_tenants)::uuid[])) IS TRUE));

CREATE POLICY tenant ON workspace.forecasts TO quayside_app USING (((tenant_id = ANY (( SELECT control.bound_tenants() AS bound_tenants)::uuid[])) IS TRUE)) WITH CHECK (((tenant_id = ANY (( SELECT control.bound_tenants() AS bound_tenants)::uuid[])) IS TRUE));

CREATE POLICY tenant ON workspace.import_chunks TO quayside_app USING (((tenant_id = ANY (( SELECT control.bound_tenants() AS bound_tenants)::uuid[])) IS TRUE)) WITH CHECK (((tenant_id = ANY (( SELECT control.bound_tenants() AS bound_tenants)::uuid[])) IS TRUE));

CREATE POLICY tenant ON workspace.import_rejects TO quayside_app USING (((tenant_id = ANY (( SELECT control.bound_tenants() AS bound_tenants)::uuid[])) IS TRUE)) WITH CHECK (((tenant_id = ANY (( SELECT control.bound_tenants() AS bound_tenants)::uuid[])) IS TRUE));

CREATE POLICY tenant ON workspace.imports TO quayside_app USING (((tenant_id = ANY (( SELECT control.bound_tenants() AS bound_tenants)::uuid[])) IS TRUE)) WITH CHECK (((tenant_id = ANY (( SELECT control.bound_tenants() AS bound_tenants)::uuid[])) IS TRUE));

CREATE POLICY tenant ON workspace.inbox_mails TO quayside_app USING (((tenant_id = ANY (( SELECT control.bound_tenants() AS bound_tenants)::uuid[])) IS TRUE)) WITH CHECK (((tenant_id = ANY (( SELECT control.bound_tenants() AS bound_tenants)::uuid[])) IS TRUE));

CREATE POLICY tenant ON workspace.inbox_seen TO quayside_app USING (((tenant_id = ANY (( SELECT control.bound_tenants() AS bound_tenants)::uuid[])) IS TRUE)) WITH CHECK (((tenant_id = ANY (( SELECT control.bound_tenants() AS bound_tenants)::uuid[])) IS TRUE));

CREATE POLICY tenant ON workspace.inbox_unsent TO quayside_app USING (((tenant_id = ANY (( SELECT control.bound_tenants() AS bound_tenants)::uuid[])) IS TRUE)) WITH CHECK (((tenant_id = ANY (( SELECT control.bound_tenants() AS bound_tenants)::uuid[])) IS TRUE));

CREATE POLICY tenant ON workspace.index_entries TO quayside_app USING (((tenant_id = ANY (( SELECT control.bound_tenants() AS bound_tenants)::uuid[])) IS TRUE)) WITH CHECK (((tenant_id = ANY (( SELECT control.bound_tenants() AS bound_tenants)::uuid[])) IS TRUE));

CREATE POLICY tenant ON workspace.indexed_fields TO quayside_app USING (((tenant_id = ANY (( SELECT control.bound_tenants() AS bound_tenants)::uuid[])) IS TRUE)) WITH CHECK (((tenant_id = ANY (( SELECT control.bound_tenants() AS bound_tenants)::uuid[])) IS TRUE));

CREATE POLICY tenant ON workspace.ingest_rule_versions TO quayside_app USING (((tenant_id = ANY (( SELECT control.bound_tenants() AS bound_tenants)::uuid[])) IS TRUE)) WITH CHECK (((tenant_id = ANY (( SELECT control.bound_tenants() AS bound_tenants)::uuid[])) IS TRUE));

CREATE POLICY tenant ON workspace.ingest_rules TO quayside_app USING (((tenant_id = ANY (( SELECT control.bound_tenants() AS bound_tenants)::uuid[])) IS TRUE)) WITH CHECK (((tenant_id = ANY (( SELECT control.bound_tenants() AS bound_tenants)::uuid[])) IS TRUE));

CREATE POLICY tenant ON workspace.key_figures TO quayside_app USING (((tenant_id = ANY (( SELECT control.bound_tenants() AS bound_tenants)::uuid[])) IS TRUE)) WITH CHECK (((tenant_id = ANY (( SELECT control.bound_tenants() AS bound_tenants)::uuid[])) IS TRUE));

CREATE POLICY tenant ON workspace.key_hours TO quayside_app USING (((tenant_id = ANY (( SELECT control.bound_tenants() AS bound_tenants)::uuid[])) IS TRUE)) WITH CHECK (((tenant_id = ANY (( SELECT control.bound_tenants() AS bound_tenants)::uuid[])) IS TRUE));

CREATE POLICY tenant ON workspace.line_approvals TO quayside_app USING (((tenant_id = ANY (( SELECT control.bound_tenants() AS bound_tenants)::uuid[])) IS TRUE)) WITH CHECK (((tenant_id = ANY (( SELECT control.bound_tenants() AS bound_tenants)::uuid[])) IS TRUE));

CREATE POLICY tenant ON workspace.line_flags TO quayside_app USING (((tenant_id = ANY (( SELECT control.bound_tenants() AS bound_tenants)::uuid[])) IS TRUE)) WITH CHECK (((tenant_id = ANY (( SELECT control.bound_tenants() AS bound_tenants)::uuid[])) IS TRUE));

CREATE POLICY tenant ON workspace.line_suggestions TO quayside_app USING (((tenant_id = ANY (( SELECT control.bound_tenants() AS bound_tenants)::uuid[])) IS TRUE)) WITH CHECK (((tenant_id = ANY (( SELECT control.bound_tenants() AS bound_tenants)::uuid[])) IS TRUE));

CREATE POLICY tenant ON workspace.mailed_addresses TO quayside_app USING (((tenant_id = ANY (( SELECT control.bound_tenants() AS bound_tenants)::uuid[])) IS TRUE)) WITH CHECK (((tenant_id = ANY (( SELECT control.bound_tenants() AS bound_tenants)::uuid[])) IS TRUE));

CREATE POLICY tenant ON workspace.meeting_notes TO quayside_app USING (((tenant_id = ANY (( SELECT control.bound_tenants() AS bound_tenants)::uuid[])) IS TRUE)) WITH CHECK (((tenant_id = ANY (( SELECT control.bound_tenants() AS bound_tenants)::uuid[])) IS TRUE));

CREATE POLICY tenant ON workspace.order_entries TO quayside_app USING (((tenant_id = ANY (( SELECT control.bound_tenants() AS bound_tenants)::uuid[])) IS TRUE)) WITH CHECK (((tenant_id = ANY (( SELECT control.bound_tenants() AS bound_tenants)::uuid[])) IS TRUE));

CREATE POLICY tenant ON workspace.order_line_items TO quayside_app USING (((tenant_id = ANY (( SELECT control.bound_tenants() AS bound_tenants)::uuid[])) IS TRUE)) WITH CHECK (((tenant_id = ANY (( SELECT control.bound_tenants() AS bound_tenants)::uuid[])) IS TRUE));

CREATE POLICY tenant ON workspace.order_mails TO quayside_app USING (((tenant_id = ANY (( SELECT control.bound_tenants() AS bound_tenants)::uuid[])) IS TRUE)) WITH CHECK (((tenant_id = ANY (( SELECT control.bound_tenants() AS bound_tenants)::uuid[])) IS TRUE));

CREATE POLICY tenant ON workspace.order_receivers TO quayside_app USING (((tenant_id = ANY (( SELECT control.bound_tenants() AS bound_tenants)::uuid[])) IS TRUE)) WITH CHECK (((tenant_id = ANY (( SELECT control.bound_tenants() AS bound_tenants)::uuid[])) IS TRUE));

CREATE POLICY tenant ON workspace.orders TO quayside_app USING (((tenant_id = ANY (( SELECT control.bound_tenants() AS bound_tenants)::uuid[])) IS TRUE)) WITH CHECK (((tenant_id = ANY (( SELECT control.bound_tenants() AS bound_tenants)::uuid[])) IS TRUE));

CREATE POLICY tenant ON workspace.playbook_state TO quayside_app USING (((tenant_id = ANY (( SELECT control.bound_tenants() AS bound_tenants)::uuid[])) IS TRUE)) WITH CHECK (((tenant_id = ANY (( SELECT control.bound_tenants() AS bound_tenants)::uuid[])) IS TRUE));

CREATE POLICY tenant ON workspace.playbook_versions TO quayside_app USING (((tenant_id = ANY (( SELECT control.bound_tenants() AS bound_tenants)::uuid[])) IS TRUE)) WITH CHECK (((tenant_id = ANY (( SELECT control.bound_tenants() AS bound_tenants)::uuid[])) IS TRUE));

CREATE POLICY tenant ON workspace.products TO quayside_app USING (((tenant_id = ANY (( SELECT control.bound_tenants() AS bound_tenants)::uuid[])) IS TRUE)) WITH CHECK (((tenant_id = ANY (( SELECT control.bound_tenants() AS bound_tenants)::uuid[])) IS TRUE));

CREATE POLICY tenant ON workspace.purchase_order_lines TO quayside_app USING (((tenant_id = ANY (( SELECT control.bound_tenants() AS bound_tenants)::uuid[])) IS TRUE)) WITH CHECK (((tenant_id = ANY (( SELECT control.bound_tenants() AS bound_tenants)::uuid[])) IS TRUE));

CREATE POLICY tenant ON workspace.purchase_order_sums TO quayside_app USING (((tenant_id = ANY (( SELECT control.bound_tenants() AS bound_tenants)::uuid[])) IS TRUE)) WITH CHECK (((tenant_id = ANY (( SELECT control.bound_tenants() AS bound_tenants)::uuid[])) IS TRUE));

CREATE POLICY tenant ON workspace.purchase_orders TO quayside_app USING (((tenant_id = ANY (( SELECT control.bound_tenants() AS bound_tenants)::uuid[])) IS TRUE)) WITH CHECK (((tenant_id = ANY (( SELECT control.bound_tenants() AS bound_tenants)::uuid[])) IS TRUE));

CREATE POLICY tenant ON workspace.queue_marks TO quayside_app USING (((tenant_id = ANY (( SELECT control.bound_tenants() AS bound_tenants)::uuid[])) IS TRUE)) WITH CHECK (((tenant_id = ANY (( SELECT control.bound_tenants() AS bound_tenants)::uuid[])) IS TRUE));

CREATE POLICY tenant ON workspace.queue_rows TO quayside_app USING (((tenant_id = ANY (( SELECT control.bound_tenants() AS bound_tenants)::uuid[])) IS TRUE)) WITH CHECK (((tenant_id = ANY (( SELECT control.bound_tenants() AS bound_tenants)::uuid[])) IS TRUE));

CREATE POLICY tenant ON workspace.queue_state TO quayside_app USING (((tenant_id = ANY (( SELECT control.bound_tenants() AS bound_tenants)::uuid[])) IS TRUE)) WITH CHECK (((tenant_id = ANY (( SELECT control.bound_tenants() AS bound_tenants)::uuid[])) IS TRUE));

CREATE POLICY tenant ON workspace.receipts TO quayside_app USING (((tenant_id = ANY (( SELECT control.bound_tenants() AS bound_tenants)::uuid[])) IS TRUE)) WITH CHECK (((tenant_id = ANY (( SELECT control.bound_tenants() AS bound_tenants)::uuid[])) IS TRUE));

CREATE POLICY tenant ON workspace.record_sequences TO quayside_app USING (((tenant_id = ANY (( SELECT control.bound_tenants() AS bound_tenants)::uuid[])) IS TRUE)) WITH CHECK (((tenant_id = ANY (( SELECT control.bound_tenants() AS bound_tenants)::uuid[])) IS TRUE));

CREATE POLICY tenant ON workspace.records TO quayside_app USING (((tenant_id = ANY (( SELECT control.bound_tenants() AS bound_tenants)::uuid[])) IS TRUE)) WITH CHECK (((tenant_id = ANY (( SELECT control.bound_tenants() AS bound_tenants)::uuid[])) IS TRUE));

CREATE POLICY tenant ON workspace.registry_columns TO quayside_app USING (((tenant_id = ANY (( SELECT control.bound_tenants() AS bound_tenants)::uuid[])) IS TRUE)) WITH CHECK (((tenant_id = ANY (( SELECT control.bound_tenants() AS bound_tenants)::uuid[])) IS TRUE));

CREATE POLICY tenant ON workspace.registry_snapshots TO quayside_app USING (((tenant_id = ANY (( SELECT control.bound_tenants() AS bound_tenants)::uuid[])) IS TRUE)) WITH CHECK (((tenant_id = ANY (( SELECT control.bound_tenants() AS bound_tenants)::uuid[])) IS TRUE));

CREATE POLICY tenant ON workspace.registry_tables TO quayside_app USING (((tenant_id = ANY (( SELECT control.bound_tenants() AS bound_tenants)::uuid[])) IS TRUE)) WITH CHECK (((tenant_id = ANY (( SELECT control.bound_tenants() AS bound_tenants)::uuid[])) IS TRUE));

CREATE POLICY tenant ON workspace.sales_changed TO quayside_app USING (((tenant_id = ANY (( SELECT control.bound_tenants() AS bound_tenants)::uuid[])) IS TRUE)) WITH CHECK (((tenant_id = ANY (( SELECT control.bound_tenants() AS bound_tenants)::uuid[])) IS TRUE));

CREATE POLICY tenant ON workspace.sales_customers TO quayside_app USING (((tenant_id = ANY (( SELECT control.bound_tenants() AS bound_tenants)::uuid[])) IS TRUE)) WITH CHECK (((tenant_id = ANY (( SELECT control.bound_tenants() AS bound_tenants)::uuid[])) IS TRUE));

CREATE POLICY tenant ON workspace.sales_days TO quayside_app USING (((tenant_id = ANY (( SELECT control.bound_tenants() AS bound_tenants)::uuid[])) IS TRUE)) WITH CHECK (((tenant_id = ANY (( SELECT control.bound_tenants() AS bound_tenants)::uuid[])) IS TRUE));

CREATE POLICY tenant ON workspace.sales_lines TO quayside_app USING (((tenant_id = ANY (( SELECT control.bound_tenants() AS bound_tenants)::uuid[])) IS TRUE)) WITH CHECK (((tenant_id = ANY (( SELECT control.bound_tenants() AS bound_tenants)::uuid[])) IS TRUE));

CREATE POLICY tenant ON workspace.sales_orders TO quayside_app USING (((tenant_id = ANY (( SELECT control.bound_tenants() AS bound_tenants)::uuid[])) IS TRUE)) WITH CHECK (((tenant_id = ANY (( SELECT control.bound_tenants() AS bound_tenants)::uuid[])) IS TRUE));

CREATE POLICY tenant ON workspace.sales_series TO quayside_app USING (((tenant_id = ANY (( SELECT control.bound_tenants() AS bound_tenants)::uuid[])) IS TRUE)) WITH CHECK (((tenant_id = ANY (( SELECT control.bound_tenants() AS bound_tenants)::uuid[])) IS TRUE));

CREATE POLICY tenant ON workspace.sales_settings TO quayside_app USING (((tenant_id = ANY (( SELECT control.bound_tenants() AS bound_tenants)::uuid[])) IS TRUE)) WITH CHECK (((tenant_id = ANY (( SELECT control.bound_tenants() AS bound_tenants)::uuid[])) IS TRUE));

CREATE POLICY tenant ON workspace.sales_weeks TO quayside_app USING (((tenant_id = ANY (( SELECT control.bound_tenants() AS bound_tenants)::uuid[])) IS TRUE)) WITH CHECK (((tenant_id = ANY (( SELECT control.bound_tenants() AS bound_tenants)::uuid[])) IS TRUE));

CREATE POLICY tenant ON workspace.saved_views TO quayside_app USING (((tenant_id = ANY (( SELECT control.bound_tenants() AS bound_tenants)::uuid[])) IS TRUE)) WITH CHECK (((tenant_id = ANY (( SELECT control.bound_tenants() AS bound_tenants)::uuid[])) IS TRUE));

CREATE POLICY tenant ON workspace.search_tokens TO quayside_app USING (((tenant_id = ANY (( SELECT control.bound_tenants() AS bound_tenants)::uuid[])) IS TRUE)) WITH CHECK (((tenant_id = ANY (( SELECT control.bound_tenants() AS bound_tenants)::uuid[])) IS TRUE));

CREATE POLICY tenant ON workspace.secrets TO quayside_app USING (((tenant_id = ANY (( SELECT control.bound_tenants() AS bound_tenants)::uuid[])) IS TRUE)) WITH CHECK (((tenant_id = ANY (( SELECT control.bound_tenants() AS bound_tenants)::uuid[])) IS TRUE));

CREATE POLICY tenant ON workspace.source_figures TO quayside_app USING (((tenant_id = ANY (( SELECT control.bound_tenants() AS bound_tenants)::uuid[])) IS TRUE)) WITH CHECK (((tenant_id = ANY (( SELECT control.bound_tenants() AS bound_tenants)::uuid[])) IS TRUE));

CREATE POLICY tenant ON workspace.source_hours TO quayside_app USING (((tenant_id = ANY (( SELECT control.bound_tenants() AS bound_tenants)::uuid[])) IS TRUE)) WITH CHECK (((tenant_id = ANY (( SELECT control.bound_tenants() AS bound_tenants)::uuid[])) IS TRUE));

CREATE POLICY tenant ON workspace.source_minutes TO quayside_app USING (((tenant_id = ANY (( SELECT control.bound_tenants() AS bound_tenants)::uuid[])) IS TRUE)) WITH CHECK (((tenant_id = ANY (( SELECT control.bound_tenants() AS bound_tenants)::uuid[])) IS TRUE));

CREATE POLICY tenant ON workspace.source_rhythms TO quayside_app USING (((tenant_id = ANY (( SELECT control.bound_tenants() AS bound_tenants)::uuid[])) IS TRUE)) WITH CHECK (((tenant_id = ANY (( SELECT control.bound_tenants() AS bound_tenants)::uuid[])) IS TRUE));

CREATE POLICY tenant ON workspace.stock_days TO quayside_app USING (((tenant_id = ANY (( SELECT control.bound_tenants() AS bound_tenants)::uuid[])) IS TRUE)) WITH CHECK (((tenant_id = ANY (( SELECT control.bound_tenants() AS bound_tenants)::uuid[])) IS TRUE));

CREATE POLICY tenant ON workspace.stock_history TO quayside_app USING (((tenant_id = ANY (( SELECT control.bound_tenants() AS bound_tenants)::uuid[])) IS TRUE)) WITH CHECK (((tenant_id = ANY (( SELECT control.bound_tenants() AS bound_tenants)::uuid[])) IS TRUE));

CREATE POLICY tenant ON workspace.suggestions TO quayside_app USING (((tenant_id = ANY (( SELECT control.bound_tenants() AS bound_tenants)::uuid[])) IS TRUE)) WITH CHECK (((tenant_id = ANY (( SELECT control.bound_tenants() AS bound_tenants)::uuid[])) IS TRUE));

CREATE POLICY tenant ON workspace.suppliers TO quayside_app USING (((tenant_id = ANY (( SELECT control.bound_tenants() AS bound_tenants)::uuid[])) IS TRUE)) WITH CHECK (((tenant_id = ANY (( SELECT control.bound_tenants() AS bound_tenants)::uuid[])) IS TRUE));

CREATE POLICY tenant ON workspace.suppressions TO quayside_app USING (((tenant_id = ANY (( SELECT control.bound_tenants() AS bound_tenants)::uuid[])) IS TRUE)) WITH CHECK (((tenant_id = ANY (( SELECT control.bound_tenants() AS bound_tenants)::uuid[])) IS TRUE));

CREATE POLICY tenant ON workspace.tokens TO quayside_app USING (((tenant_id = ANY (( SELECT control.bound_tenants() AS bound_tenants)::uuid[])) IS TRUE)) WITH CHECK (((tenant_id = ANY (( SELECT control.bound_tenants() AS bound_tenants)::uuid[])) IS TRUE));

CREATE POLICY tenant ON workspace.uncomputed_articles TO quayside_app USING (((tenant_id = ANY (( SELECT control.bound_tenants() AS bound_tenants)::uuid[])) IS TRUE)) WITH CHECK (((tenant_id = ANY (( SELECT control.bound_tenants() AS bound_tenants)::uuid[])) IS TRUE));

CREATE POLICY tenant ON workspace.unknown_fields TO quayside_app USING (((tenant_id = ANY (( SELECT control.bound_tenants() AS bound_tenants)::uuid[])) IS TRUE)) WITH CHECK (((tenant_id = ANY (( SELECT control.bound_tenants() AS bound_tenants)::uuid[])) IS TRUE));

CREATE POLICY tenant ON workspace.unknown_keeping TO quayside_app USING (((tenant_id = ANY (( SELECT control.bound_tenants() AS bound_tenants)::uuid[])) IS TRUE)) WITH CHECK (((tenant_id = ANY (( SELECT control.bound_tenants() AS bound_tenants)::uuid[])) IS TRUE));

CREATE POLICY tenant ON workspace.unknown_values TO quayside_app USING (((tenant_id = ANY (( SELECT control.bound_tenants() AS bound_tenants)::uuid[])) IS TRUE)) WITH CHECK (((tenant_id = ANY (( SELECT control.bound_tenants() AS bound_tenants)::uuid[])) IS TRUE));

ALTER TABLE workspace.tokens ENABLE ROW LEVEL SECURITY;

ALTER TABLE workspace.uncomputed_articles ENABLE ROW LEVEL SECURITY;

ALTER TABLE workspace.unknown_fields ENABLE ROW LEVEL SECURITY;

ALTER TABLE workspace.unknown_keeping ENABLE ROW LEVEL SECURITY;

ALTER TABLE workspace.unknown_values ENABLE ROW LEVEL SECURITY;

GRANT USAGE ON SCHEMA control TO quayside_app;
GRANT USAGE ON SCHEMA control TO quayside_system;
GRANT USAGE ON SCHEMA control TO quayside_backup;

GRANT USAGE ON SCHEMA workspace TO quayside_app;
GRANT USAGE ON SCHEMA workspace TO quayside_system;
GRANT USAGE ON SCHEMA workspace TO quayside_backup;

REVOKE ALL ON FUNCTION control.bound_person() FROM PUBLIC;
GRANT ALL ON FUNCTION control.bound_person() TO quayside_app;
GRANT ALL ON FUNCTION control.bound_person() TO quayside_system;

REVOKE ALL ON FUNCTION control.bound_tenants() FROM PUBLIC;
GRANT ALL ON FUNCTION control.bound_tenants() TO quayside_app;
GRANT ALL ON FUNCTION control.bound_tenants() TO quayside_system;

REVOKE ALL ON FUNCTION control.kept_since(of_name text) FROM PUBLIC;
GRANT ALL ON FUNCTION control.kept_since(of_name text) TO quayside_system;

REVOKE ALL ON FUNCTION control.protect(protected regclass, tenant_column name) FROM PUBLIC;

REVOKE ALL ON FUNCTION control.protect_person(protected regclass, person_column name) FROM PUBLIC;

REVOKE ALL ON FUNCTION workspace.add_counts(a jsonb, b jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION workspace.add_counts(a jsonb, b jsonb) TO quayside_app;

REVOKE ALL ON FUNCTION workspace.add_to_orders(shares workspace.order_share[]) FROM PUBLIC;
GRANT ALL ON FUNCTION workspace.add_to_orders(shares workspace.order_share[]) TO quayside_app;

REVOKE ALL ON FUNCTION workspace.analyze_sales() FROM PUBLIC;
GRANT ALL ON FUNCTION workspace.analyze_sales() TO quayside_system;

REVOKE ALL ON FUNCTION workspace.await_seal() FROM PUBLIC;

REVOKE ALL ON FUNCTION workspace.change_tokens(of_tenant uuid, of_kind smallint, there uuid, was text, before text[], here uuid, becomes text, after text[]) FROM PUBLIC;
GRANT ALL ON FUNCTION workspace.change_tokens(of_tenant uuid, of_kind smallint, there uuid, was text, before text[], here uuid, becomes text, after text[]) TO quayside_app;
GRANT ALL ON FUNCTION workspace.change_tokens(of_tenant uuid, of_kind smallint, there uuid, was text, before text[], here uuid, becomes text, after text[]) TO quayside_system;

REVOKE ALL ON FUNCTION workspace.new_id() FROM PUBLIC;
GRANT ALL ON FUNCTION workspace.new_id() TO quayside_app;
GRANT ALL ON FUNCTION workspace.new_id() TO quayside_system;

GRANT SELECT,INSERT,UPDATE ON TABLE workspace.customers TO quayside_app;
GRANT SELECT ON TABLE workspace.customers TO quayside_backup;

REVOKE ALL ON FUNCTION workspace.customers_tokens(r workspace.customers) FROM PUBLIC;
GRANT ALL ON FUNCTION workspace.customers_tokens(r workspace.customers) TO quayside_app;

REVOKE ALL ON FUNCTION workspace.drop_event_days(service_clock timestamp with time zone, most integer, OUT held text, OUT due bigint, OUT dropped date[], OUT bytes bigint) FROM PUBLIC;
GRANT ALL ON FUNCTION workspace.drop_event_days(service_clock timestamp with time zone, most integer, OUT held text, OUT due bigint, OUT dropped date[], OUT bytes bigint) TO quayside_system;

REVOKE ALL ON FUNCTION workspace.empty_days_of(week date, first_week date, empty_days integer[], ends_empty boolean, ends_on date) FROM PUBLIC;
GRANT ALL ON FUNCTION workspace.empty_days_of(week date, first_week date, empty_days integer[], ends_empty boolean, ends_on date) TO quayside_app;

REVOKE ALL ON FUNCTION workspace.entries_of(of_home text, of_tenant uuid, of_workspace uuid, of_row text, document jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION workspace.entries_of(of_home text, of_tenant uuid, of_workspace uuid, of_row text, document jsonb) TO quayside_app;

REVOKE ALL ON FUNCTION workspace.event_days() FROM PUBLIC;
GRANT ALL ON FUNCTION workspace.event_days() TO quayside_system;

GRANT SELECT,INSERT,UPDATE ON TABLE workspace.failed_imports TO quayside_app;
GRANT SELECT,DELETE ON TABLE workspace.failed_imports TO quayside_system;
GRANT SELECT ON TABLE workspace.failed_imports TO quayside_backup;

REVOKE ALL ON FUNCTION workspace.failed_imports_tokens(r workspace.failed_imports) FROM PUBLIC;
GRANT ALL ON FUNCTION workspace.failed_imports_tokens(r workspace.failed_imports) TO quayside_app;
GRANT ALL ON FUNCTION workspace.failed_imports_tokens(r workspace.failed_imports) TO quayside_system;

REVOKE ALL ON FUNCTION workspace.failure_matches(filter jsonb, slug text, code text, field text, key_id uuid, last_seen_at timestamp with time zone, message text, record_key text) FROM PUBLIC;
GRANT ALL ON FUNCTION workspace.failure_matches(filter jsonb, slug text, code text, field text, key_id uuid, last_seen_at timestamp with time zone, message text, record_key text) TO quayside_app;

REVOKE ALL ON FUNCTION workspace.has_words(tokens text[], words text[]) FROM PUBLIC;
GRANT ALL ON FUNCTION workspace.has_words(tokens text[], words text[]) TO quayside_app;

REVOKE ALL ON FUNCTION workspace.index_key(of_type text, collated boolean, cut integer, value text) FROM PUBLIC;
GRANT ALL ON FUNCTION workspace.index_key(of_type text, collated boolean, cut integer, value text) TO quayside_app;

REVOKE ALL ON FUNCTION workspace.keep_event_partitions(days_ahead integer, days_kept integer, OUT made integer, OUT dropped integer) FROM PUBLIC;
GRANT ALL ON FUNCTION workspace.keep_event_partitions(days_ahead integer, days_kept integer, OUT made integer, OUT dropped integer) TO quayside_system;

REVOKE ALL ON FUNCTION workspace.line_snapshot(of_tenant uuid, of_workspace uuid, line_sku text, line_product_id text, line_supplier_id text) FROM PUBLIC;
GRANT ALL ON FUNCTION workspace.line_snapshot(of_tenant uuid, of_workspace uuid, line_sku text, line_product_id text, line_supplier_id text) TO quayside_app;
GRANT ALL ON FUNCTION workspace.line_snapshot(of_tenant uuid, of_workspace uuid, line_sku text, line_product_id text, line_supplier_id text) TO quayside_system;

REVOKE ALL ON FUNCTION workspace.make_event_days(days_ahead integer) FROM PUBLIC;
GRANT ALL ON FUNCTION workspace.make_event_days(days_ahead integer) TO quayside_system;

REVOKE ALL ON FUNCTION workspace.make_indexed(home name) FROM PUBLIC;

REVOKE ALL ON FUNCTION workspace.make_searched(searched name, kind smallint, id text, codes text, names text, counted text) FROM PUBLIC;

REVOKE ALL ON FUNCTION workspace.number_key(n numeric) FROM PUBLIC;
GRANT ALL ON FUNCTION workspace.number_key(n numeric) TO quayside_app;

GRANT SELECT,INSERT,UPDATE ON TABLE workspace.orders TO quayside_app;
GRANT SELECT ON TABLE workspace.orders TO quayside_system;
GRANT SELECT ON TABLE workspace.orders TO quayside_backup;

REVOKE ALL ON FUNCTION workspace.orders_tokens(r workspace.orders) FROM PUBLIC;
GRANT ALL ON FUNCTION workspace.orders_tokens(r workspace.orders) TO quayside_app;

REVOKE ALL ON FUNCTION workspace.plausible(amount numeric) FROM PUBLIC;
GRANT ALL ON FUNCTION workspace.plausible(amount numeric) TO quayside_app;

REVOKE ALL ON FUNCTION workspace.plausible_arrival(expected date, today date) FROM PUBLIC;
GRANT ALL ON FUNCTION workspace.plausible_arrival(expected date, today date) TO quayside_app;

REVOKE ALL ON FUNCTION workspace.plausible_cost(quantity numeric, price numeric) FROM PUBLIC;
GRANT ALL ON FUNCTION workspace.plausible_cost(quantity numeric, price numeric) TO quayside_app;

REVOKE ALL ON FUNCTION workspace.plausible_day(day date, known date) FROM PUBLIC;
GRANT ALL ON FUNCTION workspace.plausible_day(day date, known date) TO quayside_app;

GRANT SELECT,INSERT,UPDATE ON TABLE workspace.products TO quayside_app;
GRANT SELECT ON TABLE workspace.products TO quayside_system;
GRANT SELECT ON TABLE workspace.products TO quayside_backup;

REVOKE ALL ON FUNCTION workspace.products_tokens(r workspace.products) FROM PUBLIC;
GRANT ALL ON FUNCTION workspace.products_tokens(r workspace.products) TO quayside_app;

GRANT SELECT,INSERT,UPDATE ON TABLE workspace.purchase_orders TO quayside_app;
GRANT SELECT ON TABLE workspace.purchase_orders TO quayside_backup;

REVOKE ALL ON FUNCTION workspace.purchase_orders_tokens(r workspace.purchase_orders) FROM PUBLIC;
GRANT ALL ON FUNCTION workspace.purchase_orders_tokens(r workspace.purchase_orders) TO quayside_app;

REVOKE ALL ON FUNCTION workspace.sequence_overtaken() FROM PUBLIC;
GRANT ALL ON FUNCTION workspace.sequence_overtaken() TO quayside_app;

REVOKE ALL ON FUNCTION workspace.share_of(tenant_id uuid, workspace_id uuid, id text, order_no text, status text, quantity_ordered numeric, quantity_received numeric, expected_arrival_date date, price_per_unit numeric, currency text, supplier_id text, supplier_name text, product_name text, updated_at timestamp with time zone, sign integer, flags integer) FROM PUBLIC;
GRANT ALL ON FUNCTION workspace.share_of(tenant_id uuid, workspace_id uuid, id text, order_no text, status text, quantity_ordered numeric, quantity_received numeric, expected_arrival_date date, price_per_unit numeric, currency text, supplier_id text, supplier_name text, product_name text, updated_at timestamp with time zone, sign integer, flags integer) TO quayside_app;

REVOKE ALL ON FUNCTION workspace.sort_number(order_no text) FROM PUBLIC;
GRANT ALL ON FUNCTION workspace.sort_number(order_no text) TO quayside_app;

GRANT SELECT,INSERT,UPDATE ON TABLE workspace.suppliers TO quayside_app;
GRANT SELECT ON TABLE workspace.suppliers TO quayside_system;
GRANT SELECT ON TABLE workspace.suppliers TO quayside_backup;

REVOKE ALL ON FUNCTION workspace.suppliers_tokens(r workspace.suppliers) FROM PUBLIC;
GRANT ALL ON FUNCTION workspace.suppliers_tokens(r workspace.suppliers) TO quayside_app;

REVOKE ALL ON FUNCTION workspace.tokens_of(codes text[], names text) FROM PUBLIC;
GRANT ALL ON FUNCTION workspace.tokens_of(codes text[], names text) TO quayside_app;
GRANT ALL ON FUNCTION workspace.tokens_of(codes text[], names text) TO quayside_system;

REVOKE ALL ON FUNCTION workspace.usual_gap(gaps bigint[]) FROM PUBLIC;
GRANT ALL ON FUNCTION workspace.usual_gap(gaps bigint[]) TO quayside_app;

REVOKE ALL ON FUNCTION workspace.week_of(day date, week_start integer) FROM PUBLIC;
GRANT ALL ON FUNCTION workspace.week_of(day date, week_start integer) TO quayside_app;

REVOKE ALL ON FUNCTION workspace.words_of(said text) FROM PUBLIC;
GRANT ALL ON FUNCTION workspace.words_of(said text) TO quayside_app;
GRANT ALL ON FUNCTION workspace.words_of(said text) TO quayside_system;

REVOKE ALL ON FUNCTION workspace.wrong_entries(of_tenant uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION workspace.wrong_entries(of_tenant uuid) TO quayside_app;

REVOKE ALL ON FUNCTION workspace.wrong_orders(of_tenant uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION workspace.wrong_orders(of_tenant uuid) TO quayside_app;

REVOKE ALL ON FUNCTION workspace.wrong_tokens(of_tenant uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION workspace.wrong_tokens(of_tenant uuid) TO quayside_app;

GRANT SELECT,INSERT,DELETE ON TABLE control.browsers TO quayside_app;
GRANT SELECT,DELETE ON TABLE control.browsers TO quayside_system;
GRANT SELECT ON TABLE control.browsers TO quayside_backup;

GRANT UPDATE(expires_at) ON TABLE control.browsers TO quayside_app;

GRANT SELECT ON TABLE control.cells TO quayside_app;
GRANT SELECT ON TABLE control.cells TO quayside_system;
GRANT SELECT ON TABLE control.cells TO quayside_backup;

GRANT SELECT ON TABLE control.event_days_dropped TO quayside_system;
GRANT SELECT ON TABLE control.event_days_dropped TO quayside_backup;

GRANT SELECT,UPDATE ON TABLE control.event_retention TO quayside_system;
GRANT SELECT ON TABLE control.event_retention TO quayside_backup;

GRANT SELECT,INSERT,UPDATE ON TABLE control.full_passes TO quayside_system;
GRANT SELECT ON TABLE control.full_passes TO quayside_backup;

GRANT SELECT,INSERT,DELETE ON TABLE control.invitations TO quayside_app;
GRANT SELECT,DELETE ON TABLE control.invitations TO quayside_system;
GRANT SELECT ON TABLE control.invitations TO quayside_backup;

GRANT UPDATE(role) ON TABLE control.invitations TO quayside_app;

GRANT UPDATE(token_hash) ON TABLE control.invitations TO quayside_app;

GRANT UPDATE(invited_by) ON TABLE control.invitations TO quayside_app;

GRANT UPDATE(created_at) ON TABLE control.invitations TO quayside_app;

GRANT UPDATE(expires_at) ON TABLE control.invitations TO quayside_app;

GRANT SELECT,INSERT ON TABLE control.key_directory TO quayside_app;
GRANT SELECT ON TABLE control.key_directory TO quayside_system;
GRANT SELECT ON TABLE control.key_directory TO quayside_backup;

GRANT SELECT,INSERT,DELETE ON TABLE control.memberships TO quayside_app;
GRANT SELECT ON TABLE control.memberships TO quayside_system;
GRANT SELECT ON TABLE control.memberships TO quayside_backup;

GRANT UPDATE(role) ON TABLE control.memberships TO quayside_app;

GRANT UPDATE(version) ON TABLE control.memberships TO quayside_app;

GRANT UPDATE(updated_at) ON TABLE control.memberships TO quayside_app;

GRANT SELECT ON TABLE control.origin TO quayside_app;
GRANT SELECT ON TABLE control.origin TO quayside_backup;

GRANT UPDATE(system) ON TABLE control.origin TO quayside_app;

GRANT UPDATE(database) ON TABLE control.origin TO quayside_app;

GRANT UPDATE(settled_at) ON TABLE control.origin TO quayside_app;

GRANT SELECT,INSERT,DELETE ON TABLE control.password_resets TO quayside_app;
GRANT SELECT,DELETE ON TABLE control.password_resets TO quayside_system;
GRANT SELECT ON TABLE control.password_resets TO quayside_backup;

GRANT SELECT,INSERT ON TABLE control.passwords TO quayside_app;
GRANT SELECT ON TABLE control.passwords TO quayside_system;
GRANT SELECT ON TABLE control.passwords TO quayside_backup;

GRANT UPDATE(hash) ON TABLE control.passwords TO quayside_app;

GRANT UPDATE(updated_at) ON TABLE control.passwords TO quayside_app;

GRANT SELECT,INSERT,UPDATE ON TABLE control.readers TO quayside_system;
GRANT SELECT ON TABLE control.readers TO quayside_app;
GRANT SELECT ON TABLE control.readers TO quayside_backup;

GRANT SELECT,UPDATE ON TABLE control.retention TO quayside_system;
GRANT SELECT ON TABLE control.retention TO quayside_backup;

GRANT SELECT,INSERT,DELETE ON TABLE control.sessions TO quayside_app;
GRANT SELECT,DELETE ON TABLE control.sessions TO quayside_system;
GRANT SELECT ON TABLE control.sessions TO quayside_backup;

GRANT UPDATE(address) ON TABLE control.sessions TO quayside_app;

GRANT UPDATE(last_seen_at) ON TABLE control.sessions TO quayside_app;

GRANT UPDATE(expires_at) ON TABLE control.sessions TO quayside_app;

GRANT SELECT,INSERT,UPDATE ON TABLE control.tenants TO quayside_app;
GRANT SELECT ON TABLE control.tenants TO quayside_system;
GRANT SELECT ON TABLE control.tenants TO quayside_backup;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE control.throttles TO quayside_app;
GRANT SELECT ON TABLE control.throttles TO quayside_backup;

GRANT SELECT,INSERT ON TABLE control.users TO quayside_app;
GRANT SELECT ON TABLE control.users TO quayside_system;
GRANT SELECT ON TABLE control.users TO quayside_backup;

GRANT UPDATE(name) ON TABLE control.users TO quayside_app;

GRANT UPDATE(updated_at) ON TABLE control.users TO quayside_app;

GRANT UPDATE(alert_mails) ON TABLE control.users TO quayside_app;

GRANT UPDATE(approval_mails) ON TABLE control.users TO quayside_app;

GRANT UPDATE(mention_mails) ON TABLE control.users TO quayside_app;

GRANT UPDATE(sent_back_mails) ON TABLE control.users TO quayside_app;

GRANT SELECT,INSERT,UPDATE ON TABLE control.workspaces TO quayside_app;
GRANT SELECT ON TABLE control.workspaces TO quayside_system;
GRANT SELECT ON TABLE control.workspaces TO quayside_backup;

GRANT SELECT,INSERT ON TABLE workspace.agent_decisions TO quayside_app;
GRANT SELECT ON TABLE workspace.agent_decisions TO quayside_backup;

GRANT UPDATE(outcome) ON TABLE workspace.agent_decisions TO quayside_app;

GRANT UPDATE(note) ON TABLE workspace.agent_decisions TO quayside_app;

GRANT UPDATE(line_id) ON TABLE workspace.agent_decisions TO quayside_app;

GRANT UPDATE(line_version) ON TABLE workspace.agent_decisions TO quayside_app;

GRANT UPDATE(order_no) ON TABLE workspace.agent_decisions TO quayside_app;

GRANT SELECT,INSERT ON TABLE workspace.agent_runs TO quayside_app;
GRANT SELECT ON TABLE workspace.agent_runs TO quayside_system;
GRANT SELECT ON TABLE workspace.agent_runs TO quayside_backup;

GRANT UPDATE(status) ON TABLE workspace.agent_runs TO quayside_app;

GRANT UPDATE(inputs) ON TABLE workspace.agent_runs TO quayside_app;

GRANT UPDATE(message) ON TABLE workspace.agent_runs TO quayside_app;

GRANT UPDATE(decided_at) ON TABLE workspace.agent_runs TO quayside_app;

GRANT UPDATE(ended_at) ON TABLE workspace.agent_runs TO quayside_app;

GRANT UPDATE(undone_at) ON TABLE workspace.agent_runs TO quayside_app;

GRANT UPDATE(undone_by) ON TABLE workspace.agent_runs TO quayside_app;

GRANT SELECT,INSERT ON TABLE workspace.alert_reads TO quayside_app;
GRANT SELECT ON TABLE workspace.alert_reads TO quayside_backup;

GRANT SELECT,INSERT,DELETE ON TABLE workspace.alerts TO quayside_app;
GRANT SELECT,DELETE ON TABLE workspace.alerts TO quayside_system;
GRANT SELECT ON TABLE workspace.alerts TO quayside_backup;

GRANT UPDATE(resolved_at) ON TABLE workspace.alerts TO quayside_app;

GRANT UPDATE(mail_next_at) ON TABLE workspace.alerts TO quayside_app;

GRANT UPDATE(mail_tries) ON TABLE workspace.alerts TO quayside_app;

GRANT UPDATE(mail_left) ON TABLE workspace.alerts TO quayside_app;

GRANT UPDATE(mailed_at) ON TABLE workspace.alerts TO quayside_app;

GRANT SELECT,INSERT ON TABLE workspace.api_keys TO quayside_app;
GRANT SELECT ON TABLE workspace.api_keys TO quayside_backup;

GRANT SELECT(tenant_id) ON TABLE workspace.api_keys TO quayside_system;

GRANT SELECT(workspace_id) ON TABLE workspace.api_keys TO quayside_system;

GRANT UPDATE(label) ON TABLE workspace.api_keys TO quayside_app;

GRANT SELECT(scope) ON TABLE workspace.api_keys TO quayside_system;

GRANT UPDATE(rate_per_second) ON TABLE workspace.api_keys TO quayside_app;

GRANT UPDATE(rate_burst) ON TABLE workspace.api_keys TO quayside_app;

GRANT UPDATE(expires_at) ON TABLE workspace.api_keys TO quayside_app;

GRANT UPDATE(revoked_at) ON TABLE workspace.api_keys TO quayside_app;
GRANT SELECT(revoked_at) ON TABLE workspace.api_keys TO quayside_system;

GRANT UPDATE(replaced_by) ON TABLE workspace.api_keys TO quayside_app;

GRANT UPDATE(suspended) ON TABLE workspace.api_keys TO quayside_app;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE workspace.approval_limits TO quayside_app;
GRANT SELECT ON TABLE workspace.approval_limits TO quayside_backup;

GRANT SELECT ON TABLE workspace.article_aliases TO quayside_backup;
GRANT SELECT,INSERT,DELETE ON TABLE workspace.article_aliases TO quayside_app;

GRANT SELECT ON TABLE workspace.audit TO quayside_app;
GRANT SELECT ON TABLE workspace.audit TO quayside_backup;
GRANT DELETE ON TABLE workspace.audit TO quayside_system;

GRANT INSERT(tenant_id) ON TABLE workspace.audit TO quayside_app;
GRANT SELECT(tenant_id) ON TABLE workspace.audit TO quayside_system;

GRANT INSERT(id) ON TABLE workspace.audit TO quayside_app;
GRANT SELECT(id) ON TABLE workspace.audit TO quayside_system;

GRANT SELECT(at) ON TABLE workspace.audit TO quayside_system;

GRANT INSERT(workspace_id) ON TABLE workspace.audit TO quayside_app;
GRANT SELECT(workspace_id) ON TABLE workspace.audit TO quayside_system;

GRANT INSERT(actor) ON TABLE workspace.audit TO quayside_app;

GRANT INSERT(request_id) ON TABLE workspace.audit TO quayside_app;

GRANT INSERT(action) ON TABLE workspace.audit TO quayside_app;
GRANT SELECT(action) ON TABLE workspace.audit TO quayside_system;

GRANT INSERT(subject) ON TABLE workspace.audit TO quayside_app;

GRANT INSERT(data) ON TABLE workspace.audit TO quayside_app;

GRANT SELECT ON TABLE workspace.audit_seals TO quayside_app;
GRANT SELECT ON TABLE workspace.audit_seals TO quayside_backup;

GRANT INSERT(tenant_id) ON TABLE workspace.audit_seals TO quayside_app;
GRANT SELECT(tenant_id) ON TABLE workspace.audit_seals TO quayside_system;

GRANT INSERT(number) ON TABLE workspace.audit_seals TO quayside_app;

GRANT INSERT(row_id) ON TABLE workspace.audit_seals TO quayside_app;
GRANT SELECT(row_id) ON TABLE workspace.audit_seals TO quayside_system;

GRANT INSERT(row_hash) ON TABLE workspace.audit_seals TO quayside_app;

GRANT INSERT(hash) ON TABLE workspace.audit_seals TO quayside_app;

GRANT INSERT(call_hash) ON TABLE workspace.audit_seals TO quayside_app;
GRANT SELECT(call_hash) ON TABLE workspace.audit_seals TO quayside_system;

GRANT SELECT,INSERT,DELETE ON TABLE workspace.audit_unsealed TO quayside_app;
GRANT SELECT ON TABLE workspace.audit_unsealed TO quayside_backup;

GRANT SELECT(tenant_id) ON TABLE workspace.audit_unsealed TO quayside_system;

GRANT SELECT(id) ON TABLE workspace.audit_unsealed TO quayside_system;

GRANT SELECT,INSERT,UPDATE ON TABLE workspace.backfills TO quayside_app;
GRANT DELETE ON TABLE workspace.backfills TO quayside_system;
GRANT SELECT ON TABLE workspace.backfills TO quayside_backup;

GRANT SELECT(tenant_id) ON TABLE workspace.backfills TO quayside_system;

GRANT SELECT(id) ON TABLE workspace.backfills TO quayside_system;

GRANT SELECT(finished_at) ON TABLE workspace.backfills TO quayside_system;

GRANT SELECT,INSERT,UPDATE ON TABLE workspace.bulk_retries TO quayside_app;
GRANT DELETE ON TABLE workspace.bulk_retries TO quayside_system;
GRANT SELECT ON TABLE workspace.bulk_retries TO quayside_backup;

GRANT SELECT(tenant_id) ON TABLE workspace.bulk_retries TO quayside_system;

GRANT SELECT(id) ON TABLE workspace.bulk_retries TO quayside_system;

GRANT SELECT(finished_at) ON TABLE workspace.bulk_retries TO quayside_system;

GRANT SELECT,INSERT ON TABLE workspace.connection_pace TO quayside_app;
GRANT SELECT ON TABLE workspace.connection_pace TO quayside_system;
GRANT SELECT ON TABLE workspace.connection_pace TO quayside_backup;

GRANT UPDATE(used_until) ON TABLE workspace.connection_pace TO quayside_app;

GRANT UPDATE(held_until) ON TABLE workspace.connection_pace TO quayside_app;

GRANT SELECT,INSERT,UPDATE ON TABLE workspace.connections TO quayside_app;
GRANT SELECT ON TABLE workspace.connections TO quayside_system;
GRANT SELECT ON TABLE workspace.connections TO quayside_backup;

GRANT SELECT,INSERT ON TABLE workspace.conversions TO quayside_app;
GRANT SELECT ON TABLE workspace.conversions TO quayside_backup;

GRANT UPDATE(pass) ON TABLE workspace.conversions TO quayside_app;

GRANT UPDATE(place) ON TABLE workspace.conversions TO quayside_app;

GRANT UPDATE(settled_at) ON TABLE workspace.conversions TO quayside_app;

GRANT UPDATE(horizon) ON TABLE workspace.conversions TO quayside_app;

GRANT UPDATE(converted) ON TABLE workspace.conversions TO quayside_app;

GRANT UPDATE(emptied) ON TABLE workspace.conversions TO quayside_app;

GRANT UPDATE(finished_at) ON TABLE workspace.conversions TO quayside_app;

GRANT SELECT,INSERT ON TABLE workspace.events TO quayside_app;
GRANT SELECT ON TABLE workspace.events TO quayside_backup;

GRANT SELECT(tenant_id) ON TABLE workspace.events TO quayside_system;

GRANT SELECT(subject) ON TABLE workspace.events TO quayside_system;

GRANT SELECT(id) ON TABLE workspace.events TO quayside_system;

GRANT SELECT(created_at) ON TABLE workspace.events TO quayside_system;

GRANT SELECT(workspace_id) ON TABLE workspace.events TO quayside_system;

GRANT SELECT(slug) ON TABLE workspace.events TO quayside_system;

GRANT SELECT(xid) ON TABLE workspace.events TO quayside_system;

GRANT SELECT,INSERT,DELETE ON TABLE workspace.exchange_attempts TO quayside_app;
GRANT SELECT ON TABLE workspace.exchange_attempts TO quayside_backup;

GRANT SELECT,INSERT,UPDATE ON TABLE workspace.exchange_conflicts TO quayside_app;
GRANT SELECT ON TABLE workspace.exchange_conflicts TO quayside_backup;

GRANT SELECT,INSERT,UPDATE ON TABLE workspace.exchange_cursors TO quayside_app;
GRANT SELECT ON TABLE workspace.exchange_cursors TO quayside_backup;

GRANT SELECT(tenant_id) ON TABLE workspace.exchange_cursors TO quayside_system;

GRANT SELECT(connection_id) ON TABLE workspace.exchange_cursors TO quayside_system;

GRANT SELECT(poll_at) ON TABLE workspace.exchange_cursors TO quayside_system;

GRANT SELECT(reconcile_at) ON TABLE workspace.exchange_cursors TO quayside_system;

GRANT SELECT(busy_until) ON TABLE workspace.exchange_cursors TO quayside_system;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE workspace.exchange_ids TO quayside_app;
GRANT SELECT ON TABLE workspace.exchange_ids TO quayside_backup;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE workspace.exchange_lines TO quayside_app;
GRANT SELECT ON TABLE workspace.exchange_lines TO quayside_backup;

GRANT SELECT,INSERT,DELETE ON TABLE workspace.exchange_listed TO quayside_app;
GRANT SELECT ON TABLE workspace.exchange_listed TO quayside_backup;

GRANT SELECT,INSERT,UPDATE ON TABLE workspace.exchange_orders TO quayside_app;
GRANT SELECT ON TABLE workspace.exchange_orders TO quayside_system;
GRANT SELECT ON TABLE workspace.exchange_orders TO quayside_backup;

GRANT SELECT,INSERT ON TABLE workspace.failed_import_attempts TO quayside_app;
GRANT SELECT ON TABLE workspace.failed_import_attempts TO quayside_backup;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE workspace.forecast_classes TO quayside_app;
GRANT SELECT ON TABLE workspace.forecast_classes TO quayside_backup;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE workspace.forecast_families TO quayside_app;
GRANT SELECT ON TABLE workspace.forecast_families TO quayside_backup;

GRANT SELECT,INSERT,DELETE ON TABLE workspace.forecast_log TO quayside_app;
GRANT SELECT ON TABLE workspace.forecast_log TO quayside_backup;

GRANT UPDATE(in_stock_days) ON TABLE workspace.forecast_log TO quayside_app;

GRANT UPDATE(units) ON TABLE workspace.forecast_log TO quayside_app;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE workspace.forecast_marks TO quayside_app;
GRANT SELECT ON TABLE workspace.forecast_marks TO quayside_system;
GRANT SELECT ON TABLE workspace.forecast_marks TO quayside_backup;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE workspace.forecast_state TO quayside_app;
GRANT SELECT ON TABLE workspace.forecast_state TO quayside_system;
GRANT SELECT ON TABLE workspace.forecast_state TO quayside_backup;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE workspace.forecasts TO quayside_app;
GRANT SELECT ON TABLE workspace.forecasts TO quayside_backup;

GRANT SELECT,INSERT,DELETE ON TABLE workspace.import_chunks TO quayside_app;
GRANT SELECT ON TABLE workspace.import_chunks TO quayside_backup;

GRANT SELECT,INSERT,DELETE ON TABLE workspace.import_rejects TO quayside_app;
GRANT SELECT ON TABLE workspace.import_rejects TO quayside_backup;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE workspace.imports TO quayside_app;
GRANT SELECT,DELETE ON TABLE workspace.imports TO quayside_system;
GRANT SELECT ON TABLE workspace.imports TO quayside_backup;

GRANT SELECT,INSERT,UPDATE ON TABLE workspace.inbox_mails TO quayside_app;
GRANT SELECT ON TABLE workspace.inbox_mails TO quayside_system;
GRANT SELECT ON TABLE workspace.inbox_mails TO quayside_backup;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE workspace.inbox_seen TO quayside_app;
GRANT SELECT ON TABLE workspace.inbox_seen TO quayside_backup;

GRANT SELECT,INSERT,DELETE ON TABLE workspace.inbox_unsent TO quayside_app;
GRANT SELECT ON TABLE workspace.inbox_unsent TO quayside_system;
GRANT SELECT ON TABLE workspace.inbox_unsent TO quayside_backup;

GRANT SELECT,INSERT,DELETE ON TABLE workspace.index_entries TO quayside_app;
GRANT SELECT ON TABLE workspace.index_entries TO quayside_backup;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE workspace.indexed_fields TO quayside_app;
GRANT SELECT ON TABLE workspace.indexed_fields TO quayside_system;
GRANT SELECT ON TABLE workspace.indexed_fields TO quayside_backup;

GRANT SELECT ON SEQUENCE workspace.indexed_fields_id_seq TO quayside_backup;

GRANT SELECT,INSERT ON TABLE workspace.ingest_rule_versions TO quayside_app;
GRANT SELECT ON TABLE workspace.ingest_rule_versions TO quayside_backup;

GRANT SELECT,INSERT ON TABLE workspace.ingest_rules TO quayside_app;
GRANT SELECT ON TABLE workspace.ingest_rules TO quayside_backup;

GRANT UPDATE(key_id) ON TABLE workspace.ingest_rules TO quayside_app;

GRANT UPDATE(fix) ON TABLE workspace.ingest_rules TO quayside_app;

GRANT UPDATE("position") ON TABLE workspace.ingest_rules TO quayside_app;

GRANT UPDATE(enabled) ON TABLE workspace.ingest_rules TO quayside_app;

GRANT UPDATE(version) ON TABLE workspace.ingest_rules TO quayside_app;

GRANT UPDATE(updated_by) ON TABLE workspace.ingest_rules TO quayside_app;

GRANT UPDATE(updated_at) ON TABLE workspace.ingest_rules TO quayside_app;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE workspace.key_figures TO quayside_app;
GRANT SELECT ON TABLE workspace.key_figures TO quayside_backup;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE workspace.key_hours TO quayside_app;
GRANT SELECT,DELETE ON TABLE workspace.key_hours TO quayside_system;
GRANT SELECT ON TABLE workspace.key_hours TO quayside_backup;

GRANT SELECT,INSERT,UPDATE ON TABLE workspace.line_approvals TO quayside_app;
GRANT SELECT ON TABLE workspace.line_approvals TO quayside_backup;

GRANT SELECT,INSERT,UPDATE ON TABLE workspace.line_flags TO quayside_app;
GRANT SELECT ON TABLE workspace.line_flags TO quayside_backup;

GRANT SELECT,INSERT ON TABLE workspace.line_suggestions TO quayside_app;
GRANT SELECT ON TABLE workspace.line_suggestions TO quayside_backup;

GRANT UPDATE(raw_quantity) ON TABLE workspace.line_suggestions TO quayside_app;

GRANT UPDATE(suggested_quantity) ON TABLE workspace.line_suggestions TO quayside_app;

GRANT SELECT ON TABLE workspace.mailed_addresses TO quayside_backup;
GRANT SELECT,INSERT ON TABLE workspace.mailed_addresses TO quayside_app;

GRANT SELECT,INSERT,UPDATE ON TABLE workspace.meeting_notes TO quayside_app;
GRANT SELECT ON TABLE workspace.meeting_notes TO quayside_backup;

GRANT SELECT,INSERT ON TABLE workspace.order_entries TO quayside_app;
GRANT SELECT ON TABLE workspace.order_entries TO quayside_backup;

GRANT SELECT(tenant_id) ON TABLE workspace.order_entries TO quayside_system;

GRANT SELECT(workspace_id) ON TABLE workspace.order_entries TO quayside_system;

GRANT SELECT(mentions) ON TABLE workspace.order_entries TO quayside_system;

GRANT SELECT(created_at) ON TABLE workspace.order_entries TO quayside_system;

GRANT SELECT,INSERT,UPDATE ON TABLE workspace.order_line_items TO quayside_app;
GRANT SELECT ON TABLE workspace.order_line_items TO quayside_system;
GRANT SELECT ON TABLE workspace.order_line_items TO quayside_backup;

GRANT SELECT,INSERT ON TABLE workspace.order_mails TO quayside_app;
GRANT SELECT ON TABLE workspace.order_mails TO quayside_backup;

GRANT UPDATE(state) ON TABLE workspace.order_mails TO quayside_app;

GRANT UPDATE(reason) ON TABLE workspace.order_mails TO quayside_app;

GRANT UPDATE(tries) ON TABLE workspace.order_mails TO quayside_app;

GRANT UPDATE(changed_at) ON TABLE workspace.order_mails TO quayside_app;

GRANT SELECT ON TABLE workspace.order_receivers TO quayside_backup;
GRANT SELECT,INSERT,DELETE ON TABLE workspace.order_receivers TO quayside_app;

GRANT SELECT,INSERT ON TABLE workspace.playbook_state TO quayside_app;
GRANT SELECT ON TABLE workspace.playbook_state TO quayside_system;
GRANT SELECT ON TABLE workspace.playbook_state TO quayside_backup;

GRANT UPDATE(revision) ON TABLE workspace.playbook_state TO quayside_app;

GRANT UPDATE(changed_at) ON TABLE workspace.playbook_state TO quayside_app;

GRANT SELECT,INSERT ON TABLE workspace.playbook_versions TO quayside_app;
GRANT SELECT ON TABLE workspace.playbook_versions TO quayside_system;
GRANT SELECT ON TABLE workspace.playbook_versions TO quayside_backup;

GRANT SELECT,INSERT,UPDATE ON TABLE workspace.purchase_order_lines TO quayside_app;
GRANT SELECT ON TABLE workspace.purchase_order_lines TO quayside_system;
GRANT SELECT ON TABLE workspace.purchase_order_lines TO quayside_backup;

GRANT SELECT,INSERT,UPDATE ON TABLE workspace.purchase_order_sums TO quayside_app;
GRANT SELECT ON TABLE workspace.purchase_order_sums TO quayside_backup;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE workspace.queue_marks TO quayside_app;
GRANT SELECT ON TABLE workspace.queue_marks TO quayside_system;
GRANT SELECT ON TABLE workspace.queue_marks TO quayside_backup;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE workspace.queue_rows TO quayside_app;
GRANT SELECT ON TABLE workspace.queue_rows TO quayside_backup;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE workspace.queue_state TO quayside_app;
GRANT SELECT ON TABLE workspace.queue_state TO quayside_system;
GRANT SELECT ON TABLE workspace.queue_state TO quayside_backup;

GRANT SELECT,INSERT ON TABLE workspace.receipts TO quayside_app;
GRANT SELECT ON TABLE workspace.receipts TO quayside_backup;

GRANT SELECT ON TABLE workspace.record_sequences TO quayside_backup;
GRANT SELECT,INSERT,UPDATE ON TABLE workspace.record_sequences TO quayside_app;

GRANT SELECT,INSERT,UPDATE ON TABLE workspace.records TO quayside_app;
GRANT SELECT ON TABLE workspace.records TO quayside_backup;

GRANT SELECT,INSERT,UPDATE ON TABLE workspace.registry_columns TO quayside_app;
GRANT SELECT ON TABLE workspace.registry_columns TO quayside_backup;

GRANT SELECT ON TABLE workspace.registry_snapshots TO quayside_app;
GRANT SELECT ON TABLE workspace.registry_snapshots TO quayside_backup;

GRANT SELECT,INSERT,UPDATE ON TABLE workspace.registry_tables TO quayside_app;
GRANT SELECT ON TABLE workspace.registry_tables TO quayside_backup;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE workspace.sales_changed TO quayside_app;
GRANT SELECT ON TABLE workspace.sales_changed TO quayside_system;
GRANT SELECT ON TABLE workspace.sales_changed TO quayside_backup;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE workspace.sales_customers TO quayside_app;
GRANT SELECT ON TABLE workspace.sales_customers TO quayside_backup;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE workspace.sales_days TO quayside_app;
GRANT SELECT ON TABLE workspace.sales_days TO quayside_backup;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE workspace.sales_lines TO quayside_app;
GRANT SELECT ON TABLE workspace.sales_lines TO quayside_backup;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE workspace.sales_orders TO quayside_app;
GRANT SELECT ON TABLE workspace.sales_orders TO quayside_backup;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE workspace.sales_series TO quayside_app;
GRANT SELECT ON TABLE workspace.sales_series TO quayside_backup;

GRANT SELECT(tenant_id) ON TABLE workspace.sales_series TO quayside_system;

GRANT SELECT(workspace_id) ON TABLE workspace.sales_series TO quayside_system;

GRANT SELECT(product_id) ON TABLE workspace.sales_series TO quayside_system;

GRANT SELECT(stock_version) ON TABLE workspace.sales_series TO quayside_system;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE workspace.sales_settings TO quayside_app;
GRANT SELECT ON TABLE workspace.sales_settings TO quayside_system;
GRANT SELECT ON TABLE workspace.sales_settings TO quayside_backup;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE workspace.sales_weeks TO quayside_app;
GRANT SELECT ON TABLE workspace.sales_weeks TO quayside_backup;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE workspace.saved_views TO quayside_app;
GRANT SELECT ON TABLE workspace.saved_views TO quayside_backup;

GRANT SELECT,INSERT,DELETE ON TABLE workspace.search_tokens TO quayside_app;
GRANT SELECT,INSERT,DELETE ON TABLE workspace.search_tokens TO quayside_system;
GRANT SELECT ON TABLE workspace.search_tokens TO quayside_backup;

GRANT SELECT,INSERT,DELETE ON TABLE workspace.secrets TO quayside_app;
GRANT SELECT ON TABLE workspace.secrets TO quayside_backup;

GRANT SELECT(tenant_id) ON TABLE workspace.secrets TO quayside_system;

GRANT SELECT(owner_id) ON TABLE workspace.secrets TO quayside_system;

GRANT SELECT(purpose) ON TABLE workspace.secrets TO quayside_system;

GRANT UPDATE(key_id) ON TABLE workspace.secrets TO quayside_app;
GRANT SELECT(key_id) ON TABLE workspace.secrets TO quayside_system;

GRANT UPDATE(sealed) ON TABLE workspace.secrets TO quayside_app;

GRANT UPDATE(ending) ON TABLE workspace.secrets TO quayside_app;

GRANT UPDATE(set_at) ON TABLE workspace.secrets TO quayside_app;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE workspace.source_figures TO quayside_app;
GRANT SELECT ON TABLE workspace.source_figures TO quayside_system;
GRANT SELECT ON TABLE workspace.source_figures TO quayside_backup;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE workspace.source_hours TO quayside_app;
GRANT SELECT,DELETE ON TABLE workspace.source_hours TO quayside_system;
GRANT SELECT ON TABLE workspace.source_hours TO quayside_backup;

GRANT SELECT,INSERT,UPDATE ON TABLE workspace.source_minutes TO quayside_app;
GRANT SELECT ON TABLE workspace.source_minutes TO quayside_system;
GRANT SELECT ON TABLE workspace.source_minutes TO quayside_backup;

GRANT SELECT,INSERT,UPDATE ON TABLE workspace.source_rhythms TO quayside_app;
GRANT SELECT ON TABLE workspace.source_rhythms TO quayside_system;
GRANT SELECT ON TABLE workspace.source_rhythms TO quayside_backup;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE workspace.stock_days TO quayside_app;
GRANT SELECT ON TABLE workspace.stock_days TO quayside_backup;

GRANT SELECT,INSERT ON TABLE workspace.stock_history TO quayside_app;
GRANT DELETE ON TABLE workspace.stock_history TO quayside_system;
GRANT SELECT ON TABLE workspace.stock_history TO quayside_backup;

GRANT SELECT(tenant_id) ON TABLE workspace.stock_history TO quayside_system;

GRANT SELECT(product_id) ON TABLE workspace.stock_history TO quayside_system;

GRANT SELECT(version) ON TABLE workspace.stock_history TO quayside_system;

GRANT SELECT(workspace_id) ON TABLE workspace.stock_history TO quayside_system;

GRANT SELECT(observed_at) ON TABLE workspace.stock_history TO quayside_system;

GRANT SELECT,INSERT ON TABLE workspace.suggestions TO quayside_app;
GRANT SELECT ON TABLE workspace.suggestions TO quayside_backup;

GRANT SELECT(tenant_id) ON TABLE workspace.suggestions TO quayside_system;

GRANT UPDATE(recommendation_key) ON TABLE workspace.suggestions TO quayside_app;

GRANT SELECT(workspace_id) ON TABLE workspace.suggestions TO quayside_system;

GRANT UPDATE(product_id) ON TABLE workspace.suggestions TO quayside_app;

GRANT UPDATE(supplier_id) ON TABLE workspace.suggestions TO quayside_app;

GRANT UPDATE(last_on) ON TABLE workspace.suggestions TO quayside_app;

GRANT UPDATE(decision) ON TABLE workspace.suggestions TO quayside_app;

GRANT UPDATE(decided_on) ON TABLE workspace.suggestions TO quayside_app;

GRANT UPDATE(decided_by) ON TABLE workspace.suggestions TO quayside_app;

GRANT UPDATE(line_id) ON TABLE workspace.suggestions TO quayside_app;

GRANT UPDATE(line_price) ON TABLE workspace.suggestions TO quayside_app;

GRANT UPDATE(line_currency) ON TABLE workspace.suggestions TO quayside_app;

GRANT UPDATE(ordered_quantity) ON TABLE workspace.suggestions TO quayside_app;

GRANT UPDATE(known) ON TABLE workspace.suggestions TO quayside_app;

GRANT UPDATE(prevented_on) ON TABLE workspace.suggestions TO quayside_app;

GRANT UPDATE(empty_from) ON TABLE workspace.suggestions TO quayside_app;

GRANT UPDATE(empty_too_late) ON TABLE workspace.suggestions TO quayside_app;

GRANT UPDATE(empty_waiting) ON TABLE workspace.suggestions TO quayside_app;

GRANT UPDATE(empty_supplier) ON TABLE workspace.suggestions TO quayside_app;

GRANT UPDATE(empty_too_few) ON TABLE workspace.suggestions TO quayside_app;

GRANT UPDATE(overbuy_quantity) ON TABLE workspace.suggestions TO quayside_app;

GRANT UPDATE(overbuy_beyond) ON TABLE workspace.suggestions TO quayside_app;

GRANT UPDATE(judged_on) ON TABLE workspace.suggestions TO quayside_app;
GRANT SELECT(judged_on) ON TABLE workspace.suggestions TO quayside_system;

GRANT UPDATE(closed) ON TABLE workspace.suggestions TO quayside_app;
GRANT SELECT(closed) ON TABLE workspace.suggestions TO quayside_system;

GRANT SELECT,INSERT,UPDATE ON TABLE workspace.suppressions TO quayside_app;
GRANT SELECT ON TABLE workspace.suppressions TO quayside_backup;

GRANT SELECT,INSERT ON TABLE workspace.tokens TO quayside_app;
GRANT SELECT ON TABLE workspace.tokens TO quayside_backup;

GRANT UPDATE(revoked_at) ON TABLE workspace.tokens TO quayside_app;

GRANT UPDATE(last_used_at) ON TABLE workspace.tokens TO quayside_app;

GRANT SELECT ON TABLE workspace.uncomputed_articles TO quayside_backup;
GRANT SELECT,INSERT,DELETE ON TABLE workspace.uncomputed_articles TO quayside_app;

GRANT UPDATE(reason) ON TABLE workspace.uncomputed_articles TO quayside_app;

GRANT SELECT,INSERT,UPDATE ON TABLE workspace.unknown_fields TO quayside_app;
GRANT DELETE ON TABLE workspace.unknown_fields TO quayside_system;
GRANT SELECT ON TABLE workspace.unknown_fields TO quayside_backup;

GRANT SELECT(tenant_id) ON TABLE workspace.unknown_fields TO quayside_system;

GRANT SELECT(workspace_id) ON TABLE workspace.unknown_fields TO quayside_system;

GRANT SELECT(slug) ON TABLE workspace.unknown_fields TO quayside_system;

GRANT SELECT(name) ON TABLE workspace.unknown_fields TO quayside_system;

GRANT SELECT(last_seen_at) ON TABLE workspace.unknown_fields TO quayside_system;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE workspace.unknown_keeping TO quayside_app;
GRANT SELECT ON TABLE workspace.unknown_keeping TO quayside_system;
GRANT SELECT ON TABLE workspace.unknown_keeping TO quayside_backup;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE workspace.unknown_values TO quayside_app;
GRANT DELETE ON TABLE workspace.unknown_values TO quayside_system;
GRANT SELECT ON TABLE workspace.unknown_values TO quayside_backup;

GRANT SELECT(tenant_id) ON TABLE workspace.unknown_values TO quayside_system;

GRANT SELECT(workspace_id) ON TABLE workspace.unknown_values TO quayside_system;

GRANT SELECT(slug) ON TABLE workspace.unknown_values TO quayside_system;

GRANT SELECT(name) ON TABLE workspace.unknown_values TO quayside_system;

GRANT SELECT(record_key) ON TABLE workspace.unknown_values TO quayside_system;

GRANT SELECT(seen_at) ON TABLE workspace.unknown_values TO quayside_system;

ALTER DEFAULT PRIVILEGES FOR ROLE CURRENT_USER IN SCHEMA control GRANT SELECT ON SEQUENCES  TO quayside_backup;

ALTER DEFAULT PRIVILEGES FOR ROLE CURRENT_USER IN SCHEMA control GRANT SELECT ON TABLES  TO quayside_backup;

ALTER DEFAULT PRIVILEGES FOR ROLE CURRENT_USER IN SCHEMA workspace GRANT SELECT ON SEQUENCES  TO quayside_backup;

ALTER DEFAULT PRIVILEGES FOR ROLE CURRENT_USER IN SCHEMA workspace GRANT SELECT ON TABLES  TO quayside_backup;

