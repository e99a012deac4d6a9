package secret

import (
	"os"
	"strings"

	"github.com/quayside/quayside/internal/fault"
)

// FromEnv returns the secret in the environment variable name or, where secrets are mounted as
// files, the content of the file that name_FILE names, without white space around it. It returns
// "" when neither variable is set.
func FromEnv(name string) (string, error) {
	value, path := os.Getenv(name), os.Getenv(name+"_FILE")
	switch {
	case path == "":
		return value, nil
	case value != "":
		return "", fault.New(fault.BadRequest, "config", "%s and %s_FILE are both set; keep one of them", name, name)
	}
	text, err := os.ReadFile(path) //nolint:gosec // the operator's own file
	if err != nil {
		return "", fault.New(fault.BadRequest, "config", "%s_FILE cannot be read: %s", name, err)
	}
	value = strings.TrimSpace(string(text))
	if value == "" {
		return "", fault.New(fault.BadRequest, "config", "%s_FILE names an empty file: %s", name, path)
	}
	return value, nil
}
