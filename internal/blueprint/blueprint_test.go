package blueprint_test

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/quayside/quayside/internal/blueprint"
	"github.com/quayside/quayside/internal/fault"
	"github.com/quayside/quayside/internal/pg/pgtest"
	"github.com/quayside/quayside/internal/registry"
)

const origin = "https://quay.example/api/ingest/"

// tables returns the built-in tables and a tenant's own table, whose texts are as awkward as
// the registry permits.
func tables(t *testing.T) []*registry.Table {
	t.Helper()
	db := pgtest.New(t)
	tenant := pgtest.NewTenant(t, db)
	_, err := db.Admin(t).Exec(t.Context(), fmt.Sprintf(`
		INSERT INTO workspace.registry_tables (tenant_id, slug, title, description)
		VALUES ('%[1]s', 'tastings', E'={{ "Tastings" }} <b>&</b> %[2]s', '}}{{');
		INSERT INTO workspace.registry_columns (tenant_id, slug, name, position, type, required, nullable, accepted, kind, choices, reference)
		VALUES ('%[1]s', 'tastings', 'score', 1, 'number', true, false, true, 'writable', NULL, NULL),
		       ('%[1]s', 'tastings', 'verdict', 2, 'text', false, true, true, 'writable', '{good,bad}', NULL),
		       ('%[1]s', 'tastings', 'product_id', 3, 'text', false, true, true, 'writable', NULL, 'products'),
		       ('%[1]s', 'tastings', 'secret_rank', 4, 'number', false, true, false, 'read_only', NULL, NULL)`, tenant.ID, strings.Repeat("x", 200)))
	require.NoError(t, err)
	all, err := registry.New(db.Cells).All(t.Context(), tenant.ID)
	require.NoError(t, err)
	require.Len(t, all, 8, "the seven built-in tables and the tenant's own")
	return all
}

// checks has a function for each platform that returns a document's errors.
var checks = map[blueprint.Platform]func(document, *registry.Table) []string{
	blueprint.Make: checkMake,
	blueprint.N8N:  checkN8N,
}

// TestEveryTable generates every template and checks it by the rules of its platform.
func TestEveryTable(t *testing.T) {
	t.Parallel()
	for _, table := range tables(t) {
		for platform, check := range checks {
			text, file, err := blueprint.Document(platform, table, origin+table.Slug)
			require.NoError(t, err)
			require.Equal(t, "quayside-"+table.Slug+"-"+string(platform)+".json", file)
			require.Empty(t, check(parse(t, text), table), "%s for %s", platform, table.Slug)
			require.Empty(t, checkSecrets(text))

			again, _, err := blueprint.Document(platform, table, origin+table.Slug)
			require.NoError(t, err)
			require.Equal(t, string(text), string(again), "the same table gives the same bytes")
		}
		list := blueprint.List(table)
		require.Len(t, list, 2)
		for _, one := range list {
			require.NotEmpty(t, one.About)
			require.Contains(t, strings.Join(one.Steps, "\n"), blueprint.Placeholder)
			require.Contains(t, strings.Join(one.Steps, "\n"), "scope is "+table.Slug)
		}
	}
}

// TestANewColumnIsMapped adds a column to the registry: templates map it without other changes.
func TestANewColumnIsMapped(t *testing.T) {
	t.Parallel()
	table := registry.NewTable("orders", "external_id",
		registry.Column{Name: "external_id", Type: registry.Text, Accepted: true, Required: true},
		registry.Column{Name: "warehouse", Type: registry.Text, Accepted: true, Required: true},
		registry.Column{Name: "total", Type: registry.Number},
	)
	for platform, check := range checks {
		text, _, err := blueprint.Document(platform, table, origin+"orders")
		require.NoError(t, err)
		require.Empty(t, check(parse(t, text), table))
	}
	text, _, err := blueprint.Document(blueprint.Make, table, origin+"orders")
	require.NoError(t, err)
	require.Contains(t, string(text), `"external_id": "{{1.admin_graphql_api_id}}"`)
	require.Contains(t, string(text), `"warehouse": "{{1.warehouse}}"`)
	require.NotContains(t, string(text), `"total"`, "a column that is not accepted")
}

func TestUnknownPlatform(t *testing.T) {
	t.Parallel()
	_, _, err := blueprint.Document("zapier", registry.NewTable("a", "external_id"), origin+"a")
	require.True(t, fault.Is(err, fault.NotFound), "%v", err)
}

// TestChecksCanFail breaks valid documents, each in one place, and expects the checks to find
// it.
func TestChecksCanFail(t *testing.T) {
	t.Parallel()
	all := tables(t)
	lines := all[slices.IndexFunc(all, func(t *registry.Table) bool { return t.Slug == "order_line_items" })]
	for platform, mutations := range map[blueprint.Platform]map[string]func(document){
		blueprint.Make: makeMutations, blueprint.N8N: n8nMutations,
	} {
		text, _, err := blueprint.Document(platform, lines, origin+lines.Slug)
		require.NoError(t, err)
		for name, mutate := range mutations {
			broken := parse(t, text)
			mutate(broken)
			require.NotEmpty(t, checks[platform](broken, lines), "%s: %s was not noticed", platform, name)
		}
	}
	require.NotEmpty(t, checkSecrets([]byte(`"Bearer pk_`+strings.Repeat("0a", 24)+`"`)))
	require.NotEmpty(t, checkSecrets([]byte(`{}`)))
}

// checkSecrets reports a missing placeholder, and texts that look like a key.
func checkSecrets(text []byte) (wrong []string) {
	if regexp.MustCompile(`pk_[0-9a-f]{6,}`).Match(text) {
		wrong = append(wrong, "it holds a key")
	}
	if !strings.Contains(string(text), "Bearer "+blueprint.Placeholder) ||
		!strings.Contains(string(text), "API key whose scope is") {
		wrong = append(wrong, "it does not say where the key belongs")
	}
	return wrong
}

// fromShopify reports whether the template reads Shopify's webhooks, which say when their record was last changed.
func fromShopify(table *registry.Table) bool {
	return slices.Contains([]string{"orders", "order_line_items", "customers", "products"}, table.Slug)
}

// checkColumns compares the mapped columns with those that the table accepts.
func checkColumns(mapped []string, table *registry.Table) (wrong []string) {
	for _, name := range mapped {
		if column, ok := table.Column(name); !ok || !column.Accepted {
			wrong = append(wrong, "the table does not take "+name)
		}
	}
	for i := range table.Columns {
		if column := &table.Columns[i]; column.Required && !slices.Contains(mapped, column.Name) {
			wrong = append(wrong, "the required column "+column.Name+" is not mapped")
		}
	}
	if !slices.ContainsFunc(table.Identity, func(name string) bool { return slices.Contains(mapped, name) }) {
		wrong = append(wrong, "nothing identifies the record")
	}
	return wrong
}

// document is a template decoded from JSON.
type document struct{ any }

func parse(t *testing.T, text []byte) document {
	t.Helper()
	var d any
	require.NoError(t, json.Unmarshal(text, &d), string(text))
	return document{d}
}

// at returns the value at a path of keys and positions, or nil if it does not exist.
func (d document) at(keys ...any) document {
	for _, key := range keys {
		switch inner := d.any.(type) {
		case map[string]any:
			name, _ := key.(string)
			d = document{inner[name]}
		case []any:
			if i, ok := key.(int); ok && i < len(inner) {
				d = document{inner[i]}
			} else {
				d = document{}
			}
		default:
			return document{}
		}
	}
	return d
}

// set changes the value at a path.
func (d document) set(value any, keys ...any) {
	holder := d.at(keys[:len(keys)-1]...)
	switch inner := holder.any.(type) {
	case map[string]any:
		name, _ := keys[len(keys)-1].(string)
		if value == nil {
			delete(inner, name)
			return
		}
		inner[name] = value
	case []any:
		i, _ := keys[len(keys)-1].(int)
		inner[i] = value
	default:
		panic(fmt.Sprint("nothing at ", keys))
	}
}

func (d document) text() string           { s, _ := d.any.(string); return s }
func (d document) number() float64        { n, _ := d.any.(float64); return n }
func (d document) object() map[string]any { m, _ := d.any.(map[string]any); return m }
func (d document) list() (all []document) {
	items, _ := d.any.([]any)
	for _, item := range items {
		all = append(all, document{item})
	}
	return all
}

// only returns an error for each key of an object that is not allowed.
func (d document) only(allowed ...string) (wrong []string) {
	for key := range d.object() {
		if !slices.Contains(allowed, key) {
			wrong = append(wrong, "unknown key "+key)
		}
	}
	return wrong
}

// wants returns an error for each member whose value differs.
func (d document) wants(members map[string]any) (wrong []string) {
	for key, want := range members {
		if got, ok := d.object()[key]; !ok || fmt.Sprintf("%T %v", got, got) != fmt.Sprintf("%T %v", want, want) {
			wrong = append(wrong, fmt.Sprintf("%s is %v, must be %v", key, got, want))
		}
	}
	return wrong
}
