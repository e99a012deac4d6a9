package auth

import (
	"maps"
	"slices"
)

// List names a list of the app whose filter and order people save as views.
type List string

// readers is what one needs to read each list, and thereby to use its views.
var readers = map[List]Permission{
	"arrivals":        Read,
	"audit":           ReadAudit,
	"failure-groups":  ReadFailures,
	"failures":        ReadFailures,
	"imports":         Read,
	"keys":            ManageKeys,
	"purchase-orders": Read,
	"tokens":          Read,
}

// Lists are all the lists, by name.
func Lists() []List { return slices.Sorted(maps.Keys(readers)) }

// Reader is what one needs to read the list; false: there is no such list.
func (l List) Reader() (Permission, bool) {
	permission, known := readers[l]
	return permission, known
}

// Lists are the names of the lists that the principal may read.
func (p Principal) Lists() []string {
	names := []string{}
	for _, list := range Lists() {
		if p.Require(readers[list]) == nil {
			names = append(names, string(list))
		}
	}
	return names
}
