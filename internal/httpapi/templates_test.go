package httpapi_test

import (
	"encoding/json"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/quayside/quayside/internal/auth"
)

// shot is a request that a template would send.
type shot struct {
	url, method   string
	authorization string
	sequence      string // empty: no header
	body          string
}

// players run a template for one message, up to its requests. They implement only the part of
// a platform's language that templates use.
var players = map[string]func(t *testing.T, document, message any) []shot{
	"make": playMake,
	"n8n":  playN8N,
}

// An order as Shopify sends it, with characters that break bodies built from text.
const shopifyOrder = `{
	"id": 5001, "admin_graphql_api_id": "gid://shopify/Order/5001", "name": "#1001",
	"created_at": "2026-03-20T00:00:00+01:00", "processed_at": "2026-03-14T09:30:00+01:00", "cancelled_at": null, "closed_at": "2026-03-15T10:00:00Z",
	"financial_status": "paid", "fulfillment_status": null, "email": "", "customer": {"id": 7, "email": "ada@example.com"},
	"currency": "EUR", "total_price": "119.10", "subtotal_price": "100.00", "total_discounts": "10.00", "total_tax": "19.00",
	"total_shipping_price_set": {"shop_money": {"amount": "4.90", "currency_code": "EUR"}}, "test": false, "source_name": "web",
	"shipping_address": {"country_code": "DE"}, "tags": "vip, gift", "note": "Say \"hello\" \\ \n $& {{1.id}} 🚢",
	"line_items": [
		{"id": 1, "admin_graphql_api_id": "gid://shopify/LineItem/1", "variant_id": 11, "product_id": 21, "sku": "TEA-100", "name": "Earl \"Grey\" - 100 g",
		 "quantity": 2, "current_quantity": 1, "price": "12.50", "gift_card": false},
		{"id": 2, "admin_graphql_api_id": "gid://shopify/LineItem/2", "variant_id": null, "product_id": null, "sku": "", "name": "Wrapping",
		 "quantity": 1, "current_quantity": 1, "price": "0.10", "gift_card": true}
	]}`

const shopifyCustomer = `{
	"id": 7, "admin_graphql_api_id": "gid://shopify/Customer/7", "first_name": "Ada", "last_name": null, "email": "ada@example.com", "phone": null,
	"default_address": {"company": "Engines \"&\" Sons", "country_code": "GB", "city": "London", "phone": "+44 20 1"},
	"email_marketing_consent": {"state": "not_subscribed"}, "created_at": "2025-01-02T08:00:00Z", "tags": "", "note": null}`

const shopifyProduct = `{
	"id": 21, "admin_graphql_api_id": "gid://shopify/Product/21", "title": "Earl Grey", "vendor": "Harbour Teas", "product_type": "Black tea",
	"status": "unlisted", "created_at": "2025-08-20T10:00:00Z", "published_at": null, "tags": "tea", "image": null,
	"variants": [
		{"id": 11, "admin_graphql_api_id": "gid://shopify/ProductVariant/11", "title": "100 g", "sku": "TEA-100", "barcode": "0400", "price": "12.50",
		 "inventory_quantity": -3, "inventory_management": "shopify", "inventory_policy": "continue"},
		{"id": 12, "admin_graphql_api_id": "gid://shopify/ProductVariant/12", "title": "250 g", "sku": "", "barcode": null, "price": "29.00",
		 "inventory_quantity": 5, "inventory_management": null, "inventory_policy": "deny"}
	]}`

// TestTemplatesDeliver downloads each template, inserts a key for the placeholder, sends what
// the template would send for a message, and checks the rows.
func TestTemplatesDeliver(t *testing.T) {
	t.Parallel()
	for platform := range players {
		t.Run(platform, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.exec(w.fill(`
				INSERT INTO workspace.registry_tables (tenant_id, slug, title) VALUES ('$TENANT', 'tastings', 'Tastings');
				INSERT INTO workspace.registry_columns (tenant_id, slug, name, position, type, required, nullable)
				VALUES ('$TENANT', 'tastings', 'score', 1, 'number', true, false), ('$TENANT', 'tastings', 'notes', 2, 'text', false, true)`))
			viewer := w.join(w.tenant, auth.Viewer).enter()
			for _, tt := range []struct {
				slug, message, from, columns string
				want                         []string
			}{
				{"orders", shopifyOrder, "workspace.orders",
					"external_id, order_number, ordered_at AT TIME ZONE 'UTC', status, financial_status, fulfillment_status, customer_email, currency, total, subtotal, discount_total, tax_total, shipping_total, base_currency, base_total, cancelled_at, is_test, channel, country, tags, to_json(note)",
					[]string{`gid://shopify/Order/5001 | #1001 | 2026-03-14 08:30:00 | completed | paid | - | ada@example.com | EUR | 119.10 | 100.00 | 10.00 | 19.00 | 4.90 | EUR | 119.10 | - | false | web | DE | vip, gift | "Say \"hello\" \\ \n $& {{1.id}} 🚢"`}},
				{"order_line_items", shopifyOrder, "workspace.order_line_items i LEFT JOIN workspace.orders o ON o.id = i.order_id",
					"i.external_id, o.external_id, variant_external_id, product_external_id, sku, name, quantity, current_quantity, unit_price, i.currency, is_gift_card",
					[]string{
						`gid://shopify/LineItem/1 | gid://shopify/Order/5001 | gid://shopify/ProductVariant/11 | gid://shopify/Product/21 | TEA-100 | Earl "Grey" - 100 g | 2 | 1 | 12.50 | EUR | false`,
						`gid://shopify/LineItem/2 | gid://shopify/Order/5001 | - | - |  | Wrapping | 1 | 1 | 0.10 | EUR | true`,
					}},
				{"customers", shopifyCustomer, "workspace.customers",
					"external_id, name, email, phone, company, country, city, accepts_marketing, source_created_at AT TIME ZONE 'UTC', tags, note",
					[]string{`gid://shopify/Customer/7 | Ada | ada@example.com | +44 20 1 | Engines "&" Sons | GB | London | false | 2025-01-02 08:00:00 |  | -`}},
				{"products", shopifyProduct, "workspace.products",
					"external_id, sku, product_external_id, barcode, name, variant_name, category, vendor, status, price, stock_available, track_inventory, allow_backorder, launched_at AT TIME ZONE 'UTC', image_url, tags",
					[]string{
						`gid://shopify/ProductVariant/11 | TEA-100 | gid://shopify/Product/21 | 0400 | Earl Grey | 100 g | Black tea | Harbour Teas | active | 12.50 | -3 | true | true | 2025-08-20 10:00:00 | - | tea`,
						`gid://shopify/ProductVariant/12 | - | gid://shopify/Product/21 | - | Earl Grey | 250 g | Black tea | Harbour Teas | active | 29.00 | 5 | false | false | 2025-08-20 10:00:00 | - | tea`,
					}},
				{"purchase_order_lines",
					`{"external_id": "L1", "order_no": "PO-1", "sku": "TEA-100", "quantity_ordered": 12, "status": "ordered", "note": "Say \"hello\""}`,
					"workspace.purchase_order_lines", "external_id, order_no, sku, quantity_ordered, quantity_received, status, note",
					[]string{`L1 | PO-1 | TEA-100 | 12 | 0 | ordered | Say "hello"`}},
				// A field that the message leaves out keeps its value, although the
				// template maps it.
				{"purchase_order_lines", `{"external_id": "L1", "quantity_received": 5, "shoe_size": 43}`,
					"workspace.purchase_order_lines", "external_id, order_no, sku, quantity_ordered, quantity_received, status, note",
					[]string{`L1 | PO-1 | TEA-100 | 12 | 5 | partially_received | Say "hello"`}},
				{"tastings", `{"external_id": "T1", "score": 0, "notes": "Bergamot \"first\""}`, "workspace.records",
					"external_id, data->>'score', data->>'notes'",
					[]string{`T1 | 0 | Bergamot "first"`}},
			} {
				for _, shot := range w.play(viewer, platform, tt.slug, tt.message) {
					got := w.fire(shot)
					require.Equal(t, http.StatusOK, got.status, "%s %s: %s", tt.slug, shot.body, got.body)
					require.Empty(t, got.header.Get("Ingest-Dropped"), tt.slug)
				}
				require.Equal(t, tt.want, w.read(tt.from, tt.columns, "1"), tt.slug)
			}
			require.Empty(t, w.read("workspace.failed_imports", "id", "id"))
		})
	}
}

// TestTemplatesOrderMessages sends a message that a template's platform kept for a retry, after a newer one was delivered. It
// changes nothing.
func TestTemplatesOrderMessages(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	viewer := w.join(w.tenant, auth.Viewer).enter()
	for slug, message := range map[string]string{"orders": shopifyOrder, "order_line_items": shopifyOrder, "customers": shopifyCustomer,
		"products": shopifyProduct} {
		at := func(time string) string { return strings.Replace(message, "{", `{"updated_at": "`+time+`",`, 1) }
		for platform := range players {
			newer, older := "2026-03-16T10:00:00+01:00", "2026-03-16T08:59:59Z"
			for _, step := range []struct{ time, want string }{{newer, "created unchanged updated"}, {older, "stale"}, {newer, "unchanged"}} {
				for _, shot := range w.play(viewer, platform, slug, at(step.time)) {
					got := w.fire(shot)
					require.Equal(t, http.StatusOK, got.status, got.body)
					require.Contains(t, step.want, got.header.Get("Ingest-Result"), "%s %s %s", platform, slug, step.time)
				}
			}
		}
	}
}

// TestTemplateSamples sends the sample of every table's workflow, as in a manual trial: it is
// accepted, and nothing is stored.
func TestTemplateSamples(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	viewer := w.join(w.tenant, auth.Viewer).enter()
	slugs, err := w.app.Tables.Slugs(t.Context(), w.tenant.ID)
	require.NoError(t, err)
	for _, slug := range slugs {
		document := plain(t, viewer.call(http.MethodGet, w.sources()+"/"+slug+"/templates/n8n", nil).body)
		sample := n8nFlow{t, document}.node("Sample")
		message := dig(plain(t, spelled(dig(sample, "parameters", "jsonOutput"))), "body")
		for _, shot := range playN8N(t, document, message) {
			shot.url = strings.Replace(shot.url, "dry_run=false", "dry_run=true", 1)
			got := w.fire(shot)
			require.Equal(t, http.StatusOK, got.status, "%s: %s", slug, got.body)
			require.Equal(t, "created", got.header.Get("Ingest-Result"), slug)
			require.Empty(t, got.header.Get("Ingest-Dropped"), slug)
		}
	}
	require.Empty(t, w.read("workspace.orders", "id", "id"))
}

// play downloads a template and runs it for one message.
func (w *world) play(viewer *person, platform, slug, message string) []shot {
	w.t.Helper()
	got := viewer.call(http.MethodGet, w.sources()+"/"+slug+"/templates/"+platform, nil)
	require.Equal(w.t, http.StatusOK, got.status, got.body)
	shots := players[platform](w.t, plain(w.t, got.body), plain(w.t, message))
	require.NotEmpty(w.t, shots)
	return shots
}

// fire sends a request with a key.
func (w *world) fire(s shot) answer {
	w.t.Helper()
	require.Equal(w.t, "Bearer pk_REPLACE_ME", s.authorization)
	path, ours := strings.CutPrefix(s.url, "https://quay.example")
	require.True(w.t, ours, s.url)
	header := http.Header{"Authorization": {strings.ReplaceAll(s.authorization, "pk_REPLACE_ME", w.keys["master"])}}
	if s.sequence != "" {
		header.Set("Ingest-Sequence", s.sequence)
	}
	return w.send(strings.ToUpper(s.method), "none", path, header, []byte(s.body))
}

func (w *world) sources() string {
	return "/api/app/workspaces/" + w.tenant.Workspace.String() + "/sources"
}

// plain reads JSON and keeps the spelling of numbers.
func plain(t *testing.T, text string) (value any) {
	t.Helper()
	decoder := json.NewDecoder(strings.NewReader(text))
	decoder.UseNumber()
	require.NoError(t, decoder.Decode(&value), text)
	return value
}

// TestTemplatesPartErrors gives each template the endpoint's answers and checks where it goes:
// on, to a retry, or to a visible stop.
func TestTemplatesPartErrors(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	viewer := w.join(w.tenant, auth.Viewer).enter()
	get := func(platform string) any {
		return plain(t, viewer.call(http.MethodGet, w.sources()+"/suppliers/templates/"+platform, nil).body)
	}

	// The last module is the request. Its message quotes the record, which must not matter.
	makeFlow, _ := dig(get("make"), "flow").([]any)
	routes := dig(makeFlow[len(makeFlow)-1], "onerror", 0, "routes")
	id := spelled(dig(makeFlow[len(makeFlow)-1], "id"))
	for _, tt := range []struct {
		kind, message string
		again         bool
	}{
		{"RateLimitError", "[429] rate limit exceeded", true},
		{"ConnectionError", "[503] temporarily unavailable", true},
		{"RuntimeError", "[500] temporary failure, safe to retry", true},
		{"ModuleTimeoutError", "The operation timed out.", true},
		{"DataError", `[422] lead_time_days: "500 days" is not a number`, false},
		{"BundleValidationError", "[400] invalid JSON body", false},
		{"RuntimeError", "[413] request body too large", false},
		{"", "", false},
	} {
		bundles := map[string]any{id: map[string]any{"error": map[string]any{"type": tt.kind, "message": tt.message}}}
		for i, retry := range []bool{true, false} {
			condition := dig(routes, i, "flow", 0, "filter", "conditions", 0, 0)
			matches := regexp.MustCompile(spelled(dig(condition, "b"))).MatchString(makeText(t, spelled(dig(condition, "a")),
				bundles))
			passes := matches == (dig(condition, "o") == "text:pattern")
			require.Equal(t, tt.again == retry, passes, "%s %s", tt.kind, tt.message)
			require.Equal(t, retry, dig(routes, i, "flow", 0, "mapper", "retry"))
		}
	}

	flow := n8nFlow{t: t, document: get("n8n")}
	for _, tt := range []struct{ status, run, want string }{
		{"200", "0", "Stored"},
		{"429", "0", "Wait"}, {"500", "4", "Wait"}, {"503", "1", "Wait"},
		{"503", "5", "Not stored"}, // the last attempt
		{"422", "0", "Not stored"}, {"401", "0", "Not stored"}, {"413", "0", "Not stored"}, {"302", "0", "Not stored"},
	} {
		scope := map[string]any{"$json": map[string]any{"statusCode": json.Number(tt.status)},
			"$runIndex": json.Number(tt.run)}
		require.Equal(t, tt.want, flow.decide("Send to Quayside", scope), "%s on try %s", tt.status, tt.run)
	}
	require.Equal(t, "Send to Quayside", flow.next("Wait", 0))
}

// TestTemplatesAreListed reads the descriptions of the templates.
func TestTemplatesAreListed(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	viewer := w.join(w.tenant, auth.Viewer).enter()
	type template struct {
		Platform, Title, About string
		FileName               string `json:"file_name"`
		Steps                  []string
	}
	listed := decode[page[template]](t, viewer.call(http.MethodGet, w.sources()+"/orders/templates", nil),
		http.StatusOK).Items
	require.Len(t, listed, len(players))
	for _, one := range listed {
		require.Greater(t, len(one.Steps), 3)
		require.NotEmpty(t, one.Title)
		require.Contains(t, one.About, "Shopify orders")
		got := viewer.call(http.MethodGet, w.sources()+"/orders/templates/"+one.Platform, nil)
		require.Equal(t, "application/json", got.header.Get("Content-Type"))
		require.Equal(t, `attachment; filename="`+one.FileName+`"`, got.header.Get("Content-Disposition"))
		require.Contains(t, got.body, `"https://quay.example/api/ingest/orders"`)
	}
	requireProblem(t, viewer.call(http.MethodGet, w.sources()+"/nothing/templates", nil), http.StatusNotFound,
		"unknown_table")
	requireProblem(t, viewer.call(http.MethodGet, w.sources()+"/nothing/templates/make", nil), http.StatusNotFound,
		"unknown_table")
	requireProblem(t, viewer.call(http.MethodGet, w.sources()+"/orders/templates/zapier", nil),
		http.StatusUnprocessableEntity, "invalid_input")
}
