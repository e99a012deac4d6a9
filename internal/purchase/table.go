package purchase

import (
	"fmt"
	"slices"
	"strings"

	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/fault"
)

// Status is the state of a line.
type Status string

// The statuses. None means that the line does not exist yet.
const (
	None              Status = ""
	Draft             Status = "draft"
	PendingApproval   Status = "pending_approval"
	Ordered           Status = "ordered"
	PartiallyReceived Status = "partially_received"
	Received          Status = "received"
	Cancelled         Status = "cancelled"
)

// Statuses returns all statuses, in the sequence of a line's life.
func Statuses() []Status {
	return []Status{Draft, PendingApproval, Ordered, PartiallyReceived, Received, Cancelled}
}

// Action is what people and agents do to a line.
type Action string

// The actions.
const (
	Create     Action = "create"
	Edit       Action = "edit"
	Submit     Action = "submit"
	Approve    Action = "approve"
	SendBack   Action = "send_back"
	Cancel     Action = "cancel"
	Receive    Action = "receive"
	CloseShort Action = "close_short"
	Correct    Action = "correct"
	Reopen     Action = "reopen"
	Split      Action = "split"
)

// Actions returns all actions.
func Actions() []Action {
	return []Action{Create, Edit, Submit, Approve, SendBack, Cancel, Receive, CloseShort, Correct, Reopen, Split}
}

// pastTense names an action that was taken, in the audit and in events.
var pastTense = map[Action]string{
	Create: "created", Edit: "edited", Submit: "submitted", Approve: "approved", SendBack: "sent_back",
	Cancel:  "cancelled",
	Receive: "received", CloseShort: "closed_short", Correct: "corrected", Reopen: "reopened", Split: "split",
}

// Transition is an allowed change of a line. Everything else is forbidden.
type Transition struct {
	Action   Action
	From, To Status
	Needs    auth.Permission
	Guard    string // what must be true
	Effect   string // what also happens
}

const (
	material  = "article, supplier, quantity, price or currency changed"
	smallEdit = "other fields change, or price and quantity rise within the rules' tolerance"
	fourEyes  = "the approver did not make, import or submit the line, was not the last to change its amount, " +
		"and neither made the token nor started the run of an agent that did so (unless the rules allow one person); " +
		"the order's total is within the approver's limit; nothing changed since it was submitted"
	reasonGive = "a reason"
	tooMuch    = "nothing remains received, and the line exceeds what was approved, as after a rise by an external system"
	ownReceipt = reasonGive + "; buyers only their own, within a day"
	openPart   = "less than what is still to come"
	secondLine = "a second line has the quantity that was split off, and its own day; " +
		"quantity, cost and approval are the same in sum"
	ownShare = "; the approval is divided in proportion, and the second line waits for approval if it exceeds its share"
)

// transitions apply to people and agents. What external systems send is always stored, and
// flagged where it breaks these rules.
var transitions = []Transition{
	{Create, None, Draft, auth.DraftLines,
		"no other open line answers the same recommendation; an article that is already on its way must be confirmed; " +
			"agents stay within the month's budget",
		"article and supplier are looked up; the maker is kept"},
	{Edit, Draft, Draft, auth.DraftLines, "agents only lines that they made", "the person who changed the amount is kept"},
	{Edit, PendingApproval, PendingApproval, auth.ChangeLines,
		"article, supplier, quantity, price and currency stay the same", ""},
	{Edit, PendingApproval, Draft, auth.ChangeLines, material, "it must be submitted again"},
	{Edit, Ordered, Ordered, auth.ChangeLines, smallEdit, ""},
	{Edit, Ordered, PendingApproval, auth.ChangeLines,
		"article, supplier, currency or order number differ from the approved ones, " +
			"or price or quantity rise beyond the rules' tolerance", "the approval is cleared"},
	{Edit, PartiallyReceived, PartiallyReceived, auth.ChangeLines,
		smallEdit + "; the quantity stays above what was received", ""},
	{Edit, Received, Received, auth.ChangeLines, "the note only", ""},
	{Edit, Cancelled, Cancelled, auth.ChangeLines, "the note only", ""},
	{Submit, Draft, PendingApproval, auth.SubmitLines,
		"quantity, supplier, price and currency are set; agents only lines that they made, if the rules allow it",
		"the amount is sealed"},
	{Approve, PendingApproval, Ordered, auth.ApproveLines, fourEyes,
		"the approver, the times of approval and order, and the approved values are kept"},
	{Approve, PendingApproval, PartiallyReceived, auth.ApproveLines, fourEyes + "; a part had arrived before", "the same"},
	{Approve, PendingApproval, Received, auth.ApproveLines, fourEyes + "; all of it had arrived before", "the same"},
	{SendBack, PendingApproval, Draft, auth.SendBackLines, reasonGive, "it must be submitted again"},
	{Cancel, Draft, Cancelled, auth.CancelDrafts, reasonGive + "; agents only lines that they made",
		"the recommendation is free again"},
	{Cancel, PendingApproval, Cancelled, auth.ChangeLines, reasonGive, "the recommendation is free again"},
	{Cancel, Ordered, Cancelled, auth.CancelOrders, reasonGive + "; nothing was received",
		"the recommendation is free again"},
	{Receive, Ordered, PartiallyReceived, auth.ReceiveLines, "less than what was ordered", "a receipt"},
	{Receive, Ordered, Received, auth.ReceiveLines, "all of it; far more only when confirmed", "a receipt"},
	{Receive, PartiallyReceived, PartiallyReceived, auth.ReceiveLines, "less than what was ordered", "a receipt"},
	{Receive, PartiallyReceived, Received, auth.ReceiveLines, "the rest; far more only when confirmed", "a receipt"},
	{CloseShort, PartiallyReceived, Received, auth.ReceiveLines, reasonGive, "the rest is given up, the receipts stay"},
	{Correct, Received, Received, auth.CorrectOwn, ownReceipt + "; still all of it", "a negative receipt"},
	{Correct, Received, PartiallyReceived, auth.CorrectOwn, ownReceipt, "a negative receipt"},
	{Correct, Received, Ordered, auth.CorrectOwn, ownReceipt + "; nothing remains received", "a negative receipt"},
	{Correct, PartiallyReceived, PartiallyReceived, auth.CorrectOwn, ownReceipt, "a negative receipt"},
	{Correct, PartiallyReceived, Ordered, auth.CorrectOwn, ownReceipt + "; nothing remains received", "a negative receipt"},
	{Correct, Received, PendingApproval, auth.CorrectOwn, ownReceipt + "; " + tooMuch, "a negative receipt; the approval is cleared"},
	{Correct, PartiallyReceived, PendingApproval, auth.CorrectOwn, ownReceipt + "; " + tooMuch,
		"a negative receipt; the approval is cleared"},
	{Reopen, Cancelled, Draft, auth.ReopenLines, "", "it loses its recommendation if an open line answers it now, or a later one of the article"},
	{Split, Draft, Draft, auth.DraftLines, openPart + "; agents only lines that they made", secondLine},
	{Split, PendingApproval, PendingApproval, auth.ChangeLines, openPart, secondLine},
	{Split, Ordered, Ordered, auth.ChangeLines, openPart, secondLine + ownShare},
	{Split, Ordered, PendingApproval, auth.ChangeLines,
		openPart + "; the line exceeded its approval already, as after a rise by an external system",
		"both lines wait for approval"},
	{Split, PartiallyReceived, PartiallyReceived, auth.ChangeLines, openPart + "; the line does not exceed its approval",
		secondLine + ownShare + "; nothing of it has arrived"},
}

// Transitions returns all transitions.
func Transitions() []Transition { return slices.Clone(transitions) }

// may refuses an action that the table does not contain, or does not allow this caller.
func may(by auth.Principal, action Action, from Status) error {
	at := slices.IndexFunc(transitions, func(t Transition) bool { return t.Action == action && t.From == from })
	switch {
	case at >= 0:
		return by.Require(transitions[at].Needs)
	case action == Cancel && from == PartiallyReceived:
		return fault.New(fault.Conflict, "close_short",
			"a part of it has arrived, so it cannot be cancelled; close it short instead: "+
				"the rest is given up, what arrived stays")
	}
	return fault.New(fault.Conflict, "line_status", "a line that is %s cannot be %s", words(string(from)),
		words(pastTense[action]))
}

// checkTransition refuses a change of status that the table does not contain.
func checkTransition(action Action, from, to Status) error {
	if slices.ContainsFunc(transitions,
		func(t Transition) bool { return t.Action == action && t.From == from && t.To == to }) {
		return nil
	}
	return fault.New(fault.Conflict, "line_status", "a line that is %s cannot become %s when it is %s",
		words(string(from)), words(string(to)), words(pastTense[action]))
}

// allowedActions returns the actions that the caller may try on a line in this status.
func allowedActions(by auth.Principal, from Status) []Action {
	actions := []Action{}
	for _, action := range Actions() {
		if action != Create && may(by, action, from) == nil {
			actions = append(actions, action)
		}
	}
	return actions
}

func words(name string) string { return strings.ReplaceAll(name, "_", " ") }

// Markdown returns the table as the documentation prints it.
func Markdown() string {
	var text strings.Builder
	text.WriteString("| Action | From → to | Who | When | Also |\n|---|---|---|---|---|\n")
	for _, t := range transitions {
		var who []string
		for _, role := range append(auth.Roles(), auth.Agent) {
			if role.May(t.Needs) {
				who = append(who, words(string(role)))
			}
		}
		fmt.Fprintf(&text, "| %s | %s → %s | %s | %s | %s |\n", words(string(t.Action)), words(or(string(t.From), "new")),
			words(string(t.To)),
			strings.Join(who, ", "), t.Guard, t.Effect)
	}
	return text.String()
}

func or(text, otherwise string) string {
	if text == "" {
		return otherwise
	}
	return text
}
