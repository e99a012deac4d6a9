package httpapi_test

import (
	"log/slog"
	"net/http"
	"net/http/httptest"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"github.com/quayside/quayside/internal/httpapi"
	"github.com/quayside/quayside/internal/telemetry"
)

func TestGuides(t *testing.T) {
	t.Parallel()
	built := fstest.MapFS{
		"dist/index.html":       {Data: []byte(`<script id="dark">dark()</script><script type="module" src="/docs/assets/app.js"></script>`)},
		"dist/404.html":         {Data: []byte("no such page")},
		"dist/ingest.html":      {Data: []byte("curl https://quayside.example/api/ingest/orders")},
		"dist/decisions/1.html": {Data: []byte("one")},
		"dist/assets/app.js":    {Data: []byte("app()")},
		"dist/assets/order.png": {Data: []byte("\x89PNG")},
		"dist/.gitkeep":         {Data: []byte("")},
		"ingest.md":             {Data: []byte("# Ingest")},
		"llms.txt":              {Data: []byte("# Quayside")},
	}
	ask := func(files fstest.MapFS, baseURL, path string) *httptest.ResponseRecorder {
		server := &httpapi.Server{Log: slog.New(slog.DiscardHandler), Metrics: telemetry.NewMetrics(), BaseURL: baseURL,
			Docs: files}
		recorder := httptest.NewRecorder()
		server.Handler().ServeHTTP(recorder, httptest.NewRequestWithContext(t.Context(), http.MethodGet, path, nil))
		return recorder
	}
	const html, text = "text/html; charset=utf-8", "text/plain; charset=utf-8"
	for _, tt := range []struct {
		path   string
		status int
		kind   string
		body   string
	}{
		{"/docs", 200, html, "dark()"},
		{"/docs/", 200, html, "dark()"},
		{"/docs/ingest", 200, html, "curl https://quay.example/api/ingest/orders"},
		{"/docs/ingest.md", 200, "text/markdown; charset=utf-8", "# Ingest"},
		{"/docs/decisions/1", 200, html, "one"},
		{"/docs/assets/app.js", 200, "text/javascript; charset=utf-8", "app()"},
		{"/docs/assets/order.png", 200, "image/png", "PNG"},
		{"/docs/llms.txt", 200, text, "# Quayside"},
		{"/llms.txt", 200, text, "# Quayside"},
		{"/docs/reference", 200, html, "/api/ingest/{slug}"},
		{"/docs/nowhere", 404, html, "no such page"},
		{"/docs/dist/.gitkeep", 404, html, "no such page"},
	} {
		answer := ask(built, "https://quay.example", tt.path)
		require.Equal(t, tt.status, answer.Code, tt.path)
		require.Equal(t, tt.kind, answer.Header().Get("Content-Type"), tt.path)
		require.Contains(t, answer.Body.String(), tt.body, tt.path)
	}

	// Inline scripts of the site are allowed by their hashes; nothing else inline is.
	policy := ask(built, "https://quay.example", "/docs").Header().Get("Content-Security-Policy")
	require.Contains(t, policy, "script-src 'self' 'sha256-fNefTR34fI4AKL70MFDWngBjZzPD/E9oLjTl18ee/nA=';")

	// A base URL with markup is not written into pages.
	odd := ask(built, `https://quay.example"onclick="x()`, "/docs/ingest")
	require.Contains(t, odd.Body.String(), "https://quayside.example")

	// A binary without the site redirects to the reference.
	unbuilt := ask(fstest.MapFS{"ingest.md": {Data: []byte("#")}}, "https://quay.example", "/docs")
	require.Equal(t, "/docs/reference", unbuilt.Header().Get("Location"))
}
