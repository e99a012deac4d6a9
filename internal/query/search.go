package query

import (
	"regexp"
	"unicode/utf8"
)

// Search holds the query parameters of a list's address. The list's page interprets them as it
// does those of any address.
type Search map[string]string

const (
	mostParameters = 20
	longestValue   = 500
)

var parameterName = regexp.MustCompile(`^[a-z][a-z0-9_]{0,39}$`)

// passing are parameters that a view does not store: the number of pages shown, what is open
// beside the list, and the chosen view.
var passing = map[string]bool{"pages": true, "open": true, "view": true}

// checkOfList refuses a definition that is not the address of a list.
func (d Definition) checkOfList() error {
	if d.Filters != nil || d.SelectFields != nil || d.SortBy != "" || d.SortDesc || d.Widths != nil ||
		d.AsOf != "" || d.Product != "" {
		return refuse("definition", "unexpected", "a view of a list has nothing but its search")
	}
	if len(d.Search) > mostParameters {
		return refuse("definition/search", "too_long", "a view of a list has at most %d parameters", mostParameters)
	}
	for name, value := range d.Search {
		switch field := "definition/search/" + name; {
		case !parameterName.MatchString(name):
			return refuse("definition/search", "parameter",
				"a parameter's name has small letters, digits and underscores, at most 40 of them")
		case passing[name]:
			return refuse(field, "parameter", "%s is no part of a view", name)
		case !utf8.ValidString(value) || utf8.RuneCountInString(value) > longestValue:
			return refuse(field, "too_long", "%s has at most %d characters", name, longestValue)
		}
	}
	return nil
}
