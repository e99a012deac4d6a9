package inventory

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"

	"github.com/quayside/quayside/internal/purchase"
)

// compared are the fields in which the same order can differ on two sides.
var compared = append(append([]Field{FieldStatus}, scalars...), FieldReceipts)

// shown returns a field as both sides can have it: pending approval exists only here, and is a draft there.
func (l Line) shown(f Field) string {
	if f == FieldStatus {
		return string(StateOf(l.Status))
	}
	return l.value(f)
}

// text returns all that is compared about a line.
func (l Line) text() string {
	values := make([]string, len(compared))
	for i, f := range compared {
		values[i] = l.shown(f)
	}
	return strings.Join(values, "\x00")
}

// inOrder returns the lines that both sides can have, in an order that depends on nothing but themselves. What is
// cancelled here is deleted there.
func inOrder(lines []Line) []Line {
	kept := slices.DeleteFunc(slices.Clone(lines), func(l Line) bool { return l.Status == purchase.Cancelled })
	slices.SortFunc(kept, func(a, b Line) int {
		return cmp.Or(cmp.Compare(a.Variant, b.Variant), cmp.Compare(a.text(), b.text()))
	})
	return kept
}

// Digest returns a hash of an order's lines. It is the same for both sides if they agree on every field and on
// what has arrived, and empty if there is no line.
func Digest(lines []Line) string {
	lines = inOrder(lines)
	if len(lines) == 0 {
		return ""
	}
	hash := sha256.New()
	for _, line := range lines {
		hash.Write([]byte(line.text() + "\x01"))
	}
	return hex.EncodeToString(hash.Sum(nil))
}

// Difference is a field of a line that is not the same on both sides. If one side lacks the whole line, the field is the
// status, and that side's value is empty.
type Difference struct {
	Variant      string
	Field        Field
	Ours, Theirs string
}

// Differences returns what Digest found to differ. Several lines with the same article are compared in pairs.
func Differences(ours, theirs []Line) (found []Difference) {
	ours, theirs = inOrder(ours), inOrder(theirs)
	for len(ours) > 0 || len(theirs) > 0 {
		switch {
		case len(theirs) == 0 || len(ours) > 0 && ours[0].Variant < theirs[0].Variant:
			found = append(found, Difference{Variant: ours[0].Variant, Field: FieldStatus, Ours: ours[0].shown(FieldStatus)})
			ours = ours[1:]
		case len(ours) == 0 || theirs[0].Variant < ours[0].Variant:
			found = append(found, Difference{Variant: theirs[0].Variant, Field: FieldStatus, Theirs: theirs[0].shown(FieldStatus)})
			theirs = theirs[1:]
		default:
			for _, f := range compared {
				if o, t := ours[0].shown(f), theirs[0].shown(f); o != t {
					found = append(found, Difference{Variant: ours[0].Variant, Field: f, Ours: o, Theirs: t})
				}
			}
			ours, theirs = ours[1:], theirs[1:]
		}
	}
	return found
}
