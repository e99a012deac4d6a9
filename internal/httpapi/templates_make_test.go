package httpapi_test

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// playMake runs a blueprint's modules, bundle by bundle.
func playMake(t *testing.T, document, message any) (shots []shot) {
	t.Helper()
	flow, _ := dig(document, "flow").([]any)
	var run func(modules []any, bundles map[string]any)
	run = func(modules []any, bundles map[string]any) {
		if len(modules) == 0 {
			return
		}
		id := spelled(dig(modules[0], "id"))
		next := func(output any) {
			further := map[string]any{id: output}
			for name, bundle := range bundles {
				further[name] = bundle
			}
			run(modules[1:], further)
		}
		mapper := makeDeep(t, dig(modules[0], "mapper"), bundles)
		switch module := dig(modules[0], "module"); module {
		case "gateway:CustomWebHook":
			next(message)
		case "builtin:BasicFeeder":
			array, ok := dig(mapper, "array").([]any)
			require.True(t, ok)
			for _, element := range array {
				next(element)
			}
		case "json:TransformToJSON":
			next(map[string]any{"json": spelled(dig(mapper, "object"))})
		case "http:MakeRequest":
			require.Equal(t, "Authorization", dig(mapper, "headers", 0, "name"))
			shots = append(shots, shot{
				url: spelled(dig(mapper, "url")), method: spelled(dig(mapper, "method")),
				authorization: spelled(dig(mapper, "headers", 0, "value")), body: spelled(dig(mapper, "jsonStringBodyContent")),
				sequence: spelled(dig(mapper, "headers", 1, "value")),
			})
		default:
			t.Fatalf("the player does not know %v", module)
		}
	}
	run(flow, map[string]any{})
	return shots
}

// ignored is a value that is not sent.
type ignored struct{}

// makeDeep evaluates every text of a mapper.
func makeDeep(t *testing.T, value any, bundles map[string]any) any {
	t.Helper()
	switch value := value.(type) {
	case string:
		if inner, ok := strings.CutPrefix(value, "{{"); ok && strings.Count(value, "{{") == 1 &&
			strings.HasSuffix(inner, "}}") {
			return makeEvaluate(t, strings.TrimSuffix(inner, "}}"), bundles) // keeps its type
		}
		return makeText(t, value, bundles)
	case map[string]any:
		out := map[string]any{}
		for name, inner := range value {
			if got := makeDeep(t, inner, bundles); got != (ignored{}) {
				out[name] = got
			}
		}
		return out
	case []any:
		out := []any{}
		for _, inner := range value {
			out = append(out, makeDeep(t, inner, bundles))
		}
		return out
	}
	return value
}

// makeText puts values into a text.
func makeText(t *testing.T, text string, bundles map[string]any) string {
	t.Helper()
	return regexp.MustCompile(`\{\{.*?\}\}`).ReplaceAllStringFunc(text, func(expression string) string {
		return spelled(makeEvaluate(t, expression[2:len(expression)-2], bundles))
	})
}

func makeEvaluate(t *testing.T, text string, bundles map[string]any) any {
	t.Helper()
	e := newExpression(t, text, bundles)
	return e.end(e.makeValue())
}

func (e *expression) makeValue() any {
	left := e.makePrimary()
	if _, compared := e.accept("="); compared {
		return spelled(left) == spelled(e.makePrimary())
	}
	return left
}

func (e *expression) makePrimary() any {
	e.t.Helper()
	switch word := e.take(); {
	case word[0] == '"':
		return strings.Trim(word, `"`)
	case word[0] >= '0' && word[0] <= '9' && strings.Contains(word, "."):
		var keys []any
		for _, key := range strings.Split(word, ".") {
			keys = append(keys, key)
		}
		return dig(e.scope, keys...)
	default:
		if _, call := e.accept("("); call {
			return e.makeCall(word, e.list(e.makeValue, ";", ")"))
		}
		keywords := map[string]any{"null": nil, "true": true, "false": false, "ignore": ignored{}, "emptyarray": []any{},
			"space": " "}
		value, known := keywords[word]
		require.True(e.t, known, "Make has no %s", word)
		return value
	}
}

func (e *expression) makeCall(name string, of []any) any {
	e.t.Helper()
	switch name {
	case "if":
		if truthy(of[0]) {
			return of[1]
		}
		return of[2]
	case "ifempty":
		if of[0] == nil || of[0] == "" {
			return of[1]
		}
		return of[0]
	case "switch":
		for i := 1; i+1 < len(of); i += 2 {
			if of[0] == of[i] {
				return of[i+1]
			}
		}
		return of[len(of)-1]
	case "replace":
		return strings.ReplaceAll(spelled(of[0]), spelled(of[1]), spelled(of[2]))
	case "toString":
		return spelled(of[0])
	case "trim":
		return strings.TrimSpace(spelled(of[0]))
	case "add":
		array, _ := of[0].([]any)
		return append(array, of[1:]...)
	case "join":
		var words []string
		array, _ := of[0].([]any)
		for _, word := range array {
			words = append(words, spelled(word))
		}
		return strings.Join(words, spelled(of[1]))
	}
	e.t.Fatalf("the player does not know Make's %s", name)
	return json.RawMessage(nil)
}
