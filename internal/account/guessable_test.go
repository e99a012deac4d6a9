package account

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/quayside/quayside/internal/fault"
)

// TestCheckPassword: a new password has at least twelve characters and is not easy to guess.
func TestCheckPassword(t *testing.T) {
	t.Parallel()
	const email = "ada.lovelace@harbour.example"
	for password, want := range map[string]string{
		"":                           "password_short",
		"elevenchars":                "password_short",
		"ünicöde täg":                "password_short",
		strings.Repeat("ab cd ", 40): "password_long",
		"a\x00bcdefghijklm":          "password",
		"\xffbcdefghijklm":           "password",

		"password1234":      "password_weak",
		"Password2026!":     "password_weak",
		"P@ssw0rd!2026":     "password_weak",
		"pa55word pa55word": "password_weak",
		"Passwort123!":      "password_weak",
		"123456789012":      "password_weak",
		"739201847561":      "password_weak",
		"qwertyuiop12":      "password_weak",
		"1q2w3e4r5t6y":      "password_weak",
		"1qaz2wsx3edc":      "password_weak",
		"zyxwvutsrqponm":    "password_weak",
		"aaaaaaaaaaaa":      "password_weak",
		"abababababab":      "password_weak",
		"teateateateatea":   "password_weak",
		"Summer2026!!":      "password_weak",
		"letmein-please1":   "",
		"iloveyou1234":      "password_weak",
		"adminadmin123":     "password_weak",
		"Quayside2026!":     "password_weak",
		email:               "password_weak",
		"Lovelace-Ada-1":    "password_weak",
		"harbour.ada.2026":  "password_weak",
		"____________":      "password_weak",

		"correct horse battery":       "",
		"a few other words":           "",
		"another horse battery":       "",
		"summer monkey dragon berlin": "", // four words in a row
		"tram kettle basalt":          "",
		"xK9#mQ2$vL5p":                "",
		"grüne Türen am Kai":          "",
		"船が静かに港へ入ってきた朝":               "",
	} {
		err := checkPassword("password", email, password)
		if want == "" {
			require.NoError(t, err, password)
			continue
		}
		require.True(t, fault.HasCode(err, want), "%q: %v", password, err)
	}
}
