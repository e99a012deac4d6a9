package mcpserver

import (
	"bytes"
	"encoding/json"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"

	"github.com/quayside/quayside/internal/fault"
)

// reads decode the arguments of every tool.
var reads = []func(jsontext.Value) error{
	read[tableListIn](), read[tableDescribeIn](), read[dataQueryIn](), read[failedImportListIn](),
	read[failedImportGetIn](), read[failedImportRetryIn](),
	read[purchaseOrderLineGetIn](), read[purchaseOrderDraftCreateIn](), read[purchaseOrderLineSubmitIn](),
	read[procurementQueueListIn](), read[procurementRecommendationExplainIn](), read[procurementDraftCreateIn](),
	read[procurementRunIn](), read[procurementConfigSetIn](), read[strategyListIn](), read[strategyGetIn](), read[strategyPutIn](),
	read[sopListIn](), read[sopGetIn](), read[sopPutIn](),
}

func read[In any]() func(jsontext.Value) error {
	schema := schemaOf[In]()
	return func(arguments jsontext.Value) error {
		var into In
		return decode(schema, arguments, &into)
	}
}

// FuzzArguments sends a tool any arguments. They are decoded or refused with a message, and
// decoded arguments are one JSON object without duplicate names.
func FuzzArguments(f *testing.F) {
	for _, seed := range []string{
		``, `null`, `{}`, `[]`, `"x"`,
		`{"view_slug":"suppliers","filters":{"name":{"contains":"x"}},"select_fields":["id"],"sort_by":"id","sort_desc":true,"limit":10}`,
		`{"view_slug":"a","view_slug":"b"}`, `{"limit":1e9}`, `{"limit":9223372036854775808}`, `{"view_slug":null}`,
		"{\"view_slug\":\"\xff\"}", `{"view_slug":"\u0000"}`,
		`{"lines":[{"sku":"X","quantity_ordered":1.50},{"quantity_ordered":"2"}],"run_id":"r"}`,
		`{"lines":[{"id":"a","version":1}]}`, `{"lines":[null]}`,
		`{"id":"0190f1de-6a3b-7c21-9d2e-3f4a5b6c7d8e","payload":{"a":{"b":[1,{}]}},"confirm":true}`,
		`{"values":{"cover_days":45,"cover_days":1},"version":1}`, `{"slug":"late","version":1.5,"status":"active"}`,
		`{"since":"2026-01-01T00:00:00Z","status":"open","field":null}`,
		strings.Repeat(`{"filters":`, 200) + `1` + strings.Repeat(`}`, 200),
	} {
		for tool := range reads {
			f.Add(uint8(tool), []byte(seed))
		}
	}
	f.Fuzz(func(t *testing.T, tool uint8, arguments []byte) {
		err := reads[int(tool)%len(reads)](arguments)
		if err == nil {
			require.True(t, len(arguments) == 0 || json.Valid(arguments))
			return
		}
		var refusal *fault.Error
		require.True(t, errors.As(err, &refusal), "%v", err)
		require.Equal(t, fault.Invalid, refusal.Kind)
		require.True(t, utf8.ValidString(refusal.Message), "%q", refusal.Message)
		require.Less(t, len(refusal.Message), 1500)
	})
}

// TestPanic checks that a panicking tool is answered: the SDK calls tools in its own
// goroutine, where a panic would end the process.
func TestPanic(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	s := &Server{Log: slog.New(slog.NewTextHandler(&log, nil))} // without the services that a tool needs
	_, err := guarded(t.Context(), s.Log, "table_list", func() (jsontext.Value, error) {
		return s.call(t.Context(), tableList(s), &mcp.CallToolRequest{Params: &mcp.CallToolParamsRaw{}})
	})
	require.ErrorIs(t, err, errPanic)
	require.Contains(t, log.String(), "tool.go", "with the stack")
	_, public := fault.Public(err)
	require.Equal(t, "internal error", public.Message)
}
