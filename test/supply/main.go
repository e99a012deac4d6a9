// Supply checks what Quayside is built from: that every Go module and npm package has a licence that is allowed, which needs no
// network, and that none of what is shipped has a known vulnerability, which needs the databases of vulnerabilities. One that
// cannot be reached is left out, and supply says so.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// locks are the npm packages of the web app, of the documentation's site and of the conformance suite. Only the web app's are
// shipped.
var locks = []string{"web/package-lock.json", "docs/package-lock.json", "test/conformance/package-lock.json"}

const (
	reachTimeout = 5 * time.Second
	auditTimeout = 2 * time.Minute
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "supply:", err)
		os.Exit(1)
	}
}

func run() error {
	binary := flag.String("binary", "bin/quayside", "the built binary")
	govulncheck := flag.String("govulncheck", "govulncheck", "the program")
	flag.Parse()
	ctx, cancel := context.WithTimeout(context.Background(), auditTimeout)
	defer cancel()
	problems, err := check(ctx, os.Stdout, *binary, *govulncheck)
	if err != nil {
		return err
	}
	for _, problem := range problems {
		fmt.Println("  " + problem)
	}
	if len(problems) > 0 {
		return fmt.Errorf("%d problems", len(problems))
	}
	return nil
}

// check runs all checks and returns what is wrong.
func check(ctx context.Context, w io.Writer, binary, govulncheck string) (problems []string, err error) {
	licences, err := checkLicences(ctx, w)
	if err != nil {
		return nil, err
	}
	accepted, err := readAccepted("test/supply/accepted.txt", time.Now())
	if err != nil {
		return nil, err
	}
	found := map[string]string{}
	for _, look := range []func() (map[string]string, error){
		func() (map[string]string, error) { return vulnerableGo(ctx, w, binary, govulncheck) },
		func() (map[string]string, error) { return vulnerablePackages(ctx, w) },
	} {
		one, err := look()
		if err != nil {
			return nil, err
		}
		maps.Copy(found, one)
	}
	return append(licences, accepted.left(found)...), nil
}

// checkLicences compares the licences of all modules and packages with those that are allowed.
func checkLicences(ctx context.Context, w io.Writer) (problems []string, err error) {
	modules, err := goModules(ctx)
	if err != nil {
		return nil, err
	}
	for _, module := range modules {
		if problem := module.problem(); problem != "" {
			problems = append(problems, problem)
		}
	}
	packages := 0
	for _, lock := range locks {
		text, err := os.ReadFile(lock)
		if err != nil {
			return nil, err
		}
		count, wrong, err := lockedLicences(lock, text)
		if err != nil {
			return nil, err
		}
		packages += count
		problems = append(problems, wrong...)
	}
	fmt.Fprintf(w, "licences: looked at %d Go modules and %d npm packages\n", len(modules), packages)
	return problems, nil
}

// goModule is a module with the code of which something here is built: the binary, tests and tools of this checkout.
type goModule struct{ Path, Version, Dir string }

// goModules lists the modules whose packages are used.
func goModules(ctx context.Context) ([]goModule, error) {
	const format = `{{with .Module}}{{if not .Main}}{{.Path}}	{{.Version}}	{{.Dir}}{{end}}{{end}}`
	out, err := output(exec.CommandContext(ctx, "go", "list", "-deps", "-test", "-f", format, "./..."))
	if err != nil {
		return nil, err
	}
	found := map[goModule]bool{}
	for line := range strings.Lines(string(out)) {
		if fields := strings.Split(strings.TrimSpace(line), "\t"); len(fields) == 3 {
			found[goModule{fields[0], fields[1], fields[2]}] = true
		}
	}
	if len(found) == 0 {
		return nil, errors.New("go list names no modules")
	}
	return slices.SortedFunc(maps.Keys(found), func(a, b goModule) int { return strings.Compare(a.Path, b.Path) }), nil
}

// problem says what is wrong with a module's licence, if anything is.
func (m goModule) problem() string {
	names, err := filepath.Glob(filepath.Join(m.Dir, "*"))
	if err != nil {
		return m.Path + ": " + err.Error()
	}
	var found []string
	for _, name := range names {
		if !isLicenceFile(filepath.Base(name)) {
			continue
		}
		text, err := os.ReadFile(name)
		if err != nil {
			return m.Path + ": " + err.Error()
		}
		found = append(found, licenceOf(string(text)))
	}
	return judge("the Go module "+m.Path+" "+m.Version, found, shipped)
}

// vulnerableGo returns the known vulnerabilities of code that is in the binary, by their ids.
func vulnerableGo(ctx context.Context, w io.Writer, binary, program string) (map[string]string, error) {
	database := "https://vuln.go.dev"
	if given := os.Getenv("GOVULNDB"); given != "" {
		database = given
	}
	if err := reaches(ctx, database+"/index/db.json"); err != nil {
		fmt.Fprintf(w, "govulncheck: not run, because %s cannot be reached from here\n", database)
		return nil, nil //nolint:nilerr // it is run where it can be
	}
	if _, err := exec.LookPath(program); err != nil {
		fmt.Fprintf(w, "govulncheck: not run, because %s is not here\n", program)
		return nil, nil //nolint:nilerr // it is run where it can be
	}
	out, err := output(exec.CommandContext(ctx, program, "-mode=binary", "-format=json", binary))
	if err != nil {
		return nil, err
	}
	found, err := calledVulnerabilities(out)
	fmt.Fprintf(w, "govulncheck: %d known vulnerabilities are in the binary\n", len(found))
	return found, err
}

// vulnerablePackages returns the known vulnerabilities of the packages that are shipped with the web app.
func vulnerablePackages(ctx context.Context, w io.Writer) (map[string]string, error) {
	command := exec.CommandContext(ctx, "npm", "audit", "--json", "--omit=dev", "--fetch-retries=0", "--fetch-timeout=20000")
	command.Dir = "web"
	out, _ := command.Output() // fails also if there are vulnerabilities
	found, because := auditedVulnerabilities(out)
	if because != "" {
		fmt.Fprintln(w, "npm audit: not run, because its database cannot be reached from here:", because)
		return nil, nil
	}
	fmt.Fprintf(w, "npm audit: %d known vulnerabilities are in packages that are shipped\n", len(found))
	return found, nil
}

// reaches fails if an address does not answer with success.
func reaches(ctx context.Context, address string) error {
	ctx, cancel := context.WithTimeout(ctx, reachTimeout)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, http.NoBody)
	if err != nil {
		return err
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer func() { _ = response.Body.Close() }()
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("%s answers %d", address, response.StatusCode)
	}
	return json.NewDecoder(response.Body).Decode(&struct{}{}) // and not a page of somebody in between
}

// output runs a command and returns what it printed, or an error with its complaint.
func output(command *exec.Cmd) ([]byte, error) {
	out, err := command.Output()
	var ended *exec.ExitError
	if errors.As(err, &ended) {
		return nil, fmt.Errorf("%s: %w\n%s", command.Path, err, ended.Stderr)
	}
	return out, err
}
