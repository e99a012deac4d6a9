package pg

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/quayside/quayside/internal/fault"
)

// TestPulseRefuses judges proofs one after the other: one slow answer refuses nobody, three in a row refuse
// whoever would only wait, and the first success ends it.
func TestPulseRefuses(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		reason        error
		writes, reads bool // are refused
	}{
		"no answer":            {errNoAnswer.Because(errors.New("timeout")), true, true},
		"commits unanswered":   {errNoCommits, true, false},
		"read-only":            {errReadOnly, false, false},
		"something went wrong": {errors.New("a bug"), false, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := &pulse{}
			for n := 1; n <= downAfter; n++ {
				require.NoError(t, p.refuse(false))
				p.result = tt.reason
				p.judge()
			}
			require.Equal(t, tt.writes, fault.HasCode(p.refuse(false), errUnreachable.Code))
			require.Equal(t, tt.reads, fault.HasCode(p.refuse(true), errUnreachable.Code))
			p.result = nil
			p.judge()
			require.NoError(t, p.refuse(false))
			p.result = tt.reason
			p.judge()
			require.NoError(t, p.refuse(false), "counted anew")
		})
	}
}
