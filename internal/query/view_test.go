package query

import (
	"fmt"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/fault"
)

// person returns somebody with a role.
func (st *stage) person(role auth.Role) auth.Principal {
	by := st.by()
	by.Role, by.Person = role, uuid.New()
	return by
}

func names(views []View) string {
	var list []string
	for _, view := range views {
		list = append(list, view.Name)
	}
	return strings.Join(list, " ")
}

// TestViewsAreOnesOwnOrShared checks that everybody saves private views, that those who may
// share may also change and delete shared ones, and that nobody sees another's private view.
func TestViewsAreOnesOwnOrShared(t *testing.T) {
	t.Parallel()
	st := newStage(t)
	viewer, other, buyer, admin := st.person(auth.Viewer), st.person(auth.Viewer), st.person(auth.Buyer),
		st.person(auth.CompanyAdmin)
	create := func(by auth.Principal, name string, shared bool) (View, error) {
		return st.s.CreateView(t.Context(), by, OfTable("gauges"),
			ViewChange{Name: &name, Shared: &shared, Definition: &Definition{SortBy: "amount", SortDesc: true}})
	}
	own, err := create(viewer, " own ", false)
	require.NoError(t, err)
	require.Equal(t, "own", own.Name)
	require.Equal(t, Definition{SortBy: "amount", SortDesc: true}, own.Definition)
	_, err = create(viewer, "forbidden", true)
	require.True(t, fault.Is(err, fault.Forbidden))
	shared, err := create(buyer, "shared", true)
	require.NoError(t, err)
	_, err = create(buyer, "shared", false)
	require.True(t, fault.HasCode(err, "name_taken"), err)
	_, err = create(admin, "shared", false)
	require.NoError(t, err, "names are each person's own")

	for _, tt := range []struct {
		by   auth.Principal
		want string
	}{{viewer, "own shared"}, {other, "shared"}, {buyer, "shared"}, {admin, "shared shared"}} {
		views, err := st.s.Views(t.Context(), tt.by, OfTable("gauges"))
		require.NoError(t, err)
		require.Equal(t, tt.want, names(views))
		views, err = st.s.Views(t.Context(), tt.by, OfTable("things"))
		require.NoError(t, err)
		require.Empty(t, views)
	}

	rename := ViewChange{Name: ptr("renamed")}
	for by, code := range map[*auth.Principal]string{&other: "unknown_view", &buyer: "unknown_view",
		&admin: "unknown_view"} {
		_, err = st.s.ChangeView(t.Context(), *by, OfTable("gauges"), own.ID, rename, 1)
		require.True(t, fault.HasCode(err, code), err)
		require.True(t, fault.HasCode(st.s.DeleteView(t.Context(), *by, OfTable("gauges"), own.ID, 1), code))
	}
	_, err = st.s.ChangeView(t.Context(), viewer, OfTable("gauges"), shared.ID, rename, 1)
	require.True(t, fault.Is(err, fault.Forbidden), err)
	require.True(t, fault.Is(st.s.DeleteView(t.Context(), viewer, OfTable("gauges"), shared.ID, 1), fault.Forbidden))
	_, err = st.s.ChangeView(t.Context(), viewer, OfTable("gauges"), own.ID, ViewChange{Shared: ptr(true)}, 1)
	require.True(t, fault.Is(err, fault.Forbidden), err)
	_, err = st.s.ChangeView(t.Context(), viewer, OfTable("things"), own.ID, rename, 1)
	require.True(t, fault.HasCode(err, "unknown_view"), "a view of another table: %v", err)

	changed, err := st.s.ChangeView(t.Context(), viewer, OfTable("gauges"), own.ID,
		ViewChange{Name: ptr("renamed"), Definition: &Definition{Widths: map[string]int{"words": 200}}}, 1)
	require.NoError(t, err)
	require.Equal(t, int64(2), changed.Version)
	require.Equal(t, Definition{Widths: map[string]int{"words": 200}}, changed.Definition)
	_, err = st.s.ChangeView(t.Context(), viewer, OfTable("gauges"), own.ID, rename, 1)
	require.True(t, fault.Is(err, fault.Stale), err)
	_, public := fault.Public(err)
	require.Equal(t, int64(2), public.Version)
	require.True(t, fault.Is(st.s.DeleteView(t.Context(), viewer, OfTable("gauges"), own.ID, 1), fault.Stale))
	require.NoError(t, st.s.DeleteView(t.Context(), viewer, OfTable("gauges"), own.ID, 2))

	_, err = st.s.ChangeView(t.Context(), admin, OfTable("gauges"), shared.ID, ViewChange{Name: ptr("ours")}, 1)
	require.NoError(t, err)
	require.NoError(t, st.s.DeleteView(t.Context(), admin, OfTable("gauges"), shared.ID, 2))
	_, err = st.s.Views(t.Context(), viewer, OfTable("nothing"))
	require.True(t, fault.HasCode(err, "unknown_table"))
}

// TestViewsOfLists checks that views of a list are kept apart from those of a table with the
// same name, need the permission to read the list, and exist only for known lists.
func TestViewsOfLists(t *testing.T) {
	t.Parallel()
	st := newStage(t)
	viewer, admin := st.person(auth.Viewer), st.person(auth.CompanyAdmin)
	change := ViewChange{Name: ptr("Late"), Definition: &Definition{Search: Search{"tab": "overdue", "text": "007"}}}
	own, err := st.s.CreateView(t.Context(), viewer, OfList("purchase-orders"), change)
	require.NoError(t, err)
	require.Equal(t, *change.Definition, own.Definition)
	require.Equal(t, OfList("purchase-orders"), own.Of)
	_, err = st.s.CreateView(t.Context(), viewer, OfList("purchase-orders"), change)
	require.True(t, fault.HasCode(err, "name_taken"), err)
	_, err = st.s.CreateView(t.Context(), viewer, OfList("arrivals"),
		ViewChange{Name: ptr("Late"), Definition: &Definition{}})
	require.NoError(t, err, "names are each list's own")
	views, err := st.s.Views(t.Context(), admin, OfList("purchase-orders"))
	require.NoError(t, err)
	require.Empty(t, views, "somebody's own view")

	st.register(st.tenant.ID, "audit", "records")
	_, err = st.s.CreateView(t.Context(), admin, OfTable("audit"),
		ViewChange{Name: ptr("table's"), Shared: ptr(true), Definition: &Definition{}})
	require.NoError(t, err)
	shared, err := st.s.CreateView(t.Context(), admin, OfList("audit"),
		ViewChange{Name: ptr("list's"), Shared: ptr(true), Definition: &Definition{}})
	require.NoError(t, err)
	for of, want := range map[ViewOf]string{OfTable("audit"): "table's", OfList("audit"): "list's"} {
		views, err := st.s.Views(t.Context(), admin, of)
		require.NoError(t, err)
		require.Equal(t, want, names(views))
	}
	_, err = st.s.ChangeView(t.Context(), admin, OfTable("audit"), shared.ID, ViewChange{Name: ptr("x")}, 1)
	require.True(t, fault.HasCode(err, "unknown_view"), err)

	for _, list := range auth.Lists() {
		of := OfList(string(list))
		needs, _ := list.Reader()
		for _, role := range auth.Roles() {
			by := st.person(role)
			_, err := st.s.Views(t.Context(), by, of)
			require.Equal(t, role.May(needs), err == nil, "%s of %s: %v", role, list, err)
			view, err := st.s.CreateView(t.Context(), by, of, ViewChange{Name: ptr("own"), Definition: &Definition{}})
			if role.May(needs) {
				require.NoError(t, err)
				_, err = st.s.ChangeView(t.Context(), by, of, view.ID,
					ViewChange{Definition: &Definition{Search: Search{"a": "b"}}}, 1)
				require.NoError(t, err)
				require.NoError(t, st.s.DeleteView(t.Context(), by, of, view.ID, 2))
				continue
			}
			require.True(t, fault.Is(err, fault.Forbidden), err)
			_, err = st.s.ChangeView(t.Context(), by, of, shared.ID, ViewChange{Name: ptr("x")}, 1)
			require.True(t, fault.Is(err, fault.Forbidden), err)
			require.True(t, fault.Is(st.s.DeleteView(t.Context(), by, of, shared.ID, 1), fault.Forbidden))
		}
	}
	for _, unknown := range []string{"things", "purchase_orders", ""} {
		_, err := st.s.Views(t.Context(), admin, OfList(unknown))
		require.True(t, fault.HasCode(err, "unknown_list"), err)
		_, err = st.s.CreateView(t.Context(), admin, OfList(unknown), change)
		require.True(t, fault.HasCode(err, "unknown_list"), err)
	}
}

func TestSearchesOfLists(t *testing.T) {
	t.Parallel()
	st := newStage(t)
	by := st.person(auth.Viewer)
	create := func(of ViewOf, definition Definition) error {
		_, err := st.s.CreateView(t.Context(), by, of, ViewChange{Name: ptr(uuid.NewString()), Definition: &definition})
		return err
	}
	many := func(n int) Search {
		search := Search{}
		for i := range n {
			search[fmt.Sprintf("p%d", i)] = strings.Repeat("ü", longestValue)
		}
		return search
	}
	for _, search := range []Search{nil, {}, {"tab": ""}, {"since": "7d", "e_d1": `"1"`}, many(mostParameters - 5)} {
		require.NoError(t, create(OfList("imports"), Definition{Search: search}))
	}
	for _, definition := range []Definition{
		{SortBy: "id"}, {SortDesc: true}, {SelectFields: []string{"id"}}, {Filters: jsontext.Value(`{}`)},
		{Widths: map[string]int{"id": 100}},
		{Search: Search{"pages": "2"}}, {Search: Search{"view": "x"}}, {Search: Search{"open": "x"}},
		{Search: Search{"": "x"}}, {Search: Search{"Tab": "x"}}, {Search: Search{"a-b": "x"}},
		{Search: Search{strings.Repeat("a", 41): "x"}},
		{Search: Search{"text": strings.Repeat("ü", longestValue+1)}}, {Search: Search{"text": "\xff"}},
		{Search: many(mostParameters + 1)},
	} {
		err := create(OfList("imports"), definition)
		require.True(t, fault.Is(err, fault.BadRequest), "%+v: %v", definition, err)
	}
	err := create(OfList("imports"), Definition{Search: many(mostParameters)})
	require.True(t, fault.HasCode(err, "too_long"), "all of it: %v", err)
	err = create(OfTable("things"), Definition{Search: Search{"tab": "x"}})
	require.True(t, fault.Is(err, fault.BadRequest), err)
	for range mostViews - 5 {
		require.NoError(t, create(OfList("imports"), Definition{}))
	}
	require.True(t, fault.HasCode(create(OfList("imports"), Definition{}), "too_many_views"))
	require.NoError(t, create(OfList("tokens"), Definition{}), "each list has its own")
}

func TestViewDefinitions(t *testing.T) {
	t.Parallel()
	st := newStage(t)
	by := st.person(auth.Viewer)
	n := 0
	create := func(definition Definition) (View, error) {
		n++
		return st.s.CreateView(t.Context(), by, OfTable("things"),
			ViewChange{Name: ptr(fmt.Sprint(n)), Definition: &definition})
	}
	exact := Definition{
		Filters: jsontext.Value(`{"amount":{"gt":12345678901234567890.10}}`), SelectFields: []string{"words", "amount"},
		SortBy: "day", SortDesc: true, Widths: map[string]int{"words": 20, "amount": 2000},
	}
	view, err := create(exact)
	require.NoError(t, err)
	require.JSONEq(t, string(exact.Filters), string(view.Definition.Filters))
	require.Contains(t, string(view.Definition.Filters), "12345678901234567890.10", "numbers stay exact")
	view.Definition.Filters = exact.Filters
	require.Equal(t, exact, view.Definition)

	for _, definition := range []Definition{
		{Filters: jsontext.Value(`{"nothing":1}`)}, {Filters: jsontext.Value(`[]`)},
		{Filters: jsontext.Value(`{"amount":"x"}`)},
		{SelectFields: []string{"nothing"}}, {SelectFields: []string{"words", "words"}}, {SortBy: "nothing"},
		{Widths: map[string]int{"nothing": 100}}, {Widths: map[string]int{"words": 19}},
		{Widths: map[string]int{"words": 2001}},
	} {
		_, err := create(definition)
		require.True(t, fault.Is(err, fault.BadRequest), "%+v: %v", definition, err)
	}
	for _, name := range []string{"", " ", strings.Repeat("x", 101), "a\nb", "a\x00b", "\xff"} {
		_, err := st.s.CreateView(t.Context(), by, OfTable("things"), ViewChange{Name: &name, Definition: &Definition{}})
		require.True(t, fault.HasCode(err, "name"), "%q: %v", name, err)
	}
	for range mostViews - 1 {
		_, err := create(Definition{})
		require.NoError(t, err)
	}
	_, err = create(Definition{})
	require.True(t, fault.HasCode(err, "too_many_views"), err)
}
