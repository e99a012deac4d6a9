package apikey_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/quayside/quayside/internal/apikey"
	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/fault"
	"github.com/quayside/quayside/internal/page"
	"github.com/quayside/quayside/internal/pg/pgtest"
)

// TestRotate checks that the new key is the old one with another secret: its scope, its workspace, its end, its rate and its
// right to order what was drafted here are the same.
func TestRotate(t *testing.T) {
	t.Parallel()
	st := newStage(t)
	end := time.Now().Add(30 * 24 * time.Hour).Truncate(time.Microsecond)
	for name, want := range map[string]apikey.Request{
		"one table":         {Label: "Shop", Scope: "orders"},
		"every table":       {Label: "Import", Scope: auth.AllTables},
		"one that will end": {Label: "Trial", Scope: "products", ExpiresAt: &end},
		"one that orders":   {Label: "ERP", Scope: "purchase_order_lines", OrderDraftedHere: true},
	} {
		old, shown := st.issue(want)
		st.set(old, "rate_per_second = 7, rate_burst = 9")
		made, renewed, err := st.keys.Rotate(t.Context(), st.by, old.ID, apikey.OverlapDay)
		require.NoError(t, err, name)
		require.NotEqual(t, shown, renewed)
		require.NotEqual(t, old.ID, made.ID)
		require.True(t, strings.HasPrefix(renewed, made.Prefix))

		stored, err := st.keys.Get(t.Context(), st.by, made.ID)
		require.NoError(t, err)
		require.Equal(t, []any{old.Label, old.Scope, old.WorkspaceID, want.OrderDraftedHere},
			[]any{stored.Label, stored.Scope, stored.WorkspaceID, stored.OrderDraftedHere}, name)
		require.Equal(t, want.OrderDraftedHere, made.OrderDraftedHere, name)
		if want.ExpiresAt == nil {
			require.Nil(t, stored.ExpiresAt, name)
		} else {
			require.WithinDuration(t, end, *stored.ExpiresAt, 0, name)
		}
		caller, err := st.keys.Verify(t.Context(), renewed, here)
		require.NoError(t, err)
		require.Equal(t, want.Scope, caller.Scope, name)
		require.Equal(t, []int{7, 9}, []int{caller.Rate, caller.Burst}, "%s: the key lost its own rate limit", name)
		require.Equal(t, []string{"key.issued", "key.rotated"}, st.audited(old))
	}
}

// TestOverlap checks how long a key lives on after its rotation: as long as was said, and never longer than it
// would have lived.
func TestOverlap(t *testing.T) {
	t.Parallel()
	st := newStage(t)
	soon := time.Now().Add(10 * time.Minute).Truncate(time.Microsecond)
	far := time.Now().AddDate(1, 0, 0).Truncate(time.Microsecond)
	in := func(d time.Duration) *time.Time { at := time.Now().Add(d); return &at }
	for _, tt := range []struct {
		name    string
		end     *time.Time
		overlap time.Duration
		revoked bool
		want    *time.Time // the end of the old key
	}{
		{"no overlap", nil, apikey.NoOverlap, true, nil},
		{"an hour", nil, apikey.OverlapHour, false, in(time.Hour)},
		{"a day", nil, apikey.OverlapDay, false, in(24 * time.Hour)},
		{"a week", nil, apikey.OverlapWeek, false, in(7 * 24 * time.Hour)},
		{"a week, but it ends sooner", &soon, apikey.OverlapWeek, false, &soon},
		{"an hour, though it would end later", &far, apikey.OverlapHour, false, in(time.Hour)},
	} {
		key, _ := st.issue(apikey.Request{ExpiresAt: tt.end})
		made := st.rotate(key, tt.overlap)
		old, err := st.keys.Get(t.Context(), st.by, key.ID)
		require.NoError(t, err)
		require.Equal(t, &made.ID, old.ReplacedBy, tt.name)
		require.Equal(t, tt.revoked, old.RevokedAt != nil, tt.name)
		if tt.want == nil {
			require.Nil(t, old.ExpiresAt, tt.name)
		} else {
			require.WithinDuration(t, *tt.want, *old.ExpiresAt, 5*time.Minute, tt.name)
		}
		_, _, err = st.keys.Rotate(t.Context(), st.by, key.ID, apikey.OverlapHour)
		require.True(t, fault.HasCode(err, "key_ended"), "%s: it was rotated twice: %v", tt.name, err)
	}
	for _, wrong := range []time.Duration{-time.Hour, time.Minute, 25 * time.Hour, 8 * 24 * time.Hour} {
		key, _ := st.issue(apikey.Request{})
		_, _, err := st.keys.Rotate(t.Context(), st.by, key.ID, wrong)
		require.True(t, fault.HasCode(err, "overlap"), "%s: %v", wrong, err)
	}
	for _, ended := range []string{"revoked_at = now()", "expires_at = now()"} {
		key, _ := st.issue(apikey.Request{})
		st.set(key, ended)
		_, _, err := st.keys.Rotate(t.Context(), st.by, key.ID, apikey.OverlapHour)
		require.True(t, fault.HasCode(err, "key_ended"), "%s: %v", ended, err)
	}
}

// doors are what is done with keys, each on the key with this id.
func (st stage) doors(id uuid.UUID) map[string]func(auth.Principal) error {
	ctx := st.t.Context()
	return map[string]func(auth.Principal) error{
		"issue": func(by auth.Principal) error {
			_, shown, err := st.keys.Issue(ctx, by, apikey.Request{Workspace: st.tenant.Workspace, Label: "x", Scope: "orders"})
			require.Equal(st.t, err == nil, shown != "", "a secret is shown with a refusal")
			return err
		},
		"list": func(by auth.Principal) error {
			found, _, err := st.keys.List(ctx, by, page.Request{})
			require.True(st.t, err == nil || len(found) == 0)
			return err
		},
		"get": func(by auth.Principal) error { _, err := st.keys.Get(ctx, by, id); return err },
		"rotate": func(by auth.Principal) error {
			_, shown, err := st.keys.Rotate(ctx, by, id, apikey.OverlapHour)
			require.Equal(st.t, err == nil, shown != "", "a secret is shown with a refusal")
			return err
		},
		"revoke": func(by auth.Principal) error { _, err := st.keys.Revoke(ctx, by, id); return err },
	}
}

// TestOnlyAdminsManageKeys tries everything that is done with keys in every role, with every token and with a key.
func TestOnlyAdminsManageKeys(t *testing.T) {
	t.Parallel()
	st := newStage(t)
	token := st.by
	token.Token, token.Scopes = uuid.New(), auth.Scopes()
	callers := map[string]auth.Principal{
		"a token with every scope": token,
		"a key":                    {Tenant: st.tenant.ID, Workspace: st.tenant.Workspace, Key: uuid.New(), Scope: auth.AllTables},
		"nobody":                   {Tenant: st.tenant.ID, Workspace: st.tenant.Workspace},
	}
	for _, role := range []auth.Role{auth.Approver, auth.Buyer, auth.Viewer, auth.Agent, auth.Sync} {
		callers[string(role)] = auth.Principal{Tenant: st.tenant.ID, Workspace: st.tenant.Workspace, Role: role, Person: uuid.New()}
	}
	key, shown := st.issue(apikey.Request{})
	for name, by := range callers {
		for door, try := range st.doors(key.ID) {
			require.True(t, fault.Is(try(by), fault.Forbidden), "%s as %s", door, name)
		}
	}
	_, err := apikey.New(st.db.Cells).Verify(t.Context(), shown, here)
	require.NoError(t, err, "a refused call ended the key")
	require.Equal(t, []string{"key.issued"}, st.audited(key))
	for door := range st.doors(key.ID) {
		key, _ := st.issue(apikey.Request{})
		require.NoError(t, st.doors(key.ID)[door](st.by), door)
	}
}

// TestKeysOfOthers lets the admin of another company, and one who calls in another workspace, try our keys.
func TestKeysOfOthers(t *testing.T) {
	t.Parallel()
	st := newStage(t)
	second := uuid.Must(uuid.NewV7())
	_, err := st.admin.Exec(t.Context(),
		"INSERT INTO control.workspaces (tenant_id, id, name, time_zone) VALUES ($1, $2, 'Second', 'UTC')", st.tenant.ID, second)
	require.NoError(t, err)
	sibling := st.by
	sibling.Workspace = second
	for name, by := range map[string]auth.Principal{
		"another company":   auth.Operator(pgtest.NewTenant(t, st.db).ID),
		"another workspace": sibling,
	} {
		key, shown := st.issue(apikey.Request{})
		for _, door := range []string{"get", "rotate", "revoke"} {
			require.True(t, fault.HasCode(st.doors(key.ID)[door](by), "unknown_key"), "%s from %s", door, name)
		}
		found, _, err := st.keys.List(t.Context(), by, page.Request{})
		require.NoError(t, err)
		require.Empty(t, found, name)
		_, err = st.keys.Verify(t.Context(), shown, here)
		require.NoError(t, err, name)
		require.Equal(t, []string{"key.issued"}, st.audited(key))
	}
	_, _, err = st.keys.Issue(t.Context(), auth.Operator(pgtest.NewTenant(t, st.db).ID),
		apikey.Request{Workspace: st.tenant.Workspace, Label: "x", Scope: "orders"})
	require.True(t, fault.HasCode(err, "unknown_workspace"), "%v", err)
}

// TestKeysThatOrder checks that a key orders what was drafted here only if it was made so, and that every list and the audit say it.
func TestKeysThatOrder(t *testing.T) {
	t.Parallel()
	st := newStage(t)
	may := map[uuid.UUID]bool{}
	for _, want := range []apikey.Request{
		{Scope: auth.AllTables}, {Scope: "purchase_order_lines"}, {Scope: auth.AllTables, OrderDraftedHere: true},
		{Scope: "purchase_order_lines", OrderDraftedHere: true},
	} {
		key, _ := st.issue(want)
		require.Equal(t, want.OrderDraftedHere, key.OrderDraftedHere)
		may[key.ID] = want.OrderDraftedHere
		var said bool
		require.NoError(t, st.admin.QueryRow(t.Context(), `SELECT (data ->> 'order_drafted_here')::boolean FROM workspace.audit
			WHERE subject = $1 AND action = 'key.issued'`, key.ID.String()).Scan(&said))
		require.Equal(t, want.OrderDraftedHere, said)
	}
	listed, _, err := st.keys.List(t.Context(), st.by, page.All)
	require.NoError(t, err)
	require.Len(t, listed, len(may))
	for _, key := range listed {
		require.Equal(t, may[key.ID], key.OrderDraftedHere)
		one, err := st.keys.Get(t.Context(), st.by, key.ID)
		require.NoError(t, err)
		require.Equal(t, may[key.ID], one.OrderDraftedHere)
		revoked, err := st.keys.Revoke(t.Context(), st.by, key.ID)
		require.NoError(t, err)
		require.Equal(t, may[key.ID], revoked.OrderDraftedHere)
	}
	err = st.db.InTenant(t.Context(), st.tenant.ID, func(tx pgx.Tx) error {
		_, err := tx.Exec(t.Context(), "UPDATE workspace.api_keys SET order_drafted_here = true")
		return err
	})
	require.ErrorContains(t, err, "permission denied", "the right is given when the key is made, and never later")
}

// TestRevoke ends a key once: revoking it again changes neither its time nor the audit.
func TestRevoke(t *testing.T) {
	t.Parallel()
	st := newStage(t)
	key, _ := st.issue(apikey.Request{})
	first, err := st.keys.Revoke(t.Context(), st.by, key.ID)
	require.NoError(t, err)
	again, err := st.keys.Revoke(t.Context(), st.by, key.ID)
	require.NoError(t, err)
	require.NotNil(t, first.RevokedAt)
	require.Equal(t, first, again)
	require.Equal(t, []string{"key.issued", "key.revoked"}, st.audited(key))
	require.True(t, fault.HasCode(st.doors(uuid.New())["revoke"](st.by), "unknown_key"))
}

// TestIssueRefuses checks what no key can be made with.
func TestIssueRefuses(t *testing.T) {
	t.Parallel()
	st := newStage(t)
	now := time.Now()
	for name, tt := range map[string]struct {
		want apikey.Request
		code string
	}{
		"no label":         {apikey.Request{Label: " \t", Scope: "orders"}, "label"},
		"a long label":     {apikey.Request{Label: strings.Repeat("ä", 201), Scope: "orders"}, "label"},
		"no scope":         {apikey.Request{Label: "x"}, "unknown_scope"},
		"no such table":    {apikey.Request{Label: "x", Scope: "nothing"}, "unknown_scope"},
		"several tables":   {apikey.Request{Label: "x", Scope: "orders,products"}, "unknown_scope"},
		"a pattern":        {apikey.Request{Label: "x", Scope: "order%"}, "unknown_scope"},
		"an end right now": {apikey.Request{Label: "x", Scope: "orders", ExpiresAt: &now}, "expires_at"},
		"orders in a table without lines": {apikey.Request{Label: "x", Scope: "orders", OrderDraftedHere: true},
			"order_drafted_here"},
	} {
		_, shown, err := st.keys.Issue(t.Context(), st.by, tt.want)
		require.True(t, fault.HasCode(err, tt.code), "%s: %v", name, err)
		require.Empty(t, shown, name)
	}
	found, _, err := st.keys.List(t.Context(), st.by, page.Request{})
	require.NoError(t, err)
	require.Empty(t, found)
}
