package vault

import (
	"crypto/aes"
	"crypto/cipher"
	"encoding/base64"
	"regexp"
	"strings"

	"github.com/google/uuid"

	"github.com/quayside/quayside/internal/fault"
)

// Keys are the keys that seal secrets, from the newest, which seals, to the oldest, which only opens.
type Keys struct {
	newest  string
	ciphers map[string]cipher.AEAD
}

// variable is where the keys come from.
const variable = "QUAYSIDE_SECRET_KEYS"

const keyBytes = 32

var keyID = regexp.MustCompile(`^[A-Za-z0-9._-]{1,32}$`)

// ParseKeys reads keys in the form id:base64, separated by commas or white space. No text means no keys.
// Errors do not quote it.
func ParseKeys(text string) (Keys, error) {
	refuse := func(at int, what string) (Keys, error) {
		return Keys{}, fault.New(fault.BadRequest, "config",
			"%s lists keys such as 2026-11:BASE64, the newest first, separated by commas; of key %d, %s", variable, at, what)
	}
	keys := Keys{ciphers: map[string]cipher.AEAD{}}
	for i, field := range strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(", \t\r\n", r) }) {
		id, encoded, _ := strings.Cut(field, ":")
		key, err := base64.StdEncoding.DecodeString(encoded)
		switch {
		case !keyID.MatchString(id):
			return refuse(i+1, "the id must have 1 to 32 letters, digits, dots or dashes")
		case keys.ciphers[id] != nil:
			return refuse(i+1, "the id is used twice")
		case err != nil || len(key) != keyBytes:
			return refuse(i+1, "the key is not base64 of 32 bytes; 'openssl rand -base64 32' makes one")
		}
		block, err := aes.NewCipher(key)
		if err != nil {
			return Keys{}, err
		}
		// A random nonce of 96 bits is safe for 2^32 secrets with one key.
		if keys.ciphers[id], err = cipher.NewGCMWithRandomNonce(block); err != nil {
			return Keys{}, err
		}
		if keys.newest == "" {
			keys.newest = id
		}
	}
	return keys, nil
}

// Name says whose secret it is, and what for.
type Name struct {
	Tenant  uuid.UUID
	Owner   uuid.UUID // such as a connection
	Purpose string    // such as "token"
}

// bound returns the text that a sealed secret is bound to: it opens under no other name.
func (n Name) bound() []byte {
	return []byte(strings.Join([]string{"quayside secret 1", n.Tenant.String(), n.Owner.String(), n.Purpose}, "\x00"))
}

// ErrNoKeys is returned if a secret is to be stored and there is no key.
var ErrNoKeys = fault.New(fault.Unavailable, "secret_keys_missing",
	"this installation cannot keep secrets yet; an operator has to set %s (docs/configuration.md)", variable)

// seal encrypts a secret with the newest key.
func (k Keys) seal(name Name, secret Secret) (id string, sealed []byte, err error) {
	if k.newest == "" {
		return "", nil, ErrNoKeys
	}
	//nolint:gosec // the cipher makes the nonce: see ParseKeys
	return k.newest, k.ciphers[k.newest].Seal(nil, nil, []byte(secret.Reveal()), name.bound()), nil
}

// open decrypts a secret.
func (k Keys) open(name Name, id string, sealed []byte) (Secret, error) {
	key := k.ciphers[id]
	if key == nil {
		return Secret{}, fault.New(fault.Unavailable, "secret_key_missing",
			"a stored secret needs the key %s, which %s does not list", id, variable)
	}
	text, err := key.Open(nil, nil, sealed, name.bound())
	if err != nil {
		return Secret{}, fault.New(fault.Unavailable, "secret_unreadable",
			"a stored secret cannot be opened with the key %s; either another key has this id in %s, or the row was changed",
			id, variable)
	}
	return NewSecret(string(text)), nil
}
