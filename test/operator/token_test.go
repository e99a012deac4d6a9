package operator_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/quayside/quayside/test/rig"
)

// TestTokens creates, lists and revokes an agent's token at the command line.
func TestTokens(t *testing.T) {
	t.Parallel()
	server := rig.NewMigrated(t)
	run := func(code int, args ...string) rig.Result {
		result := rig.Run(t, server.Env, args...)
		require.Equal(t, code, result.Code, result.Stdout+result.Stderr)
		return result
	}
	var company struct {
		ID string `json:"tenant_id"`
	}
	run(0, "tenant", "create", "--name", "Acme", "--json").Decode(t, &company)
	require.Contains(t, run(0, "tenant", "list").Stdout, company.ID)

	type token struct {
		ID, Token, Label string
		Scopes           []string
		AgentID          string  `json:"agent_id"`
		ExpiresAt        *string `json:"expires_at"`
		RevokedAt        *string `json:"revoked_at"`
	}
	var made, again, ended, still token
	run(0, "token", "create", "--tenant", company.ID, "--agent", "Night buyer", "--scope", "read,write,failed_imports",
		"--json").Decode(t, &made)
	require.Regexp(t, `^qst_[0-9a-f]{48}$`, made.Token)
	require.Equal(t, []string{"read", "write", "failed_imports"}, made.Scopes)
	require.Nil(t, made.ExpiresAt)
	run(0, "token", "create", "--tenant", company.ID, "--agent", "Night buyer", "--scope", "read", "--days", "30",
		"--json").Decode(t, &again)
	require.Equal(t, made.AgentID, again.AgentID, "an agent is its name")
	require.NotNil(t, again.ExpiresAt)

	const stranger = "0190f1de-6a3b-7c21-9d2e-3f4a5b6c7d8e"
	for _, tt := range []struct {
		code  int
		words string
		args  []string
	}{
		{1, `no scope "approve"`, []string{"create", "--tenant", company.ID, "--agent", "x", "--scope", "approve"}},
		{1, "no tenant " + stranger, []string{"create", "--tenant", stranger, "--agent", "x", "--scope", "read"}},
		{1, "no workspace " + stranger,
			[]string{"create", "--tenant", company.ID, "--workspace", stranger, "--agent", "x", "--scope", "read"}},
		{1, "needs a label", []string{"create", "--tenant", company.ID, "--agent", " ", "--scope", "read"}},
		{2, "required flag(s)", []string{"create", "--tenant", company.ID}},
		{1, "no such token", []string{"revoke", stranger, "--tenant", company.ID}},
	} {
		require.Contains(t, run(tt.code, append([]string{"token"}, tt.args...)...).Stderr, tt.words)
	}
	run(0, "token", "revoke", made.ID, "--tenant", company.ID, "--json").Decode(t, &ended)
	run(0, "token", "revoke", made.ID, "--tenant", company.ID, "--json").Decode(t, &still)
	require.NotNil(t, ended.RevokedAt)
	require.Equal(t, ended.RevokedAt, still.RevokedAt)
	listed := run(0, "token", "list", "--tenant", company.ID).Stdout
	require.Contains(t, listed, "revoked")
	require.Contains(t, listed, "live")
	require.NotContains(t, listed, made.Token)
}
