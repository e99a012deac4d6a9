package document

import (
	"strings"
	"unicode"
)

// printable is a text that the font can be asked for: characters beyond the first plane,
// such as emoji, have no place in it, and control characters no meaning on paper.
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
