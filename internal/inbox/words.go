package inbox

import (
	"fmt"
	"net/url"
	"strings"

	"github.com/google/uuid"

	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/currency"
	"github.com/quayside/quayside/internal/mail"
	"github.com/quayside/quayside/internal/pg/q"
)

// mostMailed is how many items one mail tells about, the newest.
const mostMailed = 50

// namer returns a function that names who did something, at the beginning of a sentence.
func namer(members []q.ListInboxMembersRow) func(auth.Actor) string {
	names := map[string]string{}
	for _, member := range members {
		names[member.ID.String()] = member.Name
	}
	return func(by auth.Actor) string {
		switch {
		case by.Type == auth.ByPerson && names[by.ID] != "":
			return names[by.ID]
		case by.Type == auth.ByPerson:
			return "A former member"
		case by.ID == auth.ProcurementAgent.String():
			return "The " + strings.ToLower(auth.ProcurementName)
		case by.Type == auth.ByAgent:
			return "An agent"
		}
		return "An external system"
	}
}

// sentence says what an item is about, without an end.
func (i Item) sentence(name func(auth.Actor) string) string {
	switch i.Kind {
	case Approval:
		return i.Subject + " waits for your approval"
	case SentBack:
		return name(i.By) + " sent " + i.Subject + " back to you"
	case Mention:
		return name(i.By) + " mentioned you in " + i.Subject
	case Alert:
	}
	return i.Subject
}

// details returns the lines of a mail below the sentence.
func (i Item) details(name func(auth.Actor) string) (lines []string) {
	if i.Kind == Approval {
		lines = append(lines, fmt.Sprintf("Lines: %d, submitted by %s", i.Lines, name(i.By)))
	}
	if i.Order != nil && i.Kind != Mention {
		sums := []string{}
		for _, total := range i.Order.Totals {
			sums = append(sums, strings.TrimSpace(currency.Show(total.Amount, total.Currency)))
		}
		lines = append(lines, "The order comes to: "+strings.Join(sums, " + ")+leftOut(i.Order.LeftOut))
	}
	if i.Text != "" {
		lines = append(lines, "“"+i.Text+"”")
	}
	return lines
}

// leftOut says how many lines are in no sum.
func leftOut(lines int64) string {
	switch lines {
	case 0:
		return ""
	case 1:
		return "; 1 line with an implausible amount is left out"
	}
	return fmt.Sprintf("; %d lines with an implausible amount are left out", lines)
}

// compose writes one person's mail about what is new in one workspace.
func (s *Service) compose(place q.GetPlaceRow, workspace uuid.UUID, to string, name func(auth.Actor) string,
	items []Item) mail.Message {
	message := mail.Message{To: []string{to}, Subject: "Quayside: " + items[0].sentence(name)}
	if len(items) > 1 {
		message.Subject = fmt.Sprintf("Quayside: %d new in your inbox of %s", len(items), place.Workspace)
	}
	app := s.baseURL + "/w/" + workspace.String()
	var text strings.Builder
	fmt.Fprintf(&text, "In the workspace %s of %s:\n", place.Workspace, place.Company)
	for _, item := range items {
		fmt.Fprintf(&text, "\n%s.\n", item.sentence(name))
		for _, line := range item.details(name) {
			fmt.Fprintf(&text, "%s\n", line)
		}
		fmt.Fprintf(&text, "Look at it: %s/purchase-orders/%s\n", app, url.PathEscape(item.Subject))
	}
	fmt.Fprintf(&text, "\nAll that waits for you: %s/inbox\n", app)
	fmt.Fprintf(&text, "Choose which of these mails you get: %s/you\n", app)
	message.Text = text.String()
	return message
}
