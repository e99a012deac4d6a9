package apikey_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/quayside/quayside/internal/apikey"
	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/secret"
)

// states are what can become of a key that worked, and the error with which it is refused from then on.
var states = []struct {
	name    string
	change  func(st stage, key apikey.Key)
	refused error
}{
	{"live", func(stage, apikey.Key) {}, nil},
	{"expires later", func(st stage, key apikey.Key) { st.set(key, "expires_at = now() + interval '1 minute'") }, nil},
	{"expired", func(st stage, key apikey.Key) { st.set(key, "expires_at = now()") }, auth.ErrDeadKey},
	{"expired long ago", func(st stage, key apikey.Key) { st.set(key, "expires_at = now() - interval '1 year'") },
		auth.ErrDeadKey},
	{"revoked", func(st stage, key apikey.Key) {
		_, err := st.keys.Revoke(st.t.Context(), st.by, key.ID)
		require.NoError(st.t, err)
	}, auth.ErrDeadKey},
	{"revoked, and would have expired later", func(st stage, key apikey.Key) {
		st.set(key, "revoked_at = now(), expires_at = now() + interval '1 day'")
	}, auth.ErrDeadKey},
	{"rotated without an overlap", func(st stage, key apikey.Key) { st.rotate(key, apikey.NoOverlap) }, auth.ErrDeadKey},
	{"rotated with an overlap", func(st stage, key apikey.Key) { st.rotate(key, apikey.OverlapHour) }, nil},
	{"rotated, and the overlap is over", func(st stage, key apikey.Key) {
		st.rotate(key, apikey.OverlapHour)
		st.set(key, "expires_at = expires_at - interval '1 hour'")
	}, auth.ErrDeadKey},
	{"of a suspended company", func(st stage, _ apikey.Key) { st.suspend() }, auth.ErrSuspended},
	{"gone from the directory", func(st stage, key apikey.Key) {
		_, err := st.admin.Exec(st.t.Context(), "DELETE FROM control.key_directory WHERE key_id = $1", key.ID)
		require.NoError(st.t, err)
	}, auth.ErrDeadKey},
	{"gone from its company", func(st stage, key apikey.Key) {
		_, err := st.admin.Exec(st.t.Context(), "DELETE FROM workspace.api_keys WHERE id = $1", key.ID)
		require.NoError(st.t, err)
	}, auth.ErrDeadKey},
}

func (st stage) rotate(key apikey.Key, overlap time.Duration) apikey.Key {
	st.t.Helper()
	made, _, err := st.keys.Rotate(st.t.Context(), st.by, key.ID, overlap)
	require.NoError(st.t, err)
	return made
}

// TestStates verifies a key in every state: with a service that never saw it, and with one that knew it before. The
// latter may answer from its cache until the write path, which asks the database, lets it forget the key.
func TestStates(t *testing.T) {
	t.Parallel()
	st := newStage(t)
	for _, state := range states { // the last states break the company, so one comes after the other
		key, shown := st.issue(apikey.Request{Label: state.name})
		knew := apikey.New(st.db.Cells)
		before, err := knew.Verify(t.Context(), shown, here)
		require.NoError(t, err, state.name)
		state.change(st, key)

		caller, err := apikey.New(st.db.Cells).Verify(t.Context(), shown, here)
		require.ErrorIs(t, err, state.refused, state.name)
		if state.refused != nil {
			require.Equal(t, apikey.Caller{}, caller, state.name)
		}
		knew.Forget(before)
		_, err = knew.Verify(t.Context(), shown, here)
		require.ErrorIs(t, err, state.refused, "%s: the cache was used after Forget", state.name)
		_, err = st.admin.Exec(t.Context(), "UPDATE control.tenants SET suspended_at = NULL WHERE id = $1", st.tenant.ID)
		require.NoError(t, err)
	}
}

// TestMalformed shows what is no key, or not quite one. None of it is looked for.
func TestMalformed(t *testing.T) {
	t.Parallel()
	st := newStage(t)
	_, shown := st.issue(apikey.Request{})
	require.Regexp(t, `^pk_[0-9a-f]{48}$`, shown)
	for _, wrong := range []string{
		"", "pk_", shown[:len(shown)-1], shown + "0", shown + "\n", " " + shown, strings.ToUpper(shown),
		strings.TrimPrefix(shown, "pk_"), "qst_" + strings.TrimPrefix(shown, "pk_"), "PK_" + strings.TrimPrefix(shown, "pk_"),
		shown[:apikeyPrefix], shown + shown, secret.New("pk_"), "pk_" + strings.Repeat("0", 48),
	} {
		caller, err := st.keys.Verify(t.Context(), wrong, here)
		require.ErrorIs(t, err, auth.ErrDeadKey, "%q", wrong)
		require.Equal(t, apikey.Caller{}, caller)
	}
}

// apikeyPrefix is how much of a key is stored to recognise it by: "pk_" and eight of its 48 characters.
const apikeyPrefix = 11

// TestCaller checks what a key says of its caller, and that only its hash and its first characters are stored.
func TestCaller(t *testing.T) {
	t.Parallel()
	st := newStage(t)
	for _, scope := range []string{"orders", auth.AllTables} {
		key, shown := st.issue(apikey.Request{Scope: scope})
		caller, err := st.keys.Verify(t.Context(), shown, here)
		require.NoError(t, err)
		require.Equal(t, st.tenant.ID, caller.Tenant)
		require.Equal(t, st.tenant.Workspace, caller.Workspace)
		require.Equal(t, key.ID, caller.Key)
		require.Equal(t, scope, caller.Scope)
		require.Equal(t, auth.Actor{Type: auth.ByKey, ID: key.ID.String()}, caller.Actor)
		require.Equal(t, []int{apikey.DefaultRate, apikey.DefaultBurst}, []int{caller.Rate, caller.Burst})
		require.Empty(t, caller.Role, "a key is nobody in the company")
		require.Error(t, caller.Require(auth.Read))
		require.Nil(t, caller.PersonID())

		require.Equal(t, shown[:apikeyPrefix], key.Prefix)
		var plain int
		require.NoError(t, st.admin.QueryRow(t.Context(), `
			SELECT (SELECT count(*) FROM workspace.api_keys k WHERE k::text LIKE '%' || $1 || '%')
			+ (SELECT count(*) FROM control.key_directory d WHERE d::text LIKE '%' || $1 || '%')
			+ (SELECT count(*) FROM workspace.audit a WHERE a::text LIKE '%' || $1 || '%')`, shown[apikeyPrefix:]).Scan(&plain))
		require.Zero(t, plain, "the secret is stored")
	}
}

// TestTake checks that every key has a bucket of its own, that another key of the same company is not held up, and
// that a change of the rate takes effect. Buckets fill while the test runs, so it tries until one is empty.
func TestTake(t *testing.T) {
	t.Parallel()
	keys, tenant := apikey.New(nil), uuid.New()
	caller := func() apikey.Caller {
		return apikey.Caller{Principal: auth.Principal{Tenant: tenant, Key: uuid.New()}, Rate: 1, Burst: 50}
	}
	drain := func(of apikey.Caller) (taken int, refused apikey.Allowance) {
		for ; taken < 10_000; taken++ {
			if refused = keys.Take(of); !refused.OK && refused.Remaining == 0 {
				return taken, refused
			}
		}
		require.Fail(t, "there is no limit")
		return taken, refused
	}
	one, other := caller(), caller()
	taken, refused := drain(one)
	require.GreaterOrEqual(t, taken, 50)
	require.Equal(t, 1, refused.Rate)
	require.Positive(t, refused.Wait)
	require.LessOrEqual(t, refused.Wait, time.Second)
	require.Greater(t, refused.Full, 48*time.Second)
	require.LessOrEqual(t, refused.Full, 50*time.Second)
	taken, _ = drain(other)
	require.GreaterOrEqual(t, taken, 50, "another key of the same company was held up")

	one.Rate, one.Burst = 1_000_000, 1_000_000
	require.Eventually(t, func() bool { return keys.Take(one).OK }, time.Minute, time.Millisecond,
		"the bucket keeps its old rate")
}
