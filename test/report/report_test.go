package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// write writes a small Go module.
func write(t *testing.T, files map[string]string) (dir string) {
	t.Helper()
	dir = t.TempDir()
	files["go.mod"] = "module example.com/m\n\ngo 1.24\n"
	for name, text := range files {
		path := filepath.Join(dir, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	}
	return dir
}

// goTests returns the output of 'go test -json' in a module.
func goTests(t *testing.T, dir string, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "go", append([]string{"test", "-json"}, args...)...)
	cmd.Dir = dir
	out, _ := cmd.Output() // the exit code is 1 if a test fails
	return string(out)
}

const header = "package m\n\nimport (\"os\"; \"testing\"; \"time\")\n\nvar _ = os.Exit\nvar _ = time.Now\n\n"

// TestTests reads real output of the go tool: a success, and every kind of failure.
func TestTests(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name  string
		files map[string]string
		args  []string
		fine  bool
		want  []string // what is printed
		not   []string // what is not
	}{
		{
			name: "all passes", fine: true,
			files: map[string]string{
				"a_test.go":   header + "func TestA(t *testing.T) { t.Log(\"noise\"); t.Run(\"sub\", func(t *testing.T) {}) }",
				"b/b_test.go": header + "func TestB(t *testing.T) {}\nfunc TestC(t *testing.T) { t.Skip(\"no reason\") }",
			},
			want: []string{"ok  \texample.com/m\t", "ok  \texample.com/m/b\t", "no reason",
				"2 packages: 3 tests passed, 1 skipped, 0 failures", " s  TestA  example.com/m\n"},
			not: []string{"noise", "TestA/sub", "=== RUN", "FAIL"},
		},
		{
			name: "a race that another test was told of", fine: true,
			files: map[string]string{
				"a_test.go": header + "func TestA(t *testing.T) { os.Stdout.WriteString(\"WARNING: DATA RACE\\nwhere it is\\n\") }\nfunc TestFine(t *testing.T) { t.Log(\"noise\") }",
			},
			args: []string{"-v"},
			want: []string{"WARNING: DATA RACE\nwhere it is\n"},
			not:  []string{"noise"},
		},
		{
			name: "a subtest fails",
			files: map[string]string{
				"a_test.go":   header + "func TestA(t *testing.T) { t.Run(\"sub\", func(t *testing.T) { t.Error(\"the reason\") }) }\nfunc TestFine(t *testing.T) { t.Log(\"noise\") }",
				"b/b_test.go": header + "func TestB(t *testing.T) {}",
			},
			want: []string{"the reason", "--- FAIL: TestA/sub", "FAIL\texample.com/m\t", "ok  \texample.com/m/b\t",
				"FAIL  example.com/m.TestA/sub\n"},
			not: []string{"noise"},
		},
		{
			name: "a package does not build",
			files: map[string]string{"a_test.go": header + "func TestA(t *testing.T) { nothing() }",
				"b/b_test.go": header + "func TestB(t *testing.T) {}"},
			want: []string{"undefined: nothing", "FAIL\texample.com/m [build failed]", "1 tests passed",
				"FAIL  example.com/m [example.com/m.test]: does not build"},
		},
		{
			name:  "a test panics",
			files: map[string]string{"a_test.go": header + "func TestA(t *testing.T) { t.Log(\"before it\"); panic(\"the panic\") }\nfunc TestB(t *testing.T) {}"},
			want:  []string{"panic: the panic", "before it", "a_test.go:8", "FAIL\texample.com/m\t"},
		},
		{
			name:  "the process exits in a test",
			files: map[string]string{"a_test.go": header + "func TestA(t *testing.T) { t.Log(\"before it\"); os.Exit(3) }"},
			want:  []string{"before it", "FAIL\texample.com/m\t", "FAIL  example.com/m\n"},
		},
		{
			name:  "a test does not end in time",
			files: map[string]string{"a_test.go": header + "func TestA(t *testing.T) { select {} }\nfunc TestB(t *testing.T) {}"},
			args:  []string{"-timeout", "200ms"},
			want:  []string{"panic: test timed out after 200ms", "FAIL\texample.com/m\t"},
		},
		{
			name:  "no test",
			files: map[string]string{"a.go": "package m\n"},
			want:  []string{"no test ran"},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			printed := strings.Builder{}
			require.Equal(t, tt.fine, readTests(strings.NewReader(goTests(t, write(t, tt.files), append(tt.args, "./...")...)), &printed), printed.String())
			for _, want := range tt.want {
				require.Contains(t, printed.String(), want)
			}
			for _, not := range tt.not {
				require.NotContains(t, printed.String(), not)
			}
		})
	}
}

// TestStreamEnds checks that truncated output is a failure.
func TestStreamEnds(t *testing.T) {
	t.Parallel()
	whole := `{"Action":"start","Package":"p"}
{"Action":"run","Package":"p","Test":"TestA"}
{"Action":"pass","Package":"p","Test":"TestA","Elapsed":0.5}
{"Action":"pass","Package":"p","Elapsed":0.6}
`
	require.True(t, readTests(strings.NewReader(whole), &strings.Builder{}))
	printed := strings.Builder{}
	cut := whole[:strings.LastIndex(strings.TrimSpace(whole), "\n")+1]
	require.False(t, readTests(strings.NewReader(cut), &printed))
	require.Contains(t, printed.String(), "p: did not end")
	require.False(t, readTests(strings.NewReader(""), &printed))
}

// TestSlowest checks that the ten slowest tests are listed, the slowest first.
func TestSlowest(t *testing.T) {
	t.Parallel()
	lines := strings.Builder{}
	for _, name := range strings.Split("abcdefghijkl", "") {
		seconds := map[string]string{"c": "9", "h": "12"}[name]
		if seconds == "" {
			seconds = "0.1"
		}
		lines.WriteString(`{"Action":"pass","Package":"p","Test":"Test_` + name + `","Elapsed":` + seconds + "}\n")
	}
	printed := strings.Builder{}
	require.True(t, readTests(strings.NewReader(lines.String()), &printed))
	require.Regexp(t, `(?s)12\.00 s  Test_h  p\n +9\.00 s  Test_c  p\n +0\.10 s  Test_a`, printed.String())
	require.Equal(t, shown, strings.Count(printed.String(), "  p\n"))
}

// TestSubtestsCount checks that the time of parallel subtests, which go test leaves out of
// their parent's, is added, and only theirs.
func TestSubtestsCount(t *testing.T) {
	t.Parallel()
	printed := strings.Builder{}
	require.True(t, readTests(strings.NewReader(`{"Action":"pause","Package":"p","Test":"TestA"}
{"Action":"pause","Package":"p","Test":"TestA/parallel"}
{"Action":"pass","Package":"p","Test":"TestA","Elapsed":1}
{"Action":"pass","Package":"p","Test":"TestA/parallel","Elapsed":2}
{"Action":"pass","Package":"p","Test":"TestA/parallel/within","Elapsed":1.5}
{"Action":"pass","Package":"p","Test":"TestA/within","Elapsed":0.5}
`), &printed))
	require.Contains(t, printed.String(), "    3.00 s  TestA  p\n")
}

// TestParts stops at the first part that fails, and prints the times of those before.
func TestParts(t *testing.T) {
	t.Parallel()
	commands := func(name string) *exec.Cmd { return exec.CommandContext(t.Context(), name) }
	printed := strings.Builder{}
	require.True(t, runParts(&printed, []string{"true", "true"}, commands))
	require.Contains(t, printed.String(), "== true")

	printed.Reset()
	require.False(t, runParts(&printed, []string{"true", "false", "uptime"}, commands))
	require.Regexp(t, `(?s)part +took +processor\ntrue +0:00 +0:00\nfalse +0:00 +0:00  FAILED\nuptime +not run\nall `,
		printed.String())

	printed.Reset()
	require.False(t, runParts(&printed, []string{"/no/such/program"}, commands), "what could not be started has failed")
}

// TestInterrupted ends the program while two parts run: what they have printed is not lost.
func TestInterrupted(t *testing.T) {
	t.Parallel()
	if dir := os.Getenv("REPORT_INTERRUPTED"); dir != "" { // this is the program
		runParts(os.Stdout, []string{"one+two"}, func(name string) *exec.Cmd {
			return exec.CommandContext(t.Context(), "bash", "-c",
				"echo "+name+" begins; touch "+dir+"/"+name+"; while [ -d "+dir+" ]; do sleep 0.05; done")
		})
		return
	}
	dir := t.TempDir()
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestInterrupted$")
	cmd.Env = append(os.Environ(), "REPORT_INTERRUPTED="+dir)
	printed := strings.Builder{}
	cmd.Stdout = &printed
	require.NoError(t, cmd.Start())
	for _, name := range []string{"one", "two"} {
		require.Eventually(t, func() bool { _, err := os.Stat(filepath.Join(dir, name)); return err == nil },
			time.Minute, 10*time.Millisecond)
	}
	require.NoError(t, cmd.Process.Signal(syscall.SIGTERM))
	require.Error(t, cmd.Wait())
	for _, name := range []string{"one", "two"} {
		require.Contains(t, printed.String(), "== "+name+", until the terminated\n"+name+" begins\n")
	}
}

// TestPartsAtTheSameTime runs two parts of which each waits for the other, and prints each in one piece.
//
//race:detect
func TestPartsAtTheSameTime(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	commands := func(name string) *exec.Cmd {
		scripts := map[string]string{
			"one":  "echo one begins; mkfifo one; read -r line < one; echo one ends; exit 3",
			"two":  "echo two begins; until [ -p one ]; do sleep 0.01; done; echo go > one; echo two ends",
			"last": "echo last",
		}
		cmd := exec.CommandContext(t.Context(), "bash", "-c", scripts[name])
		cmd.Dir = dir
		return cmd
	}
	printed := strings.Builder{}
	require.False(t, runParts(&printed, []string{"one+two", "last"}, commands))
	require.Contains(t, printed.String(), "\n== one\none begins\none ends\none: exit status 3\n")
	require.Contains(t, printed.String(), "\n== two\ntwo begins\ntwo ends\n")
	require.Regexp(t, `(?s)one +0:0\d +0:00  FAILED\ntwo +0:0\d +0:00\nlast +not run\nall `, printed.String())
}
