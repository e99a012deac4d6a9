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

// tracer records a span for every statement: its text and its SQLSTATE, but neither its
// parameters nor PostgreSQL's message, since both may contain what callers sent.
type tracer struct{}

func (tracer) TraceQueryStart(ctx context.Context, _ *pgx.Conn, data pgx.TraceQueryStartData) context.Context {
	ctx, _ = otel.Tracer("quayside/pg").Start(ctx, "postgresql", trace.WithSpanKind(trace.SpanKindClient),
		trace.WithAttributes(attribute.String("db.system.name", "postgresql"), attribute.String("db.query.text", data.SQL)))
	return ctx
}

func (tracer) TraceQueryEnd(ctx context.Context, _ *pgx.Conn, data pgx.TraceQueryEndData) {
	span := trace.SpanFromContext(ctx)
	defer span.End()
	if data.Err == nil {
		return
	}
	state := "none"
	var pgErr *pgconn.PgError
	if errors.As(data.Err, &pgErr) {
		state = pgErr.Code
	}
	span.SetAttributes(attribute.String("db.response.status_code", state))
	span.SetStatus(codes.Error, "SQLSTATE "+state)
}
