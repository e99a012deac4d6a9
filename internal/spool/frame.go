package spool

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
)

// A frame is an entry in a file: the mark, the entry's length, a checksum of length and
// entry, the entry. The mark begins with a byte that no UTF-8 text holds, so that
// whatever lies behind damage can be found again.
const (
	mark       = "\xffQS1"
	headerSize = len(mark) + 8
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// appendFrame frames an entry.
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

// parse returns the entries of a file. A torn tail is passed over: a crash came before
// its fsync, and nobody was told that it is kept. damaged says that entries lie behind
// bytes which are none: the disk did not keep what it had promised.
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

// unframe returns the entry that data begins with, if it does.
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
