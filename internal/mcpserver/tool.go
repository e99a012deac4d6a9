package mcpserver

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"runtime/debug"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/jsonschema-go/jsonschema"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/quayside/quayside/internal/audit"
	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/fault"
	"github.com/quayside/quayside/internal/secret"
	"github.com/quayside/quayside/internal/telemetry"
)

// about describes a tool.
type about struct {
	name, title string
	description string
	needs       auth.Permission
	changes     bool // it can change something
	replaces    bool // with changes: it may overwrite data
	repeatable  bool // with changes: repeating it has no further effect
}

// tool is a tool with any arguments and answers.
type tool struct {
	about
	in, out *jsonschema.Schema
	run     func(ctx context.Context, by auth.Principal, arguments jsontext.Value) (any, error)
}

// define makes a tool from a function. The schemas come from its types: optional fields are
// omitzero, a jsonschema tag is the description.
func define[In, Out any](is about, run func(context.Context, auth.Principal, In) (Out, error)) tool {
	in, out := schemaOf[In](), schemaOf[Out]()
	withoutClosing(out)
	return tool{is, in, out, func(ctx context.Context, by auth.Principal, arguments jsontext.Value) (any, error) {
		var decoded In
		if err := decode(in, arguments, &decoded); err != nil {
			return nil, err
		}
		return run(ctx, by, decoded)
	}}
}

// add registers a tool with the server.
func (s *Server) add(server *mcp.Server, t tool) {
	outside := false // tools act only on the workspace
	server.AddTool(&mcp.Tool{
		Name: t.name, Title: t.title, Description: t.description, InputSchema: t.in, OutputSchema: t.out,
		Annotations: &mcp.ToolAnnotations{
			Title: t.title, ReadOnlyHint: !t.changes, DestructiveHint: &t.replaces, IdempotentHint: !t.changes || t.repeatable,
			OpenWorldHint: &outside,
		},
	}, func(ctx context.Context, request *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		start := time.Now()
		text, err := guarded(ctx, s.Log, t.name, func() (jsontext.Value, error) { return s.call(ctx, t, request) })
		if err == nil {
			s.Metrics.Tool(t.name, "ok", time.Since(start))
			return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: string(text)}}, StructuredContent: text},
				nil
		}
		status, public := fault.Public(err)
		if status == http.StatusInternalServerError {
			s.Log.ErrorContext(ctx, "tool failed", "tool", t.name, "err", err)
		}
		s.Metrics.Tool(t.name, public.Code, time.Since(start))
		return refused(public), nil
	})
}

var errPanic = errors.New("the call panicked")

// guarded makes one call, and answers even if it panics: the SDK calls from its own goroutine,
// where a panic would end the process.
func guarded[T any](ctx context.Context, log *slog.Logger, name string, call func() (T, error)) (answer T, err error) {
	defer func() {
		if cause := recover(); cause != nil {
			log.ErrorContext(ctx, "panic", "tool", name, "kind", fmt.Sprintf("%T", cause), "stack", string(debug.Stack()))
			err = errPanic
		}
	}()
	return call()
}

// admit counts a call against the token's rate limit, checks the permission, and records the call in
// the audit, also a refused one.
func (s *Server) admit(ctx context.Context, by auth.Principal, needs auth.Permission, action audit.Action,
	subject string) error {
	if err := s.Tokens.TakeCall(by.Token); err != nil {
		return err
	}
	refusal := by.Require(needs)
	data := audit.Data{}
	if refusal != nil {
		_, public := fault.Public(refusal)
		data["refused"] = public.Code
	}
	if err := s.Audit.Note(ctx, by, action, subject, data); err != nil {
		return err
	}
	return refusal
}

// call makes one call. The audit records the call before anything is done; its effects have
// audit rows of their own.
func (s *Server) call(ctx context.Context, t tool, request *mcp.CallToolRequest) (jsontext.Value, error) {
	by := caller(ctx)
	by.Tool, by.Run = t.name, run(ctx, request.Params.Meta, request.Params.Arguments)
	if err := s.admit(ctx, by, t.needs, "tool.called", t.name); err != nil {
		return nil, err
	}
	answer, err := t.run(ctx, by, jsontext.Value(request.Params.Arguments))
	if err != nil {
		return nil, err
	}
	text, err := json.Marshal(answer, json.Deterministic(true))
	if err == nil && len(text) > mostBytes && !t.changes { // a change was made and must be reported
		return nil, fault.New(fault.TooLarge, "too_large", "the answer would be too long to read; ask for less of it")
	}
	return text, err
}

// runKey is the member of _meta in which clients send the run that a call belongs to.
const runKey = "quayside/run_id"

const longestRun = 200

// run returns the run that a call belongs to: the client's, or one for this call alone.
func run(ctx context.Context, meta mcp.Meta, arguments []byte) string {
	said, _ := meta[runKey].(string)
	if isRun(said) {
		return said
	}
	var named struct {
		Run string `json:"run_id"`
	}
	if json.Unmarshal(arguments, &named) == nil && isRun(named.Run) {
		return named.Run
	}
	return telemetry.RequestID(ctx)
}

// isRun reports whether a text can name a run: short, printable and not a secret. It is kept
// for ever.
func isRun(text string) bool {
	return text != "" && len(text) <= longestRun && !secret.In(text) &&
		!strings.ContainsFunc(text, func(r rune) bool { return !unicode.IsPrint(r) || r == utf8.RuneError })
}
