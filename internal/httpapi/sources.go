package httpapi

import (
	"context"
	"encoding/json"
	"net/http"
	"time"

	"github.com/google/uuid"

	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/fault"
	"github.com/quayside/quayside/internal/ingest"
	"github.com/quayside/quayside/internal/registry"
	"github.com/quayside/quayside/internal/source"
)

type (
	sourceJSON struct {
		Slug          string      `json:"slug" example:"orders"`
		Title         string      `json:"title" example:"Orders"`
		Description   string      `json:"description"`
		Endpoint      string      `json:"endpoint" doc:"Where records are posted to."`
		RequiredScope string      `json:"required_scope" doc:"The scope that a key needs; '*' covers every table."`
		ConflictKey   []string    `json:"conflict_key" doc:"What decides between a new record and one that is known."`
		EventType     string      `json:"event_type"`
		BuiltIn       bool        `json:"built_in" doc:"False for a table that the company added."`
		Figures       figuresJSON `json:"figures"`
	}
	figuresJSON struct {
		Rows         int64      `json:"rows"`
		LastRecordAt *time.Time `json:"last_record_at,omitempty"`
		Accepted     int64      `json:"accepted_24h" doc:"Records stored in the last 24 hours."`
		Failed       int64      `json:"failed_24h" doc:"Records refused, or lost to a fault, in the last 24 hours."`
		OpenFailures int64      `json:"open_failures" doc:"Failed imports that nobody has dealt with."`
		Pending      int64      `json:"pending_references" doc:"Records that wait for a record they refer to."`
		ByHour       []hourJSON `json:"by_hour" doc:"The last 24 hours, oldest first."`
	}
	hourJSON struct {
		Start    time.Time `json:"start"`
		Accepted int64     `json:"accepted"`
		Failed   int64     `json:"failed"`
	}
	columnJSON struct {
		Name        string          `json:"name"`
		Type        registry.Type   `json:"type" enum:"text,number,boolean,date,datetime,uuid"`
		Kind        string          `json:"kind" enum:"writable,api_only,trigger,read_only,system"`
		Accepted    bool            `json:"accepted" doc:"Whether records may carry it."`
		Required    bool            `json:"required" doc:"Demanded when the record is new."`
		Nullable    bool            `json:"nullable"`
		Description string          `json:"description"`
		Default     *string         `json:"default,omitempty"`
		Choices     []string        `json:"choices,omitempty"`
		Minimum     string          `json:"minimum,omitempty" doc:"A decimal."`
		Maximum     string          `json:"maximum,omitempty" doc:"A decimal."`
		MaxLength   int             `json:"max_length,omitempty" doc:"The most characters of a text."`
		Format      string          `json:"format,omitempty" enum:"currency" doc:"The form of a text: currency is a code of ISO 4217."`
		References  string          `json:"references,omitempty" doc:"The slug of the table whose id it holds."`
		Example     json.RawMessage `json:"example"`
	}
	testAnswerJSON struct {
		Status  int            `json:"status" doc:"The status that the endpoint would answer with."`
		Body    string         `json:"body" doc:"The body that it would answer with."`
		Result  string         `json:"result,omitempty" enum:"created,updated,unchanged" doc:"What the record would do to its row."`
		Dropped []string       `json:"dropped" doc:"Fields that the table does not take."`
		Coerced []string       `json:"coerced" doc:"Fields that would be stored in another form."`
		Errors  []problemField `json:"errors" doc:"Everything that is wrong with it."`
	}
	sourceDetailJSON struct {
		Source  sourceJSON                 `json:"source"`
		Columns []columnJSON               `json:"columns" doc:"Those that records may carry first."`
		Example map[string]json.RawMessage `json:"example" doc:"A record that would be taken."`
	}
)

// sourceOperations are about the tables that take records.
func (s *Server) sourceOperations(a *appAPI) {
	const tag = "Data sources"
	register(a, operation{
		id: "listSources", method: http.MethodGet, path: "workspaces/{workspace}/sources", tag: tag, needs: auth.Read,
		summary: "Tables that take records, with live figures", about: "Figures are a few seconds old.",
	}, func(ctx context.Context, _ *InWorkspace) (*body[list[sourceJSON]], error) {
		sources, err := s.Sources.List(ctx, by(ctx).Principal)
		var items []sourceJSON
		for _, one := range sources {
			items = append(items, s.toSourceJSON(one))
		}
		return listed(items, false, func(sourceJSON) uuid.UUID { return uuid.Nil }), err
	})
	register(a, operation{
		id: "getSource", method: http.MethodGet, path: "workspaces/{workspace}/sources/{slug}", tag: tag, needs: auth.Read,
		summary: "One table with its columns",
	}, func(ctx context.Context, in *struct {
		InWorkspace
		Slug string `path:"slug" example:"orders"`
	}) (*body[sourceDetailJSON], error) {
		one, err := s.Sources.Get(ctx, by(ctx).Principal, in.Slug)
		if err != nil {
			return nil, err
		}
		detail := sourceDetailJSON{Source: s.toSourceJSON(one)}
		described := one.Describe(detail.Source.Endpoint, nil)
		detail.Example = described.Example
		for _, c := range described.Columns {
			detail.Columns = append(detail.Columns, columnJSON{
				c.Name, c.Type, c.Kind, c.Accepted, c.Required, c.Nullable, c.Description, c.Default, c.Choices,
				string(c.Minimum), string(c.Maximum), c.MaxLength, c.Format, c.References, c.Example,
			})
		}
		return &body[sourceDetailJSON]{detail}, nil
	})
	register(a, operation{
		id: "testRecord", method: http.MethodPost, path: "workspaces/{workspace}/sources/{slug}/test", tag: tag,
		needs: auth.SendTestRecords, record: true,
		summary: "Try a record",
		about:   "Does everything that the endpoint would do with this body, says its exact answer, and keeps nothing.",
	}, func(ctx context.Context, in *struct {
		InWorkspace
		Slug string `path:"slug" example:"orders"`
		Body struct {
			Record string `json:"record" doc:"The body as it would be sent." example:"{\"external_id\": \"1\"}"`
		}
	}) (*body[testAnswerJSON], error) {
		record, err := s.fits([]byte(in.Body.Record))
		if err != nil {
			return nil, err
		}
		outcome, err := s.Records.Rehearse(ctx, by(ctx).Principal, in.Slug, record, ingest.Terms{External: true})
		return toTestAnswer(outcome, err)
	})
}

// toTestAnswer puts an answer of the endpoint into an answer. What has nothing to do
// with the record stays an error.
func toTestAnswer(outcome ingest.Outcome, err error) (*body[testAnswerJSON], error) {
	answer := testAnswerJSON{
		Status: http.StatusOK, Result: string(outcome.Result), Errors: []problemField{},
		Dropped: append([]string{}, outcome.Dropped...), Coerced: append([]string{}, outcome.Coerced...),
	}
	var said any = acceptedJSON{true, outcome.EventType}
	if err != nil {
		status, public := fault.Public(err)
		if status != http.StatusBadRequest && status != http.StatusUnprocessableEntity {
			return nil, err
		}
		answer.Status, said = status, refusal(status, public)
		for _, field := range public.Fields {
			answer.Errors = append(answer.Errors, problemField{"#/" + field.Field, field.Code, field.Message})
		}
	}
	text, err := json.Marshal(said)
	answer.Body = string(text)
	return &body[testAnswerJSON]{answer}, err
}

func (s *Server) toSourceJSON(one source.Source) sourceJSON {
	out := sourceJSON{
		Slug: one.Slug, Title: one.Title, Description: one.Description, Endpoint: s.endpoint(one.Slug),
		RequiredScope: one.Slug, ConflictKey: one.ConflictKey, EventType: one.EventType(), BuiltIn: one.Owner == uuid.Nil,
		Figures: figuresJSON{
			Rows: one.Rows, LastRecordAt: utc(one.LastRecordAt), OpenFailures: one.OpenFailures, Pending: one.Pending,
			ByHour: []hourJSON{},
		},
	}
	for _, hour := range one.ByHour {
		out.Figures.Accepted += hour.Accepted
		out.Figures.Failed += hour.Failed
		out.Figures.ByHour = append(out.Figures.ByHour, hourJSON{hour.Start, hour.Accepted, hour.Failed})
	}
	return out
}

// endpoint is where callers post a table's records.
func (s *Server) endpoint(slug string) string { return s.BaseURL + "/api/ingest/" + slug }
