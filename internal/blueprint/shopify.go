package blueprint

import _ "embed" // the samples

// The fields of Shopify's webhooks, in the shape of its REST resources.
//
// Amounts are in the shop's own currency: every message has them, and the lines then add up to
// their order. Two kinds of fields are left out on purpose. Some are spread over lists, as a
// line's taxes and discounts are. Others refer to a record that may arrive later and would be
// refused until then: the customer of an order, the article of a line. A line finds its article
// by variant_external_id.
var shopify = map[string]source{
	"orders": {name: "Shopify orders", tell: tellShopify("order creation, order update and order cancellation"),
		sample: sampleOrder, clock: shopifyClock, values: orderValues},
	"order_line_items": {name: "Shopify order lines", tell: tellShopify("order creation and order update"),
		list: "line_items", each: "line", sample: sampleOrder, clock: shopifyClock, values: lineValues},
	"customers": {name: "Shopify customers", tell: tellShopify("customer creation and customer update"),
		sample: sampleCustomer, clock: shopifyClock, values: customerValues},
	"products": {name: "Shopify products", tell: tellShopify("product creation and product update"),
		list: "variants", each: "variant", sample: sampleProduct, clock: shopifyClock, values: variantValues},
}

// shopifyClock orders the messages about a record: webhooks come in any order, and some come twice.
const shopifyClock = "updated_at"

func tellShopify(events string) string {
	return "in Shopify, under Settings, Notifications, Webhooks, create webhooks in JSON for " + events + ", all with that address"
}

// Sample messages to test a flow with.
var (
	//go:embed samples/order.json
	sampleOrder string
	//go:embed samples/customer.json
	sampleCustomer string
	//go:embed samples/product.json
	sampleProduct string
)

func of(keys string) path   { return path{keys: keys} }
func each(keys string) path { return path{keys: keys, each: true} }

var orderValues = map[string]value{
	"external_id":  of("admin_graphql_api_id"),
	"order_number": of("name"),
	"ordered_at":   either{of("processed_at"), of("created_at")},
	// an imported order is created after it was processed
	"status":             stage{[]mark{{of("cancelled_at"), "cancelled"}, {of("closed_at"), "completed"}}, "open"},
	"financial_status":   of("financial_status"),
	"fulfillment_status": of("fulfillment_status"),
	"customer_email":     either{of("email"), of("customer.email")},
	"currency":           of("currency"),
	"total":              of("total_price"),
	"subtotal":           of("subtotal_price"),
	"discount_total":     of("total_discounts"),
	"tax_total":          of("total_tax"),
	"shipping_total":     of("total_shipping_price_set.shop_money.amount"),
	"base_currency":      of("currency"),
	"base_total":         of("total_price"),
	"cancelled_at":       of("cancelled_at"),
	"is_test":            of("test"),
	"channel":            of("source_name"),
	"country":            of("shipping_address.country_code"),
	"tags":               of("tags"),
	"note":               of("note"),
}

var lineValues = map[string]value{
	"external_id":         each("admin_graphql_api_id"),
	"order_id":            of("admin_graphql_api_id"),
	"variant_external_id": globalID{"ProductVariant", each("variant_id")},
	"product_external_id": globalID{"Product", each("product_id")},
	"sku":                 each("sku"),
	"name":                each("name"),
	"quantity":            each("quantity"),
	"current_quantity":    each("current_quantity"),
	"unit_price":          each("price"),
	"currency":            of("currency"),
	"is_gift_card":        each("gift_card"),
}

var customerValues = map[string]value{
	"external_id":       of("admin_graphql_api_id"),
	"name":              words{of("first_name"), of("last_name")},
	"email":             of("email"),
	"phone":             either{of("phone"), of("default_address.phone")},
	"company":           of("default_address.company"),
	"country":           of("default_address.country_code"),
	"city":              of("default_address.city"),
	"accepts_marketing": equals{of("email_marketing_consent.state"), "subscribed"},
	"source_created_at": of("created_at"),
	"tags":              of("tags"),
	"note":              of("note"),
}

var variantValues = map[string]value{
	"external_id":         each("admin_graphql_api_id"),
	"sku":                 each("sku"),
	"product_external_id": of("admin_graphql_api_id"),
	"barcode":             each("barcode"),
	"name":                of("title"),
	"variant_name":        each("title"),
	"category":            of("product_type"),
	"vendor":              of("vendor"),
	"status":              oneOf{of("status"), []string{"draft", "archived"}, "active"},
	"price":               each("price"),
	"stock_available":     each("inventory_quantity"), // what can still be sold, not what is in the warehouse
	"track_inventory":     equals{each("inventory_management"), "shopify"},
	"allow_backorder":     equals{each("inventory_policy"), "continue"},
	"launched_at":         either{of("published_at"), of("created_at")},
	"image_url":           of("image.src"),
	"tags":                of("tags"),
}
