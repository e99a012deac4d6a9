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

// person is somebody with a role.
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

// TestViewsAreOnesOwnOrShared: everybody saves views for themself; who may share may also
// change and delete what is shared; somebody's own view is nobody else's.
func TestViewsAreOnesOwnOrShared(t *testing.T) {
	t.Parallel()
	st := newStage(t)
	viewer, other, buyer, admin := st.person(auth.Viewer), st.person(auth.Viewer), st.person(auth.Buyer), st.person(auth.CompanyAdmin)
	create := func(by auth.Principal, name string, shared bool) (View, error) {
		return st.s.CreateView(t.Context(), by, "gauges", ViewChange{Name: &name, Shared: &shared, Definition: &Definition{SortBy: "amount", SortDesc: true}})
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
		views, err := st.s.Views(t.Context(), tt.by, "gauges")
		require.NoError(t, err)
		require.Equal(t, tt.want, names(views))
		views, err = st.s.Views(t.Context(), tt.by, "things")
		require.NoError(t, err)
		require.Empty(t, views)
	}

	rename := ViewChange{Name: ptr("renamed")}
	for by, code := range map[*auth.Principal]string{&other: "unknown_view", &buyer: "unknown_view", &admin: "unknown_view"} {
		_, err = st.s.ChangeView(t.Context(), *by, "gauges", own.ID, rename, 1)
		require.True(t, fault.HasCode(err, code), err)
		require.True(t, fault.HasCode(st.s.DeleteView(t.Context(), *by, "gauges", own.ID, 1), code))
	}
	_, err = st.s.ChangeView(t.Context(), viewer, "gauges", shared.ID, rename, 1)
	require.True(t, fault.Is(err, fault.Forbidden), err)
	require.True(t, fault.Is(st.s.DeleteView(t.Context(), viewer, "gauges", shared.ID, 1), fault.Forbidden))
	_, err = st.s.ChangeView(t.Context(), viewer, "gauges", own.ID, ViewChange{Shared: ptr(true)}, 1)
	require.True(t, fault.Is(err, fault.Forbidden), err)
	_, err = st.s.ChangeView(t.Context(), viewer, "things", own.ID, rename, 1)
	require.True(t, fault.HasCode(err, "unknown_view"), "a view of another table: %v", err)

	changed, err := st.s.ChangeView(t.Context(), viewer, "gauges", own.ID, ViewChange{Name: ptr("renamed"), Definition: &Definition{Widths: map[string]int{"words": 200}}}, 1)
	require.NoError(t, err)
	require.Equal(t, int64(2), changed.Version)
	require.Equal(t, Definition{Widths: map[string]int{"words": 200}}, changed.Definition)
	_, err = st.s.ChangeView(t.Context(), viewer, "gauges", own.ID, rename, 1)
	require.True(t, fault.Is(err, fault.Stale), err)
	_, public := fault.Public(err)
	require.Equal(t, int64(2), public.Version)
	require.True(t, fault.Is(st.s.DeleteView(t.Context(), viewer, "gauges", own.ID, 1), fault.Stale))
	require.NoError(t, st.s.DeleteView(t.Context(), viewer, "gauges", own.ID, 2))

	_, err = st.s.ChangeView(t.Context(), admin, "gauges", shared.ID, ViewChange{Name: ptr("ours")}, 1)
	require.NoError(t, err)
	require.NoError(t, st.s.DeleteView(t.Context(), admin, "gauges", shared.ID, 2))
	_, err = st.s.Views(t.Context(), viewer, "nothing")
	require.True(t, fault.HasCode(err, "unknown_table"))
}

func TestViewDefinitions(t *testing.T) {
	t.Parallel()
	st := newStage(t)
	by := st.person(auth.Viewer)
	n := 0
	create := func(definition Definition) (View, error) {
		n++
		return st.s.CreateView(t.Context(), by, "things", ViewChange{Name: ptr(fmt.Sprint(n)), Definition: &definition})
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
		{Filters: jsontext.Value(`{"nothing":1}`)}, {Filters: jsontext.Value(`[]`)}, {Filters: jsontext.Value(`{"amount":"x"}`)},
		{SelectFields: []string{"nothing"}}, {SelectFields: []string{"words", "words"}}, {SortBy: "nothing"},
		{Widths: map[string]int{"nothing": 100}}, {Widths: map[string]int{"words": 19}}, {Widths: map[string]int{"words": 2001}},
	} {
		_, err := create(definition)
		require.True(t, fault.Is(err, fault.BadRequest), "%+v: %v", definition, err)
	}
	for _, name := range []string{"", " ", strings.Repeat("x", 101), "a\nb", "a\x00b", "\xff"} {
		_, err := st.s.CreateView(t.Context(), by, "things", ViewChange{Name: &name, Definition: &Definition{}})
		require.True(t, fault.HasCode(err, "name"), "%q: %v", name, err)
	}
	for range mostViews - 1 {
		_, err := create(Definition{})
		require.NoError(t, err)
	}
	_, err = create(Definition{})
	require.True(t, fault.HasCode(err, "too_many_views"), err)
}
