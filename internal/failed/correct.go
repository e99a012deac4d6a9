package failed

import (
	"slices"
	"strings"

	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/fault"
	"github.com/quayside/quayside/internal/mend"
)

// mostNamed is how many fields a refusal lists.
const mostNamed = 10

// mayCorrect refuses a correction of more than the failure is about, unless the caller may edit records. Tokens and agents may
// not, so they change only fields that the errors name. Otherwise an agent could redirect orders: a supplier's record
// fails for its language, and its correction brings another mail address along.
func mayCorrect(by auth.Principal, sent, corrected []byte, errors []fault.Field) error {
	if by.Require(auth.EditRecords) == nil {
		return nil
	}
	others, err := changedBeside(sent, corrected, errors)
	if err != nil || len(others) == 0 {
		return err
	}
	for i, name := range others {
		others[i] = fault.Shorten(name)
	}
	listed := strings.Join(others[:min(len(others), mostNamed)], ", ")
	if len(others) > mostNamed {
		listed += " and others"
	}
	return fault.New(fault.Forbidden, "not_named",
		"only fields that the errors name may be corrected, and all others must stay as they were sent; "+
			"a person who may edit records can change %s", listed)
}

// changedBeside returns the fields in which two payloads differ, apart from those that errors name, by name.
func changedBeside(sent, corrected []byte, errors []fault.Field) (others []string, err error) {
	before, err := mend.Members(sent)
	if err != nil {
		return nil, err
	}
	after, err := mend.Members(corrected)
	if err != nil {
		return nil, err
	}
	for _, pair := range [][2][]mend.Member{{before, after}, {after, before}} {
		for _, member := range pair[0] {
			named := slices.ContainsFunc(errors, func(e fault.Field) bool { return e.Field == member.Name })
			if at := mend.Find(pair[1], member.Name); named || at >= 0 && mend.Equal(pair[1][at].Value, member.Value) {
				continue
			}
			others = append(others, member.Name)
		}
	}
	slices.Sort(others)
	return slices.Compact(others), nil
}
