package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// shipped are the licences of what goes into a release. They ask for no more than that their text goes along, and MPL-2.0 that
// changed files are published, of which there are none.
var shipped = []string{"0BSD", "Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "CC0-1.0", "ISC", "MIT", "MIT-0", "MPL-2.0", "OFL-1.1", "Unlicense"}

// tools are further licences of what only builds or tests something.
var tools = append([]string{"BlueOak-1.0.0", "CC-BY-4.0", "Python-2.0"}, shipped...)

var licenceFile = regexp.MustCompile(`(?i)^(un)?(licen[cs]e|copying)([-._].*)?$`)

// isLicenceFile reports whether a file of this name should hold a licence.
func isLicenceFile(name string) bool {
	return licenceFile.MatchString(name) && !strings.HasSuffix(name, ".go")
}

// phrases tell licences by what only they say. The first one whose phrases are all there counts; a licence that contains the
// words of another one comes before it.
var phrases = []struct {
	licence string
	all     []string
}{
	{"MPL-2.0", []string{"mozilla public license version 2.0"}}, // names the GNU licences as secondary ones
	{"AGPL", []string{"gnu affero general public license"}},
	{"LGPL", []string{"gnu lesser general public license", "version"}},
	{"GPL", []string{"gnu general public license"}},
	{"Commons-Clause", []string{"commons clause"}},
	{"BUSL-1.1", []string{"business source license"}},
	{"Apache-2.0", []string{"apache license", "version 2.0"}},
	{"BSD-3-Clause", []string{"redistribution and use in source and binary forms", "neither the name"}},
	{"BSD-3-Clause", []string{"redistribution and use in source and binary forms", "may not be used to endorse or promote"}},
	{"BSD-2-Clause", []string{"redistribution and use in source and binary forms"}},
	{"ISC", []string{"permission to use, copy, modify, and/or distribute this software for any purpose with or without fee"}},
	{"ISC", []string{"permission to use, copy, modify, and distribute this software for any purpose with or without fee"}},
	{"MIT", []string{"permission is hereby granted, free of charge", "the above copyright notice and this permission notice"}},
	{"MIT-0", []string{"mit no attribution", "permission is hereby granted, free of charge"}},
	{"Unlicense", []string{"this is free and unencumbered software released into the public domain"}},
	{"CC0-1.0", []string{"cc0 1.0 universal"}},
}

// licenceOf returns the SPDX id of a licence's text, or "unknown".
func licenceOf(text string) string {
	text = strings.Join(strings.Fields(strings.ToLower(text)), " ")
	for _, known := range phrases {
		if !slices.ContainsFunc(known.all, func(phrase string) bool { return !strings.Contains(text, phrase) }) {
			return known.licence
		}
	}
	return "unknown"
}

// judge says what is wrong with the licences of something, if anything is: it has none, or one that is not allowed.
func judge(what string, found, allowed []string) string {
	if len(found) == 0 {
		return what + " has no licence"
	}
	for _, licence := range found {
		if !allows(licence, allowed) {
			return fmt.Sprintf("%s has the licence %q, which test/supply/licence.go does not allow", what, licence)
		}
	}
	return ""
}

// allows reports whether an SPDX expression can be met with allowed licences: one of alternatives, and each of several.
func allows(expression string, allowed []string) bool {
	expression = strings.TrimSuffix(strings.TrimPrefix(strings.TrimSpace(expression), "("), ")")
	if parts := strings.Split(expression, " OR "); len(parts) > 1 {
		return slices.ContainsFunc(parts, func(part string) bool { return allows(part, allowed) })
	}
	parts := strings.Split(expression, " AND ")
	return !slices.ContainsFunc(parts, func(part string) bool { return !slices.Contains(allowed, strings.Trim(part, "() ")) })
}

// lockedLicences checks the licences in a lock file of npm, which has that of each package.
func lockedLicences(name string, text []byte) (count int, problems []string, err error) {
	var lock struct {
		Packages map[string]struct {
			Version, License string
			Dev              bool
		}
	}
	if err := json.Unmarshal(text, &lock); err != nil {
		return 0, nil, fmt.Errorf("%s: %w", name, err)
	}
	for _, path := range slices.Sorted(maps.Keys(lock.Packages)) {
		one := lock.Packages[path]
		if path == "" {
			continue
		}
		count++
		allowed, found := tools, []string{one.License}
		if name == locks[0] && !one.Dev {
			allowed = shipped
		}
		if one.License == "" {
			found = nil
		}
		_, short, _ := strings.Cut("/"+path, "/node_modules/")
		if problem := judge(fmt.Sprintf("the npm package %s %s of %s", short, one.Version, name), found, allowed); problem != "" {
			problems = append(problems, problem)
		}
	}
	if count == 0 {
		return 0, nil, fmt.Errorf("%s names no packages", name)
	}
	return count, problems, nil
}
