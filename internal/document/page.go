package document

import (
	"bytes"
	"fmt"
	"math"
	"unicode"
)

// An A4 page, in millimetres from its top. PDF itself counts points from the bottom.
const (
	pageWidth  = 210.0
	pageHeight = 297.0
	margin     = 15.0
	lowest     = pageHeight - 2*margin // the footer is below it
	padding    = 1.0                   // between a cell's edge and its text
	point      = 72 / 25.4             // points per millimetre
	footerSize = 8.0
)

// Colours as PDF operators: of text and areas, or of lines.
const (
	black     = "0 g"
	muted     = "0.392 g"
	amberArea = "0.988 0.941 0.843 rg"
	greyArea  = "0.941 0.949 0.961 rg"
	greyLine  = "0.863 0.878 0.902 RG"
)

// sheet is the current page. A full page is written to the file, and the next one begins at the
// top.
type sheet struct {
	to     *file
	page   bytes.Buffer
	x, y   float64 // position of the next cell
	size   float64 // of the font, in points
	footer string
}

func newSheet(to *file, footer string) *sheet {
	return &sheet{to: to, footer: footer, x: margin, y: margin}
}

func (s *sheet) number() int { return s.to.pages + 1 }

// turn finishes the page and begins the next one.
func (s *sheet) turn() {
	s.finish()
	s.x, s.y = margin, margin
}

// finish writes the footer and passes the page to the file.
func (s *sheet) finish() {
	size := s.size
	s.x, s.y, s.size = margin, pageHeight-margin, footerSize
	half := (pageWidth - 2*margin) / 2
	s.write(half, lineHeight, s.footer, "L", muted)
	// The number of pages is not known yet. It gets the width of "{pages}", however long it is.
	before := fmt.Sprintf("%d / ", s.number())
	start := pageWidth - margin - padding - s.width(before+"{pages}")
	s.x = start - padding
	s.write(half, lineHeight, before, "L", muted)
	fmt.Fprintf(&s.page, "q 1 0 0 1 %.2f %.2f cm /Pages Do Q\n", (start+s.width(before))*point, s.baseline(lineHeight))
	s.to.page(s.page.Bytes())
	s.page.Reset()
	s.size = size
}

// cell writes a line of text into a box and moves to the right of it. A box that does not fit
// the page goes on the next one.
func (s *sheet) cell(width, height float64, text, align, colour, area string) {
	if s.y+height > lowest {
		x := s.x
		s.turn()
		s.x = x
	}
	if area != "" {
		fmt.Fprintf(&s.page, "%s %.2f %.2f %.2f %.2f re f\n", area, s.x*point, (pageHeight-s.y)*point, width*point,
			-height*point)
	}
	s.write(width, height, text, align, colour)
	s.x += width
}

func (s *sheet) write(width, height float64, text, align, colour string) {
	if text == "" {
		return
	}
	x := s.x + padding
	if align == "R" {
		x = s.x + width - padding - s.width(text)
	}
	fmt.Fprintf(&s.page, "BT /F1 %.2f Tf %s %.2f %.2f Td %s Tj ET\n", s.size, colour, x*point, s.baseline(height),
		s.to.show(text))
}

// baseline returns the position of text in a box of this height, in points from the bottom.
func (s *sheet) baseline(height float64) float64 {
	return (pageHeight-s.y-height/2)*point - 0.3*s.size
}

// paragraph writes text in as many lines as needed, from the current position to the right
// margin.
func (s *sheet) paragraph(height float64, text, area string) {
	left, width := s.x, pageWidth-margin-s.x
	for _, line := range s.split(text, width) {
		s.cell(width, height, line, "L", black, area)
		s.x = left
		s.y += height
	}
	s.x = margin
}

// down moves to the left margin and down by height.
func (s *sheet) down(height float64) { s.x, s.y = margin, s.y+height }

// rule draws a line across the page.
func (s *sheet) rule() {
	y := (pageHeight - s.y - 0.5) * point
	fmt.Fprintf(&s.page, "%s 0.57 w %.2f %.2f m %.2f %.2f l S\n", greyLine, margin*point, y, (pageWidth-margin)*point, y)
}

// width returns the width of a text in the current size, in millimetres.
func (s *sheet) width(text string) float64 {
	return float64(s.to.font.width(text)) * s.size / 1000 / point
}

// split breaks a text into lines that fit a box, at spaces where possible. It returns at least
// one line.
func (s *sheet) split(text string, width float64) (lines []string) {
	most := int(math.Ceil((width - 2*padding) * point * 1000 / s.size))
	chars := []rune(text)
	start, space, wide := 0, -1, 0
	for i := 0; i < len(chars); i++ {
		char := chars[i]
		if char != '\n' {
			wide += s.to.font.widths[s.to.font.glyphs[char]]
		}
		if unicode.IsSpace(char) {
			space = i
		}
		if char != '\n' && wide <= most {
			continue
		}
		end, next := space, space+1
		if space < 0 { // the word is wider than the box
			end = max(i, start+1)
			next = end
		}
		lines = append(lines, string(chars[start:end]))
		start, space, wide = next, -1, 0
		i = next - 1
	}
	if start < len(chars) || len(lines) == 0 {
		lines = append(lines, string(chars[start:]))
	}
	return lines
}
