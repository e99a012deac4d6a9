package vault

import (
	"fmt"
	"io"
	"log/slog"
)

// Secret is a text that must not be shown. However it is printed, logged or encoded, it reads
// "[secret]"; only Reveal returns the text.
type Secret struct {
	// A function rather than a string: packages that print by reflection, without asking the methods
	// below, as fmt does in unexported fields, show an address.
	reveal func() string
}

// shown is what is seen of every secret.
const shown = "[secret]"

// NewSecret returns a secret of the text.
func NewSecret(text string) Secret { return Secret{func() string { return text }} }

// Reveal returns the text. The only place for it is the call that needs it.
func (s Secret) Reveal() string {
	if s.reveal == nil {
		return ""
	}
	return s.reveal()
}

// endingLength is how many characters of a secret people may see, and endingFrom how long it must be.
const (
	endingLength = 4
	endingFrom   = 16
)

// ending returns the last characters, by which people recognise a secret. A short one has none.
func (s Secret) ending() string {
	text := []rune(s.Reveal())
	if len(text) < endingFrom {
		return ""
	}
	return string(text[len(text)-endingLength:])
}

// String implements fmt.Stringer.
func (s Secret) String() string { return shown }

// Format implements fmt.Formatter, for all verbs.
func (s Secret) Format(state fmt.State, _ rune) { _, _ = io.WriteString(state, shown) }

// MarshalText implements encoding.TextMarshaler, and so JSON as well.
func (s Secret) MarshalText() ([]byte, error) { return []byte(shown), nil }

// LogValue implements slog.LogValuer.
func (s Secret) LogValue() slog.Value { return slog.StringValue(shown) }
