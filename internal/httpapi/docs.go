package httpapi

import (
	"bytes"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"github.com/quayside/quayside/internal/ingest"
)

// apiVersion is raised with every breaking change; there should be none.
const apiVersion = "1.0.0"

const apiAbout = `The API of the web app and of people's scripts, and the endpoint that external systems push records to.

People sign in with signIn and send its cookie; systems send an API key as a bearer token. Errors are application/problem+json with a stable code and the id of the request. Lists come in pages: send next_cursor as cursor to get the next page. To change an object, send the ETag that you read as If-Match.`

// describeIngest adds the endpoint for records, which is not an operation of the app API.
func describeIngest(document *huma.OpenAPI) {
	text := func(about string) *huma.Response { return &huma.Response{Description: about} }
	slug := &huma.Param{Name: "slug", In: "path", Required: true, Schema: &huma.Schema{Type: huma.TypeString},
		Description: "The table, such as orders.", Example: "orders"}
	security := []map[string][]string{{"key": {}}}
	document.AddOperation(&huma.Operation{
		OperationID: "ingest", Method: http.MethodPost, Path: "/api/ingest/{slug}", Tags: []string{"Ingest"},
		Security:    security,
		Summary:     "Push one record",
		Description: "Upserts one record by the table's conflict key. Safe to retry. docs/ingest.md is the whole contract.",
		Parameters: []*huma.Param{slug, {Name: "dry_run", In: "query", Schema: &huma.Schema{Type: huma.TypeBoolean},
			Description: "Check the record, but store nothing."}, {Name: ingest.SequenceHeader, In: "header",
			Schema: &huma.Schema{Type: huma.TypeString}, Example: "2026-03-14T09:30:00Z",
			Description: "When the record last changed in its system, as an RFC 3339 time, or a whole number that grows with its changes. A delivery with a smaller one than is stored changes nothing."}},
		RequestBody: &huma.RequestBody{Required: true, Content: map[string]*huma.MediaType{
			"application/json": {Schema: &huma.Schema{Type: huma.TypeObject, AdditionalProperties: true}},
		}},
		Responses: map[string]*huma.Response{
			"200": text("Stored. Ingest-Result is created, updated, unchanged, or stale if a delivery with a greater Ingest-Sequence is stored already. Ingest-Dropped and Ingest-Coerced name dropped and converted fields. Ingest-Warning names codes of what is probably not meant."),
			"400": text("The body is not one JSON object."), "401": text("The key is missing, unknown, expired or revoked."),
			"403": text("The key's scope does not cover the table."),
			"404": text("No such table."), "413": text("The body is too large."),
			"422": text("The data breaks a rule. The record is kept as a failed import."),
			"429": text("Too many requests. Retry-After says how long to wait."),
			"500": text("A fault of the service. Safe to retry."),
			"503": text("Temporarily unavailable. Safe to retry."),
		},
	})
	document.AddOperation(&huma.Operation{
		OperationID: "discover", Method: http.MethodGet, Path: "/api/ingest/{slug}", Tags: []string{"Ingest"},
		Security:    security,
		Summary:     "Describe a table",
		Description: "Returns columns, conflict key, limits and an example. With Accept: application/schema+json the answer is a JSON Schema.",
		Parameters:  []*huma.Param{slug},
		Responses: map[string]*huma.Response{"200": text("The description."),
			"401": text("The key is missing, unknown, expired or revoked."),
			"404": text("No such table.")},
	})
}

// OpenAPI returns the description of the API, as in docs/openapi.json.
func OpenAPI() ([]byte, error) {
	var text bytes.Buffer
	err := (&Server{}).newAppAPI(&routes{}).openAPI(&text)
	return text.Bytes(), err
}
