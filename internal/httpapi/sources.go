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
		Endpoint      string      `json:"endpoint" doc:"The address to which records are posted."`
		RequiredScope string      `json:"required_scope" doc:"The scope that a key needs; '*' covers every table."`
		ConflictKey   []string    `json:"conflict_key" doc:"The columns that identify a record and decide whether it is new."`
		EventType     string      `json:"event_type"`
		BuiltIn       bool        `json:"built_in" doc:"False for a table that the company added."`
		Figures       figuresJSON `json:"figures"`
	}
	figuresJSON struct {
		Rows         int64        `json:"rows"`
		LastRecordAt *time.Time   `json:"last_record_at,omitempty"`
		Accepted     int64        `json:"accepted_24h" doc:"Records stored in the last 24 hours."`
		Stale        int64        `json:"stale_24h" doc:"Of those, deliveries that changed nothing, because a newer one was stored: see Ingest-Sequence."`
		Failed       int64        `json:"failed_24h" doc:"Records that were refused or failed in the last 24 hours."`
		OpenFailures int64        `json:"open_failures" doc:"Open failed imports."`
		Pending      int64        `json:"pending_references" doc:"Records that wait for a record that they refer to."`
		ByHour       []hourJSON   `json:"by_hour" doc:"The last 24 hours, oldest first."`
		Warned       []warnedJSON `json:"warned_24h" doc:"Records of the last 24 hours that were stored with a warning, by its code, the most frequent first."`
	}
	warnedJSON struct {
		Code    string `json:"code" example:"sku_unknown" doc:"A code of the header Ingest-Warning."`
		Meaning string `json:"meaning"`
		Records int64  `json:"records"`
	}
	hourJSON struct {
		Start    time.Time `json:"start"`
		Accepted int64     `json:"accepted"`
		Failed   int64     `json:"failed"`
	}
	columnJSON struct {
		Name        string          `json:"name"`
		Label       string          `json:"label" doc:"The name in words." example:"Order number"`
		Type        registry.Type   `json:"type" enum:"text,number,boolean,date,datetime,uuid"`
		Kind        string          `json:"kind" enum:"writable,api_only,trigger,read_only,system"`
		Accepted    bool            `json:"accepted" doc:"Whether records may carry it."`
		Required    bool            `json:"required" doc:"Required when the record is new."`
		Nullable    bool            `json:"nullable"`
		Description string          `json:"description"`
		Default     *string         `json:"default,omitempty"`
		Choices     []string        `json:"choices,omitempty"`
		Minimum     string          `json:"minimum,omitempty" doc:"A decimal number as text."`
		Maximum     string          `json:"maximum,omitempty" doc:"A decimal number as text."`
		MaxLength   int             `json:"max_length,omitempty" doc:"The maximum number of characters of a text."`
		Format      string          `json:"format,omitempty" enum:"currency" doc:"The format of a text. currency means an ISO 4217 code."`
		RecordsPast bool            `json:"records_past,omitempty" doc:"Says when something happened. A date before 2000 or after tomorrow is stored, and the sender is warned."`
		References  string          `json:"references,omitempty" doc:"The slug of the table that it refers to."`
		Example     json.RawMessage `json:"example"`
	}
	testAnswerJSON struct {
		Status   int            `json:"status" doc:"The status of the endpoint's answer."`
		Body     string         `json:"body" doc:"The body of the endpoint's answer."`
		Result   string         `json:"result,omitempty" doc:"What the record would do to its row: created, updated, unchanged or stale."`
		Dropped  []string       `json:"dropped" doc:"Fields that the table does not accept, of those that it does not have the first 500, or that keep another value in the row."`
		Coerced  []string       `json:"coerced" doc:"Fields that would be converted."`
		Warnings []warningJSON  `json:"warnings" doc:"What the header Ingest-Warning would say."`
		Errors   []problemField `json:"errors" doc:"All errors."`
	}
	warningJSON struct {
		Code    string `json:"code" example:"sku_unknown"`
		Field   string `json:"field,omitempty" example:"sku"`
		Meaning string `json:"meaning"`
	}
	sourceDetailJSON struct {
		Source  sourceJSON                 `json:"source"`
		Columns []columnJSON               `json:"columns" doc:"Columns that records may carry come first."`
		Example map[string]json.RawMessage `json:"example" doc:"A record that would be accepted."`
	}
)

// sourceOperations are about the tables that take records.
func (s *Server) sourceOperations(a *appAPI) {
	const tag = "Data sources"
	register(a, operation{
		id: "listSources", method: http.MethodGet, path: "workspaces/{workspace}/sources", tag: tag, needs: auth.Read,
		summary: "List tables that accept records, with live figures", about: "Figures are a few seconds old.",
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
		summary: "Get a table that accepts records, with its columns",
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
				Name: c.Name, Label: registry.LabelOf(c.Name, c.References != ""), Type: c.Type, Kind: c.Kind, Accepted: c.Accepted, Required: c.Required,
				Nullable: c.Nullable, Description: c.Description, Default: c.Default, Choices: c.Choices,
				Minimum: string(c.Minimum), Maximum: string(c.Maximum), MaxLength: c.MaxLength,
				Format: c.Format, RecordsPast: c.RecordsPast, References: c.References, Example: c.Example,
			})
		}
		return &body[sourceDetailJSON]{detail}, nil
	})
	register(a, operation{
		id: "testRecord", method: http.MethodPost, path: "workspaces/{workspace}/sources/{slug}/test", tag: tag,
		needs: auth.SendTestRecords, record: true,
		summary: "Try a record",
		about:   "Checks this body as the endpoint would and returns its exact answer. Nothing is stored.",
	}, func(ctx context.Context, in *struct {
		InWorkspace
		Slug string `path:"slug" example:"orders"`
		Body struct {
			Record  string     `json:"record" doc:"The body as it would be sent." example:"{\"external_id\": \"1\"}"`
			Failure *uuid.UUID `json:"failure,omitempty" format:"uuid" doc:"The failed import that the record is an edit of: the rules for its sender apply to the fields that were not edited. Absent: the rules for every sender apply."`
		}
	}) (*body[testAnswerJSON], error) {
		record, err := s.fits([]byte(in.Body.Record))
		if err != nil {
			return nil, err
		}
		if in.Body.Failure != nil {
			return toTestAnswer(s.Failures.Check(ctx, by(ctx).Principal, *in.Body.Failure, record))
		}
		terms := ingest.Terms{External: true, Origin: &ingest.Origin{Key: ingest.AnyKey, Payload: record}}
		return toTestAnswer(s.Records.Rehearse(ctx, by(ctx).Principal, in.Slug, record, terms))
	})
}

// toTestAnswer wraps an answer of the endpoint. An error that does not concern the record
// stays an error.
func toTestAnswer(outcome ingest.Outcome, err error) (*body[testAnswerJSON], error) {
	answer := testAnswerJSON{
		Status: http.StatusOK, Result: string(outcome.Result), Errors: []problemField{},
		Dropped: append([]string{}, outcome.Dropped...), Coerced: append([]string{}, outcome.Coerced...),
		Warnings: toWarnings(outcome.Warnings),
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

func toWarnings(warnings []ingest.Warning) []warningJSON {
	out := make([]warningJSON, 0, len(warnings))
	for _, warning := range warnings {
		out = append(out, warningJSON{warning.Code, warning.Field, ingest.MeaningOf(warning.Code)})
	}
	return out
}

func (s *Server) toSourceJSON(one source.Source) sourceJSON {
	out := sourceJSON{
		Slug: one.Slug, Title: one.Title, Description: one.Description, Endpoint: s.endpoint(one.Slug),
		RequiredScope: one.Slug, ConflictKey: one.ConflictKey, EventType: one.EventType(), BuiltIn: one.Owner == uuid.Nil,
		Figures: figuresJSON{
			Rows: one.Rows, LastRecordAt: utc(one.LastRecordAt), OpenFailures: one.OpenFailures, Pending: one.Pending,
			ByHour: []hourJSON{}, Warned: []warnedJSON{},
		},
	}
	for _, warned := range one.Warned {
		out.Figures.Warned = append(out.Figures.Warned, warnedJSON{warned.Code, ingest.MeaningOf(warned.Code), warned.Records})
	}
	for _, hour := range one.ByHour {
		out.Figures.Accepted += hour.Accepted
		out.Figures.Stale += hour.Stale
		out.Figures.Failed += hour.Failed
		out.Figures.ByHour = append(out.Figures.ByHour, hourJSON{hour.Start, hour.Accepted, hour.Failed})
	}
	return out
}

// endpoint returns the address for a table's records.
func (s *Server) endpoint(slug string) string { return s.BaseURL + "/api/ingest/" + slug }
