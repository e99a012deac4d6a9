// Package blueprint generates flow templates: scenarios that people import into an automation
// platform, so that another system's records reach a table without code.
//
// A template is generated from the table's registry row, so new tables and columns need no
// change here. Templates for orders, customers, products and order line items read Shopify's
// webhooks. Those of other tables read a webhook whose messages use the table's column names.
// All functions are pure: the same table and address give the same bytes. A template never
// contains a key, only Placeholder and instructions on what to paste.
package blueprint

import (
	"bytes"
	"encoding/json"

	"github.com/quayside/quayside/internal/fault"
	"github.com/quayside/quayside/internal/registry"
)

// Placeholder stands for the API key in a template.
const Placeholder = "pk_REPLACE_ME"

// sequenceHeader carries the time of the record's last change in its source, so that an older message that comes later
// changes nothing.
const sequenceHeader = "Ingest-Sequence"

// Platform is an automation platform.
type Platform string

// The platforms.
const (
	Make Platform = "make"
	N8N  Platform = "n8n"
)

// Template describes a template, so that people can choose one and set it up.
type Template struct {
	Platform Platform
	Title    string
	About    string
	FileName string
	Steps    []string // instructions, from the file to the first record
}

// List returns a table's templates, one per platform.
func List(table *registry.Table) []Template {
	f := newFlow(table, "")
	return []Template{
		{Make, "Make scenario", f.about() + makeOnErrors, fileName(table, Make), f.makeSteps()},
		{N8N, "n8n workflow", f.about() + n8nOnErrors, fileName(table, N8N), f.n8nSteps()},
	}
}

// Document returns a template, ready to be imported, and its file name. The template sends
// records to endpoint.
func Document(platform Platform, table *registry.Table, endpoint string) (text []byte, file string, err error) {
	f := newFlow(table, endpoint)
	var document any
	switch platform {
	case Make:
		document = f.scenario()
	case N8N:
		document, err = f.workflow()
	default:
		err = fault.New(fault.NotFound, "unknown_platform", "there is no template for %s; there are make and n8n", platform)
	}
	if err != nil {
		return nil, "", err
	}
	var buffer bytes.Buffer
	encoder := json.NewEncoder(&buffer)
	encoder.SetEscapeHTML(false) // keeps expressions readable
	encoder.SetIndent("", "  ")
	err = encoder.Encode(document)
	return buffer.Bytes(), fileName(table, platform), err
}

func fileName(table *registry.Table, platform Platform) string {
	return "quayside-" + table.Slug + "-" + string(platform) + ".json"
}
