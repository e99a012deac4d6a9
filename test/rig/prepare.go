package rig

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// prepare returns the folder of a stopped cluster whose database was migrated by the binary. All test processes share
// it until the binary, scripts/postgres or the day changes; migrating creates partitions for the days to come.
func prepare(binary string) (string, error) {
	key, err := preparedKey(binary)
	if err != nil {
		return "", err
	}
	folder := binary + ".prepared-" + key
	return folder, locked(binary+".prepared.lock", func() error {
		if _, err := os.Stat(folder); err == nil {
			return nil
		}
		if err := removeStale(binary + ".prepared-*"); err != nil {
			return err
		}
		return migrateInto(folder, binary)
	})
}

// removeStale removes clusters that no running test can be copying: around midnight, tests copy that of the day before.
func removeStale(pattern string) error {
	found, err := filepath.Glob(pattern)
	if err != nil {
		return err
	}
	for _, folder := range found {
		info, err := os.Stat(folder)
		if err != nil {
			return err
		}
		if time.Since(info.ModTime()) < 3*time.Hour {
			continue
		}
		if err := os.RemoveAll(folder); err != nil {
			return err
		}
	}
	return nil
}

func preparedKey(binary string) (string, error) {
	hash := sha256.New()
	for _, name := range []string{binary, filepath.Join(Root(), "scripts", "postgres")} {
		file, err := os.Open(name)
		if err != nil {
			return "", err
		}
		_, err = io.Copy(hash, file)
		if err := errors.Join(err, file.Close()); err != nil {
			return "", err
		}
	}
	return hex.EncodeToString(hash.Sum(nil))[:12] + time.Now().UTC().Format("-20060102"), nil
}

// migrateInto makes the cluster in a folder that PostgreSQL's user can reach, and then moves it.
func migrateInto(folder, binary string) error {
	dir, err := os.MkdirTemp("/var/tmp", "quayside-rig-")
	if err != nil {
		return err
	}
	// Ends a server that an error left running; afterwards there is nothing to drop.
	defer func() { _, _ = run(dir, nil, filepath.Join(Root(), "scripts", "postgres"), "drop") }()
	const script = `eval "$($0 start)" && "$1" migrate && $0 stop`
	if _, err := run(dir, nil, "sh", "-ec", script, filepath.Join(Root(), "scripts", "postgres"), binary); err != nil {
		return err
	}
	// Under its name only when it is complete.
	half := folder + "-half"
	_, err = run(dir, nil, "sh", "-ec", `rm -rf "$1" && cp -a "$0" "$1" && mv "$1" "$2"`, dir, half, folder)
	return err
}

// run runs a command for the cluster in dir.
func run(dir string, more []string, name string, args ...string) (string, error) {
	cmd := exec.Command(name, args...)
	// The data need not survive a power cut. A busy disk would take seconds for one commit, and
	// more than the service waits for.
	cmd.Env = append(os.Environ(), "QUAYSIDE_RUN_DIR="+dir, "QUAYSIDE_RUN_SETTINGS=fsync=off full_page_writes=off")
	cmd.Env = append(cmd.Env, more...)
	stderr := strings.Builder{}
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return "", errors.New(name + ": " + err.Error() + "\n" + stderr.String())
	}
	return string(out), nil
}
