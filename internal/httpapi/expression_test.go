package httpapi_test

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// expression evaluates the small part of Make's and n8n's languages that templates use.
// Anything else in a template fails the test that runs it.
type expression struct {
	t      *testing.T
	text   string
	tokens []string
	scope  map[string]any
}

var token = regexp.MustCompile(`^\s*("[^"]*"|'[^']*'|\d+(?:\.\w+)+|\d+|\$\('[^']*'\)|[\w$]+|\?\?|\?\.|===|>=|&&|\|\||[()\[\];,.?:=+<])`)

func newExpression(t *testing.T, text string, scope map[string]any) *expression {
	t.Helper()
	e := &expression{t: t, text: text, scope: scope}
	for rest := strings.TrimSpace(text); rest != ""; rest = strings.TrimSpace(rest) {
		found := token.FindStringSubmatch(rest)
		require.NotNil(t, found, "cannot read %q of %q", rest, text)
		e.tokens = append(e.tokens, found[1])
		rest = rest[len(found[0]):]
	}
	return e
}

// end checks that the whole text was read.
func (e *expression) end(value any) any {
	e.t.Helper()
	require.Empty(e.t, e.tokens, "left over of %q", e.text)
	return value
}

func (e *expression) take() string {
	e.t.Helper()
	require.NotEmpty(e.t, e.tokens, "%q ends too early", e.text)
	first := e.tokens[0]
	e.tokens = e.tokens[1:]
	return first
}

// accept takes one of these tokens if it is next.
func (e *expression) accept(tokens ...string) (string, bool) {
	if len(e.tokens) > 0 && slices.Contains(tokens, e.tokens[0]) {
		return e.take(), true
	}
	return "", false
}

func (e *expression) expect(token string) {
	e.t.Helper()
	require.Equal(e.t, token, e.take(), e.text)
}

// list reads values up to the closing token.
func (e *expression) list(value func() any, separator, closing string) (values []any) {
	e.t.Helper()
	for {
		if _, done := e.accept(closing); done {
			return values
		}
		values = append(values, value())
		if _, more := e.accept(separator); !more {
			e.expect(closing)
			return values
		}
	}
}

// dig walks down a JSON value; a missing member is nil.
func dig(value any, keys ...any) any {
	for _, key := range keys {
		switch inner := value.(type) {
		case map[string]any:
			name, _ := key.(string)
			value = inner[name]
		case []any:
			i, ok := key.(int)
			if !ok || i >= len(inner) {
				return nil
			}
			value = inner[i]
		default:
			return nil
		}
	}
	return value
}

// truthy reports whether both languages treat the value as true.
func truthy(value any) bool {
	return value != nil && value != "" && value != false && value != json.Number("0")
}

// spelled returns a value as text.
func spelled(value any) string {
	switch value := value.(type) {
	case nil:
		return ""
	case string:
		return value
	case json.Number:
		return value.String()
	}
	text, err := json.Marshal(value)
	if err != nil {
		panic(err)
	}
	return string(text)
}
