package registry

import (
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/stretchr/testify/require"
)

// readAs reads a JSON value in the zone of Berlin, and marks what was stored in another form with a star.
func readAs(t *testing.T, kind Type, sent string) string {
	t.Helper()
	berlin, err := time.LoadLocation("Europe/Berlin")
	require.NoError(t, err)
	value, text := jsontext.Value(sent), sent
	if value.Kind() == jsontext.KindString {
		unquoted, err := jsontext.AppendUnquote(nil, value)
		require.NoError(t, err)
		text = string(unquoted)
	}
	got, coerced := kind.Read(text, value.Kind(), berlin)
	if coerced {
		got += "*"
	}
	return got
}

// TestDates takes a day as it is written, with the own calendar of a time.
func TestDates(t *testing.T) {
	t.Parallel()
	for sent, want := range map[string]string{
		`"2026-03-14"`: "2026-03-14", `"2028-02-29"`: "2028-02-29", `"2027-02-29"`: "", `"1900-02-29"`: "", `"2000-02-29"`: "2000-02-29",
		`"2026-04-31"`: "", `"2026-13-01"`: "", `"2026-3-14"`: "", `"14.03.2026"`: "", `"0000-12-31"`: "", `"9999-12-31"`: "9999-12-31",
		`"2026-03-14T23:30:00-05:00"`: "2026-03-14*", `"2026-03-15T00:30:00+13:00"`: "2026-03-15*", `"2026-03-14T23:59:59.999999999Z"`: "2026-03-14*",
		`"2026-03-14 10:00:00Z"`: "", `20260314`: "", `1773480600000`: "", `true`: "",
		`"2026-W11-6"`: "", // a day of an ISO week
	} {
		require.Equal(t, want, readAs(t, Date, sent), sent)
	}
}

// TestTimes takes a moment with its zone, and a day as midnight where the workspace is.
func TestTimes(t *testing.T) {
	t.Parallel()
	for sent, want := range map[string]string{
		`"2026-03-14T09:30:00Z"`: "2026-03-14T09:30:00Z", `"2026-03-14t09:30:00z"`: "2026-03-14T09:30:00Z",
		`"2026-03-14T23:30:00-05:00"`: "2026-03-15T04:30:00Z", `"2026-12-31T23:59:59.5-00:30"`: "2027-01-01T00:29:59.5Z",
		`"2026-03-14T09:30:00.123456Z"`:    "2026-03-14T09:30:00.123456Z",
		`"2026-03-14T09:30:00.123456789Z"`: "2026-03-14T09:30:00.123456Z*", // cut, not rounded
		`"2026-03-14T09:30:00.999999999Z"`: "2026-03-14T09:30:00.999999Z*",
		`"2026-01-15"`:                     "2026-01-14T23:00:00Z*", // winter
		`"2026-07-15"`:                     "2026-07-14T22:00:00Z*", // summer
		`"2026-03-29"`:                     "2026-03-28T23:00:00Z*", // clocks go forward in the night after
		`"2026-03-30"`:                     "2026-03-29T22:00:00Z*",
		`"2026-10-25"`:                     "2026-10-24T22:00:00Z*", // and back
		`"2026-10-26"`:                     "2026-10-25T23:00:00Z*",
		`"2028-02-29"`:                     "2028-02-28T23:00:00Z*", `"2027-02-29"`: "", `"2027-02-29T00:00:00Z"`: "",
		`"2026-03-14T24:00:00Z"`: "", `"2026-12-31T23:59:60Z"`: "", `"2026-03-14T09:30Z"`: "", `"2026-03-14T09:30:00"`: "",
		`"2026-03-14T09:30:00+24:00"`: "", `"2026-03-14T09:30:00,5Z"`: "", `"9999-12-31T23:59:59-05:00"`: "", `"0001-01-01T00:00:00+05:00"`: "",
		`1773480600000`: "2026-03-14T09:30:00Z*", `"1773480600000"`: "2026-03-14T09:30:00Z*", `1773480600123`: "2026-03-14T09:30:00.123Z*",
		`1773480600`: "", `"1773480600"`: "", // seconds, most likely
		`1773480600000.5`: "", `"20260314"`: "", `1e12`: "", `true`: "",
	} {
		require.Equal(t, want, readAs(t, Datetime, sent), sent)
	}
}

// TestOtherTypes reads truth values and UUIDs.
func TestOtherTypes(t *testing.T) {
	t.Parallel()
	for sent, want := range map[string]string{`true`: "true", `false`: "false", `"true"`: "true*", `"false"`: "false*", `1`: "true*", `0`: "false*",
		`"1"`: "", `"True"`: "", `"yes"`: "", `1.0`: "", `2`: "", `""`: ""} {
		require.Equal(t, want, readAs(t, Boolean, sent), sent)
	}
	for sent, want := range map[string]string{
		`"0190f1de-6a3b-7c21-9d2e-3f4a5b6c7d8e"`: "0190f1de-6a3b-7c21-9d2e-3f4a5b6c7d8e",
		`"0190F1DE-6A3B-7C21-9D2E-3F4A5B6C7D8E"`: "0190f1de-6a3b-7c21-9d2e-3f4a5b6c7d8e*",
		`"0190f1de6a3b7c219d2e3f4a5b6c7d8e"`:     "", `"{0190f1de-6a3b-7c21-9d2e-3f4a5b6c7d8e}"`: "", `7`: "",
	} {
		require.Equal(t, want, readAs(t, UUID, sent), sent)
	}
	for sent, want := range map[string]string{`"007"`: "007", `7.50`: "7.50*", `1e2`: "1e2*", `true`: "true*", `""`: "", `{}`: "", `[]`: ""} {
		require.Equal(t, want, readAs(t, Text, sent), sent)
	}
}
