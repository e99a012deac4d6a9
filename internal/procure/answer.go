package procure

import (
	"context"
	"encoding/json"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgtype"

	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/demand"
	"github.com/quayside/quayside/internal/pg/q"
	"github.com/quayside/quayside/internal/purchase"
)

// Decided is what became of a suggestion.
type Decided string

// The decisions.
const (
	AsSuggested Decided = "as_suggested" // ordered, as many as were suggested when the line was drafted
	OrderedLess Decided = "less"
	OrderedMore Decided = "more"
	TurnedDown  Decided = "turned_down" // dismissed, or a person cancelled its draft
	PutOff      Decided = "put_off"     // snoozed
	Undecided   Decided = "undecided"
	// TakenBack is a line that was cancelled without a decision against the article: an agent took its
	// draft back, or an order was cancelled. The need has the article's next key then.
	TakenBack Decided = "taken_back"
)

// answer is a decision with when and by whom it was made.
type answer struct {
	decision Decided
	on       *demand.Day
	by       *auth.Actor
	line     *q.ReadAnswersRow // that was ordered
	asked    float64           // what was suggested when the line was drafted
	drafted  bool              // a line waits to be ordered
}

// readDecisions finds what was decided about suggestions.
func (c *computation) readDecisions(ctx context.Context, taken []q.TakeUnjudgedRow) ([]answer, error) {
	var keys, products []string
	for _, s := range taken {
		keys, products = append(keys, s.RecommendationKey), append(products, s.ProductID)
	}
	found, err := c.queries.ReadAnswers(ctx, q.ReadAnswersParams{TenantID: c.at.tenant, WorkspaceID: c.at.workspace,
		TimeZone: c.settings.TimeZone, Keys: keys})
	if err != nil {
		return nil, err
	}
	lines := map[string][]q.ReadAnswersRow{}
	for _, line := range found {
		lines[line.RecommendationKey] = append(lines[line.RecommendationKey], line)
	}
	refused, err := c.queries.ReadRefusals(ctx, q.ReadRefusalsParams{TenantID: c.at.tenant, WorkspaceID: c.at.workspace,
		Products: products, Keys: keys})
	refusals := map[string][]q.ReadRefusalsRow{}
	for _, r := range refused {
		refusals[r.RecommendationKey] = append(refusals[r.RecommendationKey], r)
	}
	answers := make([]answer, len(taken))
	for i, s := range taken {
		answers[i] = decisionOf(s, lines[s.RecommendationKey], refusals[s.RecommendationKey])
	}
	return answers, err
}

// decisionOf returns the decision about a suggestion. A line that was ordered counts before everything
// else, then a draft, which is no decision yet, then the newest decision not to order.
func decisionOf(s q.TakeUnjudgedRow, lines []q.ReadAnswersRow, refusals []q.ReadRefusalsRow) answer {
	a := answer{decision: Undecided}
	for i := range lines {
		switch purchase.Status(lines[i].Status) {
		case purchase.Ordered, purchase.PartiallyReceived, purchase.Received:
			a.line = &lines[i]
		case purchase.Draft, purchase.PendingApproval:
			a.drafted = true
		case purchase.Cancelled, purchase.None:
		}
	}
	switch {
	case a.line != nil:
		a.asked = s.SuggestedQuantity
		if a.line.SuggestedQuantity != nil {
			a.asked = *a.line.SuggestedQuantity
		}
		a.decision = compareQuantities(a.line.QuantityOrdered.InexactFloat64(), a.asked)
		a.on, a.by = decidedOn(s, a.line.OrderedOn), drafter(*a.line)
		return a
	case a.drafted:
		return a
	}
	for _, r := range refusals {
		if r.Since.Time.Before(s.FirstOn.Time) {
			continue // of an earlier time under this key
		}
		var by auth.Actor
		if json.Unmarshal(r.Actor, &by) == nil {
			a.by = &by
		}
		a.decision, a.on = TurnedDown, decidedOn(s, r.Since)
		if r.Kind == Snoozed {
			a.decision = PutOff
		}
	}
	if a.decision == Undecided && len(lines) > 0 {
		a.decision = TakenBack
	}
	return a
}

func compareQuantities(ordered, asked float64) Decided {
	switch {
	case below(ordered, asked):
		return OrderedLess
	case below(asked, ordered):
		return OrderedMore
	}
	return AsSuggested
}

// decidedOn returns the day of a decision. External systems may give a day before the suggestion.
func decidedOn(s q.TakeUnjudgedRow, on pgtype.Date) *demand.Day {
	day := max(dayOf(on), dayOf(s.FirstOn))
	return &day
}

// drafter returns who drafted a line, or nil if an external system did.
func drafter(line q.ReadAnswersRow) *auth.Actor {
	actor := func(kind auth.ActorType, id *uuid.UUID) *auth.Actor { return &auth.Actor{Type: kind, ID: id.String()} }
	switch {
	case line.CreatedByAgentID != nil:
		return actor(auth.ByAgent, line.CreatedByAgentID)
	case line.CreatedByUserID != nil:
		return actor(auth.ByPerson, line.CreatedByUserID)
	}
	return nil
}
