package ingest

import (
	"context"
	"fmt"
	"log/slog"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/fault"
	"github.com/quayside/quayside/internal/pg/pgtest"
	"github.com/quayside/quayside/internal/registry"
	"github.com/quayside/quayside/internal/telemetry"
)

// custom returns the values of added columns in a row.
func (st stand) custom(table, key string) string {
	st.t.Helper()
	return st.ask("SELECT custom::text FROM workspace."+table+" WHERE tenant_id = $1 AND external_id = $2", st.tenant.ID, key)
}

// define adds columns to a built-in table through a registry of its own, as another instance would.
func (st stand) define(slug string, columns ...registry.ColumnDefinition) {
	st.t.Helper()
	_, err := registry.New(st.db.Cells).Define(st.t.Context(), auth.Operator(st.tenant.ID), registry.Definition{Slug: slug, Columns: columns})
	require.NoError(st.t, err)
}

// TestCustomColumnOnTheNextRecord adds columns to a built-in table through one instance, and sends each next record to
// another one, which has the table cached as it was before.
func TestCustomColumnOnTheNextRecord(t *testing.T) {
	t.Parallel()
	s, db := newService(t)
	st, other := newStand(t, s, db), newStand(t, s, db)
	send := func(body string) (Outcome, error) {
		return s.Write(t.Context(), Record{By: st.by(), Slug: "products", Body: []byte(body), RequestID: "test"})
	}
	outcome, err := send(`{"external_id":"P1","name":"Tea","hazard_class":"fire"}`)
	require.NoError(t, err)
	require.Equal(t, []string{"hazard_class"}, outcome.Dropped)

	none := "none"
	st.define("products", registry.ColumnDefinition{Name: "hazard_class", Type: registry.Text, Choices: []string{"none", "fire"}, Default: &none})
	outcome, err = send(`{"external_id":"P1","hazard_class":"fire"}`)
	require.NoError(t, err)
	require.Equal(t, Updated, outcome.Result)
	require.Empty(t, outcome.Dropped)
	require.JSONEq(t, `{"hazard_class":"fire"}`, st.custom("products", "P1"))
	outcome, err = send(`{"external_id":"P1","hazard_class":"fire"}`)
	require.NoError(t, err)
	require.Equal(t, Unchanged, outcome.Result)
	_, err = send(`{"external_id":"P1","hazard_class":"water"}`)
	require.True(t, fault.HasCode(err, "choice"), err)

	// A column that is not sent keeps its value; a new row has the default.
	st.define("products", registry.ColumnDefinition{Name: "weight", Type: registry.Number, Minimum: "0"},
		registry.ColumnDefinition{Name: "carrier", Type: registry.Text, References: "suppliers"})
	outcome, err = send(`{"external_id":"P1","weight":"2.50","name":"Green tea"}`)
	require.NoError(t, err)
	require.Equal(t, []string{"weight"}, outcome.Coerced)
	require.JSONEq(t, `{"hazard_class":"fire","weight":2.50}`, st.custom("products", "P1"))
	_, err = send(`{"external_id":"P2","name":"Cup"}`)
	require.NoError(t, err)
	require.JSONEq(t, `{"hazard_class":"none"}`, st.custom("products", "P2"))
	_, err = send(`{"external_id":"P2","name":"Mug"}`)
	require.NoError(t, err)
	require.JSONEq(t, `{"hazard_class":"none"}`, st.custom("products", "P2"))

	// References are ids of records, which must exist.
	_, err = send(`{"external_id":"P2","carrier":"S9"}`)
	require.True(t, fault.HasCode(err, "unknown_reference"), err)
	_, err = send(`{"external_id":"P2","carrier":"S1","supplier_id":"S1","hazard_class":null}`)
	require.NoError(t, err)
	supplier := st.id("suppliers", "S1")
	require.JSONEq(t, `{"hazard_class":null,"carrier":"`+supplier+`"}`, st.custom("products", "P2"))
	require.JSONEq(t, `{"external_id":"P2","supplier_id":"`+supplier+`","hazard_class":null,"carrier":"`+supplier+`"}`,
		st.ask("SELECT ((data->'record') - 'supplier_external_id')::text FROM workspace.events WHERE tenant_id = $1 AND slug = 'products' ORDER BY id DESC LIMIT 1",
			st.tenant.ID))

	// What is required is required of new rows.
	st.define("products", registry.ColumnDefinition{Name: "origin", Type: registry.Text, Required: true})
	_, err = send(`{"external_id":"P3","name":"Pot"}`)
	require.True(t, fault.HasCode(err, "required"), err)
	_, err = send(`{"external_id":"P2","name":"Pot"}`)
	require.NoError(t, err)

	other.write("products", `{"external_id":"P3","name":"Pot","hazard_class":"fire"}`)
	require.JSONEq(t, `{}`, other.custom("products", "P3"))
}

// TestCustomColumnsOfTwoTenants stores records of tenants with different columns of the same name, and of one without any,
// in one batch.
func TestCustomColumnsOfTwoTenants(t *testing.T) {
	t.Parallel()
	s, db := newService(t)
	words, numbers, plain := newStand(t, s, db), newStand(t, s, db), newStand(t, s, db)
	words.define("customers", registry.ColumnDefinition{Name: "grade", Type: registry.Text})
	numbers.define("customers", registry.ColumnDefinition{Name: "extra", Type: registry.Text}, registry.ColumnDefinition{Name: "grade", Type: registry.Number})
	var batch []*ticket
	for i := range 3 {
		for _, st := range []stand{words, numbers, plain} {
			table, err := s.registry.Reload(t.Context(), st.tenant.ID, "customers")
			require.NoError(t, err)
			fields, err := decode(fmt.Appendf(nil, `{"external_id":"C%d","name":"Ada","grade":"1.0"}`, i))
			require.NoError(t, err)
			batch = append(batch, &ticket{clean: sanitize(table, fields, time.UTC, false), mode: write,
				record: Record{By: st.by(), Slug: "customers", RequestID: "test"}})
		}
	}
	s.flush(batch)()
	for _, one := range batch {
		require.NoError(t, one.err)
		require.True(t, one.verdict.current)
	}
	for i := range 3 {
		key := fmt.Sprintf("C%d", i)
		require.Equal(t, `{"grade": "1.0"}`, words.custom("customers", key))
		require.Equal(t, `{"grade": 1.0}`, numbers.custom("customers", key))
		require.Equal(t, `{}`, plain.custom("customers", key))
	}

	// Columns that only one of them gets meanwhile stop the records of that one only.
	plain.define("customers", registry.ColumnDefinition{Name: "grade", Type: registry.Boolean})
	s.flush(batch)()
	for i, one := range batch {
		require.NoError(t, one.err)
		require.Equal(t, i%3 != 2, one.verdict.current)
	}
}

// TestCustomColumnsOfLines stores added columns of purchase order lines, which have a snapshot, with and without its
// arguments, and through a gate.
func TestCustomColumnsOfLines(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	var claimed map[string]*string
	gate := func(_ context.Context, _ pgx.Tx, claim Claim) (Ruling, error) {
		claimed = claim.Values
		return Ruling{Version: 2}, nil
	}
	s := New(db.Cells, registry.New(db.Cells), slog.New(slog.DiscardHandler), telemetry.NewMetrics(), Config{Lanes: 2, Queued: 1000,
		Gates: map[string]Gates{"purchase_order_lines": {People: gate}}})
	t.Cleanup(s.Close)
	st := newStand(t, s, db)
	st.define("purchase_order_lines", registry.ColumnDefinition{Name: "dock", Type: registry.Number},
		registry.ColumnDefinition{Name: "inspector", Type: registry.Text, PeopleOnly: true})
	st.write("purchase_order_lines", `{"external_id":"L9","order_no":"PO-9","sku":"TEA","quantity_ordered":2,"dock":4,"inspector":"a system"}`)
	require.JSONEq(t, `{"dock":4}`, st.custom("purchase_order_lines", "L9"))
	require.Equal(t, "Tea", st.ask("SELECT product_name FROM workspace.purchase_order_lines WHERE tenant_id = $1 AND external_id = 'L9'", st.tenant.ID))
	st.write("purchase_order_lines", `{"external_id":"L9","dock":5}`)
	require.JSONEq(t, `{"dock":5}`, st.custom("purchase_order_lines", "L9"))

	_, err := s.Edit(t.Context(), st.buyer(), "purchase_order_lines", st.id("purchase_order_lines", "L9"),
		[]byte(`{"inspector":"Ada","dock":"6"}`), 2)
	require.NoError(t, err)
	require.JSONEq(t, `{"dock":6,"inspector":"Ada"}`, st.custom("purchase_order_lines", "L9"))
	require.Equal(t, "Ada", *claimed["inspector"])
}
