package faults_test

import (
	"fmt"
	"slices"
	"time"
)

// The tolerances of the judge. All are extended by the time for which the machine kept the watcher itself waiting.
const (
	// /readyz is promised to be red within 3 s: a result may be 1 s old, and the next takes up to 1.2 s. A
	// quarter of a second each is how exactly the watcher knows when writes stopped and when the probe changed.
	redWithin = 3*time.Second + 2*watchPeriod
	// For so long /readyz may be red while statements work. An instance tries every second whether PostgreSQL is back, and
	// then proves it; the rest is for connecting anew.
	greenWithin = 5 * time.Second
	// /acceptz follows from the same proof, and from a record that could not be kept.
	refusesWithin = redWithin
)

// judge compares what the probes said with what was true.
type judge struct {
	truth, late []sample
}

// stretch is a time, from the first observation of one kind to the last before another.
type stretch struct{ from, to time.Time }

// stretches returns the times in which observations were as wanted. An observation that failed says nothing about
// the time after it was sent, and one that succeeded nothing about the time before it was answered.
func stretches(samples []sample, wanted func(sample) bool, worked bool) (found []stretch) {
	var current *stretch
	for _, s := range samples {
		if !wanted(s) {
			current = nil
			continue
		}
		if current == nil {
			found = append(found, stretch{from: s.sent, to: s.sent})
			current = &found[len(found)-1]
			if worked {
				current.from = s.got
			}
		}
		current.to = s.sent
	}
	return found
}

// waited returns for how long at most the machine kept the watcher waiting in a time.
func (j judge) waited(from, to time.Time) (longest time.Duration) {
	for _, l := range j.late {
		if l.got.After(from) && l.sent.Before(to) {
			longest = max(longest, l.got.Sub(l.sent)-watchPeriod)
		}
	}
	return longest
}

// within returns the samples that lie in a time, from a tolerance after its beginning, while the process had to
// answer for at least that tolerance.
func (j judge) within(samples []sample, s stretch, tolerance time.Duration, lives []life) (found []sample) {
	for _, one := range samples {
		allowed := tolerance + j.waited(s.from, one.got)
		if one.sent.Sub(s.from) > allowed && one.got.Before(s.to) && slices.ContainsFunc(lives, func(l life) bool {
			return one.sent.Sub(l.from) > allowed && one.got.Before(l.to)
		}) {
			found = append(found, one)
		}
	}
	return found
}

// detection is how long an instance's /readyz took to notice that nothing was stored.
type detection struct {
	at   time.Time // when writes stopped
	took time.Duration
}

// health returns each time in which a probe of an instance said something that was not true. answers are those of
// records through the instance: whether each was stored, and if not, whether it was kept.
func (j judge) health(name string, s *slot, answers []sample) (lies []string, noticed []detection) {
	lives, ready, own := s.lived(), s.ready.all(), s.own.all()
	lie := func(at time.Time, format string, args ...any) {
		lies = append(lies, at.Format("15:04:05.0 ")+name+": "+fmt.Sprintf(format, args...))
	}
	failing := func(one sample) bool { return !one.ok }
	working := func(one sample) bool { return one.ok }
	for what, observed := range map[string][]sample{"a statement": j.truth, "a record through it": own} {
		for _, out := range stretches(observed, failing, false) {
			green := slices.DeleteFunc(j.within(ready, out, redWithin, lives), failing)
			if len(green) > 0 {
				lie(green[0].sent, "/readyz was green %d times, up to %s after %s had ceased to work", len(green),
					green[len(green)-1].sent.Sub(out.from).Round(100*time.Millisecond), what)
			}
			if took, ok := firstRed(ready, out, lives); ok {
				noticed = append(noticed, detection{out.from, took})
			}
		}
	}
	// Without a partition a statement works, and records do not. A probe that is red once may have been right: a busy
	// machine does not answer in time.
	red := func(one sample) bool { return !one.ok && !one.hasPartition() }
	for _, wrong := range stretches(ready, red, false) {
		for _, fine := range stretches(j.truth, working, true) {
			for _, l := range lives {
				both := stretch{latest(wrong.from, fine.from, l.from), earliest(wrong.to, fine.to, l.to)}
				if lasted := both.to.Sub(both.from); lasted > greenWithin+j.waited(both.from, both.to) {
					lie(both.from, "/readyz was red for %s while statements worked", lasted.Round(100*time.Millisecond))
				}
			}
		}
	}
	for _, lost := range stretches(answers, failing, false) {
		green := slices.DeleteFunc(j.within(s.accept.all(), lost, refusesWithin, lives), failing)
		if len(green) > 0 {
			lie(green[0].sent, "/acceptz was green %d times, up to %s after records were neither stored nor kept", len(green),
				green[len(green)-1].sent.Sub(lost.from).Round(100*time.Millisecond))
		}
	}
	for path, observed := range map[string][]sample{"/livez": s.live.all(), "/readyz": ready, "/acceptz": s.accept.all()} {
		for _, one := range j.within(observed, stretch{time.Time{}, time.Now()}, 0, lives) {
			took := one.got.Sub(one.sent)
			if one.status == 0 || took > probePatience+j.waited(one.sent, one.got) {
				lie(one.sent, "%s gave no answer for %s: %s", path, took.Round(time.Millisecond), one.text)
			}
		}
	}
	return lies, noticed
}

func latest(times ...time.Time) time.Time   { return slices.MaxFunc(times, time.Time.Compare) }
func earliest(times ...time.Time) time.Time { return slices.MinFunc(times, time.Time.Compare) }

// firstRed returns how long it took until a probe was red in a time, if it had to answer in all of it.
func firstRed(ready []sample, out stretch, lives []life) (time.Duration, bool) {
	alive := slices.ContainsFunc(lives, func(l life) bool { return l.from.Before(out.from) && l.to.After(out.to) })
	for _, one := range ready {
		if alive && !one.ok && one.got.After(out.from) && one.sent.Before(out.to) {
			return one.got.Sub(out.from), true
		}
	}
	return 0, false
}
