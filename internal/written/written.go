// Package written reads numbers and days as people and other systems write them: "1.240,50",
// "31/12/2026". What a text means depends on who wrote it: 1.240 is one thousand or one, and 03/04 a
// day in March or April. So whoever calls says which form is meant. Nothing is guessed, and a text
// that does not fit the form is not read.
package written

import (
	"regexp"
	"strings"
	"time"
	"unicode/utf8"
)

// Form is a way to write numbers or days.
type Form string

// The forms. Thousands may also be parted by spaces or apostrophes, or not at all, and the parts of a
// day by points, slashes, hyphens or spaces. Nobody parts thousands after a zero: 0.125 is below one.
const (
	PointDecimal Form = "decimal_point" // 1,234.56
	CommaDecimal Form = "decimal_comma" // 1.234,56

	DayFirst   Form = "day_first"   // 31.12.2026
	MonthFirst Form = "month_first" // 12/31/2026
	YearFirst  Form = "year_first"  // 2026/12/31, or 20261231
)

// Numbers and Days are the forms of each kind.
var (
	Numbers = []Form{PointDecimal, CommaDecimal}
	Days    = []Form{DayFirst, MonthFirst, YearFirst}
)

// likeSpaces are characters that part thousands, and look like the one on a keyboard.
var likeSpaces = strings.NewReplacer("\u00a0", " ", "\u202f", " ", "\u2009", " ", "\u2019", "'", "\u2212", "-")

// plain returns a text without the space around it, in the characters of a keyboard.
func plain(text string) string {
	text = strings.TrimSpace(text)
	for i := range len(text) {
		if text[i] >= utf8.RuneSelf {
			return likeSpaces.Replace(text)
		}
	}
	return text
}

// Number returns the number that a text is in a form, as [-]digits[.digits].
func (f Form) Number(text string) (number string, ok bool) {
	point, comma := ".", ","
	if f == CommaDecimal {
		point, comma = comma, point
	} else if f != PointDecimal {
		return "", false
	}
	text, sign := plain(text), ""
	switch {
	case strings.HasPrefix(text, "-"):
		text, sign = text[1:], "-"
	case strings.HasPrefix(text, "+"):
		text = text[1:]
	}
	whole, fraction, hasFraction := strings.Cut(text, point)
	if hasFraction && !isDigits(fraction) {
		return "", false
	}
	if whole, ok = ungrouped(whole, comma+" '"); !ok {
		return "", false
	}
	number = strings.TrimLeft(whole, "0")
	if number == "" {
		number = "0"
	}
	if hasFraction {
		number += "." + fraction
	}
	return sign + number, true
}

// ungrouped returns the digits of a whole number whose thousands one of the marks may part.
func ungrouped(whole, marks string) (digits string, ok bool) {
	at := strings.IndexAny(whole, marks)
	if at < 0 {
		return whole, isDigits(whole)
	}
	groups := strings.Split(whole, whole[at:at+1])
	for i, group := range groups {
		first := i == 0 && len(group) <= 3 && !strings.HasPrefix(group, "0")
		if !isDigits(group) || len(group) != 3 && !first {
			return "", false
		}
	}
	return strings.Join(groups, ""), !strings.HasPrefix(whole, "0")
}

func isDigits(text string) bool {
	for i := range len(text) {
		if text[i] < '0' || text[i] > '9' {
			return false
		}
	}
	return text != ""
}

// days has the parts of a day in the order of each form, then a time of the day.
var days = map[Form]*regexp.Regexp{
	DayFirst:   regexp.MustCompile(`^(?P<d>\d{1,2})([./ -])(?P<m>\d{1,2})([./ -])(?P<y>\d{4})` + clock),
	MonthFirst: regexp.MustCompile(`^(?P<m>\d{1,2})([./ -])(?P<d>\d{1,2})([./ -])(?P<y>\d{4})` + clock),
	YearFirst:  regexp.MustCompile(`^(?P<y>\d{4})([./ -]?)(?P<m>\d{2}|\d)([./ -]?)(?P<d>\d{2}|\d)` + clock),
}

const clock = `(?:,?[T ]\s*(?P<time>\d{1,2}:\d{2}(?::\d{2})?))?$`

// Day returns the day that a text is in a form, as 2026-12-31, and its time if it has one, as
// 2026-12-31T09:30:00. Years have four digits.
func (f Form) Day(text string) (day string, ok bool) {
	pattern, text := days[f], plain(text)
	if pattern == nil || !parted(text) {
		return "", false
	}
	parts := pattern.FindStringSubmatch(text)
	if parts == nil || parts[2] != parts[4] { // one separator
		return "", false
	}
	part := func(name string) string { return parts[pattern.SubexpIndex(name)] }
	if parts[2] == "" && len(part("m")+part("d")) != 4 { // 2026111 has no parts
		return "", false
	}
	layout, wanted := "2006-1-2", part("y")+"-"+part("m")+"-"+part("d")
	result := time.DateOnly
	if at := part("time"); at != "" {
		layout, wanted, result = layout+"T15:04:05", wanted+"T"+at, "2006-01-02T15:04:05"
		if strings.Count(at, ":") == 1 {
			wanted += ":00"
		}
	}
	read, err := time.Parse(layout, wanted)
	return read.Format(result), err == nil && read.Year() > 0
}

// parted quickly rules out most texts that are not days: they have no two equal separators.
func parted(text string) bool {
	const compact = len("20261231")
	at := strings.IndexAny(text, "./ -")
	if at < 0 || at == compact {
		return len(text) >= compact && isDigits(text[:compact])
	}
	return isDigits(text[:at]) && strings.Count(text, text[at:at+1]) > 1
}
