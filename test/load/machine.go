package main

import (
	"context"
	"os"
	"path/filepath"
	"time"
)

// syncTime returns how long a synced write of one page takes on the disk of the data: the
// median of a few, in milliseconds.
func syncTime(dir string) (float64, error) {
	file, err := os.Create(filepath.Join(dir, "sync-time"))
	if err != nil {
		return 0, err
	}
	defer func() { _ = os.Remove(file.Name()) }()
	defer func() { _ = file.Close() }()
	var times series
	page := make([]byte, 8<<10)
	for range 9 {
		took, err := timed(func() error {
			if _, err := file.Write(page); err != nil {
				return err
			}
			return file.Sync()
		})
		if err != nil {
			return 0, err
		}
		times = append(times, took)
	}
	return times.median(), nil
}

// processors reads /proc/stat.
func processors() (ticks, error) {
	stat, err := os.ReadFile("/proc/stat")
	if err != nil {
		return ticks{}, err
	}
	return parseTicks(string(stat))
}

// observed runs one round and records the state of the machine before, during and after it.
func (c *conditions) observed(dir string, round func() error) error {
	note := func() error {
		took, err := syncTime(dir)
		c.syncs = append(c.syncs, took)
		return err
	}
	if err := note(); err != nil {
		return err
	}
	before, err := processors()
	if err != nil {
		return err
	}
	if err := round(); err != nil {
		return err
	}
	after, err := processors()
	if err != nil {
		return err
	}
	c.steals = append(c.steals, after.steal(before))
	return note()
}

// repeat runs rounds as planned, until the figures that matter are steady.
func (p plan) repeat(ctx context.Context, c *conditions, dir string, rounds map[string]series, matter []string,
	round func(n int) error) error {
	start := time.Now()
	for n := 0; p.more(n, time.Since(start), rounds, matter); n++ {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := c.observed(dir, func() error { return round(n) }); err != nil {
			return err
		}
	}
	return nil
}
