package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// webTests is a copy of the web app, of which one file at a time has a bug.
type webTests struct{ dir string }

// copyWeb copies what vitest needs, but for the packages, which are linked.
func copyWeb(root, dir string) (webTests, error) {
	web := filepath.Join(root, "web")
	to := filepath.Join(dir, "web")
	if err := os.MkdirAll(to, 0o700); err != nil {
		return webTests{}, err
	}
	for _, name := range []string{"src", "scripts", "package.json", "tsconfig.json", "vite.config.ts"} {
		if out, err := exec.Command("cp", "-a", filepath.Join(web, name), to).CombinedOutput(); err != nil {
			return webTests{}, fmt.Errorf("copy the web app: %s", out)
		}
	}
	return webTests{to}, os.Symlink(filepath.Join(web, "node_modules"), filepath.Join(to, "node_modules"))
}

// vitestReport is the part of vitest's JSON that is read here.
type vitestReport struct {
	TestResults []struct {
		Name, Message    string
		AssertionResults []struct{ Status, FullName string }
	}
}

func (w webTests) run(ctx context.Context, tests string, bug *seed) (failed []string, err error) {
	if bug != nil {
		restore, err := w.plant(*bug)
		if err != nil {
			return nil, err
		}
		defer restore()
	}
	report := filepath.Join(w.dir, "report.json")
	_ = os.Remove(report)
	args := append([]string{"vitest", "run", "--reporter=json", "--outputFile=" + report},
		strings.FieldsFunc(tests, func(r rune) bool { return r == ' ' || r == '|' })...)
	cmd := exec.CommandContext(ctx, "npx", args...)
	cmd.Dir = w.dir
	out, _ := cmd.CombinedOutput() // the report says what failed
	text, err := os.ReadFile(report)
	if err != nil {
		return nil, fmt.Errorf("vitest wrote no report:\n%s", out)
	}
	var result vitestReport
	if err := json.Unmarshal(text, &result); err != nil {
		return nil, err
	}
	for _, file := range result.TestResults {
		if len(file.AssertionResults) == 0 {
			return nil, fmt.Errorf("%s does not load: %s", filepath.Base(file.Name), file.Message)
		}
		for _, test := range file.AssertionResults {
			if test.Status == "failed" {
				failed = append(failed, filepath.Base(file.Name)+": "+test.FullName)
			}
		}
	}
	if len(result.TestResults) == 0 {
		return nil, fmt.Errorf("no test file is named %s", tests)
	}
	return failed, nil
}

// plant writes the bug into the copy; the returned function takes it out again.
func (w webTests) plant(s seed) (restore func(), err error) {
	path := filepath.Join(filepath.Dir(w.dir), s.file)
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	bug, _, _, err := s.apply(string(text))
	if err != nil {
		return nil, err
	}
	return func() { _ = os.WriteFile(path, text, 0o600) }, os.WriteFile(path, []byte(bug), 0o600)
}
