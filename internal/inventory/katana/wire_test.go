//race:detect calls share the client's rate
package katana

import (
	"encoding/json"
	"net/http"
	"testing"
	"time"

	"github.com/shopspring/decimal"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/quayside/quayside/test/property"
)

// TestPriceSurvives reads a price per purchase unit and writes it again.
func TestPriceSurvives(t *testing.T) {
	t.Parallel()
	property.Check(t, func(t *rapid.T) {
		price := decimal.New(rapid.Int64Range(0, 1e12).Draw(t, "price"), -4)
		rate := decimal.New(rapid.Int64Range(1, 999_999_999).Draw(t, "rate"), -3)
		r := row{Quantity: number{decimal.NewFromInt(1)}, Price: &number{price}, Rate: &number{rate}}
		read, err := order{Status: "DRAFT", Rows: []row{r}}.neutral()
		require.NoError(t, err)
		require.Equal(t, price.String(), r.purchasePrice(*read.Rows[0].Price).String())
		units, err := r.purchaseUnits(read.Rows[0].Quantity)
		require.NoError(t, err)
		require.Equal(t, "1", units.String())
	})
}

func TestNumber(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`1.50`: "1.5", `"45.0000000000"`: "45", `1e3`: "1000", `1e99`: "", `1e-99`: "", `"x"`: "",
		`123456789012345678901234567890123456789`: "",
	} {
		var n number
		if err := json.Unmarshal([]byte(text), &n); want == "" {
			require.Error(t, err, text)
			continue
		} else {
			require.NoError(t, err)
		}
		written, err := json.Marshal(n)
		require.NoError(t, err)
		require.Equal(t, want, string(written))
	}
}

func TestReference(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ info, want string }{
		{"", "Quayside reference: r1"},
		{"Ring twice\n", "Ring twice\nQuayside reference: r1"},
		{"a\nQuayside reference: r1\nb", "a\nQuayside reference: r1\nb"},
		{"a\nQuayside reference: r0\nb", "a\nQuayside reference: r1\nb"},
	} {
		got := withReference(tt.info, "r1")
		require.Equal(t, tt.want, got)
		require.Equal(t, "r1", referenceIn(got))
	}
	require.Equal(t, "mine", withReference("mine", ""))
}

func TestRetryAfter(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 3, 9, 0, 0, 0, time.UTC)
	for text, want := range map[string]time.Duration{
		"15": 15 * time.Second, "": time.Minute, "soon": time.Minute, "-5": time.Second, "0": time.Second,
		"999999": time.Hour, "Tue, 03 Nov 2026 09:00:30 GMT": 30 * time.Second,
	} {
		require.Equal(t, want, retryAfter(http.Header{"Retry-After": {text}}, now), text)
	}
}
