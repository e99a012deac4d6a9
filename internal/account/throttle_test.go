package account

import (
	"log/slog"
	"net/netip"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/fault"
	"github.com/quayside/quayside/internal/mail"
	"github.com/quayside/quayside/internal/pg/pgtest"
)

func newAccounts(t *testing.T, db *pgtest.DB) *Service {
	t.Helper()
	post, err := mail.New("")
	require.NoError(t, err)
	accounts := New(db.Cells, post, slog.New(slog.DiscardHandler), "https://quay.example")
	t.Cleanup(accounts.Close)
	return accounts
}

// TestThrottles tries everything that is bounded, as often as it may be tried and once more. Others are not held up,
// and after the period it may be tried again.
func TestThrottles(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	accounts, admin, ctx := newAccounts(t, db), db.Admin(t), t.Context()
	for _, tt := range []struct {
		throttle
		most   int
		period time.Duration
	}{
		{triesByAccount, 10, 15 * time.Minute},
		{triesByAddress, 100, 15 * time.Minute},
		{triesByBrowser, 10, 15 * time.Minute},
		{triesInSession, 10, 15 * time.Minute},
		{resetsByAccount, 5, time.Hour},
		{resetsByAddress, 30, time.Hour},
		{invitesByTenant, 50, time.Hour},
		{invitesInDay, 200, 24 * time.Hour},
		{invitesByPerson, 5, time.Hour},
	} {
		for n := range tt.most {
			require.NoError(t, accounts.takeTry(ctx, tt.throttle, "ada"), "%s: try %d", tt.name, n+1)
		}
		err := accounts.takeTry(ctx, tt.throttle, "ada")
		require.True(t, fault.HasCode(err, "too_many_tries"), "%s: %v", tt.name, err)
		var refused *fault.Error
		require.ErrorAs(t, err, &refused)
		require.InDelta(t, tt.period, refused.Wait, float64(5*time.Minute), tt.name)
		require.NoError(t, accounts.takeTry(ctx, tt.throttle, "grace"), "%s holds up another", tt.name)

		_, err = admin.Exec(ctx, "UPDATE control.throttles SET since = now() - $1::interval", tt.period-time.Minute)
		require.NoError(t, err)
		require.Error(t, accounts.takeTry(ctx, tt.throttle, "ada"), "%s: within the period", tt.name)
		_, err = admin.Exec(ctx, "UPDATE control.throttles SET since = now() - $1::interval", tt.period+time.Minute)
		require.NoError(t, err)
		require.NoError(t, accounts.takeTry(ctx, tt.throttle, "ada"), "%s: after the period", tt.name)
	}
}

// TestNetwork: addresses that one client can choose from count as one.
func TestNetwork(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]string{
		"192.0.2.1":                  "192.0.2.1",
		"192.0.2.2":                  "192.0.2.2",
		"::ffff:192.0.2.1":           "192.0.2.1",
		"2001:db8:1:2::1":            "2001:db8:1:2::/64",
		"2001:db8:1:2:ffff::2":       "2001:db8:1:2::/64",
		"2001:db8:1:3::1":            "2001:db8:1:3::/64",
		"fe80::1%eth0":               "fe80::/64",
		"fe80::2%eth1":               "fe80::/64",
		"2001:db8:1:2:a:b:c:d%wlan0": "2001:db8:1:2::/64",
	} {
		require.Equal(t, want, network(netip.MustParseAddr(address)), address)
	}
}

// TestSignInCounts checks what a sign-in counts against: the account and the address, or only the browser if the
// person has signed in with it before. Another person's browser, and one that is not known, is no browser.
func TestSignInCounts(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	accounts, admin, tenant, ctx := newAccounts(t, db), db.Admin(t), pgtest.NewTenant(t, db), t.Context()
	const ada, grace = "ada@example.com", "grace@example.com"
	browsers := map[string]string{}
	for _, email := range []string{ada, grace} {
		pgtest.NewUser(t, admin, email)
		_, _, err := accounts.CreateUser(ctx, auth.Operator(tenant.ID), email, "", "", auth.Viewer)
		require.NoError(t, err)
		in, err := accounts.SignIn(ctx, email, pgtest.Password, Device{Address: netip.MustParseAddr("192.0.2.9")})
		require.NoError(t, err)
		browsers[email] = in.Browser
	}
	unknown, _ := newToken()
	stranger := []string{"sign-in address", "sign-in account"}
	for name, tt := range map[string]struct {
		email, browser string
		want           []string
	}{
		"no browser":                  {ada, "", stranger},
		"no token":                    {ada, "x", stranger},
		"a browser that nobody knows": {ada, unknown, stranger},
		"another person's browser":    {ada, browsers[grace], stranger},
		"the own browser":             {ada, browsers[ada], []string{"sign-in browser"}},
		"nobody's account":            {"nobody@example.com", browsers[ada], stranger},
	} {
		on := Device{Address: netip.MustParseAddr("192.0.2.1"), Browser: tt.browser}
		allowances, err := accounts.signInAllowances(ctx, tt.email, on)
		require.NoError(t, err)
		var names []string
		for _, one := range allowances {
			names = append(names, one.name)
		}
		require.Equal(t, tt.want, names, name)
	}
	_, err := admin.Exec(ctx, "UPDATE control.browsers SET expires_at = now()")
	require.NoError(t, err)
	on := Device{Address: netip.MustParseAddr("192.0.2.1"), Browser: browsers[ada]}
	allowances, err := accounts.signInAllowances(ctx, ada, on)
	require.NoError(t, err)
	require.Len(t, allowances, 2, "a browser that was not used for long")
}

// TestForgive: a sign-in that succeeds gives the account all its tries back, and the address, which others may share,
// only this one.
func TestForgive(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	accounts, admin, ctx := newAccounts(t, db), db.Admin(t), t.Context()
	tries := func(t throttle, who string) (n int64) {
		_ = admin.QueryRow(ctx, "SELECT tries FROM control.throttles WHERE subject = $1", t.subject(who)).Scan(&n)
		return n
	}
	for _, one := range []struct {
		throttle
		left int64
	}{{triesByAccount, 0}, {triesByBrowser, 0}, {triesInSession, 0}, {triesByAddress, 2}} {
		who := uuid.NewString()
		of := []allowance{{one.throttle, who}}
		for range 3 {
			require.NoError(t, accounts.takeTries(ctx, of))
		}
		require.EqualValues(t, 3, tries(one.throttle, who))
		require.NoError(t, accounts.forgive(ctx, of))
		require.Equal(t, one.left, tries(one.throttle, who), one.name)
	}
}
