package ingest

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/quayside/quayside/internal/plausible"
	"github.com/quayside/quayside/internal/registry"
)

// A Warning says that a record was stored, but is probably not what its sender meant. It never refuses anything.
type Warning struct {
	Code  string // one of the codes below
	Field string // the field that is meant; empty: the record as a whole
}

// The codes of warnings. They are part of the endpoint's contract: docs/ingest.md lists them, and none is ever reused for
// another meaning.
const (
	// WarnDate says that a column which records the past has a date before 2000 or after tomorrow.
	WarnDate = "date_implausible"
	// WarnUnknownSKU says that no article has the SKU.
	WarnUnknownSKU = "sku_unknown"
	// WarnAmbiguousSKU says that several articles have the SKU and the record does not say which one it means.
	WarnAmbiguousSKU = "sku_ambiguous"
	// WarnPaddedSKU says that the SKU begins or ends with white space.
	WarnPaddedSKU = "sku_padded"
	// WarnMismatch says that the SKU belongs to another article than the one that product_id names.
	WarnMismatch = "sku_product_mismatch"
	// WarnTwin says that another article has the SKU of this one, and one of the two has no external_id.
	WarnTwin = "sku_twin"
	// WarnNearKey says that the new record's key differs from a stored one only by white space, or by capital and small
	// letters.
	WarnNearKey = "key_nearly_equal"
	// WarnNotReceived says that a line is received, but nothing of it has arrived.
	WarnNotReceived = "received_without_quantity"
)

// WarningCode describes a code.
type WarningCode struct {
	Code    string   `json:"code"`
	Meaning string   `json:"meaning"`
	field   string   // the field that the warning names
	tables  []string // the slugs of the tables whose records may get it; nil: all
}

var warningCodes = []WarningCode{
	{Code: WarnUnknownSKU, field: "sku", tables: []string{"order_line_items", "purchase_order_lines"},
		Meaning: "No article has this SKU, so the record is not matched with an article by it."},
	{Code: WarnAmbiguousSKU, field: "sku", tables: []string{"order_line_items", "purchase_order_lines"},
		Meaning: "Several articles have this SKU. Send product_id to say which one is meant."},
	{Code: WarnMismatch, field: "sku", tables: []string{"order_line_items", "purchase_order_lines"},
		Meaning: "The SKU belongs to another article than product_id. product_id decides."},
	{Code: WarnPaddedSKU, field: "sku", tables: []string{"products", "order_line_items", "purchase_order_lines"},
		Meaning: "The SKU begins or ends with white space, which is stored as sent."},
	{Code: WarnTwin, field: "sku", tables: []string{"products"},
		Meaning: "Another article has the same SKU, and one of the two has no external_id. They are two rows; merge them if they " +
			"are one article."},
	{Code: WarnNearKey,
		Meaning: "The record is new, but its key differs from a stored one only by white space, or by capital and small letters."},
	{Code: WarnDate, tables: []string{"orders", "purchase_order_lines", "products", "customers"},
		Meaning: "The field says when something happened, but its date is before 2000 or after tomorrow."},
	{Code: WarnNotReceived, field: "quantity_received", tables: []string{"purchase_order_lines"},
		Meaning: "The status is received, but quantity_received is 0."},
}

// WarningCodes returns the codes that records of a table may get.
func WarningCodes(table *registry.Table) []WarningCode {
	codes := []WarningCode{}
	for _, known := range warningCodes {
		if known.tables == nil || !table.Generic && slices.Contains(known.tables, table.Slug) {
			codes = append(codes, known)
		}
	}
	return codes
}

// warn adds a warning, once for each code and field.
func (r *sanitized) warn(code, field string) {
	warning := Warning{Code: code, Field: field}
	if !slices.Contains(r.warnings, warning) {
		r.warnings = append(r.warnings, warning)
	}
}

// warnOf warns of a value that is probably not what the sender means.
func (r *sanitized) warnOf(column *registry.Column, v value, zone *time.Location) {
	if column.RecordsPast && implausible(v, zone, time.Now()) {
		r.warn(WarnDate, column.Name)
	}
	if column.Name == skuField && !inDocument(r.table, column) && strings.TrimSpace(v.text) != v.text {
		r.warn(WarnPaddedSKU, skuField)
	}
}

// implausible reports whether a time in a column that records the past is before 2000 or after tomorrow, by the calendar of
// the workspace.
func implausible(v value, zone *time.Location, now time.Time) bool {
	if v.null {
		return false
	}
	zone = cmp.Or(zone, time.UTC) // an operator has none
	at, err := time.Parse(time.RFC3339Nano, v.text)
	if err != nil {
		at, err = time.ParseInLocation(time.DateOnly, v.text, zone)
	}
	return err == nil && !plausible.Day(dayOf(at.In(zone)), dayOf(now.In(zone)))
}

// dayOf returns midnight in UTC of a time's own calendar day.
func dayOf(at time.Time) time.Time {
	year, month, day := at.Date()
	return time.Date(year, month, day, 0, 0, 0, 0, time.UTC)
}

// warnings returns all warnings of a stored record: those of sanitize, and those that only the database knows.
func (v verdict) warnings(clean sanitized) []Warning {
	if v.warned == "" && !v.nearKey {
		return clean.warnings
	}
	clean.warnings = slices.Clone(clean.warnings) // sanitize's own list may be read again
	for code := range strings.FieldsSeq(v.warned) {
		clean.warn(code, fieldOf(code))
	}
	if v.nearKey {
		clean.warn(WarnNearKey, clean.key)
	}
	return clean.warnings
}

// MeaningOf says what a code means.
func MeaningOf(code string) string { return codeOf(code).Meaning }

// fieldOf returns the field that a code names.
func fieldOf(code string) string { return codeOf(code).field }

func codeOf(code string) WarningCode {
	for i := range warningCodes {
		if warningCodes[i].Code == code {
			return warningCodes[i]
		}
	}
	return WarningCode{}
}

// Codes returns the codes of an accepted record's warnings, each once.
func (o Outcome) Codes() (codes []string) {
	for _, warning := range o.Warnings {
		if !slices.Contains(codes, warning.Code) {
			codes = append(codes, warning.Code)
		}
	}
	return codes
}
