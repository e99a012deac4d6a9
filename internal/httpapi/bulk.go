package httpapi

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/failed"
	"github.com/quayside/quayside/internal/fault"
	"github.com/quayside/quayside/internal/mend"
	"github.com/quayside/quayside/internal/written"
)

type (
	fixJSON struct {
		Do      mend.Kind       `json:"do" enum:"set,rename,drop,map,number,date" example:"rename"`
		Field   string          `json:"field" minLength:"1" maxLength:"200" example:"Price"`
		To      string          `json:"to,omitempty" maxLength:"200" doc:"For rename: the new name. A field that already has this name is replaced." example:"unit_price"`
		From    json.RawMessage `json:"from,omitempty" doc:"For map: the value to replace."`
		Value   json.RawMessage `json:"value,omitempty" doc:"For set and map: the new value."`
		Form    written.Form    `json:"form,omitempty" enum:"decimal_point,decimal_comma,day_first,month_first,year_first" example:"decimal_comma" doc:"For number and date: how the field's texts are written. Texts that are not written so stay as they are."`
		Missing bool            `json:"missing,omitempty" doc:"For set: only where the field is missing, null or blank. As a rule: only in new records, which must have it."`
	}
	planJSON struct {
		Filter    FailureFilter `json:"filter" doc:"Selects open failed imports." example:"{}"`
		Fixes     []fixJSON     `json:"fixes,omitempty" maxItems:"50" doc:"Changes made to every payload, in this order."`
		Overwrite bool          `json:"overwrite,omitempty" example:"false" doc:"Also retry if the record was changed after the failure."`
	}
	bulkJSON struct {
		ID         uuid.UUID         `json:"id" format:"uuid"`
		Status     failed.BulkStatus `json:"status" enum:"queued,running,cancelled,done,failed"`
		Cancelling bool              `json:"cancelling" doc:"It will stop shortly."`
		Plan       planJSON          `json:"plan"`
		ByType     string            `json:"by_type"`
		ByID       string            `json:"by_id,omitempty"`
		Total      int64             `json:"total" doc:"How many matched when it was started."`
		Done       int64             `json:"done"`
		Succeeded  int64             `json:"succeeded" doc:"Stored."`
		Refused    int64             `json:"refused" doc:"Refused again, and still open."`
		Newer      int64             `json:"newer" doc:"Not stored, because the record was changed after the failure."`
		Skipped    int64             `json:"skipped" doc:"Stored or closed by somebody else in the meantime, or closed because a newer delivery is stored."`
		Message    string            `json:"message,omitempty" doc:"Why it stopped."`
		CreatedAt  time.Time         `json:"created_at"`
		StartedAt  *time.Time        `json:"started_at,omitempty"`
		FinishedAt *time.Time        `json:"finished_at,omitempty"`
	}
	bulkPreviewJSON struct {
		Count   int64        `json:"count" doc:"How many open failed imports match."`
		Samples []sampleJSON `json:"samples" doc:"The newest of them."`
	}
	sampleJSON struct {
		ID        uuid.UUID      `json:"id" format:"uuid"`
		RecordKey *string        `json:"record_key,omitempty"`
		KeyID     uuid.UUID      `json:"key_id" format:"uuid" doc:"The API key that sent it. All zeros if a person sent it."`
		Before    string         `json:"before"`
		After     string         `json:"after"`
		Changed   bool           `json:"changed"`
		Status    int            `json:"status" doc:"The answer of a dry run with the changed payload. 200 means that it would be stored."`
		Code      string         `json:"code,omitempty"`
		Message   string         `json:"message,omitempty"`
		Errors    []problemField `json:"errors"`
	}
	failedValuesJSON struct {
		Matching int64             `json:"matching" doc:"How many open failed imports match."`
		Looked   int64             `json:"looked" doc:"How many payloads were read: all, or the newest of many."`
		Missing  int64             `json:"missing" doc:"Payloads without the field."`
		Other    int64             `json:"other" doc:"Payloads whose value is not listed: too long, or not among the most frequent."`
		Items    []failedValueJSON `json:"items" doc:"The most frequent first."`
		Readings []textReadingJSON `json:"readings" doc:"The forms in which some of the listed texts can be read."`
	}
	failedValueJSON struct {
		Value string `json:"value" doc:"As JSON, in the spelling that was sent."`
		Count int64  `json:"count" doc:"In how many payloads."`
	}
	textReadingJSON struct {
		Do    mend.Kind      `json:"do" enum:"number,date"`
		Form  written.Form   `json:"form" enum:"decimal_point,decimal_comma,day_first,month_first,year_first"`
		Count int64          `json:"count" doc:"Payloads whose text can be read so."`
		Items []textReadJSON `json:"items"`
	}
	textReadJSON struct {
		From string `json:"from" doc:"A listed value, as JSON."`
		To   string `json:"to" doc:"What it is in this form, as JSON."`
	}
	// OneBulk names a bulk retry.
	OneBulk struct {
		InWorkspace
		Bulk uuid.UUID `path:"bulk" format:"uuid"`
	}
)

// bulkOperations retry many failed imports at once.
func (s *Server) bulkOperations(a *appAPI) {
	const tag, path = "Failed imports", "workspaces/{workspace}/bulk-retries"
	s.bulkPlanOperations(a, tag, path)
	register(a, operation{
		id: "startBulkRetry", method: http.MethodPost, path: path, tag: tag, needs: auth.RetryFailures,
		status:  http.StatusCreated,
		summary: "Retry all failed imports that match",
		about:   "The retry runs in the background, survives restarts, and can be cancelled. Imports that fail after the start are not included.",
	}, func(ctx context.Context, in *struct {
		InWorkspace
		Body struct {
			Plan     planJSON  `json:"plan" example:"{\"filter\": {}}"`
			Expected int64     `json:"expected" minimum:"0" example:"1000" doc:"How many you expect to match. If more match, the answer is 409 and nothing is started."`
			Keep     *keepJSON `json:"keep,omitempty" doc:"Also keep the fixes as rules for records to come. It takes the permission define_tables, and a filter that names a table."`
		}
	}) (*body[bulkJSON], error) {
		bulk, err := s.Failures.Start(ctx, by(ctx).Principal, in.Body.Plan.plan(), in.Body.Expected, (*failed.Keep)(in.Body.Keep))
		return &body[bulkJSON]{toBulkJSON(bulk)}, err
	})
	register(a, operation{
		id: "listBulkRetries", method: http.MethodGet, path: path, tag: tag, needs: auth.ReadFailures,
		summary: "Bulk retries, the newest first",
	}, func(ctx context.Context, in *struct {
		InWorkspace
		Paged
	}) (*body[list[bulkJSON]], error) {
		want, err := in.request()
		if err != nil {
			return nil, err
		}
		bulks, more, err := s.Failures.Bulks(ctx, by(ctx).Principal, want)
		var items []bulkJSON
		for _, bulk := range bulks {
			items = append(items, toBulkJSON(bulk))
		}
		return listed(items, more, func(one bulkJSON) uuid.UUID { return one.ID }), err
	})
	register(a, operation{
		id: "getBulkRetry", method: http.MethodGet, path: path + "/{bulk}", tag: tag, needs: auth.ReadFailures,
		summary: "Get the progress of a bulk retry",
	}, func(ctx context.Context, in *OneBulk) (*body[bulkJSON], error) {
		bulk, err := s.Failures.Bulk(ctx, by(ctx).Principal, in.Bulk)
		return &body[bulkJSON]{toBulkJSON(bulk)}, err
	})
	register(a, operation{
		id: "cancelBulkRetry", method: http.MethodPost, path: path + "/{bulk}/cancel", tag: tag, needs: auth.RetryFailures,
		summary: "Stop a bulk retry",
		about:   "Records that are already stored stay stored. A bulk retry that has ended is not changed.",
	}, func(ctx context.Context, in *OneBulk) (*body[bulkJSON], error) {
		bulk, err := s.Failures.Cancel(ctx, by(ctx).Principal, in.Bulk)
		return &body[bulkJSON]{toBulkJSON(bulk)}, err
	})
}

// bulkPlanOperations show what a bulk retry would meet and do.
func (s *Server) bulkPlanOperations(a *appAPI, tag, path string) {
	register(a, operation{
		id: "previewBulkRetry", method: http.MethodPost, path: path + "/preview", tag: tag, needs: auth.RetryFailures,
		summary: "Preview a bulk retry and its fixes",
		about:   "Counts the failed imports that match, and tries samples in a dry run. Nothing is stored.",
	}, func(ctx context.Context, in *struct {
		InWorkspace
		Body planJSON
	}) (*body[bulkPreviewJSON], error) {
		count, samples, err := s.Failures.Preview(ctx, by(ctx).Principal, in.Body.plan())
		preview := bulkPreviewJSON{Count: count, Samples: []sampleJSON{}}
		for _, sample := range samples {
			preview.Samples = append(preview.Samples, toSampleJSON(sample))
		}
		return &body[bulkPreviewJSON]{preview}, err
	})
	register(a, operation{
		id: "countFailedValues", method: http.MethodPost, path: path + "/values", tag: tag, needs: auth.RetryFailures,
		summary: "The values of a field in open failed imports",
		about:   "What was sent in this field and how often, and what the texts would be as numbers or days in each form. Nothing is stored.",
	}, func(ctx context.Context, in *struct {
		InWorkspace
		Body struct {
			Filter FailureFilter `json:"filter" doc:"Selects open failed imports." example:"{}"`
			Field  string        `json:"field" minLength:"1" maxLength:"200" example:"status"`
		}
	}) (*body[failedValuesJSON], error) {
		values, err := s.Failures.Values(ctx, by(ctx).Principal, in.Body.Filter.filter(), in.Body.Field)
		return &body[failedValuesJSON]{toFailedValuesJSON(values)}, err
	})
}

func (p planJSON) plan() failed.Plan {
	plan := failed.Plan{Filter: p.Filter.filter(), Overwrite: p.Overwrite}
	for _, fix := range p.Fixes {
		plan.Fixes = append(plan.Fixes, mend.Fix(fix))
	}
	return plan
}

func toBulkJSON(bulk failed.Bulk) bulkJSON {
	out := bulkJSON{
		ID: bulk.ID, Status: bulk.Status, Cancelling: bulk.Cancelling, ByType: string(bulk.By.Type), ByID: bulk.By.ID,
		Plan:  planJSON{Filter: toFailureFilter(bulk.Plan.Filter), Overwrite: bulk.Plan.Overwrite},
		Total: bulk.Total, Done: bulk.Succeeded + bulk.Refused + bulk.Newer + bulk.Skipped, Succeeded: bulk.Succeeded,
		Refused: bulk.Refused,
		Newer:   bulk.Newer, Skipped: bulk.Skipped, Message: bulk.Message,
		CreatedAt: bulk.CreatedAt.UTC(), StartedAt: utc(bulk.StartedAt), FinishedAt: utc(bulk.FinishedAt),
	}
	for _, fix := range bulk.Plan.Fixes {
		out.Plan.Fixes = append(out.Plan.Fixes, fixJSON(fix))
	}
	return out
}

func toFailedValuesJSON(values failed.Values) failedValuesJSON {
	out := failedValuesJSON{Matching: values.Matching, Looked: values.Looked, Missing: values.Missing, Other: values.Other,
		Items: []failedValueJSON{}, Readings: []textReadingJSON{}}
	for _, item := range values.Items {
		out.Items = append(out.Items, failedValueJSON{string(item.JSON), item.Count})
	}
	for _, reading := range values.Readings {
		shown := textReadingJSON{Do: reading.Do, Form: reading.Form, Count: reading.Count}
		for _, read := range reading.Items {
			shown.Items = append(shown.Items, textReadJSON{string(read.From), string(read.To)})
		}
		out.Readings = append(out.Readings, shown)
	}
	return out
}

func toSampleJSON(sample failed.Sample) sampleJSON {
	out := sampleJSON{
		ID: sample.ID, RecordKey: sample.RecordKey, KeyID: sample.Key, Before: readable(sample.Before), After: readable(sample.After),
		Changed: sample.Changed, Status: http.StatusOK, Errors: []problemField{},
	}
	if sample.Refusal != nil {
		status, public := fault.Public(sample.Refusal)
		out.Status, out.Code, out.Message = status, public.Code, public.Message
		for _, field := range public.Fields {
			out.Errors = append(out.Errors, problemField{"#/" + field.Field, field.Code, field.Message})
		}
	}
	return out
}

// readable formats a payload for people: one field on each line, if it is an object.
func readable(payload []byte) string {
	var indented bytes.Buffer
	if json.Indent(&indented, payload, "", "  ") == nil {
		payload = indented.Bytes()
	}
	return strings.ToValidUTF8(string(payload), "\uFFFD")
}
