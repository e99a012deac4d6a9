package purchase_test

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/fault"
	"github.com/quayside/quayside/internal/ingest"
	"github.com/quayside/quayside/internal/pg/pgtest"
	"github.com/quayside/quayside/internal/purchase"
	"github.com/quayside/quayside/internal/registry"
	"github.com/quayside/quayside/internal/telemetry"
	"github.com/quayside/quayside/test/property"
)

// The people and agents of the model test.
const (
	theAdmin    = "admin"
	theApprover = "approver"
	theLimited  = "limited approver"
	theBuyer    = "buyer"
	theClerk    = "clerk" // another buyer
	theViewer   = "viewer"
	theAgent    = "agent"
	theKey      = "external system"
	theTrusted  = "trusted system" // its key may order what was drafted here
)

var systems = []string{theKey, theTrusted}

var everybody = []string{theAdmin, theApprover, theLimited, theBuyer, theClerk, theAgent, theViewer}

var roleOf = map[string]auth.Role{
	theAdmin: auth.CompanyAdmin, theApprover: auth.Approver, theLimited: auth.Approver, theBuyer: auth.Buyer,
	theClerk: auth.Buyer,
	theAgent: auth.Agent, theViewer: auth.Viewer,
}

const (
	theSupplier   = "sup-1"
	theArticle    = "TEA" // recommendations are for this article
	theMultiple   = 4     // and it is ordered in cartons of so many
	limitCurrency = "EUR"
)

var (
	orderOfSlot = []string{"PO-A", "PO-A", "PO-B"}
	someLimits  = []int{400, 800, 2000}
)

// orderOf returns the order of a line; those that were split off others have one, too.
func orderOf(slot int) string { return orderOfSlot[slot%len(orderOfSlot)] }

// articlesOf returns the SKUs of a line: one with a supplier, which all lines share, one
// without, and one of no product.
func articlesOf(slot int) []string {
	return []string{theArticle, fmt.Sprintf("CUP-%d", slot), fmt.Sprintf("LOST-%d", slot)}
}

// model is a workspace and its expected state.
type model struct {
	ctx     context.Context
	lines   *purchase.Service
	records *ingest.Service
	admin   *pgx.Conn
	tenant  pgtest.Tenant
	who     map[string]auth.Principal
	names   map[string]string // of ids
	book    book
	script  []string
}

// TestModel takes random actions on lines in every role, and compares every line after every
// step with a second implementation of the rule book. QUAYSIDE_MODEL=2000 runs that many
// workspaces, more than CI has time for; a failure prints the shortest script that reproduces
// it.
func TestModel(t *testing.T) {
	t.Parallel()
	require.NoError(t, flag.Set("rapid.checks", or(os.Getenv("QUAYSIDE_MODEL"), "100")))
	require.NoError(t, flag.Set("rapid.nofailfile", "true"))
	db := pgtest.New(t)
	admin := db.Admin(t)
	records := ingest.New(db.Cells, registry.New(db.Cells), slog.New(slog.DiscardHandler), telemetry.NewMetrics(),
		ingest.Config{Lanes: 1, Queued: 16, Wait: time.Minute, Gates: gates})
	t.Cleanup(records.Close)
	steps, refused := 0, map[string]int{}
	property.Check(t, func(rt *rapid.T) {
		m := &model{ctx: t.Context(), lines: purchase.New(db.Cells), records: records, admin: admin,
			tenant: pgtest.NewTenant(t, db)}
		m.furnish(rt)
		m.begin(rt)
		rt.Repeat(map[string]func(*rapid.T){"step": func(rt *rapid.T) {
			code := m.take(rt, rapid.Custom(m.draw).Draw(rt, "step"))
			steps++
			refused[code]++
		}})
	})
	t.Logf("%d steps; refusals: %v", steps, refused)
}

func or(text, otherwise string) string {
	if text == "" {
		return otherwise
	}
	return text
}

// furnish creates people, articles, rules, limits and the agent's token.
func (m *model) furnish(t *rapid.T) {
	m.who, m.names = map[string]auth.Principal{}, map[string]string{}
	m.book = book{limits: map[string]int{}, articleSupplier: map[string]string{}, articleOfSKU: map[string]string{}}
	for _, name := range slices.Concat(everybody, systems) {
		id := uuid.New()
		by := auth.Principal{Tenant: m.tenant.ID, Workspace: m.tenant.Workspace, Role: roleOf[name], Person: id,
			Actor: auth.Actor{Type: auth.ByPerson, ID: id.String()}}
		switch name {
		case theAgent:
			by.Person, by.Run, by.Actor.Type = uuid.Nil, "run-1", auth.ByAgent
		case theKey, theTrusted:
			by.Person, by.Key, by.Scope, by.Actor.Type = uuid.Nil, id, auth.AllTables, auth.ByKey
			m.exec(t, `INSERT INTO workspace.api_keys (tenant_id, id, workspace_id, key_hash, prefix, label, scope, order_drafted_here)
				VALUES ($1, $3::uuid, $2, sha256($3::text::bytea), 'pk_00000000', $4, '*', $5)`, id, name, name == theTrusted)
		}
		m.who[name], m.names[id.String()] = by, name
	}
	m.book.fourEyes = rapid.IntRange(0, 4).Draw(t, "four eyes") > 0
	m.book.agentsSubmit = rapid.IntRange(0, 4).Draw(t, "agents submit") > 0
	m.book.tokenMaker = rapid.SampledFrom([]string{theAdmin, theApprover}).Draw(t, "token made by")
	m.book.lines = make([]bookLine, len(orderOfSlot))
	m.exec(t, "INSERT INTO workspace.suppliers (tenant_id, workspace_id, id, external_id, name) VALUES ($1, $2, $3, 'S1', 'Tea House')", theSupplier)
	for slot := range m.book.lines {
		m.book.lines[slot].key = fmt.Sprintf("line-%d", slot)
		for i, sku := range articlesOf(slot)[:2] {
			if m.book.articleOfSKU[sku] != "" {
				continue // shared by all lines
			}
			supplier := []*string{set(theSupplier), nil}[i]
			m.book.articleOfSKU[sku] = "prod-" + sku
			if supplier != nil {
				m.book.articleSupplier["prod-"+sku] = *supplier
			}
			m.exec(t, `INSERT INTO workspace.products (tenant_id, workspace_id, id, external_id, sku, name, supplier_id, order_multiple)
				VALUES ($1, $2, 'prod-' || $3::text, $3, $3, $3, $4, CASE $3::text WHEN $5 THEN $6::numeric END)`, sku, supplier, theArticle, theMultiple)
		}
	}
	m.exec(t, `INSERT INTO workspace.tokens (tenant_id, id, workspace_id, token_hash, prefix, label, agent_id, scopes, created_by)
		VALUES ($1, gen_random_uuid(), $2, sha256($3::text::bytea), 'qst_1', 'buyer bot', $3::uuid, '{write}', $4)`, m.who[theAgent].Actor.ID, m.who[m.book.tokenMaker].Actor.JSON())
	m.exec(t, `INSERT INTO workspace.playbook_versions (tenant_id, workspace_id, kind, document_id, version, content, author, note, revision)
		VALUES ($1, $2, 'config', $2, 1, jsonb_build_object('values', jsonb_build_object('require_four_eyes', $3::boolean, 'agent_can_submit', $4::boolean)), '{}', '', 1)`,
		m.book.fourEyes, m.book.agentsSubmit)
	m.take(t, step{by: theAdmin, limit: rapid.SampledFrom(someLimits).Draw(t, "limit"), slots: []int{0}})
}

func (m *model) exec(t *rapid.T, sql string, args ...any) {
	_, err := m.admin.Exec(m.ctx, sql, append([]any{m.tenant.ID, m.tenant.Workspace}, args...)...)
	require.NoError(t, err)
}

// begin moves some lines forward, so that late statuses are tested often.
func (m *model) begin(t *rapid.T) {
	for slot := range m.book.lines {
		far := rapid.IntRange(0, 5).Draw(t, fmt.Sprintf("line %d begins", slot))
		first := rapid.SampledFrom([]step{
			{by: theBuyer, way: inApp},
			{by: theAdmin, way: inApp},
			{by: theAgent, way: inApp, answers: 1},
			{by: theBuyer, way: inApp, answers: 1},
			{by: theAdmin, way: byFile},
			{by: theBuyer, way: byRetry, sender: theApprover},
			{by: theBuyer, way: byRetry, sender: theAdmin},
			{by: theKey, way: byKey},
		}).Draw(t, "made")
		first.confirmed = true
		first.action, first.values = purchase.Create, map[string]string{
			"order_no": orderOf(slot), "sku": articlesOf(slot)[0], "quantity_ordered": "20", "price_per_unit": "20",
			"currency": "EUR", "supplier_id": theSupplier,
		}
		for i, s := range []step{
			first,
			{by: theClerk, way: inApp, action: purchase.Submit},
			{by: rapid.SampledFrom([]string{theApprover, theApprover, theAdmin, theLimited}).Draw(t, "approved by"), way: inApp,
				action: purchase.Approve},
			{by: theBuyer, way: inApp, action: purchase.Receive, quantity: 5},
			{by: theBuyer, way: inApp, action: purchase.Receive, quantity: 15},
		} {
			s.slots = []int{slot}
			if i >= far || m.take(t, s) != "" {
				break
			}
		}
	}
}

// take runs a step on the service and in the book, and compares the two.
func (m *model) take(t *rapid.T, s step) string {
	err := m.do(s) // first, because the step's versions are read from the book
	pieces, money := m.book.approvedInSum()
	want, got := m.expect(s), ""
	var refusal *fault.Error
	switch {
	case errors.As(err, &refusal):
		got = refusal.Code
	case err != nil:
		got = err.Error()
	}
	m.script = append(m.script, fmt.Sprintf("%#v -> %s", s, or(got, "done")))
	if got != want {
		m.fail(t, fmt.Sprintf("the service says %q, the rule book says %q: %v", or(got, "done"), or(want, "done"), err))
	}
	m.compare(t)
	m.checkApprovals(t, s, pieces, money)
	for _, slot := range s.slots {
		line := &m.book.lines[slot]
		if line.status == purchase.None {
			continue
		}
		if shown, want := m.flags(t, line.id), m.book.flags(line); !slices.Equal(shown, want) {
			m.fail(t, fmt.Sprintf("line %d: the flags are %q and should be %q", slot, shown, want))
		}
	}
	return got
}

// checkApprovals checks what no step of a person or an agent may do: let more be reached than is approved. Only an approval
// adds to that.
func (m *model) checkApprovals(t *rapid.T, s step, pieces, money int) {
	nowPieces, nowMoney := m.book.approvedInSum()
	theirs := s.way == byKey || s.way == byResend
	if !theirs && s.action != purchase.Approve && (nowPieces > pieces || nowMoney > money) {
		m.fail(t, fmt.Sprintf("%d pieces for %d were approved, and without an approval %d for %d are", pieces, money, nowPieces, nowMoney))
	}
	if above := m.book.aboveApproval(); above != none {
		m.fail(t, fmt.Sprintf("line %d is above its approval: %s", above, m.facts(&m.book.lines[above])))
	}
}

// expect returns the book's answer to a step.
func (m *model) expect(s step) string {
	by := member{s.by, roleOf[s.by]}
	line := &m.book.lines[s.slots[0]]
	switch {
	case s.limit > 0:
		m.book.limits[theLimited] = s.limit
		return ""
	case s.seen && !slices.Contains(mayTake(purchase.Create, purchase.None), by.role):
		return "forbidden"
	case s.seen:
		line.jumps = nil
		return ""
	case s.way == inApp && s.action == purchase.Create:
		return m.book.draft(by, s)
	case s.way == inApp:
		return m.book.take(by, s)
	case s.way == byKey:
		return m.book.external(line, s.values, s.by)
	}
	return m.book.write(by, s)
}

func (m *model) fail(t *rapid.T, what string) {
	t.Fatalf("%s\n\nfour eyes %v, agents submit %v, the agent's token is the %s's\n%s", what, m.book.fourEyes,
		m.book.agentsSubmit, m.book.tokenMaker, strings.Join(m.script, "\n"))
}

// facts returns what is compared of a line.
func (m *model) facts(line *bookLine) map[string]string {
	facts := map[string]string{
		"status": string(line.status), "order": line.order, "sku": line.sku, "product": line.product,
		"supplier": line.supplier, "currency": line.currency,
		"quantity": number(line.quantity), "price": number(line.price), "received": number(line.received),
		"receipts": number(line.received),
		"note":     line.note, "day": line.day, "version": fmt.Sprint(line.version),
		"created by": line.createdBy, "money by": line.moneyBy, "imported by": line.importedBy,
		"submitted by": line.submittedBy, "approved by": line.approvedBy,
		"ordered outside": fmt.Sprint(line.outside), "self approved": fmt.Sprint(line.selfApproved),
		"sealed": fmt.Sprint(line.submitted != nil), "jumps": fmt.Sprint(sorted(line.jumps)),
	}
	if here := line.here(); here > 0 {
		facts["received here"] = number(here)
	}
	if line.recommendation > 0 {
		facts["recommendation"] = m.recommendation(line.recommendation)
	}
	if a := line.approved; a != nil {
		maps.Copy(facts, map[string]string{
			"approved sku": a.sku, "approved product": a.product, "approved supplier": a.supplier,
			"approved currency": a.currency, "approved order": a.order,
			"approved quantity": number(a.quantity), "approved price": number(a.price), "approved total": number(a.total),
			"approver's limit": number(a.limit),
		})
	}
	maps.DeleteFunc(facts, func(_, value string) bool { return value == "" })
	return facts
}

// sorted returns what is listed in an order that does not depend on when it came: flags of one version may come at several times.
func sorted(jumps []jump) (texts []string) {
	for _, j := range jumps {
		texts = append(texts, fmt.Sprint(j))
	}
	slices.Sort(texts)
	return texts
}

func number(n int) string {
	if n == none {
		return ""
	}
	return fmt.Sprint(n)
}

// compare compares every line in the database with the book.
func (m *model) compare(t *rapid.T) {
	stored := m.stored(t)
	for slot := range m.book.lines {
		line := &m.book.lines[slot]
		want, got := map[string]string{}, stored[line.id]
		if line.status != purchase.None {
			want = m.facts(line)
		}
		if maps.Equal(want, got) {
			continue
		}
		var differences []string
		for _, name := range slices.Sorted(maps.Keys(both(want, got))) {
			if want[name] != got[name] {
				differences = append(differences, fmt.Sprintf("%s is %q and should be %q", name, got[name], want[name]))
			}
		}
		m.fail(t, fmt.Sprintf("line %d: %s", slot, strings.Join(differences, "; ")))
	}
}

func both(one, two map[string]string) map[string]string {
	all := maps.Clone(one)
	maps.Copy(all, two)
	return all
}

// decode reads facts from the database; empty ones are left out.
func (m *model) decode(t *rapid.T, text []byte) map[string]string {
	var facts map[string]string
	require.NoError(t, json.Unmarshal(text, &facts))
	for name, value := range facts {
		if known, ok := m.names[value]; ok {
			facts[name] = known
		}
	}
	maps.DeleteFunc(facts, func(_, value string) bool { return value == "" })
	return facts
}
