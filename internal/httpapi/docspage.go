package httpapi

import (
	"bytes"
	"embed"
	"encoding/json"
	"fmt"
	"html/template"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"
)

//go:embed docs
var docsFiles embed.FS

var docsTemplate = template.Must(template.ParseFS(docsFiles, "docs/page.html"))

// docsPolicy lets the page load its own style sheet and nothing else: it works offline, and no
// script runs.
const docsPolicy = "default-src 'none'; style-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// docs serves the guides and the API's description: for people at /docs/reference, for
// programs as OpenAPI. Each is rendered on the first request, so that the service starts
// quickly.
func (s *Server) docs(mux humago.Mux, api *appAPI) {
	style, err := docsFiles.ReadFile("docs/style.css")
	if err != nil {
		panic(err)
	}
	mux.HandleFunc("GET /docs", s.serve(s.guide))
	mux.HandleFunc("GET /docs/{page...}", s.serve(s.guide))
	mux.HandleFunc("GET /llms.txt", s.serve(s.guide))
	for path, file := range map[string]struct {
		kind string
		text func() []byte
	}{
		"GET /docs/reference": {"text/html; charset=utf-8", rendered(func(w io.Writer) error {
			return docsTemplate.Execute(w, newDocsPage(api.OpenAPI(), s.BaseURL))
		})},
		"GET /docs/reference.css": {"text/css; charset=utf-8", func() []byte { return style }},
		"GET /api/openapi.json":   {"application/json", rendered(api.openAPI)},
	} {
		mux.HandleFunc(path, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", file.kind)
			w.Header().Set("Content-Security-Policy", docsPolicy)
			w.Header().Set("Cache-Control", "no-cache")
			_, _ = w.Write(file.text())
		})
	}
}

// rendered returns a function that renders once and returns the bytes. It panics if rendering
// fails, since only fixed types are rendered.
func rendered(write func(io.Writer) error) func() []byte {
	return sync.OnceValue(func() []byte {
		var text bytes.Buffer
		if err := write(&text); err != nil {
			panic(err)
		}
		return text.Bytes()
	})
}

// docsPage is the template's data.
type (
	docsPage struct {
		About   []string
		Groups  []docsGroup
		Schemas []docsSchema
	}
	docsGroup struct {
		Name       string
		Operations []docsOperation
	}
	docsOperation struct {
		ID, Method, Path, Summary, About, Needs, Curl string
		Parameters, Body                              []docsField
		Answers                                       []docsAnswer
	}
	docsField struct {
		Name, In, Type, Schema, About string
		Required                      bool
	}
	docsAnswer struct {
		Status, About, Schema string
	}
	docsSchema struct {
		Name, About string
		Fields      []docsField
	}
)

func newDocsPage(document *huma.OpenAPI, baseURL string) docsPage {
	page := docsPage{About: strings.Split(document.Info.Description, "\n\n")}
	schemas := document.Components.Schemas.Map()
	group := map[string]int{}
	for _, path := range sortedKeys(document.Paths) {
		item := document.Paths[path]
		for _, op := range []*huma.Operation{item.Get, item.Post, item.Put, item.Patch, item.Delete} {
			if op == nil {
				continue
			}
			at, ok := group[op.Tags[0]]
			if !ok {
				at = len(page.Groups)
				group[op.Tags[0]] = at
				page.Groups = append(page.Groups, docsGroup{Name: op.Tags[0]})
			}
			page.Groups[at].Operations = append(page.Groups[at].Operations, newDocsOperation(op, schemas, baseURL))
		}
	}
	for _, name := range sortedKeys(schemas) {
		page.Schemas = append(page.Schemas, docsSchema{name, schemas[name].Description, schemaFields(schemas[name])})
	}
	return page
}

func newDocsOperation(op *huma.Operation, schemas map[string]*huma.Schema, baseURL string) docsOperation {
	d := docsOperation{ID: op.OperationID, Method: op.Method, Path: op.Path, Summary: op.Summary, About: op.Description}
	switch needs := op.Extensions["x-needs"]; needs {
	case nil:
		d.Needs = "an API key"
	case string(anybody):
		d.Needs = "nothing: open to anybody"
	case string(signedIn):
		d.Needs = "a session"
	default:
		d.Needs = fmt.Sprintf("a session, and the permission %s", needs)
	}
	for _, p := range op.Parameters {
		field := schemaField(p.Name, p.Schema)
		field.In, field.Required, field.About = p.In, p.Required, p.Description
		d.Parameters = append(d.Parameters, field)
	}
	var example any
	if content := jsonContent(op); content != nil {
		schema := resolve(content.Schema, schemas)
		d.Body = schemaFields(schema)
		example = exampleOf(schema, schemas)
	}
	for _, status := range sortedKeys(op.Responses) {
		answer := docsAnswer{Status: status, About: op.Responses[status].Description}
		for _, content := range op.Responses[status].Content {
			if content.Schema != nil {
				answer.Schema = strings.TrimPrefix(content.Schema.Ref, "#/components/schemas/")
			}
		}
		d.Answers = append(d.Answers, answer)
	}
	d.Curl = curl(op, baseURL, example)
	return d
}

// jsonContent returns the operation's JSON body; nil if it has none or takes a file.
func jsonContent(op *huma.Operation) *huma.MediaType {
	if op.RequestBody == nil {
		return nil
	}
	return op.RequestBody.Content["application/json"]
}

// curl returns the call as a shell command.
func curl(op *huma.Operation, baseURL string, example any) string {
	words := []string{"curl"}
	if op.Method != http.MethodGet {
		words = append(words, "-X "+op.Method)
	}
	words = append(words, fmt.Sprintf("'%s%s'", baseURL, op.Path))
	switch {
	case op.Extensions["x-needs"] == nil:
		words = append(words, `-H "Authorization: Bearer $KEY"`)
	case op.OperationID == "signIn" || op.OperationID == "acceptInvitation":
		words = append(words, "-c cookies.txt")
	case op.Extensions["x-needs"] != string(anybody):
		words = append(words, "-b cookies.txt")
	}
	for _, p := range op.Parameters {
		if p.Name == "If-Match" {
			words = append(words, `-H 'If-Match: "1"'`)
		}
	}
	if op.RequestBody != nil && jsonContent(op) == nil {
		words = append(words, "-H 'Content-Type: application/octet-stream'", "--data-binary @orders.csv")
	}
	if example != nil {
		text, _ := json.Marshal(example) // examples are JSON
		words = append(words, "-H 'Content-Type: application/json'", "-d '"+string(text)+"'")
	}
	return strings.Join(words, " \\\n  ")
}

func resolve(schema *huma.Schema, schemas map[string]*huma.Schema) *huma.Schema {
	if schema != nil && schema.Ref != "" {
		return schemas[strings.TrimPrefix(schema.Ref, "#/components/schemas/")]
	}
	return schema
}

// exampleOf builds a value from the examples of its fields.
func exampleOf(schema *huma.Schema, schemas map[string]*huma.Schema) any {
	schema = resolve(schema, schemas)
	if len(schema.Examples) > 0 {
		return schema.Examples[0]
	}
	if schema.Type != huma.TypeObject {
		return nil
	}
	object := map[string]any{}
	for name, field := range schema.Properties {
		if example := exampleOf(field, schemas); example != nil {
			object[name] = example
		}
	}
	return object
}

func schemaFields(schema *huma.Schema) (fields []docsField) {
	for _, name := range sortedKeys(schema.Properties) {
		field := schemaField(name, schema.Properties[name])
		field.Required = slices.Contains(schema.Required, name)
		fields = append(fields, field)
	}
	return fields
}

func schemaField(name string, schema *huma.Schema) docsField {
	field := docsField{Name: name, About: schema.Description, Type: schema.Type}
	if schema.Items != nil {
		field.Type = "list of " + schema.Items.Type
		field.Schema = strings.TrimPrefix(schema.Items.Ref, "#/components/schemas/")
	}
	if schema.Ref != "" {
		field.Schema = strings.TrimPrefix(schema.Ref, "#/components/schemas/")
	}
	if schema.Format != "" {
		field.Type += ", " + schema.Format
	}
	if len(schema.Enum) > 0 {
		var choices []string
		for _, choice := range schema.Enum {
			choices = append(choices, fmt.Sprint(choice))
		}
		field.Type = strings.Join(choices, " | ")
	}
	return field
}

func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for key := range m {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	return keys
}
