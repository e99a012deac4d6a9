package main

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestDearer: a cost fails when all that is sure of it is above what is allowed, and not when one round was.
func TestDearer(t *testing.T) {
	t.Parallel()
	allowed := map[string]cost{"orders": {Postgres: 1, Service: 0.5, WAL: 1000, Statements: 10}}
	steady := series{1, 1, 1, 1, 1}
	for name, tt := range map[string]struct {
		postgres   series
		statements float64
		want       string
	}{
		"as allowed":              {steady, 10, ""},
		"a tenth more":            {series{1.1, 1.1, 1.1, 1.1, 1.1}, 11, ""},
		"one bad round":           {series{1, 1.1, 9, 1, 1}, 10, ""},
		"a third more":            {series{1.3, 1.35, 1.3, 1.4, 1.3}, 10, "orders: postgres 1.30 instead of 1.00"},
		"a trigger of statements": {steady, 14, "orders: 14.0 statements instead of 10.0"},
	} {
		rounds := map[string]series{"orders postgres": tt.postgres, "orders service": {0.5, 0.5, 0.5, 0.5, 0.5}, "orders wal": {900, 900, 900, 900, 900}}
		found := dearer(map[string]cost{"orders": {Statements: tt.statements}}, rounds, allowed)
		require.Equal(t, tt.want, strings.Join(found, "; "), name)
	}
	require.Len(t, dearer(map[string]cost{"new": {Statements: 1}}, map[string]series{"new postgres": steady, "new service": steady, "new wal": steady}, allowed), 4,
		"of a kind that nothing is allowed for")
}
