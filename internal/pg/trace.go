package pg

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"
)

// tracer records a span for every statement or batch of them: its text and its SQLSTATE, but neither its
// parameters nor PostgreSQL's message, since both may contain what callers sent.
type tracer struct{}

func (tracer) TraceQueryStart(ctx context.Context, _ *pgx.Conn, data pgx.TraceQueryStartData) context.Context {
	ctx, _ = otel.Tracer("quayside/pg").Start(ctx, "postgresql", trace.WithSpanKind(trace.SpanKindClient),
		trace.WithAttributes(attribute.String("db.system.name", "postgresql"), attribute.String("db.query.text", data.SQL)))
	return ctx
}

func (tracer) TraceQueryEnd(ctx context.Context, _ *pgx.Conn, data pgx.TraceQueryEndData) {
	end(trace.SpanFromContext(ctx), data.Err)
}

// TraceBatchStart begins the span of a batch. The statements of a batch are events of its span, since pgx sends
// them together.
func (tracer) TraceBatchStart(ctx context.Context, _ *pgx.Conn, data pgx.TraceBatchStartData) context.Context {
	ctx, _ = otel.Tracer("quayside/pg").Start(ctx, "postgresql batch", trace.WithSpanKind(trace.SpanKindClient),
		trace.WithAttributes(attribute.String("db.system.name", "postgresql"),
			attribute.Int("db.operation.batch.size", data.Batch.Len())))
	return ctx
}

func (tracer) TraceBatchQuery(ctx context.Context, _ *pgx.Conn, data pgx.TraceBatchQueryData) {
	trace.SpanFromContext(ctx).AddEvent("statement", trace.WithAttributes(attribute.String("db.query.text", data.SQL)))
}

func (tracer) TraceBatchEnd(ctx context.Context, _ *pgx.Conn, data pgx.TraceBatchEndData) {
	end(trace.SpanFromContext(ctx), data.Err)
}

// end ends a span, with the SQLSTATE if the statement failed.
func end(span trace.Span, err error) {
	defer span.End()
	if err == nil {
		return
	}
	state := "none"
	var pgErr *pgconn.PgError
	if errors.As(err, &pgErr) {
		state = pgErr.Code
	}
	span.SetAttributes(attribute.String("db.response.status_code", state))
	span.SetStatus(codes.Error, "SQLSTATE "+state)
}
