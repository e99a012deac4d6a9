// Package document writes documents for business partners as PDF files.
//
// Amounts and dates are texts, which the caller has formatted, so that the document shows them
// as the screen does. A document is written page by page, so memory does not grow with the
// number of lines. The font is DejaVu Sans Condensed, which covers Latin, Greek, Cyrillic and
// most currency signs. A character that the font lacks is printed as a box.
package document

import (
	"io"
	"strings"
	"time"
)

// PurchaseOrder is the head of a purchase order.
type PurchaseOrder struct {
	Company   string
	Workspace string
	Number    string
	Day       string
	Supplier  string
	Warning   string // printed above the lines, for example that the order is not approved; may be empty
	MadeAt    time.Time
	Plain     bool // leaves the file uncompressed, so that its text can be searched
}

// OrderLine is one article of an order.
type OrderLine struct {
	SKU, Name, Expected, Note string
	Quantity, Price, Total    string
}

const lineHeight = 5.0

// The columns of the lines. Widths are in millimetres and fill the page between its margins.
var (
	widths   = []float64{30, 64, 22, 18, 22, 24}
	headings = []string{"SKU", "Article", "Expected", "Quantity", "Price", "Total"}
	aligns   = []string{"L", "L", "L", "R", "R", "R"}
)

// OrderPaper writes a purchase order as a PDF file in A4.
type OrderPaper struct {
	order PurchaseOrder
	sheet *sheet
}

// Begin writes an order's head. The caller then writes the lines and calls Close.
func (o PurchaseOrder) Begin(w io.Writer) *OrderPaper {
	footer := strings.ReplaceAll(printable("Purchase order "+o.Number), "\n", " ")
	p := &OrderPaper{order: o, sheet: newSheet(newFile(w, o.Plain), footer)}
	p.head()
	p.heading()
	return p
}

func (p *OrderPaper) head() {
	o, s := p.order, p.sheet
	s.size = 16
	s.paragraph(8, printable("Purchase order "+o.Number), "")
	s.size = 10
	s.paragraph(lineHeight, printable(o.Company+" · "+o.Workspace), "")
	s.down(3)
	for _, fact := range [][2]string{{"Date", o.Day}, {"Supplier", o.Supplier}} {
		s.cell(25, lineHeight, fact[0], "L", muted, "")
		s.paragraph(lineHeight, printable(fact[1]), "")
	}
	if o.Warning != "" {
		s.down(2)
		s.paragraph(7, printable(o.Warning), amberArea)
	}
	s.down(4)
}

func (p *OrderPaper) heading() {
	s := p.sheet
	s.size = 8
	for i, name := range headings {
		s.cell(widths[i], 6, name, aligns[i], black, greyArea)
	}
	s.down(7)
	s.size = 9
}

// Line writes one line. It returns an error if w no longer accepts data.
func (p *OrderPaper) Line(line OrderLine) error {
	s := p.sheet
	cells := make([][]string, len(widths))
	tallest := 0
	for i, text := range line.cells() {
		cells[i] = s.split(printable(text), widths[i]-2)
		tallest = max(tallest, len(cells[i]))
	}
	if height := float64(tallest)*lineHeight + 1; s.y+height > lowest && height < pageHeight-5*margin {
		s.turn()
		p.heading()
	}
	for n := range tallest {
		for i, texts := range cells {
			text := ""
			if n < len(texts) {
				text = texts[n]
			}
			s.cell(widths[i], lineHeight, text, aligns[i], black, "")
		}
		s.down(lineHeight)
	}
	s.rule()
	s.down(1)
	return s.to.err
}

// Close writes the totals, one for each currency, and ends the file.
func (p *OrderPaper) Close(totals []string) error {
	s := p.sheet
	s.down(3)
	s.size = 11
	for _, total := range totals {
		s.cell(pageWidth-2*margin, 6, printable("Total "+total), "R", black, "")
		s.down(6)
	}
	s.finish()
	return s.to.close(facts{title: printable("Purchase order " + p.order.Number), author: printable(p.order.Company),
		at: p.order.MadeAt})
}

func (l OrderLine) cells() []string {
	about := strings.Trim(l.Name+"\n"+l.Note, "\n")
	return []string{l.SKU, about, l.Expected, l.Quantity, l.Price, l.Total}
}
