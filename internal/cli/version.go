package cli

import (
	"fmt"
	"io"
	"runtime/debug"
	"time"

	"github.com/spf13/cobra"
)

func versionCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "version",
		Short: "Print the version, its commit and the commit's date",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			build := thisBuild()
			return show(cmd, build, func(w io.Writer) { fmt.Fprintln(w, build) })
		},
	}
	jsonFlag(cmd)
	return cmd
}

// build identifies the source of a binary. The Go tool records it in every binary that is built
// in a clone of the repository.
type build struct {
	Version  string `json:"version"` // the tag of a tagged commit; for others a version that sorts after the last tag
	Commit   string `json:"commit,omitempty"`
	Date     string `json:"date,omitempty"` // of the commit, so that the same source gives the same binary
	Modified bool   `json:"modified"`       // the source had uncommitted changes
	Go       string `json:"go"`
}

func thisBuild() build {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return build{Version: "unknown"}
	}
	b := build{Version: info.Main.Version, Go: info.GoVersion}
	for _, setting := range info.Settings {
		switch setting.Key {
		case "vcs.revision":
			b.Commit = setting.Value
		case "vcs.time":
			b.Date = setting.Value
		case "vcs.modified":
			b.Modified = setting.Value == "true"
		}
	}
	return b
}

// String returns one line: the version, and the commit with its date.
func (b build) String() string {
	if b.Commit == "" {
		return "quayside " + b.Version
	}
	day := b.Date
	if at, err := time.Parse(time.RFC3339, b.Date); err == nil {
		day = at.UTC().Format(time.DateOnly)
	}
	changed := ""
	if b.Modified {
		changed = ", with changes"
	}
	return fmt.Sprintf("quayside %s (commit %.12s of %s%s)", b.Version, b.Commit, day, changed)
}
