package push

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// mostGroups bounds what a summary shows and what a push remembers.
const mostGroups = 20

// Group is records that were refused for the same reason.
type Group struct {
	Status  int    `json:"status,omitempty"` // absent: the record was not sent
	Reason  string `json:"reason"`
	Count   int64  `json:"count"`
	First   int64  `json:"first_record"`
	Example string `json:"example"` // the whole message of the first
}

// Groups sorts refusals by reason.
type Groups struct {
	mu     sync.Mutex
	byKey  map[string]*Group
	others int64
}

var (
	quotedValue = regexp.MustCompile(`"(?:[^"\\]|\\.)*"?…?`)
	received    = regexp.MustCompile(`, received .*$`)
	bounded     = regexp.MustCompile(`: \S+ is (below|above) `)
	place       = regexp.MustCompile(`^(line|element) \d+:? `)
	numbered    = regexp.MustCompile(`\d+ cells|line \d+`)
)

// kind is a message without the values that tell its records apart. Of several things
// that are wrong the first counts, as it does in the service.
func kind(message string) string {
	first, _, _ := strings.Cut(message, "; ")
	first = received.ReplaceAllString(first, "")
	first = bounded.ReplaceAllString(first, ": is $1 ")
	first = place.ReplaceAllString(first, "")
	first = numbered.ReplaceAllStringFunc(first, func(part string) string {
		if strings.HasPrefix(part, "line") {
			return "a line"
		}
		return "other cells"
	})
	return quotedValue.ReplaceAllString(first, "…")
}

// Add counts one refusal.
func (g *Groups) Add(status int, message string, number int64) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.byKey == nil {
		g.byKey = map[string]*Group{}
	}
	reason := kind(message)
	group, known := g.byKey[reason]
	switch {
	case known:
		group.Count++
		if number < group.First {
			group.First, group.Example = number, message
		}
	case len(g.byKey) < mostGroups:
		g.byKey[reason] = &Group{Status: status, Reason: reason, Count: 1, First: number, Example: message}
	default:
		g.others++
	}
}

// List gives the groups, the largest first, and how many refusals are in none.
func (g *Groups) List() (groups []Group, others int64) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, group := range g.byKey {
		groups = append(groups, *group)
	}
	slices.SortFunc(groups, func(a, b Group) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.First, b.First))
	})
	return groups, g.others
}
