package purchase

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/fault"
	"github.com/quayside/quayside/internal/pg/q"
)

// RecommendationKey names the nth recommendation to order an article for a place. It depends
// on what the recommendation is for and not on what it recommends, so that it stays the same
// when the recommendation is computed again.
func RecommendationKey(tenant uuid.UUID, article, place string, n int) string {
	return fmt.Sprintf("%s%d", recommendationOf(tenant, article, place), n)
}

func recommendationOf(tenant uuid.UUID, article, place string) string {
	hash := sha256.Sum256([]byte(strings.Join([]string{tenant.String(), article, place}, "\x00")))
	return "rq1:" + hex.EncodeToString(hash[:8]) + ":"
}

// RecommendationsOf returns what the keys of an article's recommendations have in common.
func RecommendationsOf(tenant uuid.UUID, article string) string {
	return recommendationOf(tenant, article, Everywhere)
}

// RecommendationsLike returns what a key has in common with the other keys of its article, or
// nothing if it is no key.
func RecommendationsLike(key string) string {
	key = NormalKey(key)
	if !recommendationForm.MatchString(key) {
		return ""
	}
	return key[:strings.LastIndex(key, ":")+1]
}

// Everywhere is the place of a recommendation that is for no place in particular.
const Everywhere = "*"

// NormalKey returns a key as it is stored.
func NormalKey(key string) string { return strings.ToLower(strings.TrimSpace(key)) }

var recommendationForm = regexp.MustCompile(`^rq1:[0-9a-f]{16}:[1-9][0-9]{0,8}$`)

// errAnswered refuses a key that is not the present one of its article.
var errAnswered = fault.New(fault.Conflict, "recommendation_answered",
	"this recommendation was answered already, or is not yet made; look at the queue again")

// errFreed refuses a draft that lost to a line which is closed by now.
var errFreed = fault.New(fault.Conflict, "recommendation_answered",
	"another line held this recommendation a moment ago and is closed by now; look at the queue again, then try again")

// answer checks that a key names the present recommendation for the line's own article. Keys
// are made only here: an invented one would lock nothing.
func (c *change) answer(ctx context.Context, r row, key string) (*string, error) {
	key = NormalKey(key)
	if key == "" {
		return nil, nil
	}
	unknown := fault.InField("recommendation_key", "unknown_recommendation",
		"there is no such recommendation for this article; leave it out, or take it from the queue as it is")
	if !recommendationForm.MatchString(key) {
		return nil, unknown
	}
	article, err := c.queries.ArticleOf(ctx,
		q.ArticleOfParams{TenantID: c.by.Tenant, WorkspaceID: c.by.Workspace, ProductID: deref(r.ProductID), Sku: r.Sku})
	if missing(err) {
		return nil, unknown
	}
	if err != nil {
		return nil, err
	}
	of := recommendationOf(c.by.Tenant, article, Everywhere)
	n, ours := strings.CutPrefix(key, of)
	if !ours {
		return nil, unknown
	}
	answers, err := c.answers(ctx, of)
	if err != nil {
		return nil, err
	}
	if number, _ := strconv.Atoi(n); number != presentNumber(answers) {
		return nil, errAnswered
	}
	return &key, c.blocked(ctx, key)
}

// blocked refuses an agent's answer to a recommendation that only people may answer.
func (c *change) blocked(ctx context.Context, key string) error {
	if c.by.Actor.Type != auth.ByAgent {
		return nil
	}
	reason, err := c.queries.GetBlocked(ctx,
		q.GetBlockedParams{TenantID: c.by.Tenant, WorkspaceID: c.by.Workspace, RecommendationKey: key})
	switch {
	case missing(err):
		return nil
	case err == nil && reason != "":
		return fault.New(fault.Conflict, "recommendation_blocked",
			"agents may not answer this recommendation (%s); a person can, after a look at it", reason)
	}
	return err
}

// leaveNeed takes its recommendation from a line that orders another article now: a line answers none but its own article's.
func (r *row) leaveNeed(before row) {
	if was, is := (article{before.Sku, deref(before.ProductID)}), (article{r.Sku, deref(r.ProductID)}); before.ID != "" && !was.same(is) {
		r.RecommendationKey = nil
	}
}

// keepSuggestion keeps what was suggested when the line was drafted for it, and when the rest of it is
// to be ordered.
func (c *change) keepSuggestion(ctx context.Context, r row, restOn *time.Time) error {
	if r.RecommendationKey == nil {
		return nil
	}
	return c.queries.KeepSuggestion(ctx, q.KeepSuggestionParams{
		TenantID: c.by.Tenant, WorkspaceID: c.by.Workspace, LineID: r.ID, RecommendationKey: *r.RecommendationKey,
		RestOn: date(restOn),
	})
}

// suppress keeps the queue from suggesting an article again at once: after a person cancelled a
// line that was not ordered yet, and after less was ordered than suggested. What an agent takes
// back, or a person while drafting, is no decision about the article.
func (c *change) suppress(ctx context.Context, before, after row) error {
	if after.RecommendationKey == nil {
		return nil
	}
	open := before.Status == string(Draft) || before.Status == string(PendingApproval)
	switch {
	case c.action == Cancel && open && !c.takenBack && c.by.Actor.Type == auth.ByPerson:
		return c.queries.SuppressRejected(ctx, q.SuppressRejectedParams{
			TenantID: c.by.Tenant, LineID: after.ID, ID: uuid.Must(uuid.NewV7()), Today: today(c.by), Reason: c.reason,
			Actor: c.by.Actor.JSON(),
		})
	case c.action == Approve:
		return c.queries.SuppressShort(ctx, q.SuppressShortParams{
			TenantID: c.by.Tenant, LineID: after.ID, ID: uuid.Must(uuid.NewV7()), Today: today(c.by),
			Quantity: after.QuantityOrdered.InexactFloat64(), Actor: c.by.Actor.JSON(),
		})
	}
	return nil
}

// answer is what a line has answered: one of the recommendations of an article.
type answer struct {
	number int
	open   bool // the line is not ordered yet
	holds  bool // it is neither received nor cancelled, so that no other line answers the same
}

// answers returns what the lines of a company have answered of an article, whose keys begin alike.
func (c *change) answers(ctx context.Context, of string) (all []answer, err error) {
	lines, err := c.queries.ListRecommendations(ctx,
		q.ListRecommendationsParams{TenantID: c.by.Tenant, FromKey: of, UntilKey: of + ":"}) // ':' follows '9'
	for _, line := range lines {
		if n, err := strconv.Atoi(strings.TrimPrefix(line.RecommendationKey, of)); err == nil {
			all = append(all, answer{n, line.Open, line.Holds})
		}
	}
	return all, err
}

// newest returns the greatest number of an article's recommendations that were answered; 0: none.
func newest(answers []answer) (number int) {
	for _, a := range answers {
		number = max(number, a.number)
	}
	return number
}

// presentNumber returns the number of an article's present recommendation: the first one answered by
// a draft or a pending line, or else the one after all that were answered.
func presentNumber(answers []answer) int {
	open := 0
	for _, a := range answers {
		if a.open && (open == 0 || a.number < open) {
			open = a.number
		}
	}
	return cmp.Or(open, newest(answers)+1)
}

// holdAgain takes the line's recommendation from it if an open line answers it now, or a later one of the article: then that
// line was drafted for the same need.
func (c *change) holdAgain(ctx context.Context, r *row) error {
	if r.RecommendationKey == nil {
		return nil
	}
	of := RecommendationsLike(*r.RecommendationKey)
	answers, err := c.answers(ctx, of)
	if err != nil {
		return err
	}
	own, _ := strconv.Atoi(strings.TrimPrefix(*r.RecommendationKey, of))
	if slices.ContainsFunc(answers, func(a answer) bool { return a.holds && a.number >= own }) {
		r.RecommendationKey = nil
	}
	return nil
}
