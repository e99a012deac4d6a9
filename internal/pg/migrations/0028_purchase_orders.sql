-- +goose Up
-- An order is the lines with its number. What lists, tabs and limits ask of an order as a
-- whole is kept beside the lines, in the transaction that writes them, whoever writes.
SET LOCAL lock_timeout = '5s';
SET LOCAL statement_timeout = '60s';

-- An order that lost its lines keeps its number: no other order is ever given it.
CREATE TABLE workspace.purchase_orders (
    tenant_id uuid NOT NULL,
    workspace_id uuid NOT NULL,
    order_no text COLLATE "C" NOT NULL,
    sort_no text COLLATE "C" NOT NULL,              -- orders numbers as people do: PO-999 before PO-1000
    newest_id text COLLATE "C" NOT NULL DEFAULT '', -- of its lines
    version bigint NOT NULL DEFAULT 1,              -- raised by every write to its lines
    lines bigint NOT NULL DEFAULT 0,
    draft bigint NOT NULL DEFAULT 0,
    pending_approval bigint NOT NULL DEFAULT 0,
    ordered bigint NOT NULL DEFAULT 0,
    partially_received bigint NOT NULL DEFAULT 0,
    received bigint NOT NULL DEFAULT 0,
    closed_short bigint NOT NULL DEFAULT 0,        -- of those received
    cancelled bigint NOT NULL DEFAULT 0,
    unresolved bigint NOT NULL DEFAULT 0,          -- lines of no known article
    flags bigint NOT NULL DEFAULT 0,               -- of its lines, that nobody has seen
    next_arrival date NOT NULL DEFAULT 'infinity',  -- of what is still to come
    supplier text COLLATE "C" NOT NULL DEFAULT '',  -- the first by name, in small letters
    suppliers bigint NOT NULL DEFAULT 0,           -- of what is not cancelled
    updated_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (tenant_id, workspace_id, order_no)
);
CREATE INDEX purchase_orders_newest ON workspace.purchase_orders (tenant_id, workspace_id, newest_id) WHERE lines > 0;
CREATE INDEX purchase_orders_number ON workspace.purchase_orders (tenant_id, workspace_id, sort_no, order_no) WHERE lines > 0;
CREATE INDEX purchase_orders_supplier ON workspace.purchase_orders (tenant_id, workspace_id, supplier, order_no) WHERE lines > 0;
CREATE INDEX purchase_orders_arrival ON workspace.purchase_orders (tenant_id, workspace_id, next_arrival, order_no) WHERE lines > 0;
CREATE INDEX purchase_orders_draft ON workspace.purchase_orders (tenant_id, workspace_id, newest_id) WHERE draft > 0;
CREATE INDEX purchase_orders_pending ON workspace.purchase_orders (tenant_id, workspace_id, newest_id) WHERE pending_approval > 0;
CREATE INDEX purchase_orders_ordered ON workspace.purchase_orders (tenant_id, workspace_id, newest_id) WHERE ordered > 0;
CREATE INDEX purchase_orders_partially ON workspace.purchase_orders (tenant_id, workspace_id, newest_id) WHERE partially_received > 0;
CREATE INDEX purchase_orders_received ON workspace.purchase_orders (tenant_id, workspace_id, newest_id) WHERE received > 0;
CREATE INDEX purchase_orders_cancelled ON workspace.purchase_orders (tenant_id, workspace_id, newest_id) WHERE cancelled > 0;
CREATE INDEX purchase_orders_short ON workspace.purchase_orders (tenant_id, workspace_id, newest_id) WHERE closed_short > 0;
SELECT control.protect('workspace.purchase_orders');
GRANT SELECT, INSERT, UPDATE ON workspace.purchase_orders TO quayside_app;

-- What an order comes to, for each supplier and currency in it. Written only under the lock
-- of the order's row.
CREATE TABLE workspace.purchase_order_sums (
    tenant_id uuid NOT NULL,
    workspace_id uuid NOT NULL,
    order_no text COLLATE "C" NOT NULL,
    supplier_id text COLLATE "C" NOT NULL,   -- empty: the lines name none
    supplier_name text COLLATE "C" NOT NULL, -- its first 120 characters; empty: not known
    currency text COLLATE "C" NOT NULL,      -- empty: the lines name none
    lines bigint NOT NULL DEFAULT 0,
    live bigint NOT NULL DEFAULT 0,         -- lines that are not cancelled
    binding bigint NOT NULL DEFAULT 0,      -- lines that wait for approval or are ordered
    total numeric NOT NULL DEFAULT 0,        -- what is not cancelled
    bound numeric NOT NULL DEFAULT 0,        -- what waits for approval or is ordered
    ordered numeric NOT NULL DEFAULT 0,
    received numeric NOT NULL DEFAULT 0,     -- what came, also beyond the order
    given_up numeric NOT NULL DEFAULT 0,     -- what was closed short
    expected numeric NOT NULL DEFAULT 0,     -- what is still to come
    PRIMARY KEY (tenant_id, workspace_id, order_no, supplier_id, supplier_name, currency),
    FOREIGN KEY (tenant_id, workspace_id, order_no) REFERENCES workspace.purchase_orders (tenant_id, workspace_id, order_no)
);
SELECT control.protect('workspace.purchase_order_sums');
GRANT SELECT, INSERT, UPDATE ON workspace.purchase_order_sums TO quayside_app;

-- The lines of an order in pages, the first day on which something of it comes, and what
-- comes on which day.
-- squawk-ignore require-concurrent-index-deletion -- there is no release that has lines yet
DROP INDEX workspace.purchase_order_lines_order;
-- squawk-ignore require-concurrent-index-creation -- there is no release that has lines yet
CREATE INDEX purchase_order_lines_order ON workspace.purchase_order_lines (tenant_id, workspace_id, order_no, id);
-- squawk-ignore require-concurrent-index-creation
CREATE INDEX purchase_order_lines_expected ON workspace.purchase_order_lines (tenant_id, workspace_id, order_no, expected_arrival_date)
    WHERE status IN ('ordered', 'partially_received');
-- squawk-ignore require-concurrent-index-creation
CREATE INDEX purchase_order_lines_arrival ON workspace.purchase_order_lines (tenant_id, workspace_id, expected_arrival_date, order_no, id)
    WHERE status IN ('ordered', 'partially_received');
UPDATE workspace.registry_columns SET indexed = true
WHERE tenant_id = '00000000-0000-0000-0000-000000000000' AND slug = 'purchase_order_lines' AND name = 'expected_arrival_date';

-- Runs of digits are filled up to twelve, so that they compare as numbers. An index holds
-- the result, which is why it has an end.
CREATE FUNCTION workspace.sort_number(order_no text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT coalesce(left(string_agg(CASE WHEN part[1] IS NULL THEN part[2] ELSE lpad(part[1], greatest(12, length(part[1])), '0') END, '' ORDER BY place), 120), '')
    FROM regexp_matches(lower(order_no), '(\d+)|(\D+)', 'g') WITH ORDINALITY AS parts (part, place)
$$;

-- What a line, or its absence, adds to its order.
CREATE TYPE workspace.order_share AS (
    tenant_id uuid, workspace_id uuid, order_no text, supplier_id text, supplier_name text, currency text,
    newest_id text, next_arrival date, updated_at timestamptz,
    lines integer, draft integer, pending_approval integer, ordered_lines integer, partially_received integer, received_lines integer,
    closed_short integer, cancelled integer, unresolved integer, flags integer, live integer, binding integer,
    total numeric, bound numeric, ordered numeric, received numeric, given_up numeric, expected numeric
);
CREATE FUNCTION workspace.share_of(
    tenant_id uuid, workspace_id uuid, id text, order_no text, status text, quantity_ordered numeric, quantity_received numeric,
    expected_arrival_date date, price_per_unit numeric, currency text, supplier_id text, supplier_name text, product_name text,
    updated_at timestamptz, sign integer, flags integer
) RETURNS SETOF workspace.order_share
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
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

-- add_to_orders brings orders up to date. Their rows are locked in the order of their
-- numbers, so that two writers queue; what is read again is read by a statement that begins
-- under these locks. Orders are looked up one by one: a lane's connection, which plans joins for
-- batches, would read all orders there are.
-- +goose StatementBegin
CREATE FUNCTION workspace.add_to_orders(shares workspace.order_share[]) RETURNS void
LANGUAGE plpgsql SET enable_nestloop = on SET enable_hashjoin = off SET enable_mergejoin = off AS $$
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

CREATE FUNCTION workspace.count_new_lines() RETURNS trigger
LANGUAGE plpgsql AS $$
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

-- A line that moves takes its flags along, but for that of this very write: it was counted
-- where the line is now.
CREATE FUNCTION workspace.count_changed_lines() RETURNS trigger
LANGUAGE plpgsql AS $$
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

-- A flag is raised, and seen, under the lock of its line. The order may be a new one, to which
-- this very write moves the line.
CREATE FUNCTION workspace.count_flag() RETURNS trigger
LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO workspace.purchase_orders AS o (tenant_id, workspace_id, order_no, sort_no, flags)
    SELECT l.tenant_id, l.workspace_id, l.order_no, workspace.sort_number(l.order_no), CASE WHEN NEW.seen_at IS NULL THEN 1 ELSE -1 END
    FROM workspace.purchase_order_lines l WHERE l.tenant_id = NEW.tenant_id AND l.id = NEW.line_id
    ON CONFLICT (tenant_id, workspace_id, order_no) DO UPDATE SET flags = o.flags + excluded.flags, version = o.version + 1;
    RETURN NULL;
END
$$;
-- +goose StatementEnd

-- The orders of which what is kept is not what their lines say: none, ever.
CREATE FUNCTION workspace.wrong_orders(of_tenant uuid) RETURNS TABLE (order_no text, counted jsonb, kept jsonb)
LANGUAGE sql STABLE AS $$
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
REVOKE EXECUTE ON FUNCTION workspace.wrong_orders(uuid), workspace.sort_number(text), workspace.share_of(uuid, uuid, text, text, text, numeric, numeric, date, numeric, text, text, text, text, timestamptz, integer, integer),
    workspace.add_to_orders(workspace.order_share[]) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION workspace.wrong_orders(uuid), workspace.sort_number(text), workspace.share_of(uuid, uuid, text, text, text, numeric, numeric, date, numeric, text, text, text, text, timestamptz, integer, integer),
    workspace.add_to_orders(workspace.order_share[]) TO quayside_app;

CREATE TRIGGER count_new_lines AFTER INSERT ON workspace.purchase_order_lines
    REFERENCING NEW TABLE AS new_lines FOR EACH STATEMENT EXECUTE FUNCTION workspace.count_new_lines();
CREATE TRIGGER count_changed_lines AFTER UPDATE ON workspace.purchase_order_lines
    REFERENCING NEW TABLE AS new_lines OLD TABLE AS old_lines FOR EACH STATEMENT EXECUTE FUNCTION workspace.count_changed_lines();
CREATE TRIGGER count_new_flag AFTER INSERT ON workspace.line_flags
    FOR EACH ROW WHEN (NEW.seen_at IS NULL) EXECUTE FUNCTION workspace.count_flag();
CREATE TRIGGER count_seen_flag AFTER UPDATE ON workspace.line_flags
    FOR EACH ROW WHEN ((NEW.seen_at IS NULL) <> (OLD.seen_at IS NULL)) EXECUTE FUNCTION workspace.count_flag();

-- The orders that there are.
ALTER TABLE workspace.purchase_order_lines NO FORCE ROW LEVEL SECURITY;
ALTER TABLE workspace.line_flags NO FORCE ROW LEVEL SECURITY;
ALTER TABLE workspace.purchase_orders NO FORCE ROW LEVEL SECURITY;
ALTER TABLE workspace.purchase_order_sums NO FORCE ROW LEVEL SECURITY;
SELECT workspace.add_to_orders(array_agg(s)) FROM (
    SELECT s FROM workspace.purchase_order_lines l CROSS JOIN LATERAL workspace.share_of(l.tenant_id, l.workspace_id, l.id, l.order_no, l.status, l.quantity_ordered, l.quantity_received,
            l.expected_arrival_date, l.price_per_unit, l.currency, l.supplier_id, l.supplier_name, l.product_name, l.updated_at, 1, (
        SELECT count(*)::int FROM workspace.line_flags f WHERE f.tenant_id = l.tenant_id AND f.line_id = l.id AND f.seen_at IS NULL)) s
    ORDER BY s.tenant_id, s.workspace_id, s.order_no
) shares HAVING count(*) > 0;
ALTER TABLE workspace.purchase_order_sums FORCE ROW LEVEL SECURITY;
ALTER TABLE workspace.purchase_orders FORCE ROW LEVEL SECURITY;
ALTER TABLE workspace.line_flags FORCE ROW LEVEL SECURITY;
ALTER TABLE workspace.purchase_order_lines FORCE ROW LEVEL SECURITY;
