// Package compose_test reads compose.yaml with the library that Compose itself uses, and
// checks what a reader of the file relies on. It needs no Docker.
package compose_test

import (
	"maps"
	"net/url"
	"os"
	"regexp"
	"slices"
	"testing"

	"github.com/compose-spec/compose-go/v2/cli"
	"github.com/compose-spec/compose-go/v2/types"
	"github.com/stretchr/testify/require"
)

const root = "../.."

func load(t *testing.T, environment []string, profiles ...string) (*types.Project, error) {
	t.Helper()
	options, err := cli.NewProjectOptions([]string{root + "/compose.yaml"},
		cli.WithEnv(environment), cli.WithProfiles(profiles), cli.WithConsistency(true), cli.WithInterpolation(true))
	require.NoError(t, err)
	return options.LoadProject(t.Context())
}

func TestPasswordIsRequired(t *testing.T) {
	t.Parallel()
	_, err := load(t, nil)
	require.ErrorContains(t, err, "choose a password")
}

func TestServices(t *testing.T) {
	t.Parallel()
	password := []string{"QUAYSIDE_DB_PASSWORD=secret-1"}
	plain, err := load(t, password)
	require.NoError(t, err)
	require.Equal(t, []string{"migrate", "postgres", "quayside"}, slices.Sorted(maps.Keys(plain.Services)))
	demo, err := load(t, password, "demo")
	require.NoError(t, err)
	require.Equal(t, []string{"demo", "migrate", "postgres", "quayside"}, slices.Sorted(maps.Keys(demo.Services)))

	documented, err := os.ReadFile(root + "/docs/configuration.md")
	require.NoError(t, err)
	for name, service := range demo.Services {
		for variable, value := range service.Environment {
			require.NotNil(t, value, "%s of %s comes from nowhere", variable, name)
			if name != "postgres" {
				require.Contains(t, string(documented), "`"+variable+"`", name)
			}
			if regexp.MustCompile(`_URL$`).MatchString(variable) && variable != "QUAYSIDE_BASE_URL" {
				address, err := url.Parse(*value)
				require.NoError(t, err)
				require.Equal(t, "postgres", address.Hostname(), name)
				given, _ := address.User.Password()
				require.Equal(t, "secret-1", given, name)
			}
		}
		for _, port := range service.Ports {
			require.Equal(t, "127.0.0.1", port.HostIP, "%s is open to the network", name)
		}
	}
	require.NotContains(t, demo.Services["quayside"].Environment, "QUAYSIDE_MIGRATE_URL",
		"the service knows the owner's login")
}

func TestQuaysideIsConfined(t *testing.T) {
	t.Parallel()
	project, err := load(t, []string{"QUAYSIDE_DB_PASSWORD=x", "QUAYSIDE_IMAGE=here/quayside:1"}, "demo")
	require.NoError(t, err)
	for _, name := range []string{"migrate", "quayside", "demo"} {
		service := project.Services[name]
		require.Equal(t, "here/quayside:1", service.Image)
		require.True(t, service.ReadOnly, name)
		require.False(t, service.Privileged, name)
		require.Equal(t, []string{"ALL"}, service.CapDrop, name)
		require.Empty(t, service.CapAdd, name)
		require.Equal(t, []string{"no-new-privileges:true"}, service.SecurityOpt, name)
		require.Empty(t, service.User, "%s: the image says which user", name)
	}
}

// TestDatabaseScript checks that the dollar of the script reaches the shell of PostgreSQL's
// image.
func TestDatabaseScript(t *testing.T) {
	t.Parallel()
	project, err := load(t, []string{"QUAYSIDE_DB_PASSWORD=x"})
	require.NoError(t, err)
	script := project.Configs["create-database"].Content
	require.Contains(t, script, `"$POSTGRES_PASSWORD"`)
	if to := os.Getenv("COMPOSE_SCRIPT"); to != "" { // .ci/release runs it
		require.NoError(t, os.WriteFile(to, []byte(script), 0o600))
	}
}
