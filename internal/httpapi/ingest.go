package httpapi

import (
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
	"github.com/quayside/quayside/internal/source"
	"github.com/quayside/quayside/internal/telemetry"
)

// ingest takes one record. The order of the checks is the contract's: 401, 404,
// 403, 429, 413, 400, then what the data earns. The body is not looked at before
// key and scope hold.
func (s *Server) ingest(w http.ResponseWriter, r *http.Request) error {
	ctx, slug := r.Context(), r.PathValue("slug")
	caller, err := s.caller(w, r)
	if err != nil {
		return err
	}
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
	})
	if !rehearsal {
		s.count(caller, slug, outcome, err)
	}
	if err != nil {
		return s.dead(caller, err)
	}
	w.Header().Set("Ingest-Result", string(outcome.Result))
	setNames(w, "Ingest-Dropped", outcome.Dropped)
	setNames(w, "Ingest-Coerced", outcome.Coerced)
	writeJSON(w, http.StatusOK, acceptedJSON{true, outcome.EventType})
	return nil
}

// acceptedJSON is the body of an accepted record's answer.
type acceptedJSON struct {
	OK        bool   `json:"ok"`
	EventType string `json:"event_type"`
}

// count adds a record to its source's figures: stored, or refused for what it is. A
// record that was not judged counts for nothing.
func (s *Server) count(caller apikey.Caller, slug string, outcome ingest.Outcome, err error) {
	result := source.Stored
	switch {
	case fault.Is(err, fault.Unauthenticated), fault.Is(err, fault.NotFound), fault.Is(err, fault.Unavailable):
		return
	case err != nil:
		result = source.Failed
	case outcome.Result == ingest.Created:
		result = source.Created
	}
	s.Meter.Record(caller.Principal, slug, result, time.Now())
}

// discover describes a table to any live key of the tenant. Key and table are read
// anew: a description is never outdated.
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
	etag := fmt.Sprintf(`"%s-%d-%d-%d"`, table.Slug, table.Version, caller.Rate, caller.Burst)
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
	writeJSON(w, http.StatusOK, table.Describe(endpoint, map[string]int{
		"records_per_request": 1,
		"max_body_bytes":      int(s.MaxBody),
		"rate_per_second":     caller.Rate,
		"rate_burst":          caller.Burst,
		"max_key_length":      ingest.MaxKeyLength,
		"max_number_digits":   ingest.MaxDigits,
	}))
	return nil
}

// wantsSchema says whether the JSON Schema is asked for by name.
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

// caller finds out who is calling by the bearer token.
func (s *Server) caller(w http.ResponseWriter, r *http.Request) (apikey.Caller, error) {
	scheme, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	token = strings.TrimSpace(token)
	if len(r.Header.Values("Authorization")) > 1 {
		return apikey.Caller{}, auth.ErrDeadKey // which of them is meant?
	}
	if !strings.EqualFold(scheme, "Bearer") || token == "" {
		return apikey.Caller{}, fault.New(fault.Unauthenticated, "no_token", "missing Bearer token")
	}
	caller, err := s.Keys.Verify(r.Context(), token)
	if err == nil {
		note(w, "", slog.String("tenant", caller.Tenant.String()), slog.String("key", caller.Key.String()))
		s.Meter.Call(caller.Principal, s.clientAddr(r).String(), time.Now())
	}
	return caller, err
}

// dead forgets a caller whose key turned out to be dead.
func (s *Server) dead(caller apikey.Caller, err error) error {
	if fault.Is(err, fault.Unauthenticated) {
		s.Keys.Forget(caller)
	}
	return err
}

// refused says whether Admit has decided against the caller. When it could not
// decide, the record is read all the same, so that Write can keep it.
func refused(err error) bool {
	return fault.Is(err, fault.Unauthenticated) || fault.Is(err, fault.NotFound) || fault.Is(err, fault.Forbidden)
}

// take asks the key's bucket and says in headers what is left in it.
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

// dryRun reads ?dry_run=true. What is not clearly one or the other is refused: a
// rehearsal that writes would be a bad surprise.
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

// maxNames bounds a header that lists field names.
const maxNames = 2 << 10

// setNames lists names in a header, percent-encoded where a header or a comma would
// not survive, and counts those that do not fit.
func setNames(w http.ResponseWriter, header string, names []string) {
	if len(names) == 0 {
		return
	}
	var list strings.Builder
	for i, name := range names {
		encoded := percentEncode(name)
		if list.Len()+len(encoded)+len(", +1000000 more") > maxNames {
			fmt.Fprintf(&list, ", +%d more", len(names)-i)
			break
		}
		if i > 0 {
			list.WriteString(", ")
		}
		list.WriteString(encoded)
	}
	w.Header().Set(header, strings.TrimPrefix(list.String(), ", "))
}

// percentEncode leaves the characters of ordinary names and encodes the rest.
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
