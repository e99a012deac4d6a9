package procure_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/fault"
	"github.com/quayside/quayside/internal/procure"
	"github.com/quayside/quayside/internal/purchase"
)

// TestAStaleSuggestionOrdersNothingTwice: a line that was made apart from the queue leaves the recommendation its key. Whoever drafts
// by what they saw before is refused, whether the row knows of the line by now or not; a person may confirm, an agent not.
func TestAStaleSuggestionOrdersNothingTwice(t *testing.T) {
	t.Parallel()
	for name, computed := range map[string]bool{"the row does not know of it": false, "the row knows of it": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			st := newStage(t)
			st.open()
			ctx, buyer := t.Context(), st.by(auth.Buyer)
			tea := st.row("TEA")
			seen := procure.Pick{Key: tea.Key, Quantity: new("96")}
			byHand, err := st.lines.Draft(ctx, buyer, []purchase.NewLine{{Changes: purchase.Changes{ProductID: &tea.Product, SupplierID: &tea.Supplier,
				QuantityOrdered: seen.Quantity, PricePerUnit: new("4"), Currency: new("EUR")}}})
			require.NoError(t, err)
			want := "already_on_its_way"
			if computed {
				byHand, err = st.lines.Submit(ctx, buyer, refs(byHand))
				require.NoError(t, err)
				_, err = st.lines.Approve(ctx, st.by(auth.Approver), refs(byHand))
				require.NoError(t, err)
				st.follow()
				require.Equal(t, tea.Key, st.row("TEA").Key)
			}
			for _, by := range []auth.Principal{buyer, st.agent()} {
				_, err = st.queue.Draft(ctx, by, []procure.Pick{seen}, false)
				require.True(t, fault.HasCode(err, want), "%v", err)
				require.ErrorContains(t, err, "96")
			}
			_, err = st.queue.Draft(ctx, st.agent(), []procure.Pick{seen}, true)
			require.True(t, fault.HasCode(err, want), "agents confirm nothing: %v", err)
			_, err = st.queue.Draft(ctx, buyer, []procure.Pick{seen}, true)
			require.NoError(t, err, "a person may want more")
		})
	}
}

// TestWhatIsCountedNeedsNoConfirmation: what was on its way when the row was computed is part of its suggestion. More than is
// suggested beside it is asked about.
func TestWhatIsCountedNeedsNoConfirmation(t *testing.T) {
	t.Parallel()
	st := newStage(t)
	st.open()
	st.line("L1", "TEA", "ordered", 12, nil)
	st.follow()
	tea := st.row("TEA")
	require.InDelta(t, 12, tea.OnOrder, 0)
	require.Positive(t, tea.Suggested)
	buyer := st.by(auth.Buyer)
	_, err := st.queue.Draft(t.Context(), buyer, []procure.Pick{{Key: tea.Key, Quantity: new("960")}}, false)
	require.True(t, fault.HasCode(err, "already_on_its_way"), "%v", err)
	_, err = st.queue.Draft(t.Context(), buyer, []procure.Pick{{Key: tea.Key}}, false)
	require.NoError(t, err)
}

// TestALineAnswersItsOwnArticle: a line that gets another article no longer answers the need of the first, which is to be ordered
// again.
func TestALineAnswersItsOwnArticle(t *testing.T) {
	t.Parallel()
	st := newStage(t)
	st.open()
	buyer, tea, cup := st.by(auth.Buyer), st.row("TEA"), st.row("CUP")
	lines, err := st.queue.Draft(t.Context(), buyer, []procure.Pick{{Key: tea.Key}}, false)
	require.NoError(t, err)
	require.Equal(t, procure.GroupDrafted, st.row("TEA").Group)
	lines, err = st.lines.Edit(t.Context(), buyer, refs(lines)[0], purchase.Changes{ProductID: &cup.Product})
	require.NoError(t, err)
	require.Nil(t, lines[0].RecommendationKey)
	st.follow()
	require.Equal(t, procure.GroupOrder, st.row("TEA").Group)
	_, err = st.queue.Draft(t.Context(), buyer, []procure.Pick{{Key: tea.Key}}, false)
	require.NoError(t, err)
}
