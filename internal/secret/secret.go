// Package secret makes API keys and tokens, and the hashes under which they are stored.
package secret

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"regexp"
	"time"
)

const randomBytes = 24

// New makes a secret that begins with a marker: 192 random bits in lower-case hex.
func New(marker string) string {
	random := make([]byte, randomBytes)
	_, _ = rand.Read(random) // never fails: crypto/rand aborts the program instead
	return marker + hex.EncodeToString(random)
}

// Hash returns the SHA-256 of a secret. Only the hash is stored, and lookups use it.
func Hash(text string) []byte {
	sum := sha256.Sum256([]byte(text))
	return sum[:]
}

// Status returns "live", "revoked" or "expired".
func Status(revokedAt, expiresAt *time.Time, now time.Time) string {
	switch {
	case revokedAt != nil:
		return "revoked"
	case expiresAt != nil && !now.Before(*expiresAt):
		return "expired"
	}
	return "live"
}

var pattern = regexp.MustCompile(`(pk|qst)_[0-9a-f]{48}`)

// In reports whether text contains something that looks like a key or a token. Such text
// is not stored, logged or sent back.
func In(text string) bool { return pattern.MatchString(text) }
