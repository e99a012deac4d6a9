package vault_test

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/quayside/quayside/internal/fault"
	"github.com/quayside/quayside/internal/pg/pgtest"
	"github.com/quayside/quayside/internal/vault"
)

const token = "canary-token-5f1e"

// key returns a key as operators write it.
func key(id string, filled byte) string {
	return id + ":" + base64.StdEncoding.EncodeToString(bytes.Repeat([]byte{filled}, 32))
}

func keys(t *testing.T, texts ...string) vault.Keys {
	t.Helper()
	parsed, err := vault.ParseKeys(strings.Join(texts, ","))
	require.NoError(t, err)
	return parsed
}

func TestParseKeys(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ text, wantErr string }{
		{"", ""},
		{key("a", 1), ""},
		{key("2026-11", 2) + ", " + key("2025.01", 1), ""},
		{key("new", 2) + "\n" + key("old", 1) + "\n", ""},
		{"a:" + token, "of key 1, the key is not base64 of 32 bytes"},
		{token, "of key 1, the key is not base64 of 32 bytes"},
		{"a:", "of key 1, the key is not base64 of 32 bytes"},
		{key("a", 1) + "," + key("a", 2), "of key 2, the id is used twice"},
		{key("", 1), "of key 1, the id must have"},
		{key("ä", 1), "of key 1, the id must have"},
		{"a:" + base64.StdEncoding.EncodeToString(make([]byte, 16)), "not base64 of 32 bytes"},
	} {
		_, err := vault.ParseKeys(tt.text)
		if tt.wantErr == "" {
			require.NoError(t, err)
			continue
		}
		require.ErrorContains(t, err, tt.wantErr)
		require.NotContains(t, err.Error(), token)
	}
}

// TestSecretIsNotShown prints, logs and encodes a secret in every way.
func TestSecretIsNotShown(t *testing.T) {
	t.Parallel()
	secret := vault.NewSecret(token)
	type exported struct {
		Token vault.Secret
		Rest  *vault.Secret
	}
	type unexported struct{ token vault.Secret }
	var seen strings.Builder
	for _, value := range []any{
		secret, &secret, exported{secret, &secret}, &exported{secret, &secret}, unexported{secret}, []any{secret},
		map[string]any{"token": secret}, map[string]vault.Secret{"token": secret}, fmt.Errorf("failed: %v", secret),
	} {
		for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%X", "%d", "%t", "%08.3f"} {
			fmt.Fprintf(&seen, verb+"\n", value)
		}
		text, err := json.Marshal(value)
		require.NoError(t, err)
		seen.Write(text)
		slog.New(slog.NewJSONHandler(&seen, nil)).Info("message", "value", value)
		slog.New(slog.NewTextHandler(&seen, nil)).Info("message", slog.Group("in", "value", value))
	}
	require.NotContains(t, seen.String(), token)
	require.NotContains(t, seen.String(), fmt.Sprintf("%x", token))
	require.NotContains(t, seen.String(), fmt.Sprintf("%X", token))
	require.Contains(t, seen.String(), `{"Token":"[secret]","Rest":"[secret]"}`)
	require.Equal(t, token, secret.Reveal())
	require.Empty(t, vault.Secret{}.Reveal())
}

type stage struct {
	*pgtest.DB
	t        *testing.T
	admin    *pgx.Conn
	tenant   uuid.UUID
	owner    uuid.UUID
	stranger uuid.UUID
}

func newStage(t *testing.T) *stage {
	t.Helper()
	db := pgtest.New(t)
	return &stage{DB: db, t: t, admin: db.Admin(t), tenant: pgtest.NewTenant(t, db).ID, owner: uuid.New(),
		stranger: pgtest.NewTenant(t, db).ID}
}

func (s *stage) name() vault.Name {
	return vault.Name{Tenant: s.tenant, Owner: s.owner, Purpose: "token"}
}

func (s *stage) put(v *vault.Vault, name vault.Name, text string) error {
	return s.InTenant(s.t.Context(), name.Tenant, func(tx pgx.Tx) error {
		return v.Put(s.t.Context(), tx, name, vault.NewSecret(text))
	})
}

func (s *stage) get(v *vault.Vault, name vault.Name) (text string, err error) {
	err = s.InTenant(s.t.Context(), name.Tenant, func(tx pgx.Tx) error {
		secret, err := v.Get(s.t.Context(), tx, name)
		text = secret.Reveal()
		return err
	})
	return text, err
}

func (s *stage) rows() string {
	var text string
	require.NoError(s.t, s.admin.QueryRow(s.t.Context(),
		"SELECT string_agg(s::text || encode(sealed, 'escape'), ' ') FROM workspace.secrets s").Scan(&text))
	return text
}

func TestVault(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	v := vault.New(s.Cells, keys(t, key("a", 1)))
	require.NoError(t, s.put(v, s.name(), token))
	got, err := s.get(v, s.name())
	require.NoError(t, err)
	require.Equal(t, token, got)
	require.NotContains(t, s.rows(), token)
	first := s.rows()
	require.NoError(t, s.put(v, s.name(), token))
	require.NotEqual(t, first, s.rows(), "each has its own nonce")

	require.NoError(t, s.put(v, s.name(), "another-token-0000"))
	got, err = s.get(v, s.name())
	require.NoError(t, err)
	require.Equal(t, "another-token-0000", got)

	err = s.put(vault.New(s.Cells, vault.Keys{}), s.name(), token)
	require.True(t, fault.HasCode(err, "secret_keys_missing"), "%v", err)
	require.ErrorContains(t, err, "QUAYSIDE_SECRET_KEYS")
	_, err = s.get(vault.New(s.Cells, keys(t, key("b", 1))), s.name())
	require.ErrorContains(t, err, "needs the key a")
	_, err = s.get(vault.New(s.Cells, keys(t, key("a", 9))), s.name())
	require.True(t, fault.HasCode(err, "secret_unreadable"), "%v", err)

	require.NoError(t, s.InTenant(t.Context(), s.tenant, func(tx pgx.Tx) error {
		return v.Drop(t.Context(), tx, s.tenant, s.owner)
	}))
	_, err = s.get(v, s.name())
	require.True(t, fault.Is(err, fault.NotFound), "%v", err)
}

// TestMovedRow copies a sealed secret to other names, as somebody with the owner's login could.
func TestMovedRow(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	v := vault.New(s.Cells, keys(t, key("a", 1)))
	require.NoError(t, s.put(v, s.name(), token))
	other := uuid.New()
	for what, name := range map[string]vault.Name{
		"tenant":  {Tenant: s.stranger, Owner: s.owner, Purpose: "token"},
		"owner":   {Tenant: s.tenant, Owner: other, Purpose: "token"},
		"purpose": {Tenant: s.tenant, Owner: s.owner, Purpose: "webhook"},
	} {
		_, err := s.admin.Exec(t.Context(), `INSERT INTO workspace.secrets (tenant_id, owner_id, purpose, key_id, sealed, ending)
			SELECT $1, $2, $3, key_id, sealed, ending FROM workspace.secrets LIMIT 1`, name.Tenant, name.Owner, name.Purpose)
		require.NoError(t, err)
		_, err = s.get(v, name)
		require.True(t, fault.HasCode(err, "secret_unreadable"), "%s: %v", what, err)
	}
	_, err := s.admin.Exec(t.Context(), "UPDATE workspace.secrets SET sealed = set_byte(sealed, 20, get_byte(sealed, 20) # 1)")
	require.NoError(t, err)
	_, err = s.get(v, s.name())
	require.True(t, fault.HasCode(err, "secret_unreadable"), "%v", err)
}

// TestRotate seals secrets of several tenants again, among them one that nobody can open any more.
func TestRotate(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	lost := vault.New(s.Cells, keys(t, key("lost", 7)))
	old := vault.New(s.Cells, keys(t, key("old", 1)))
	both := vault.New(s.Cells, keys(t, key("new", 2), key("old", 1)))
	newest := vault.New(s.Cells, keys(t, key("new", 2)))
	const many = 205 // more than two slices
	names := make([]vault.Name, many)
	for i := range names {
		names[i] = vault.Name{Tenant: s.tenant, Owner: uuid.New(), Purpose: "token"}
		if i%2 == 1 {
			names[i].Tenant = s.stranger
		}
		require.NoError(t, s.put(old, names[i], fmt.Sprint(token, i)))
	}
	unreadable := vault.Name{Tenant: s.tenant, Owner: uuid.New(), Purpose: "token"}
	require.NoError(t, s.put(lost, unreadable, token))
	_, err := s.admin.Exec(t.Context(), "UPDATE workspace.secrets SET set_at = '2026-01-01'")
	require.NoError(t, err)

	needs, err := both.Needs(t.Context())
	require.NoError(t, err)
	require.Len(t, needs, 2)
	require.Equal(t, "lost", needs[0].Key)
	require.True(t, fault.HasCode(needs[0].Err, "secret_key_missing"))
	require.Equal(t, vault.Need{Key: "old", Secrets: many}, needs[1])

	done, err := both.Rotate(t.Context())
	require.ErrorContains(t, err, "needs the key lost")
	require.Equal(t, vault.Rotation{Key: "new", Sealed: many, Failed: 1}, done)
	for i, name := range names {
		got, err := s.get(newest, name)
		require.NoError(t, err)
		require.Equal(t, fmt.Sprint(token, i), got)
	}
	var untouched int
	require.NoError(t, s.admin.QueryRow(t.Context(),
		"SELECT count(*) FROM workspace.secrets WHERE set_at = '2026-01-01'").Scan(&untouched))
	require.Equal(t, many+1, untouched, "a secret is as old as before")
	done, err = both.Rotate(t.Context())
	require.Error(t, err)
	require.Equal(t, vault.Rotation{Key: "new", Failed: 1}, done, "nothing is left to do")

	_, err = vault.New(s.Cells, vault.Keys{}).Rotate(t.Context())
	require.True(t, fault.HasCode(err, "secret_keys_missing"))
}

// TestSystemReadsNoSecret checks that the role that crosses tenants cannot read what is sealed.
func TestSystemReadsNoSecret(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	err := s.InSystem(t.Context(), func(tx pgx.Tx) error {
		_, err := tx.Exec(t.Context(), "SELECT sealed FROM workspace.secrets")
		return err
	})
	require.ErrorContains(t, err, "permission denied")
}
