package telemetry

import (
	"context"
	"fmt"
	"os"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/sdk/resource"
	"go.opentelemetry.io/otel/sdk/trace"
	semconv "go.opentelemetry.io/otel/semconv/v1.37.0"
)

// Tracing reports whether traces are enabled. Otherwise nothing is instrumented.
func Tracing() bool {
	return os.Getenv("OTEL_EXPORTER_OTLP_ENDPOINT") != "" || os.Getenv("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT") != ""
}

// StartTracing sends traces to OTEL_EXPORTER_OTLP_ENDPOINT, with OpenTelemetry's usual
// variables, and does nothing if it is not set. The returned function flushes the remaining
// traces.
func StartTracing(ctx context.Context) (stop func(context.Context) error, err error) {
	if !Tracing() {
		return func(context.Context) error { return nil }, nil
	}
	exporter, err := otlptracehttp.New(ctx)
	if err != nil {
		return nil, fmt.Errorf("start tracing: %w", err)
	}
	provider := trace.NewTracerProvider(trace.WithBatcher(exporter),
		trace.WithResource(traceResource()))
	otel.SetTracerProvider(provider)
	otel.SetTextMapPropagator(propagation.TraceContext{})
	return provider.Shutdown, nil
}

// traceResource says in every trace which service and which version of it made it.
func traceResource() *resource.Resource {
	build := readBuild()
	attributes := []attribute.KeyValue{semconv.ServiceName("quayside"), semconv.ServiceVersion(build.version)}
	if build.commit != "" {
		attributes = append(attributes, attribute.String("vcs.ref.head.revision", build.commit))
	}
	return resource.NewSchemaless(attributes...)
}
