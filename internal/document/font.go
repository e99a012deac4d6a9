package document

import (
	"bytes"
	_ "embed"
	"encoding/binary"
	"math"
	"slices"
	"strings"
	"sync"
)

//go:embed font/DejaVuSansCondensed.ttf
var sans []byte

// planeSize is the number of characters in Unicode's first plane. Texts contain no others.
const planeSize = 1 << 16

// font is a TrueType font: its tables, the glyph of each character, and the width of each
// glyph.
type font struct {
	tables  map[string][]byte
	glyphs  [planeSize]uint16 // by character; 0 draws the box for a missing character
	widths  []int             // by glyph, in thousandths of the font's size
	offsets []uint32          // start of each glyph in glyf, and the end of the last one
	scale   float64           // from the font's units to thousandths
}

// loadSans reads the embedded font once.
var loadSans = sync.OnceValue(func() *font { return parseFont(sans) })

// parseFont reads a font with 32-bit glyph offsets and a character map of format 4, like the
// embedded one. It panics on any other, since the file is part of the program.
func parseFont(file []byte) *font {
	f := &font{tables: map[string][]byte{}}
	for i := range int(u16(file, 4)) {
		entry := file[12+16*i:]
		start := u32(entry, 8)
		f.tables[string(entry[:4])] = file[start : start+u32(entry, 12)]
	}
	f.scale = 1000 / float64(u16(f.tables["head"], 18))
	count, measured := int(u16(f.tables["maxp"], 4)), int(u16(f.tables["hhea"], 34))
	for glyph := range count {
		advance := u16(f.tables["hmtx"], 4*min(glyph, measured-1))
		f.widths = append(f.widths, f.thousandths(int(advance)))
		f.offsets = append(f.offsets, u32(f.tables["loca"], 4*glyph))
	}
	f.offsets = append(f.offsets, u32(f.tables["loca"], 4*count))
	f.readCharacters()
	return f
}

// readCharacters reads the character map of the first plane (platform 3, encoding 1).
func (f *font) readCharacters() {
	maps := f.tables["cmap"]
	for i := range int(u16(maps, 2)) {
		entry := maps[4+8*i:]
		if table := maps[u32(entry, 4):]; u16(entry, 0) == 3 && u16(entry, 2) == 1 && u16(table, 0) == 4 {
			f.readSegments(table)
			return
		}
	}
	panic("document: the font has no character map of format 4")
}

func (f *font) readSegments(table []byte) {
	size := int(u16(table, 6)) // of an array with two bytes per segment
	ends, starts, deltas, ranges := table[14:], table[16+size:], table[16+2*size:], table[16+3*size:]
	for at := 0; at < size; at += 2 {
		first, last, shift := int(u16(starts, at)), int(u16(ends, at)), int(u16(ranges, at))
		for char := first; char <= last && char < planeSize-1; char++ {
			glyph := uint16(char) //nolint:gosec // below planeSize
			if shift != 0 {
				glyph = u16(ranges, at+shift+2*(char-first))
			}
			if shift == 0 || glyph != 0 {
				glyph += u16(deltas, at)
			}
			f.glyphs[char] = glyph
		}
	}
}

// width returns the width of a text, in thousandths of the font's size.
func (f *font) width(text string) (sum int) {
	for _, char := range text {
		sum += f.widths[f.glyphs[char]]
	}
	return sum
}

func (f *font) thousandths(units int) int { return int(math.Round(f.scale * float64(units))) }

// subset returns a font file that draws only these characters. Glyphs keep their numbers, so
// that composite glyphs need no change.
func (f *font) subset(used []rune) []byte {
	keep := map[uint16]bool{}
	f.keep(keep, 0)
	for _, char := range used {
		f.keep(keep, f.glyphs[char])
	}
	var outlines []byte
	places, metrics := make([]byte, 0, len(f.tables["loca"])), bytes.Clone(f.tables["hmtx"])
	measured := int(u16(f.tables["hhea"], 34))
	for glyph := range len(f.widths) {
		places = binary.BigEndian.AppendUint32(places, uint32(len(outlines))) //nolint:gosec // less than the font has
		switch {
		case keep[uint16(glyph)]:
			outlines = append(outlines, f.outline(uint16(glyph))...)
		case glyph < measured-1: // the last entry also applies to all glyphs after it
			clear(metrics[4*glyph : 4*glyph+4])
		}
	}
	places = binary.BigEndian.AppendUint32(places, uint32(len(outlines))) //nolint:gosec // as above
	tables := map[string][]byte{"glyf": outlines, "loca": places, "hmtx": metrics}
	for _, name := range []string{"cvt ", "fpgm", "head", "hhea", "maxp", "prep"} {
		tables[name] = f.tables[name]
	}
	return fontFile(tables)
}

// keep marks a glyph and, if it is composite, its components.
func (f *font) keep(marked map[uint16]bool, glyph uint16) {
	if marked[glyph] {
		return
	}
	marked[glyph] = true
	outline := f.outline(glyph)
	if len(outline) == 0 || int16(u16(outline, 0)) >= 0 { //nolint:gosec // signed: negative for a composite glyph
		return
	}
	const words, scale, more, scales, matrix = 1, 1 << 3, 1 << 5, 1 << 6, 1 << 7
	for at := 10; ; {
		flags := u16(outline, at)
		f.keep(marked, u16(outline, at+2))
		at += 6
		for flag, size := range map[uint16]int{words: 2, scale: 2, scales: 4, matrix: 8} {
			if flags&flag != 0 {
				at += size
			}
		}
		if flags&more == 0 {
			return
		}
	}
}

func (f *font) outline(glyph uint16) []byte {
	return f.tables["glyf"][f.offsets[glyph]:f.offsets[glyph+1]]
}

// fontFile returns a font file with these tables. Checksums are zero: PDF readers do not check
// them.
func fontFile(tables map[string][]byte) []byte {
	names := make([]string, 0, len(tables))
	for name := range tables {
		names = append(names, name)
	}
	slices.SortFunc(names, strings.Compare)
	file := binary.BigEndian.AppendUint32(nil, 0x00010000)
	power := 1 << int(math.Log2(float64(len(names))))
	for _, number := range []int{len(names), 16 * power, int(math.Log2(float64(power))), 16 * (len(names) - power)} {
		file = binary.BigEndian.AppendUint16(file, uint16(number)) //nolint:gosec // a handful of tables
	}
	start := len(file) + 16*len(names)
	for _, name := range names {
		file = append(file, name...)
		for _, number := range []int{0, start, len(tables[name])} {
			file = binary.BigEndian.AppendUint32(file, uint32(number)) //nolint:gosec // less than the font has
		}
		start += (len(tables[name]) + 3) &^ 3
	}
	for _, name := range names {
		file = append(file, tables[name]...)
		file = append(file, make([]byte, -len(file)&3)...)
	}
	return file
}

func u16(table []byte, at int) uint16 { return binary.BigEndian.Uint16(table[at:]) }
func u32(table []byte, at int) uint32 { return binary.BigEndian.Uint32(table[at:]) }
