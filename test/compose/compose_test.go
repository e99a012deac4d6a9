// Package compose_test reads compose.yaml with the library that Compose itself uses, and
// checks what a reader of the file relies on. It needs no Docker.
package compose_test

import (
	"cmp"
	"maps"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strings"
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

// passwords are those of the three logins.
var passwords = []string{"QUAYSIDE_DB_PASSWORD=of-the-service", "QUAYSIDE_OWNER_PASSWORD=of-the-owner",
	"QUAYSIDE_POSTGRES_PASSWORD=of-the-superuser"}

func TestPasswordsAreRequired(t *testing.T) {
	t.Parallel()
	for i := range passwords {
		given := slices.Delete(slices.Clone(passwords), i, i+1)
		_, err := load(t, given)
		require.ErrorContains(t, err, "choose a password for", given)
	}
}

// TestServiceHasOneLogin checks that the service's container has nothing of the owner and the superuser, under any name.
func TestServiceHasOneLogin(t *testing.T) {
	t.Parallel()
	project, err := load(t, passwords, "demo")
	require.NoError(t, err)
	for variable, value := range project.Services["quayside"].Environment {
		require.NotContains(t, *value, "of-the-owner", variable)
		require.NotContains(t, *value, "of-the-superuser", variable)
	}
	for name, service := range project.Services {
		for variable, value := range service.Environment {
			require.False(t, name != "postgres" && strings.Contains(*value, "of-the-superuser"), "%s of %s", variable, name)
		}
	}
	login := func(service, variable string) string {
		address, err := url.Parse(*project.Services[service].Environment[variable])
		require.NoError(t, err)
		return address.User.String()
	}
	require.Equal(t, "quayside_login:of-the-service", login("quayside", "QUAYSIDE_DATABASE_URL"))
	require.Equal(t, "quayside_owner:of-the-owner", login("migrate", "QUAYSIDE_MIGRATE_URL"))
	require.NotContains(t, project.Services["quayside"].Environment, "QUAYSIDE_MIGRATE_URL")
	require.Equal(t, "no", cmp.Or(project.Services["migrate"].Restart, "no"), "it runs once")
	require.Contains(t, project.Services["quayside"].HealthCheck.Test, "--no-logins", "probes leave no failed logins")
}

func TestServices(t *testing.T) {
	t.Parallel()
	plain, err := load(t, passwords)
	require.NoError(t, err)
	require.Equal(t, []string{"migrate", "postgres", "quayside"}, slices.Sorted(maps.Keys(plain.Services)))
	demo, err := load(t, passwords, "demo")
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
			}
		}
		for _, port := range service.Ports {
			require.Equal(t, "127.0.0.1", port.HostIP, "%s is open to the network", name)
		}
	}
}

func TestQuaysideIsConfined(t *testing.T) {
	t.Parallel()
	project, err := load(t, append(slices.Clone(passwords), "QUAYSIDE_IMAGE=here/quayside:1"), "demo")
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
	project, err := load(t, passwords)
	require.NoError(t, err)
	script := project.Configs["create-database"].Content
	require.Contains(t, script, `"$QUAYSIDE_OWNER_PASSWORD"`)
	require.Contains(t, script, `"$QUAYSIDE_DB_PASSWORD"`)
	if to := os.Getenv("COMPOSE_SCRIPT"); to != "" { // .ci/release runs it
		require.NoError(t, os.WriteFile(to, []byte(script), 0o600))
	}
}
