package procure

import (
	"testing"

	"github.com/google/uuid"
	"github.com/shopspring/decimal"
	"github.com/stretchr/testify/require"

	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/demand"
	"github.com/quayside/quayside/internal/pg/q"
)

// TestDecisionOf checks what counts as the decision about a suggestion of 40 that was first made on day 100.
// Its key is that of an earlier need of the article, too, so older decisions under the key say nothing about it.
func TestDecisionOf(t *testing.T) {
	t.Parallel()
	person, agent := auth.Actor{Type: auth.ByPerson, ID: uuid.NewString()}, uuid.New()
	refusal := func(kind string, day demand.Day) q.ReadRefusalsRow {
		return q.ReadRefusalsRow{Kind: kind, Since: date(day), Actor: person.JSON()}
	}
	line := func(status string, quantity int64, asked *float64, day demand.Day) q.ReadAnswersRow {
		return q.ReadAnswersRow{Status: status, QuantityOrdered: decimal.NewFromInt(quantity), SuggestedQuantity: asked, OrderedOn: date(day),
			CreatedByAgentID: &agent}
	}
	for name, tt := range map[string]struct {
		lines    []q.ReadAnswersRow
		refusals []q.ReadRefusalsRow
		want     Decided
		on       demand.Day // 0: no day
	}{
		"nothing":                          {nil, nil, Undecided, 0},
		"dismissed on its first day":       {nil, []q.ReadRefusalsRow{refusal(Dismissed, 100)}, TurnedDown, 100},
		"dismissed later":                  {nil, []q.ReadRefusalsRow{refusal(Dismissed, 107)}, TurnedDown, 107},
		"dismissed the day before":         {nil, []q.ReadRefusalsRow{refusal(Dismissed, 99)}, Undecided, 0},
		"snoozed":                          {nil, []q.ReadRefusalsRow{refusal(Snoozed, 101)}, PutOff, 101},
		"snoozed, of an earlier need":      {nil, []q.ReadRefusalsRow{refusal(Snoozed, 40)}, Undecided, 0},
		"the newest counts":                {nil, []q.ReadRefusalsRow{refusal(Snoozed, 101), refusal(Rejected, 103)}, TurnedDown, 103},
		"an earlier need, then this one":   {nil, []q.ReadRefusalsRow{refusal(Rejected, 40), refusal(Snoozed, 103)}, PutOff, 103},
		"a draft is no decision yet":       {[]q.ReadAnswersRow{line("draft", 40, nil, 0)}, []q.ReadRefusalsRow{refusal(Dismissed, 101)}, Undecided, 0},
		"so is what waits":                 {[]q.ReadAnswersRow{line("pending_approval", 40, nil, 0)}, nil, Undecided, 0},
		"a draft that was taken back":      {[]q.ReadAnswersRow{line("cancelled", 40, nil, 0)}, nil, TakenBack, 0},
		"taken back, and refused long ago": {[]q.ReadAnswersRow{line("cancelled", 40, nil, 0)}, []q.ReadRefusalsRow{refusal(Dismissed, 99)}, TakenBack, 0},
		"a draft that a person cancelled":  {[]q.ReadAnswersRow{line("cancelled", 40, nil, 0)}, []q.ReadRefusalsRow{refusal(Rejected, 102)}, TurnedDown, 102},
		"ordered":                          {[]q.ReadAnswersRow{line("ordered", 40, nil, 102)}, nil, AsSuggested, 102},
		"ordered, and refused before":      {[]q.ReadAnswersRow{line("received", 40, nil, 102)}, []q.ReadRefusalsRow{refusal(Dismissed, 101)}, AsSuggested, 102},
		"less":                             {[]q.ReadAnswersRow{line("partially_received", 39, nil, 102)}, nil, OrderedLess, 102},
		"more":                             {[]q.ReadAnswersRow{line("ordered", 41, nil, 102)}, nil, OrderedMore, 102},
		"as suggested when it was drafted": {[]q.ReadAnswersRow{line("ordered", 60, new(60.0), 102)}, nil, AsSuggested, 102},
		"an earlier day of order is given": {[]q.ReadAnswersRow{line("ordered", 40, nil, 90)}, nil, AsSuggested, 100},
	} {
		got := decisionOf(q.TakeUnjudgedRow{SuggestedQuantity: 40, FirstOn: date(100)}, tt.lines, tt.refusals)
		require.Equal(t, tt.want, got.decision, name)
		if tt.on == 0 {
			require.Nil(t, got.on, name)
			require.Nil(t, got.by, name)
			continue
		}
		require.Equal(t, tt.on, *got.on, name)
		by := person
		if got.line != nil {
			by = auth.Actor{Type: auth.ByAgent, ID: agent.String()}
		}
		require.Equal(t, by, *got.by, name)
	}
}
