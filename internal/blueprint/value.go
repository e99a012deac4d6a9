package blueprint

import "strings"

// value is the source of a column's value, as an expression in the language of each platform.
// There are few kinds, because each must mean the same on every platform. The tests evaluate
// the expressions.
type value interface {
	inMake() string // without the braces
	inN8N() string
}

// path is a field of the message, or of the element if each is set. Keys are separated by dots;
// all but the first may be missing.
type path struct {
	keys string
	each bool
}

func (p path) inMake() string {
	module := "1."
	if p.each {
		module = "2."
	}
	return module + p.keys
}

func (p path) inN8N() string {
	root := "$json.body."
	if p.each {
		root = "$json." + n8nElement + "."
	}
	return root + strings.ReplaceAll(p.keys, ".", "?.")
}

// optional is a field that is not sent if the message lacks it, because an empty value would
// clear the stored one. n8n drops it when it writes the body.
type optional struct{ path }

func (v optional) inMake() string { return "ifempty(" + v.path.inMake() + "; ignore)" }

// either is the first of two fields that is not empty.
type either struct{ first, second path }

func (v either) inMake() string {
	return "ifempty(" + v.first.inMake() + "; " + v.second.inMake() + ")"
}
func (v either) inN8N() string { return v.first.inN8N() + " || " + v.second.inN8N() }

// globalID is Shopify's global id of a resource, made from its number.
type globalID struct {
	kind   string
	number path
}

func (v globalID) inMake() string {
	// In Make, + does not join texts, so the expression uses replace.
	return `if(` + v.number.inMake() + `; replace("gid://shopify/` + v.kind + `/#"; "#"; toString(` + v.number.inMake() + `)); null)`
}

func (v globalID) inN8N() string {
	return v.number.inN8N() + ` ? 'gid://shopify/` + v.kind + `/' + ` + v.number.inN8N() + ` : null`
}

// words joins two texts, either of which may be missing.
type words struct{ first, second path }

func (v words) inMake() string {
	return "ifempty(trim(join(add(emptyarray; " + v.first.inMake() + "; " + v.second.inMake() + "); space)); null)"
}

func (v words) inN8N() string {
	return "[" + v.first.inN8N() + ", " + v.second.inN8N() + "].filter(Boolean).join(' ') || null"
}

// equals is true if a field has this text.
type equals struct {
	field path
	text  string
}

func (v equals) inMake() string {
	return `if(` + v.field.inMake() + ` = "` + v.text + `"; true; false)`
}
func (v equals) inN8N() string { return v.field.inN8N() + ` === '` + v.text + `'` }

// oneOf passes known texts on and replaces all others by otherwise. The endpoint would refuse
// an unknown text.
type oneOf struct {
	field     path
	known     []string
	otherwise string
}

func (v oneOf) inMake() string {
	var cases strings.Builder
	for _, text := range v.known {
		cases.WriteString(`"` + text + `"; "` + text + `"; `)
	}
	return `switch(` + v.field.inMake() + `; ` + cases.String() + `"` + v.otherwise + `")`
}

func (v oneOf) inN8N() string {
	return `['` + strings.Join(v.known,
		`', '`) + `'].includes(` + v.field.inN8N() + `) ? ` + v.field.inN8N() + ` : '` + v.otherwise + `'`
}

// stage is the text of the first mark whose field is not empty, or otherwise.
type stage struct {
	marks     []mark
	otherwise string
}

type mark struct {
	field path
	text  string
}

func (v stage) inMake() string {
	var cases strings.Builder
	for _, m := range v.marks {
		cases.WriteString(`if(` + m.field.inMake() + `; "` + m.text + `"; `)
	}
	return cases.String() + `"` + v.otherwise + `"` + strings.Repeat(")", len(v.marks))
}

func (v stage) inN8N() string {
	var cases strings.Builder
	for _, m := range v.marks {
		cases.WriteString(m.field.inN8N() + ` ? '` + m.text + `' : `)
	}
	return cases.String() + `'` + v.otherwise + `'`
}
