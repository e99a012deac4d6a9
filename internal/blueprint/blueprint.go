// Package blueprint writes flow templates: scenarios that people import into an
// automation platform, so that another system's records reach a table without code.
//
// A template is made of the table's registry row, so a table or column that is added
// needs nothing here. Orders, customers, products and order line items are wired from
// Shopify's webhooks; every other table from a webhook that speaks its column names.
// Everything is a pure function: the same table and address give the same bytes. A
// template never holds a key, only Placeholder and the words that say what to paste.
package blueprint

import (
	"bytes"
	"encoding/json"

	"github.com/quayside/quayside/internal/fault"
	"github.com/quayside/quayside/internal/registry"
)

// Placeholder stands where the API key belongs.
const Placeholder = "pk_REPLACE_ME"

// Platform is where a template is imported.
type Platform string

// The platforms.
const (
	Make Platform = "make"
	N8N  Platform = "n8n"
)

// Template describes a template: enough to choose one, and to get it running.
type Template struct {
	Platform Platform
	Title    string
	About    string
	FileName string
	Steps    []string // from the file to the first record, in words
}

// List returns a table's templates, one per platform.
func List(table *registry.Table) []Template {
	f := newFlow(table, "")
	return []Template{
		{Make, "Make scenario", f.about() + makeOnErrors, fileName(table, Make), f.makeSteps()},
		{N8N, "n8n workflow", f.about() + n8nOnErrors, fileName(table, N8N), f.n8nSteps()},
	}
}

// Document returns a template, ready to be imported, and the name of its file. Records
// go to endpoint.
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
	encoder.SetEscapeHTML(false) // people read expressions in there
	encoder.SetIndent("", "  ")
	err = encoder.Encode(document)
	return buffer.Bytes(), fileName(table, platform), err
}

func fileName(table *registry.Table, platform Platform) string {
	return "quayside-" + table.Slug + "-" + string(platform) + ".json"
}
