package push

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"time"
)

// Print shows the summary to people.
func (s Summary) Print(w io.Writer) {
	took := time.Duration(s.Seconds * float64(time.Second)).Round(time.Millisecond)
	if took > time.Second {
		took = took.Round(100 * time.Millisecond)
	}
	verb := "accepted"
	if s.DryRun {
		verb = "would be accepted"
	}
	stale := ""
	if s.Stale > 0 {
		stale = ", " + Thousands(s.Stale) + " older than what is stored"
	}
	fmt.Fprintf(w, "%s %s (%s created, %s updated, %s unchanged%s), %s rejected, in %s", Thousands(s.Accepted), verb,
		Thousands(s.Created), Thousands(s.Updated), Thousands(s.Unchanged), stale, Thousands(s.Rejected), took)
	if s.Seconds > 0 {
		fmt.Fprintf(w, " (%s/s)", Thousands(int64(float64(s.Done()-s.Resumed)/s.Seconds)))
	}
	if s.Retries > 0 {
		fmt.Fprintf(w, ", %s sent again", Thousands(s.Retries))
	}
	fmt.Fprintln(w)
	for _, code := range s.warnings() {
		fmt.Fprintf(w, "  %6s × accepted with the warning %s\n", Thousands(s.Warned[code]), code)
	}
	for _, group := range s.Groups {
		fmt.Fprintf(w, "  %6s × %s (first: record %s)\n", Thousands(group.Count), group.Reason, Thousands(group.First))
		if group.Example != group.Reason {
			fmt.Fprintf(w, "           such as: %s\n", clip(group.Example))
		}
	}
	if s.OtherGroups > 0 {
		fmt.Fprintf(w, "  %6s × for other reasons\n", Thousands(s.OtherGroups))
	}
}

// warnings returns the codes of warnings, the most frequent first.
func (s Summary) warnings() []string {
	return slices.SortedFunc(maps.Keys(s.Warned), func(a, b string) int {
		return cmp.Or(cmp.Compare(s.Warned[b], s.Warned[a]), cmp.Compare(a, b))
	})
}

// clip keeps a message to a line or two.
func clip(message string) string {
	const most = 200
	if runes := []rune(message); len(runes) > most {
		return string(runes[:most]) + "…"
	}
	return message
}
