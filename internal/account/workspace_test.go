package account

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/quayside/quayside/internal/fault"
)

// TestWeekStart: a week starts on one of seven days, which a change that does not name one keeps.
func TestWeekStart(t *testing.T) {
	t.Parallel()
	w := Workspace{WeekStart: 1}
	for i, day := range weekdays[1:] {
		require.NoError(t, w.apply(WorkspaceChange{WeekStart: &day}))
		require.EqualValues(t, i+1, w.WeekStart)
		require.Equal(t, day, w.WeekStartDay())
	}
	require.NoError(t, w.apply(WorkspaceChange{}))
	require.Equal(t, "sunday", w.WeekStartDay())
	for _, wrong := range []string{"", "Monday", "someday", "1", "8"} {
		var refused *fault.Error
		require.ErrorAs(t, w.apply(WorkspaceChange{WeekStart: &wrong}), &refused, wrong)
		require.Equal(t, "week_start", refused.Fields[0].Field)
		require.Equal(t, "sunday", w.WeekStartDay())
	}
}

// TestSender: addresses have several lines, all else has one, and suppliers answer to one plain address.
func TestSender(t *testing.T) {
	t.Parallel()
	set := func(text string) *string { return &text }
	var w Workspace
	require.NoError(t, w.apply(WorkspaceChange{Sender: Sender{Address: set(" Harbour Goods\r\n1 Dock Road\n"),
		OrderContact: set("Grace"), OrderEmail: set(" buy@harbour.example "), VatID: set("GB1")}}))
	require.Equal(t, Workspace{Address: "Harbour Goods\n1 Dock Road", OrderContact: "Grace", OrderEmail: "buy@harbour.example",
		VatID: "GB1"}, w)
	for field, change := range map[string]Sender{
		"address":       {Address: set("a\x00b")},
		"order_contact": {OrderContact: set("Grace\nBcc: eve@example.com")},
		"order_email":   {OrderEmail: set("Grace <buy@harbour.example>")},
		"vat_id":        {VatID: set(strings.Repeat("1", 51))},
	} {
		var refused *fault.Error
		require.ErrorAs(t, w.apply(WorkspaceChange{Sender: change}), &refused, field)
		require.Equal(t, field, refused.Fields[0].Field)
	}
	require.NoError(t, w.apply(WorkspaceChange{Sender: Sender{OrderEmail: set("")}}))
	require.Empty(t, w.OrderEmail)
}

// TestNamesAreOnOneLine: the name of a company or a person stands in mails and headers.
func TestNamesAreOnOneLine(t *testing.T) {
	t.Parallel()
	name, err := checkName("a person", " Zoë 李 ")
	require.NoError(t, err)
	require.Equal(t, "Zoë 李", name)
	for _, wrong := range []string{"", " ", "a\x00b", "Ada\nPlease pay to IBAN 1", "a\rb", "a\tb", "a\u0085b", strings.Repeat("ä", longestName+1)} {
		_, err := checkName("a person", wrong)
		require.ErrorContains(t, err, "on one line", "%q", wrong)
	}
}
