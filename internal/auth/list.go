package auth

import (
	"maps"
	"slices"
)

// List names a list of the app. People save its filter and order as views.
type List string

// readers maps each list to the permission to read it and to use its views.
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

// Lists returns all lists, sorted by name.
func Lists() []List { return slices.Sorted(maps.Keys(readers)) }

// Reader returns the permission to read the list, or false if there is no such list.
func (l List) Reader() (Permission, bool) {
	permission, known := readers[l]
	return permission, known
}

// Lists returns the names of the lists that the principal may read.
func (p Principal) Lists() []string {
	names := []string{}
	for _, list := range Lists() {
		if p.Require(readers[list]) == nil {
			names = append(names, string(list))
		}
	}
	return names
}
