package httpapi

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"io/fs"
	"net/http"
	"path"
	"strconv"
	"strings"

	"github.com/quayside/quayside/internal/fault"
)

// sitePolicy lets the web app use only what comes from this origin; nothing inline runs, and
// no page may frame it.
const sitePolicy = "default-src 'self'; script-src 'self'; style-src 'self'; img-src 'self' data:; " +
	"font-src 'self'; connect-src 'self'; object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"

// startPage is the page that every path of the app serves.
const startPage = "index.html"

const unbuilt = `<!doctype html><html lang="en"><title>Quayside</title>
<p>This binary was built without the web app: run <code>make build</code>, which builds both.
The API works; <a href="/docs/reference">/docs/reference</a> describes it.</p></html>
`

// siteFile is a file of the web app, ready to be sent.
type siteFile struct {
	plain, zipped []byte // zipped is nil if that saves nothing
	kind, etag    string
}

// siteKinds are the media types of the build's files. The machine's own table may lack some or
// have others.
var siteKinds = map[string]string{
	".html": "text/html; charset=utf-8", ".js": "text/javascript; charset=utf-8", ".css": "text/css; charset=utf-8",
	".svg": "image/svg+xml", ".woff2": "font/woff2", ".json": "application/json", ".txt": "text/plain; charset=utf-8",
	".md": "text/markdown; charset=utf-8", ".png": "image/png",
}

// loadSite reads the built app into memory.
func loadSite(files fs.FS) map[string]siteFile {
	site := map[string]siteFile{startPage: newSiteFile(startPage, []byte(unbuilt))}
	_ = fs.WalkDir(files, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || strings.HasPrefix(entry.Name(), ".") {
			return err
		}
		text, err := fs.ReadFile(files, name)
		site[name] = newSiteFile(name, text)
		return err
	}) // embedded files are readable
	return site
}

func newSiteFile(name string, text []byte) siteFile {
	sum := sha256.Sum256(text)
	file := siteFile{plain: text, kind: siteKinds[path.Ext(name)], etag: `"` + hex.EncodeToString(sum[:8])}
	if strings.HasSuffix(name, ".woff2") || strings.HasSuffix(name, ".png") { // compressed already
		return file
	}
	var zipped bytes.Buffer
	writer, _ := gzip.NewWriterLevel(&zipped, gzip.BestCompression) // the level is valid
	_, _ = writer.Write(text)
	_ = writer.Close()
	file.zipped = zipped.Bytes()
	return file
}

// site serves the web app: its files, and its start page for every other path, since the app
// itself knows its pages.
func (s *Server) site(w http.ResponseWriter, r *http.Request) error {
	name := strings.TrimPrefix(path.Clean(r.URL.Path), "/")
	if r.Method != http.MethodGet && r.Method != http.MethodHead || name == "api" || strings.HasPrefix(name, "api/") {
		return fault.New(fault.NotFound, "no_route", "not found")
	}
	s.siteOnce.Do(func() { s.siteFiles = loadSite(s.Site) })
	file, ok := s.siteFiles[name]
	asset := strings.HasPrefix(name, "assets/")
	if !ok && asset { // of a page that was opened before an update
		w.Header().Set("Cache-Control", "no-store") // another instance may have it
		return fault.New(fault.NotFound, "no_file", "not found")
	}
	if !ok {
		file = s.siteFiles[startPage]
	}
	w.Header().Set("Content-Security-Policy", sitePolicy)
	w.Header().Set("Cache-Control", "no-cache")
	if asset { // its name contains a hash of its content
		w.Header().Set("Cache-Control", "public, max-age=31536000, immutable")
	}
	file.send(w, r, http.StatusOK)
	return nil
}

// send answers with the file, gzipped if the client accepts that, or with 304 if the client
// has it.
func (file siteFile) send(w http.ResponseWriter, r *http.Request, status int) {
	header := w.Header()
	header.Set("Referrer-Policy", "same-origin")
	header.Set("Cross-Origin-Opener-Policy", "same-origin")
	header.Set("Content-Type", file.kind)
	header.Set("Vary", "Accept-Encoding")
	text, etag := file.plain, file.etag+`"`
	if file.zipped != nil && strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") {
		header.Set("Content-Encoding", "gzip")
		text, etag = file.zipped, file.etag+`-gzip"`
	}
	header.Set("ETag", etag)
	if r.Header.Get("If-None-Match") == etag {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	header.Set("Content-Length", strconv.Itoa(len(text)))
	w.WriteHeader(status)
	_, _ = w.Write(text) // a write error means that the client is gone
}
