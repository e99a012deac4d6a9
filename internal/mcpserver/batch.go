package mcpserver

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"unicode"

	"github.com/quayside/quayside/internal/fault"
)

// mostMessages is how many messages a batch may have.
const mostMessages = 10

// takeBatch counts the messages of a batch against the token's rate: the protocol's revision of March 2025 lets a client send
// several in one body. The first was counted when the caller was identified. What is no batch, or cannot be read as one, is
// left to the protocol's implementation.
func (s *Server) takeBatch(r *http.Request, secret string) error {
	r.Body = http.MaxBytesReader(nil, r.Body, s.mostBytes())
	body := bufio.NewReader(r.Body)
	r.Body = readCloser{body, r.Body}
	if !beginsArray(body) {
		return nil
	}
	text, err := io.ReadAll(body)
	r.Body = readCloser{io.MultiReader(bytes.NewReader(text), body), r.Body}
	var messages []json.RawMessage
	if err != nil || json.Unmarshal(text, &messages) != nil {
		return nil //nolint:nilerr // reading it again fails again
	}
	if len(messages) > mostMessages {
		return fault.New(fault.BadRequest, "batch_size", "a batch has at most %d messages; send the others in another one", mostMessages)
	}
	for range len(messages) - 1 {
		if err := s.Tokens.TakeRequest(secret); err != nil {
			return err
		}
	}
	return nil
}

type readCloser struct {
	io.Reader
	io.Closer
}

// beginsArray reports whether the first character that is not white space opens an array. White space before it is read.
func beginsArray(body *bufio.Reader) bool {
	for {
		next, _, err := body.ReadRune()
		if err != nil {
			return false
		}
		if !unicode.IsSpace(next) {
			return body.UnreadRune() == nil && next == '['
		}
	}
}
