//race:detect commands print while they work
package cli_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/quayside/quayside/internal/cli"
)

// TestDevInventory runs the stand-in until it is interrupted.
func TestDevInventory(t *testing.T) {
	t.Parallel()
	stock := filepath.Join(t.TempDir(), "stock.json")
	require.NoError(t, os.WriteFile(stock, []byte(`{"suppliers": [{"name": "Harbour Teas", "currency": "GBP"}]}`), 0o600))
	ctx, stop := context.WithCancel(t.Context())
	out, in := io.Pipe()
	ended := make(chan int, 1)
	go func() {
		ended <- cli.Run(ctx, []string{"dev", "inventory", "--addr", "127.0.0.1:0", "--token", "t", "--stock", stock, "--json"},
			nil, in, io.Discard)
	}()
	var told struct {
		Address   string
		Suppliers int
	}
	require.NoError(t, json.NewDecoder(out).Decode(&told))
	go func() { _, _ = io.Copy(io.Discard, out) }()
	require.Equal(t, 1, told.Suppliers)
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, told.Address+"/v1/suppliers", nil)
	require.NoError(t, err)
	request.Header.Set("Authorization", "Bearer t")
	response, err := http.DefaultClient.Do(request)
	require.NoError(t, err)
	require.Equal(t, "60", response.Header.Get("X-Ratelimit-Limit"))
	text, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	require.NoError(t, response.Body.Close())
	require.Contains(t, string(text), "Harbour Teas")
	stop()
	require.Zero(t, <-ended)

	var complaint bytes.Buffer
	require.Equal(t, 2, cli.Run(t.Context(), []string{"dev", "inventory", "--per", "hour"}, nil, io.Discard, &complaint))
	require.Contains(t, complaint.String(), "--per is minute or second")
}
