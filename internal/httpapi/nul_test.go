package httpapi_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/quayside/quayside/internal/auth"
)

// TestNULIsRefused puts the zero character, which PostgreSQL cannot store, into every text
// that every operation takes: path, query and every field of the body.
func TestNULIsRefused(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ada := w.join(w.tenant, auth.CompanyAdmin).enter()
	var doc struct {
		Paths map[string]map[string]struct {
			OperationID string `json:"operationId"`
			Needs       string `json:"x-needs"`
			Parameters  []struct {
				Name, In string
				Schema   textSchema
			}
			RequestBody struct {
				Content map[string]struct{ Schema textSchema }
			} `json:"requestBody"`
		}
		Components struct{ Schemas map[string]textSchema }
	}
	require.NoError(t, json.Unmarshal([]byte(w.nobody().call(http.MethodGet, "/api/openapi.json", nil).body), &doc))

	tried, wrong := 0, []string{}
	for path, methods := range doc.Paths {
		for method, op := range methods {
			if op.Needs == "" {
				continue // ingest: testdata/ingest has its own
			}
			try := func(what, path string, body any) {
				t.Helper()
				tried++
				got := ada.call(strings.ToUpper(method), path, body, `If-Match: "1"`)
				if got.status != http.StatusUnprocessableEntity || !strings.Contains(got.body, `"nul"`) {
					wrong = append(wrong, fmt.Sprintf("%s, %s: %d %.200s", op.OperationID, what, got.status, got.body))
				}
			}
			filled := func(nul string) string {
				return regexp.MustCompile(`\{[a-z]+\}`).ReplaceAllStringFunc(path, func(name string) string {
					switch name = strings.Trim(name, "{}"); name {
					case nul:
						return "a%00b"
					case "tenant":
						return w.tenant.ID.String()
					case "workspace":
						return w.tenant.Workspace.String()
					}
					return uuid.NewString()
				})
			}
			for _, parameter := range op.Parameters {
				switch {
				case parameter.In == "path" && parameter.Name != "tenant" && parameter.Name != "workspace": // those are places: 404
					try("path "+parameter.Name, filled(parameter.Name), nil)
				case parameter.In == "query" && parameter.Schema.has("string"):
					try("query "+parameter.Name, filled("")+"?"+url.Values{parameter.Name: {"a\x00b"}}.Encode(), nil)
					try("query "+parameter.Name, filled("")+"?"+url.Values{parameter.Name: {"\xff"}}.Encode(), nil)
				}
			}
			for _, body := range op.RequestBody.Content["application/json"].Schema.withNUL(doc.Components.Schemas) {
				text, err := json.Marshal(body)
				require.NoError(t, err)
				try("body "+string(text), filled(""), string(text))
			}
		}
	}
	require.Greater(t, tried, 150, "the inputs were not read")
	require.Empty(t, wrong)
}

// textSchema is the part of a schema that shows where texts are.
type textSchema struct {
	Ref                  string `json:"$ref"`
	Type                 any
	Properties           map[string]textSchema
	Items                *textSchema
	AdditionalProperties any
}

func (s textSchema) has(kind string) bool {
	kinds, several := s.Type.([]any)
	return s.Type == kind || several && slices.Contains(kinds, any(kind))
}

// withNUL returns values of a schema, each with a NUL in one of the texts.
func (s textSchema) withNUL(all map[string]textSchema) (values []any) {
	if s.Ref != "" {
		s = all[strings.TrimPrefix(s.Ref, "#/components/schemas/")]
	}
	switch {
	case s.has("string"):
		return []any{"a\x00b"}
	case s.has("array"):
		for _, value := range s.Items.withNUL(all) {
			values = append(values, []any{value})
		}
	case s.has("object") && len(s.Properties) == 0:
		values = append(values, map[string]any{"a\x00b": 1}, map[string]any{"a": []any{"\x00"}})
	case s.has("object"):
		for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
			for _, value := range s.Properties[name].withNUL(all) {
				values = append(values, map[string]any{name: value})
			}
		}
	}
	return values
}
