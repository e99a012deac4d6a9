package httpapi_test

import (
	"compress/gzip"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"github.com/quayside/quayside/internal/httpapi"
	"github.com/quayside/quayside/internal/telemetry"
)

func TestSite(t *testing.T) {
	t.Parallel()
	built := fstest.MapFS{
		"index.html": {Data: []byte("<title>app</title>")}, "theme.js": {Data: []byte("theme()")},
		".gitkeep":           {Data: []byte("")},
		"assets/app-1a2b.js": {Data: []byte("app()")}, "assets/inter.woff2": {Data: []byte("font")},
	}
	handler := func(files fstest.MapFS) http.Handler {
		return (&httpapi.Server{Log: slog.New(slog.DiscardHandler), Metrics: telemetry.NewMetrics(),
			BaseURL: "https://quay.example", Site: files}).Handler()
	}
	ask := func(files fstest.MapFS, method, path string, headers ...string) *http.Response {
		request := httptest.NewRequestWithContext(t.Context(), method, path, nil)
		for _, header := range headers {
			name, value, _ := strings.Cut(header, ": ")
			request.Header.Set(name, value)
		}
		recorder := httptest.NewRecorder()
		handler(files).ServeHTTP(recorder, request)
		return recorder.Result()
	}
	text := func(response *http.Response) string {
		body, err := io.ReadAll(response.Body)
		require.NoError(t, err)
		return string(body)
	}
	const forever, never = "public, max-age=31536000, immutable", "no-cache"
	for _, tt := range []struct {
		method, path string
		status       int
		kind, cache  string
		body         string
	}{
		{"GET", "/", 200, "text/html; charset=utf-8", never, "<title>app</title>"},
		{"GET", "/w/somewhere/sources", 200, "text/html; charset=utf-8", never, "<title>app</title>"},
		{"GET", "/theme.js", 200, "text/javascript; charset=utf-8", never, "theme()"},
		{"GET", "/assets/app-1a2b.js", 200, "text/javascript; charset=utf-8", forever, "app()"},
		{"GET", "/assets/inter.woff2", 200, "font/woff2", forever, "font"},
		{"GET", "/assets/app-old.js", 404, "application/json", "no-store", `{"ok":false,"error":"not found"}`},
		{"GET", "/.gitkeep", 200, "text/html; charset=utf-8", never, "<title>app</title>"},
		{"GET", "/api", 404, "application/json", "", `{"ok":false,"error":"not found"}`},
		{"GET", "/api/nothing", 404, "application/json", "", `{"ok":false,"error":"not found"}`},
		{"POST", "/", 404, "application/json", "", `{"ok":false,"error":"not found"}`},
	} {
		t.Run(tt.method+" "+tt.path, func(t *testing.T) {
			t.Parallel()
			got := ask(built, tt.method, tt.path)
			defer func() { _ = got.Body.Close() }()
			require.Equal(t, tt.status, got.StatusCode)
			require.Equal(t, tt.kind, got.Header.Get("Content-Type"))
			require.Equal(t, tt.cache, got.Header.Get("Cache-Control"))
			require.Equal(t, tt.body, text(got))
			if tt.status == http.StatusOK {
				require.Contains(t, got.Header.Get("Content-Security-Policy"), "script-src 'self'; style-src 'self'")
				require.Contains(t, got.Header.Get("Content-Security-Policy"), "frame-ancestors 'none'")
			}
		})
	}
	t.Run("gzip, and not again", func(t *testing.T) {
		t.Parallel()
		got := ask(built, "GET", "/theme.js", "Accept-Encoding: br, gzip")
		require.Equal(t, "gzip", got.Header.Get("Content-Encoding"))
		unzipped, err := gzip.NewReader(got.Body)
		require.NoError(t, err)
		body, err := io.ReadAll(unzipped)
		require.NoError(t, err)
		require.Equal(t, "theme()", string(body))
		_ = got.Body.Close()
		again := ask(built, "GET", "/theme.js", "Accept-Encoding: gzip", "If-None-Match: "+got.Header.Get("ETag"))
		require.Equal(t, http.StatusNotModified, again.StatusCode)
		_ = again.Body.Close()
		plain := ask(built, "GET", "/theme.js")
		require.NotEqual(t, got.Header.Get("ETag"), plain.Header.Get("ETag"))
		_ = plain.Body.Close()
	})
	t.Run("without the app the binary says so", func(t *testing.T) {
		t.Parallel()
		got := ask(fstest.MapFS{".gitkeep": {}}, "GET", "/")
		require.Contains(t, text(got), "built without the web app")
		_ = got.Body.Close()
	})
}
