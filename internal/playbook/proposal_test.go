package playbook_test

import (
	"fmt"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/fault"
	"github.com/quayside/quayside/internal/playbook"
)

// agent returns an agent with a token.
func (st *stage) agent(scopes ...auth.Scope) auth.Principal {
	by := st.as(st.tenant, auth.Agent)
	by.Person, by.Actor.Type = uuid.Nil, auth.ByAgent
	by.Token, by.Scopes = uuid.New(), scopes
	return by
}

func (st *stage) refusal(err error, code, words string) {
	st.t.Helper()
	require.True(st.t, fault.HasCode(err, code), "%v", err)
	require.ErrorContains(st.t, err, words)
}

// TestTokensKeepGuards checks that a token changes no key that guards people's decisions, neither
// alone nor together with figures that it may change.
func TestTokensKeepGuards(t *testing.T) {
	t.Parallel()
	st := newStage(t)
	ctx := t.Context()
	token := st.assistant(auth.Scopes()...)
	guards := 0
	for _, key := range playbook.Keys() {
		if key.Planning && !key.Guards {
			continue
		}
		guards++
		for _, value := range []string{string(key.Default), "null", "false", "true", "0", "1000", `"x"`} {
			_, err := st.s.SetConfig(ctx, token, playbook.ConfigChange{Values: values(key.Name, value, "cover_days", "31")})
			st.refusal(err, "people_only", "only people change "+key.Name+"; in the app under Playbook")
			require.True(t, fault.Is(err, fault.Forbidden))
		}
	}
	require.Equal(t, 10, guards)
	require.Empty(t, st.rows("SELECT version::text FROM workspace.playbook_versions"))
	require.Zero(t, st.read(st.tenant, today).Revision)
}

// TestTokensPlan checks which figures a token changes, and when.
func TestTokensPlan(t *testing.T) {
	t.Parallel()
	st := newStage(t)
	ctx := t.Context()
	_, err := st.s.SetConfig(ctx, st.boss, playbook.ConfigChange{
		Values: values("require_four_eyes", "false", "monthly_budget", "9000")})
	require.NoError(t, err)
	token := st.assistant(auth.ScopeWrite)
	cover := playbook.ConfigChange{Values: values("cover_days", "45", "service_level", "0.9"), Version: 1}
	changed, err := st.s.SetConfig(ctx, token, cover)
	require.NoError(t, err)
	require.Equal(t, 45, changed.Config.CoverDays)
	require.Equal(t, int64(2), changed.InForce)
	require.Equal(t, "9000", changed.Config.MonthlyBudget.String(), "what people set stays")
	_, err = st.s.SetConfig(ctx, token, cover)
	require.True(t, fault.Is(err, fault.Stale))

	cover.Version = 2
	for _, by := range []auth.Principal{st.agent(auth.Scopes()...), st.as(st.tenant, auth.Agent), st.as(st.tenant, auth.Buyer)} {
		_, err = st.s.SetConfig(ctx, by, cover)
		st.refusal(err, "forbidden", "your role may not do this (plan_purchasing)")
	}
	_, err = st.s.SetConfig(ctx, st.assistant(auth.ScopeRead, auth.ScopeFailures), cover)
	st.refusal(err, "missing_scope", "write")
	later := cover
	later.EffectiveFrom = days(1)
	_, err = st.s.SetConfig(ctx, token, later)
	st.refusal(err, "people_only", "only people plan a change for a later day")
	require.Equal(t, []string{"2"}, st.rows("SELECT max(version)::text FROM workspace.playbook_versions"))
}

// TestTokensLeavePlans checks that a token cannot undo what people have planned for a later day: a
// change at once would replace it.
func TestTokensLeavePlans(t *testing.T) {
	t.Parallel()
	st := newStage(t)
	ctx := t.Context()
	_, err := st.s.SetConfig(ctx, st.boss, playbook.ConfigChange{Values: values("require_four_eyes", "false")})
	require.NoError(t, err)
	_, err = st.s.SetConfig(ctx, st.boss,
		playbook.ConfigChange{Values: values("require_four_eyes", "true"), EffectiveFrom: days(3), Version: 1})
	require.NoError(t, err)
	change := playbook.ConfigChange{Values: values("cover_days", "31"), Version: 2}
	_, err = st.s.SetConfig(ctx, st.assistant(auth.Scopes()...), change)
	st.refusal(err, "people_only", "only people replace a change that takes effect later")
	require.True(t, st.read(st.tenant, today.AddDate(0, 0, 3)).Config.RequireFourEyes)
	_, err = st.s.SetConfig(ctx, st.boss, change)
	require.NoError(t, err)
}

// TestTokensPropose checks that a token stores drafts only, and that drafts leave in force what is,
// on every day.
func TestTokensPropose(t *testing.T) {
	t.Parallel()
	st := newStage(t)
	ctx := t.Context()
	tea := playbook.Strategy{Title: "Tea", Scope: playbook.OfWorkspace, Parameters: values("cover_days", "60"),
		Status: playbook.Active, EffectiveUntil: days(8)}
	made := st.add(tea)
	tea.Parameters, tea.EffectiveFrom = values("cover_days", "70"), days(5)
	_, err := st.s.ChangeStrategy(ctx, st.boss, made.ID, 1, tea, "")
	require.NoError(t, err)
	late := playbook.SOP{Slug: "late", Title: "Late", Body: "Call.", OwnerRole: auth.Buyer, Status: playbook.Active}
	_, err = st.s.CreateSOP(ctx, st.boss, late, "")
	require.NoError(t, err)
	before := st.read(st.tenant, today)

	version := map[string]int64{"strategy": 2, "sop": 1}
	for _, by := range []auth.Principal{st.assistant(auth.ScopeWrite), st.agent(auth.ScopeWrite), st.as(st.tenant, auth.Agent)} {
		for _, status := range []playbook.Status{playbook.Active, playbook.Archived, "", "live"} {
			tea.Status, late.Status = status, status
			_, err = st.s.CreateStrategy(ctx, by, tea, "")
			st.refusal(err, "people_only", "only people")
			_, err = st.s.ChangeStrategy(ctx, by, made.ID, version["strategy"], tea, "")
			st.refusal(err, "people_only", "only people")
			_, err = st.s.CreateSOP(ctx, by, playbook.SOP{Slug: "x", Title: "x", OwnerRole: auth.Buyer, Status: status}, "")
			st.refusal(err, "people_only", "only people")
			_, err = st.s.ChangeSOP(ctx, by, "late", version["sop"], late, "")
			st.refusal(err, "people_only", "only people")
		}
		tea.Status, late.Status, late.Body = playbook.Draft, playbook.Draft, "Do not call."
		for _, dates := range [][2]string{{"", ""}, {"2020-01-01", "2020-01-02"}, {days(0), days(0)}, {days(5), ""}} {
			tea.Parameters, tea.EffectiveFrom, tea.EffectiveUntil = values("cover_days", "99"), dates[0], dates[1]
			changed, err := st.s.ChangeStrategy(ctx, by, made.ID, version["strategy"], tea, "")
			require.NoError(t, err)
			require.Equal(t, int64(1), changed.InForce)
			version["strategy"]++
		}
		changed, err := st.s.ChangeSOP(ctx, by, "late", version["sop"], late, "")
		require.NoError(t, err)
		require.Equal(t, int64(1), changed.InForce)
		version["sop"]++
		_, err = st.s.ChangeSOP(ctx, by, "late", 1, late, "")
		require.True(t, fault.Is(err, fault.Stale))
	}
	for day, want := range map[int]int{0: 60, 4: 60, 5: 70, 8: 70, 9: 30} {
		config, _ := st.read(st.tenant, today.AddDate(0, 0, day)).For("p", "s", "f")
		require.Equal(t, want, config.CoverDays, "in %d days", day)
	}
	require.Equal(t, before, st.read(st.tenant, today), "not even its revision: drafts change no figure")
	found, err := st.s.SOPInForce(ctx, st.boss, "late")
	require.NoError(t, err)
	require.Equal(t, "Call.", found.Content.Body)
}

// TestWhoProposes checks whose tokens may propose at all.
func TestWhoProposes(t *testing.T) {
	t.Parallel()
	st := newStage(t)
	draft := playbook.Strategy{Title: "Tea", Scope: playbook.OfWorkspace, Status: playbook.Draft}
	sop := playbook.SOP{Slug: "late", Title: "Late", OwnerRole: auth.Buyer, Status: playbook.Draft}
	try := func(by auth.Principal) []error {
		_, first := st.s.CreateStrategy(t.Context(), by, draft, "")
		_, second := st.s.CreateSOP(t.Context(), by, sop, "")
		_, third := st.s.ChangeSOP(t.Context(), by, "late", 1, sop, "")
		return []error{first, second, third}
	}
	for _, role := range []auth.Role{auth.Approver, auth.Buyer, auth.Viewer} {
		by := st.as(st.tenant, role)
		for _, err := range try(by) {
			st.refusal(err, "forbidden", "your role may not do this (propose_documents)")
		}
		by.Token, by.Scopes = uuid.New(), auth.Scopes()
		for _, err := range try(by) {
			st.refusal(err, "forbidden", "your role may not do this (propose_documents)")
		}
	}
	for _, err := range try(st.agent(auth.ScopeRead, auth.ScopeFailures)) {
		st.refusal(err, "missing_scope", "write")
	}
	require.Empty(t, st.rows("SELECT version::text FROM workspace.playbook_versions"))
	for _, err := range try(st.agent(auth.ScopeWrite)) {
		require.NoError(t, err)
	}
}

// TestProposalsAreFew checks that proposals cannot use up the documents that a workspace may have:
// none is ever deleted.
func TestProposalsAreFew(t *testing.T) {
	t.Parallel()
	st := newStage(t)
	ctx := t.Context()
	agent := st.agent(auth.ScopeWrite)
	draft := playbook.Strategy{Title: "Tea", Scope: playbook.OfWorkspace, Status: playbook.Draft}
	var last playbook.Document[playbook.Strategy]
	var err error
	for range 50 {
		last, err = st.s.CreateStrategy(ctx, agent, draft, "")
		require.NoError(t, err)
	}
	_, err = st.s.CreateStrategy(ctx, agent, draft, "")
	st.refusal(err, "too_many", "50 drafts wait for people")
	_, err = st.s.ChangeStrategy(ctx, agent, last.ID, 1, draft, "")
	require.NoError(t, err, "a document that exists may get another draft")
	st.add(draft)
	archived := draft
	archived.Status = playbook.Archived
	for version := int64(2); version < 4; version++ { // archived, then proposed once more: it counts no longer
		_, err = st.s.ChangeStrategy(ctx, st.boss, last.ID, version, archived, "")
		require.NoError(t, err)
		archived.Status = playbook.Draft
	}
	_, err = st.s.CreateStrategy(ctx, agent, draft, "")
	st.refusal(err, "too_many", "wait for people") // the person's draft waits too
	_, err = st.s.CreateSOP(ctx, agent,
		playbook.SOP{Slug: "late", Title: "Late", OwnerRole: auth.Buyer, Status: playbook.Draft}, "")
	require.NoError(t, err, "each kind has its own limit")
}

// TestEditions checks which version is shown, and that the others are named.
func TestEditions(t *testing.T) {
	t.Parallel()
	st := newStage(t)
	ctx := t.Context()
	tea := playbook.Strategy{Title: "Tea", Scope: playbook.OfWorkspace, Body: "one", Status: playbook.Draft}
	made := st.add(tea)
	read := func(version int64) playbook.Edition[playbook.Strategy] {
		t.Helper()
		found, err := st.s.StrategyEdition(ctx, st.as(st.tenant, auth.Viewer), made.ID, version)
		require.NoError(t, err)
		return found
	}
	only := read(0)
	require.Equal(t, [3]int64{1, 1, 0}, [3]int64{only.Version, only.Newest, only.InForce}, "nothing is in force: the newest")
	for i, status := range []playbook.Status{playbook.Active, playbook.Draft} {
		tea.Status, tea.Body = status, fmt.Sprint("after ", i)
		_, err := st.s.ChangeStrategy(ctx, st.boss, made.ID, int64(i+1), tea, "")
		require.NoError(t, err)
	}
	shown := read(0)
	require.Equal(t, [3]int64{2, 3, 2}, [3]int64{shown.Version, shown.Newest, shown.InForce}, "what is in force, not the draft")
	require.Equal(t, "after 0", shown.Content.Body)
	require.Equal(t, "after 1", read(3).Content.Body)
	require.Equal(t, "one", read(1).Content.Body)
	require.False(t, shown.More)
	require.Len(t, shown.Versions, 3)
	for i, want := range []playbook.Status{playbook.Draft, playbook.Active, playbook.Draft} {
		require.Equal(t, want, shown.Versions[i].Status)
		require.Equal(t, int64(3-i), shown.Versions[i].Version)
		require.Equal(t, st.boss.Actor, shown.Versions[i].Author)
	}
	for _, version := range []int64{-1, 4, 1 << 62, 1<<63 - 1} {
		_, err := st.s.StrategyEdition(ctx, st.boss, made.ID, version)
		require.True(t, fault.Is(err, fault.NotFound), version)
	}
	_, err := st.s.StrategyEdition(ctx, st.assistant(auth.ScopeWrite), made.ID, 0)
	st.refusal(err, "missing_scope", "read")
}

// TestSOPsInForce checks which SOPs are in force, and in which version.
func TestSOPsInForce(t *testing.T) {
	t.Parallel()
	st := newStage(t)
	ctx := t.Context()
	put := func(slug string, statuses ...playbook.Status) {
		t.Helper()
		sop := playbook.SOP{Slug: slug, OwnerRole: auth.Buyer}
		for i, status := range statuses {
			sop.Status, sop.Title, sop.Body = status, fmt.Sprint(slug, " ", i+1), "text"
			var err error
			if i == 0 {
				_, err = st.s.CreateSOP(ctx, st.boss, sop, "")
			} else {
				_, err = st.s.ChangeSOP(ctx, st.boss, slug, int64(i), sop, "")
			}
			require.NoError(t, err)
		}
	}
	put("wait", playbook.Draft)
	put("past", playbook.Active, playbook.Archived, playbook.Draft)
	put("late", playbook.Active, playbook.Active, playbook.Draft)
	put("early", playbook.Active)
	put("f0000000-0000-4000-8000-000000000000", playbook.Active) // looks like an id
	listed, err := st.s.SOPsInForce(ctx, st.as(st.tenant, auth.Viewer))
	require.NoError(t, err)
	titles := []string{}
	for _, one := range listed {
		titles = append(titles, one.Content.Title)
		require.Empty(t, one.Content.Body, "a list leaves out the texts")
		found, err := st.s.SOPInForce(ctx, st.boss, one.Content.Slug)
		require.NoError(t, err)
		require.Equal(t, one.Content.Title, found.Content.Title)
		require.Equal(t, one.Version, found.Version)
		require.Equal(t, one.Version, found.InForce)
		require.Equal(t, "text", found.Content.Body)
	}
	require.Equal(t, []string{"early 1", "f0000000-0000-4000-8000-000000000000 1", "late 2"}, titles)
	for _, slug := range []string{"wait", "past", "nothing", "", "\x00", "\xff", "late\n"} {
		_, err := st.s.SOPInForce(ctx, st.boss, slug)
		require.True(t, fault.Is(err, fault.NotFound), "%q: %v", slug, err)
	}
	_, err = st.s.SOPInForce(ctx, st.assistant(auth.ScopeWrite), "late")
	st.refusal(err, "missing_scope", "read")
	_, err = st.s.SOPsInForce(ctx, st.assistant(auth.ScopeWrite))
	st.refusal(err, "missing_scope", "read")
}
