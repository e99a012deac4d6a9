package faults_test

import (
	"encoding/json"
	"fmt"
	"net/url"

	"github.com/shopspring/decimal"
)

// query asks for the record's number.
func (r *record) query() string {
	return url.Values{"filters": {fmt.Sprintf(`{"external_id":%q}`, r.id)}, "select_fields": {"external_id," + r.kind.column}}.Encode()
}

// parse returns the number in the answer of query; 0 means that the record is not there.
func (r *record) parse(text string) int64 {
	var page struct {
		Items []struct{ Values map[string]any }
	}
	if json.Unmarshal([]byte(text), &page) != nil || len(page.Items) != 1 {
		return 0
	}
	number, err := decimal.NewFromString(fmt.Sprint(page.Items[0].Values[r.kind.column]))
	if err != nil {
		return 0
	}
	return number.IntPart()
}
