package faults_test

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"github.com/stretchr/testify/require"
)

// The disk of a spool has room for everything that is kept in a day. The ballast fills it.
const (
	diskSize = "64m"
	ballast  = "ballast"
)

// disk returns a folder on a small disk of its own, if this machine lets us mount one.
func (d *day) disk(name string) string {
	d.t.Helper()
	folder := filepath.Join(d.t.TempDir(), name)
	require.NoError(d.t, os.Mkdir(folder, 0o700))
	if syscall.Mount("tmpfs", folder, "tmpfs", 0, "size="+diskSize) == nil {
		d.t.Cleanup(func() { _ = syscall.Unmount(folder, syscall.MNT_DETACH) })
	}
	return folder
}

// mounted reports whether a folder is a disk of its own.
func mounted(folder string) bool {
	var here, parent syscall.Stat_t
	return syscall.Stat(folder, &here) == nil && syscall.Stat(filepath.Dir(folder), &parent) == nil && here.Dev != parent.Dev
}

// fillDisk stops PostgreSQL while nothing fits on the disks of the spools: records are neither stored nor kept, and
// have to be refused in words that say so. Then there is room again, and records are kept.
func (d *day) fillDisk(lasts time.Duration) (note string) {
	d.t.Helper()
	ownDisk := mounted(d.slots[0].spool)
	if ownDisk {
		for _, s := range d.slots {
			fill(filepath.Join(s.spool, ballast))
		}
	} else {
		note = "No disk could be mounted, so the spools had a limit of 2 kB. "
		d.restart("QUAYSIDE_SPOOL_MAX_BYTES=2000")
	}
	from := time.Now()
	var to time.Time
	failed, _ := d.outage(lasts, d.server.Stop, func() {
		to = time.Now()
		if ownDisk {
			for _, s := range d.slots {
				require.NoError(d.t, os.Remove(filepath.Join(s.spool, ballast)))
			}
			d.keepsAgain(lasts / 2)
		}
		d.faked = d.server.FakeClock() // for the next step
		d.server.Start()
	})
	lost := 0
	for _, a := range d.load.between(from, to) {
		if a.outcome == dropped {
			lost++
		}
	}
	require.NotZero(d.t, lost, "there was room on the disk")
	if !ownDisk {
		d.restart()
	}
	return fmt.Sprintf("%s%d statements failed, and %d records were refused because they could not be kept", note, failed, lost)
}

// restart stops and starts both instances, one after the other.
func (d *day) restart(env ...string) {
	d.t.Helper()
	for _, s := range d.slots {
		s.leave()
		require.Zero(d.t, s.process.Load().Terminate())
		d.serve(s, env...)
		d.settle()
	}
}

// fill leaves no byte on a disk.
func fill(path string) {
	file, err := os.Create(path)
	if err != nil {
		return
	}
	defer func() { _ = file.Close() }()
	for size := 1 << 20; size > 0; size /= 2 {
		block := make([]byte, size)
		for err = nil; err == nil; {
			_, err = file.Write(block)
		}
	}
}

// keepsAgain waits until both instances accept and keep records again, though PostgreSQL is away.
func (d *day) keepsAgain(lasts time.Duration) {
	d.t.Helper()
	from := time.Now()
	d.waitFor("kept records", func() bool {
		for _, s := range d.slots {
			own := s.own.all()
			if last := own[len(own)-1]; last.sent.Before(from) || last.status != http.StatusInternalServerError {
				return false
			}
			if !s.accept.fine(from, 1) {
				return false
			}
		}
		return true
	})
	d.last(lasts)
}
