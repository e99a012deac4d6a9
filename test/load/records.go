package main

import (
	"fmt"
	"strings"
)

// kind is a kind of records that is measured: how the service is sent one, and how the plain table is.
type kind struct {
	slug string
	// body has a record's fields after its external_id. It is filled with an article's number and a quantity.
	body string
	// columns and values are the same for the plain table, where :product and :quantity are pgbench's.
	columns, values string
}

var kinds = []kind{
	{"purchase_order_lines",
		`"order_no":"PO-%[1]d","sku":"SKU-%[1]d","status":"ordered","quantity_ordered":%[2]d,"quantity_received":0,"expected_arrival_date":"2026-12-24","price_per_unit":"4.20","currency":"EUR"`,
		"order_no, sku, status, quantity_ordered, quantity_received, expected_arrival_date, price_per_unit, currency",
		"'PO-' || :product::int, 'SKU-' || :product::int, 'ordered', :quantity::numeric, 0, '2026-12-24', 4.20, 'EUR'"},
	{"order_line_items",
		`"order_id":"O-%[1]d","product_id":"gid/%[1]d","sku":"SKU-%[1]d","name":"Article","quantity":%[2]d,"unit_price":"4.20"`,
		"order_id, product_id, sku, name, quantity, unit_price",
		"'O-' || :product::int, 'gid/' || :product::int, 'SKU-' || :product::int, 'Article', :quantity::numeric, 4.20"},
	{"products",
		`"name":"Cotton shirt %[1]d","family":"Shirts","price":"4.20","stock_on_hand":%[2]d`,
		"name, family, price, stock_on_hand",
		"'Cotton shirt ' || :product::int, 'Shirts', 4.20, :quantity::numeric"},
	{"orders",
		`"ordered_at":"2026-11-01T10:00:00Z","status":"open","order_number":"%[1]d","currency":"EUR","total":%[2]d`,
		"ordered_at, status, order_number, currency, total",
		"'2026-11-01T10:00:00Z', 'open', :product::int, 'EUR', :quantity::numeric"},
}

// orderLines are what all ratios are measured with; of the other kinds, throughput at 64 connections and latency at one.
var orderLines = kinds[0]

// plainSchema makes plain tables: the columns of the service's tables, the primary key and the key of the source, without row
// security, triggers, foreign keys and other indexes.
func plainSchema() string {
	sql := "CREATE SCHEMA plain;\nCREATE TABLE plain.events (LIKE workspace.events INCLUDING DEFAULTS, PRIMARY KEY (tenant_id, id));\n"
	for _, k := range kinds {
		sql += fmt.Sprintf("CREATE TABLE plain.%[1]s (LIKE workspace.%[1]s INCLUDING DEFAULTS, PRIMARY KEY (tenant_id, id), UNIQUE (tenant_id, external_id));\n", k.slug)
	}
	return sql
}

// plainScript has pgbench store one record in a plain table, and its event, by one prepared statement. As with the service,
// every other record has a key that may be there, and the others are new.
func (k kind) plainScript(m mix) string {
	var sets []string
	for column := range strings.SplitSeq(k.columns, ", ") {
		sets = append(sets, column+" = excluded."+column)
	}
	statement := fmt.Sprintf(`WITH stored AS (
		INSERT INTO plain.%s AS t (tenant_id, workspace_id, id, external_id, %s)
		SELECT %s, %s, 'id-' || :unique::bigint, key, %s FROM (SELECT CASE WHEN :kind::int = 0 THEN 'L-' || :line::int ELSE 'B-' || :unique::bigint END AS key) x
		ON CONFLICT (tenant_id, external_id) DO UPDATE SET %s, version = t.version + 1, updated_at = now()
		RETURNING tenant_id, workspace_id, id, version, external_id)
		INSERT INTO plain.events (tenant_id, subject, id, workspace_id, kind, slug, version, actor, request_id, data)
		SELECT tenant_id, id, gen_random_uuid(), workspace_id, 'ingest.%[1]s.received', '%[1]s', version, '{"type": "key", "id": "0190f1de-6a3b-7c21-9d2e-3f4a5b6c7d8e"}',
			'0190f1de-6a3b-7c21-9d2e-3f4a5b6c7d8e', jsonb_build_object('result', 'updated', 'record', jsonb_build_object('external_id', external_id, %[7]s)) FROM stored;`,
		k.slug, k.columns, fmt.Sprintf(tenantSQL, ":tenant"), fmt.Sprintf(workspaceSQL, ":tenant"), k.values, strings.Join(sets, ", "), k.members())
	return fmt.Sprintf("\\set tenant random(%d, %d)\n\\set product random(1, %d)\n\\set line random(1, %d)\n\\set kind random(0, 1)\n\\set unique random(1, 9000000000000000)\n\\set quantity random(1, 500)\n%s\n",
		m.first+1, m.first+m.tenants, m.products, max(1, m.lines), strings.ReplaceAll(statement, "\n", " "))
}

// members are the record's columns and values as arguments of jsonb_build_object.
func (k kind) members() string {
	var members []string
	values := strings.Split(k.values, ", ")
	for i, column := range strings.Split(k.columns, ", ") {
		members = append(members, fmt.Sprintf("'%s', %s", column, values[i]))
	}
	return strings.Join(members, ", ")
}
