package httpapi

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"io/fs"
	"net/http"
	"path"
	"regexp"
	"slices"
	"strings"
)

// guides is the documentation in memory. The files hold the built site below dist, and beside
// it the Markdown files, for programs.
type guides struct {
	files  map[string]siteFile
	policy string
}

// exampleAddress is replaced by the service's own address in the documentation.
const exampleAddress = "https://quayside.example"

// switchStyle is the hash of the style that VitePress inserts while the theme changes, so that
// colours change at once.
const switchStyle = "'sha256-skqujXORqzxt1aE0NNXxujEanPTX6raoqSscTV/Ww/Y='"

var (
	plainAddress = regexp.MustCompile(`^https?://[a-zA-Z0-9.:/_\[\]-]+$`)
	inlineScript = regexp.MustCompile(`(?s)<script(?: id="[^"]*")?>(.+?)</script>`)
)

// loadGuides reads the documentation into memory, with the service's address in its examples.
func loadGuides(files fs.FS, baseURL string) guides {
	g := guides{files: map[string]siteFile{}}
	var scripts []string
	_ = fs.WalkDir(files, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || siteKinds[path.Ext(name)] == "" {
			return err
		}
		text, err := fs.ReadFile(files, name)
		if plainAddress.MatchString(baseURL) {
			text = bytes.ReplaceAll(text, []byte(exampleAddress), []byte(baseURL))
		}
		if path.Ext(name) == ".html" {
			for _, found := range inlineScript.FindAllSubmatch(text, -1) {
				sum := sha256.Sum256(found[1])
				scripts = append(scripts, "'sha256-"+base64.StdEncoding.EncodeToString(sum[:])+"'")
			}
		}
		g.files[strings.TrimPrefix(name, "dist/")] = newSiteFile(name, text)
		return err
	}) // embedded files are readable
	slices.Sort(scripts)
	// Only the site's own inline scripts and the style of its theme switch run, all allowed
	// by their hashes. Highlighted code has style attributes.
	g.policy = strings.Join([]string{
		"default-src 'none'", "script-src 'self' " + strings.Join(slices.Compact(scripts), " "),
		"style-src 'self' " + switchStyle,
		"style-src-attr 'unsafe-inline'", "img-src 'self' data:", "font-src 'self'", "connect-src 'self'",
		"base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'",
	}, "; ")
	return g
}

// guide serves a page or file of the documentation. The addresses of pages have no extension.
func (s *Server) guide(w http.ResponseWriter, r *http.Request) error {
	s.guidesOnce.Do(func() { s.guides = loadGuides(s.Docs, s.BaseURL) })
	name := strings.Trim(strings.TrimPrefix(path.Clean(r.URL.Path), "/docs"), "/")
	if name == "" {
		name = "index"
	}
	w.Header().Set("Content-Security-Policy", s.guides.policy)
	w.Header().Set("Cache-Control", "no-cache")
	for _, candidate := range []string{name, name + ".html"} {
		if file, ok := s.guides.files[candidate]; ok {
			file.send(w, r, http.StatusOK)
			return nil
		}
	}
	missing, built := s.guides.files["404.html"]
	if !built { // without the site, only the reference is available
		http.Redirect(w, r, "/docs/reference", http.StatusFound)
		return nil
	}
	missing.send(w, r, http.StatusNotFound)
	return nil
}
