package secret_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/quayside/quayside/internal/secret"
)

func TestFromEnv(t *testing.T) {
	file := func(text string) string {
		path := filepath.Join(t.TempDir(), "secret")
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
		return path
	}
	for _, tt := range []struct {
		name, value, path string
		want, wantErr     string
	}{
		{name: "neither"},
		{name: "the variable", value: " as it is ", want: " as it is "},
		{name: "the file", path: file("postgres://secret\n"), want: "postgres://secret"},
		{name: "both", value: "a", path: file("b"), wantErr: "both set"},
		{name: "no such file", path: filepath.Join(t.TempDir(), "gone"), wantErr: "QUAYSIDE_X_FILE cannot be read"},
		{name: "an empty file", path: file("\n"), wantErr: "empty file"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Setenv("QUAYSIDE_X", tt.value)
			t.Setenv("QUAYSIDE_X_FILE", tt.path)
			got, err := secret.FromEnv("QUAYSIDE_X")
			if tt.wantErr != "" {
				require.ErrorContains(t, err, tt.wantErr)
				return
			}
			require.NoError(t, err)
			require.Equal(t, tt.want, got)
		})
	}
}
