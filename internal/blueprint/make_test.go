package blueprint_test

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"

	"github.com/quayside/quayside/internal/blueprint"
	"github.com/quayside/quayside/internal/registry"
)

// makeModules are the modules that may appear, with their versions. Make imports an unknown
// module as a grey circle.
var makeModules = map[string]float64{
	"gateway:CustomWebHook": 1, "builtin:BasicFeeder": 1, "json:TransformToJSON": 1, "http:MakeRequest": 4,
	"builtin:BasicRouter": 1, "builtin:Break": 1,
}

// makeRequest is the required mapper of the request, besides address, headers and body.
var makeRequest = map[string]any{
	"method": "post", "contentType": "json", "inputMethod": "jsonString", "parseResponse": true, "stopOnHttpError": true,
	"allowRedirects": false, "shareCookies": false, "requestCompressedContent": true, "timeout": 30.0,
	"queryParameters": []any{},
}

// checkMake checks a blueprint by Make's format and by our rules.
func checkMake(d document, table *registry.Table) []string {
	wrong := d.only("name", "description", "flow", "metadata")
	if n := len([]rune(d.at("name").text())); n < 1 || n > 120 {
		wrong = append(wrong, "the name has "+strconv.Itoa(n)+" characters")
	}
	wrong = append(wrong, d.at("metadata").wants(map[string]any{"version": 1.0, "instant": true,
		"designer": map[string]any{"orphans": []any{}}})...)
	wrong = append(wrong, d.at("metadata", "scenario").wants(map[string]any{
		"roundtrips": 1.0, "maxErrors": 3.0, "autoCommit": true, "autoCommitTriggerLast": true, "sequential": false,
		"confidential": false, "dataloss": false, "dlq": true, "freshVariables": false,
	})...)

	c := &makeCheck{seen: map[float64]document{}}
	c.flow(d.at("flow"))
	wrong = append(wrong, c.wrong...)
	modules := d.at("flow").list()
	if len(modules) < 3 || modules[0].at("module").text() != "gateway:CustomWebHook" {
		return append(wrong, "a webhook must come first, then the record, then the request")
	}
	request, record := modules[len(modules)-1], modules[len(modules)-2]
	wrong = append(wrong, checkMakeRequest(request, record, table)...)
	var mapped []string
	for name := range record.at("mapper", "object").object() {
		mapped = append(mapped, name)
	}
	return append(wrong, checkColumns(mapped, table)...)
}

func checkMakeRequest(request, record document, table *registry.Table) []string {
	mapper := request.at("mapper")
	headers := []any{map[string]any{"name": "Authorization", "value": "Bearer " + blueprint.Placeholder}}
	if fromShopify(table) {
		headers = append(headers, map[string]any{"name": "Ingest-Sequence", "value": "{{1.updated_at}}"})
	}
	wrong := mapper.wants(makeRequest)
	wrong = append(wrong, request.wants(map[string]any{"module": "http:MakeRequest",
		"parameters": map[string]any{"authenticationType": "noAuth"}})...)
	wrong = append(wrong, record.wants(map[string]any{"module": "json:TransformToJSON",
		"parameters": map[string]any{"space": ""}})...)
	wrong = append(wrong, mapper.wants(map[string]any{
		"url":                   origin + table.Slug,
		"headers":               headers,
		"jsonStringBodyContent": fmt.Sprintf("{{%v.json}}", record.at("id").number()),
	})...)

	routes := request.at("onerror", 0, "routes").list()
	if len(routes) != 2 || len(request.at("onerror").list()) != 1 {
		return append(wrong, "errors must part into two routes")
	}
	later, refused := routes[0].at("flow", 0), routes[1].at("flow", 0)
	for _, end := range []document{later, refused} {
		wrong = append(wrong, end.wants(map[string]any{"module": "builtin:Break"})...)
	}
	wrong = append(wrong, later.at("mapper").wants(map[string]any{"retry": true, "count": "5", "interval": "5"})...)
	wrong = append(wrong, refused.at("mapper").wants(map[string]any{"retry": false})...)
	one, other := later.at("filter", "conditions", 0, 0), refused.at("filter", "conditions", 0, 0)
	wrong = append(wrong, one.wants(map[string]any{"o": "text:pattern"})...)
	wrong = append(wrong, other.wants(map[string]any{"o": "text:notpattern", "a": one.at("a").text(),
		"b": one.at("b").text()})...)
	if _, err := regexp.Compile(one.at("b").text()); err != nil {
		wrong = append(wrong, err.Error())
	}
	return wrong
}

// makeCheck visits all modules, including those of routes and error handlers.
type makeCheck struct {
	seen  map[float64]document // modules that expressions may refer to
	wrong []string
}

var makeReference = regexp.MustCompile(`\b(\d+)\.[a-z]`)

func (c *makeCheck) flow(modules document) {
	for _, m := range modules.list() {
		id := m.at("id").number()
		if _, twice := c.seen[id]; twice || id < 1 || id != float64(int(id)) {
			c.wrong = append(c.wrong, fmt.Sprintf("%v is no id of its own", id))
		}
		c.seen[id] = m
		c.wrong = append(c.wrong,
			m.only("id", "module", "version", "parameters", "mapper", "filter", "routes", "onerror", "metadata")...)
		if version, ok := makeModules[m.at("module").text()]; !ok || version != m.at("version").number() {
			c.wrong = append(c.wrong, fmt.Sprintf("there is no module %v %v", m.at("module").text(), m.at("version").any))
		}
		if m.at("parameters").object() == nil || m.at("metadata", "designer", "x").any == nil ||
			m.at("metadata", "designer", "y").any == nil {
			c.wrong = append(c.wrong, "a module lacks parameters or its place")
		}
		for key := range m.at("parameters").object() {
			if !slices.Contains([]string{"authenticationType", "space"}, key) {
				c.wrong = append(c.wrong, "bound to somebody's account by "+key)
			}
		}
		text, _ := json.Marshal([]any{m.at("mapper").any, m.at("filter").any})
		for _, expression := range regexp.MustCompile(`\{\{(.*?)\}\}`).FindAllStringSubmatch(string(text), -1) {
			for _, reference := range makeReference.FindAllStringSubmatch(expression[1], -1) {
				number, _ := strconv.ParseFloat(reference[1], 64)
				if _, known := c.seen[number]; !known {
					c.wrong = append(c.wrong, "no module before "+m.at("module").text()+" is "+reference[1])
				}
			}
		}
		c.flow(m.at("onerror"))
		for _, route := range m.at("routes").list() {
			c.flow(route.at("flow"))
		}
	}
}

// makeMutations break the blueprint of the order line items, which has a webhook, an iterator,
// a record and a request.
var makeMutations = map[string]func(document){
	"a key that Make does not know":     func(d document) { d.set(true, "active") },
	"a name that is too long":           func(d document) { d.set(fmt.Sprintf("%0121d", 0), "name") },
	"no storage for what is incomplete": func(d document) { d.set(false, "metadata", "scenario", "dlq") },
	"a clock instead of a webhook":      func(d document) { d.set(false, "metadata", "instant") },
	"an id used twice":                  func(d document) { d.set(1.0, "flow", 1, "id") },
	"an error handler's id used twice":  func(d document) { d.set(2.0, "flow", 3, "onerror", 0, "id") },
	"an id that is no integer":          func(d document) { d.set(1.5, "flow", 0, "id") },
	"a module in other letters":         func(d document) { d.set("gateway:CustomWebhook", "flow", 0, "module") },
	"a module in another version":       func(d document) { d.set(3.0, "flow", 3, "version") },
	"somebody's webhook":                func(d document) { d.set(42.0, "flow", 0, "parameters", "hook") },
	"no place":                          func(d document) { d.set(nil, "flow", 1, "metadata") },
	"a reference to a later module":     func(d document) { d.set("{{4.line_items}}", "flow", 1, "mapper", "array") },
	"a reference to nothing": func(d document) {
		d.set("{{if(9.sku; 1; 2)}}", "flow", 2, "mapper", "object",
			"sku")
	},
	"a column that does not exist": func(d document) { d.set("{{1.id}}", "flow", 2, "mapper", "object", "colour") },
	"a column that is not accepted": func(d document) {
		d.set("{{1.id}}", "flow", 2, "mapper", "object",
			"order_external_id")
	},
	"a required column that is missing": func(d document) { d.set(nil, "flow", 2, "mapper", "object", "unit_price") },
	"another address": func(d document) {
		d.set("https://elsewhere.example", "flow", 3, "mapper",
			"url")
	},
	"another method": func(d document) { d.set("get", "flow", 3, "mapper", "method") },
	"no key":         func(d document) { d.set([]any{}, "flow", 3, "mapper", "headers") },
	"another clock":  func(d document) { d.set("{{2.updated_at}}", "flow", 3, "mapper", "headers", 1, "value") },
	"a body that is not escaped": func(d document) {
		d.set("{{2.name}}", "flow", 3, "mapper",
			"jsonStringBodyContent")
	},
	"errors that pass": func(d document) { d.set(false, "flow", 3, "mapper", "stopOnHttpError") },
	"no error handler": func(d document) { d.set(nil, "flow", 3, "onerror") },
	"refusals that are tried again": func(d document) {
		d.set(true, "flow", 3, "onerror", 0, "routes", 1, "flow", 0,
			"mapper", "retry")
	},
	"faults that are not tried again": func(d document) {
		d.set(false, "flow", 3, "onerror", 0, "routes", 0, "flow", 0,
			"mapper", "retry")
	},
	"an error that finds neither route": func(d document) {
		d.set("x", "flow", 3, "onerror", 0, "routes", 1, "flow", 0, "filter", "conditions", 0, 0, "b")
	},
	"a refused record that is forgotten": func(d document) {
		d.set("builtin:Ignore", "flow", 3, "onerror", 0, "routes", 1,
			"flow", 0, "module")
	},
}
