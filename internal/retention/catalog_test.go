package retention

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/quayside/quayside/internal/pg/pgtest"
)

// Why a table has no rule. Whoever adds a table says here how it stops growing, or adds a rule.
const (
	records  = "the company's own records"
	settings = "settings: a row for each thing that people have set up"
	derived  = "follows from the records, one row for each"
	evidence = "evidence of who ordered, approved and received what, kept as long as the company"
	operator = "a few rows for the whole installation"
	marks    = "work to do: rows go when it is done"
)

// others says how tables without a rule stop growing.
var others = map[string]string{
	"control.browsers":                 "expired ones go every hour: account.Tidy",
	"control.cells":                    operator,
	"control.event_days_dropped":       operator,
	"control.event_retention":          operator,
	"control.full_passes":              operator,
	"control.origin":                   operator,
	"control.invitations":              "expired ones go every hour: account.Tidy",
	"control.key_directory":            settings,
	"control.memberships":              settings,
	"control.password_resets":          "expired ones go every hour: account.Tidy",
	"control.migrations":               operator,
	"control.passwords":                settings,
	"control.readers":                  operator,
	"control.retention":                operator,
	"control.tenants":                  settings,
	"control.throttles":                "old tries go every hour: account.Tidy",
	"control.users":                    settings,
	"control.workspaces":               settings,
	"workspace.agent_decisions":        evidence,
	"workspace.agent_runs":             evidence,
	"workspace.alert_reads":            "go with their alert",
	"workspace.api_keys":               settings,
	"workspace.approval_limits":        settings,
	"workspace.article_aliases":        "two for each article that was merged",
	"workspace.audit_seals":            "the chain of the audit",
	"workspace.audit_unsealed":         marks,
	"workspace.connection_pace":        settings,
	"workspace.connections":            settings,
	"workspace.conversions":            settings,
	"workspace.customers":              records,
	"workspace.events":                 "whole days are dropped: event.DropOld",
	"workspace.exchange_attempts":      "the last 50 of an order are kept: exchange.Sync",
	"workspace.exchange_conflicts":     evidence,
	"workspace.exchange_cursors":       "one row for each connection",
	"workspace.exchange_ids":           settings,
	"workspace.exchange_lines":         derived,
	"workspace.exchange_listed":        marks,
	"workspace.exchange_orders":        derived,
	"workspace.failed_import_attempts": "go with their failed import",
	"workspace.forecast_classes":       derived,
	"workspace.forecast_families":      derived,
	"workspace.forecast_log":           "a row for each article and week: forecasts are judged by it",
	"workspace.forecast_marks":         marks,
	"workspace.forecast_state":         derived,
	"workspace.forecasts":              derived,
	"workspace.import_chunks":          "go when the file is imported, or after a day: upload.Tidy",
	"workspace.import_rejects":         "go after 30 days, or with their import: upload.Tidy",
	"workspace.inbox_mails":            settings,
	"workspace.inbox_seen":             settings,
	"workspace.inbox_unsent":           marks,
	"workspace.ingest_rule_versions":   evidence,
	"workspace.ingest_rules":           settings,
	"workspace.index_entries":          derived,
	"workspace.indexed_fields":         "indexes that nobody used for 30 days go: fieldindex.Keep",
	"workspace.key_figures":            "one row for each key",
	"workspace.line_approvals":         evidence,
	"workspace.line_flags":             evidence,
	"workspace.line_suggestions":       evidence,
	"workspace.meeting_notes":          records,
	"workspace.order_entries":          evidence,
	"workspace.order_line_items":       records,
	"workspace.mailed_addresses":       "one row for each address that a company has mailed an order to",
	"workspace.order_mails":            evidence,
	"workspace.order_receivers":        settings,
	"workspace.orders":                 records,
	"workspace.playbook_state":         settings,
	"workspace.playbook_versions":      evidence,
	"workspace.products":               records,
	"workspace.purchase_order_lines":   records,
	"workspace.purchase_order_sums":    derived,
	"workspace.purchase_orders":        derived,
	"workspace.queue_marks":            marks,
	"workspace.queue_rows":             derived,
	"workspace.queue_state":            derived,
	"workspace.receipts":               evidence,
	"workspace.record_sequences":       derived,
	"workspace.records":                records,
	"workspace.registry_columns":       settings,
	"workspace.registry_snapshots":     settings,
	"workspace.registry_tables":        settings,
	"workspace.sales_changed":          marks,
	"workspace.sales_customers":        derived,
	"workspace.sales_days":             derived,
	"workspace.sales_lines":            derived,
	"workspace.sales_orders":           derived,
	"workspace.sales_series":           derived,
	"workspace.sales_settings":         settings,
	"workspace.sales_weeks":            derived,
	"workspace.saved_views":            settings,
	"workspace.search_tokens":          derived,
	"workspace.secrets":                settings,
	"workspace.source_figures":         "one row for each source",
	"workspace.source_minutes":         "a ring: a new minute takes the place of an old one",
	"workspace.source_rhythms":         "one row for each source",
	"workspace.stock_days":             "one row for each article and day on which stock was counted",
	"workspace.suggestions":            evidence,
	"workspace.suppliers":              records,
	"workspace.suppressions":           evidence,
	"workspace.tokens":                 settings,
	"workspace.uncomputed_articles":    derived,
	"workspace.unknown_keeping":        settings,
}

// TestEveryTableStopsGrowing compares the catalog with the rules and the reasons for having none.
func TestEveryTableStopsGrowing(t *testing.T) {
	t.Parallel()
	admin := pgtest.New(t).Admin(t)
	rows, err := admin.Query(t.Context(), `SELECT n.nspname || '.' || c.relname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
		WHERE c.relkind IN ('r', 'p') AND NOT c.relispartition AND n.nspname IN ('control', 'workspace') ORDER BY 1`)
	require.NoError(t, err)
	defer rows.Close()
	ruled := map[string]bool{}
	for _, r := range rules {
		ruled[r.table] = true
	}
	known := map[string]bool{}
	for rows.Next() {
		var table string
		require.NoError(t, rows.Scan(&table))
		known[table] = true
		if ruled[table] == (others[table] != "") {
			t.Errorf("%s: say how it stops growing, by a rule of retention or by a reason here (not both)", table)
		}
	}
	require.NoError(t, rows.Err())
	for table := range others {
		require.True(t, known[table], "there is no table %s", table)
	}
	for table := range ruled {
		require.True(t, known[table], "there is no table %s", table)
	}
}
