package exchange_test

import (
	"context"
	"log/slog"
	"net/http/httptest"
	"net/netip"
	"testing"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/connection"
	"github.com/quayside/quayside/internal/exchange"
	"github.com/quayside/quayside/internal/fault"
	"github.com/quayside/quayside/internal/inventory"
	"github.com/quayside/quayside/internal/inventory/katana"
	"github.com/quayside/quayside/internal/outbound"
	"github.com/quayside/quayside/internal/pg/pgtest"
	"github.com/quayside/quayside/internal/purchase"
	"github.com/quayside/quayside/internal/vault"
	standin "github.com/quayside/quayside/test/inventory"
)

// settingsPage is a workspace with a draft of a connection, as somebody sees it who sets one up.
type settingsPage struct {
	*exchange.Service
	t     *testing.T
	admin *pgx.Conn
	boss  auth.Principal
	id    uuid.UUID
	other *httptest.Server
}

const opener = "test:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="

type anything struct{}

// Probe implements connection.Prober.
func (anything) Probe(context.Context, *outbound.Client, string, vault.Secret) error { return nil }

func newSettingsPage(t *testing.T, stock standin.Stock) *settingsPage {
	t.Helper()
	db := pgtest.New(t)
	tenant := pgtest.NewTenant(t, db)
	keys, err := vault.ParseKeys(opener)
	require.NoError(t, err)
	outside := outbound.New(outbound.Config{Allow: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}})
	t.Cleanup(outside.Close)
	log := slog.New(slog.DiscardHandler)
	connections := connection.New(db.Cells, vault.New(db.Cells, keys), outside,
		map[connection.System]connection.Prober{connection.Katana: anything{}}, log)
	p := &settingsPage{t: t, admin: db.Admin(t), other: httptest.NewServer(standin.New(standin.Options{Token: "t"}, stock)),
		boss: auth.Principal{Tenant: tenant.ID, Workspace: tenant.Workspace, Role: auth.CompanyAdmin,
			Actor: auth.Actor{Type: auth.ByPerson, ID: uuid.NewString()}},
		Service: exchange.New(db.Cells, purchase.New(db.Cells), connections, map[connection.System]exchange.Dial{
			connection.Katana: func(address string, secret vault.Secret, client *outbound.Client) inventory.System {
				return katana.New(address, secret.Reveal(), client)
			}}, log, exchange.Config{})}
	t.Cleanup(p.other.Close)
	made, err := connections.Create(t.Context(), p.boss, connection.Katana, connection.Settings{Name: "Katana",
		Address: p.other.URL + "/v1", MayExport: true, MayLoad: true, CallsPerMinute: 600}, "t")
	require.NoError(t, err)
	p.id = made.ID
	return p
}

func (p *settingsPage) exec(sql string, args ...any) {
	p.t.Helper()
	_, err := p.admin.Exec(p.t.Context(), sql, append([]any{p.boss.Tenant, p.boss.Workspace}, args...)...)
	require.NoError(p.t, err)
}

func (p *settingsPage) supplier(id, name string) {
	p.t.Helper()
	p.exec("INSERT INTO workspace.suppliers (tenant_id, workspace_id, id, external_id, name) VALUES ($1, $2, $3, $3, $4)", id, name)
}

func (p *settingsPage) article(id, sku string) {
	p.t.Helper()
	p.exec("INSERT INTO workspace.products (tenant_id, workspace_id, id, external_id, sku, name) VALUES ($1, $2, $3, $3, $4, $3)", id, sku)
}

func (p *settingsPage) line(order, supplier, article, location string) {
	p.t.Helper()
	p.exec(`INSERT INTO workspace.purchase_order_lines (tenant_id, workspace_id, external_id, order_no, sku, quantity_ordered, supplier_id,
			product_id, location_id)
		VALUES ($1, $2, gen_random_uuid()::text, $3, 'S', 1, nullif($4, ''), nullif($5, ''), nullif($6, '')::uuid)`,
		order, supplier, article, location)
}

// list returns a kind's things in order, each with what it is there, or else what it may be; + is sure.
func (p *settingsPage) list(filter exchange.MatchFilter) (rows [][]string, page exchange.MatchPage) {
	p.t.Helper()
	if filter.Most == 0 {
		filter.Most = 50
	}
	page, err := p.Matches(p.t.Context(), p.boss, p.id, filter)
	require.NoError(p.t, err)
	for _, one := range page.Items {
		row := []string{one.ID}
		if one.There != nil {
			row = append(row, "= "+one.There.Name)
		}
		for _, suggestion := range one.Suggestions {
			row = append(row, map[bool]string{true: "+ ", false: "? "}[suggestion.Sure]+suggestion.Name)
		}
		rows = append(rows, row)
	}
	return rows, page
}

func TestMatchSuppliers(t *testing.T) {
	t.Parallel()
	p := newSettingsPage(t, standin.Stock{Suppliers: []standin.Supplier{{Name: "NORDLICHT, Tee & Co."}, {Name: "Mühlen Süd"},
		{Name: "Twin Ltd"}, {Name: "Twin Ltd"}, {Name: "Harbour Glass B.V."}, {Name: "Somebody else"}}})
	for id, name := range map[string]string{"north": "Nordlicht Tee Co", "mills": "Muhlen Sud", "twin": "Twin Ltd",
		"glass": "Harbour Glas", "sugar": "Sugar & Sons", "sugar2": "SUGAR Sons"} {
		p.supplier(id, name)
	}
	p.line("PO-1", "twin", "", "")
	p.line("PO-2", "", "", "")
	// A line that names neither supplier nor article has those of its SKU.
	p.article("cake", "S")
	p.exec("UPDATE workspace.products SET supplier_id = 'sugar2' WHERE tenant_id = $1 AND workspace_id = $2")
	rows, page := p.list(exchange.MatchFilter{Kind: exchange.Suppliers})
	require.Equal(t, [][]string{{"sugar2"}, {"twin", "? Twin Ltd", "? Twin Ltd"}, {"glass", "? Harbour Glass B.V."}, {"mills", "+ Mühlen Süd"},
		{"north", "+ NORDLICHT, Tee & Co."}, {"sugar"}}, rows, "open lines first, then by name")
	require.Equal(t, exchange.MatchCount{Kind: exchange.Suppliers, Needed: 2, Missing: 2}, page.Counts[0])
	require.Empty(t, page.Trouble)

	rows, page = p.list(exchange.MatchFilter{Kind: exchange.Suppliers, Most: 4})
	require.Len(t, rows, 4)
	rows, page = p.list(exchange.MatchFilter{Kind: exchange.Suppliers, Most: 4, Cursor: page.Next})
	require.Equal(t, [][]string{{"north", "+ NORDLICHT, Tee & Co."}, {"sugar"}}, rows)
	require.Empty(t, page.Next)
	rows, _ = p.list(exchange.MatchFilter{Kind: exchange.Suppliers, Text: "SONS"})
	require.Len(t, rows, 2)

	accepted, err := p.Accept(t.Context(), p.boss, p.id, exchange.Suppliers)
	require.NoError(t, err)
	require.Equal(t, exchange.Accepted{Accepted: 2, Looked: 6}, accepted)
	rows, _ = p.list(exchange.MatchFilter{Kind: exchange.Suppliers, Unmapped: true})
	require.Equal(t, [][]string{{"sugar2"}, {"twin", "? Twin Ltd", "? Twin Ltd"}, {"glass", "? Harbour Glass B.V."}, {"sugar"}}, rows)

	p.other.Close()
	rows, page = p.list(exchange.MatchFilter{Kind: exchange.Suppliers})
	require.Len(t, rows, 6, "what is here is listed although nobody answers there")
	require.Contains(t, page.Trouble, "cannot be reached")
}

func TestMatchArticlesAndLocations(t *testing.T) {
	t.Parallel()
	p := newSettingsPage(t, standin.Stock{Variants: []standin.Variant{{SKU: "TEA"}, {SKU: "CUP"}, {SKU: "CUP"}, {SKU: "POT"}},
		Locations: []standin.Location{{Name: "Main"}, {Name: "Quay"}}})
	p.article("tea", "TEA")
	p.article("cup", "CUP")
	p.article("pot", "POT")
	p.article("pot2", "POT")
	p.article("mug", "MUG")
	const quay = "0192b6a1-7d3c-7e51-9f0a-5b1d2c3e4f60"
	for _, article := range []string{"tea", "cup", "pot", "pot2"} {
		p.line("PO-1", "", article, quay)
	}
	rows, _ := p.list(exchange.MatchFilter{Kind: exchange.Articles})
	require.Equal(t, [][]string{{"cup", "? CUP", "? CUP"}, {"pot", "? POT"}, {"pot2", "? POT"}, {"tea", "+ TEA"}}, rows)
	rows, page := p.list(exchange.MatchFilter{Kind: exchange.Locations})
	require.Equal(t, [][]string{{quay, "? Main", "? Quay"}}, rows)
	require.Equal(t, exchange.MatchCount{Kind: exchange.Articles, Needed: 4, Missing: 4}, page.Counts[1])

	// A held order is compared again once something is chosen.
	p.exec(`INSERT INTO workspace.exchange_orders (tenant_id, workspace_id, connection_id, order_no, state, due_at)
		VALUES ($1, $2, $3, 'PO-1', 'held', now() + interval '1 day'), ($1, $2, $3, 'PO-2', 'paused', now())`, p.id)
	choose := func(kind exchange.MatchKind, ours, theirs, name string) error {
		return p.Choose(t.Context(), p.boss, p.id, exchange.Choice{Kind: kind, ID: ours, Theirs: theirs, Name: name})
	}
	require.NoError(t, choose(exchange.Articles, "pot", "5", "POT"))
	var states []string
	found, err := p.admin.Query(t.Context(),
		"SELECT state || ' ' || asked || ' ' || (due_at <= now()) FROM workspace.exchange_orders ORDER BY order_no")
	require.NoError(t, err)
	states, err = pgx.CollectRows(found, pgx.RowTo[string])
	require.NoError(t, err)
	require.Equal(t, []string{"waiting 1 true", "paused 0 true"}, states)

	require.True(t, fault.HasCode(choose(exchange.Articles, "pot2", "5", "POT"), "counterpart_taken"))
	require.True(t, fault.HasCode(choose(exchange.Articles, "north", "9", ""), "unknown_thing"))
	require.True(t, fault.HasCode(choose(exchange.Articles, "tea", " ", ""), "theirs"))
	rows, _ = p.list(exchange.MatchFilter{Kind: exchange.Articles})
	require.Equal(t, []string{"pot", "= POT"}, rows[1])
	require.Equal(t, []string{"pot2"}, rows[2], "what is taken is not suggested")
	require.NoError(t, choose(exchange.Locations, quay, "7", "Quay"))

	require.NoError(t, p.Forget(t.Context(), p.boss, p.id, exchange.Articles, "pot"))
	require.True(t, fault.HasCode(p.Forget(t.Context(), p.boss, p.id, exchange.Articles, "pot"), "unknown_match"))
	things, err := p.Catalogue(t.Context(), p.boss, p.id, exchange.Articles, "CUP")
	require.NoError(t, err)
	require.Len(t, things, 2)

	buyer := p.boss
	buyer.Role = auth.Buyer
	_, err = p.Matches(t.Context(), buyer, p.id, exchange.MatchFilter{Kind: exchange.Suppliers, Most: 1})
	require.True(t, fault.HasCode(err, "forbidden"))
	require.True(t, fault.HasCode(p.Choose(t.Context(), buyer, p.id, exchange.Choice{Kind: exchange.Locations, ID: quay, Theirs: "1"}), "forbidden"))
}
