package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// goFile is a Go file with the bugs of all its seeds beside the code as it is.
type goFile struct {
	path, text string
	edits      []edit
	// By variable: its declaration up to the value, the value, and pairs of a seed's name and the other value.
	picked map[string][]string
}

// An edit replaces a part of a file's text.
type edit struct {
	start, end int
	text       string
}

// parsed is a file's syntax and the text it was read from.
type parsed struct {
	*ast.File
	text string
}

func parse(text string) (parsed, error) {
	file, err := parser.ParseFile(token.NewFileSet(), "", text, parser.ParseComments|parser.SkipObjectResolution)
	return parsed{file, text}, err
}

// at returns where a node begins and ends in the text. A file set with one file begins at 1.
func at(node ast.Node) (start, end int) { return int(node.Pos()) - 1, int(node.End()) - 1 }

func (p parsed) source(node ast.Node) string {
	start, end := at(node)
	return p.text[start:end]
}

// add puts a seed's bug beside the code as it is: in a function as a second body, in a variable as a
// second value.
func (g *goFile) add(s seed) error {
	changed, start, end, err := s.apply(g.text)
	if err != nil {
		return err
	}
	now, err := parse(g.text)
	if err != nil {
		return err
	}
	bug, err := parse(changed)
	if err != nil {
		return fmt.Errorf("%s: %w", s.name, err)
	}
	if len(now.Decls) != len(bug.Decls) {
		return fmt.Errorf("%s adds or removes a declaration", s.name)
	}
	for i, decl := range now.Decls {
		if from, to := at(decl); start < from || end > to {
			continue
		}
		switch decl := decl.(type) {
		case *ast.FuncDecl:
			if other, ok := bug.Decls[i].(*ast.FuncDecl); ok {
				return g.addBody(s, now, bug, decl, other)
			}
		case *ast.GenDecl:
			if other, ok := bug.Decls[i].(*ast.GenDecl); ok && len(decl.Specs) == len(other.Specs) {
				return g.addValue(s, now, bug, decl, other, start, end)
			}
		}
	}
	return fmt.Errorf("%s does not lie within one function or one variable of %s", s.name, g.path)
}

// addBody lets a function begin with: if the seed is on, the other body. It is a function of its own, so that
// labels do not meet.
func (g *goFile) addBody(s seed, now, bug parsed, decl, other *ast.FuncDecl) error {
	head := func(p parsed, decl *ast.FuncDecl) string {
		start, _ := at(decl.Type)
		if decl.Recv != nil {
			start, _ = at(decl.Recv)
		}
		end, _ := at(decl.Body)
		return p.text[start:end]
	}
	if head(now, decl) != head(bug, other) {
		return fmt.Errorf("%s changes what %s is called with", s.name, decl.Name.Name)
	}
	results := ""
	if decl.Type.Results != nil {
		results = " " + now.source(decl.Type.Results)
	}
	call := "func()" + results + " " + bug.source(other.Body) + "()"
	if results == "" {
		call += "; return"
	} else {
		call = "return " + call
	}
	open, _ := at(decl.Body)
	g.edits = append(g.edits, edit{open + 1, open + 1, fmt.Sprintf("\nif mutantOn(%q) { %s }\n", s.name, call)})
	return nil
}

// addValue lets a variable, or a constant text, have the other value if the seed is on.
func (g *goFile) addValue(s seed, now, bug parsed, decl, other *ast.GenDecl, start, end int) error {
	for i, spec := range decl.Specs {
		value, ok := spec.(*ast.ValueSpec)
		if !ok || len(value.Names) != 1 || len(value.Values) != 1 {
			continue
		}
		if from, to := at(value.Values[0]); start < from || end > to {
			continue
		}
		name := value.Names[0].Name
		if _, known := g.picked[name]; !known {
			g.pickVariable(now, decl, value)
		}
		changed, ok := other.Specs[i].(*ast.ValueSpec)
		if !ok {
			break
		}
		g.picked[name] = append(g.picked[name], s.name, bug.source(changed.Values[0]))
		return nil
	}
	return fmt.Errorf("%s does not lie within the value of one variable or constant text of %s", s.name, g.path)
}

// pickVariable takes a variable out of its declaration; finish adds it again, with its other values.
func (g *goFile) pickVariable(now parsed, decl *ast.GenDecl, value *ast.ValueSpec) {
	start, end := at(decl)
	if decl.Lparen.IsValid() {
		start, end = at(value)
	}
	g.edits = append(g.edits, edit{start, end, ""})
	explicit := ""
	if value.Type != nil {
		explicit = " " + now.source(value.Type)
	}
	name := value.Names[0].Name
	g.picked[name] = []string{"var " + name + explicit + " = ", now.source(value.Values[0])}
}

// addEmbedded lets an embedded file have the seed's text if the seed is on. g is the file that embeds it.
func (g *goFile) addEmbedded(s seed, content string) error {
	now, err := parse(g.text)
	if err != nil {
		return err
	}
	relative, err := filepath.Rel(filepath.Dir(g.path), s.file)
	if err != nil {
		return err
	}
	for _, decl := range now.Decls {
		group, ok := decl.(*ast.GenDecl)
		if !ok || group.Tok != token.VAR {
			continue
		}
		for _, spec := range group.Specs {
			value, ok := spec.(*ast.ValueSpec)
			if !ok || !embeds(value.Doc, relative) && !embeds(group.Doc, relative) {
				continue
			}
			g.pickEmbedded(s, now, value, filepath.ToSlash(relative), content)
			return nil
		}
	}
	return fmt.Errorf("%s: %s does not embed %s", s.name, g.path, relative)
}

func (g *goFile) pickEmbedded(s seed, now parsed, value *ast.ValueSpec, relative, content string) {
	name := value.Names[0].Name
	if _, known := g.picked[name]; !known {
		start, end := at(value.Names[0])
		g.edits = append(g.edits, edit{start, end, name + "Embedded"})
		g.picked[name] = []string{"var " + name + " = ", name + "Embedded"}
	}
	with := strconv.Quote(content)
	if now.source(value.Type) == "embed.FS" {
		g.picked[name][1] = "mutantFiles{FS: " + name + "Embedded}"
		with = fmt.Sprintf("mutantFiles{%sEmbedded, %q, %s}", name, relative, with)
	}
	g.picked[name] = append(g.picked[name], s.name, with)
}

// embeds reports whether one of a variable's //go:embed lines covers the file.
func embeds(doc *ast.CommentGroup, relative string) bool {
	if doc == nil {
		return false
	}
	for _, line := range doc.List {
		if patterns, ok := strings.CutPrefix(line.Text, "//go:embed "); ok && covers(patterns, relative) {
			return true
		}
	}
	return false
}

// finish returns the file's text with all bugs in it, none of them switched on.
func (g *goFile) finish() string {
	text := g.text
	slices.SortStableFunc(g.edits, func(a, b edit) int { return b.start - a.start })
	for _, one := range g.edits {
		text = text[:one.start] + one.text + text[one.end:]
	}
	names := make([]string, 0, len(g.picked))
	for name := range g.picked {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		values := g.picked[name]
		expression := values[1]
		for i := 2; i < len(values); i += 2 {
			expression = fmt.Sprintf("mutantPick(%q, %s, %s)", values[i], expression, values[i+1])
		}
		text += "\n" + values[0] + expression + "\n"
	}
	return text
}

// switchFile is what each package with seeds gets in addition.
const switchFile = `
import (
	mutantembed "embed"
	mutantfs "io/fs"
	mutantos "os"
	mutantfstest "testing/fstest"
)

var mutantName = mutantos.Getenv("QUAYSIDE_MUTANT")

func mutantOn(name string) bool { return mutantName == name }

func mutantPick[T any](name string, now, bug T) T {
	if mutantOn(name) {
		return bug
	}
	return now
}

// mutantFiles are embedded files of which one has another content.
type mutantFiles struct {
	mutantembed.FS
	name, content string
}

func (m mutantFiles) Open(name string) (mutantfs.File, error) {
	if name == m.name && name != "" {
		return mutantfstest.MapFS{name: {Data: []byte(m.content), Mode: 0o444}}.Open(name)
	}
	return m.FS.Open(name)
}

func (m mutantFiles) ReadFile(name string) ([]byte, error) {
	if name == m.name && name != "" {
		return []byte(m.content), nil
	}
	return m.FS.ReadFile(name)
}

var (
	_ = mutantOn
	_ = mutantPick[int]
	_ mutantFiles
)
`
