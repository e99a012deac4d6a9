package article

import (
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/playbook"
)

// TestSettings follows the playbook: what applies to the article, where that comes from, and when an
// overdue line is counted on.
func TestSettings(t *testing.T) {
	t.Parallel()
	st := newStage(t)
	st.send("suppliers", map[string]any{"external_id": "s1", "name": "Harbour Teas"})
	st.send("products", map[string]any{"sku": "TEA", "name": "Tea", "supplier_id": "s1"})
	st.line("late", "ordered", 5, 0, map[string]any{"expected_arrival_date": today.AddDate(0, 0, -20).Format("2006-01-02")})
	before, err := st.s.Get(t.Context(), st.by(auth.Viewer), st.tea())
	require.NoError(t, err)
	require.Equal(t, LeadTime{14, "default"}, before.LeadTime)
	require.Equal(t, today.AddDate(0, 0, 7), *before.Incoming.Arrivals[0].Day)
	require.Equal(t, playbook.Setting{Key: "cover_days", Value: "30", Origin: playbook.Origin{Source: playbook.FromDefault}},
		settingOf(before, "cover_days"))

	admin := st.by(auth.CompanyAdmin)
	admin.Person = uuid.New()
	book := playbook.New(st.db.Cells)
	_, err = book.SetConfig(t.Context(), admin, playbook.ConfigChange{Values: playbook.Values{
		"default_lead_time_days": jsontext.Value("21"), "overdue_push_days": jsontext.Value("3"), "stale_po_days": jsontext.Value("30")}})
	require.NoError(t, err)
	_, err = book.CreateStrategy(t.Context(), admin, playbook.Strategy{Title: "Tea lasts", Scope: playbook.OfProduct, Target: st.tea(),
		Status: playbook.Active, Parameters: playbook.Values{"cover_days": jsontext.Value("60")}}, "")
	require.NoError(t, err)
	after, err := st.s.Get(t.Context(), st.by(auth.Viewer), st.tea())
	require.NoError(t, err)
	require.Equal(t, LeadTime{21, "default"}, after.LeadTime)
	require.Equal(t, today.AddDate(0, 0, 3), *after.Incoming.Arrivals[0].Day)
	cover := settingOf(after, "cover_days")
	require.Equal(t, "60", cover.Value)
	require.Equal(t, "Tea lasts", cover.Origin.Title)
	require.Equal(t, playbook.FromConfig, settingOf(after, "default_lead_time_days").Origin.Source)

	st.line("late", "ordered", 5, 0, map[string]any{"expected_arrival_date": today.AddDate(0, 0, -31).Format("2006-01-02")})
	stale, err := st.s.Get(t.Context(), st.by(auth.Viewer), st.tea())
	require.NoError(t, err)
	require.Nil(t, stale.Incoming.Arrivals[0].Day)
}

func settingOf(o Overview, key string) playbook.Setting {
	for _, one := range o.Settings {
		if one.Key == key {
			return one
		}
	}
	return playbook.Setting{}
}
