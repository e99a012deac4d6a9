package upload

import (
	"encoding/json"
	"slices"
)

// Warned is a warning that stored records of a file got. Nothing of it is refused.
type Warned struct {
	Code    string `json:"code"`
	Field   string `json:"field,omitempty"`
	Records int64  `json:"records"`
	First   int64  `json:"first"` // the number of the first such record
}

// warned adds the warnings of a batch to those of the records before it, in the order in which they first came.
func (w *work) warned(batch []*parcel, done []bool) ([]byte, error) {
	sums := []Warned{}
	if err := json.Unmarshal(w.row.Warned, &sums); err != nil {
		return nil, err
	}
	for i, p := range batch {
		if !done[i] || p.refusal != nil {
			continue
		}
		for _, warning := range p.outcome.Warnings {
			at := slices.IndexFunc(sums, func(one Warned) bool { return one.Code == warning.Code && one.Field == warning.Field })
			if at < 0 {
				at, sums = len(sums), append(sums, Warned{Code: warning.Code, Field: warning.Field, First: p.record.Number})
			}
			sums[at].Records++
			sums[at].First = min(sums[at].First, p.record.Number)
		}
	}
	return json.Marshal(sums)
}
