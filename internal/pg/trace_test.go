package pg

import (
	"fmt"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
)

// TestBatchSpans checks that batches, with which records are stored, have spans, without parameters and messages.
func TestBatchSpans(t *testing.T) { //nolint:paralleltest // the tracer is the process's
	spans := tracetest.NewSpanRecorder()
	before := otel.GetTracerProvider()
	otel.SetTracerProvider(trace.NewTracerProvider(trace.WithSpanProcessor(spans)))
	t.Cleanup(func() { otel.SetTracerProvider(before) })
	var traces pgx.QueryTracer = tracer{}
	batches, traced := traces.(pgx.BatchTracer)
	require.True(t, traced, "pgx asks for this interface")

	batch := &pgx.Batch{}
	batch.Queue("SELECT $1", "canary")
	ctx := batches.TraceBatchStart(t.Context(), nil, pgx.TraceBatchStartData{Batch: batch})
	batches.TraceBatchQuery(ctx, nil, pgx.TraceBatchQueryData{SQL: "SELECT $1", Args: []any{"canary"}})
	batches.TraceBatchEnd(ctx, nil, pgx.TraceBatchEndData{Err: &pgconn.PgError{Code: "23505", Message: "canary"}})
	ended := spans.Ended()
	require.Len(t, ended, 1)
	require.Equal(t, "postgresql batch", ended[0].Name())
	require.Equal(t, codes.Error, ended[0].Status().Code)
	require.Len(t, ended[0].Events(), 1)
	text := fmt.Sprint(tracetest.SpanStubsFromReadOnlySpans(ended))
	require.Contains(t, text, "SELECT $1")
	require.Contains(t, text, "23505")
	require.NotContains(t, text, "canary")
}
