package search

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/pg/pgtest"
)

const (
	order    = 1 // the kinds' numbers in the database
	supplier = 2
	product  = 3
)

// hit returns a hit whose id says what it is.
func hit(kind int16, class int, token, label, id string) ranked {
	return ranked{Hit{Kind: numbered[kind-1], Label: label, ID: id}, kind, rank{class, token}}
}

func ids(hits []ranked) string {
	var found []string
	for _, one := range hits {
		found = append(found, one.ID)
	}
	return strings.Join(found, " ")
}

// TestRank compares neighbours: each hit is better than the next one.
func TestRank(t *testing.T) {
	t.Parallel()
	hits := []ranked{
		hit(product, exactly, "shirt", "Z", "an exact match of a late kind"),
		hit(order, byCode, "#a1", "Z", "the beginning of a code"),
		hit(order, byCode, "#a2", "A", "a code that is later in the alphabet"),
		hit(order, byWord, "shirt", "A", "the beginning of a name"),
		hit(order, byWord, "shirts", "B", "a name that is later in the alphabet"),
		hit(supplier, byWord, "shirts", "A", "the same name of a later kind"),
		hit(supplier, byWord, "shirts", "B", "the same name with a later label"),
		hit(supplier, byWord, "shirts", "B", "the same with a later id"),
		hit(order, byWords, "", "A", "several words"),
	}
	for i, one := range hits {
		for j, other := range hits {
			require.Equal(t, i < j, one.compare(other) < 0, "%s, %s", one.ID, other.ID)
		}
	}
}

// TestNote checks that a record has the best of its ranks, whichever is read first.
func TestNote(t *testing.T) {
	t.Parallel()
	at := key{product, "p1"}
	worse, better := rank{byWord, "shirt"}, rank{byCode, "#shirt1"}
	for _, ranks := range [][]rank{{worse, better}, {better, worse}} {
		look := newLook(nil, auth.Principal{}, "shirt", mostHits, nil)
		for _, one := range ranks {
			look.note(at, one)
		}
		require.Equal(t, map[key]rank{at: better}, look.ranks)
	}
}

// TestChoose checks what is shown of many hits: some of every kind, grouped, the kind of the best hit first.
func TestChoose(t *testing.T) {
	t.Parallel()
	// some returns hits of a kind, such as p1 to p3, each worse than the one before.
	some := func(kind int16, class, from, to int) (hits []ranked) {
		for n := from; n <= to; n++ {
			hits = append(hits, hit(kind, class, fmt.Sprintf("%02d", n), "", fmt.Sprintf("%c%d", "?osp"[kind], n)))
		}
		return hits
	}
	for _, tt := range []struct {
		name string
		hits []ranked
		want string
	}{
		{"nothing", nil, ""},
		{
			"the kind of the best hit comes first",
			slices.Concat(some(product, exactly, 1, 1), some(supplier, byCode, 1, 2), some(product, byWord, 2, 3)),
			"p1 p2 p3 s1 s2",
		},
		{
			"few hits of a late kind come before more than five of another, and are grouped",
			slices.Concat(some(product, byCode, 1, 30), some(supplier, byWord, 1, 2), some(order, byWords, 1, 1)),
			"p1 p2 p3 p4 p5 p6 p7 p8 p9 p10 p11 p12 p13 p14 p15 p16 p17 s1 s2 o1",
		},
		{
			"one kind alone fills the list",
			some(product, byWord, 1, 21),
			"p1 p2 p3 p4 p5 p6 p7 p8 p9 p10 p11 p12 p13 p14 p15 p16 p17 p18 p19 p20",
		},
		{
			"the rest is filled with the best, of whichever kind",
			slices.Concat(some(product, byCode, 1, 10), some(supplier, byWord, 1, 30)),
			"p1 p2 p3 p4 p5 p6 p7 p8 p9 p10 s1 s2 s3 s4 s5 s6 s7 s8 s9 s10",
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, tt.want, ids(choose(tt.hits)))
		})
	}
}

// TestMore checks that a search says whether there is more than it returns: neither when the last
// hit is shown, nor silently when one is left out.
func TestMore(t *testing.T) {
	t.Parallel()
	st := newStage(t, pgtest.New(t))
	insert := func(from, to int) {
		st.exec(`INSERT INTO workspace.products (tenant_id, workspace_id, id, sku, name)
			SELECT $1, $2, 'p' || n, 'X-' || n, 'Mill wheel' FROM generate_series($3::int, $4::int) n`, from, to)
	}
	search := func(said string) Found {
		t.Helper()
		found, err := New(st.db.Cells).Find(t.Context(), st.by, said)
		require.NoError(t, err)
		return found
	}
	said := []string{"mill", "mil", "x", "mill wheel", "whe mil"}
	for _, one := range said {
		require.Equal(t, Found{}, search(one), one)
	}
	insert(1, mostHits)
	for _, one := range said {
		found := search(one)
		require.Len(t, found.Hits, mostHits, one)
		require.False(t, found.More, "%s: all are shown", one)
	}
	insert(mostHits+1, mostHits+1)
	for _, one := range said {
		found := search(one)
		require.Len(t, found.Hits, mostHits, one)
		require.True(t, found.More, "%s: one is left out", one)
	}
}

// TestBestOfManyComesFirst checks the order among more records than are read: a shorter code before a
// longer one, a code before a name, and an exact name before both.
func TestBestOfManyComesFirst(t *testing.T) {
	t.Parallel()
	st := newStage(t, pgtest.New(t))
	st.exec(`INSERT INTO workspace.products (tenant_id, workspace_id, id, sku, name)
		SELECT $1, $2, 'p' || n, 'AB' || n, 'Abacus ' || n FROM generate_series(100, 299) n`)
	st.product("exact", "Z-1", "Ab")
	st.product("code", "AB-1", "Zither")
	st.supplier("name", "Abernathy")
	found, err := New(st.db.Cells).Find(t.Context(), st.by, "ab")
	require.NoError(t, err)
	require.True(t, found.More)
	require.Len(t, found.Hits, mostHits)
	require.Equal(t, "exact", found.Hits[0].ID)
	require.Equal(t, "code", found.Hits[1].ID)
	require.Equal(t, "p100", found.Hits[2].ID)
	require.Equal(t, "name", found.Hits[mostHits-1].ID, "the other kind has its place")
}
