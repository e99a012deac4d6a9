package exchange

import (
	"context"
	"time"

	"github.com/google/uuid"

	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/fault"
)

// Outcome is what a comparison of an order came to, as it is stored.
type Outcome struct {
	State   State         // of the order; Waiting: it is compared again by itself, after Wait
	Wait    time.Duration // until the next comparison
	Code    string        // why it waits, is held or has failed, such as inventory_limited or supplier_unmapped
	Message string        // the same in words; empty: all is well
	Here    []string      // what was written here, such as "TEA: receipts"
	There   []string      // what was written there
}

// CodeBusy is the code of the error that Sync returns while the same order is compared elsewhere.
const CodeBusy = "exchange_busy"

// Sync compares one order here and in the inventory system with what both sides last agreed on, writes here,
// then there, and looks again until both are quiet. The caller is the connection's own sync: auth.Connection.
//
// What the inventory system says is an Outcome, which is stored with the order. An error is about this side:
// the connection is not in use, the order is compared by somebody else at the moment (CodeBusy), or the database
// failed. An order that a person paused is left alone.
func (s *Service) Sync(_ context.Context, _ auth.Principal, _ uuid.UUID, _ string) (Outcome, error) {
	return Outcome{}, fault.New(fault.Internal, "exchange_unfinished", "orders cannot be compared yet")
}
