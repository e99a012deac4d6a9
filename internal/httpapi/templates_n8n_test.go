package httpapi_test

import (
	"encoding/json"
	"maps"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// n8nFlow is a workflow with its nodes by name.
type n8nFlow struct {
	t        *testing.T
	document any
}

func (f n8nFlow) node(name string) any {
	f.t.Helper()
	nodes, _ := dig(f.document, "nodes").([]any)
	for _, node := range nodes {
		if dig(node, "name") == name {
			return node
		}
	}
	f.t.Fatalf("no node %q", name)
	return nil
}

// next returns the node that an output leads to.
func (f n8nFlow) next(name string, output int) string {
	return spelled(dig(f.document, "connections", name, "main", output, 0, "node"))
}

// playN8N sends a message to the webhook and follows it to the request.
func playN8N(t *testing.T, document, message any) (shots []shot) {
	t.Helper()
	f := n8nFlow{t, document}
	received := map[string]any{"body": message}
	items, name := []any{received}, "Webhook"
	for {
		name = f.next(name, 0)
		node := f.node(name)
		parameters := dig(node, "parameters")
		switch kind := dig(node, "type"); kind {
		case "n8n-nodes-base.splitOut":
			items = f.split(parameters, items)
		case "n8n-nodes-base.set":
			for i, item := range items {
				items[i] = f.set(parameters, item)
			}
		case "n8n-nodes-base.httpRequest":
			for _, item := range items {
				shots = append(shots, f.request(parameters, item, received))
			}
			return shots
		default:
			t.Fatalf("the player does not know %v", kind)
		}
	}
}

// split turns each element of a list into an item and keeps the other fields.
func (f n8nFlow) split(parameters any, items []any) (out []any) {
	require.Equal(f.t, "allOtherFields", dig(parameters, "include"))
	field, _ := strings.CutPrefix(spelled(dig(parameters, "fieldToSplitOut")), "body.")
	for _, item := range items {
		elements, ok := dig(item, "body", field).([]any)
		require.True(f.t, ok, field)
		for _, element := range elements {
			body, _ := dig(item, "body").(map[string]any)
			body = maps.Clone(body)
			delete(body, field)
			out = append(out, map[string]any{"body": body, spelled(dig(parameters, "options", "destinationFieldName")): element})
		}
	}
	return out
}

// set turns everything but null into text, as n8n does for string fields.
func (f n8nFlow) set(parameters, item any) any {
	out := map[string]any{}
	assignments, _ := dig(parameters, "assignments", "assignments").([]any)
	for _, assignment := range assignments {
		require.Equal(f.t, "string", dig(assignment, "type"))
		value := f.evaluate(spelled(dig(assignment, "value")), map[string]any{"$json": item})
		if value != nil {
			value = spelled(value)
		}
		out[spelled(dig(assignment, "name"))] = value
	}
	return out
}

func (f n8nFlow) request(parameters, record, received any) shot {
	nodes := map[string]any{
		"$('Webhook')":        map[string]any{"item": map[string]any{"json": received}},
		"$('Record')":         map[string]any{"item": map[string]any{"json": record}},
		"$('Try it by hand')": map[string]any{"isExecuted": false},
	}
	query := url.Values{}
	sent, _ := dig(parameters, "queryParameters", "parameters").([]any)
	for _, one := range sent {
		query.Set(spelled(dig(one, "name")), spelled(f.evaluate(spelled(dig(one, "value")), nodes)))
	}
	sequence := ""
	if header := dig(parameters, "headerParameters", "parameters", 0); header != nil {
		require.Equal(f.t, "Ingest-Sequence", dig(header, "name"))
		sequence = spelled(f.evaluate(spelled(dig(header, "value")), nodes))
	}
	note := spelled(dig(f.node("Read me"), "parameters", "content"))
	credential := regexp.MustCompile("name `(.*?)` and the value `(.*?)`").FindStringSubmatch(note)
	require.Equal(f.t, "Authorization", credential[1])
	body := spelled(dig(parameters, "jsonBody"))
	if kept := strings.Replace(body, ", (key, value) => value ?? undefined", "", 1); kept != body {
		body = kept
		columns, _ := record.(map[string]any)
		maps.DeleteFunc(columns, func(_ string, value any) bool { return value == nil })
	}
	return shot{
		url: spelled(dig(parameters, "url")) + "?" + query.Encode(), method: spelled(dig(parameters, "method")),
		authorization: credential[2], sequence: sequence, body: spelled(f.evaluate(body, nodes)),
	}
}

// decide follows the conditions after a node to the final node of an item.
func (f n8nFlow) decide(name string, scope map[string]any) string {
	name = f.next(name, 0)
	for dig(f.node(name), "type") == "n8n-nodes-base.if" {
		question := dig(f.node(name), "parameters", "conditions", "conditions", 0)
		yes := f.evaluate(spelled(dig(question, "leftValue")), scope)
		if dig(question, "operator", "operation") == "lt" {
			yes = number(yes) < number(dig(question, "rightValue"))
		}
		output := 1
		if yes == true {
			output = 0
		}
		name = f.next(name, output)
	}
	return name
}

func (f n8nFlow) evaluate(text string, scope map[string]any) any {
	f.t.Helper()
	inner, ok := strings.CutPrefix(text, "={{ ")
	require.True(f.t, ok && strings.HasSuffix(inner, " }}"), text)
	e := newExpression(f.t, strings.TrimSuffix(inner, " }}"), scope)
	return e.end(e.jsValue())
}

func (e *expression) jsValue() any {
	condition := e.jsOr()
	if _, ok := e.accept("?"); !ok {
		return condition
	}
	yes := e.jsValue()
	e.expect(":")
	no := e.jsValue()
	if truthy(condition) {
		return yes
	}
	return no
}

func (e *expression) jsOr() any {
	left := e.jsAnd()
	for {
		operator, ok := e.accept("||", "??")
		if !ok {
			return left
		}
		right := e.jsAnd()
		if operator == "||" && !truthy(left) || left == nil {
			left = right
		}
	}
}

func (e *expression) jsAnd() any {
	left := e.jsCompare()
	for {
		if _, ok := e.accept("&&"); !ok {
			return left
		}
		if right := e.jsCompare(); truthy(left) {
			left = right
		}
	}
}

func (e *expression) jsCompare() any {
	left := e.jsSum()
	operator, ok := e.accept("===", ">=", "<")
	if !ok {
		return left
	}
	right := e.jsSum()
	switch operator {
	case "===":
		return left == right
	case ">=":
		return number(left) >= number(right)
	}
	return number(left) < number(right)
}

func (e *expression) jsSum() any {
	left := e.jsMember()
	for {
		if _, ok := e.accept("+"); !ok {
			return left
		}
		left = spelled(left) + spelled(e.jsMember()) // only texts are added
	}
}

// jsMember reads the members that follow a value. Without the question mark, a member of null
// is an error, as in n8n.
func (e *expression) jsMember() any {
	e.t.Helper()
	value := e.jsPrimary()
	for {
		dot, ok := e.accept(".", "?.")
		if !ok {
			return value
		}
		name := e.take()
		if _, call := e.accept("("); call {
			value = e.jsCall(value, name, e.list(e.jsValue, ",", ")"))
			continue
		}
		require.True(e.t, value != nil || dot == "?.", "%s of nothing in %q", name, e.text)
		value = dig(value, name)
	}
}

func (e *expression) jsPrimary() any {
	e.t.Helper()
	switch word := e.take(); {
	case word[0] == '\'':
		return strings.Trim(word, "'")
	case word[0] >= '0' && word[0] <= '9':
		return json.Number(word)
	case word == "(":
		value := e.jsValue()
		e.expect(")")
		return value
	case word == "[":
		return e.list(e.jsValue, ",", "]")
	case word == "null":
		return nil
	case word == "Boolean", word == "JSON":
		return word
	default:
		value, known := e.scope[word]
		require.True(e.t, known, "n8n has no %s here: %q", word, e.text)
		return value
	}
}

func (e *expression) jsCall(on any, name string, of []any) any {
	e.t.Helper()
	array, _ := on.([]any)
	var out []any
	switch name {
	case "filter":
		require.Equal(e.t, []any{"Boolean"}, of)
		for _, item := range array {
			if truthy(item) {
				out = append(out, item)
			}
		}
		return out
	case "join":
		var words []string
		for _, item := range array {
			words = append(words, spelled(item))
		}
		return strings.Join(words, spelled(of[0]))
	case "includes":
		for _, item := range array {
			if item == of[0] {
				return true
			}
		}
		return false
	case "stringify":
		return spelled(of[0])
	}
	e.t.Fatalf("the player does not know %s", name)
	return nil
}

func number(value any) float64 {
	n, err := strconv.ParseFloat(spelled(value), 64)
	if err != nil {
		panic(err)
	}
	return n
}
