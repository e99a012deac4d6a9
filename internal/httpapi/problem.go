package httpapi

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strconv"
	"strings"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/validation"

	"github.com/quayside/quayside/internal/fault"
	"github.com/quayside/quayside/internal/telemetry"
)

// problem is an error of the app API (RFC 9457).
type problem struct {
	Type      string         `json:"type" example:"about:blank"`
	Title     string         `json:"title" example:"Conflict" doc:"The status in words."`
	Status    int            `json:"status" example:"409"`
	Detail    string         `json:"detail" example:"this is the only Company-Admin; make somebody else one first" doc:"One sentence for a person."`
	Code      string         `json:"code" example:"last_admin" doc:"Stable and machine-readable."`
	RequestID string         `json:"request_id" doc:"Identifies this call in the service's log."`
	Version   int64          `json:"version,omitempty" doc:"For 412: the current version, if it is known. The ETag has it too."`
	Errors    []problemField `json:"errors,omitempty" doc:"The errors, with the part of the input that each is about."`
	Details   any            `json:"details,omitempty" doc:"The information of the detail for programs. Its form depends on the code; the operations that return it describe it."`

	headers http.Header
}

type problemField struct {
	Pointer string `json:"pointer" example:"#/email" doc:"A JSON pointer into the body, or the name of a parameter."`
	Code    string `json:"code"`
	Detail  string `json:"detail"`
}

func (p *problem) Error() string           { return p.Detail }
func (p *problem) GetStatus() int          { return p.Status }
func (p *problem) GetHeaders() http.Header { return p.headers }
func (*problem) ContentType(string) string { return "application/problem+json" }
func (*problem) TransformSchema(_ huma.Registry, s *huma.Schema) *huma.Schema {
	s.Description = "What went wrong, as RFC 9457 has it."
	return s
}

// problem turns any error into what a caller may see, and logs internal errors.
func (s *Server) problem(ctx context.Context, operation string, err error) *problem {
	status, public := fault.Public(err)
	s.logFailure(ctx, "operation", operation, status, err)
	return toProblem(ctx, status, public)
}

// logFailure logs internal errors, unless the caller has left.
func (s *Server) logFailure(ctx context.Context, kind, name string, status int, err error) {
	switch {
	case status < http.StatusInternalServerError:
	case errors.Is(ctx.Err(), context.Canceled):
		s.Log.DebugContext(ctx, "the caller left before the answer", kind, name, "err", err)
	default:
		s.Log.ErrorContext(ctx, "request failed", kind, name, "status", status, "err", err)
	}
}

func toProblem(ctx context.Context, status int, public *fault.Error) *problem {
	p := &problem{
		Type: "about:blank", Title: http.StatusText(status), Status: status, Detail: public.Message, Code: public.Code,
		RequestID: telemetry.RequestID(ctx), Version: public.Version, Details: public.Details, headers: http.Header{},
	}
	if public.Version > 0 {
		p.headers.Set("ETag", etag(public.Version))
	}
	for _, field := range public.Fields {
		p.Errors = append(p.Errors, problemField{"#/" + field.Field, field.Code, field.Message})
	}
	switch {
	case public.Wait > 0:
		p.headers.Set("Retry-After", strconv.Itoa(seconds(public.Wait)))
	case status == http.StatusServiceUnavailable:
		p.headers.Set("Retry-After", "1")
	}
	return p
}

// writeProblem answers with a problem instead of the operation.
func writeProblem(ctx huma.Context, p *problem) {
	for name, values := range p.headers {
		ctx.SetHeader(name, values[0])
	}
	ctx.SetHeader("Content-Type", p.ContentType(""))
	ctx.SetStatus(p.Status)
	_ = huma.DefaultJSONFormat.Marshal(ctx.BodyWriter(), p) // a write error means that the client is gone
}

// appProblem returns a handler for calls that the app API refuses before any operation.
func appProblem(kind fault.Kind, code, message string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		status, public := fault.Public(fault.New(kind, code, "%s", message))
		w.Header().Set("Content-Type", "application/problem+json")
		writeJSON(w, status, toProblem(r.Context(), status, public))
		drain(w, r)
	}
}

// huma's own errors (a body that is not JSON, a value that breaks its schema) get the same
// form.
func init() {
	huma.DefaultArrayNullable = false
	huma.ValidateStrictCasing = true
	validation.MsgExpectedRequiredProperty = "%s is missing"
	validation.MsgUnexpectedProperty = "there is no such field"
	validation.MsgExpectedMinLength = "expected at least %d characters"
	validation.MsgExpectedMaxLength = "expected at most %d characters"
	validation.MsgExpectedMinItems = "expected at least %d entries"
	validation.MsgExpectedMaxItems = "expected at most %d entries"
	validation.MsgExpectedMinimumNumber = "expected %v or more"
	validation.MsgExpectedMaximumNumber = "expected %v or less"
	validation.MsgExpectedRFC4122UUID = "expected a UUID: %v"
	huma.NewErrorWithContext = func(ctx huma.Context, status int, message string, errs ...error) huma.StatusError {
		p := toProblem(ctx.Context(), status, fault.New(fault.BadRequest, "invalid_input", "%s", message))
		if status >= http.StatusInternalServerError {
			p.Detail, p.Code = "internal error", "internal"
			return p
		}
		for _, err := range errs {
			var detail huma.ErrorDetailer
			if errors.As(err, &detail) {
				found := detail.ErrorDetail()
				p.Errors = append(p.Errors, problemField{pointer(found.Location), "invalid",
					strings.Replace(found.Message, "jsontext: ", "the body is not JSON: ", 1)})
			}
		}
		if len(p.Errors) > 0 {
			p.Detail = sentence(p.Errors[0])
		}
		return p
	}
	huma.NewError = func(status int, message string, _ ...error) huma.StatusError {
		return toProblem(context.Background(), status, fault.New(fault.BadRequest, "invalid_input", "%s", message))
	}
}

// pointer turns huma's "body.email" into a JSON pointer, and "query.limit" into the
// parameter's name.
func pointer(location string) string {
	where, rest, _ := strings.Cut(location, ".")
	switch {
	case where != "body":
		return rest
	case rest == "":
		return "#"
	}
	return "#/" + strings.NewReplacer(".", "/", "[", "/", "]", "").Replace(rest)
}

func sentence(field problemField) string {
	if field.Pointer == "#" {
		return field.Detail
	}
	return strings.TrimPrefix(field.Pointer, "#/") + ": " + field.Detail
}

// newIndented encodes JSON for people.
func newIndented(w io.Writer) *json.Encoder {
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	return encoder
}
