package exchange

import (
	"strings"

	"github.com/quayside/quayside/internal/inventory"
)

// Words about the exchange, for people. A percent sign stands for the connection's name.
var (
	noticeWords = map[inventory.Notice]string{
		inventory.ApprovedElsewhere: "A line was ordered in % without an approval here.",
		inventory.ReceiptReplaced:   "Both sides booked a receipt. The one in % counts.",
		inventory.AwaitsApproval:    "A line is ordered in %. Its changes wait until they are approved here.",
		inventory.OrderFinished:     "The order is finished in % and takes no more lines.",
		inventory.AwaitsLines:       "A line waits until the order's other lines are ordered.",
	}
	reasonWords = map[inventory.Reason]string{
		inventory.BothChanged:   "It was changed here and in %, to different values.",
		inventory.SetBack:       "It is ordered here, and was set back to a draft in %.",
		inventory.DeletedThere:  "It was deleted in %, but here it was changed or a part of it has arrived.",
		inventory.CancelledHere: "It was cancelled here, but in % it was changed or a part of it has arrived.",
		inventory.FixedThere:    "It was changed here, but % cannot change it any more.",
		inventory.TakenBack:     "A receipt was taken back here, and % cannot be told so.",
		inventory.NoRoom:        "More has arrived here than % can still receive.",
		inventory.NoReceipt:     "It is received here without a receipt, and nothing has arrived in %.",
	}
	choiceWords = map[inventory.Reason]map[inventory.Side]string{
		inventory.BothChanged:   {inventory.Ours: "Writes our value into %.", inventory.Theirs: "Takes the value of %."},
		inventory.SetBack:       {inventory.Ours: "Orders it again in %.", inventory.Theirs: "Makes it a draft here."},
		inventory.DeletedThere:  {inventory.Ours: "Makes it again in %.", inventory.Theirs: "Cancels it here."},
		inventory.CancelledHere: {inventory.Ours: "Deletes it in %.", inventory.Theirs: "Takes it back here, as it is in %."},
		inventory.FixedThere:    {inventory.Theirs: "Takes the value of %."},
		inventory.TakenBack:     {inventory.Theirs: "Books the receipt here again."},
		inventory.NoRoom:        {inventory.Theirs: "Takes back here what % cannot receive."},
		inventory.NoReceipt:     {inventory.Theirs: "Opens the line here again."},
	}
)

func in(system, words string) string { return strings.ReplaceAll(words, "%", system) }

// NoticeWords says what a notice means, with the connection's name.
func NoticeWords(notice inventory.Notice, system string) string {
	return in(system, noticeWords[notice])
}

// Why says why a person must decide.
func (q Question) Why() string { return in(q.System, reasonWords[q.Reason]) }

// Effect says what taking a side does.
func (q Question) Effect(take inventory.Side) string {
	return in(q.System, choiceWords[q.Reason][take])
}
