package ingest

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/quayside/quayside/internal/fault"
	"github.com/quayside/quayside/internal/registry"
)

// plausibleTable has a column for each rule about plausible values.
var plausibleTable = registry.NewTable("sales", "external_id",
	registry.Column{Name: "external_id", Type: registry.Text, Accepted: true, Required: true, MaxLength: MaxKeyLength, Indexed: true},
	registry.Column{Name: "name", Type: registry.Text, Accepted: true, Nullable: true, MaxLength: 1000},
	registry.Column{Name: "quantity", Type: registry.Number, Accepted: true, Nullable: true},
	registry.Column{Name: "days", Type: registry.Number, Accepted: true, Nullable: true, Minimum: "0", Maximum: "3650"},
	registry.Column{Name: "grains", Type: registry.Number, Accepted: true, Nullable: true, Maximum: "1e20"},
	registry.Column{Name: "day", Type: registry.Date, Accepted: true, Nullable: true},
	registry.Column{Name: "moment", Type: registry.Datetime, Accepted: true, Nullable: true},
	registry.Column{Name: "sold_on", Type: registry.Date, Accepted: true, Nullable: true, RecordsPast: true},
	registry.Column{Name: "sold_at", Type: registry.Datetime, Accepted: true, RecordsPast: true, Default: new(string)},
)

// sale sanitises a record with one more field than its key.
func sale(t *testing.T, name, value string, zone *time.Location) sanitized {
	t.Helper()
	fields, err := decode(fmt.Appendf(nil, `{"external_id":"1",%q:%s}`, name, value))
	require.NoError(t, err)
	return sanitize(plausibleTable, fields, zone, false)
}

func inBerlin(t *testing.T) *time.Location {
	t.Helper()
	zone, err := time.LoadLocation("Europe/Berlin")
	require.NoError(t, err)
	return zone
}

// TestImplausibleNumbers refuses numbers beyond their column's bounds, and names both the value and the bound.
func TestImplausibleNumbers(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, value, refused string }{
		{"quantity", `1e308`, "quantity: 1e308 is above 1000000000000"},
		{"quantity", `"-1e308"`, "quantity: -1e308 is below -1000000000000"},
		{"quantity", `1000000000000.01`, "quantity: 1000000000000.01 is above 1000000000000"},
		{"quantity", `-1000000000001`, "quantity: -1000000000001 is below -1000000000000"},
		{"quantity", `1000000000000`, ""},
		{"quantity", `1e12`, ""},
		{"quantity", `-1000000000000.00`, ""},
		{"quantity", `0.0000000000001`, ""},
		{"quantity", `"0000000000000000012.5"`, ""},
		{"days", `3650`, ""},
		{"days", `3651`, "days: 3651 is above 3650"},
		{"days", `-0`, ""},
		{"days", `-0.5`, "days: -0.5 is below 0"},
		{"grains", `1e20`, ""}, // wider bounds that a company has set
		{"grains", `1e21`, "grains: 1e21 is above 1e20"},
		{"grains", `-1e20`, "grains: -1e20 is below -1000000000000"},
	} {
		record := sale(t, tt.name, tt.value, time.UTC)
		if tt.refused == "" {
			require.Empty(t, record.refused, "%s: %s", tt.name, tt.value)
			continue
		}
		require.Equal(t, []fault.Field{{Field: tt.name, Code: "range", Message: tt.refused}}, record.refused, tt.value)
	}
}

// TestZeroDates refuses the times that programs send when they know none, in all their spellings, and says what to send.
func TestZeroDates(t *testing.T) {
	t.Parallel()
	const hint = " is a zero date: leave the field out, or send null, if the time is not known"
	zones := map[string]*time.Location{"UTC": time.UTC, "Berlin": inBerlin(t), "west": time.FixedZone("", -5*3600)}
	for _, tt := range []struct{ sent, day, moment string }{ // what is shown for a date and for a time; "": it is not one
		{`"0001-01-01T00:00:00Z"`, "0001-01-01", "0001-01-01T00:00:00Z"},
		{`"0001-01-01T00:00:00"`, "", ""}, // no time at all: it has no zone
		{`"0001-01-01T08:00:00+08:00"`, "0001-01-01", "0001-01-01T00:00:00Z"},
		{`"1970-01-01T00:00:00Z"`, "1970-01-01", "1970-01-01T00:00:00Z"},
		{`"1970-01-01T01:00:00+01:00"`, "1970-01-01", "1970-01-01T00:00:00Z"},
		{`"1970-01-01T00:00:00.000000Z"`, "1970-01-01", "1970-01-01T00:00:00Z"},
		{`"1969-12-31T19:00:00-05:00"`, "1969-12-31T19:00:00-05:00", "1970-01-01T00:00:00Z"},
		{`"0000-12-31T19:00:00-05:00"`, "0000-12-31T19:00:00-05:00", "0001-01-01T00:00:00Z"},
		{`0`, "", "1970-01-01T00:00:00Z"},
		{`"000000000000"`, "", "1970-01-01T00:00:00Z"},
		{`-62135596800000`, "", "0001-01-01T00:00:00Z"},
	} {
		for zone, location := range zones {
			for name, shown := range map[string]string{"day": tt.day, "moment": tt.moment, "sold_on": tt.day} {
				record := sale(t, name, tt.sent, location)
				require.Empty(t, record.warnings, tt.sent)
				if shown == "" {
					require.Equal(t, "type", record.refused[0].Code, "%s in %s", tt.sent, zone)
					continue
				}
				require.Equal(t, []fault.Field{{Field: name, Code: "zero_date", Message: name + ": " + shown + hint}},
					record.refused, "%s in %s", tt.sent, zone)
			}
		}
	}
	// A bare date is midnight in the workspace's zone, which is another moment than the zero time, and in Berlin none of the year 1.
	for _, day := range []string{"0001-01-01", "1970-01-01"} {
		for zone, location := range zones {
			for _, name := range []string{"day", "moment"} {
				record := sale(t, name, `"`+day+`"`, location)
				require.Len(t, record.refused, 1, "%s in %s", day, zone)
				require.Equal(t, "zero_date", record.refused[0].Code, "%s in %s", day, zone)
				require.Contains(t, record.refused[0].Message, ": "+day)
			}
		}
	}
	// Where the time may not be missing, the hint is another one.
	record := sale(t, "sold_at", `"0001-01-01T00:00:00Z"`, time.UTC)
	require.Equal(t, "sold_at: 0001-01-01T00:00:00Z is a zero date: send the real time", record.refused[0].Message)
	for _, sent := range []string{`"1970-01-02"`, `"1970-01-01T00:00:01Z"`, `"0001-01-02T00:00:00Z"`, `1`, `null`} {
		require.Empty(t, sale(t, "moment", sent, time.UTC).refused, sent)
	}
}

// TestImplausibleDates stores dates that cannot be right in the columns that record the past, and warns of them.
func TestImplausibleDates(t *testing.T) {
	t.Parallel()
	berlin := inBerlin(t)
	now := time.Date(2026, 3, 14, 23, 30, 0, 0, time.UTC) // the 15th in Berlin
	for _, tt := range []struct {
		stored      string
		zone        *time.Location
		implausible bool
	}{
		{"2026-03-14T09:30:00Z", time.UTC, false},
		{"2026-03-15T23:59:59.999999Z", time.UTC, false}, // tomorrow
		{"2026-03-16T00:00:00Z", time.UTC, true},
		{"2026-03-16T21:00:00Z", berlin, false}, // tomorrow, in Berlin
		{"2026-03-16T22:59:59Z", berlin, false},
		{"2026-03-16T23:00:00Z", berlin, true},
		{"2000-01-01T00:00:00Z", time.UTC, false},
		{"1999-12-31T23:59:59Z", time.UTC, true},
		{"1999-12-31T23:00:00Z", berlin, false}, // 2000 in Berlin
		{"1999-12-31T22:59:59Z", berlin, true},
		{"0001-01-02T00:00:00Z", time.UTC, true},
		{"9999-12-31T23:59:59Z", time.UTC, true},
		{"2026-03-15", time.UTC, false},
		{"2026-03-16", time.UTC, true},
		{"2026-03-16", berlin, false},
		{"2026-03-17", berlin, true},
		{"2000-01-01", berlin, false},
		{"1999-12-31", berlin, true},
	} {
		require.Equal(t, tt.implausible, implausible(value{text: tt.stored}, tt.zone, now), "%s in %s", tt.stored, tt.zone)
	}
	require.False(t, implausible(value{null: true}, time.UTC, now))
	require.True(t, implausible(value{text: "2026-03-16T00:00:00Z"}, nil, now), "nobody's zone")

	next := time.Now().UTC().AddDate(0, 0, 3).Format(time.DateOnly)
	for _, name := range []string{"sold_on", "sold_at"} {
		for sent, warned := range map[string]bool{"1999-06-01": true, next: true, "2001-06-01": false} {
			record := sale(t, name, `"`+sent+`"`, berlin)
			require.Empty(t, record.refused, sent)
			require.Len(t, record.columns, 2, "it is stored")
			if warned {
				require.Equal(t, []Warning{{Code: "date_implausible", Field: name}}, record.warnings, sent)
			} else {
				require.Empty(t, record.warnings, sent)
			}
		}
	}
	for _, name := range []string{"day", "moment"} { // they may be about anything, such as when something arrives
		require.Empty(t, sale(t, name, `"1999-06-01"`, berlin).warnings)
	}
	require.Empty(t, sale(t, "sold_on", `null`, berlin).warnings)
}

// TestLongTexts refuses a text that is longer than its column's meaning allows.
func TestLongTexts(t *testing.T) {
	t.Parallel()
	require.Empty(t, sale(t, "name", `"`+strings.Repeat(umlaut, 1000)+`"`, time.UTC).refused)
	for _, length := range []int{1001, 1 << 20} {
		require.Equal(t, []fault.Field{{Field: "name", Code: "too_long", Message: "name: longer than 1000 characters"}},
			sale(t, "name", `"`+strings.Repeat("x", length)+`"`, time.UTC).refused)
	}
}
