package inventory

import (
	"strings"

	"github.com/quayside/quayside/internal/purchase"
)

// State is the state of an order or of a line there. The words are those of Katana, after whose orders
// the mapping was made; another system's folder translates its own words into these.
type State string

// The states. Gone is no state of an order: there is no cancelled, so what is cancelled is deleted.
const (
	Draft             State = "DRAFT"
	NotReceived       State = "NOT_RECEIVED"
	PartiallyReceived State = "PARTIALLY_RECEIVED"
	Received          State = "RECEIVED"
	Gone              State = ""
)

// Status is one row of the mapping.
type Status struct {
	Here   purchase.Status
	There  State
	Export string // what is done there
	Load   string // what the state does here
}

// Statuses is the mapping of statuses in both directions.
func Statuses() []Status {
	return []Status{
		{purchase.Draft, Draft, "created as a draft; waits here if drafts are refused",
			"a new line is a draft; an ordered line that is set back is a conflict"},
		{purchase.PendingApproval, Draft, "as a draft",
			"never: a draft there leaves a pending line pending"},
		{purchase.Ordered, NotReceived, "ordered, once no line of the order there is a draft",
			"ordered; a draft or pending line is flagged as approved elsewhere"},
		{purchase.PartiallyReceived, PartiallyReceived, "what arrived here is received there",
			"the receipts are booked with their dates"},
		{purchase.Received, Received, "the rest is received, or given up if the line was closed short",
			"the receipts are booked; if nothing is open there, the line is closed"},
		{purchase.Cancelled, Gone, "the row is deleted, and the order with its last row",
			"cancelled, unless the line was changed here or a part has arrived"},
	}
}

// StateOf returns the state that a status is exported as.
func StateOf(status purchase.Status) State {
	for _, row := range Statuses() {
		if row.Here == status {
			return row.There
		}
	}
	return Gone
}

// StatusOf returns the status that a line with a state is loaded as. A draft there is always a draft:
// pending approval exists only here.
func StatusOf(state State) purchase.Status {
	for _, row := range Statuses() {
		if row.There == state {
			return row.Here
		}
	}
	return purchase.Cancelled
}

// Markdown prints the mapping as a table.
func Markdown() string {
	var text strings.Builder
	text.WriteString("| Here | There | When it is exported | When it is loaded |\n|---|---|---|---|\n")
	for _, row := range Statuses() {
		there := "`" + string(row.There) + "`"
		if row.There == Gone {
			there = "deleted"
		}
		text.WriteString("| `" + string(row.Here) + "` | " + there + " | " + row.Export + " | " + row.Load + " |\n")
	}
	return text.String()
}
