package query

import (
	"testing"

	"github.com/quayside/quayside/internal/registry"
)

// BenchmarkLine is the cost of one row of an export.
func BenchmarkLine(b *testing.B) {
	var p plan
	var values [][]byte
	for range 5 {
		for of, value := range map[registry.Type]string{registry.Text: "Earl Grey, loose", registry.Number: "-12.50", registry.UUID: "0190b5a2-7c1e-7000-8000-000000000001",
			registry.Datetime: "2026-07-01 08:00:00.123+00", registry.Boolean: "t"} {
			p.fields = append(p.fields, &Field{Type: of})
			values = append(values, []byte(value))
		}
	}
	var line []byte
	for b.Loop() {
		line = p.line(line[:0], values)
	}
}
