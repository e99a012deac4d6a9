package main

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestInterval(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name      string
		rounds    series
		low, high float64
	}{
		{"one round", series{3}, 3, 3},
		{"four rounds are too few to leave one out", series{4, 1, 3, 2}, 1, 4},
		{"five rounds: all of them, at 94 %", series{5, 1, 4, 2, 3}, 1, 5},
		{"seven rounds: leaving the outer ones out would be 88 %", series{1, 2, 3, 4, 5, 6, 7}, 1, 7},
		{"eight rounds: without the outer ones, at 93 %", series{1, 2, 3, 4, 5, 6, 7, 100}, 2, 7},
		{"fifteen rounds: without three on each side, at 96 %", series{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}, 4,
			12},
	} {
		low, high := tt.rounds.interval()
		require.Equal(t, []float64{tt.low, tt.high}, []float64{low, high}, tt.name)
	}
	require.InDelta(t, 5.0/5, series{1, 2, 3, 4, 5, 6, 7, 100}.spread(), 0.001)
	require.Equal(t, 3.0, series{5, 1, 3}.median())
}

func TestJudge(t *testing.T) {
	t.Parallel()
	steady := series{2.0, 2.1, 2.05, 2.02, 2.08}
	noisy := series{1.1, 4.1, 2.2, 1.6, 3.0}
	for _, tt := range []struct {
		name     string
		rounds   series
		limit    float64
		below    bool
		restless string
		want     verdict
		why      string
	}{
		{"steady and above a floor", steady, 1.6, false, "", reached, ""},
		{"steady and below a floor", steady, 2.5, false, "", missed, ""},
		{"steady and below a ceiling", steady, 2.5, true, "", reached, ""},
		{"steady and above a ceiling", steady, 1.6, true, "", missed, ""},
		{"on both sides", steady, 2.05, false, "", notJudged, "too close: 2.00 to 2.10"},
		{"noisy, and its median above", noisy, 1.6, false, "", notJudged, "noisy: 1.10 to 4.10"},
		{"noisy, and all of it below", noisy, 9, false, "", notJudged, "noisy: 1.10 to 4.10"},
		{"few rounds", steady[:4], 1.6, false, "", notJudged, "only 4 rounds"},
		{"a restless machine", steady, 2.5, false, "others took 9 % of the processors", notJudged,
			"others took 9 % of the processors"},
	} {
		got, why := judge(tt.rounds, tt.limit, tt.below, tt.restless)
		require.Equal(t, []string{string(tt.want), tt.why}, []string{string(got), why}, tt.name)
	}
}

func TestPlan(t *testing.T) {
	t.Parallel()
	p := plan{least: 5, most: 9, budget: time.Minute}
	steady := map[string]series{"a": {2, 2, 2, 2, 2}, "b": {1, 9, 3, 5, 2}}
	require.True(t, p.more(4, 0, steady, []string{"a"}), "too few")
	require.False(t, p.more(5, 0, steady, []string{"a"}), "steady")
	require.True(t, p.more(5, 0, steady, []string{"a", "b"}), "one is not steady")
	require.False(t, p.more(9, 0, steady, []string{"b"}), "enough")
	require.False(t, p.more(5, time.Minute, steady, []string{"b"}), "no time left")
	require.True(t, p.more(4, time.Hour, steady, []string{"b"}), "too few, whatever it takes")
}

func TestRestless(t *testing.T) {
	t.Parallel()
	calm := conditions{syncs: series{1.1, 1.2, 1.9}, steals: series{0, 0.01}}
	require.Empty(t, calm.restless())
	require.Equal(t, "synced writes took 1.0 to 23.0 ms", conditions{syncs: series{1, 23}, steals: series{0}}.restless())
	require.Empty(t, conditions{syncs: series{0.1, 0.5}, steals: series{0}}.restless(), "too quick to matter")
	require.Empty(t, conditions{syncs: series{1, 23}, steals: series{0}, memory: true}.restless(),
		"nothing is synced to a disk")
	require.Equal(t, "others took 9 % of the processors",
		conditions{syncs: series{1, 1}, steals: series{0.09}, memory: true}.restless())
}

func TestTicks(t *testing.T) {
	t.Parallel()
	before, err := parseTicks("cpu  100 0 50 800 10 0 0 40 7 0\ncpu0 1 2 3\n")
	require.NoError(t, err)
	require.Equal(t, ticks{all: 1000, stolen: 40}, before)
	after, err := parseTicks("cpu  150 0 80 800 10 0 0 60 7 0\n")
	require.NoError(t, err)
	require.InDelta(t, 0.2, after.steal(before), 0.001)
	require.Zero(t, before.steal(before))
	_, err = parseTicks("intr 1 2 3\n")
	require.Error(t, err)
}

func TestCompared(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		ratios series
		larger bool
		words  string
	}{
		{"a throughput that fell", series{0.7, 0.71, 0.72, 0.7, 0.73}, false, "WORSE"},
		{"a throughput that rose", series{1.7, 1.71, 1.72, 1.7, 1.73}, false, "no worse"},
		{"a throughput within the allowance", series{0.95, 0.96, 0.97, 0.98, 0.99}, false, "no worse"},
		{"a latency that rose", series{1.7, 1.71, 1.72, 1.7, 1.73}, true, "WORSE"},
		{"a latency that fell", series{0.7, 0.71, 0.72, 0.7, 0.73}, true, "no worse"},
		{"on both sides of the allowance", series{0.85, 0.88, 0.9, 0.95, 0.99}, false, "not judged: too close: 0.85 to 0.99"},
		{"noisy", series{0.5, 0.6, 0.9, 1.2, 0.3}, false, "not judged: noisy: 0.30 to 1.20"},
	} {
		_, words := compared(tt.ratios, tt.larger, "")
		require.Equal(t, tt.words, words, tt.name)
	}
}

func TestFloor(t *testing.T) {
	t.Parallel()
	floor := func(rounds series, c conditions) error {
		b := &bench{options: options{floor: "throughput_64=0.8"}, ratios: map[string]series{"throughput_64": rounds},
			conditions: c}
		return b.checkFloor()
	}
	require.ErrorContains(t, floor(series{0.7, 0.71, 0.72, 0.7, 0.73}, conditions{}), "throughput_64 is 0.71, below 0.80")
	require.NoError(t, floor(series{0.9, 0.91, 0.92, 0.9, 0.93}, conditions{}))
	require.NoError(t, floor(series{0.3, 0.7, 0.5, 1.2, 0.6}, conditions{}), "noise is no failure")
	require.NoError(t, floor(series{0.7, 0.71, 0.72, 0.7, 0.73}, conditions{syncs: series{1, 23}, steals: series{0}}),
		"a restless disk is no failure")
	require.Error(t, (&bench{options: options{floor: "throughput_46=0.8"}}).checkFloor(), "a floor below nothing")
}

func TestReportKeepsItsKeys(t *testing.T) {
	t.Parallel()
	b := &bench{ratios: map[string]series{}, figures: map[string]float64{"service_64_per_s": 5000},
		conditions: conditions{syncs: series{1, 1}, steals: series{0}}}
	for _, name := range ladderRatios {
		b.ratios[name] = series{2, 2, 2, 2, 2}
	}
	var printed strings.Builder
	require.NoError(t, b.report(&printed))
	lines := strings.Split(strings.TrimSpace(printed.String()), "\n")
	var last map[string]any
	require.NoError(t, json.Unmarshal([]byte(lines[len(lines)-1]), &last))
	for _, name := range []string{"throughput_64", "throughput_256", "p99_64", "throughput_8", "p50_1"} {
		require.InDelta(t, 2.0, last[name], 0, name)
	}
	require.Contains(t, last, "figures")
	require.Contains(t, last, "noise")
}

// TestFloorMeasuresWhatItJudges measures only the connections that the judged ratio needs.
func TestFloorMeasuresWhatItJudges(t *testing.T) {
	t.Parallel()
	for floor, want := range map[string][]int{
		"":                   {64, 8, 1, 256},
		"throughput_64=0.8":  {64},
		"p99_64=4":           {64},
		"throughput_8=0.8":   {8},
		"p50_1=2":            {1},
		"throughput_256=0.8": {64, 256},
	} {
		var got []int
		for _, connections := range []int{64, 8, 1, 256} {
			if (&bench{options: options{floor: floor}}).matters(connections) {
				got = append(got, connections)
			}
		}
		require.Equal(t, want, got, floor)
	}
}
