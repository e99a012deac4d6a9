package playbook

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/shopspring/decimal"

	"github.com/quayside/quayside/internal/fault"
)

// Values are values of config keys, as JSON.
type Values map[string]jsontext.Value

// Longest forms of a number: more is a mistake, and digits beyond these have no meaning here.
const (
	longestNumber = 24
	mostDecimals  = 8
)

// set stores a value in the config, or says what is wrong with it.
func (k Key) set(c *Config, value jsontext.Value) error {
	at := k.field(c)
	if flag, ok := at.(*bool); ok {
		if kind := value.Kind(); kind != jsontext.KindTrue && kind != jsontext.KindFalse {
			return fault.InField(k.Name, "boolean", "%s must be true or false", k.Name)
		}
		*flag = value.Kind() == jsontext.KindTrue
		return nil
	}
	if amount, ok := at.(**decimal.Decimal); ok && value.Kind() == jsontext.KindNull {
		*amount = nil
		return nil
	}
	number, err := k.number(value)
	if err != nil {
		return err
	}
	switch at := at.(type) {
	case *int:
		*at = int(number.IntPart())
	case *float64:
		*at = number.InexactFloat64()
	case *decimal.Decimal:
		*at = number
	case **decimal.Decimal:
		*at = &number
	}
	return nil
}

// number reads a number within the key's bounds.
func (k Key) number(value jsontext.Value) (decimal.Decimal, error) {
	if value.Kind() != jsontext.KindNumber {
		return decimal.Zero, fault.InField(k.Name, "number", "%s must be a number", k.Name)
	}
	least, most := k.bounds()
	outside := fault.InField(k.Name, "range", "%s must be between %s and %s", k.Name, least, most)
	if len(value) > longestNumber || strings.ContainsAny(string(value), "eE") {
		return decimal.Zero, outside
	}
	number, err := decimal.NewFromString(string(value))
	switch {
	case err != nil, number.LessThan(least), number.GreaterThan(most):
		return decimal.Zero, outside
	case k.Type == Integer && !number.IsInteger():
		return decimal.Zero, fault.InField(k.Name, "integer", "%s must be a whole number", k.Name)
	case -number.Exponent() > mostDecimals:
		return decimal.Zero, fault.InField(k.Name, "decimals", "%s has at most %d decimals", k.Name, mostDecimals)
	}
	return number, nil
}

// value returns the config's value as JSON. Equal values have equal texts.
func (k Key) value(c Config) jsontext.Value {
	switch at := k.field(&c).(type) {
	case *bool:
		return text(strconv.FormatBool(*at))
	case *int:
		return text(strconv.Itoa(*at))
	case *float64:
		return text(strconv.FormatFloat(*at, 'f', -1, 64))
	case *decimal.Decimal:
		return text(at.String())
	case **decimal.Decimal:
		if *at != nil {
			return text((*at).String())
		}
	}
	return text("null")
}

// Values returns every value of the config.
func (c Config) Values() Values {
	values := Values{}
	for _, key := range keys {
		values[key.Name] = key.value(c)
	}
	return values
}

// changed returns the values that are not the defaults.
func (c Config) changed() Values {
	values := c.Values()
	for _, key := range keys {
		if string(values[key.Name]) == string(key.Default) {
			delete(values, key.Name)
		}
	}
	return values
}

// with returns the config with some values replaced. null sets a key's default.
func (c Config) with(values Values) (Config, error) {
	for _, name := range slices.Sorted(maps.Keys(values)) {
		key, known := keyNamed(name)
		if !known {
			return c, fault.InField(fault.Shorten(name), "unknown_key", "there is no config key %q", fault.Shorten(name))
		}
		value := values[name]
		if value.Kind() == jsontext.KindNull {
			value = key.Default
		}
		if err := key.set(&c, value); err != nil {
			return c, err
		}
	}
	return c, nil
}

// checkParameters refuses values that a strategy may not have, and returns them in their usual form.
func checkParameters(values Values) (Values, error) {
	checked := Values{}
	for _, name := range slices.Sorted(maps.Keys(values)) {
		key, known := keyNamed(name)
		if !known || !key.Planning {
			return nil, fault.InField(fault.Shorten(name), "unknown_key",
				"a strategy cannot set %q; it can set %s", fault.Shorten(name), strings.Join(planningKeys(), ", "))
		}
		var c Config
		if err := key.set(&c, values[name]); err != nil {
			return nil, err
		}
		checked[name] = key.value(c)
	}
	return checked, nil
}

// planningKeys returns the names of the keys that a strategy may set.
func planningKeys() (names []string) {
	for _, key := range keys {
		if key.Planning {
			names = append(names, key.Name)
		}
	}
	return names
}
