package ingest

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/quayside/quayside/internal/mend"
	"github.com/quayside/quayside/internal/registry"
)

// unknownFields writes n fields that no table has.
func unknownFields(first, n int) string {
	var fields strings.Builder
	for i := first; i < first+n; i++ {
		fmt.Fprintf(&fields, `,"u_%d":%d`, i, i)
	}
	return fields.String()
}

// TestFieldsThatArePassedOver looks at the first 500 fields that a table does not have, wherever the others are, and at all
// that it has or that a rule names.
func TestFieldsThatArePassedOver(t *testing.T) {
	t.Parallel()
	rules := []registry.Rule{registry.NewRule(mend.Fix{Do: mend.RenameField, Field: "Old name", To: "code"})}
	own := []registry.Column{{Name: "external_id", Type: registry.Text, Accepted: true}, {Name: "note", Type: registry.Text, Accepted: true},
		{Name: "code", Type: registry.Text, Accepted: true}}
	for i := range 600 {
		own = append(own, registry.Column{Name: fmt.Sprintf("own_%d", i), Type: registry.Number, Accepted: true, Nullable: true})
	}
	table := registry.NewTable("teas", "external_id", own...)
	var known strings.Builder
	for i := range 600 {
		fmt.Fprintf(&known, `,"own_%d":%d`, i, i)
	}
	for _, tt := range []struct {
		name, body     string
		fields, passed int
	}{
		{"none", `{"external_id":"1","note":"x"}`, 2, 0},
		{"as many as are looked at", `{"external_id":"1"` + unknownFields(0, 500) + `,"note":"x"}`, 502, 0},
		{"one more", `{"external_id":"1"` + unknownFields(0, 501) + `,"note":"x"}`, 502, 1},
		{"the key last", `{"a":1` + unknownFields(0, 3000) + `,"note":"x","external_id":"1"}`, 502, 2501},
		{"a column in other letters", `{"external_id":"1"` + unknownFields(0, 500) + `,"n\u006fte":"x","Note":"y"}`, 502, 1},
		{"what a rule names", `{"external_id":"1"` + unknownFields(0, 600) + `,"Old name":"x"}`, 502, 100},
		{"many columns", `{"external_id":"1"` + known.String() + unknownFields(0, 500) + `,"note":"x"}`, 1102, 0},
		{"columns between", `{"external_id":"1"` + unknownFields(0, 300) + known.String() + unknownFields(300, 300) + `,"note":"x"}`, 1102, 100},
	} {
		fields, passed, err := decodeFor([]byte(tt.body), table, rules)
		require.NoError(t, err, tt.name)
		require.Len(t, fields, tt.fields, tt.name)
		require.Equal(t, tt.passed, passed, tt.name)
		all, err := decode([]byte(tt.body))
		require.NoError(t, err)
		require.Len(t, all, tt.fields+tt.passed, tt.name)
		sent := map[string]string{}
		for _, f := range all {
			sent[f.Name] = string(f.Value)
		}
		for _, f := range fields {
			require.Equal(t, sent[f.Name], string(f.Value), f.Name)
		}
		if strings.Contains(tt.body, `"note"`) || strings.Contains(tt.body, `u006f`) {
			require.Contains(t, namesOf(fields), "note", tt.name)
		}
		if strings.Contains(tt.body, `"Old name"`) {
			require.Contains(t, namesOf(fields), "Old name", tt.name)
		}
		record := sanitize(table, fields, time.UTC, false)
		require.LessOrEqual(t, len(record.unknown), mostUnknown+len(rules))
	}
	// What is passed over is still read strictly.
	for _, wrong := range []string{`,"x":1,"x":2`, `,"u_7":1`, `,"x":` + strings.Repeat("[", 32) + strings.Repeat("]", 32), `,"x":"\ud800"`, `,"x":tru`, `,"x"`} {
		_, _, err := decodeFor([]byte(`{"external_id":"1"`+unknownFields(0, 600)+wrong+`}`), table, rules)
		require.ErrorIs(t, err, errNotJSON, wrong)
	}
}

func namesOf(fields []field) (names []string) {
	for _, f := range fields {
		names = append(names, f.Name)
	}
	return names
}

// BenchmarkRecord measures what reading a record costs, apart from storing it: an ordinary one, and one with 80,000 fields that its
// table does not have, with and without rules.
func BenchmarkRecord(b *testing.B) {
	rules := []registry.Rule{registry.NewRule(mend.Fix{Do: mend.RenameField, Field: "Old name", To: "code"})}
	for _, bm := range []struct {
		name, body string
		rules      []registry.Rule
	}{
		{"ordinary", `{"external_id":"1","name":"Earl Grey","quantity":"12.50","days":21,"day":"2026-03-14","sold_at":"2026-03-14T09:30:00Z"}`, nil},
		{"80000 unknown fields", `{"external_id":"1"` + unknownFields(0, 80_000) + `}`, nil},
		{"80000 unknown fields and a rule", `{"external_id":"1"` + unknownFields(0, 80_000) + `}`, rules},
	} {
		b.Run(bm.name, func(b *testing.B) {
			b.ReportAllocs()
			s, body, record := &Service{saw: func(Unknown) {}}, []byte(bm.body), Record{}
			for b.Loop() {
				fields, passed, err := decodeFor(body, plausibleTable, bm.rules)
				if err != nil {
					b.Fatal(err)
				}
				fields, _ = record.applyRules(bm.rules, fields)
				clean := sanitize(plausibleTable, fields, time.UTC, false)
				clean.passed = passed
				s.tellUnknown(clean, record)
			}
		})
	}
}
