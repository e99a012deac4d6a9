package sheet

import (
	_ "embed" // the synonyms
	"strings"
	"sync"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

//go:embed synonyms.txt
var synonymsText string

// Synonym is what people call a column of a table, "*" for all built-in tables.
type Synonym struct{ Table, Column, Name string }

// Synonyms returns all synonyms of columns.
func Synonyms() (all []Synonym) {
	table := ""
	for line := range strings.Lines(synonymsText) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "[") {
			table = strings.Trim(line, "[]")
		}
		column, names, found := strings.Cut(line, " = ")
		if strings.HasPrefix(line, "#") || !found {
			continue
		}
		for name := range strings.SplitSeq(names, ", ") {
			all = append(all, Synonym{table, column, name})
		}
	}
	return all
}

// synonymIndex finds the column that a folded name means in a table.
var synonymIndex = sync.OnceValue(func() map[string]map[string]string {
	index := map[string]map[string]string{}
	for _, one := range Synonyms() {
		if index[one.Table] == nil {
			index[one.Table] = map[string]string{}
		}
		for _, name := range []string{one.Name, umlauts.Replace(one.Name)} {
			index[one.Table][Folded(name)] = one.Column
		}
	}
	return index
})

// umlauts are also written without dots.
var umlauts = strings.NewReplacer("ä", "ae", "ö", "oe", "ü", "ue", "Ä", "Ae", "Ö", "Oe", "Ü", "Ue")

// means reports whether a name is a synonym of a column of a built-in table.
func means(slug, name, column string) bool {
	if len(name) > longestName {
		return false
	}
	own, builtIn := synonymIndex()[slug]
	if !builtIn {
		return false
	}
	name = Folded(name)
	meant, known := own[name]
	if !known {
		meant = synonymIndex()["*"][name]
	}
	return meant == column
}

// Folded keeps the letters and digits of a name, in lower case and without accents.
func Folded(name string) string {
	name = strings.ReplaceAll(name, "ß", "ss")
	return normalise(strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Mn, r) {
			return -1
		}
		return r
	}, norm.NFD.String(name)))
}
