package procure

import (
	"strconv"
	"strings"
	"time"
)

// Story says in one sentence what was suggested, what was decided, and what happened. who is the name of
// whoever decided; empty: it is not said.
func (c Case) Story(who string) string {
	text := "Suggested " + showQuantity(c.Suggested) + " on " + c.FirstOn.Format("2 January 2006") + ", " + c.decided(who)
	if happened := c.happened(); len(happened) > 0 {
		text += "; " + strings.Join(happened, "; ")
	}
	return text + "."
}

// decided says what was decided.
func (c Case) decided(who string) string {
	var what string
	switch c.Decision {
	case AsSuggested, OrderedLess, OrderedMore:
		what = "ordered"
		if c.Ordered != nil {
			what += " " + showQuantity(*c.Ordered)
		}
	case TurnedDown:
		what = "turned down"
	case PutOff:
		what = "put off"
	case TakenBack:
		return "drafted and taken back, and suggested anew"
	case Undecided:
		return "not decided"
	}
	if c.DecidedOn != nil {
		what += " on " + c.day(*c.DecidedOn)
	}
	if who != "" {
		what += " by " + who
	}
	return what
}

// happened says what happened, in clauses.
func (c Case) happened() (clauses []string) {
	switch {
	case c.Decision == TakenBack:
		return nil
	case c.Known == nil:
		return []string{"no day has passed yet"}
	case !*c.Known:
		return []string{"the stock is not known"}
	}
	if c.PreventedOn != nil {
		clauses = append(clauses, "without it the stock would have been used up on "+c.day(*c.PreventedOn))
	}
	if c.EmptyFrom != nil {
		clauses = append(clauses, "empty for "+showCount(c.Empty.Sum(), "day")+" from "+c.day(*c.EmptyFrom)+c.causes())
	}
	if len(clauses) == 0 {
		lasted := "the stock lasted"
		if c.JudgedOn.Before(c.Until) {
			lasted = "the stock has lasted so far"
		}
		clauses = append(clauses, lasted)
	}
	if c.Overbuy != nil && below(0, *c.Overbuy) {
		left := showQuantity(*c.Overbuy) + " more than needed were left on " + c.day(c.Until)
		if c.Beyond != nil && below(0, *c.Beyond) {
			left += ", " + showQuantity(*c.Beyond) + " of them ordered beyond the suggestion"
		}
		clauses = append(clauses, left)
	}
	return clauses
}

// causes says why the days were empty.
func (c Case) causes() string {
	all := []struct {
		days int
		why  string
	}{
		{c.Empty.TooLate, "before an order could have come"},
		{c.Empty.Waiting, "because it was not ordered in time"},
		{c.Empty.Supplier, "because it came late"},
		{c.Empty.TooFew, "after it was used up"},
	}
	var said []string
	for _, one := range all {
		switch {
		case one.days == c.Empty.Sum():
			return ", " + one.why
		case one.days > 0:
			said = append(said, strconv.Itoa(one.days)+" "+one.why)
		}
	}
	return " (" + strings.Join(said, ", ") + ")"
}

// day formats a day, with its year if that is not the year of the suggestion.
func (c Case) day(day time.Time) string {
	if day.Year() != c.FirstOn.Year() {
		return day.Format("2 January 2006")
	}
	return day.Format("2 January")
}
