package pgtest

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
)

// listener is a test that keeps what it is told.
type listener struct {
	testing.TB
	told []string
}

func (l *listener) Error(args ...any) { l.told = append(l.told, fmt.Sprint(args...)) }
func (l *listener) Errorf(format string, args ...any) {
	l.told = append(l.told, fmt.Sprintf(format, args...))
}

// TestRecountThatFails checks that a check which cannot be made fails the test, unless the test says that it has
// broken its database on purpose.
func TestRecountThatFails(t *testing.T) {
	t.Parallel()
	db := New(t)
	tenant, of := NewTenant(t, db), &listener{TB: t}
	recount(of, db, tenant.ID)
	require.Empty(t, of.told)
	_, err := db.Owner(t).Exec(t.Context(), "REVOKE SELECT ON workspace.purchase_order_lines FROM quayside_app")
	require.NoError(t, err)
	recount(of, db, tenant.ID)
	require.Len(t, of.told, 1)
	require.Contains(t, of.told[0], "were not checked")
	db.Broken()
	recount(of, db, tenant.ID)
	require.Len(t, of.told, 1)
}
