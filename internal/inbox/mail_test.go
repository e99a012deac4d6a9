package inbox_test

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/quayside/quayside/internal/inbox"
	"github.com/quayside/quayside/internal/mail/mailtest"
)

// stageWithMail returns a stage whose inboxes are mailed.
func stageWithMail(t *testing.T) (*stage, *mailtest.Postbox) {
	t.Helper()
	st, post := newStage(t), mailtest.New(t)
	st.box = st.service(post.URL)
	return st, post
}

// mail has the stage's instance mail now.
func (st *stage) mail() {
	st.t.Helper()
	require.NoError(st.t, st.box.Mail(st.t.Context(), time.Now()))
}

// pass lets time pass: everything was so much earlier.
func (st *stage) pass(d time.Duration) {
	st.t.Helper()
	st.exec("SET session_replication_role = replica") // the audit is not to be changed, and lines keep when they were
	for table, columns := range map[string][]string{
		"line_approvals": {"submitted_at"}, "purchase_order_lines": {"updated_at"}, "order_entries": {"created_at"},
		"audit": {"at"}, "inbox_seen": {"seen_until", "done_until"}, "inbox_mails": {"since", "until", "looked_at"},
		"inbox_unsent": {"since", "until", "next_at"},
	} {
		for _, column := range columns {
			st.exec(fmt.Sprintf("UPDATE workspace.%s SET %s = %s - $2::interval WHERE tenant_id = $1", table, column, column),
				st.tenant.ID, d)
		}
	}
	st.exec("SET session_replication_role = DEFAULT")
}

// receivers empties the postbox and returns the receivers of its mails.
func receivers(post *mailtest.Postbox) (to []string) {
	for len(post.Mails) > 0 {
		to = append(to, (<-post.Mails).To)
	}
	slices.Sort(to)
	return to
}

// next waits for the mails of so many people.
func next(t *testing.T, post *mailtest.Postbox, people int) map[string]mailtest.Mail {
	t.Helper()
	mails := map[string]mailtest.Mail{}
	for range people {
		mail := post.Next(t)
		mails[mail.To] = mail
	}
	require.Len(t, mails, people)
	return mails
}

func TestMail(t *testing.T) {
	t.Parallel()
	st, post := stageWithMail(t)
	st.exec("UPDATE control.tenants SET name = 'Harbour Goods' WHERE id = $1", st.tenant.ID)
	waits := st.submit(st.buyer, "PO 7/1")
	st.mail()
	require.Empty(t, receivers(post), "it may be seen in the app first")
	st.pass(3 * time.Minute)
	st.mail()
	place := "https://quay.example/w/" + st.tenant.Workspace.String()
	mails := next(t, post, 2)
	require.Contains(t, mails, "company_admin@example.com")
	require.Equal(t, "Quayside: PO 7/1 waits for your approval", mails["approver@example.com"].Subject)
	require.Equal(t, `In the workspace Main of Harbour Goods:

PO 7/1 waits for your approval.
Lines: 1, submitted by Cleo Berg
The order comes to: EUR 25.00
Look at it: `+place+`/purchase-orders/PO%207%2F1

All that waits for you: `+place+`/inbox
Choose which of these mails you get: `+place+`/you
`, mails["approver@example.com"].Text)
	st.pass(time.Hour)
	st.mail()
	require.Empty(t, receivers(post), "once")

	// Several things share a mail, and it comes some minutes after the last one.
	st.mention(st.buyer, st.viewer, waits.OrderNo, "look")
	st.pass(3 * time.Minute)
	st.mail()
	require.Equal(t, []string{"viewer@example.com"}, receivers(post))
	st.mention(st.buyer, st.approver, waits.OrderNo, "look\ntwice")
	st.submit(st.buyer, "")
	st.alert() // has its own mails
	st.pass(4 * time.Minute)
	st.mail()
	require.Empty(t, receivers(post), "the last mail is less than five minutes old")
	st.pass(2 * time.Minute)
	st.mail()
	mails = next(t, post, 2)
	require.Equal(t, "Quayside: 2 new in your inbox of Main", mails["approver@example.com"].Subject)
	require.Contains(t, mails["approver@example.com"].Text, "Cleo Berg mentioned you in PO 7/1.\n“look\ntwice”\n")
	require.NotContains(t, mails["company_admin@example.com"].Text, "mentioned")
}

// TestMailByChoice checks who gets no mail: who has seen it, switched it off, or is no longer a member.
func TestMailByChoice(t *testing.T) {
	t.Parallel()
	st, post := stageWithMail(t)
	waits := st.submit(st.buyer, "")
	st.mark(st.approver, false, st.list(st.approver, inbox.Approval)...)
	st.sendBack(st.approver, st.submit(st.buyer, ""), "too many") // not wanted unless chosen
	st.mention(st.buyer, st.viewer, waits.OrderNo, "look")
	st.exec("UPDATE control.users SET mention_mails = false WHERE id = $1", st.viewer.Person)
	st.pass(10 * time.Minute)
	st.mail()
	require.Equal(t, []string{"company_admin@example.com"}, receivers(post))

	st.exec("UPDATE control.users SET sent_back_mails = true WHERE id = $1", st.buyer.Person)
	st.exec("DELETE FROM control.memberships WHERE user_id = $1", st.boss.Person)
	st.sendBack(st.approver, st.submit(st.buyer, ""), "much too many")
	st.submit(st.buyer, "")
	st.pass(10 * time.Minute)
	st.mail()
	mails := next(t, post, 2)
	require.Contains(t, mails["buyer@example.com"].Subject, "Ben Falk sent ")
	require.Contains(t, mails["buyer@example.com"].Text, "“much too many”")
	require.Contains(t, mails, "approver@example.com")
	require.Empty(t, receivers(post))
}

// TestMailsAreSentOnce has many instances mail at once.
func TestMailsAreSentOnce(t *testing.T) {
	t.Parallel()
	st, post := stageWithMail(t)
	all := func() {
		var together sync.WaitGroup
		for range 8 {
			one := st.service(post.URL)
			together.Go(func() { _ = one.Mail(context.WithoutCancel(t.Context()), time.Now()) })
		}
		together.Wait()
	}
	both := []string{"approver@example.com", "company_admin@example.com"}
	st.submit(st.buyer, "")
	st.pass(10 * time.Minute)
	all()
	require.Equal(t, both, receivers(post))

	// The server refuses one of them: only that one is tried again, by one instance.
	post.Refuse(func(to string) bool { return to == both[0] })
	st.submit(st.buyer, "")
	st.pass(10 * time.Minute)
	all()
	require.Equal(t, both[1:], receivers(post))
	post.Refuse(func(string) bool { return false })
	all()
	require.Empty(t, receivers(post), "the pause")
	st.pass(2 * time.Minute)
	all()
	require.Equal(t, both[:1], receivers(post))
	st.pass(2 * time.Hour)
	all()
	require.Empty(t, receivers(post))
}

// TestMailIsTriedAgain checks that a mail that is tried again goes with what came meanwhile, leaves out what
// was decided, and is given up at last.
func TestMailIsTriedAgain(t *testing.T) {
	t.Parallel()
	st, post := stageWithMail(t)
	st.exec("UPDATE control.users SET approval_mails = false WHERE id = $1", st.boss.Person)
	post.Refuse(func(string) bool { return true })
	first, second := st.submit(st.buyer, ""), st.submit(st.buyer, "")
	st.pass(10 * time.Minute)
	st.mail()
	_, err := st.lines.Approve(t.Context(), st.boss, ref(first))
	require.NoError(t, err)
	third := st.submit(st.buyer, "")
	post.Refuse(func(string) bool { return false })
	st.pass(10 * time.Minute)
	st.mail()
	mail := post.Next(t)
	require.NotContains(t, mail.Text, first.OrderNo+" waits")
	require.Contains(t, mail.Text, second.OrderNo+" waits")
	require.Contains(t, mail.Text, third.OrderNo+" waits")
	require.Empty(t, receivers(post))

	post.Refuse(func(string) bool { return true })
	st.submit(st.buyer, "")
	unsent := func() (left int) {
		require.NoError(t, st.admin.QueryRow(t.Context(), "SELECT count(*) FROM workspace.inbox_unsent").Scan(&left))
		return left
	}
	st.pass(10 * time.Minute)
	for range 5 {
		st.mail()
		st.pass(2 * time.Hour)
	}
	require.Zero(t, unsent(), "given up after the fifth try")
	post.Refuse(func(string) bool { return false })
	st.mail()
	require.Empty(t, receivers(post))
}
