package account_test

import (
	"strings"
	"testing"
	"time"

	"github.com/alexedwards/argon2id"
	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/pg/pgtest"
)

// sessionStates are what can become of a session, and the codes with which it is refused from then on: wherever it is
// shown, or only in the company.
var sessionStates = []struct {
	name            string
	change          func(st stage, who somebody) error
	refused, placed string
}{
	{"live", func(stage, somebody) error { return nil }, "", ""},
	{"signed out", func(st stage, who somebody) error {
		return st.accounts.EndSession(st.t.Context(), who.Principal, who.Session)
	}, "no_session", "no_session"},
	{"another of the person's was ended", func(st stage, who somebody) error {
		other, err := st.accounts.Identify(st.t.Context(), st.enter(who.Person), uuid.Nil, uuid.Nil, device)
		require.NoError(st.t, err)
		return st.accounts.EndSession(st.t.Context(), who.Principal, other.Session)
	}, "", ""},
	{"all others were ended", func(st stage, who somebody) error {
		return st.accounts.EndOtherSessions(st.t.Context(), who.Principal)
	}, "", ""},
	{"it was one of the others", func(st stage, who somebody) error {
		other, err := st.accounts.Identify(st.t.Context(), st.enter(who.Person), uuid.Nil, uuid.Nil, device)
		require.NoError(st.t, err)
		return st.accounts.EndOtherSessions(st.t.Context(), other)
	}, "no_session", "no_session"},
	{"expired", func(st stage, who somebody) error {
		st.exec("UPDATE control.sessions SET expires_at = now() WHERE id = $1", who.Session)
		return nil
	}, "no_session", "no_session"},
	{"about to expire", func(st stage, who somebody) error {
		st.exec("UPDATE control.sessions SET expires_at = now() + interval '1 minute' WHERE id = $1", who.Session)
		return nil
	}, "", ""},
	{"the password was changed in it", func(st stage, who somebody) error {
		return st.accounts.ChangePassword(st.t.Context(), who.Principal, pgtest.Password, newWord, device)
	}, "", ""},
	{"the password was changed in another", func(st stage, who somebody) error {
		other, err := st.accounts.Identify(st.t.Context(), st.enter(who.Person), uuid.Nil, uuid.Nil, device)
		require.NoError(st.t, err)
		return st.accounts.ChangePassword(st.t.Context(), other, pgtest.Password, newWord, device)
	}, "no_session", "no_session"},
	{"the password was reset", func(st stage, who somebody) error {
		link, err := st.accounts.OperatorResetLink(st.t.Context(), who.email)
		require.NoError(st.t, err)
		_, err = st.accounts.Reset(st.t.Context(), after(link), newWord, false, device)
		return err
	}, "no_session", "no_session"},
	{"another role", func(st stage, who somebody) error { st.change(who.Person, auth.Approver); return nil }, "no_session",
		"no_session"},
	{"the same role again", func(st stage, who somebody) error { st.change(who.Person, auth.Buyer); return nil }, "", ""},
	{"no member any more", func(st stage, who somebody) error { st.change(who.Person, ""); return nil }, "no_session",
		"no_session"},
	{"without the membership", func(st stage, who somebody) error {
		st.exec("DELETE FROM control.memberships WHERE user_id = $1", who.Person)
		return nil
	}, "", "unknown_place"},
	{"of a suspended company", func(st stage, _ somebody) error {
		_, err := st.accounts.Suspend(st.t.Context(), st.tenant.ID, "unpaid")
		return err
	}, "", "suspended"},
	{"of a company that resumed", func(st stage, _ somebody) error {
		_, err := st.accounts.Resume(st.t.Context(), st.tenant.ID)
		return err
	}, "", ""},
}

// TestSessions shows a session in every state: nowhere in particular, in the company, in its workspace, and where the
// person does not belong.
func TestSessions(t *testing.T) {
	t.Parallel()
	st := newStage(t)
	theirs := pgtest.NewTenant(t, st.db)
	for _, state := range sessionStates {
		st.exec("UPDATE control.tenants SET suspended_at = NULL")
		who := st.join(st.tenant, auth.Buyer)
		require.NoError(t, state.change(st, who), state.name)
		require.Equal(t, state.refused, st.identify(who.session, uuid.Nil, uuid.Nil), "%s: nowhere", state.name)
		require.Equal(t, state.placed, st.identifyAs(who, st.tenant.ID, uuid.Nil), "%s: in the company", state.name)
		require.Equal(t, state.placed, st.identifyAs(who, uuid.Nil, st.tenant.Workspace), "%s: in the workspace", state.name)
		elsewhere := state.refused
		if elsewhere == "" {
			elsewhere = "unknown_place"
		}
		nowhere := pgtest.Tenant{ID: uuid.New(), Workspace: uuid.New()}
		for name, place := range map[string]pgtest.Tenant{"of others": theirs, "that is none": nowhere} {
			require.Equal(t, elsewhere, st.identifyAs(who, place.ID, uuid.Nil), "%s: in a company %s", state.name, name)
			require.Equal(t, elsewhere, st.identifyAs(who, uuid.Nil, place.Workspace), "%s: in a workspace %s", state.name, name)
		}
	}
}

// identifyAs is identify for a session that may be known, in a place that may refuse it. A refusal gives no rights.
func (st stage) identifyAs(who somebody, tenant, workspace uuid.UUID) string {
	st.t.Helper()
	by, err := st.accounts.Identify(st.t.Context(), who.session, tenant, workspace, device)
	if err != nil {
		require.Equal(st.t, auth.Principal{}, by)
		return code(err)
	}
	require.Equal(st.t, []any{st.tenant.ID, who.Role, who.Person}, []any{by.Tenant, by.Role, by.Person})
	return ""
}

// TestSessionTokens shows what is no session's token, or not quite one.
func TestSessionTokens(t *testing.T) {
	t.Parallel()
	st := newStage(t)
	who := st.join(st.tenant, auth.Viewer)
	require.Len(t, who.session, 43)
	hash := read[string](st, "SELECT encode(token_hash, 'hex') FROM control.sessions WHERE user_id = $1", who.Person)
	for _, wrong := range []string{
		"", who.session[:42], who.session + "A", who.session + "=", " " + who.session, strings.ToLower(who.session),
		strings.Repeat("A", 43), hash, who.Session.String(), who.Person.String(),
	} {
		require.Equal(t, "no_session", st.identify(wrong, uuid.Nil, uuid.Nil), "%q", wrong)
	}
}

// TestSessionGrowsOld checks until when a use extends a session: a week, and not beyond thirty days after its
// beginning. A session that was seen within a minute is not written.
func TestSessionGrowsOld(t *testing.T) {
	t.Parallel()
	st := newStage(t)
	const day = 24 * time.Hour
	for _, tt := range []struct {
		name          string
		age, seen     time.Duration // since it began, and since its last use
		before, after time.Duration // how long it lives, before the use and after it
	}{
		{"new", 2 * time.Minute, 2 * time.Minute, 5 * day, 7 * day},
		{"seen just now", 2 * time.Minute, 0, 5 * day, 5 * day},
		{"old", 22 * day, day, day, 7 * day},
		{"almost thirty days", 29 * day, day, 6 * day, day},
		{"thirty days", 30 * day, day, 6 * day, 0},
	} {
		who := st.join(st.tenant, auth.Viewer)
		st.exec(`UPDATE control.sessions SET created_at = now() - $2::interval, last_seen_at = now() - $3::interval,
			expires_at = now() + $4::interval WHERE id = $1`, who.Session, tt.age, tt.seen, tt.before)
		require.Empty(t, st.identify(who.session, uuid.Nil, uuid.Nil), tt.name)
		left := read[float64](st, "SELECT extract(epoch FROM expires_at - now())::float8 FROM control.sessions WHERE id = $1",
			who.Session)
		require.InDelta(t, tt.after.Seconds(), left, 600, tt.name)
	}
}

// TestPasswords checks that a password is changed only with the present one, and that the old one opens nothing
// afterwards.
func TestPasswords(t *testing.T) {
	t.Parallel()
	st := newStage(t)
	who, ctx := st.join(st.tenant, auth.Viewer), t.Context()
	change := func(present, wanted string) string {
		return code(st.accounts.ChangePassword(ctx, who.Principal, present, wanted, device))
	}
	signIn := func(email, word string) string {
		_, err := st.accounts.SignIn(ctx, email, word, device)
		return code(err)
	}
	require.Equal(t, "wrong_password", change("", newWord))
	require.Equal(t, "wrong_password", change(newWord, newWord))
	require.Equal(t, "password_short", change(pgtest.Password, "short"))
	require.Empty(t, signIn(who.email, pgtest.Password))
	require.Empty(t, change(pgtest.Password, newWord))
	require.Equal(t, "sign_in", signIn(who.email, pgtest.Password))
	require.Equal(t, "sign_in", signIn(who.email, ""))
	require.Equal(t, "sign_in", signIn(st.join(st.tenant, auth.Viewer).email, newWord), "another person's")
	require.Empty(t, signIn(strings.ToUpper(who.email), newWord))
	st.accounts.Close() // refusals are recorded in the background
	for action, times := range map[string]int64{"member.password_changed": 1, "session.started": 2, "session.refused": 2} {
		require.Equal(t, times, read[int64](st, "SELECT count(*) FROM workspace.audit WHERE action = $1 AND subject = $2",
			action, who.Person.String()), action)
	}
}

// TestShortPasswordsFromBefore checks that a password of ten characters, set when that was the least, still signs in, and
// that nobody sets it now.
func TestShortPasswordsFromBefore(t *testing.T) {
	t.Parallel()
	st := newStage(t)
	const ten = "ten of old"
	who := st.join(st.tenant, auth.Viewer)
	hash, err := argon2id.CreateHash(ten, &argon2id.Params{Memory: 19 << 10, Iterations: 2, Parallelism: 1, SaltLength: 16, KeyLength: 32})
	require.NoError(t, err)
	st.exec("UPDATE control.passwords SET hash = $2 WHERE user_id = $1", who.Person, hash)
	entrance, err := st.accounts.SignIn(t.Context(), who.email, ten, device)
	require.NoError(t, err)
	require.Empty(t, st.identify(entrance.Session, st.tenant.ID, st.tenant.Workspace))
	require.Equal(t, "password_short", code(st.accounts.ChangePassword(t.Context(), who.Principal, ten, ten, device)))
}

// TestCurrentPrincipal checks the rights of somebody whose import, bulk retry or token goes on: those of now, and none
// where they do not belong.
func TestCurrentPrincipal(t *testing.T) {
	t.Parallel()
	st, ctx := newStage(t), t.Context()
	who, theirs := st.join(st.tenant, auth.Buyer), pgtest.NewTenant(t, st.db)
	current := func(tenant pgtest.Tenant) (auth.Role, string) {
		by, err := st.accounts.CurrentPrincipal(ctx, who.Person, tenant.ID, tenant.Workspace)
		require.Equal(t, []any{who.Person, who.Actor, uuid.Nil}, []any{by.Person, by.Actor, by.Session})
		return by.Role, code(err)
	}
	expect := func(tenant pgtest.Tenant, role auth.Role, refused string) {
		t.Helper()
		now, err := current(tenant)
		require.Equal(t, []any{role, refused}, []any{now, err})
	}
	expect(st.tenant, auth.Buyer, "")
	expect(theirs, "", "")
	expect(pgtest.Tenant{ID: st.tenant.ID, Workspace: uuid.New()}, "", "")
	st.change(who.Person, auth.Viewer)
	expect(st.tenant, auth.Viewer, "")
	_, err := st.accounts.Suspend(ctx, st.tenant.ID, "unpaid")
	require.NoError(t, err)
	expect(st.tenant, "", "suspended")
	_, err = st.accounts.Resume(ctx, st.tenant.ID)
	require.NoError(t, err)
	st.change(who.Person, "")
	expect(st.tenant, "", "")
}
