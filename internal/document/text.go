package document

import (
	"strings"
	"unicode"
)

// printable removes control characters, and replaces characters beyond Unicode's first plane,
// such as emoji, by question marks. The font has no place for them.
func printable(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n':
			return r
		case r == '\t':
			return ' '
		case unicode.IsControl(r):
			return -1
		case r > 0xFFFF:
			return '?'
		}
		return r
	}, text)
}
