package mcpserver_test

import (
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/stretchr/testify/require"

	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/playbook"
)

// TestProcurementConfig checks that a tool shows the config that is in force.
func TestProcurementConfig(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	boss := w.join(auth.CompanyAdmin)
	_, err := w.app.Playbook.SetConfig(t.Context(), boss,
		playbook.ConfigChange{Values: playbook.Values{"cover_days": jsontext.Value("45")}})
	require.NoError(t, err)
	got := ask[struct {
		Version int64
		Keys    map[string]struct {
			Value   any
			Meaning string
		}
	}](w.connect(w.agent("one", auth.ScopeRead)), "procurement_config_get", nil)
	require.Equal(t, int64(1), got.Version)
	require.Len(t, got.Keys, len(playbook.Keys()))
	require.InDelta(t, 45, got.Keys["cover_days"].Value, 0)
	require.NotEmpty(t, got.Keys["cover_days"].Meaning)
	require.Nil(t, got.Keys["monthly_budget"].Value)
}
