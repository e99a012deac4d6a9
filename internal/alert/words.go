package alert

import (
	"fmt"
	"net/url"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/quayside/quayside/internal/freshness"
)

// Summary returns in one line what happened.
func (a Alert) Summary() string {
	switch a.Rule {
	case NewFailures:
		return "New failed imports in " + a.Title
	case FailureRate:
		return "Too many records for " + a.Title + " fail"
	case SilentSource:
		return "Nothing comes in for " + a.Title + " any more"
	case NotComputed:
		if a.Slug == string(freshness.Demand) {
			return "The demand is not computed any more"
		}
		return "What to order is not computed any more"
	}
	return "Something is wrong with " + a.Title // a rule of a newer version
}

// Reason returns why the alert was raised.
func (a Alert) Reason() string {
	switch a.Rule {
	case NewFailures:
		return a.message
	case FailureRate:
		return fmt.Sprintf("%d of %d records failed within %d minutes, more than %d %%", a.failed, a.total,
			int(rateWindow.Minutes()), ratePercent)
	case SilentSource:
		return fmt.Sprintf("Something used to come about every %s; nothing has for four times as long", lasting(a.usualGap))
	case NotComputed:
		return "What came since is not in forecasts and suggestions; the operator of the service finds the reason in its log"
	}
	return a.message
}

// lasting returns a duration in words.
func lasting(d time.Duration) string {
	switch {
	case d < 90*time.Minute:
		return fmt.Sprintf("%d minutes", int(d.Round(time.Minute).Minutes()))
	case d < 36*time.Hour:
		return fmt.Sprintf("%d hours", int(d.Round(time.Hour).Hours()))
	}
	return fmt.Sprintf("%d days", int(d.Round(24*time.Hour).Hours()/24))
}

// path returns the page of the app that shows the alert's cause: the failed imports of a
// group or of a source, the source, or what to order.
func (a Alert) path(workspace uuid.UUID) string {
	place := "/w/" + workspace.String()
	switch a.Rule {
	case NewFailures:
		field := a.Field
		if field == "" {
			field = "none" // as the list of failed imports calls it
		}
		return place + "/failures?" + url.Values{"table": {a.Slug}, "code": {a.Code}, "field": {field}}.Encode()
	case FailureRate:
		return place + "/failures?" + url.Values{"table": {a.Slug}}.Encode()
	case NotComputed:
		return place + "/to-order"
	case SilentSource:
	}
	return place + "/sources/" + url.PathEscape(a.Slug)
}

const longestMessage = 300

// withoutValues removes the sent values from a refusal's message, because alerts are mailed
// and mails must not hold a record's values. It drops the messages of unknown codes.
func withoutValues(code, field, message string) string {
	text := strings.ReplaceAll(code, "_", " ")
	if field != "" {
		text = field + ": " + text
	}
	switch code {
	case "required", "nul", "too_long", "unknown_reference", "constraint", "fault": // they name fields alone
		text = message
	case "ambiguous_time":
		text = field + ": a time in seconds or in milliseconds"
	default:
		if rule := ruleOf(code, field, message); rule != "" {
			text = field + ": " + rule
		}
	}
	if short := []rune(text); len(short) > longestMessage {
		text = string(short[:longestMessage]) + "…"
	}
	return text
}

// rules lists, by code, the words between the sent value and what the column accepts.
var rules = map[string][]string{
	"type":     {" is not ", " is too long: "},
	"choice":   {" is not one of "},
	"range":    {" is below ", " is above "},
	"currency": {" is not a currency "},
}

// ruleOf returns the end of a refusal's message, which says what the column accepts, or "".
// The sent value comes first and may hold the same words, so the last match counts.
func ruleOf(code, field, message string) string {
	if expected, _, cut := strings.Cut(strings.TrimPrefix(message, field+": "), ", received "); cut &&
		strings.HasPrefix(expected, "expected ") {
		return expected // the older form of these messages, with the sent value at the end
	}
	last := -1
	for _, words := range rules[code] {
		last = max(last, strings.LastIndex(message, words))
	}
	if last < 0 {
		return ""
	}
	return strings.TrimPrefix(message[last:], " is ")
}
