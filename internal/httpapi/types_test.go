package httpapi_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/quayside/quayside/test/property"
)

// refuse marks an input that a type refuses; null marks one that is stored as null.
const (
	refuse = "REFUSE"
	null   = "NULL"
)

// TestTypesTimesInputs sends each kind of input to a column of each type, in a schema table
// and in a generic one, and compares what is stored with what was sent.
func TestTypesTimesInputs(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.unlimited()
	w.exec(w.fill(`
		INSERT INTO workspace.registry_tables (tenant_id, slug, title) VALUES ('$TENANT', 'kinds', 'Kinds');
		INSERT INTO workspace.registry_columns (tenant_id, slug, name, position, type)
		SELECT '$TENANT', 'kinds', 'a_' || type, 1, type FROM unnest('{text,number,boolean,date,datetime,uuid}'::text[]) type`))
	physical := map[string][2]string{ // type: table, column
		"text": {"suppliers", "note"}, "number": {"orders", "subtotal"}, "boolean": {"suppliers", "active"},
		"date": {"purchase_order_lines", "expected_arrival_date"}, "datetime": {"purchase_order_lines", "ordered_at"},
		"uuid": {"purchase_order_lines", "location_id"},
	}
	rest := map[string]string{
		"suppliers": `"name":"x"`, "orders": `"ordered_at":"2026-01-01","status":"open","currency":"EUR","total":1`,
		"purchase_order_lines": `"order_no":"1","sku":"1","quantity_ordered":1`, "kinds": `"a_nothing":1`,
	}
	const id = "0190f1de-6a3b-7c21-9d2e-3f4a5b6c7d8e"
	const time1, time0 = "2026-03-14T09:30:00Z", "2026-03-14 09:30:00+00"
	types := []string{"text", "number", "boolean", "date", "datetime", "uuid"}
	for i, tt := range []struct {
		sent string
		want [6]string // by type, in the order above
	}{
		{`null`, [6]string{null, null, null, null, null, null}},
		{`""`, [6]string{"", null, null, null, null, null}},
		{`"plain"`, [6]string{"plain", refuse, refuse, refuse, refuse, refuse}},
		{`" 12 "`, [6]string{" 12 ", refuse, refuse, refuse, refuse, refuse}},
		{`"Größe 🚢 \" \\ \n"`, [6]string{"Größe 🚢 \" \\ \n", refuse, refuse, refuse, refuse, refuse}},
		{`"=1+1"`, [6]string{"=1+1", refuse, refuse, refuse, refuse, refuse}},
		{`"null"`, [6]string{"null", refuse, refuse, refuse, refuse, refuse}},
		{`"\u0000"`, [6]string{refuse, refuse, refuse, refuse, refuse, refuse}},
		{`true`, [6]string{"true", refuse, "true", refuse, refuse, refuse}},
		{`false`, [6]string{"false", refuse, "false", refuse, refuse, refuse}},
		{`"true"`, [6]string{"true", refuse, "true", refuse, refuse, refuse}},
		{`"TRUE"`, [6]string{"TRUE", refuse, refuse, refuse, refuse, refuse}},
		{`1`, [6]string{"1", "1", "true", refuse, "1970-01-01 00:00:00.001+00", refuse}},
		{`0`, [6]string{"0", "0", "false", refuse, refuse, refuse}},
		{`1.0`, [6]string{"1.0", "1.0", refuse, refuse, refuse, refuse}},
		{`-0`, [6]string{"-0", "0", refuse, refuse, refuse, refuse}},
		{`-12.5e2`, [6]string{"-12.5e2", "-1250", refuse, refuse, refuse, refuse}},
		{`1e308`, [6]string{"1e308", refuse, refuse, refuse, refuse, refuse}},
		{`1e12`, [6]string{"1e12", "1000000000000", refuse, refuse, refuse, refuse}},
		{`-1e12`, [6]string{"-1e12", "-1000000000000", refuse, refuse, refuse, refuse}},
		{`1e309`, [6]string{"1e309", refuse, refuse, refuse, refuse, refuse}},
		{`1e-309`, [6]string{"1e-309", refuse, refuse, refuse, refuse, refuse}},
		{`"007"`, [6]string{"007", "7", refuse, refuse, refuse, refuse}},
		{`".5"`, [6]string{".5", "0.5", refuse, refuse, refuse, refuse}},
		{`"5."`, [6]string{"5.", "5", refuse, refuse, refuse, refuse}},
		{`"+5"`, [6]string{"+5", "5", refuse, refuse, refuse, refuse}},
		{`"1,5"`, [6]string{"1,5", refuse, refuse, refuse, refuse, refuse}},
		{`"0x1F"`, [6]string{"0x1F", refuse, refuse, refuse, refuse, refuse}},
		{`"1_000"`, [6]string{"1_000", refuse, refuse, refuse, refuse, refuse}},
		{`"NaN"`, [6]string{"NaN", refuse, refuse, refuse, refuse, refuse}},
		{`"Infinity"`, [6]string{"Infinity", refuse, refuse, refuse, refuse, refuse}},
		{`9007199254740993`, [6]string{"9007199254740993", refuse, refuse, refuse, refuse, refuse}},
		{`90071992547.40993`, [6]string{"90071992547.40993", "90071992547.40993", refuse, refuse, refuse, refuse}},
		{`"1773480600000"`, [6]string{"1773480600000", refuse, refuse, refuse, time0, refuse}},
		{`"2026-03-14T09:30:00,5Z"`, [6]string{"2026-03-14T09:30:00,5Z", refuse, refuse, refuse, refuse, refuse}},
		{`"2026-03-14T09:30:00+24:00"`, [6]string{"2026-03-14T09:30:00+24:00", refuse, refuse, refuse, refuse, refuse}},
		{`1773480600000`, [6]string{"1773480600000", refuse, refuse, refuse, time0, refuse}},
		{`"2026-03-14"`, [6]string{"2026-03-14", refuse, refuse, "2026-03-14", "2026-03-14 00:00:00+00", refuse}},
		{`"2026-02-30"`, [6]string{"2026-02-30", refuse, refuse, refuse, refuse, refuse}},
		{`"14.03.2026"`, [6]string{"14.03.2026", refuse, refuse, refuse, refuse, refuse}},
		{`"0000-01-01"`, [6]string{"0000-01-01", refuse, refuse, refuse, refuse, refuse}},
		{`"0001-01-01"`, [6]string{"0001-01-01", refuse, refuse, refuse, refuse, refuse}},
		{`"1970-01-01"`, [6]string{"1970-01-01", refuse, refuse, refuse, refuse, refuse}},
		{`"1970-01-01T01:00:00+01:00"`, [6]string{"1970-01-01T01:00:00+01:00", refuse, refuse, refuse, refuse, refuse}},
		{`"9999-12-31"`, [6]string{"9999-12-31", refuse, refuse, "9999-12-31", "9999-12-31 00:00:00+00", refuse}},
		{`"` + time1 + `"`, [6]string{time1, refuse, refuse, "2026-03-14", time0, refuse}},
		{`"2026-03-14T23:30:00-08:00"`,
			[6]string{"2026-03-14T23:30:00-08:00", refuse, refuse, "2026-03-14", "2026-03-15 07:30:00+00", refuse}},
		{`"2026-03-14T09:30:00.123456789Z"`,
			[6]string{"2026-03-14T09:30:00.123456789Z", refuse, refuse, "2026-03-14", "2026-03-14 09:30:00.123456+00", refuse}},
		{`"2026-03-14T09:30:00"`, [6]string{"2026-03-14T09:30:00", refuse, refuse, refuse, refuse, refuse}},
		{`"2026-03-14T24:00:00Z"`, [6]string{"2026-03-14T24:00:00Z", refuse, refuse, refuse, refuse, refuse}},
		{`"infinity"`, [6]string{"infinity", refuse, refuse, refuse, refuse, refuse}},
		{`"now"`, [6]string{"now", refuse, refuse, refuse, refuse, refuse}},
		{`"` + id + `"`, [6]string{id, refuse, refuse, refuse, refuse, id}},
		{`"` + strings.ToUpper(id) + `"`, [6]string{strings.ToUpper(id), refuse, refuse, refuse, refuse, id}},
		{`"{` + id + `}"`, [6]string{"{" + id + "}", refuse, refuse, refuse, refuse, refuse}},
		{`[]`, [6]string{refuse, refuse, refuse, refuse, refuse, refuse}},
		{`{"a":1}`, [6]string{refuse, refuse, refuse, refuse, refuse, refuse}},
	} {
		for n, kind := range types {
			for _, place := range [][2]string{physical[kind], {"kinds", "a_" + kind}} {
				table, column := place[0], place[1]
				external := fmt.Sprintf("%d-%s", i, kind)
				got := w.post(table, fmt.Sprintf(`{"external_id":%q,%s,%q:%s}`, external, rest[table], column, tt.sent))
				name := fmt.Sprintf("%s as %s in %s", tt.sent, kind, table)
				if tt.want[n] == refuse {
					require.Equal(t, http.StatusUnprocessableEntity, got.status, "%s: %s", name, got.body)
					require.Contains(t, got.body, column, name)
					continue
				}
				require.Equal(t, http.StatusOK, got.status, "%s: %s", name, got.body)
				from, expression := "workspace."+table, column
				if table == "kinds" {
					cast := map[string]string{"datetime": "timestamptz", "number": "numeric"}[kind]
					from, expression = "workspace.records", "data->>'"+column+"'"
					if cast != "" {
						expression = "(" + expression + ")::" + cast
					}
				}
				var stored *string
				require.NoError(t, w.admin.QueryRow(t.Context(),
					fmt.Sprintf("SELECT (%s)::text FROM %s WHERE external_id = $1", expression, from), external).Scan(&stored))
				if tt.want[n] == null {
					require.Nil(t, stored, name)
					continue
				}
				require.NotNil(t, stored, name)
				require.Equal(t, tt.want[n], *stored, name)
			}
		}
	}
}

// TestAnyBodyIsAnswered sends random objects: each is stored as sent or refused, and none
// causes an internal error.
func TestAnyBodyIsAnswered(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.unlimited()
	columns := []string{"external_id", "order_no", "sku", "status", "quantity_ordered", "quantity_received",
		"expected_arrival_date",
		"price_per_unit", "note", "supplier_id", "product_id", "ordered_at", "location_id", "id", "tenant_id", "other"}
	scalar := rapid.OneOf(
		rapid.Map(rapid.String(), quoteJSON),
		rapid.Map(rapid.StringMatching(`[a-zA-Z0-9 _.:+-]{0,12}`), quoteJSON),
		rapid.StringMatching(`-?(0|[1-9][0-9]{0,45})(\.[0-9]{1,6})?([eE][+-]?[0-9]{1,6})?`),
		rapid.SampledFrom([]string{"null", "true", "false", `"2026-03-14"`, `"ordered"`, `"received"`, "0", "-1", "1", `""`,
			"[]", "{}", `[{"a":[1]}]`}),
	)
	property.Check(t, func(rt *rapid.T) {
		var members []string
		for _, column := range columns {
			if rapid.IntRange(0, 2).Draw(rt, "present") > 0 {
				members = append(members, quoteJSON(column)+":"+scalar.Draw(rt, column))
			}
		}
		body := "{" + strings.Join(members, ",") + "}"
		got := w.post("purchase_order_lines", body)
		if got.status != http.StatusOK && got.status != http.StatusUnprocessableEntity {
			rt.Fatalf("%d %s for %s", got.status, got.body, body)
		}
		if got.status == http.StatusOK {
			checkStored(rt, w, body)
		}
	})
}

// checkStored compares the text columns of an accepted record with what was sent.
func checkStored(rt *rapid.T, w *world, body string) {
	var sent map[string]any
	decoder := json.NewDecoder(strings.NewReader(body))
	decoder.UseNumber()
	if err := decoder.Decode(&sent); err != nil {
		rt.Fatalf("accepted what encoding/json refuses: %v: %s", err, body)
	}
	var note, sku *string
	err := w.admin.QueryRow(w.t.Context(), "SELECT note, sku FROM workspace.purchase_order_lines WHERE external_id = $1",
		fmt.Sprint(sent["external_id"])).Scan(&note, &sku)
	if err != nil {
		rt.Fatalf("accepted but not stored: %v: %s", err, body)
	}
	if want, ok := sent["note"]; ok && want != nil && (note == nil || fmt.Sprint(want) != *note) {
		rt.Fatalf("note is %v, sent %v", note, want)
	}
	if want, ok := sent["sku"]; ok && want != "" && (sku == nil || fmt.Sprint(want) != *sku) {
		rt.Fatalf("sku is %v, sent %v", sku, want)
	}
}

func quoteJSON(text string) string {
	quoted, err := json.Marshal(text)
	if err != nil {
		panic(err)
	}
	return string(quoted)
}
