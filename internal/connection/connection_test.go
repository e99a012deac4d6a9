//race:detect connections share their pace
package connection_test

import (
	"context"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/quayside/quayside/internal/audit"
	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/connection"
	"github.com/quayside/quayside/internal/fault"
	"github.com/quayside/quayside/internal/outbound"
	"github.com/quayside/quayside/internal/page"
	"github.com/quayside/quayside/internal/pg/pgtest"
	"github.com/quayside/quayside/internal/vault"
)

const (
	token   = "canary-token-5f1e"
	another = "canary-token-0b7d"
)

// other is another system, which takes one token.
type other struct {
	*httptest.Server
	mutex  sync.Mutex
	takes  string
	status int
	tokens []string // that it got
}

func newOther(t *testing.T) *other {
	t.Helper()
	o := &other{takes: token}
	o.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		o.mutex.Lock()
		defer o.mutex.Unlock()
		got := strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
		o.tokens = append(o.tokens, got)
		switch {
		case o.status != 0:
			w.Header().Set("Retry-After", "40")
			w.WriteHeader(o.status)
		case got != o.takes:
			w.WriteHeader(http.StatusUnauthorized)
		}
	}))
	t.Cleanup(o.Close)
	return o
}

// Probe implements connection.Prober.
func (o *other) Probe(ctx context.Context, client *outbound.Client, address string, secret vault.Secret) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return err
	}
	req.Header.Set("Authorization", "Bearer "+secret.Reveal())
	resp, err := client.Do(req)
	if err != nil {
		return err
	}
	_ = resp.Body.Close()
	if resp.StatusCode == http.StatusUnauthorized {
		return fault.New(fault.Invalid, "token_refused", "it refuses the token")
	}
	return nil
}

type office struct {
	*connection.Service
	t     *testing.T
	db    *pgtest.DB
	admin *pgx.Conn
	boss  auth.Principal
	other *other
}

func newOffice(t *testing.T, keys string) *office {
	t.Helper()
	db := pgtest.New(t)
	tenant := pgtest.NewTenant(t, db)
	person := uuid.New()
	o := &office{t: t, db: db, admin: db.Admin(t), other: newOther(t), boss: auth.Principal{Tenant: tenant.ID,
		Workspace: tenant.Workspace, Role: auth.CompanyAdmin, Person: person,
		Actor: auth.Actor{Type: auth.ByPerson, ID: person.String()}}}
	o.Service = o.instance(keys)
	return o
}

// instance returns the service of one more instance.
func (o *office) instance(keys string) *connection.Service {
	o.t.Helper()
	parsed, err := vault.ParseKeys(keys)
	require.NoError(o.t, err)
	outside := outbound.New(outbound.Config{Allow: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}})
	o.t.Cleanup(outside.Close)
	return connection.New(o.db.Cells, vault.New(o.db.Cells, parsed), outside,
		map[connection.System]connection.Prober{connection.Katana: o.other}, slog.New(slog.DiscardHandler))
}

const aKey = "test:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="

func (o *office) settings() connection.Settings {
	return connection.Settings{Name: "Katana", Address: o.other.URL + "/v1/", MayLoad: true}
}

func (o *office) create() connection.Connection {
	o.t.Helper()
	made, err := o.Create(o.t.Context(), o.boss, connection.Katana, o.settings(), token)
	require.NoError(o.t, err)
	return made
}

// active returns a connection that is in use.
func (o *office) active() connection.Connection {
	o.t.Helper()
	made := o.create()
	tested, err := o.Test(o.t.Context(), o.boss, made.ID)
	require.NoError(o.t, err)
	require.Empty(o.t, tested.Test.Failure)
	made, err = o.Resume(o.t.Context(), o.boss, made.ID)
	require.NoError(o.t, err)
	return made
}

func requireCode(t *testing.T, err error, code string) {
	t.Helper()
	require.True(t, fault.HasCode(err, code), "%v", err)
	require.NotContains(t, err.Error(), token)
}

func TestCreate(t *testing.T) {
	t.Parallel()
	o := newOffice(t, aKey)
	ctx := t.Context()
	for name, tt := range map[string]struct {
		change func(*connection.Settings)
		token  string
		code   string
	}{
		"no name":        {func(s *connection.Settings) { s.Name = " " }, token, "name"},
		"a long name":    {func(s *connection.Settings) { s.Name = strings.Repeat("x", 101) }, token, "name"},
		"no address":     {func(s *connection.Settings) { s.Address = "" }, token, "outbound_address"},
		"inside":         {func(s *connection.Settings) { s.Address = "https://10.0.0.5" }, token, "outbound_address"},
		"too many calls": {func(s *connection.Settings) { s.CallsPerMinute = 6001 }, token, "calls_per_minute"},
		"no token":       {func(*connection.Settings) {}, " ", "token"},
		"two lines":      {func(*connection.Settings) {}, token + "\r\nX: y", "token"},
		"a long token":   {func(*connection.Settings) {}, strings.Repeat(token, 300), "token"},
	} {
		settings := o.settings()
		tt.change(&settings)
		_, err := o.Create(ctx, o.boss, connection.Katana, settings, tt.token)
		require.True(t, fault.HasCode(err, tt.code), "%s: %v", name, err)
		require.NotContains(t, err.Error(), token)
	}
	_, err := o.Create(ctx, o.boss, "cobol", o.settings(), token)
	requireCode(t, err, "unknown_system")

	made := o.create()
	require.Equal(t, connection.Draft, made.State)
	require.Equal(t, o.other.URL+"/v1", made.Settings.Address)
	require.EqualValues(t, connection.DefaultCalls, made.Settings.CallsPerMinute)
	require.Equal(t, "5f1e", made.TokenEnding)
	require.NotNil(t, made.TokenSetAt)
	require.Nil(t, made.Test)
	_, err = o.Create(ctx, o.boss, connection.Katana, o.settings(), token)
	requireCode(t, err, "connection_exists")
	require.Empty(t, o.other.tokens, "a draft calls nobody")

	require.NoError(t, o.Delete(ctx, o.boss, made.ID))
	_, err = o.Get(ctx, o.boss, made.ID)
	requireCode(t, err, "unknown_connection")
	require.NotEqual(t, made.ID, o.create().ID, "there is room for another one")
	var secrets int
	require.NoError(t, o.admin.QueryRow(ctx, "SELECT count(*) FROM workspace.secrets").Scan(&secrets))
	require.Equal(t, 1, secrets, "the deleted connection's token is gone")
}

func TestWithoutKeys(t *testing.T) {
	t.Parallel()
	o := newOffice(t, "")
	_, err := o.Create(t.Context(), o.boss, connection.Katana, o.settings(), token)
	requireCode(t, err, "secret_keys_missing")
	require.ErrorContains(t, err, "an operator has to set QUAYSIDE_SECRET_KEYS")
}

// TestTokenStaysWithItsAddress checks that an admin cannot have the stored token sent elsewhere.
func TestTokenStaysWithItsAddress(t *testing.T) {
	t.Parallel()
	o := newOffice(t, aKey)
	ctx, made, thief := t.Context(), o.active(), newOther(t)
	_, err := o.Change(ctx, o.boss, made.ID, made.Version, connection.Changes{Address: &thief.URL})
	requireCode(t, err, "token_again")
	same := strings.ToUpper(o.other.URL[:4]) + o.other.URL[4:] + "/v2"
	moved, err := o.Change(ctx, o.boss, made.ID, made.Version, connection.Changes{Address: &same})
	require.NoError(t, err, "another path of the same host")
	require.Equal(t, connection.Paused, moved.State)
	require.Nil(t, moved.Test, "the new address was not tested")
	second := another
	moved, err = o.Change(ctx, o.boss, made.ID, moved.Version, connection.Changes{Address: &thief.URL, Token: &second})
	require.NoError(t, err)
	require.Equal(t, "0b7d", moved.TokenEnding)
	_, err = o.Test(ctx, o.boss, made.ID)
	require.NoError(t, err)
	require.Equal(t, []string{another}, thief.tokens)
}

func TestStates(t *testing.T) {
	t.Parallel()
	o := newOffice(t, aKey)
	ctx, made := t.Context(), o.create()
	_, err := o.Resume(ctx, o.boss, made.ID)
	requireCode(t, err, "connection_untested")
	o.other.takes = another
	tested, err := o.Test(ctx, o.boss, made.ID)
	require.NoError(t, err)
	require.Equal(t, "it refuses the token", tested.Test.Failure)
	_, err = o.Resume(ctx, o.boss, made.ID)
	requireCode(t, err, "connection_untested")
	_, err = o.ReplaceToken(ctx, o.boss, made.ID, another)
	require.NoError(t, err)
	tested, err = o.Test(ctx, o.boss, made.ID)
	require.NoError(t, err)
	require.Empty(t, tested.Test.Failure)

	no, yes := false, true
	changed, err := o.Change(ctx, o.boss, made.ID, tested.Version, connection.Changes{MayLoad: &no})
	require.NoError(t, err, "a draft may be unfinished")
	_, err = o.Resume(ctx, o.boss, made.ID)
	requireCode(t, err, "nothing_allowed")
	changed, err = o.Change(ctx, o.boss, made.ID, changed.Version, connection.Changes{MayExport: &yes})
	require.NoError(t, err)
	_, err = o.Resume(ctx, o.boss, made.ID)
	requireCode(t, err, "location_missing")
	place := "7"
	changed, err = o.Change(ctx, o.boss, made.ID, changed.Version, connection.Changes{Location: &place})
	require.NoError(t, err)
	active, err := o.Resume(ctx, o.boss, made.ID)
	require.NoError(t, err)
	require.Equal(t, connection.Active, active.State)
	_, err = o.Resume(ctx, o.boss, made.ID)
	requireCode(t, err, "connection_active")
	_, err = o.Change(ctx, o.boss, made.ID, changed.Version, connection.Changes{MayLoad: &yes})
	requireCode(t, err, "stale")
	_, err = o.Change(ctx, o.boss, made.ID, active.Version, connection.Changes{MayExport: &no})
	requireCode(t, err, "nothing_allowed")

	_, err = o.Pause(ctx, o.boss, made.ID, " ")
	requireCode(t, err, "reason")
	paused, err := o.Pause(ctx, o.boss, made.ID, "stock-taking")
	require.NoError(t, err)
	require.Equal(t, "stock-taking", paused.PausedBecause)
	_, err = o.Pause(ctx, o.boss, made.ID, "again")
	requireCode(t, err, "connection_paused")
	active, err = o.Resume(ctx, o.boss, made.ID)
	require.NoError(t, err)
	require.Empty(t, active.PausedBecause)
	paused, err = o.ReplaceToken(ctx, o.boss, made.ID, token)
	require.NoError(t, err)
	require.Equal(t, connection.Paused, paused.State, "the new token was not tested")
}

// TestOldTestDoesNotCount checks that a test which began before the token was replaced says nothing about
// the new one.
func TestOldTestDoesNotCount(t *testing.T) {
	t.Parallel()
	o := newOffice(t, aKey)
	ctx, made := t.Context(), o.create()
	o.other.mutex.Lock() // the test waits for its answer
	done := make(chan error)
	go func() {
		_, err := o.Test(ctx, o.boss, made.ID)
		done <- err
	}()
	require.Eventually(t, func() bool {
		var used bool
		require.NoError(t, o.admin.QueryRow(ctx, "SELECT used_until > $1 FROM workspace.connection_pace",
			made.CreatedAt.Add(time.Millisecond)).Scan(&used))
		return used
	}, 10*time.Second, 10*time.Millisecond)
	_, err := o.ReplaceToken(ctx, o.boss, made.ID, another)
	require.NoError(t, err)
	o.other.mutex.Unlock()
	require.NoError(t, <-done)
	found, err := o.Get(ctx, o.boss, made.ID)
	require.NoError(t, err)
	require.Nil(t, found.Test)
}

func TestSyncOpensItsOwn(t *testing.T) {
	t.Parallel()
	o := newOffice(t, aKey)
	ctx, made := t.Context(), o.active()
	sync := auth.Connection(o.boss.Tenant, o.boss.Workspace, made.ID, time.UTC)
	stranger := auth.Connection(o.boss.Tenant, o.boss.Workspace, uuid.New(), time.UTC)
	opened, err := o.Open(ctx, sync, made.ID)
	require.NoError(t, err)
	require.Equal(t, token, opened.Token.Reveal())
	for _, by := range []auth.Principal{o.boss, stranger} {
		_, err = o.Open(ctx, by, made.ID)
		require.True(t, fault.Is(err, fault.Forbidden))
	}
	_, err = o.Pause(ctx, stranger, made.ID, "x")
	require.True(t, fault.Is(err, fault.Forbidden))
	for name, err := range map[string]error{
		"resume": func() error { _, err := o.Resume(ctx, sync, made.ID); return err }(),
		"token":  func() error { _, err := o.ReplaceToken(ctx, sync, made.ID, another); return err }(),
		"get":    func() error { _, err := o.Get(ctx, sync, made.ID); return err }(),
		"delete": o.Delete(ctx, sync, made.ID),
	} {
		require.True(t, fault.Is(err, fault.Forbidden), name)
	}
	paused, err := o.Pause(ctx, sync, made.ID, "the token was refused")
	require.NoError(t, err)
	require.Equal(t, sync.Actor, paused.UpdatedBy)
	_, err = o.Open(ctx, sync, made.ID)
	requireCode(t, err, "connection_inactive")

	require.NoError(t, o.Delete(ctx, o.boss, made.ID))
	entries, _, err := audit.New(o.db.Cells, slog.New(slog.DiscardHandler)).List(ctx, o.boss,
		audit.Filter{Action: "connection.paused"}, page.All)
	require.NoError(t, err)
	require.Equal(t, "Katana sync", entries[0].Name, "also when the connection is gone")
}

// TestBudgetIsShared calls for one connection from two instances.
func TestBudgetIsShared(t *testing.T) {
	t.Parallel()
	o := newOffice(t, aKey)
	ctx, made := t.Context(), o.active()
	sync := auth.Connection(o.boss.Tenant, o.boss.Workspace, made.ID, time.UTC)
	exec := func(sql string, args ...any) {
		_, err := o.admin.Exec(ctx, sql, args...)
		require.NoError(t, err)
	}
	exec("UPDATE workspace.connections SET calls_per_minute = 20")
	exec("UPDATE workspace.connection_pace SET used_until = now()")
	calls := func(instance *connection.Service, patience time.Duration) error {
		opened, err := instance.Open(ctx, sync, made.ID)
		require.NoError(t, err)
		waiting, cancel := context.WithTimeout(ctx, patience)
		defer cancel()
		return o.other.Probe(waiting, opened.Client, opened.Settings.Address, opened.Token)
	}
	twin := o.instance(aKey)
	for range 2 {
		require.NoError(t, calls(o.Service, 2*time.Second))
		require.NoError(t, calls(twin, 2*time.Second))
	}
	requireCode(t, calls(o.Service, 2*time.Second), "outbound_budget")
	requireCode(t, calls(twin, 2*time.Second), "outbound_budget")

	exec("UPDATE workspace.connection_pace SET used_until = now() - interval '1 hour'")
	o.other.status = http.StatusTooManyRequests
	require.NoError(t, calls(o.Service, 2*time.Second))
	err := calls(twin, 2*time.Second)
	requireCode(t, err, "outbound_budget")
	_, public := fault.Public(err)
	require.InDelta(t, 40, public.Wait.Seconds(), 5, "the other instance keeps the pause, too")
}

// TestCompanyReach narrows what a company's connections may reach: a client that is open already keeps to it, and other
// companies do not notice.
func TestCompanyReach(t *testing.T) {
	t.Parallel()
	o := newOffice(t, aKey)
	made, err := o.Create(t.Context(), o.boss, connection.Katana, connection.Settings{Name: "Katana", Address: o.other.URL, MayLoad: true}, token)
	require.NoError(t, err)
	opened, err := o.Peek(t.Context(), o.boss, made.ID)
	require.NoError(t, err)
	probe := func() error { return o.other.Probe(t.Context(), opened.Client, o.other.URL, opened.Token) }
	require.NoError(t, probe())
	narrow := func(list any) {
		_, err := o.admin.Exec(t.Context(), "UPDATE control.tenants SET outbound_allow = $2 WHERE id = $1", o.boss.Tenant, list)
		require.NoError(t, err)
	}
	other := pgtest.NewTenant(t, o.db)
	stranger := auth.Principal{Tenant: other.ID, Workspace: other.Workspace, Role: auth.CompanyAdmin, Person: uuid.New(),
		Actor: auth.Actor{Type: auth.ByPerson, ID: uuid.NewString()}}
	theirs, err := o.Create(t.Context(), stranger, connection.Katana, connection.Settings{Name: "Katana", Address: o.other.URL, MayLoad: true}, token)
	require.NoError(t, err)

	narrow([]string{})
	require.True(t, fault.HasCode(probe(), "outbound_address"))
	tested, err := o.Test(t.Context(), o.boss, made.ID)
	require.NoError(t, err)
	require.Contains(t, tested.Test.Failure, "an operator can allow its network for your company")
	tested, err = o.Test(t.Context(), stranger, theirs.ID)
	require.NoError(t, err)
	require.Empty(t, tested.Test.Failure, "another company")
	address := o.other.URL + "/v2"
	now, err := o.Get(t.Context(), o.boss, made.ID)
	require.NoError(t, err)
	_, err = o.Change(t.Context(), o.boss, made.ID, now.Version, connection.Changes{Address: &address})
	require.True(t, fault.HasCode(err, "outbound_address"), "people learn it when they enter the address: %v", err)

	narrow([]string{"127.0.0.0/8"})
	require.NoError(t, probe())
	narrow(nil)
	require.NoError(t, probe())
}
