// Package document makes the papers that leave the house.
//
// Amounts and days are texts here: whoever hands them in has formatted them, so that paper
// and screen cannot round differently. The font is DejaVu Sans Condensed: Latin, Greek,
// Cyrillic and most currency signs. What it does not hold is printed as a box or left out,
// and nothing breaks.
package document

import (
	"bytes"
	_ "embed"
	"strings"
	"time"

	"codeberg.org/go-pdf/fpdf"
)

// PurchaseOrder is an order as a supplier gets it.
type PurchaseOrder struct {
	Company   string
	Workspace string
	Number    string
	Day       string
	Suppliers []string
	Warning   string // above the lines, such as that it is not approved; may be empty
	Lines     []OrderLine
	Totals    []string // one for each currency
	MadeAt    time.Time
}

// OrderLine is one article of an order.
type OrderLine struct {
	SKU, Name, Supplier, Expected, Note string
	Quantity, Price, Total              string
}

//go:embed font/DejaVuSansCondensed.ttf
var sans []byte

const (
	family     = "sans"
	margin     = 15.0
	lineHeight = 5.0
)

// Of the columns, in millimetres: what the page has between its margins.
var (
	widths   = []float64{30, 64, 22, 18, 22, 24}
	headings = []string{"SKU", "Article", "Expected", "Quantity", "Price", "Total"}
	aligns   = []string{"L", "L", "L", "R", "R", "R"}
)

// PDF renders the order on A4. Text is kept readable in the file when plain is set, for
// those who search in it.
func (o PurchaseOrder) PDF(plain bool) ([]byte, error) {
	pdf := fpdf.New("P", "mm", "A4", "")
	pdf.SetCompression(!plain)
	pdf.AddUTF8FontFromBytes(family, "", sans)
	pdf.SetMargins(margin, margin, margin)
	pdf.SetAutoPageBreak(true, 2*margin)
	pdf.SetTitle("Purchase order "+printable(o.Number), true)
	pdf.SetAuthor(printable(o.Company), true)
	pdf.SetCreationDate(o.MadeAt)
	pdf.SetModificationDate(o.MadeAt)
	pdf.AliasNbPages("{pages}")
	pdf.SetFooterFunc(func() {
		pdf.SetY(-margin)
		pdf.SetFont(family, "", 8)
		pdf.SetTextColor(100, 100, 100)
		half := (210 - 2*margin) / 2
		pdf.CellFormat(half, lineHeight, printable("Purchase order "+o.Number), "", 0, "L", false, 0, "")
		pdf.CellFormat(half, lineHeight, pageOf(pdf.PageNo()), "", 0, "R", false, 0, "")
		pdf.SetTextColor(0, 0, 0)
	})
	pdf.AddPage()
	o.head(pdf)
	o.table(pdf)
	var out bytes.Buffer
	err := pdf.Output(&out)
	return out.Bytes(), err
}

func (o PurchaseOrder) head(pdf *fpdf.Fpdf) {
	pdf.SetFont(family, "", 16)
	pdf.MultiCell(0, 8, printable("Purchase order "+o.Number), "", "L", false)
	pdf.SetFont(family, "", 10)
	pdf.MultiCell(0, lineHeight, printable(o.Company+" · "+o.Workspace), "", "L", false)
	pdf.Ln(3)
	facts := [][2]string{{"Date", o.Day}, {"Supplier", strings.Join(o.Suppliers, ", ")}}
	for _, fact := range facts {
		pdf.SetTextColor(100, 100, 100)
		pdf.CellFormat(25, lineHeight, fact[0], "", 0, "L", false, 0, "")
		pdf.SetTextColor(0, 0, 0)
		pdf.MultiCell(0, lineHeight, printable(fact[1]), "", "L", false)
	}
	if o.Warning != "" {
		pdf.Ln(2)
		pdf.SetFillColor(252, 240, 215)
		pdf.MultiCell(0, 7, printable(o.Warning), "", "L", true)
	}
	pdf.Ln(4)
}

func (o PurchaseOrder) table(pdf *fpdf.Fpdf) {
	heading := func() {
		pdf.SetFont(family, "", 8)
		pdf.SetFillColor(240, 242, 245)
		for i, name := range headings {
			pdf.CellFormat(widths[i], 6, name, "", 0, aligns[i], true, 0, "")
		}
		pdf.Ln(7)
		pdf.SetFont(family, "", 9)
	}
	heading()
	for _, line := range o.Lines {
		texts := line.cells(len(o.Suppliers) > 1)
		most := 0
		split := make([][]string, len(texts))
		for i, text := range texts {
			split[i] = pdf.SplitText(printable(text), widths[i]-2)
			most = max(most, len(split[i]))
		}
		tall := float64(most)*lineHeight + 1
		if _, height := pdf.GetPageSize(); pdf.GetY()+tall > height-2*margin && tall < height-5*margin {
			pdf.AddPage()
			heading()
		}
		row(pdf, split, most)
	}
	pdf.Ln(3)
	pdf.SetFont(family, "", 11)
	for _, total := range o.Totals {
		pdf.CellFormat(0, 6, printable("Total "+total), "", 1, "R", false, 0, "")
	}
}

// row writes a line's cells, of as many lines as the longest of them.
func row(pdf *fpdf.Fpdf, cells [][]string, most int) {
	for n := range most {
		for i, texts := range cells {
			text := ""
			if n < len(texts) {
				text = texts[n]
			}
			pdf.CellFormat(widths[i], lineHeight, text, "", 0, aligns[i], false, 0, "")
		}
		pdf.Ln(lineHeight)
	}
	pdf.SetDrawColor(220, 224, 230)
	pdf.Line(margin, pdf.GetY()+0.5, 210-margin, pdf.GetY()+0.5)
	pdf.Ln(1)
}

func (l OrderLine) cells(withSupplier bool) []string {
	about := []string{}
	for _, text := range []string{l.Name, map[bool]string{true: l.Supplier}[withSupplier], l.Note} {
		if text != "" {
			about = append(about, text)
		}
	}
	return []string{l.SKU, strings.Join(about, "\n"), l.Expected, l.Quantity, l.Price, l.Total}
}
