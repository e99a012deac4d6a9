package playbook

import (
	"slices"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/shopspring/decimal"
)

// Type is the kind of value that a key has.
type Type string

// The types. All but booleans are JSON numbers; an amount may be null.
const (
	Integer Type = "integer"
	Number  Type = "number"
	Boolean Type = "boolean"
	Amount  Type = "amount" // in the workspace's currency
)

// Key describes one value of the config.
type Key struct {
	Name     string
	Type     Type
	Default  jsontext.Value
	Min, Max float64 // of a number
	Planning bool    // strategies may override it for articles
	Guards   bool    // it keeps agents from ordering, so no token changes it
	Meaning  string  // one sentence
	Raising  string  // what a higher value does; of a boolean, what true does
	field    func(*Config) any
}

// keys describes every value of the config. Validation, JSON, forms and documentation come from it.
var keys = []Key{
	{
		Name: "service_level", Type: Number, Default: text("0.95"), Min: 0.5, Max: 0.999, Planning: true,
		Meaning: "The chance of not running out before the next delivery arrives.",
		Raising: "A higher chance keeps more safety stock; the last points cost the most.",
		field:   func(c *Config) any { return &c.ServiceLevel },
	},
	{
		Name: "default_lead_time_days", Type: Integer, Default: text("14"), Min: 0, Max: 365, Planning: true,
		Meaning: "The days from order to arrival where neither the article, its supplier nor past deliveries say it.",
		Raising: "A longer lead time orders earlier and keeps more safety stock.",
		field:   func(c *Config) any { return &c.DefaultLeadTimeDays },
	},
	{
		Name: "cover_days", Type: Integer, Default: text("30"), Min: 1, Max: 365, Planning: true,
		Meaning: "The days of demand that an order covers after it has arrived.",
		Raising: "More days make orders larger and rarer, and the stock higher.",
		field:   func(c *Config) any { return &c.CoverDays },
	},
	{
		Name: "review_days", Type: Integer, Default: text("1"), Min: 1, Max: 90, Planning: true,
		Meaning: "The days between two looks at what to order.",
		Raising: "More days order earlier, because the next look comes later.",
		field:   func(c *Config) any { return &c.ReviewDays },
	},
	{
		Name: "max_safety_days", Type: Integer, Default: text("90"), Min: 0, Max: 365, Planning: true,
		Meaning: "The most days of demand that are kept as safety stock.",
		Raising: "A higher limit lets articles with unsteady demand keep more safety stock.",
		field:   func(c *Config) any { return &c.MaxSafetyDays },
	},
	{
		Name: "lookahead_days", Type: Integer, Default: text("14"), Min: 0, Max: 365, Planning: true,
		Meaning: "An article that has to be ordered within these days is listed as upcoming.",
		Raising: "More days list articles earlier.",
		field:   func(c *Config) any { return &c.LookaheadDays },
	},
	{
		Name: "overdue_push_days", Type: Integer, Default: text("7"), Min: 0, Max: 365, Planning: true,
		Meaning: "The days from today in which an overdue delivery is expected.",
		Raising: "More days count on overdue deliveries later, so that more is ordered.",
		field:   func(c *Config) any { return &c.OverduePushDays },
	},
	{
		Name: "stale_po_days", Type: Integer, Default: text("60"), Min: 1, Max: 3650, Planning: true,
		Meaning: "After these days overdue, a delivery is not expected any more.",
		Raising: "More days count on late deliveries for longer, so that less is ordered.",
		field:   func(c *Config) any { return &c.StalePODays },
	},
	{
		Name: "stock_stale_hours", Type: Integer, Default: text("48"), Min: 1, Max: 8760, Planning: true, Guards: true,
		Meaning: "Stock that was last reported longer ago than these hours is not trusted.",
		Raising: "More hours let agents order on older stock figures.",
		field:   func(c *Config) any { return &c.StockStaleHours },
	},
	{
		Name: "over_receipt_pct", Type: Number, Default: text("10"), Min: 0, Max: 1000,
		Meaning: "The percentage that may arrive beyond the order without confirmation.",
		Raising: "A higher percentage asks less often when too much arrives.",
		field:   func(c *Config) any { return &c.OverReceiptPct },
	},
	{
		Name: "reapproval_pct", Type: Number, Default: text("5"), Min: 0, Max: 1000,
		Meaning: "The percentage by which price or quantity may rise after approval before a line needs approval again.",
		Raising: "A higher percentage lets larger changes pass without a second approval.",
		field:   func(c *Config) any { return &c.ReapprovalPct },
	},
	{
		Name: "require_four_eyes", Type: Boolean, Default: text("true"),
		Meaning: "Whether nobody may approve a line that they made or whose amount they changed.",
		Raising: "If true, every order needs two people.",
		field:   func(c *Config) any { return &c.RequireFourEyes },
	},
	{
		Name: "monthly_budget", Type: Amount, Default: text("null"), Min: 0, Max: 1e12,
		Meaning: "What may be ordered in a calendar month, in the workspace's currency, drafts included; agents stay within it, and empty means no limit.",
		Raising: "A higher budget lets agents draft more before the rest of the month waits for people.",
		field:   func(c *Config) any { return &c.MonthlyBudget },
	},
	{
		Name: "rejection_cooldown_days", Type: Integer, Default: text("14"), Min: 0, Max: 365,
		Meaning: "The days for which an article is not suggested again after a person rejected a suggestion.",
		Raising: "More days keep rejected articles out of the queue for longer.",
		field:   func(c *Config) any { return &c.RejectionCooldownDays },
	},
	{
		Name: "short_order_cooldown_days", Type: Integer, Default: text("7"), Min: 0, Max: 365,
		Meaning: "The days for which an article is not suggested again after less than suggested was ordered.",
		Raising: "More days wait longer before the rest is suggested again.",
		field:   func(c *Config) any { return &c.ShortOrderCooldownDays },
	},
	{
		Name: "agent_can_submit", Type: Boolean, Default: text("true"),
		Meaning: "Whether agents may ask for approval of their drafts.",
		Raising: "If true, drafts of agents reach the approvers without a buyer.",
		field:   func(c *Config) any { return &c.AgentCanSubmit },
	},
	{
		Name: "agent_max_lines_per_run", Type: Integer, Default: text("50"), Min: 0, Max: 10_000,
		Meaning: "The most lines that an agent drafts in one run.",
		Raising: "A higher number lets one run order more articles.",
		field:   func(c *Config) any { return &c.AgentMaxLinesPerRun },
	},
	{
		Name: "agent_daily", Type: Boolean, Default: text("false"),
		Meaning: "Whether the procurement agent runs every day.",
		Raising: "If true, the agent drafts once a day without being asked.",
		field:   func(c *Config) any { return &c.AgentDaily },
	},
}

// Keys describes every value of the config, in a fixed order.
func Keys() []Key { return slices.Clone(keys) }

// keyNamed returns the key with a name, or false.
func keyNamed(name string) (Key, bool) {
	i := slices.IndexFunc(keys, func(k Key) bool { return k.Name == name })
	if i < 0 {
		return Key{}, false
	}
	return keys[i], true
}

func text(value string) jsontext.Value { return jsontext.Value(value) }

// bounds returns the least and the greatest value of a number.
func (k Key) bounds() (least, most decimal.Decimal) {
	return decimal.NewFromFloat(k.Min), decimal.NewFromFloat(k.Max)
}
