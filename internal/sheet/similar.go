package sheet

import (
	"maps"
	"slices"
	"strings"
	"unicode"
)

const (
	likeEnough = 0.85 // names below this are unrelated
	likeMargin = 0.05 // two columns closer than this are equally likely
	typoLength = 5    // a one-letter difference in a shorter name is not a typing error
)

// normalise keeps the letters and digits, in lower case.
func normalise(name string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, name)
}

// sameName reports whether two names differ only in case and separators.
func sameName(a, b string) bool { return normalise(a) != "" && normalise(a) == normalise(b) }

// short holds abbreviations that have one meaning among records.
var short = map[string]string{
	"no": "number", "nr": "number", "num": "number", "qty": "quantity", "amt": "amount", "curr": "currency",
	"ccy":  "currency",
	"desc": "description", "ext": "external", "addr": "address", "tel": "phone", "telephone": "phone", "mail": "email",
	"ref": "reference",
}

// words splits a name at separators and capital letters, spells out abbreviations and drops
// plurals.
func words(name string) []string {
	runes := []rune(name)
	spaced := make([]rune, 0, len(runes)+4)
	for i, r := range runes {
		if i > 0 && unicode.IsUpper(r) && unicode.IsLower(runes[i-1]) {
			spaced = append(spaced, ' ')
		}
		spaced = append(spaced, unicode.ToLower(r))
	}
	text := strings.ReplaceAll(string(spaced), "e-mail", "email")
	split := strings.FieldsFunc(text, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	for i, word := range split {
		if long, ok := short[word]; ok {
			word = long
		}
		if len(word) > 3 && strings.HasSuffix(word, "s") && !strings.HasSuffix(word, "ss") && !strings.HasSuffix(word, "us") {
			word = strings.TrimSuffix(word, "s")
		}
		split[i] = word
	}
	return split
}

// likeness returns, from 0 to 1, how likely a file's column means a table's column: it has the
// same words in another form or order, the same words without the table's own noun ("Supplier
// Name" in suppliers is name), or a typing error.
func likeness(name, column, slug string) float64 {
	if len(name) > longestName { // comparing takes quadratic time
		return 0
	}
	a, b := words(name), words(column)
	joinedA, joinedB := strings.Join(a, ""), strings.Join(b, "")
	noun := words(slug)
	bare := slices.DeleteFunc(slices.Clone(a), func(word string) bool { return slices.Contains(noun, word) })
	switch {
	case joinedA == "" || digits(joinedA) != digits(joinedB):
		return 0
	case joinedA == joinedB:
		return 0.97
	case maps.Equal(bag(a), bag(b)):
		return 0.95
	case len(bare) > 0 && len(bare) < len(a) && strings.Join(bare, "") == joinedB:
		return 0.9
	case min(len(joinedA), len(joinedB)) < typoLength, 2*len(joinedA) < len(joinedB), 2*len(joinedB) < len(joinedA),
		!slips(a, b):
		return 0
	}
	return Closeness(joinedA, joinedB)
}

// slips reports whether two names with equally many words differ only by letters within a
// word: created_at is not created_by.
func slips(a, b []string) bool {
	if len(a) != len(b) {
		return true
	}
	for i := range a {
		if Closeness(a[i], b[i]) < 0.7 {
			return false
		}
	}
	return true
}

func bag(list []string) map[string]int {
	counted := map[string]int{}
	for _, word := range list {
		counted[word]++
	}
	return counted
}

func digits(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsDigit(r) {
			return r
		}
		return -1
	}, text)
}

// Closeness returns the share of letters that need no change, insertion, removal or swap.
func Closeness(a, b string) float64 {
	x, y := []rune(a), []rune(b)
	longest := max(len(x), len(y))
	if longest == 0 {
		return 1
	}
	before, above, row := make([]int, len(y)+1), make([]int, len(y)+1), make([]int, len(y)+1)
	for j := range above {
		above[j] = j
	}
	for i := 1; i <= len(x); i++ {
		row[0] = i
		for j := 1; j <= len(y); j++ {
			change := above[j-1]
			if x[i-1] != y[j-1] {
				change++
			}
			row[j] = min(change, above[j]+1, row[j-1]+1)
			if i > 1 && j > 1 && x[i-1] == y[j-2] && x[i-2] == y[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, above, row = above, row, before
	}
	return 1 - float64(above[len(y)])/float64(longest)
}
