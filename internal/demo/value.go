package demo

import (
	"bytes"
	"embed"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"time"
)

//go:embed data/*.txt
var files embed.FS

// number parses a number of an embedded list.
func number(text string) int {
	n, err := strconv.Atoi(text)
	if err != nil {
		panic(err)
	}
	return n
}

// dice returns a random generator with its own seed for each purpose, so that a change of one
// part leaves the others unchanged.
func dice(purpose string) *rand.Rand {
	hash := fnv.New64a()
	_, _ = hash.Write([]byte(purpose))
	return rand.New(rand.NewPCG(2026, hash.Sum64())) //nolint:gosec // it must be the same every time
}

// pick draws an index by weight.
func pick(chance *rand.Rand, weights []float64) int {
	left := chance.Float64() * sum(weights)
	for i, weight := range weights {
		if left -= weight; left < 0 {
			return i
		}
	}
	return len(weights) - 1
}

func sum(weights []float64) (all float64) {
	for _, weight := range weights {
		all += weight
	}
	return all
}

// workday returns the day that was ago days before today, or the Friday before it.
func workday(today time.Time, ago int) time.Time {
	day := today.AddDate(0, 0, -ago)
	for day.Weekday() == time.Saturday || day.Weekday() == time.Sunday {
		day = day.AddDate(0, 0, -1)
	}
	return day
}

// money is an amount in hundredths of its currency.
type money int64

// MarshalJSON writes a number with two decimals.
func (m money) MarshalJSON() ([]byte, error) {
	return fmt.Appendf(nil, "%d.%02d", m/100, m%100), nil
}

// price parses an amount of an embedded list.
func price(text string) money {
	whole, part, _ := strings.Cut(text, ".")
	return money(number(whole)*100 + number(part))
}

// percent returns a share of an amount, rounded.
func (m money) percent(p int) money { return (m*money(p) + 50) / 100 }

// poundsPerHundred is the price of a hundred euros in pounds. The demo uses these two
// currencies.
const poundsPerHundred = 86

// in converts an amount from euros.
func (m money) in(currency string) money {
	if currency == "GBP" {
		return m.percent(poundsPerHundred)
	}
	return m
}

// euros converts an amount to euros.
func (m money) euros(currency string) money {
	if currency == "GBP" {
		return (m*100 + poundsPerHundred/2) / poundsPerHundred
	}
	return m
}

// fields are a record: names and values alternate, in the order in which they are sent. Values
// that are nil or an empty text are not sent.
type fields []any

// body returns the record as JSON.
func (f fields) body() []byte {
	var out bytes.Buffer
	out.WriteByte('{')
	for pair := range slices.Chunk(f, 2) {
		if pair[1] == nil || pair[1] == "" {
			continue
		}
		if out.Len() > 1 {
			out.WriteString(", ")
		}
		fmt.Fprintf(&out, "%q: %s", pair[0], encoded(pair[1]))
	}
	out.WriteByte('}')
	return out.Bytes()
}

// set changes the value of an existing field.
func (f fields) set(name string, value any) {
	for pair := range slices.Chunk(f, 2) {
		if pair[0] == name {
			pair[1] = value
		}
	}
}

// encoded returns a value as JSON.
func encoded(value any) []byte {
	if at, ok := value.(time.Time); ok {
		value = at.Format(time.RFC3339Nano)
	}
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		panic(err) // values are texts, numbers and times
	}
	return bytes.TrimSpace(out.Bytes())
}

// accepted returns records that must be stored.
func accepted(all []fields) []record {
	records := make([]record, 0, len(all))
	for _, one := range all {
		records = append(records, record{body: one.body()})
	}
	return records
}
