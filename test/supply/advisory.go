package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
	"time"
)

// calledVulnerabilities reads govulncheck's JSON: the vulnerabilities of functions that are in the binary. One of a module
// whose vulnerable functions are not in it does not count.
func calledVulnerabilities(out []byte) (map[string]string, error) {
	found := map[string]string{}
	decoder := json.NewDecoder(bytes.NewReader(out))
	for {
		var message struct {
			Finding *struct {
				OSV   string `json:"osv"`
				Fixed string `json:"fixed_version"`
				Trace []struct {
					Module, Version, Package, Function string
				} `json:"trace"`
			} `json:"finding"`
		}
		err := decoder.Decode(&message)
		if errors.Is(err, io.EOF) {
			return found, nil
		}
		if err != nil {
			return nil, fmt.Errorf("what govulncheck printed: %w", err)
		}
		if f := message.Finding; f != nil && len(f.Trace) > 0 && f.Trace[0].Function != "" {
			found[f.OSV] = fmt.Sprintf("%s of %s %s is in the binary; fixed in %s", f.Trace[0].Function, f.Trace[0].Module,
				f.Trace[0].Version, f.Fixed)
		}
	}
}

// auditedVulnerabilities reads the JSON of 'npm audit'. If it has no report, because says why.
func auditedVulnerabilities(out []byte) (found map[string]string, because string) {
	var report struct {
		Message         string `json:"message"`
		Version         int    `json:"auditReportVersion"`
		Vulnerabilities map[string]struct {
			Via []json.RawMessage `json:"via"` // texts are packages that have it from others
		} `json:"vulnerabilities"`
	}
	if err := json.Unmarshal(out, &report); err != nil || report.Version == 0 {
		return nil, cmp.Or(report.Message, "npm printed no report")
	}
	found = map[string]string{}
	for name, one := range report.Vulnerabilities {
		for _, via := range one.Via {
			var advisory struct{ URL, Title, Severity string }
			if json.Unmarshal(via, &advisory) != nil || advisory.URL == "" {
				continue
			}
			id := advisory.URL[strings.LastIndexByte(advisory.URL, '/')+1:]
			found[id] = fmt.Sprintf("%s: %s (%s)", name, advisory.Title, advisory.Severity)
		}
	}
	return found, ""
}

// acceptedList holds vulnerabilities that somebody has looked at and that do no harm here, until a day.
type acceptedList map[string]bool

// readAccepted reads lines such as "GO-2026-1234 2026-12-31 why it does no harm here". A line whose day is over does not
// count any more.
func readAccepted(name string, now time.Time) (acceptedList, error) {
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	list := acceptedList{}
	for line := range strings.Lines(string(text)) {
		if line = strings.TrimSpace(line); line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		fields := strings.SplitN(line, " ", 3)
		if len(fields) < 3 {
			return nil, fmt.Errorf("%s: %q needs an id, a day and a reason", name, line)
		}
		until, err := time.Parse(time.DateOnly, fields[1])
		if err != nil {
			return nil, fmt.Errorf("%s: %q: %w", name, line, err)
		}
		list[fields[0]] = now.Before(until.AddDate(0, 0, 1))
	}
	return list, nil
}

// left returns the vulnerabilities that nobody has accepted.
func (a acceptedList) left(found map[string]string) (problems []string) {
	for _, id := range slices.Sorted(maps.Keys(found)) {
		if !a[id] {
			problems = append(problems, id+": "+found[id])
		}
	}
	return problems
}
