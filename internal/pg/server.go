package pg

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/quayside/quayside/internal/fault"
	"github.com/quayside/quayside/internal/pg/q"
)

// CheckServer fails if PostgreSQL stores nothing because of what it is or how it is set up: it is a hot standby,
// its transactions are read-only by default, or its commits wait for a synchronous standby that is not connected.
// The detail says for whom commits wait.
func (c *Cells) CheckServer(ctx context.Context) (detail string, err error) {
	var state q.ServerStateRow
	err = c.read(ctx, func(queries *q.Queries) (err error) {
		state, err = queries.ServerState(ctx)
		return err
	})
	if err != nil {
		return "", err
	}
	switch {
	case state.Standby:
		return "", fault.New(fault.Unavailable, "server_standby",
			"PostgreSQL is a hot standby (pg_is_in_recovery), which stores nothing; promote it, or let QUAYSIDE_DATABASE_URL name the primary")
	case state.ReadOnly:
		return "", fault.New(fault.Unavailable, "server_read_only",
			"default_transaction_read_only is on (source: %s), so nothing is stored; set it to off", state.ReadOnlySource)
	case state.SyncNames == "":
		return "a primary; commits wait for no standby", nil
	}
	wanted := parseSyncNames(state.SyncNames)
	if missing := wanted.missing(state.Connected); missing > 0 {
		return "", fault.New(fault.Unavailable, "standby_missing",
			"commits wait for a synchronous standby that is not connected: synchronous_standby_names is %q, and %s; "+
				"start the standby, or take its name out of synchronous_standby_names",
			state.SyncNames, connectedWords(state.Connected))
	}
	return "a primary; the synchronous standby is connected: " + strings.Join(state.Connected, ", "), nil
}

func connectedWords(names []string) string {
	if len(names) == 0 {
		return "no standby is connected"
	}
	return "connected are only: " + strings.Join(names, ", ")
}

// syncNames is what synchronous_standby_names asks for: so many of the names. "*" is any name.
type syncNames struct {
	needs int
	names []string
}

// parseSyncNames parses a value that PostgreSQL has accepted: "a, b", "2 (a, b)", "FIRST 2 (a, b)" or "ANY 2 (a, b)".
func parseSyncNames(value string) syncNames {
	wanted := syncNames{needs: 1}
	head, list, counted := cutUnquoted(value, '(')
	if counted {
		list, _, _ = cutUnquoted(list, ')')
		if words := strings.Fields(head); len(words) > 0 {
			wanted.needs, _ = strconv.Atoi(words[len(words)-1])
		}
	} else {
		list = head
	}
	for more := true; more; {
		var name string
		name, list, more = cutUnquoted(list, ',')
		name = strings.TrimFunc(name, unicode.IsSpace)
		if len(name) > 1 && name[0] == '"' {
			name = strings.ReplaceAll(name[1:len(name)-1], `""`, `"`)
		}
		wanted.names = append(wanted.names, name)
	}
	return wanted
}

// cutUnquoted is strings.Cut for a separator outside of double quotes.
func cutUnquoted(text string, separator byte) (before, after string, found bool) {
	quoted := false
	for i := range len(text) {
		switch {
		case text[i] == '"':
			quoted = !quoted
		case text[i] == separator && !quoted:
			return text[:i], text[i+1:], true
		}
	}
	return text, "", false
}

// missing returns how many of the standbys are not among the connected ones.
func (s syncNames) missing(connected []string) int {
	found := 0
	for _, name := range connected {
		if slices.ContainsFunc(s.names, func(n string) bool { return n == "*" || strings.EqualFold(n, name) }) {
			found++
		}
	}
	return max(0, s.needs-found)
}
