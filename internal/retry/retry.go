// Package retry says when background work that failed is tried again: after longer and longer pauses, so that
// what fails for long neither fills the log nor takes time from what works.
package retry

import (
	"sync"
	"time"
)

const (
	firstPause   = time.Second
	longestPause = 5 * time.Minute
)

// Pauses are those of several pieces of work, each of which has a key. The zero Pauses is ready to use. They are
// kept in memory: another process, or this one after a restart, tries at once.
type Pauses[K comparable] struct {
	mu sync.Mutex
	of map[K]pause
}

type pause struct {
	until  time.Time
	length time.Duration
}

// Due reports whether the work may be tried.
func (p *Pauses[K]) Due(key K, now time.Time) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return !now.Before(p.of[key].until)
}

// Note notes how a try ended. After the first failure the pause is a second, and twice as long after each further
// one, up to five minutes. A success ends it.
func (p *Pauses[K]) Note(key K, err error, now time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if err == nil {
		delete(p.of, key)
		return
	}
	if p.of == nil {
		p.of = map[K]pause{}
	}
	length := min(max(firstPause, 2*p.of[key].length), longestPause)
	p.of[key] = pause{until: now.Add(length), length: length}
}

// Try does work that is due, and notes how it ended.
func (p *Pauses[K]) Try(key K, work func() error) error {
	if !p.Due(key, time.Now()) {
		return nil
	}
	err := work()
	p.Note(key, err, time.Now())
	return err
}
