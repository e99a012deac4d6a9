package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// pgbench runs a script and returns transactions per second and latencies.
func (c *cluster) pgbench(ctx context.Context, script string, connections int, duration time.Duration) (sample, error) {
	seconds := int(math.Ceil(duration.Seconds())) + 1 // the first second, for connections and plans, is left out
	for range 3 {
		got, err := c.pgbenchFor(ctx, script, connections, seconds)
		if err != nil || got.PerSecond > 0 {
			return got, err
		}
		seconds *= 4 // a busy machine was still connecting at the end
	}
	return sample{}, errors.New("pgbench had not connected when its time was over; is the machine busy?")
}

func (c *cluster) pgbenchFor(ctx context.Context, script string, connections, seconds int) (sample, error) {
	dir, err := os.MkdirTemp("", "pgbench-")
	if err != nil {
		return sample{}, err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	file := filepath.Join(dir, "script.sql")
	if err := os.WriteFile(file, []byte(script), 0o600); err != nil {
		return sample{}, err
	}
	binary, err := pgbenchBinary()
	if err != nil {
		return sample{}, err
	}
	cmd := exec.CommandContext(ctx, binary, "-n", "-M", "prepared", "-f", file, "-c", strconv.Itoa(connections), "-j", "2",
		"-T", strconv.Itoa(seconds), "-l", "--log-prefix", filepath.Join(dir, "log"), c.adminURL)
	out, err := cmd.CombinedOutput()
	if err != nil {
		return sample{}, fmt.Errorf("pgbench: %w: %.600s", err, out)
	}
	logs, err := filepath.Glob(filepath.Join(dir, "log*"))
	if err != nil {
		return sample{}, err
	}
	var (
		latencies   []time.Duration
		first, last int64
	)
	for _, path := range logs {
		log, err := os.Open(path)
		if err != nil {
			return sample{}, err
		}
		for lines := bufio.NewScanner(log); lines.Scan(); {
			fields := strings.Fields(lines.Text()) // client, number, latency, script, second, microsecond
			if len(fields) < 6 {
				continue
			}
			ended, _ := strconv.ParseInt(fields[4]+fmt.Sprintf("%06s", fields[5]), 10, 64)
			if first == 0 {
				first = ended
			}
			if ended < first+1_000_000 {
				continue
			}
			last = max(last, ended)
			micros, _ := strconv.ParseInt(fields[2], 10, 64)
			latencies = append(latencies, time.Duration(micros)*time.Microsecond)
		}
		_ = log.Close()
	}
	return summarise(latencies, nil, time.Duration(last-first-1_000_000)*time.Microsecond), nil
}

func pgbenchBinary() (string, error) {
	found, err := filepath.Glob("/usr/lib/postgresql/*/bin/pgbench")
	if err != nil || len(found) == 0 {
		return "", errors.New("pgbench not found; on Debian it comes with postgresql-contrib or postgresql")
	}
	return found[len(found)-1], nil
}
