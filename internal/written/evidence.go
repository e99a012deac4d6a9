package written

// Kind is what texts are read as.
type Kind string

// The kinds.
const (
	AsNumber Kind = "number"
	AsDay    Kind = "date"
)

// Rivals are the two forms of each kind that may read one text in different ways. A year in front is
// read in one way only.
var Rivals = map[Kind][2]Form{
	AsNumber: {PointDecimal, CommaDecimal},
	AsDay:    {DayFirst, MonthFirst},
}

// Read reads a text in the form, one of the kind's rivals. Days may have the year in front in any form.
func (k Kind) Read(form Form, text string) (read string, ok bool) {
	if k == AsNumber {
		return form.Number(text)
	}
	if read, ok = form.Day(text); ok {
		return read, true
	}
	return YearFirst.Day(text)
}

// Evidence is what the texts of a column say about the form that they are written in.
type Evidence struct {
	Alike  Seen    `json:"alike,omitzero"`  // read in the same way in both forms: 12, 2026-12-31
	Either Seen    `json:"either,omitzero"` // read in both forms, with another meaning: 1.240, 03/04/2026
	Only   [2]Seen `json:"only,omitzero"`   // read in one of the forms: 1.240,50, 31/12/2026
	Not    Seen    `json:"not,omitzero"`    // read in neither
}

// Seen is how many texts there were, and the first of them.
type Seen struct {
	Count int64  `json:"count,omitempty"`
	Text  string `json:"text,omitempty"`
	Line  int    `json:"line,omitempty"`
}

// longestText is how long a text may be that is read as a number or a day, and that is kept. No number
// that is stored has more digits.
const longestText = 60

func (s *Seen) add(text string, line int) {
	if s.Count++; s.Count == 1 {
		if len(text) > longestText {
			text = "" // not an example
		}
		s.Text, s.Line = text, line
	}
}

// Add weighs one text.
func (e *Evidence) Add(kind Kind, text string, line int) {
	if len(text) > longestText || !plausible(text) {
		e.Not.add(text, line)
		return
	}
	rivals := Rivals[kind]
	one, first := kind.Read(rivals[0], text)
	other, second := kind.Read(rivals[1], text)
	switch {
	case first && second && one == other:
		e.Alike.add(text, line)
	case first && second:
		e.Either.add(text, line)
	case first:
		e.Only[0].add(text, line)
	case second:
		e.Only[1].add(text, line)
	default:
		e.Not.add(text, line)
	}
}

// plausible quickly rules out most texts that are neither numbers nor days: they contain a letter
// other than the T before a time.
func plausible(text string) bool {
	for _, b := range []byte(text) {
		if b >= 'A' && b <= 'Z' && b != 'T' || b >= 'a' && b <= 'z' {
			return false
		}
	}
	return true
}

// Verdict says whether the form of a column is known.
type Verdict string

// The verdicts.
const (
	Same          Verdict = "same"          // no text depends on the form
	Settled       Verdict = "settled"       // some text can be read in one form only
	Ambiguous     Verdict = "ambiguous"     // the texts can be read in two ways
	Contradictory Verdict = "contradictory" // some texts can be read in one form only, others only in the other
)

// Verdict judges the texts as a kind. The form is the one to read them in; it is empty if a person must
// say it.
func (e Evidence) Verdict(kind Kind) (Verdict, Form) {
	rivals := Rivals[kind]
	switch first, second := e.Only[0].Count > 0, e.Only[1].Count > 0; {
	case first && second:
		return Contradictory, ""
	case first:
		return Settled, rivals[0]
	case second:
		return Settled, rivals[1]
	case e.Either.Count > 0:
		return Ambiguous, ""
	}
	return Same, rivals[0]
}
