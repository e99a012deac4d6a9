package purchase

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"regexp"
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
	answered, err := c.queries.ListRecommendations(ctx,
		q.ListRecommendationsParams{TenantID: c.by.Tenant, FromKey: of, UntilKey: of + ":"}) // ':' follows '9'
	if err != nil {
		return nil, err
	}
	if number, _ := strconv.Atoi(n); number != presentNumber(of, answered) {
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

// presentNumber returns the number of an article's present recommendation: the first one answered by
// a draft or a pending line, or else the one after all that were answered.
func presentNumber(of string, answered []q.ListRecommendationsRow) int {
	present, open := 1, 0
	for _, line := range answered {
		n, err := strconv.Atoi(strings.TrimPrefix(line.RecommendationKey, of))
		if err != nil {
			continue
		}
		present = max(present, n+1)
		if line.Open && (open == 0 || n < open) {
			open = n
		}
	}
	if open > 0 {
		return open
	}
	return present
}
