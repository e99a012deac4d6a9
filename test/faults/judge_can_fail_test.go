package faults_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestJudge shows the judge probes that lie, and some that do not.
func TestJudge(t *testing.T) {
	t.Parallel()
	start := time.Now().Add(-time.Hour)
	// line has a sample each quarter of a second for 30 s; bad ones from one second to another.
	line := func(from, to float64) (samples []sample) {
		for n := range 120 {
			at := float64(n) / 4
			s := sample{sent: start.Add(time.Duration(at * float64(time.Second))), status: 200, ok: at < from || at >= to}
			s.got = s.sent.Add(5 * time.Millisecond)
			if !s.ok {
				s.status = 503
			}
			samples = append(samples, s)
		}
		return samples
	}
	fine := line(0, 0)
	mute := line(10, 11)
	for n := range mute {
		if !mute[n].ok {
			mute[n].status = 0
		}
	}
	for name, tt := range map[string]struct {
		truth, ready, accept, live, answers []sample
		lies                                int
	}{
		"all is well":                 {fine, fine, fine, fine, fine, 0},
		"red in time":                 {line(10, 20), line(12, 22), fine, fine, fine, 0},
		"red too late":                {line(10, 20), line(15, 21), fine, fine, fine, 1},
		"never red":                   {line(10, 20), fine, fine, fine, fine, 1},
		"red too long":                {line(10, 12), line(11, 25), fine, fine, fine, 1},
		"red for nothing":             {fine, line(8, 16), fine, fine, fine, 1},
		"red once":                    {fine, line(8, 9), fine, fine, fine, 0},
		"a blip that nobody can see":  {line(10, 12), fine, fine, fine, fine, 0},
		"records go nowhere":          {fine, fine, fine, fine, line(10, 20), 1},
		"they do, and it says so":     {fine, fine, line(12, 20), fine, line(10, 20), 0},
		"it does not answer any more": {fine, fine, fine, mute, fine, 4},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := &slot{lives: []life{{from: start.Add(-time.Minute)}}}
			s.ready.samples, s.accept.samples, s.live.samples, s.own.samples = tt.ready, tt.accept, tt.live, fine
			lies, _ := judge{truth: tt.truth}.health("one", s, tt.answers)
			require.Len(t, lies, tt.lies, "%v", lies)
		})
	}
}
