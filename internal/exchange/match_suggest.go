package exchange

import (
	"cmp"
	"slices"
	"strings"
	"unicode"

	"github.com/quayside/quayside/internal/sheet"
)

// counterpart is something of the other system, by its name or SKU.
type counterpart struct{ id, name string }

// ambiguity is what keeps a suggestion from being sure.
type ambiguity struct {
	taken  map[string]bool // ids there that something of ours has already
	shared map[string]bool // names or SKUs that several of ours have
}

const (
	mostSuggestions = 5
	closeEnough     = 0.8 // names below this are not suggested
)

// suggestByName suggests suppliers whose name is the same but for case, accents and signs, else those with a similar one.
// A name is sure if one on each side has it.
func suggestByName(open []*Match, there []counterpart, known ambiguity) {
	same := map[string][]counterpart{}
	for _, one := range there {
		if name := sameWords(one.name); name != "" {
			same[name] = append(same[name], one)
		}
	}
	for _, match := range open {
		name := sameWords(match.Name)
		found := free(same[name], known)
		for _, one := range found {
			match.suggest(one, len(same[name]) == 1 && !known.shared[name])
		}
		if len(found) > 0 {
			continue
		}
		for _, one := range similar(match.Name, free(there, known)) {
			match.suggest(one, false)
		}
	}
}

// suggestBySKU suggests the articles with the same SKU. A SKU is sure if one on each side has it.
func suggestBySKU(open []*Match, there []counterpart, known ambiguity) {
	same := map[string][]counterpart{}
	for _, one := range there {
		same[one.name] = append(same[one.name], one)
	}
	for _, match := range open {
		for _, one := range free(same[match.Code], known) {
			match.suggest(one, len(same[match.Code]) == 1 && !known.shared[match.Code])
		}
	}
}

// suggestPlace suggests the connection's own location, then the others. Locations have no names here, so none is sure.
func suggestPlace(open []*Match, there []counterpart, known ambiguity, chosen string) {
	places := free(there, known)
	slices.SortStableFunc(places, func(a, b counterpart) int {
		return cmp.Compare(map[bool]int{true: 0, false: 1}[a.id == chosen], map[bool]int{true: 0, false: 1}[b.id == chosen])
	})
	for _, match := range open {
		for _, one := range places {
			match.suggest(one, false)
		}
	}
}

func (m *Match) suggest(one counterpart, sure bool) {
	if len(m.Suggestions) < mostSuggestions {
		m.Suggestions = append(m.Suggestions, Suggestion{ID: one.id, Name: one.name, Sure: sure})
	}
}

// free returns those that nothing of ours is mapped to.
func free(there []counterpart, known ambiguity) []counterpart {
	return slices.DeleteFunc(slices.Clone(there), func(one counterpart) bool { return known.taken[one.id] })
}

// similar returns those whose name without the legal form is similar, the most similar first.
func similar(name string, there []counterpart) []counterpart {
	type scored struct {
		counterpart
		score float64
	}
	var found []scored
	bare := strings.Join(withoutForm(name), "")
	for _, one := range there {
		if score := likeness(bare, strings.Join(withoutForm(one.name), "")); score >= closeEnough {
			found = append(found, scored{one, score})
		}
	}
	slices.SortStableFunc(found, func(a, b scored) int { return cmp.Compare(b.score, a.score) })
	result := []counterpart{}
	for _, one := range found {
		result = append(result, one.counterpart)
	}
	return result
}

// longestName bounds comparing, which takes quadratic time.
const longestName = 100

// likeness returns, from 0 to 1, how similar two names are. A name that begins with the other is similar.
func likeness(a, b string) float64 {
	switch {
	case a == "" || b == "" || len(a) > longestName || len(b) > longestName:
		return 0
	case a == b:
		return 1
	case min(len(a), len(b)) >= 5 && (strings.HasPrefix(a, b) || strings.HasPrefix(b, a)):
		return 0.9
	}
	return sheet.Closeness(a, b)
}

// sameWords returns the letters and digits of a name, without case and accents.
func sameWords(name string) string { return sheet.Folded(name) }

// forms are legal forms, which people write on one side and leave out on the other.
var forms = strings.Fields("gmbh ag kg kgaa ohg gbr ug mbh co cokg ltd limited llc llp inc incorporated corp corporation " +
	"company plc sa sas sarl srl spa bv nv vof oy oyj ab as aps sl slu sro spzoo kft doo pty pte und and the")

// withoutForm returns the words of a name without legal forms, unless nothing would be left.
func withoutForm(name string) []string {
	name = strings.ReplaceAll(name, ".", "") // B.V.
	words := strings.FieldsFunc(name, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.Is(unicode.Mn, r) })
	var kept []string
	for i, word := range words {
		words[i] = sheet.Folded(word)
		if !slices.Contains(forms, words[i]) {
			kept = append(kept, words[i])
		}
	}
	if len(kept) == 0 {
		return words
	}
	return kept
}
