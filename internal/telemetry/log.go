// Package telemetry provides logs, metrics and traces. None of them ever contains an API key
// or a payload.
package telemetry

import (
	"context"
	"io"
	"log/slog"

	"go.opentelemetry.io/otel/trace"
)

// NewLogger returns a logger of JSON lines with times in UTC. Each carries the ids of the request and of its trace,
// if there are any.
func NewLogger(w io.Writer, level slog.Level) *slog.Logger {
	return slog.New(&requestHandler{slog.NewJSONHandler(w, &slog.HandlerOptions{Level: level, ReplaceAttr: inUTC})})
}

func inUTC(_ []string, attr slog.Attr) slog.Attr {
	if attr.Value.Kind() == slog.KindTime {
		attr.Value = slog.TimeValue(attr.Value.Time().UTC())
	}
	return attr
}

type requestIDKey struct{}

// WithRequestID returns a context whose log lines carry the id.
func WithRequestID(ctx context.Context, id string) context.Context {
	return context.WithValue(ctx, requestIDKey{}, id)
}

// RequestID returns the id of the request that ctx belongs to, or nothing.
func RequestID(ctx context.Context) string {
	id, _ := ctx.Value(requestIDKey{}).(string)
	return id
}

type requestHandler struct{ slog.Handler }

func (h *requestHandler) Handle(ctx context.Context, record slog.Record) error {
	if id := RequestID(ctx); id != "" {
		record.AddAttrs(slog.String("request_id", id))
	}
	if span := trace.SpanContextFromContext(ctx); span.HasTraceID() {
		record.AddAttrs(slog.String("trace_id", span.TraceID().String()))
	}
	return h.Handler.Handle(ctx, record)
}

func (h *requestHandler) WithAttrs(attrs []slog.Attr) slog.Handler {
	return &requestHandler{h.Handler.WithAttrs(attrs)}
}

func (h *requestHandler) WithGroup(name string) slog.Handler {
	return &requestHandler{h.Handler.WithGroup(name)}
}
