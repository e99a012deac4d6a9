package auth_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/fault"
)

// permissions says once more who may do what, apart from the code. A role with an x holds the permission. The last
// column is the scope that a token needs for it; with a - no token may do it, whoever owns the token.
const permissions = `
	permission          company_admin  approver  buyer  viewer  agent  sync  scope

	read                      x           x        x      x       x     x    read
	read_failures             x           x        x      x       x     .    failed_imports
	send_test_records         x           .        x      .       x     .    failed_imports
	retry_failures            x           .        x      .       x     .    failed_imports
	import_records            x           .        x      .       .     .    -
	edit_records              x           .        x      .       .     .    -
	share_views               x           .        x      .       .     .    -

	draft_lines               x           .        x      .       x     x    write
	submit_lines              x           .        x      .       x     .    write
	change_lines              x           .        x      .       .     x    -
	approve_lines             x           x        .      .       .     .    -
	send_back_lines           x           x        x      .       .     .    -
	cancel_drafts             x           .        x      .       x     .    -
	cancel_orders             x           .        .      .       .     x    -
	receive_lines             x           .        x      .       .     x    -
	correct_own               x           .        x      .       .     x    -
	correct_receipts          x           .        .      .       .     x    -
	reopen_lines              x           .        .      .       .     .    -
	discuss_orders            x           x        x      .       x     .    write
	send_orders               x           x        x      .       .     .    -
	allow_receivers           x           .        .      .       .     .    -

	manage_purchasing         x           .        .      .       .     .    -
	propose_documents         x           .        .      .       x     .    write
	plan_purchasing           x           .        .      .       .     .    write

	manage_keys               x           .        .      .       .     .    -
	manage_tokens             x           .        .      .       .     .    -
	manage_members            x           .        .      .       .     .    -
	manage_workspaces         x           .        .      .       .     .    -
	manage_connections        x           .        .      .       .     .    -
	define_tables             x           .        .      .       .     .    admin
	read_audit                x           .        .      .       .     .    -
`

// rule is a row of permissions.
type rule struct {
	permission auth.Permission
	roles      []auth.Role
	scope      auth.Scope // "-": no token
}

// readRules reads the table.
func readRules(t *testing.T) (roles []auth.Role, rules []rule) {
	t.Helper()
	for line := range strings.Lines(permissions) {
		cells := strings.Fields(line)
		if len(cells) == 0 {
			continue
		}
		last := len(cells) - 1
		if roles == nil {
			for _, name := range cells[1:last] {
				roles = append(roles, auth.Role(name))
			}
			continue
		}
		require.Len(t, cells, len(roles)+2, line)
		row := rule{permission: auth.Permission(cells[0]), scope: auth.Scope(cells[last])}
		for i, role := range roles {
			if cells[i+1] == "x" {
				row.roles = append(row.roles, role)
			}
		}
		rules = append(rules, row)
	}
	return roles, rules
}

// scopeSets returns every set of scopes, the empty one first.
func scopeSets() (sets [][]auth.Scope) {
	all := auth.Scopes()
	for bits := range 1 << len(all) {
		var set []auth.Scope
		for i, scope := range all {
			if bits&(1<<i) != 0 {
				set = append(set, scope)
			}
		}
		sets = append(sets, set)
	}
	return sets
}

// TestRoles compares every permission of every role with the table.
func TestRoles(t *testing.T) {
	t.Parallel()
	roles, rules := readRules(t)
	require.Equal(t, append(auth.Roles(), auth.Agent, auth.Sync), roles, "every role has a column")
	held := map[auth.Role][]auth.Permission{}
	for _, rule := range rules {
		for _, role := range append(roles, "", "owner") {
			may := slices.Contains(rule.roles, role)
			require.Equal(t, may, role.May(rule.permission), "%s as %q", rule.permission, role)
			err := auth.Principal{Tenant: uuid.New(), Role: role}.Require(rule.permission)
			if may {
				require.NoError(t, err, "%s as %q", rule.permission, role)
				held[role] = append(held[role], rule.permission)
			} else {
				require.True(t, fault.Is(err, fault.Forbidden), "%s as %q: %v", rule.permission, role, err)
			}
		}
	}
	for _, role := range roles {
		slices.Sort(held[role])
		require.Equal(t, held[role], role.Permissions(), "a permission of %s is not in the table", role)
	}
}

// TestScopes checks that a token allows what both its scopes and the role of its owner allow, for every role, every
// set of scopes and every permission.
func TestScopes(t *testing.T) {
	t.Parallel()
	roles, rules := readRules(t)
	require.Len(t, scopeSets(), 16)
	for _, role := range append(roles, "") {
		for _, scopes := range scopeSets() {
			token := auth.Principal{Tenant: uuid.New(), Role: role, Token: uuid.New(), Scopes: scopes}
			for _, rule := range rules {
				want := ""
				switch {
				case rule.scope == "-":
					want = "forbidden"
				case !slices.Contains(scopes, rule.scope):
					want = "missing_scope"
				case !slices.Contains(rule.roles, role):
					want = "forbidden"
				}
				err := token.Require(rule.permission)
				require.Equal(t, want == "", err == nil, "%s as %q with %s: %v", rule.permission, role, scopes, err)
				require.True(t, err == nil || fault.HasCode(err, want), "%s as %q with %s: %v", rule.permission, role, scopes, err)
			}
			require.Error(t, token.Require("no such permission"))
		}
		for _, scope := range auth.Scopes() {
			fills := slices.ContainsFunc(rules, func(r rule) bool { return r.scope == scope && slices.Contains(r.roles, role) })
			require.Equal(t, fills, role.Fills(scope), "%q and the scope %s", role, scope)
		}
		require.False(t, role.Fills("-"), "no scope passes on what no token may do")
	}
}

// TestLists checks who reads which list of the app, and so its views.
func TestLists(t *testing.T) {
	t.Parallel()
	everybody := []string{"arrivals", "failure-groups", "failures", "imports", "purchase-orders", "tokens"}
	for role, want := range map[auth.Role][]string{
		auth.CompanyAdmin: {"arrivals", "audit", "failure-groups", "failures", "imports", "keys", "purchase-orders", "tokens"},
		auth.Approver:     everybody,
		auth.Buyer:        everybody,
		auth.Viewer:       everybody,
		"":                {},
	} {
		require.Equal(t, want, auth.Principal{Role: role}.Lists(), role)
	}
	reading := auth.Principal{Role: auth.CompanyAdmin, Token: uuid.New(), Scopes: []auth.Scope{auth.ScopeRead}}
	require.Equal(t, []string{"arrivals", "imports", "purchase-orders", "tokens"}, reading.Lists())
	_, known := auth.List("nothing").Reader()
	require.False(t, known)
}

// TestMayWrite checks which tables the scope of a key covers.
func TestMayWrite(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		scope, slug string
		want        bool
	}{
		{"orders", "orders", true},
		{auth.AllTables, "orders", true},
		{auth.AllTables, "made_after_the_key", true},
		{"orders", "products", false},
		{"orders", "order", false},
		{"orders", "orders_archive", false},
		{"order_line_items", "orders", false},
		{"orders", "ORDERS", false},
		{"orders", "", false},
		{"orders", auth.AllTables, false},
		{"", "orders", false},
		{"", "", false},
	} {
		require.Equal(t, tt.want, auth.Principal{Scope: tt.scope}.MayWrite(tt.slug), "scope %q, table %q", tt.scope, tt.slug)
	}
}
