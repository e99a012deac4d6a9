package push

import (
	"cmp"
	"slices"
	"sync"

	"github.com/quayside/quayside/internal/sheet"
)

// mostGroups limits the reasons that a summary shows and a push remembers.
const mostGroups = 20

// Group is a set of records that were refused for the same reason.
type Group struct {
	Status  int    `json:"status,omitempty"` // absent: the record was not sent
	Reason  string `json:"reason"`
	Count   int64  `json:"count"`
	First   int64  `json:"first_record"`
	Example string `json:"example"` // the full message of the first
}

// Groups groups refusals by reason.
type Groups struct {
	mu     sync.Mutex
	byKey  map[string]*Group
	others int64
}

// Add counts one refusal.
func (g *Groups) Add(status int, message string, number int64) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.byKey == nil {
		g.byKey = map[string]*Group{}
	}
	reason := sheet.Reason(message)
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

// List returns the groups, the largest first, and the number of refusals in no group.
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
