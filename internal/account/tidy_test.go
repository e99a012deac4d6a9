package account_test

import (
	"log/slog"
	"net/netip"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/quayside/quayside/internal/account"
	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/mail"
	"github.com/quayside/quayside/internal/pg/pgtest"
)

// TestTidy: expired links and browsers of all tenants are deleted, and the
// database role that does it cannot delete anything else.
func TestTidy(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	tenant, admin, ctx := pgtest.NewTenant(t, db), db.Admin(t), t.Context()
	post, err := mail.New("")
	require.NoError(t, err)
	accounts := account.New(db.Cells, post, slog.New(slog.DiscardHandler), "https://quay.example")
	t.Cleanup(accounts.Close)
	device := account.Device{Address: netip.MustParseAddr("192.0.2.1")}
	for _, email := range []string{"ada@example.com", "grace@example.com"} {
		_, _, err := accounts.CreateUser(ctx, auth.Operator(tenant.ID), email, "", "correct horse battery", auth.Buyer)
		require.NoError(t, err)
		_, err = accounts.SignIn(ctx, email, "correct horse battery", device)
		require.NoError(t, err)
		_, err = accounts.OperatorResetLink(ctx, email)
		require.NoError(t, err)
		_, _, err = accounts.Invite(ctx, auth.Operator(tenant.ID), "not-"+email, auth.Buyer)
		require.NoError(t, err)
	}
	tables := []string{"password_resets", "browsers", "invitations"}
	count := func(table string) (n int) {
		require.NoError(t, admin.QueryRow(ctx, "SELECT count(*) FROM control."+table).Scan(&n))
		return n
	}
	for _, table := range tables {
		require.Equal(t, 2, count(table), table)
		_, err := admin.Exec(ctx,
			"UPDATE control."+table+" SET expires_at = now() WHERE ctid = (SELECT min(ctid) FROM control."+table+")")
		require.NoError(t, err)
	}
	require.NoError(t, accounts.Tidy(ctx))
	require.NoError(t, accounts.Tidy(ctx))
	for _, table := range tables {
		require.Equal(t, 1, count(table), table)
		require.NoError(t, db.InSystem(ctx, func(tx pgx.Tx) error {
			_, err := tx.Exec(ctx, "DELETE FROM control."+table)
			return err
		}))
		require.Equal(t, 1, count(table), "%s: the role cannot delete a row that has not expired", table)
	}
}
