package main

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestLicences(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ text, want string }{
		{"Apache License\n   Version 2.0, January 2004", "Apache-2.0"},
		{"Permission is hereby granted, free of charge, to …\nThe above copyright notice and this\npermission notice shall be", "MIT"},
		{"Redistribution and use in source and binary forms, …\n Neither the name of", "BSD-3-Clause"},
		{"Redistribution and use in source and binary forms, …", "BSD-2-Clause"},
		{"Permission to use, copy, modify, and/or distribute this software for any\npurpose with or without fee", "ISC"},
		{"Mozilla Public License Version 2.0 … GNU Affero General Public License, Version 3.0", "MPL-2.0"},
		{"MIT No Attribution … Permission is hereby granted, free of charge", "MIT-0"},
		{"GNU GENERAL PUBLIC LICENSE Version 3 … Apache License, Version 2.0", "GPL"},
		{"GNU Affero General Public License … GNU General Public License", "AGPL"},
		{"“Commons Clause” License Condition v1.0 … Apache License, Version 2.0", "Commons-Clause"},
		{"All rights reserved.", "unknown"},
	} {
		require.Equal(t, tt.want, licenceOf(tt.text), tt.text)
	}
	for expression, want := range map[string]bool{
		"MIT": true, "(MIT OR GPL-3.0)": true, "GPL-3.0 OR Apache-2.0": true, "MIT AND BSD-3-Clause": true, "MIT AND GPL-3.0": false,
		"GPL-3.0": false, "CC-BY-4.0": false, "": false, "SEE LICENSE IN LICENSE": false,
	} {
		require.Equal(t, want, allows(expression, shipped), expression)
	}
	require.True(t, allows("CC-BY-4.0", tools))
	for name, want := range map[string]bool{"LICENSE": true, "LICENSE.md": true, "licence.txt": true, "COPYING": true, "UNLICENSE": true,
		"LICENSE-MIT": true, "license.go": false, "README.md": false} {
		require.Equal(t, want, isLicenceFile(name), name)
	}
	require.Contains(t, judge("x", nil, shipped), "has no licence")
	require.Contains(t, judge("x", []string{"MIT", "GPL"}, shipped), `"GPL"`)
	require.Empty(t, judge("x", []string{"MIT", "Apache-2.0"}, shipped))
}

func TestLockedLicences(t *testing.T) {
	t.Parallel()
	const text = `{"packages": {"": {"name": "web"},
		"node_modules/good": {"version": "1.0.0", "license": "MIT"},
		"node_modules/tool": {"version": "1.0.0", "license": "CC-BY-4.0", "dev": true},
		"node_modules/strict": {"version": "2.0.0", "license": "CC-BY-4.0"},
		"node_modules/good/node_modules/@a/none": {"version": "3.0.0"}}}`
	count, problems, err := lockedLicences(locks[0], []byte(text))
	require.NoError(t, err)
	require.Equal(t, 4, count)
	require.Len(t, problems, 2)
	require.Contains(t, problems[0], "@a/none 3.0.0 of web/package-lock.json has no licence")
	require.Contains(t, problems[1], `strict 2.0.0 of web/package-lock.json has the licence "CC-BY-4.0"`)
	_, problems, err = lockedLicences(locks[1], []byte(text))
	require.NoError(t, err)
	require.Len(t, problems, 1, "the documentation's packages are not shipped")
	_, _, err = lockedLicences(locks[0], []byte(`{}`))
	require.ErrorContains(t, err, "names no packages")
}

func TestVulnerabilities(t *testing.T) {
	t.Parallel()
	called, err := calledVulnerabilities([]byte(`{"config": {"scanner_name": "govulncheck"}}
		{"osv": {"id": "GO-2026-0001"}}
		{"finding": {"osv": "GO-2026-0001", "fixed_version": "v1.2.4", "trace": [{"module": "example.com/a", "version": "v1.2.3"}]}}
		{"finding": {"osv": "GO-2026-0002", "fixed_version": "v2.0.1", "trace": [{"module": "example.com/b", "version": "v2.0.0",
			"package": "example.com/b", "function": "Parse"}]}}`))
	require.NoError(t, err)
	require.Equal(t, map[string]string{"GO-2026-0002": "Parse of example.com/b v2.0.0 is in the binary; fixed in v2.0.1"}, called)
	_, err = calledVulnerabilities([]byte(`{"finding": {`))
	require.Error(t, err)

	audited, because := auditedVulnerabilities([]byte(`{"auditReportVersion": 2, "vulnerabilities": {
		"a": {"via": ["b"]},
		"b": {"via": [{"url": "https://github.com/advisories/GHSA-xxxx", "title": "Loops for ever", "severity": "high"}]}}}`))
	require.Empty(t, because)
	require.Equal(t, map[string]string{"GHSA-xxxx": "b: Loops for ever (high)"}, audited)
	_, because = auditedVulnerabilities([]byte(`{"message": "request failed", "error": {"code": "ENOTFOUND"}}`))
	require.Equal(t, "request failed", because)
	_, because = auditedVulnerabilities(nil)
	require.NotEmpty(t, because)
}

func TestAccepted(t *testing.T) {
	t.Parallel()
	name := filepath.Join(t.TempDir(), "accepted.txt")
	require.NoError(t, os.WriteFile(name, []byte("# why\n\nGO-1 2026-11-19 only on Windows\nGO-2 2026-11-18 only on Windows\n"), 0o600))
	list, err := readAccepted(name, time.Date(2026, 11, 19, 23, 0, 0, 0, time.UTC))
	require.NoError(t, err)
	require.Equal(t, []string{"GO-2: b", "GO-3: c"}, list.left(map[string]string{"GO-1": "a", "GO-2": "b", "GO-3": "c"}))
	require.NoError(t, os.WriteFile(name, []byte("GO-1 2026-11-19\n"), 0o600))
	_, err = readAccepted(name, time.Now())
	require.ErrorContains(t, err, "a reason")
	_, err = readAccepted("accepted.txt", time.Now())
	require.NoError(t, err)
}
