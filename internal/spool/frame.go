package spool

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
)

// A frame is an entry in a file: the mark, the entry's length, a checksum of length and
// entry, and the entry. The mark begins with a byte that no UTF-8 text contains, so that
// frames after a damaged one can be found.
const (
	mark       = "\xffQS1"
	headerSize = len(mark) + 8
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// appendFrame appends an entry's frame to a buffer.
func appendFrame(to, entry []byte) []byte {
	to = append(to, mark...)
	size := binary.BigEndian.AppendUint32(nil, uint32(len(entry))) //nolint:gosec // Append refuses longer ones
	to = append(to, size...)
	to = binary.BigEndian.AppendUint32(to, checksum(size, entry))
	return append(to, entry...)
}

func checksum(size, entry []byte) uint32 {
	return crc32.Update(crc32.Checksum(size, castagnoli), castagnoli, entry)
}

// parse returns the entries of a file. It ignores a torn tail: a crash came before its
// fsync, so Append did not return nil for it. damaged reports invalid bytes before a valid
// entry: then the disk has lost synced data.
func parse(data []byte) (entries [][]byte, damaged bool) {
	torn := false
	for len(data) > 0 {
		if entry, ok := unframe(data); ok {
			entries = append(entries, entry)
			data = data[headerSize+len(entry):]
			damaged = damaged || torn
			continue
		}
		torn = true
		next := bytes.Index(data[1:], []byte(mark))
		if next < 0 {
			break
		}
		data = data[1+next:]
	}
	return entries, damaged
}

// unframe returns the entry at the beginning of data, if there is a valid frame.
func unframe(data []byte) (entry []byte, ok bool) {
	if len(data) < headerSize || string(data[:len(mark)]) != mark {
		return nil, false
	}
	size, sum := data[len(mark):len(mark)+4], binary.BigEndian.Uint32(data[len(mark)+4:])
	rest := data[headerSize:]
	length := uint64(binary.BigEndian.Uint32(size))
	if length > uint64(len(rest)) || checksum(size, rest[:length]) != sum {
		return nil, false
	}
	return rest[:length:length], true
}
