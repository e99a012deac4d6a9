package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// service is a running 'quayside serve'.
type service struct {
	addr, metrics string
	cmd           *exec.Cmd
}

func (c *cluster) serve(ctx context.Context, env ...string) (*service, error) {
	addr, err := freeAddr(ctx)
	if err != nil {
		return nil, err
	}
	metrics, err := freeAddr(ctx)
	if err != nil {
		return nil, err
	}
	s := &service{addr: addr, metrics: metrics, cmd: exec.CommandContext(ctx, c.binary, "serve")}
	log, err := os.CreateTemp(c.dir, "serve-*.log")
	if err != nil {
		return nil, err
	}
	s.cmd.Env = append(append(os.Environ(), c.env...), append(env, "QUAYSIDE_ADDR="+addr, "QUAYSIDE_METRICS_ADDR="+metrics, "QUAYSIDE_SPOOL_DIR=off")...)
	s.cmd.Stderr = log
	if err := s.cmd.Start(); err != nil {
		return nil, err
	}
	c.services = append(c.services, s)
	for range 2400 {
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+addr+"/readyz", nil)
		if err != nil {
			return nil, err
		}
		if response, err := http.DefaultClient.Do(request); err == nil {
			_ = response.Body.Close()
			if response.StatusCode == http.StatusOK {
				return s, nil
			}
		}
		time.Sleep(25 * time.Millisecond)
	}
	return nil, fmt.Errorf("the service was not ready; see %s", log.Name())
}

func freeAddr(ctx context.Context) (string, error) {
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	defer func() { _ = listener.Close() }()
	return listener.Addr().String(), nil
}

// download writes the answer of an address to a file.
func download(ctx context.Context, address, path string) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return err
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer func() { _ = response.Body.Close() }()
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	_, err = io.Copy(file, response.Body)
	return errors.Join(err, file.Close())
}

func (s *service) stop() error {
	if err := s.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		return err
	}
	err := s.cmd.Wait()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return fmt.Errorf("serve ended with %d", exit.ExitCode())
	}
	return err
}

// paused runs fn while the service and its background work stand still.
func (s *service) paused(fn func() error) error {
	if err := s.cmd.Process.Signal(syscall.SIGSTOP); err != nil {
		return err
	}
	return errors.Join(fn(), s.cmd.Process.Signal(syscall.SIGCONT))
}

// caughtUp is the lag at which figures count as current.
const caughtUp = 2 * time.Second

// catchUp waits until the service shows that its figures are current.
func (s *service) catchUp(ctx context.Context) error {
	for {
		lag, err := s.lag(ctx)
		if err != nil || lag < caughtUp {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(100 * time.Millisecond):
		}
	}
}

// lag reads how far the figures are behind from the service's metrics.
func (s *service) lag(ctx context.Context) (time.Duration, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+s.metrics+"/metrics", nil)
	if err != nil {
		return 0, err
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return 0, err
	}
	defer func() { _ = response.Body.Close() }()
	for lines := bufio.NewScanner(response.Body); lines.Scan(); {
		if text, ok := strings.CutPrefix(lines.Text(), "quayside_sales_lag_seconds "); ok {
			seconds, err := strconv.ParseFloat(text, 64)
			return time.Duration(seconds * float64(time.Second)), err
		}
	}
	return 0, fmt.Errorf("%s shows no lag", s.metrics)
}

// cpu returns the processor time that a process and its children have used.
func cpu(pid int) time.Duration {
	ticks := int64(0)
	for _, process := range append(children(pid), pid) {
		stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", process))
		if err != nil {
			continue
		}
		fields := strings.Fields(string(stat[strings.LastIndexByte(string(stat), ')')+2:]))
		for _, i := range []int{11, 12} { // user, system
			n, _ := strconv.ParseInt(fields[i], 10, 64)
			ticks += n
		}
		if process == pid {
			for _, i := range []int{13, 14} { // of children that ended
				n, _ := strconv.ParseInt(fields[i], 10, 64)
				ticks += n
			}
		}
	}
	return time.Duration(ticks) * (time.Second / 100)
}

func children(pid int) (found []int) {
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return nil
	}
	for _, entry := range entries {
		process, err := strconv.Atoi(entry.Name())
		if err != nil {
			continue
		}
		stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", process))
		if err != nil {
			continue
		}
		fields := strings.Fields(string(stat[strings.LastIndexByte(string(stat), ')')+2:]))
		if parent, _ := strconv.Atoi(fields[1]); parent == pid {
			found = append(found, process)
		}
	}
	return found
}

// postmaster returns the process id of the server.
func (c *cluster) postmaster() int {
	content, err := os.ReadFile(c.dir + "/data/postmaster.pid")
	if err != nil {
		return 0
	}
	pid, _ := strconv.Atoi(strings.SplitN(string(content), "\n", 2)[0])
	return pid
}
