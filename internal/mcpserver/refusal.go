package mcpserver

import (
	"math"

	"github.com/go-json-experiment/json"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/quayside/quayside/internal/fault"
)

// refusal is an error that an assistant can act on.
type refusal struct {
	Error struct {
		Code    string        `json:"code"`
		Message string        `json:"message"`
		Fields  []fault.Field `json:"fields,omitempty"`
		Retry   int           `json:"retry_after_seconds,omitzero"`
		Details any           `json:"details,omitempty"` // what the message says, for programs
	} `json:"error"`
	Next string `json:"next,omitempty"`
}

// fields returns the errors of a record, as many as fit.
func fields(wrong []fault.Field) (shown []fault.Field) {
	for _, one := range wrong {
		one.Field, _ = clip(one.Field, mostText/40)
		one.Message, _ = clip(one.Message, mostText/20)
		shown = append(shown, one)
	}
	shown, _ = fit(shown, mostText)
	return shown
}

// nextCalls says which call helps after a refusal, by code.
var nextCalls = map[string]string{
	"unknown_table":           "table_list has the tables there are",
	"unknown_field":           "table_describe has the columns of a table",
	"operator":                "table_describe has the operators of each column",
	"value":                   "table_describe has the type and an example of each column",
	"cursor":                  "call again without a cursor, with the same other arguments as before or with new ones",
	"unknown_failure":         "failed_import_list has the ids",
	"resolved":                "failed_import_list has what is still open",
	"newer":                   "a person can overwrite it in the app, under Failed imports",
	"unknown_line":            "data_query with view_slug purchase_order_lines has the ids",
	"unknown_order":           "data_query with view_slug purchase_order_lines has the numbers in order_no",
	"already_on_its_way":      "leave the article out; if more is wanted than is on its way, purchase_order_draft_create takes confirm_on_its_way, and a person can confirm it in the app",
	"unknown_recommendation":  "procurement_queue_list has the keys",
	"recommendation_answered": "procurement_queue_list has the article's present key, if it needs more",
	"recommendation_locked":   "leave it: the line that holds it is on its way; purchase_order_line_get shows it",
	"recommendation_blocked":  "a person can draft it in the app, under To order",
	"already_drafted":         "a person can confirm it in the app, under To order",
	"unknown_article":         "procurement_queue_list has the ids",
	"stale":                   "read it again as it is now: purchase_order_line_get, strategy_get, sop_get or procurement_config_get",
	"people_only":             "tell the person; they can do it in the app, under Automate, Playbook",
	"not_found":               "strategy_list and sop_list have what there is",
	"slug_taken":              "sop_get has its newest_version; send that as version to change the SOP",
	"unknown_key":             "procurement_config_get has the keys",
	"missing_scope":           "ask a Company-Admin for a token with that scope",
	"too_large":               "ask for fewer rows, or with select_fields for fewer columns",
	"too_slow":                "add filters, or sort by id",
	"not_by_token":            "a person can, in the app, under Failed imports",
	"other_record":            "failed_import_get has what was sent",
	"not_named":               "failed_import_get has what was sent, and the errors with the fields that may be corrected",
}

// refused returns an answer with a refusal.
func refused(public *fault.Error) *mcp.CallToolResult {
	return &mcp.CallToolResult{IsError: true, Content: []mcp.Content{&mcp.TextContent{Text: string(toRefusal(public))}}}
}

// toRefusal returns an error in the form that an assistant can act on, as JSON.
func toRefusal(public *fault.Error) []byte {
	told := refusal{Next: nextCalls[public.Code]}
	told.Error.Code = public.Code
	told.Error.Message, _ = clip(public.Message, mostText/4)
	told.Error.Fields = fields(public.Fields)
	told.Error.Retry = int(math.Ceil(public.Wait.Seconds()))
	if details, err := json.Marshal(public.Details); err == nil && public.Details != nil && len(details) <= mostText {
		told.Error.Details = public.Details
	}
	text, err := json.Marshal(told)
	if err != nil {
		panic(err) // texts always marshal
	}
	return text
}
