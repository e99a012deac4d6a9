package registry

import (
	"math/big"
	"slices"
	"strings"
	"time"
)

// This file says which values are plausible: how large a number may be, and which times stand for none.

// LeastNumber and MostNumber are the bounds of a number column that names none. No quantity and no amount of money is
// beyond them.
const (
	LeastNumber = "-1000000000000"
	MostNumber  = "1000000000000"
)

// bound gives a number column the bounds that it does not name. A column whose only bound is beyond the usual ones is open
// on its other side, or it would refuse every number; checkBounds lets nobody define one any more.
func (c *Column) bound() {
	if c.Type != Number {
		return
	}
	least, most := c.Minimum, c.Maximum
	if least == "" && !Below(most, LeastNumber) {
		c.Minimum = LeastNumber
	}
	if most == "" && !Above(least, MostNumber) {
		c.Maximum = MostNumber
	}
}

// Below reports whether a decimal that IsDecimal has accepted is less than a bound. Without a number or a bound it is not.
func Below(number, bound string) bool {
	switch {
	case number == "" || bound == "":
		return false
	case number[0] != '-' && (bound == "0" || bound[0] == '-'):
		return false
	case number[0] == '-' && bound[0] == '-' && isShorter(number, bound):
		return false
	}
	return Compare(number, bound) < 0
}

// Above reports whether a decimal that IsDecimal has accepted is greater than a bound. Without a number or a bound it is
// not.
func Above(number, bound string) bool {
	switch {
	case number == "" || bound == "":
		return false
	case bound[0] != '-' && (number[0] == '-' || isShorter(number, bound)):
		return false
	}
	return Compare(number, bound) > 0
}

// Compare orders two decimals that IsDecimal has accepted.
func Compare(a, b string) int {
	x, okX := new(big.Rat).SetString(a)
	y, okY := new(big.Rat).SetString(b)
	if !okX || !okY {
		return 0
	}
	return x.Cmp(y)
}

// isShorter reports whether one decimal has fewer digits before its point than another, and so is closer to zero. It is
// the cheap half of a comparison: false does not mean the opposite.
func isShorter(a, b string) bool {
	x, y := wholeDigits(a), wholeDigits(b)
	return x >= 0 && x < y
}

// wholeDigits returns how many digits a decimal has before its point, without leading zeros; -1 if it has an exponent.
func wholeDigits(decimal string) (digits int) {
	whole := true
	for _, c := range []byte(decimal) {
		switch {
		case c == 'e' || c == 'E':
			return -1
		case c == '.':
			whole = false
		case whole && c >= '0' && c <= '9' && (digits > 0 || c != '0'):
			digits++
		}
	}
	return digits
}

// zeroTimes are the times that programs send for one that they do not know: the zero time of .NET and Go, and the
// beginning of Unix time.
var zeroTimes = []time.Time{{}, time.Unix(0, 0).UTC()}

// ZeroTime reports whether the text of a date or a time stands for one that is not known: for one of the zero times in any
// zone, or for the day or the midnight of one as the calendar of any zone shows it. canonical is what Read made of the
// text; it may be empty, because the zero time of one zone is in the year 0 of another. shown is the one of both that
// shows why.
func (t Type) ZeroTime(text, canonical string) (shown string, zero bool) {
	switch {
	case t != Date && t != Datetime, !mayBeZero(text) && !mayBeZero(canonical):
		return "", false
	case isZeroTime(canonical):
		return canonical, true
	}
	return text, isZeroTime(text)
}

// mayBeZero is the cheap half of isZeroTime: it looks at the years in which a zero time begins somewhere.
func mayBeZero(text string) bool {
	if len(text) < len(time.DateOnly) {
		return false
	}
	switch text[:4] {
	case "0000", "0001", "1969", "1970":
		return true
	}
	return false
}

func isZeroTime(text string) bool {
	if day, err := time.Parse(time.DateOnly, text); err == nil {
		return slices.ContainsFunc(zeroTimes, day.Equal)
	}
	if !timestampPattern.MatchString(text) {
		return false
	}
	at, err := time.Parse(time.RFC3339Nano, strings.ToUpper(text))
	if err != nil {
		return false
	}
	_, offset := at.Zone()
	clock := at.Add(time.Duration(offset) * time.Second) // what the clock of the zone shows, as if it were in UTC
	return slices.ContainsFunc(zeroTimes, at.Equal) || slices.ContainsFunc(zeroTimes, clock.Equal)
}
