package playbook

import "github.com/shopspring/decimal"

// Config holds the figures and rules that purchasing follows. The table in keys.go says what each
// means.
type Config struct {
	ServiceLevel           float64
	DefaultLeadTimeDays    int
	CoverDays              int
	ReviewDays             int
	MaxSafetyDays          int
	LookaheadDays          int
	OverduePushDays        int
	StalePODays            int
	StockStaleHours        int
	OverReceiptPct         decimal.Decimal
	ReapprovalPct          decimal.Decimal
	RequireFourEyes        bool
	MonthlyBudget          *decimal.Decimal // in the workspace's currency; nil: none
	RejectionCooldownDays  int
	ShortOrderCooldownDays int
	AgentCanSubmit         bool
	AgentMaxLinesPerRun    int
	AgentDaily             bool
}

// Defaults returns the config of a workspace that has set nothing.
func Defaults() Config {
	var c Config
	for _, key := range keys {
		if err := key.set(&c, key.Default); err != nil {
			panic(err) // the table is fixed, and tested
		}
	}
	return c
}
