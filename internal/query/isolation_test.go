package query

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/fault"
	"github.com/quayside/quayside/internal/page"
	"github.com/quayside/quayside/internal/pg/pgtest"
)

// TestCanariesDoNotMeet gives two workspaces of one company, and another company, rows with a
// canary of their own, and checks that no way of reading shows one the canary of another.
func TestCanariesDoNotMeet(t *testing.T) {
	t.Parallel()
	st := newStage(t)
	second := pgtest.Tenant{ID: st.tenant.ID, Workspace: uuid.Must(uuid.NewV7())}
	st.exec("INSERT INTO control.workspaces (tenant_id, id, name) VALUES ($1, $2, 'Second')", second.ID, second.Workspace)
	stranger := pgtest.NewTenant(t, st.db)
	st.register(stranger.ID, "things", "records")
	places := map[string]pgtest.Tenant{"canary-first": st.tenant, "canary-second": second, "canary-stranger": stranger}
	records := map[string]map[string]string{} // record ids by canary and table
	ofs := []ViewOf{OfTable("things"), OfList("purchase-orders")}
	views := map[string]map[ViewOf]uuid.UUID{}
	for canary, place := range places {
		st.tenant = place
		records[canary] = map[string]string{}
		for _, slug := range stored {
			for i := range 3 {
				st.write(slug, fmt.Sprintf(`{"external_id":"%s-%d","words":%[1]q}`, canary, i))
			}
			found, err := st.s.Rows(t.Context(), st.by(), Request{ViewSlug: slug})
			require.NoError(t, err)
			require.Len(t, found.Rows, 3)
			records[canary][slug] = found.Rows[0].ID
		}
		by := st.by()
		by.Role, by.Person = auth.Buyer, uuid.New()
		views[canary] = map[ViewOf]uuid.UUID{}
		for _, of := range ofs {
			view, err := st.s.CreateView(t.Context(), by, of,
				ViewChange{Name: ptr(canary), Shared: ptr(true), Definition: &Definition{}})
			require.NoError(t, err)
			views[canary][of] = view.ID
		}
	}
	for canary, place := range places {
		st.tenant = place
		by := st.by()
		by.Role, by.Person = auth.CompanyAdmin, uuid.New()
		for other := range places {
			if other == canary {
				continue
			}
			for _, slug := range stored {
				var seen strings.Builder
				for _, filters := range []string{``, `{"words":"` + other + `"}`, `{"words":{"contains":"canary"}}`,
					`{"id":"` + records[other][slug] + `"}`, `{"workspace_id":"` + places[other].Workspace.String() + `"}`} {
					request := Request{ViewSlug: slug, Filters: []byte(filters)}
					rows, err := st.s.Rows(t.Context(), by, request)
					require.NoError(t, err)
					for _, row := range rows.Rows {
						seen.Write(row.Values)
					}
					count, err := st.s.Count(t.Context(), by, request)
					require.NoError(t, err)
					require.Equal(t, int64(len(rows.Rows)), count.Rows)
					require.LessOrEqual(t, count.Rows, int64(3))
					var file bytes.Buffer
					exported, err := st.s.Export(t.Context(), by, request, &file)
					require.NoError(t, err)
					require.Equal(t, count.Rows, exported)
					seen.Write(file.Bytes())
				}
				require.Contains(t, seen.String(), canary)
				require.NotContains(t, seen.String(), other)

				_, err := st.s.Get(t.Context(), by, slug, records[other][slug], Parameters{})
				require.True(t, fault.HasCode(err, "unknown_record"), err)
				_, _, err = st.s.History(t.Context(), by, slug, records[other][slug], page.All)
				require.True(t, fault.HasCode(err, "unknown_record"), err)
			}
			for _, of := range ofs {
				shown, err := st.s.Views(t.Context(), by, of)
				require.NoError(t, err)
				require.Len(t, shown, 1)
				require.Equal(t, canary, shown[0].Name)
				_, err = st.s.ChangeView(t.Context(), by, of, views[other][of], ViewChange{Name: ptr("mine")}, 1)
				require.True(t, fault.HasCode(err, "unknown_view"), err)
				require.True(t, fault.HasCode(st.s.DeleteView(t.Context(), by, of, views[other][of], 1), "unknown_view"))
			}
		}
	}
}

func ptr[T any](value T) *T { return &value }
