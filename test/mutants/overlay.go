package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// overlay writes the files with seeds into dir, each with all of its bugs, and returns the file for 'go test
// -overlay'. The checkout stays as it is.
func overlay(root, dir string, seeds []seed) (string, error) {
	files := map[string]*goFile{}
	for _, s := range seeds {
		if err := addTo(root, files, s); err != nil {
			return "", err
		}
	}
	replace := map[string]string{}
	write := func(path, text string) error {
		to := filepath.Join(dir, strings.ReplaceAll(path, "/", "__"))
		replace[filepath.Join(root, path)] = to
		return os.WriteFile(to, []byte(text), 0o600)
	}
	for path, file := range files {
		syntax, err := parse(file.text)
		if err != nil {
			return "", err
		}
		if err := write(path, file.finish()); err != nil {
			return "", err
		}
		beside := filepath.Join(filepath.Dir(path), "zz_mutants.go")
		if err := write(beside, "package "+syntax.Name.Name+"\n"+switchFile); err != nil {
			return "", err
		}
	}
	list, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return "", err
	}
	path := filepath.Join(dir, "overlay.json")
	return path, os.WriteFile(path, list, 0o600)
}

// addTo adds a seed to its Go file, or to the Go file that embeds its file.
func addTo(root string, files map[string]*goFile, s seed) error {
	read := func(path string) (*goFile, error) {
		if known := files[path]; known != nil {
			return known, nil
		}
		text, err := os.ReadFile(filepath.Join(root, path))
		if err != nil {
			return nil, err
		}
		files[path] = &goFile{path: path, text: string(text), picked: map[string][]string{}}
		return files[path], nil
	}
	if filepath.Ext(s.file) == ".go" {
		file, err := read(s.file)
		if err != nil {
			return err
		}
		return file.add(s)
	}
	text, err := os.ReadFile(filepath.Join(root, s.file))
	if err != nil {
		return err
	}
	content, _, _, err := s.apply(string(text))
	if err != nil {
		return err
	}
	path, err := embedder(root, s.file)
	if err != nil {
		return err
	}
	file, err := read(path)
	if err != nil {
		return err
	}
	return file.addEmbedded(s, content)
}

// embedder returns the Go file that embeds a file: one of its own folder, or of the one above.
func embedder(root, path string) (string, error) {
	for _, dir := range []string{filepath.Dir(path), filepath.Dir(filepath.Dir(path))} {
		candidates, err := filepath.Glob(filepath.Join(root, dir, "*.go"))
		if err != nil {
			return "", err
		}
		relative, err := filepath.Rel(dir, path)
		if err != nil {
			return "", err
		}
		for _, candidate := range candidates {
			text, err := os.ReadFile(candidate)
			if err != nil {
				return "", err
			}
			if !strings.HasSuffix(candidate, "_test.go") && embedsIn(string(text), relative) {
				return filepath.Rel(root, candidate)
			}
		}
	}
	return "", fmt.Errorf("no Go file embeds %s", path)
}

func embedsIn(text, relative string) bool {
	for line := range strings.Lines(text) {
		patterns, ok := strings.CutPrefix(strings.TrimSpace(line), "//go:embed ")
		if ok && covers(patterns, relative) {
			return true
		}
	}
	return false
}

// covers reports whether one of the patterns of a //go:embed line names the file.
func covers(patterns, relative string) bool {
	for pattern := range strings.FieldsSeq(patterns) {
		if matched, err := filepath.Match(pattern, relative); err == nil && matched {
			return true
		}
	}
	return false
}
