package push

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/quayside/quayside/internal/fault"
	"github.com/quayside/quayside/internal/sheet"
)

// openSource detects the format of the file, or of standard input for "-".
func openSource(ctx context.Context, name string, stdin io.Reader, reading sheet.Reading) (*sheet.Source, error) {
	if name == "-" {
		return recognised(sheet.RecogniseStream(name, newBreakable(ctx, stdin), reading))
	}
	info, err := os.Stat(name)
	switch {
	case err != nil:
		return nil, fault.New(fault.NotFound, sheet.Unreadable, "cannot read %s: %s", name, cause(err))
	case info.IsDir():
		return nil, fault.New(fault.BadRequest, Misused, "%s is a folder; push takes one file", name)
	case info.Mode().IsRegular():
		return recognised(sheet.Recognise(ctx, sheet.File{Name: name, Open: opener(name)}, reading, sheet.Limits{}))
	}
	file, err := os.Open(name) //nolint:gosec // the file that we were given
	if err != nil {
		return nil, fault.New(fault.NotFound, sheet.Unreadable, "cannot read %s: %s", name, cause(err))
	}
	return recognised(sheet.RecogniseStream(name, newBreakable(ctx, file), reading))
}

// opener returns a function that opens the file from its beginning and reads until its context
// ends.
func opener(name string) func(context.Context) (io.ReadCloser, error) {
	return func(ctx context.Context) (io.ReadCloser, error) {
		file, err := os.Open(name) //nolint:gosec // the file that we were given
		if err != nil {
			return nil, fault.New(fault.NotFound, sheet.Unreadable, "cannot read %s: %s", name, cause(err))
		}
		return &stoppable{ctx, file}, nil
	}
}

// recognised phrases errors for the command line.
func recognised(source *sheet.Source, err error) (*sheet.Source, error) {
	var known *fault.Error
	switch {
	case err == nil:
		return source, nil
	case errors.Is(err, context.Canceled):
		return nil, ErrInterrupted
	case errors.As(err, &known):
		return nil, nameFlag(err)
	}
	return nil, fault.New(fault.BadRequest, sheet.Unreadable, "cannot read the file: %s", cause(err))
}

// nameFlag says which flag gave the refused value.
func nameFlag(err error) error {
	var refused *fault.Error
	if !errors.As(err, &refused) || refused.Code != Misused || len(refused.Fields) == 0 {
		return err
	}
	return fault.New(fault.BadRequest, Misused, "--%s %s", refused.Fields[0].Field, refused.Message)
}

// cause returns the system's error without the path, which the message already contains.
func cause(err error) string {
	var at *os.PathError
	if errors.As(err, &at) {
		return at.Err.Error()
	}
	return err.Error()
}

// beside returns the path of push's own file next to the source.
func beside(source *sheet.Source, suffix string) string {
	if source.Name == "-" {
		return "stdin" + suffix
	}
	return source.Name + suffix
}

// readOverrides reads --map.
func readOverrides(words []string) ([]sheet.Override, error) {
	var overrides []sheet.Override
	for _, word := range words {
		from, to, ok := strings.Cut(word, "=")
		from, to = strings.TrimSpace(from), strings.TrimSpace(to)
		if !ok || from == "" {
			return nil, fault.New(fault.BadRequest, Misused, "--map is from=to, such as --map 'Order No=order_number', not %q",
				word)
		}
		overrides = append(overrides, sheet.Override{From: from, To: to})
	}
	return overrides, nil
}

// hinted adds the flag with which the user can decide a mapping.
func hinted(pairs []sheet.Pair) []sheet.Pair {
	with := make([]sheet.Pair, 0, len(pairs))
	for _, pair := range pairs {
		if len(pair.Could) > 0 {
			pair.Why += fmt.Sprintf("; say --map '%s=%s'", pair.From, pair.Could[0])
		}
		with = append(with, pair)
	}
	return with
}
