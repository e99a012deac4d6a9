package blueprint_test

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/quayside/quayside/internal/blueprint"
	"github.com/quayside/quayside/internal/registry"
)

// n8nNodes are the nodes that may appear, with their versions.
var n8nNodes = map[string]float64{
	"webhook": 2, "manualTrigger": 1, "set": 3.4, "splitOut": 1, "httpRequest": 4.2, "if": 2.2, "noOp": 1, "wait": 1.1,
	"stopAndError": 1, "stickyNote": 1,
}

// checkN8N checks a workflow by n8n's format and by our rules.
func checkN8N(d document, table *registry.Table) []string {
	wrong := d.only("id", "name", "active", "nodes", "connections", "settings", "pinData")
	wrong = append(wrong, d.wants(map[string]any{"active": false, "settings": map[string]any{"executionOrder": "v1"},
		"pinData": map[string]any{}})...)
	if d.at("id").text() == "" || d.at("name").text() == "" || len(d.at("id").text()) > 36 {
		wrong = append(wrong, "a workflow needs an id and a name")
	}
	byName, ofType := map[string]document{}, map[string][]document{}
	ids := map[string]bool{}
	for _, n := range d.at("nodes").list() {
		name, id := n.at("name").text(), n.at("id").text()
		if _, twice := byName[name]; twice || ids[id] || name == "" || id == "" {
			wrong = append(wrong, name+" has no name or id of its own")
		}
		kind := strings.TrimPrefix(n.at("type").text(), "n8n-nodes-base.")
		byName[name], ids[id] = n, true
		ofType[kind] = append(ofType[kind], n)
		wrong = append(wrong, checkN8NNode(n, kind)...)
	}
	wrong = append(wrong, checkN8NConnections(d, byName)...)
	for kind, count := range map[string]int{"webhook": 1, "manualTrigger": 1, "httpRequest": 1, "stopAndError": 1,
		"wait": 1, "if": 2} {
		if len(ofType[kind]) != count {
			return append(wrong, fmt.Sprintf("it has %d of %s, needs %d", len(ofType[kind]), kind, count))
		}
	}
	for _, split := range ofType["splitOut"] {
		wrong = append(wrong, split.at("parameters").wants(map[string]any{"include": "allOtherFields"})...)
	}
	wrong = append(wrong, checkN8NRequest(d, ofType["httpRequest"][0], table)...)
	var mapped []string
	for _, assignment := range byName["Record"].at("parameters", "assignments", "assignments").list() {
		mapped = append(mapped, assignment.at("name").text())
	}
	return append(wrong, checkColumns(mapped, table)...)
}

func checkN8NNode(n document, kind string) []string {
	wrong := n.only("id", "name", "type", "typeVersion", "position", "parameters", "retryOnFail", "maxTries",
		"waitBetweenTries", "credentials", "webhookId")
	if version, ok := n8nNodes[kind]; !ok || version != n.at("typeVersion").number() {
		wrong = append(wrong, fmt.Sprintf("there is no node %v %v", n.at("type").text(), n.at("typeVersion").any))
	}
	if len(n.at("position").list()) != 2 || n.at("parameters").object() == nil {
		wrong = append(wrong, "a node lacks its place or its parameters")
	}
	if n.at("retryOnFail").any == true {
		if tries, wait := n.at("maxTries").number(), n.at("waitBetweenTries").number(); tries < 2 || tries > 5 ||
			wait > 5000 {
			wrong = append(wrong, "n8n does not retry like this")
		}
	}
	for _, credential := range n.at("credentials").object() {
		wrong = append(wrong, document{credential}.only("name")...)
	}
	return wrong
}

var n8nReference = regexp.MustCompile(`\$\('([^']+)'\)`)

// checkN8NConnections checks that connections and expressions name existing nodes, and that a
// connection leads to every node.
func checkN8NConnections(d document, byName map[string]document) (wrong []string) {
	led := []string{}
	for from, outputs := range d.at("connections").object() {
		if _, known := byName[from]; !known {
			wrong = append(wrong, "a connection starts at "+from)
		}
		for _, output := range (document{outputs}).at("main").list() {
			for _, to := range output.list() {
				led = append(led, to.at("node").text())
				wrong = append(wrong, to.wants(map[string]any{"type": "main", "index": 0.0})...)
			}
		}
	}
	text, _ := json.Marshal(d.at("nodes").any)
	named := slices.Clone(led)
	for _, reference := range n8nReference.FindAllStringSubmatch(string(text), -1) {
		named = append(named, reference[1])
	}
	for _, name := range named {
		if _, known := byName[name]; !known {
			wrong = append(wrong, "there is no node "+name)
		}
	}
	for name, n := range byName {
		kind := n.at("type").text()
		start := strings.HasSuffix(kind, "webhook") || strings.HasSuffix(kind, "Trigger") ||
			strings.HasSuffix(kind, "stickyNote")
		if !start && !slices.Contains(led, name) {
			wrong = append(wrong, "nothing leads to "+name)
		}
	}
	return wrong
}

// checkN8NRequest checks the request and the connections that follow its answer.
func checkN8NRequest(d, request document, table *registry.Table) []string {
	parameters := request.at("parameters")
	wrong := parameters.wants(map[string]any{
		"method": "POST", "url": origin + table.Slug, "authentication": "genericCredentialType",
		"genericAuthType": "httpHeaderAuth",
		"sendBody":        true, "contentType": "json", "specifyBody": "json",
	})
	// A status must not fail the node, or its own retry would repeat refused records.
	wrong = append(wrong, parameters.at("options", "response",
		"response").wants(map[string]any{"fullResponse": true, "neverError": true})...)
	wrong = append(wrong, request.wants(map[string]any{"retryOnFail": true})...)
	if header := parameters.at("headerParameters", "parameters", 0); fromShopify(table) {
		wrong = append(wrong, parameters.wants(map[string]any{"sendHeaders": true})...)
		wrong = append(wrong, header.wants(map[string]any{"name": "Ingest-Sequence",
			"value": "={{ $('Try it by hand').isExecuted ? '' : $('Webhook').item.json.body.updated_at }}"})...)
	} else if header.any != nil {
		wrong = append(wrong, "a sequence that no system sends")
	}
	if !strings.HasPrefix(parameters.at("jsonBody").text(), "={{ JSON.stringify($('Record').item.json") {
		wrong = append(wrong, "the body is not the record")
	}
	if request.at("credentials", "httpHeaderAuth", "name").text() == "" {
		wrong = append(wrong, "the credential has no name")
	}
	next := func(name string, output int) string {
		return d.at("connections", name, "main", output, 0, "node").text()
	}
	stored := next(request.at("name").text(), 0)
	later := next(stored, 1)
	wait, refused := next(later, 0), next(later, 1)
	for _, n := range d.at("nodes").list() {
		switch name, kind := n.at("name").text(), n.at("type").text(); {
		case name == wait && (kind != "n8n-nodes-base.wait" ||
			!strings.Contains(n.at("parameters", "amount").text(), "retry-after")):
			wrong = append(wrong, "another try does not wait for Retry-After")
		case name == refused && kind != "n8n-nodes-base.stopAndError":
			wrong = append(wrong, "a refusal does not show")
		case kind == "n8n-nodes-base.stickyNote" &&
			!strings.Contains(n.at("parameters", "content").text(), blueprint.Placeholder):
			wrong = append(wrong, "nothing says where the key belongs")
		}
	}
	if next(wait, 0) != request.at("name").text() || next(refused, 0) != "" {
		wrong = append(wrong, "only what waited is sent again")
	}
	return wrong
}

// node returns the node of this name.
func node(d document, name string) document {
	for _, n := range d.at("nodes").list() {
		if n.at("name").text() == name {
			return n
		}
	}
	panic("no node " + name)
}

// n8nMutations break the workflow of the order line items.
var n8nMutations = map[string]func(document){
	"a key that n8n does not know": func(d document) { d.set(1.0, "flow") },
	"no id":                        func(d document) { d.set("", "id") },
	"a workflow that runs at once": func(d document) { d.set(true, "active") },
	"another order of execution":   func(d document) { d.set("v0", "settings", "executionOrder") },
	"an id used twice":             func(d document) { node(d, "Wait").set(node(d, "Record").at("id").text(), "id") },
	"a name used twice":            func(d document) { node(d, "Stored").set("Wait", "name") },
	"a node that was renamed":      func(d document) { node(d, "Record").set("The record", "name") },
	"another version of a node":    func(d document) { node(d, "Webhook").set(1.0, "typeVersion") },
	"a node that does not exist":   func(d document) { node(d, "Stored").set("n8n-nodes-base.done", "type") },
	"no place":                     func(d document) { node(d, "Stored").set(nil, "position") },
	"a connection to nothing":      func(d document) { d.set("Nowhere", "connections", "Webhook", "main", 0, 0, "node") },
	"a connection from nothing":    func(d document) { d.set(map[string]any{"main": []any{}}, "connections", "Nowhere") },
	"a node that nothing leads to": func(d document) { d.set(nil, "connections", "Split") },
	"a secret in the credential": func(d document) {
		node(d, "Send to Quayside").set("x", "credentials",
			"httpHeaderAuth", "value")
	},
	"no sequence": func(d document) {
		node(d, "Send to Quayside").set(nil, "parameters", "headerParameters")
	},
	"no credential":          func(d document) { node(d, "Send to Quayside").set(nil, "credentials") },
	"too many tries":         func(d document) { node(d, "Send to Quayside").set(6.0, "maxTries") },
	"too long between tries": func(d document) { node(d, "Send to Quayside").set(5001.0, "waitBetweenTries") },
	"refusals that are tried again": func(d document) {
		node(d, "Send to Quayside").set(false, "parameters", "options", "response", "response", "neverError")
	},
	"another address": func(d document) {
		node(d, "Send to Quayside").set("https://elsewhere.example",
			"parameters", "url")
	},
	"a body that is not the record": func(d document) {
		node(d, "Send to Quayside").set("={{ $json }}", "parameters",
			"jsonBody")
	},
	"a refusal that nobody sees": func(d document) {
		d.set("Stored", "connections", "Worth another try?", "main", 1,
			0, "node")
	},
	"another try at once": func(d document) {
		d.set("Send to Quayside", "connections", "Worth another try?",
			"main", 0, 0, "node")
	},
	"a wait that ignores Retry-After": func(d document) { node(d, "Wait").set("={{ 1 }}", "parameters", "amount") },
	"a split that forgets the order":  func(d document) { node(d, "Split").set("noOtherFields", "parameters", "include") },
	"no words about the key":          func(d document) { node(d, "Read me").set("Hello", "parameters", "content") },
	"a column that does not exist": func(d document) {
		node(d, "Record").set("colour", "parameters", "assignments", "assignments", 1, "name")
	},
	"a required column that is missing": func(d document) {
		node(d, "Record").set("sku", "parameters", "assignments",
			"assignments", 1, "name")
	},
}
