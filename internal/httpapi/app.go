package httpapi

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"reflect"
	"strconv"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"
	"github.com/go-json-experiment/json"
	"github.com/google/uuid"

	"github.com/quayside/quayside/internal/account"
	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/fault"
	"github.com/quayside/quayside/internal/page"
)

// The app API serves the web app and people's scripts. Each operation declares who may call
// it. The domain function behind it decides, and a test of all operations compares the two.

// appPrefix is the path prefix of the app API.
const appPrefix = "/api/app/"

// appBody limits the body of a call. A body that carries a record may be larger; see
// bodyLimit.
const appBody = 64 << 10

// Instead of a permission, an operation may require nothing, or only a signed-in person.
const (
	anybody  auth.Permission = "anybody"
	signedIn auth.Permission = "signed_in"
)

// operation is one entry of the app API.
type operation struct {
	id      string // the name in generated clients
	method  string
	path    string // after appPrefix; {tenant} or {workspace} says where the caller acts
	tag     string
	summary string
	about   string
	needs   auth.Permission
	status  int  // of success; 0: 200
	file    bool // the body is a file, which the handler reads: see FileBody
	record  bool // the body carries a record, which may be as large as ingest accepts

	answers reflect.Type // of an answer that is encoded already; nil: the handler returns it
}

// appAPI collects the operations and their description.
type appAPI struct {
	huma.API
	server *Server
}

// newAppAPI registers every operation on mux.
func (s *Server) newAppAPI(mux humago.Mux) *appAPI {
	config := huma.DefaultConfig("Quayside", apiVersion)
	config.Info.Description = apiAbout
	config.OpenAPIPath, config.DocsPath, config.SchemasPath = "", "", ""
	config.CreateHooks = nil // no $schema in bodies
	config.Components.Schemas = huma.NewMapRegistry("#/components/schemas/", schemaName)
	config.RejectUnknownQueryParameters = true
	config.Formats = map[string]huma.Format{"application/json": strictJSON, "json": strictJSON}
	config.Components.SecuritySchemes = map[string]*huma.SecurityScheme{
		"session": {Type: "apiKey", In: "cookie", Name: cookieName, Description: "Set by signIn and acceptInvitation."},
		"key":     {Type: "http", Scheme: "bearer", Description: "A secret API key, pk_…"},
	}
	a := &appAPI{API: humago.New(mux, config), server: s}
	s.encoded = newEncodings()
	for _, register := range []func(*appAPI){
		s.sessionOperations, s.memberOperations, s.workspaceOperations, s.sourceOperations, s.templateOperations,
		s.keyOperations, s.tokenOperations, s.connectionOperations, s.readingOperations, s.exchangeIDOperations,
		s.exchangeOperations, s.failureOperations, s.todayOperations,
		s.orderOperations, s.threadOperations, s.sendingOperations, s.confirmOperations, s.arrivalOperations,
		s.lineViewOperations, s.lineOperations, s.purchasingOperations, s.configOperations, s.strategyOperations,
		s.effectOperations, s.sopOperations, s.articleOperations, s.doubleOperations, s.supplierOperations, s.customerOperations,
		s.procurementOperations, s.alertOperations, s.inboxOperations, s.tableOperations, s.definitionOperations, s.unknownOperations,
		s.figureOperations,
		s.listViewOperations, s.searchOperations, s.pickingOperations, s.importOperations, s.auditOperations,
	} {
		register(a)
	}
	describeIngest(a.OpenAPI())
	return a
}

// schemaName returns the name of a type in generated clients: memberJSON is Member there, and
// a list of them MemberList.
func schemaName(t reflect.Type, hint string) string {
	name := strings.TrimSuffix(huma.DefaultSchemaNamer(t, hint), "JSON")
	if item, ok := strings.CutPrefix(name, "List"); ok && strings.HasPrefix(t.Name(), "list[") {
		return item + "List"
	}
	return name
}

// strictJSON refuses what encoding/json accepts: duplicate names, invalid UTF-8, other
// spellings of a name.
var strictJSON = huma.Format{
	Marshal: huma.DefaultJSONFormat.Marshal,
	Unmarshal: func(data []byte, v any) error {
		return json.Unmarshal(data, v)
	},
}

// register adds an operation. Its handler is thin: decode, call one domain function,
// encode.
func register[I, O any](a *appAPI, op operation, do func(context.Context, *I) (*O, error)) {
	placed := strings.Contains(op.path, "{tenant}") != strings.Contains(op.path, "{workspace}")
	if op.needs == "" || placed == (op.needs == anybody || op.needs == signedIn) {
		panic("operation " + op.id + " must say who may call it, and where")
	}
	described := huma.Operation{
		OperationID: op.id, Method: op.method, Path: appPrefix + op.path, Tags: []string{op.tag},
		Summary: op.summary, Description: op.about, DefaultStatus: op.status, MaxBodyBytes: a.server.bodyLimit(op),
		Extensions: map[string]any{"x-needs": string(op.needs)},
		// identify has read the body before. huma's own deadline of five seconds would stay
		// set, and cancel a handler that takes longer.
		BodyReadTimeout: -1,
	}
	if op.file {
		described.RequestBody = fileBody()
	}
	if op.answers != nil {
		described.Responses = map[string]*huma.Response{"200": {Content: map[string]*huma.MediaType{
			"application/json": {Schema: a.OpenAPI().Components.Schemas.Schema(op.answers, true, "")}}}}
	}
	if op.needs != anybody {
		described.Security = []map[string][]string{{"session": {}}}
	}
	described.Middlewares = huma.Middlewares{a.identify(op)}
	huma.Register(a.API, described, func(ctx context.Context, in *I) (*O, error) {
		out, err := do(ctx, in)
		if err != nil {
			return nil, a.server.problem(ctx, op.id, err)
		}
		return out, nil
	})
}

// visitor is the caller of the app API, and their address.
type visitor struct {
	auth.Principal
	account.Device
}

type visitorKey struct{}

// by returns the caller. It is empty in operations that are open to anybody.
func by(ctx context.Context) visitor {
	v, _ := ctx.Value(visitorKey{}).(visitor)
	return v
}

// identify identifies the caller, in the company or workspace that the path names.
func (a *appAPI) identify(op operation) func(huma.Context, func(huma.Context)) {
	return func(ctx huma.Context, next func(huma.Context)) {
		r, w := humago.Unwrap(ctx)
		if op.file {
			defer drain(w, r) // what the handler has not read
		} else if err := arrive(r, a.server.bodyLimit(op)); err != nil {
			writeProblem(ctx, a.server.problem(r.Context(), op.id, err))
			drain(w, r)
			return
		}
		computing, call := a.server.Processors.Enter(r.Context())
		defer call.Leave()
		waits(w, call)
		if op.file {
			r.Body = slowBody{r.Body, call}
		}
		r, ctx = r.WithContext(computing), huma.WithContext(ctx, computing)
		v := visitor{Device: account.Device{Address: a.server.clientAddr(r), Agent: r.UserAgent(),
			Browser: shown(r, browserCookieName)}}
		if op.needs != anybody {
			tenant, workspace := pathID(r, "tenant"), pathID(r, "workspace")
			principal, err := a.server.Accounts.Identify(r.Context(), shown(r, cookieName), tenant, workspace, v.Device)
			if err != nil {
				writeProblem(ctx, a.server.problem(r.Context(), op.id, err))
				return
			}
			v.Principal = principal
			if err := call.For(r.Context(), principal.Tenant); err != nil {
				writeProblem(ctx, a.server.problem(r.Context(), op.id, err))
				return
			}
		}
		if err := checkTexts(ctx, op); err != nil {
			writeProblem(ctx, a.server.problem(r.Context(), op.id, err))
			return
		}
		next(huma.WithValue(ctx, visitorKey{}, v))
	}
}

// arrive reads the whole body before the caller is identified, so that their rights are those
// at the time of the action, not those when they began to send.
func arrive(r *http.Request, limit int64) error {
	text, err := io.ReadAll(io.LimitReader(r.Body, limit+1))
	switch {
	case errors.Is(err, os.ErrDeadlineExceeded):
		return errTooSlow
	case err != nil:
		return fault.New(fault.BadRequest, "cut_off", "the body was cut off")
	case int64(len(text)) > limit:
		return fault.New(fault.TooLarge, "too_large", "the body is larger than %d KiB", limit>>10)
	}
	r.Body = io.NopCloser(bytes.NewReader(text))
	return nil
}

// bodyLimit returns how large the body of a call may be. A record is sent as a text inside
// JSON, where every quote and line break takes two bytes; the domain checks the size of the
// record itself.
func (s *Server) bodyLimit(op operation) int64 {
	if op.record {
		return appBody + 2*s.MaxBody
	}
	return appBody
}

// checkTexts refuses a call with a text in the path, the query or the body that cannot be
// stored.
func checkTexts(ctx huma.Context, op operation) error {
	r, _ := humago.Unwrap(ctx)
	for name := range strings.SplitSeq(op.path, "/") {
		if name, found := strings.CutPrefix(name, "{"); found {
			name, _, _ = strings.Cut(name, "}")
			if err := fault.CheckText(name, r.PathValue(name)); err != nil {
				return err
			}
		}
	}
	for name, values := range r.URL.Query() {
		for _, value := range append(values, name) {
			if err := fault.CheckText(name, value); err != nil {
				return err
			}
		}
	}
	if op.file {
		return nil // its reader checks the content, record by record
	}
	text, err := io.ReadAll(r.Body)
	if err != nil {
		return err
	}
	r.Body = io.NopCloser(bytes.NewReader(text))
	return fault.CheckJSON(text)
}

// pathID reads an id from the path. Text that is not an id gives uuid.Max, which matches no row.
func pathID(r *http.Request, name string) uuid.UUID { return parseID(r.PathValue(name)) }

// parseID reads an id that may be absent.
func parseID(text string) uuid.UUID {
	if text == "" {
		return uuid.Nil
	}
	id, err := uuid.Parse(text)
	if err != nil || id == uuid.Nil {
		return uuid.Max
	}
	return id
}

// What operations have in common. huma looks only into embedded types with exported names.
type (
	// InTenant is an operation on a company.
	InTenant struct {
		Tenant uuid.UUID `path:"tenant" format:"uuid" doc:"The company's id."`
	}
	// InWorkspace is an operation in a workspace.
	InWorkspace struct {
		Workspace uuid.UUID `path:"workspace" format:"uuid" doc:"The workspace's id."`
	}
	// Paged is an operation that lists.
	Paged struct {
		Cursor string `query:"cursor" doc:"The next_cursor of the previous page. Empty for the first page."`
		Limit  int    `query:"limit" minimum:"1" maximum:"200" default:"50" doc:"The maximum number of items on a page."`
	}
	// Conditional is an operation on a version that the caller has seen.
	Conditional struct {
		IfMatch string `header:"If-Match" doc:"The ETag of the version that you saw. Required, so that two people do not overwrite each other's changes."`
	}
	body[T any] struct {
		Body T
	}
	versioned[T any] struct {
		ETag string `header:"ETag" doc:"The version; send it as If-Match to change or delete."`
		Body T
	}
	list[T any] struct {
		Items      []T    `json:"items"`
		NextCursor string `json:"next_cursor,omitempty" doc:"Send it as cursor for the next page. Absent on the last page."`
	}
)

// request returns the page that a caller asks for.
func (p Paged) request() (page.Request, error) {
	want := page.Request{Most: p.Limit}
	if p.Cursor == "" {
		return want, nil
	}
	raw, err := base64.RawURLEncoding.Strict().DecodeString(p.Cursor)
	if err == nil {
		want.After, err = uuid.FromBytes(raw)
	}
	if err != nil {
		return want, fault.New(fault.BadRequest, "cursor", "this cursor was not made here; begin with the first page")
	}
	return want, nil
}

// listed answers with one page. last returns the id of an item, for the cursor.
func listed[T any](items []T, more bool, last func(T) uuid.UUID) *body[list[T]] {
	page := list[T]{Items: append([]T{}, items...)}
	if more {
		id := last(items[len(items)-1])
		page.NextCursor = base64.RawURLEncoding.EncodeToString(id[:])
	}
	return &body[list[T]]{page}
}

// version reads If-Match, which every change requires.
func (c Conditional) version() (int64, error) {
	if c.IfMatch == "" {
		return 0, fault.New(fault.Unconditional, "if_match",
			"send If-Match with the ETag that you saw, so that nobody's change is lost")
	}
	text := strings.Trim(c.IfMatch, `"`)
	version, err := strconv.ParseInt(text, 10, 64)
	if err != nil || c.IfMatch != `"`+text+`"` {
		return 0, fault.New(fault.Stale, "stale", "that ETag is not one of ours; load it again and repeat your change")
	}
	return version, nil
}

func etag(version int64) string { return fmt.Sprintf(`"%d"`, version) }

// nothing is an answer without a body.
type nothing struct{}

// openAPI writes the API's description.
func (a *appAPI) openAPI(w io.Writer) error {
	encoder := newIndented(w)
	return encoder.Encode(a.OpenAPI())
}

func utc(t *time.Time) *time.Time {
	if t == nil {
		return nil
	}
	u := t.UTC()
	return &u
}
