package mcpserver_test

import (
	"encoding/json"
	"fmt"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/quayside/quayside/internal/auth"
)

// inForce returns an SOP as a person finds it in force.
func (w *world) inForce(slug string) []string {
	w.t.Helper()
	found, err := w.app.Playbook.SOPInForce(w.t.Context(), auth.Principal{Tenant: w.tenant.ID, Workspace: w.tenant.Workspace,
		Role: auth.Viewer}, slug)
	require.NoError(w.t, err)
	return []string{fmt.Sprint(found)}
}

// poisonPlaybook writes every fifth text into a strategy and an SOP that are in force.
func (w *world) poisonPlaybook(texts []string) {
	w.t.Helper()
	for i, text := range texts {
		if i%5 != 0 {
			continue
		}
		slug := fmt.Sprint("poisoned-", i)
		w.document(w.tenant.ID, w.tenant.Workspace, uuid.Must(uuid.NewV7()), nil, arguments{"title": text, "scope": "family",
			"target": text, "body": text, "status": "active"})
		w.document(w.tenant.ID, w.tenant.Workspace, uuid.Must(uuid.NewV7()), &slug, arguments{"slug": slug, "title": text,
			"trigger": text, "body": text, "owner_role": "agent", "status": "active"})
	}
}

// playbook reads all strategies and SOPs, by tools and as resources.
func (o *obedient) playbook() {
	o.t.Helper()
	for args := (arguments{}); ; {
		var page struct {
			Strategies []documentShown
			Truncated  bool
		}
		require.NoError(o.t, json.Unmarshal([]byte(o.call("strategy_list", args)), &page))
		for _, one := range page.Strategies {
			o.call("strategy_get", arguments{"id": one.ID})
			args["after"] = one.ID
		}
		if !page.Truncated {
			break
		}
	}
	for args := (arguments{}); ; {
		var page struct {
			SOPs      []documentShown
			Truncated bool
		}
		require.NoError(o.t, json.Unmarshal([]byte(o.call("sop_list", args)), &page))
		for _, one := range page.SOPs {
			o.call("sop_get", arguments{"slug": one.Slug})
			args["after"] = one.Slug
		}
		if !page.Truncated {
			break
		}
	}
	listed, err := o.w.connect(o.w.agent("obedient", all...)).resources()
	require.NoError(o.t, err)
	for i, one := range listed {
		o.obey("resources/list", []any{one.Title, one.Description})
		if i%5 == 0 {
			text, err := o.w.connect(o.w.agent("obedient", all...)).resource(one.URI)
			require.NoError(o.t, err)
			o.obey("resources/read", text)
		}
	}
}
