package registry

import (
	"encoding/json"
	"errors"
	"math/rand/v2"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/quayside/quayside/internal/fault"
	"github.com/quayside/quayside/internal/pg/pgtest"
)

func text(value string) *string { return &value }

func TestSlugOf(t *testing.T) {
	t.Parallel()
	for words, want := range map[string]string{
		"Decisions": "decisions", "  Quality Checks (2026) ": "quality_checks_2026", "Größe & Gewicht": "grosse_gewicht",
		"Éléments à prévoir": "elements_a_prevoir", "2nd choice": "nd_choice", "決定": "", "a__b": "a_b",
		"'; DROP TABLE x; --": "drop_table_x", strings.Repeat("ab ", 30): strings.TrimRight(strings.Repeat("ab_", 16), "_"),
	} {
		require.Equal(t, want, SlugOf(words, longestSlug), words)
	}
}

// TestCheckDefinition checks each rule with a definition that breaks only it.
func TestCheckDefinition(t *testing.T) {
	t.Parallel()
	column := func(c ColumnDefinition) Definition {
		if c.Name == "" {
			c.Name = "weight"
		}
		return Definition{Title: "Decisions", Columns: []ColumnDefinition{c}}
	}
	for name, tt := range map[string]struct {
		definition  Definition
		field, code string
	}{
		"no name":               {Definition{Slug: "decisions"}, "name", "required"},
		"a name of white space": {Definition{Title: " \t", Slug: "decisions"}, "name", "required"},
		"a long name":           {Definition{Title: strings.Repeat("ä", 101), Slug: "decisions"}, "name", "too_long"},
		"a name of two lines":   {Definition{Title: "a\nb"}, "name", "text"},
		"a name with a NUL":     {Definition{Title: "a\x00b"}, "name", "text"},
		"a name turned around":  {Definition{Title: "a\u202eb"}, "name", "text"},
		"a name of bytes":       {Definition{Title: "a\xff"}, "name", "text"},
		"no slug to be made":    {Definition{Title: "決定"}, "slug", "slug"},
		"a hostile slug":        {Definition{Title: "x", Slug: `x"; DROP TABLE`}, "slug", "slug"},
		"a long slug":           {Definition{Title: "x", Slug: strings.Repeat("x", 49)}, "slug", "slug"},
		"an upper-case slug":    {Definition{Title: "x", Slug: "Decisions"}, "slug", "slug"},
		"a playbook's slug":     {Definition{Title: "SOPs"}, "slug", "slug_taken"},
		"a computed view's":     {Definition{Title: "Weekly sales"}, "slug", "slug_taken"},
		"a long description":    {Definition{Title: "x", Description: strings.Repeat("x", 2001)}, "description", "too_long"},
		"a column twice": {Definition{Title: "x", Columns: []ColumnDefinition{{Name: "a", Type: Text}, {Name: "a", Type: Text}}},
			"columns/1/name", "twice"},

		"no column name":         {Definition{Title: "x", Columns: []ColumnDefinition{{Type: Text}}}, "columns/0/name", "name"},
		"a column with words":    {column(ColumnDefinition{Name: "Decided on", Type: Date}), "columns/0/name", "name"},
		"a hostile column":       {column(ColumnDefinition{Name: "a'--", Type: Text}), "columns/0/name", "name"},
		"a long column":          {column(ColumnDefinition{Name: strings.Repeat("a", 64), Type: Text}), "columns/0/name", "name"},
		"a member's slug":        {Definition{Title: "Constructor"}, "slug", "slug"},
		"a member's name":        {column(ColumnDefinition{Name: "constructor", Type: Text}), "columns/0/name", "name"},
		"a system column":        {column(ColumnDefinition{Name: "tenant_id", Type: UUID}), "columns/0/name", "name_taken"},
		"no type":                {column(ColumnDefinition{}), "columns/0/type", "type"},
		"an unknown type":        {column(ColumnDefinition{Type: "jsonb"}), "columns/0/type", "type"},
		"a key of a number":      {column(ColumnDefinition{Name: "external_id", Type: Number}), "columns/0/name", "identity"},
		"a key with choices":     {column(ColumnDefinition{Name: "external_id", Type: Text, Choices: []string{"a"}}), "columns/0/name", "identity"},
		"a reference of numbers": {column(ColumnDefinition{Type: Number, References: "suppliers"}), "columns/0/type", "reference"},
		"a reference of choices": {column(ColumnDefinition{Type: Text, References: "suppliers", Choices: []string{"a"}}), "columns/0/references", "reference"},
		"required by default":    {column(ColumnDefinition{Type: Text, Required: true, Default: text("a")}), "columns/0/default", "default"},
		"required of people":     {column(ColumnDefinition{Type: Text, Required: true, PeopleOnly: true}), "columns/0/required", "required"},
		"an unknown format":      {column(ColumnDefinition{Type: Text, Format: "email"}), "columns/0/format", "format"},
		"a length of a number":   {column(ColumnDefinition{Type: Number, MaxLength: 3}), "columns/0/max_length", "max_length"},
		"a negative length":      {column(ColumnDefinition{Type: Text, MaxLength: -1}), "columns/0/max_length", "max_length"},
		"choices of numbers":     {column(ColumnDefinition{Type: Number, Choices: []string{"1"}}), "columns/0/choices", "choices"},
		"an empty choice":        {column(ColumnDefinition{Type: Text, Choices: []string{"a", ""}}), "columns/0/choices/1", "required"},
		"a padded choice":        {column(ColumnDefinition{Type: Text, Choices: []string{" a"}}), "columns/0/choices/0", "choices"},
		"a choice twice":         {column(ColumnDefinition{Type: Text, Choices: []string{"a", "a"}}), "columns/0/choices/1", "choices"},
		"a choice with a NUL":    {column(ColumnDefinition{Type: Text, Choices: []string{"a\x00"}}), "columns/0/choices/0", "text"},
		"many choices":           {column(ColumnDefinition{Type: Text, Choices: strings.Split(strings.Repeat("a,", 300), ",")}), "columns/0/choices", "choices"},
		"a bound of a text":      {column(ColumnDefinition{Type: Text, Minimum: "1"}), "columns/0/minimum", "bounds"},
		"a bound of words":       {column(ColumnDefinition{Type: Number, Maximum: "NaN"}), "columns/0/maximum", "bounds"},
		"an endless bound":       {column(ColumnDefinition{Type: Number, Maximum: "Infinity"}), "columns/0/maximum", "bounds"},
		"a huge bound":           {column(ColumnDefinition{Type: Number, Maximum: "1e400"}), "columns/0/maximum", "bounds"},
		"bounds crossed":         {column(ColumnDefinition{Type: Number, Minimum: "2", Maximum: "1.9"}), "columns/0/minimum", "bounds"},
		"a minimum beyond":       {column(ColumnDefinition{Type: Number, Minimum: "2e12"}), "columns/0/maximum", "bounds"},
		"a maximum beyond":       {column(ColumnDefinition{Type: Number, Maximum: "-2e12"}), "columns/0/minimum", "bounds"},
		"a default beyond":       {column(ColumnDefinition{Type: Number, Default: text("1e13")}), "columns/0/default", "value"},
		"an example beyond":      {column(ColumnDefinition{Type: Number, Minimum: "0", Example: text("1000000000001")}), "columns/0/example", "value"},
		"a default of no time":   {column(ColumnDefinition{Type: Datetime, Default: text("0001-01-01T00:00:00Z")}), "columns/0/default", "value"},
		"a default of words":     {column(ColumnDefinition{Type: Number, Default: text("many")}), "columns/0/default", "value"},
		"a default too low":      {column(ColumnDefinition{Type: Number, Minimum: "1", Default: text("0.5")}), "columns/0/default", "value"},
		"a default too high":     {column(ColumnDefinition{Type: Number, Maximum: "1", Default: text("1.5")}), "columns/0/default", "value"},
		"another default":        {column(ColumnDefinition{Type: Text, Choices: []string{"a"}, Default: text("b")}), "columns/0/default", "value"},
		"a long default":         {column(ColumnDefinition{Type: Text, MaxLength: 2, Default: text("abc")}), "columns/0/default", "value"},
		"a default of no money":  {column(ColumnDefinition{Type: Text, Format: Currency, Default: text("XXQ")}), "columns/0/default", "value"},
		"a default of no day":    {column(ColumnDefinition{Type: Date, Default: text("2026-02-30")}), "columns/0/default", "value"},
		"a currency of two":      {column(ColumnDefinition{Type: Text, Format: Currency, MaxLength: 2}), "columns/0/max_length", "max_length"},
		"a long key":             {column(ColumnDefinition{Name: "external_id", Type: Text, Example: text(strings.Repeat("ä", 501))}), "columns/0/example", "value"},
		"a long reference":       {column(ColumnDefinition{References: "suppliers", Example: text(strings.Repeat("x", 501))}), "columns/0/example", "value"},
		"an example of no day":   {column(ColumnDefinition{Type: Date, Example: text("soon")}), "columns/0/example", "value"},
	} {
		_, err := tt.definition.check(nil)
		var refusal *fault.Error
		require.True(t, errors.As(err, &refusal), name)
		require.Equal(t, fault.Invalid, refusal.Kind, name)
		require.Len(t, refusal.Fields, 1, "%s: %v", name, refusal.Fields)
		require.Equal(t, tt.field, refusal.Fields[0].Field, name)
		require.Equal(t, tt.code, refusal.Fields[0].Code, name)
	}
	// Everything that is wrong is named, not only the first thing.
	_, err := Definition{Columns: []ColumnDefinition{{Name: "id", Type: Text}, {Name: "b", Type: "x"}}}.check(nil)
	var refusal *fault.Error
	require.True(t, errors.As(err, &refusal))
	require.Len(t, refusal.Fields, 3)

	good, err := Definition{Title: " Decisions ", Columns: []ColumnDefinition{
		{Name: "external_id", Type: Text, Description: "The minute's number."},
		{Name: "supplier", References: "suppliers"},
		{Name: "share", Type: Number, Minimum: "+0", Maximum: "1.50", Default: text(".5"), Example: text("01")},
		{Name: "decided_at", Type: Datetime, Example: text("2026-03-14")},
		{Name: "final", Type: Boolean, Default: text("true"), Choices: []string{}},
		{Name: "currency", Type: Text, Format: Currency, Default: text("EUR")},
	}}.check(nil)
	require.NoError(t, err)
	require.Equal(t, "Decisions", good.Title)
	require.Equal(t, "decisions", good.Slug)
	require.True(t, good.Columns[0].Required)
	require.Equal(t, Text, good.Columns[1].Type)
	require.Equal(t, json.Number("0"), good.Columns[2].Minimum)
	require.Equal(t, "1", string(good.Columns[2].exampleJSON()))
	require.Equal(t, `"2026-03-14T00:00:00Z"`, string(good.Columns[3].exampleJSON()))
	require.Nil(t, good.Columns[4].Choices)

	wide, err := column(ColumnDefinition{Type: Number, Minimum: "-1e20", Maximum: "1e20", Default: text("1e19")}).check(nil)
	require.NoError(t, err)
	require.Equal(t, []json.Number{"-1e20", "1e20"}, []json.Number{wide.Columns[0].Minimum, wide.Columns[0].Maximum})
	plain, err := column(ColumnDefinition{Type: Number}).check(nil)
	require.NoError(t, err)
	require.Empty(t, plain.Columns[0].Maximum, "the usual bounds are not part of a definition")
}

// hostileWords are texts that break whatever takes them for something else than text.
var hostileWords = []string{
	"", " ", "Decisions", "'; DROP TABLE workspace.records; --", `"quoted" 'single' \back`, "a\x00b", "\xff\xfe", "\u202eevil",
	"a\u200bb", "\ufeffbom", "p\u0430ypal", "e\u0301", "<script>alert(1)</script>", "=cmd|'/C calc'!A0", "@SUM(1)", "-1+2",
	"{{constructor.constructor('x')()}}", "${7*7}", "%s%n", "__proto__", "constructor", "select", "null", "NaN", "1e400", "1e308",
	"a,b;c\td", "two\nlines", "\r\nX-Header: 1", "../../etc", "$1", "tenant_id", "external_id", "suppliers", "sops", "EUR", "-0",
	"0.5", "007", "true", "2026-03-14", "2026-02-30", "2026-03-14T09:30:00Z", strings.Repeat("x", 64), strings.Repeat("ä", 501),
	strings.Repeat("9", 40), strings.Repeat("x", 2001),
}

// FuzzCheckDefinition checks that an accepted definition has safe names, that the examples which are shown of it would be
// stored, and that checking it again changes nothing; and that a refusal names fields in words that can be shown.
func FuzzCheckDefinition(f *testing.F) {
	f.Add("Decisions", "", "weight", "number", "1", "2", "1.5", "a", "suppliers", "", 0, byte(0))
	f.Add("x", `a"b`, "tenant_id", "text", "", "", "\x00", "\xff", "", "currency", 2, byte(1))
	f.Add("'; --", "x", "a'b", "date", "NaN", "1e999", "2026-03-14", "", "x y", "", -1, byte(2))
	random := rand.New(rand.NewPCG(1, 2)) // the same seeds in every run
	word := func() string { return hostileWords[random.IntN(len(hostileWords))] }
	mostly := func(usual string) string { // so that most definitions have one thing that is wrong, not ten
		if random.IntN(4) > 0 {
			return usual
		}
		return word()
	}
	for range 400 {
		kind := Types()[random.IntN(len(Types()))]
		f.Add(mostly("Decisions"), mostly(""), mostly("weight"), mostly(string(kind)), mostly(""), mostly(""), mostly(""), mostly(""),
			mostly(""), mostly(""), random.IntN(4)*random.IntN(3), byte(random.IntN(4)))
	}
	f.Fuzz(func(t *testing.T, title, slug, name, kind, minimum, maximum, value, choice, references, format string, length int,
		flags byte) {
		column := ColumnDefinition{Name: name, Type: Type(kind), Minimum: json.Number(minimum), Maximum: json.Number(maximum),
			Description: value, Example: &value, References: references, Format: format, MaxLength: length, Required: flags&1 != 0}
		if flags&2 != 0 {
			column.Default = &value
		}
		if choice != "" {
			column.Choices = []string{choice}
		}
		checked, err := Definition{Title: title, Slug: slug, Description: value, Columns: []ColumnDefinition{column, column}[:1+flags>>2&1]}.
			check(nil)
		if err != nil {
			requireShowable(t, err)
			return
		}
		require.Regexp(t, `^[a-z][a-z0-9_]*$`, checked.Slug)
		require.False(t, Reserved(checked.Slug))
		got := checked.Columns[0]
		require.Regexp(t, `^[a-z][a-z0-9_]*$`, got.Name)
		for _, bound := range []json.Number{got.Minimum, got.Maximum} {
			require.True(t, bound == "" || json.Valid([]byte(bound)), bound)
		}
		table := Table{Slug: checked.Slug, Title: checked.Title, Description: checked.Description, Identity: []string{externalID},
			Columns: []Column{*got.column()}}
		_, err = json.Marshal([]any{table.JSONSchema("https://quay.example"), table.Describe("https://quay.example", nil)})
		require.NoError(t, err)
		for _, shown := range []ColumnDefinition{got, {Name: got.Name, Type: got.Type, Choices: got.Choices, Minimum: got.Minimum,
			Maximum: got.Maximum, MaxLength: got.MaxLength, Format: got.Format, References: got.References}} {
			shown.Example = exampleText(shown.column().Describe().Example)
			var wrong refusals
			shown.check("", &wrong)
			require.Empty(t, wrong, "%s is shown as an example of %+v", *shown.Example, got)
			require.True(t, got.Name != externalID && got.References == "" || utf8.RuneCountInString(*shown.Example) <= MaxKeyLength)
		}
		again, err := checked.check(nil)
		require.NoError(t, err)
		require.Equal(t, checked, again)
	})
}

// requireShowable requires a refusal with fields, in words that cannot garble a terminal or a screen.
func requireShowable(t *testing.T, err error) {
	t.Helper()
	var refusal *fault.Error
	require.ErrorAs(t, err, &refusal)
	require.Equal(t, fault.Invalid, refusal.Kind)
	require.NotEmpty(t, refusal.Fields)
	for _, field := range refusal.Fields {
		require.NotEmpty(t, field.Field)
		require.NotEmpty(t, field.Code)
		require.NotEmpty(t, field.Message)
		require.Less(t, len(field.Message), 1000)
		require.True(t, utf8.ValidString(field.Message), "%q", field.Message)
		require.False(t, strings.ContainsFunc(field.Message, func(r rune) bool {
			return unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r)
		}), "%q", field.Message)
	}
}

// TestReservedInTheDatabase checks that the database refuses the same slugs.
func TestReservedInTheDatabase(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	tenant := pgtest.NewTenant(t, db)
	for _, slug := range reserved {
		_, err := db.Admin(t).Exec(t.Context(),
			"INSERT INTO workspace.registry_tables (tenant_id, slug, title) VALUES ($1, $2, 'Mine')", tenant.ID, slug)
		require.ErrorContains(t, err, "is taken by a built-in table", slug)
	}
}
