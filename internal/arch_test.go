// Package internal_test holds the import rules of the house: who may know whom.
// docs/architecture.md says why.
package internal_test

import (
	"encoding/json"
	"errors"
	"io"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const module = "github.com/quayside/quayside/"

// leaves know nothing of ours, but for how to refuse. A sheet and mend also know how numbers and days are written.
var leaves = []string{
	"currency", "demand", "document", "fault", "job", "mend", "outbound", "page", "plausible", "retry", "secret", "share", "sheet",
	"shop", "spool", "telemetry", "written",
}

// foundations may know the leaves and what is listed.
var foundations = map[string][]string{
	"auth":  {"fault"},
	"mail":  {"fault"},
	"pg":    {"fault", "share", "telemetry", "pg/q"},
	"pg/q":  {},
	"vault": {"fault", "pg", "pg/q"},
}

// domains may know the leaves, the foundations, audit and event, and of each other
// only what is listed.
var domains = map[string][]string{
	"account":    {},
	"alert":      {"freshness", "registry", "source"},
	"apikey":     {},
	"article":    {"forecast", "playbook", "procure", "query", "subject", "supplier"},
	"audit":      {},
	"backup":     {},
	"connection": {},
	"blueprint":  {"registry"},
	"customer":   {"query", "subject"},
	"double":     {"purchase", "registry", "subject"},
	"event":      {},
	"exchange":   {"connection", "inventory", "purchase"},
	"failed":     {"ingest", "registry"},
	"fieldindex": {},
	"forecast":   {},
	"freshness":  {},
	"inbox":      {"alert", "purchase"},
	"ingest":     {"registry"},
	"inventory":  {"ingest", "purchase"},
	"playbook":   {},
	"procure":    {"freshness", "playbook", "purchase"},
	"purchase":   {"playbook"},
	"query":      {"registry", "search"},
	"registry":   {},
	"retention":  {},
	"sales":      {"forecast"},
	"search":     {},
	"sending":    {"purchase", "thread"},
	"source":     {"registry"},
	"subject":    {"query"},
	"supplier":   {"procure", "purchase", "query", "subject"},
	"thread":     {},
	"today":      {"freshness", "playbook", "procure", "purchase"},
	"unknown":    {"ingest", "registry"},
	"upload":     {"ingest", "registry", "source"},
	"token":      {},
	"trouble":    {},
}

// edges know domains, never each other and never PostgreSQL.
var edges = []string{"httpapi", "mcpserver", "worker"}

// composers put domains to work as an edge does, but for nobody who calls: demo fills a
// database through them, so that what it makes is what customers would have made. They
// know domains, auth and leaves, and never an edge, app or PostgreSQL.
var composers = []string{"demo"}

// systems is where the folders of inventory systems are. They speak to the outside with a client that they
// are given: they know inventory and leaves, and are known to app alone.
const systems = "inventory/"

// standIn is the one package of the tests that the product has: 'quayside dev inventory' runs it for people.
// It knows nothing of ours.
const standIn = module + "test/inventory"

// outsiders call the service from outside, over HTTP, as a customer does. They know
// leaves, and nothing of how the service is made.
var outsiders = []string{"push"}

// violation says why importer may not know imported, or is empty.
func violation(importer, imported string) string {
	if allowed, ok := foundations[importer]; ok {
		return unless(slices.Contains(allowed, imported), "a foundation knows only "+strings.Join(allowed, ", "))
	}
	if allowed, ok := domains[importer]; ok {
		_, foundation := foundations[imported]
		shared := foundation || slices.Contains(leaves, imported) || imported == "audit" || imported == "event"
		return unless(shared || slices.Contains(allowed, imported), "this domain may not know that one")
	}
	switch {
	case strings.HasPrefix(importer, systems):
		return unless(imported == "inventory" || slices.Contains(leaves, imported),
			"an inventory system's folder knows inventory and leaves")
	case strings.HasPrefix(imported, systems):
		return unless(importer == "app", "only app knows which inventory systems there are")
	case slices.Contains(leaves, importer):
		return unless(imported == "fault" || slices.Contains([]string{"mend", "sheet"}, importer) && imported == "written",
			"a leaf knows nothing of ours but fault")
	case slices.Contains(edges, importer), slices.Contains(composers, importer):
		_, domain := domains[imported]
		return unless(domain || slices.Contains(leaves, imported) || imported == "auth",
			"an edge or a composer knows domains, auth and leaves")
	case slices.Contains(outsiders, importer):
		return unless(slices.Contains(leaves, imported), "an outsider knows leaves only: to it, the service is an address")
	case importer == "app", importer == "pg/pgtest":
		return ""
	case importer == "cli":
		return unless(!slices.Contains(edges, imported), "the command line goes through app, not through an edge")
	}
	return "the package is in no group of arch_test.go"
}

func unless(fine bool, complaint string) string {
	if fine {
		return ""
	}
	return complaint
}

// TestImports reads every package of the house.
func TestImports(t *testing.T) {
	t.Parallel()
	out, err := exec.CommandContext(t.Context(), "go", "list", "-json=ImportPath,Imports", "./...", standIn).Output()
	require.NoError(t, err)
	decoder := json.NewDecoder(strings.NewReader(string(out)))
	packages := 0
	for {
		var pkg struct {
			ImportPath string
			Imports    []string
		}
		if err := decoder.Decode(&pkg); errors.Is(err, io.EOF) {
			break
		} else {
			require.NoError(t, err)
		}
		importer, ours := strings.CutPrefix(pkg.ImportPath, module+"internal/")
		if !ours {
			for _, path := range pkg.Imports {
				require.False(t, strings.HasPrefix(path, module), "the stand-in imports %s", path)
			}
			continue
		}
		packages++
		for _, path := range pkg.Imports {
			if imported, ours := strings.CutPrefix(path, module+"internal/"); ours {
				if complaint := violation(importer, imported); complaint != "" {
					t.Errorf("%s imports %s: %s", importer, imported, complaint)
				}
			}
			if strings.HasPrefix(path, module+"test/") && (importer != "cli" || path != standIn) {
				t.Errorf("%s imports %s: the product does not know its tests", importer, path)
			}
			if slices.Contains(slices.Concat(edges, composers, outsiders), importer) &&
				strings.HasPrefix(path, "github.com/jackc/pgx") {
				t.Errorf("%s imports %s: an edge, a composer or an outsider never speaks to PostgreSQL", importer, path)
			}
		}
	}
	require.Greater(t, packages, 8, "the packages were not found")
}

// TestImportRulesCanFail shows that the rules refuse what they are there to refuse.
func TestImportRulesCanFail(t *testing.T) {
	t.Parallel()
	for _, edge := range [][2]string{
		{"fault", "pg"}, {"job", "pg"}, {"job", "failed"}, {"sheet", "registry"}, {"sheet", "page"}, {"mend", "registry"}, {"auth", "pg"},
		{"demand", "pg"}, {"demand", "currency"}, {"outbound", "pg"}, {"outbound", "auth"},
		{"pg", "auth"}, {"pg", "registry"}, {"vault", "registry"}, {"httpapi", "vault"}, {"mcpserver", "vault"},
		{"apikey", "account"}, {"registry", "ingest"}, {"purchase", "procure"}, {"ingest", "httpapi"}, {"query", "app"},
		{"httpapi", "pg"}, {"httpapi", "pg/q"}, {"httpapi", "mcpserver"}, {"worker", "httpapi"},
		{"cli", "httpapi"}, {"cli", "worker"}, {"util", "fault"},
		{"demo", "httpapi"}, {"demo", "app"}, {"demo", "pg"}, {"demo", "pg/q"}, {"ingest", "demo"}, {"httpapi", "demo"},
		{"shop", "pg"}, {"shop", "ingest"}, {"push", "pg"}, {"push", "ingest"}, {"push", "registry"}, {"push", "auth"},
		{"push", "app"}, {"httpapi", "push"},
		{"inventory/katana", "pg"}, {"inventory/katana", "purchase"}, {"worker", "inventory/katana"},
		{"inventory", "inventory/katana"}, {"cli", "inventory/katana"},
	} {
		require.NotEmpty(t, violation(edge[0], edge[1]), "%s imports %s", edge[0], edge[1])
	}
	for _, edge := range [][2]string{
		{"ingest", "registry"}, {"ingest", "event"}, {"failed", "ingest"}, {"httpapi", "ingest"}, {"app", "pg"},
		{"cli", "app"},
		{"demo", "ingest"}, {"demo", "shop"}, {"demo", "auth"}, {"cli", "demo"},
		{"push", "fault"}, {"push", "sheet"}, {"sheet", "fault"}, {"sheet", "written"}, {"mend", "written"}, {"registry", "mend"}, {"cli", "push"},
		{"failed", "job"}, {"upload", "job"}, {"worker", "job"}, {"job", "fault"},
		{"procure", "demand"},
		{"inventory", "purchase"}, {"inventory/katana", "inventory"}, {"inventory/katana", "fault"}, {"app", "inventory/katana"},
	} {
		require.Empty(t, violation(edge[0], edge[1]), "%s imports %s", edge[0], edge[1])
	}
}
