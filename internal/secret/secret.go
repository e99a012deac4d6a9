// Package secret makes the secrets that programs show, and what is stored of them.
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

// Hash is what is stored of a secret, and what it is looked up by.
func Hash(text string) []byte {
	sum := sha256.Sum256([]byte(text))
	return sum[:]
}

// Status says in one word whether a secret still opens anything.
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

// In says whether a text holds what looks like a key or a token. Such texts are not
// stored, logged or said back.
func In(text string) bool { return pattern.MatchString(text) }
