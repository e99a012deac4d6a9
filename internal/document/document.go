// Package document writes documents for business partners as PDF files, in the partner's language.
//
// A document is written page by page, so memory does not grow with the number of lines. What a
// caller does not know is left out. The font is DejaVu Sans Condensed, which covers Latin, Greek,
// Cyrillic and most currency signs. A character that the font lacks is printed as a box.
package document

import (
	"fmt"
	"io"
	"strings"
	"time"
)

// PurchaseOrder is the head of a purchase order. Texts may be empty, and are then left out.
type PurchaseOrder struct {
	Words     Words
	Number    string
	Day       string
	Buyer     Party
	Supplier  Party
	Payment   string // the terms
	DeliverTo string // an address
	Warning   string // printed above the lines, for example that the order is not approved
	MadeAt    time.Time
	Plain     bool // leaves the file uncompressed, so that its text can be searched
}

// Party is one side of an order. Addresses have several lines.
type Party struct {
	Name, Address, Contact, Email string
	Number                        string // a supplier's number, or a buyer's VAT ID
}

// letterhead returns a party's name above its address, unless the address begins with the name.
func (p Party) letterhead() []string {
	lines := strings.Split(strings.Trim(p.Address, "\n"), "\n")
	if p.Name == "" || len(lines[0]) >= len(p.Name) && strings.EqualFold(lines[0][:len(p.Name)], p.Name) {
		return lines
	}
	return append([]string{p.Name}, lines...)
}

// OrderLine is one article of an order.
type OrderLine struct {
	SKU, SupplierSKU, Name, Expected, Note string
	Quantity, Price, Total                 string
}

const (
	lineHeight = 5.0
	leftWidth  = 90.0 // of addresses
	labelWidth = 33.0 // of what stands beside them
)

// The columns of the lines. Widths are in millimetres and fill the page between its margins.
var (
	widths = []float64{26, 23, 41, 21, 16, 26, 27}
	aligns = []string{"L", "L", "L", "L", "R", "R", "R"}
)

// OrderPaper writes a purchase order as a PDF file in A4.
type OrderPaper struct {
	order PurchaseOrder
	sheet *sheet
}

// Begin writes an order's head. The caller then writes the lines and calls Close.
func (o PurchaseOrder) Begin(w io.Writer) *OrderPaper {
	p := &OrderPaper{order: o}
	p.sheet = newSheet(newFile(w, o.Plain), strings.ReplaceAll(p.title(), "\n", " "))
	p.head()
	p.heading()
	return p
}

func (p *OrderPaper) title() string {
	return printable(fmt.Sprintf(p.order.Words.Order, p.order.Number))
}

func (p *OrderPaper) head() {
	o, s := p.order, p.sheet
	s.size = 9
	p.beside(o.Buyer.letterhead(), [][2]string{{o.Words.Contact, o.Buyer.Contact}, {o.Words.Answer, o.Buyer.Email},
		{o.Words.VatID, o.Buyer.Number}})
	s.down(6)
	s.size = 16
	s.paragraph(8, p.title(), "")
	s.down(2)
	s.size = 10
	p.beside(append(o.Supplier.letterhead(), o.Supplier.Contact, o.Supplier.Email),
		[][2]string{{o.Words.Date, o.Day}, {o.Words.SupplierNo, o.Supplier.Number}, {o.Words.Payment, o.Payment}})
	if o.DeliverTo != "" {
		s.down(3)
		s.cell(leftWidth, lineHeight, o.Words.DeliverTo, "L", muted, "")
		s.down(lineHeight)
		p.beside(strings.Split(o.DeliverTo, "\n"), nil)
	}
	if o.Warning != "" {
		s.down(2)
		s.paragraph(7, printable(o.Warning), amberArea)
	}
	s.down(4)
}

// beside writes texts on the left, and labelled facts beside them. Empty ones are left out.
func (p *OrderPaper) beside(texts []string, facts [][2]string) {
	s := p.sheet
	var left []string
	for _, text := range texts {
		if text = strings.TrimSpace(printable(text)); text != "" {
			left = append(left, s.split(text, leftWidth)...)
		}
	}
	var right [][2]string
	for _, fact := range facts {
		value := strings.TrimSpace(printable(fact[1]))
		if value == "" {
			continue
		}
		for i, line := range s.split(value, pageWidth-2*margin-leftWidth-labelWidth) {
			label := fact[0]
			if i > 0 {
				label = ""
			}
			right = append(right, [2]string{label, line})
		}
	}
	for i := range max(len(left), len(right)) {
		text := ""
		if i < len(left) {
			text = left[i]
		}
		s.cell(leftWidth, lineHeight, text, "L", black, "")
		if i < len(right) {
			s.cell(labelWidth, lineHeight, right[i][0], "L", muted, "")
			s.cell(pageWidth-margin-s.x, lineHeight, right[i][1], "L", black, "")
		}
		s.down(lineHeight)
	}
}

func (p *OrderPaper) heading() {
	s := p.sheet
	s.size = 8
	words := p.order.Words
	for i, name := range []string{words.SKU, words.YourSKU, words.Article, words.Expected, words.Quantity, words.Price,
		words.Total} {
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
		s.cell(pageWidth-2*margin, 6, printable(p.order.Words.Total+" "+total), "R", black, "")
		s.down(6)
	}
	s.finish()
	return s.to.close(facts{title: p.title(), author: printable(p.order.Buyer.Name), at: p.order.MadeAt})
}

func (l OrderLine) cells() []string {
	about := strings.Trim(l.Name+"\n"+l.Note, "\n")
	return []string{l.SKU, l.SupplierSKU, about, l.Expected, l.Quantity, l.Price, l.Total}
}
