package httpapi_test

import (
	"encoding/json"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestDiscovery(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	get := func(key, slug string, header http.Header) answer {
		return w.send(http.MethodGet, key, "/api/ingest/"+slug, header, nil)
	}

	t.Run("a description of the table, for any live key of the tenant", func(t *testing.T) {
		got := get("orders", "purchase_order_lines", nil)
		require.Equal(t, http.StatusOK, got.status)
		var d struct {
			Slug, Title, Endpoint string
			RequiredScope         string   `json:"required_scope"`
			ConflictKey           []string `json:"conflict_key"`
			EventType             string   `json:"event_type"`
			Version               int64
			Limits                map[string]int
			Columns               []map[string]any
			Example               map[string]any
			Warnings              []struct{ Code, Meaning string }
		}
		require.NoError(t, json.Unmarshal([]byte(got.body), &d))
		require.Equal(t, "purchase_order_lines", d.Slug)
		require.Equal(t, "Purchase Order Lines", d.Title)
		require.Equal(t, "https://quay.example/api/ingest/purchase_order_lines", d.Endpoint)
		require.Equal(t, "purchase_order_lines", d.RequiredScope)
		require.Equal(t, []string{"tenant_id", "external_id"}, d.ConflictKey)
		require.Equal(t, "ingest.purchase_order_lines.received", d.EventType)
		require.Positive(t, d.Version)
		require.Equal(t, 1, d.Limits["records_per_request"])
		require.Equal(t, 1<<20, d.Limits["max_body_bytes"])
		bounds, formats, past := map[string]any{}, map[string]any{}, map[string]any{}
		least, most := map[string]any{}, map[string]any{}
		kinds := map[string][]string{}
		sendable := true
		for _, column := range d.Columns {
			kind, _ := column["kind"].(string)
			name, _ := column["name"].(string)
			kinds[kind] = append(kinds[kind], name)
			accepted, _ := column["accepted"].(bool)
			require.True(t, sendable || !accepted, "columns that may be sent come first: %s", name)
			sendable = accepted
			require.NotEmpty(t, column["description"], name)
			require.NotNil(t, column["example"], name)
			bounds[name], formats[name], past[name] = column["max_length"], column["format"], column["records_past"]
			least[name], most[name] = column["minimum"], column["maximum"]
		}
		require.EqualValues(t, 500, bounds["order_no"])
		require.EqualValues(t, 500, bounds["supplier_id"])
		require.EqualValues(t, 100_000, bounds["note"])
		require.Equal(t, []any{0.0, 1e12, 0.0, 1e12}, []any{least["price_per_unit"], most["price_per_unit"], least["quantity_ordered"],
			most["quantity_ordered"]})
		require.Equal(t, []any{true, true, nil, nil}, []any{past["ordered_at"], past["received_at"], past["expected_arrival_date"],
			past["approved_at"]})
		require.Equal(t, "currency", formats["currency"])
		require.Nil(t, formats["order_no"])
		require.Equal(t, []string{"product_name", "supplier_name", "variant_external_id", "product_external_id"},
			kinds["trigger"])
		require.Equal(t, []string{"recommendation_key"}, kinds["read_only"])
		require.Equal(t, []string{"id", "tenant_id", "workspace_id", "version", "created_at", "updated_at"}, kinds["system"])
		require.Len(t, kinds["writable"], 12)
		require.Len(t, kinds["api_only"], 12)
		require.Contains(t, d.Example, "quantity_ordered")
		var codes []string
		for _, warning := range d.Warnings {
			codes = append(codes, warning.Code)
			require.NotEmpty(t, warning.Meaning, warning.Code)
		}
		require.Equal(t, []string{"sku_unknown", "sku_ambiguous", "sku_product_mismatch", "sku_padded", "key_nearly_equal",
			"date_implausible", "received_without_quantity"}, codes)
		require.Equal(t, []string{"tenant_id", "identity_key"}, conflictKey(t, get("orders", "products", nil)))
	})

	t.Run("its ETag changes with the table, and only then", func(t *testing.T) {
		first := get("master", "suppliers", nil)
		tag := first.header.Get("ETag")
		require.NotEmpty(t, tag)
		again := get("master", "suppliers", http.Header{"If-None-Match": {tag}})
		require.Equal(t, http.StatusNotModified, again.status)
		require.Empty(t, again.body)
		w.exec("UPDATE workspace.registry_columns SET description = 'Changed' WHERE slug = 'suppliers' AND name = 'note'")
		changed := get("master", "suppliers", http.Header{"If-None-Match": {tag}})
		require.Equal(t, http.StatusOK, changed.status)
		require.NotEqual(t, tag, changed.header.Get("ETag"))
		require.Contains(t, changed.body, "Changed")
	})

	t.Run("a JSON Schema on request", func(t *testing.T) {
		got := get("master", "products", http.Header{"Accept": {"application/schema+json"}})
		require.Equal(t, http.StatusOK, got.status)
		require.Equal(t, "application/schema+json", got.header.Get("Content-Type"))
		var schema struct {
			Type       string
			Required   []string
			Properties map[string]map[string]any
		}
		require.NoError(t, json.Unmarshal([]byte(got.body), &schema))
		require.Equal(t, "object", schema.Type)
		require.Equal(t, []string{"name"}, schema.Required)
		require.Equal(t, "string", schema.Properties["name"]["type"])
		require.NotContains(t, schema.Properties, "identity_key")
		require.EqualValues(t, 500, schema.Properties["sku"]["maxLength"])
		require.EqualValues(t, 1000, schema.Properties["name"]["maxLength"])
		require.Equal(t, []any{-1e12, 1e12}, []any{schema.Properties["stock_on_hand"]["minimum"], schema.Properties["stock_on_hand"]["maximum"]})
		require.Contains(t, schema.Properties["stock_updated_at"]["description"], "A date before 2000 or after tomorrow gets a warning.")
		require.Equal(t, `\S`, schema.Properties["name"]["pattern"])
		require.Equal(t, "^[A-Z]{3}$", schema.Properties["currency"]["pattern"])
	})

	t.Run("its example can be sent as it is", func(t *testing.T) {
		slugs, err := w.app.Tables.Slugs(t.Context(), w.tenant.ID)
		require.NoError(t, err)
		require.Len(t, slugs, 7)
		for _, slug := range slugs {
			var d struct{ Example json.RawMessage }
			require.NoError(t, json.Unmarshal([]byte(get("master", slug, nil).body), &d))
			got := w.post(slug, string(d.Example))
			require.Equal(t, http.StatusOK, got.status, "%s: %s", slug, got.body)
			require.Empty(t, got.header.Get("Ingest-Dropped"), slug)
			require.Empty(t, got.header.Get("Ingest-Coerced"), slug)
		}
	})

	t.Run("every column's example suits its column", func(t *testing.T) {
		for _, slug := range []string{"suppliers", "products", "customers", "orders", "order_line_items",
			"purchase_order_lines", "meeting_notes"} {
			var d struct {
				Example map[string]json.RawMessage
				Columns []struct {
					Name, References string
					Accepted         bool
					Example          json.RawMessage
				}
			}
			require.NoError(t, json.Unmarshal([]byte(get("master", slug, nil).body), &d))
			for _, column := range d.Columns {
				if column.Accepted && column.References == "" {
					d.Example[column.Name] = column.Example
				}
			}
			body, err := json.Marshal(d.Example)
			require.NoError(t, err)
			got := w.post(slug, string(body))
			require.Equal(t, http.StatusOK, got.status, "%s: %s", slug, got.body)
			require.Empty(t, got.header.Get("Ingest-Coerced"), slug)
		}
	})
}

func conflictKey(t *testing.T, got answer) []string {
	t.Helper()
	var d struct {
		ConflictKey []string `json:"conflict_key"`
	}
	require.NoError(t, json.Unmarshal([]byte(got.body), &d))
	return d.ConflictKey
}
