package httpapi

import (
	"errors"
	"fmt"
	"log/slog"
	"math"
	"mime"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/quayside/quayside/internal/apikey"
	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/fault"
	"github.com/quayside/quayside/internal/ingest"
	"github.com/quayside/quayside/internal/registry"
	"github.com/quayside/quayside/internal/source"
	"github.com/quayside/quayside/internal/telemetry"
)

// ingest takes one record. The order of the checks is part of the contract: 401, 404, 403,
// 429, 413, 400, then the record itself. The body is not read before key and scope are
// checked.
func (s *Server) ingest(w http.ResponseWriter, r *http.Request) error {
	ctx, slug := r.Context(), r.PathValue("slug")
	caller, err := s.caller(w, r)
	if err != nil {
		return err
	}
	s.Processors.Record(caller.Tenant)
	table, err := s.Records.Admit(ctx, caller.Principal, slug)
	note(w, table.Label())
	if refused(err) {
		return s.dead(caller, err)
	}
	if err := s.take(w, caller); err != nil {
		return err
	}
	body, err := s.readBody(w, r)
	rehearsal := false
	if err == nil {
		rehearsal, err = dryRun(r)
	}
	if err != nil {
		return s.dead(caller, s.Records.RecheckRefusal(ctx, caller.Principal, slug, err))
	}
	if hungUp(ctx) {
		return errHungUp
	}
	outcome, err := s.Records.Write(ctx, ingest.Record{
		By: caller.Principal, Slug: slug, Body: body, RequestID: telemetry.RequestID(ctx), DryRun: rehearsal,
		Terms: ingest.Terms{Sequence: strings.Join(r.Header.Values(ingest.SequenceHeader), ", ")}, // several are no sequence
	})
	if !rehearsal {
		s.count(caller, slug, outcome, err)
	}
	if err != nil {
		return s.dead(caller, err)
	}
	w.Header().Set("Ingest-Result", string(outcome.Result))
	setNames(w, "Ingest-Dropped", outcome.Dropped, outcome.Passed)
	setNames(w, "Ingest-Coerced", outcome.Coerced, 0)
	setWarnings(w, outcome.Warnings)
	writeJSON(w, http.StatusOK, acceptedJSON{true, outcome.EventType})
	return nil
}

// acceptedJSON is the body of an accepted record's answer.
type acceptedJSON struct {
	OK        bool   `json:"ok"`
	EventType string `json:"event_type"`
}

// count adds a record to its source's figures: stored or refused. A record that was not judged
// does not count.
func (s *Server) count(caller apikey.Caller, slug string, outcome ingest.Outcome, err error) {
	result := source.Stored
	status, _ := fault.Public(err)
	switch {
	case fault.Is(err, fault.Unauthenticated), fault.Is(err, fault.NotFound), fault.Is(err, fault.Unavailable),
		errors.Is(err, auth.ErrSuspended):
		return
	case err != nil && status >= http.StatusInternalServerError:
		result = source.Lost
	case err != nil:
		result = source.Failed
	case outcome.Result == ingest.Created:
		result = source.Created
	case outcome.Result == ingest.Stale:
		result = source.Stale
	}
	now := time.Now()
	s.Meter.Record(caller.Principal, slug, result, now)
	s.Meter.Warn(caller.Principal, slug, outcome.Codes(), now)
}

// discover describes a table to any live key of the tenant. Key and table are read from the
// database, so that a description is never outdated.
func (s *Server) discover(w http.ResponseWriter, r *http.Request) error {
	ctx, slug := r.Context(), r.PathValue("slug")
	caller, err := s.caller(w, r)
	if err != nil {
		return err
	}
	if err := s.Records.RecheckKey(ctx, caller.Principal); err != nil {
		return s.dead(caller, err)
	}
	if err := s.take(w, caller); err != nil {
		return err
	}
	table, err := s.Tables.Reload(ctx, caller.Tenant, slug)
	if err != nil {
		return err
	}
	endpoint := s.endpoint(table.Slug)
	warnings := ingest.WarningCodes(table)
	etag := fmt.Sprintf(`"%s-%d-%d-%d-%d"`, table.Slug, table.Version, caller.Rate, caller.Burst, len(warnings))
	w.Header().Set("Vary", "Accept")
	w.Header().Set("Cache-Control", "private, no-cache")
	if wantsSchema(r.Header.Get("Accept")) {
		etag = strings.TrimSuffix(etag, `"`) + `-schema"`
		w.Header().Set("Content-Type", "application/schema+json")
	}
	w.Header().Set("ETag", etag)
	if strings.Contains(r.Header.Get("If-None-Match"), etag) {
		w.WriteHeader(http.StatusNotModified)
		return nil
	}
	if w.Header().Get("Content-Type") != "" {
		writeJSON(w, http.StatusOK, table.JSONSchema(endpoint))
		return nil
	}
	description := table.Describe(endpoint, map[string]int{
		"records_per_request": 1,
		"max_body_bytes":      int(s.MaxBody),
		"rate_per_second":     caller.Rate,
		"rate_burst":          caller.Burst,
		"max_key_length":      ingest.MaxKeyLength,
		"max_number_digits":   ingest.MaxDigits,
	})
	writeJSON(w, http.StatusOK, discoveryJSON{description, warnings})
	return nil
}

// discoveryJSON is a table's description, with the codes that Ingest-Warning may name.
type discoveryJSON struct {
	registry.Description
	Warnings []ingest.WarningCode `json:"warnings"`
}

// wantsSchema reports whether the Accept header asks for the JSON Schema.
func wantsSchema(accept string) bool {
	for part := range strings.SplitSeq(accept, ",") {
		kind, params, err := mime.ParseMediaType(part)
		if err == nil && kind == "application/schema+json" {
			quality, err := strconv.ParseFloat(params["q"], 64)
			return err != nil || quality > 0
		}
	}
	return false
}

// caller identifies the caller by the bearer token.
func (s *Server) caller(w http.ResponseWriter, r *http.Request) (apikey.Caller, error) {
	scheme, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	token = strings.TrimSpace(token)
	if len(r.Header.Values("Authorization")) > 1 {
		return apikey.Caller{}, auth.ErrDeadKey // ambiguous
	}
	if !strings.EqualFold(scheme, "Bearer") || token == "" {
		return apikey.Caller{}, fault.New(fault.Unauthenticated, "no_token", "missing Bearer token")
	}
	from := s.clientAddr(r)
	caller, err := s.Keys.Verify(r.Context(), token, from)
	if err == nil {
		note(w, "", slog.String("tenant", caller.Tenant.String()), slog.String("key", caller.Key.String()))
		s.Meter.Call(caller.Principal, from.String(), time.Now())
	}
	if recorder, ok := w.(*recorder); ok && fault.Is(err, fault.RateLimited) {
		recorder.stranger = true
	}
	return caller, err
}

// dead removes a caller whose key is dead or whose company is suspended from the cache.
func (s *Server) dead(caller apikey.Caller, err error) error {
	if fault.Is(err, fault.Unauthenticated) || errors.Is(err, auth.ErrSuspended) {
		s.Keys.Forget(caller)
	}
	return err
}

// refused reports whether Admit has refused the caller. If it could not decide, the record is
// still read, so that Write can keep it.
func refused(err error) bool {
	return fault.Is(err, fault.Unauthenticated) || fault.Is(err, fault.NotFound) || fault.Is(err, fault.Forbidden)
}

// take takes one request from the key's rate limit and reports the rest in headers.
func (s *Server) take(w http.ResponseWriter, caller apikey.Caller) error {
	allowance := s.Keys.Take(caller)
	w.Header().Set("RateLimit-Policy", fmt.Sprintf(`"default";q=%d;w=1`, allowance.Rate))
	w.Header().Set("RateLimit", fmt.Sprintf(`"default";r=%d;t=%d`, allowance.Remaining, seconds(allowance.Full)))
	if allowance.OK {
		return nil
	}
	w.Header().Set("Retry-After", strconv.Itoa(max(1, seconds(allowance.Wait))))
	return fault.New(fault.RateLimited, "rate", "rate limit exceeded")
}

func seconds(d time.Duration) int { return int(math.Ceil(d.Seconds())) }

// dryRun reads ?dry_run=true. Any other unclear value is refused, so that nobody writes when
// they mean to rehearse.
func dryRun(r *http.Request) (bool, error) {
	query, err := url.ParseQuery(r.URL.RawQuery)
	values, asked := query["dry_run"]
	switch {
	case err == nil && !asked, err == nil && len(values) == 1 && values[0] == "false":
		return false, nil
	case err == nil && len(values) == 1 && values[0] == "true":
		return true, nil
	}
	return false, fault.New(fault.BadRequest, "dry_run", "dry_run must be true or false")
}

// maxNames limits a header that lists field names.
const maxNames = 2 << 10

// setNames lists names in a header, percent-encoded where necessary, and counts those that do
// not fit, with more that have no names.
func setNames(w http.ResponseWriter, header string, names []string, more int) {
	if len(names) == 0 {
		return
	}
	var list strings.Builder
	for i, name := range names {
		encoded := percentEncode(name)
		if list.Len()+len(encoded)+len(", +1000000 more") > maxNames {
			more += len(names) - i
			break
		}
		if i > 0 {
			list.WriteString(", ")
		}
		list.WriteString(encoded)
	}
	if more > 0 {
		fmt.Fprintf(&list, ", +%d more", more)
	}
	w.Header().Set(header, strings.TrimPrefix(list.String(), ", "))
}

// setWarnings lists warnings in the header Ingest-Warning, each as "code" or "code;field".
func setWarnings(w http.ResponseWriter, warnings []ingest.Warning) {
	if len(warnings) == 0 {
		return
	}
	list := make([]string, 0, len(warnings))
	for _, warning := range warnings {
		text := warning.Code
		if warning.Field != "" {
			text += ";" + percentEncode(warning.Field)
		}
		list = append(list, text)
	}
	w.Header().Set("Ingest-Warning", strings.Join(list, ", "))
}

// percentEncode encodes all but the characters of ordinary names.
func percentEncode(name string) string {
	if name == "" {
		return `""`
	}
	var encoded strings.Builder
	for _, c := range []byte(name) {
		if c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.IndexByte("_-.~", c) >= 0 {
			encoded.WriteByte(c)
		} else {
			fmt.Fprintf(&encoded, "%%%02X", c)
		}
	}
	return encoded.String()
}
