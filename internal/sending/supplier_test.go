package sending

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/quayside/quayside/internal/auth"
)

// TestCompare finds what changed in a supplier's record since the last order, and who changed it.
func TestCompare(t *testing.T) {
	t.Parallel()
	day := func(n int) time.Time { return time.Date(2026, 11, n, 12, 0, 0, 0, time.UTC) }
	ada, bot := auth.Actor{Type: auth.ByPerson, ID: "ada"}, auth.Actor{Type: auth.ByAgent, ID: "bot"}
	made := func(n int, email string) write {
		return write{at: day(n), by: ada, created: true, values: particulars{"email": email}}
	}
	wrote := func(n int, by auth.Actor, email string) write {
		return write{at: day(n), by: by, values: particulars{"email": email}}
	}
	terms := func(n int, days string) write {
		return write{at: day(n), by: bot, values: particulars{"payment_terms_days": days}}
	}
	none := order{}
	old := order{at: day(10)} // without particulars
	sent := func(email string) order {
		return order{at: day(10), known: true, said: particulars{"email": email, "address": "", "payment_terms_days": "30"}}
	}
	for _, tt := range []struct {
		name   string
		last   order
		now    particulars
		writes []write
		want   []Change
	}{
		{"nothing happened", sent("a@tea"), particulars{"email": "a@tea", "payment_terms_days": "30"}, nil, nil},
		{"another address", sent("a@tea"), particulars{"email": "b@evil", "payment_terms_days": "30"},
			[]write{made(1, "a@tea"), wrote(11, ada, "a@tea"), wrote(12, bot, "b@evil"), wrote(13, ada, "b@evil")},
			[]Change{{"email", "a@tea", "b@evil", bot, day(12)}}},
		{"nobody knows who", sent("a@tea"), particulars{"email": "b@evil", "payment_terms_days": "30"},
			[]write{wrote(11, ada, "c@tea")}, []Change{{Field: "email", Was: "a@tea", Is: "b@evil"}}},
		{"there and back", sent("a@tea"), particulars{"email": "a@tea", "payment_terms_days": "30"},
			[]write{wrote(11, bot, "b@evil"), wrote(12, ada, "a@tea")}, nil},
		{"an address is new", sent(""), particulars{"email": "b@evil", "payment_terms_days": "30"}, []write{wrote(11, bot, "b@evil")},
			[]Change{{"email", "", "b@evil", bot, day(11)}}},
		{"the address is gone", sent("a@tea"), particulars{"email": "", "payment_terms_days": "30"}, []write{wrote(11, bot, "")},
			[]Change{{"email", "a@tea", "", bot, day(11)}}},
		{"terms in another spelling", sent("a@tea"), particulars{"email": "a@tea", "payment_terms_days": "30"}, []write{terms(11, "30.0")}, nil},
		{"other terms", sent("a@tea"), particulars{"email": "a@tea", "payment_terms_days": "5"}, []write{terms(11, "30.00"), terms(12, "5.0")},
			[]Change{{"payment_terms_days", "30", "5", bot, day(12)}}},

		{"the first order", none, particulars{"email": "a@tea"}, []write{made(1, "a@tea"), wrote(2, bot, "a@tea")}, nil},
		{"the first order, and the address was added later", none, particulars{"email": "a@tea"}, []write{made(1, ""), wrote(2, ada, "a@tea")}, nil},
		{"the first order, after a change", none, particulars{"email": "b@evil"}, []write{made(1, ""), wrote(2, ada, "a@tea"), wrote(3, bot, "b@evil")},
			[]Change{{"email", "a@tea", "b@evil", bot, day(3)}}},
		{"an order that kept nothing, changed before", old, particulars{"email": "a@tea"}, []write{made(1, "c@tea"), wrote(9, ada, "a@tea")}, nil},
		{"an order that kept nothing, changed since", old, particulars{"email": "b@evil"},
			[]write{made(1, "c@tea"), wrote(9, ada, "a@tea"), wrote(11, bot, "b@evil")}, []Change{{"email", "a@tea", "b@evil", bot, day(11)}}},
		{"no history is left", none, particulars{"email": "b@evil"}, nil, nil},
	} {
		require.Equal(t, tt.want, compare(tt.last, tt.now, tt.writes), tt.name)
	}
}

func TestDigestOfChanges(t *testing.T) {
	t.Parallel()
	require.Empty(t, digestOf(nil))
	change := Change{Field: "email", Was: "a@tea", Is: "b@evil", By: auth.Actor{Type: auth.ByAgent}, At: time.Now()}
	forgotten, other := Change{Field: "email", Was: "a@tea", Is: "b@evil"}, Change{Field: "email", Was: "a@tea", Is: "c@evil"}
	require.Equal(t, digestOf([]Change{change}), digestOf([]Change{forgotten}), "who it was may be forgotten between draft and letter")
	require.NotEqual(t, digestOf([]Change{change}), digestOf([]Change{other}))
	require.NotEqual(t, digestOf([]Change{change}), digestOf([]Change{change, other}))
}
