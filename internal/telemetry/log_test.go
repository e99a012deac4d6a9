//race:detect everything logs
package telemetry

import (
	"bytes"
	"encoding/json"
	"log/slog"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/otel/trace"
)

// TestLogLine checks that times are in UTC wherever the machine is, and that a line names its request and trace.
func TestLogLine(t *testing.T) {
	t.Parallel()
	var text bytes.Buffer
	log := NewLogger(&text, slog.LevelInfo)
	tokyo := time.FixedZone("JST", 9*60*60)
	at := time.Date(2026, 11, 2, 8, 30, 0, 0, tokyo)
	span := trace.NewSpanContext(trace.SpanContextConfig{TraceID: trace.TraceID{15: 7}, SpanID: trace.SpanID{7: 1}})
	ctx := WithRequestID(trace.ContextWithSpanContext(t.Context(), span), "r1")
	record := slog.NewRecord(at, slog.LevelInfo, "hello", 0)
	record.AddAttrs(slog.Time("since", at))
	require.NoError(t, log.Handler().Handle(ctx, record))
	var line map[string]string
	require.NoError(t, json.Unmarshal(text.Bytes(), &line))
	require.Equal(t, map[string]string{
		"time": "2026-11-01T23:30:00Z", "level": "INFO", "msg": "hello", "since": "2026-11-01T23:30:00Z",
		"request_id": "r1", "trace_id": "00000000000000000000000000000007",
	}, line)
}

// TestTracesNameTheirVersion checks what every trace says about the service.
func TestTracesNameTheirVersion(t *testing.T) {
	t.Parallel()
	attributes := traceResource().Set()
	name, known := attributes.Value("service.name")
	require.True(t, known)
	require.Equal(t, "quayside", name.AsString())
	version, known := attributes.Value("service.version")
	require.True(t, known)
	require.NotEmpty(t, version.AsString())
}
