package account

import (
	"context"
	"runtime"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/alexedwards/argon2id"

	"github.com/quayside/quayside/internal/fault"
)

// passwordCost is OWASP's first recommendation for argon2id: 19 MiB, two passes.
var passwordCost = &argon2id.Params{Memory: 19 << 10, Iterations: 2, Parallelism: 1, SaltLength: 16, KeyLength: 32}

// decoy is a hash that no password matches. Sign-ins with an unknown address are compared
// with it, so that they take as long as those with a known address.
const decoy = "$argon2id$v=19$m=19456,t=2,p=1$AAAAAAAAAAAAAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"

// hashesAtOnce leaves half of the cores to other work. A request that waits longer than
// hashWait is refused and may be retried.
var hashesAtOnce = max(1, runtime.GOMAXPROCS(0)/2)

const hashWait = 3 * time.Second

const (
	shortestPassword = 12
	longestPassword  = 200
)

// checkPassword checks a new password. Existing passwords keep working when these rules change.
// There are no rules about kinds of characters: length protects better, and such rules
// make people write passwords down.
func checkPassword(field, email, password string) error {
	characters := []rune(password)
	switch {
	case !utf8.ValidString(password) || strings.ContainsRune(password, 0):
		return fault.InField(field, "password", "a password must be text")
	case len(characters) < shortestPassword:
		return fault.InField(field, "password_short",
			"a password needs at least %d characters; a few words in a row are good", shortestPassword)
	case len(characters) > longestPassword:
		return fault.InField(field, "password_long", "a password has at most %d characters", longestPassword)
	case guessable(password, email):
		return fault.InField(field, "password_weak",
			"that password is among the first that somebody would try; take a few words that do not belong together")
	}
	return nil
}

func (s *Service) hash(ctx context.Context, password string) (hash string, err error) {
	if err := s.waitForSlot(ctx); err != nil {
		return "", err
	}
	defer func() { <-s.hashing }()
	return argon2id.CreateHash(password, passwordCost)
}

// matches compares a password with a hash. An empty hash never matches, but takes as long.
func (s *Service) matches(ctx context.Context, password, hash string) (bool, error) {
	known := hash != ""
	if !known {
		hash = decoy
	}
	if err := s.waitForSlot(ctx); err != nil {
		return false, err
	}
	defer func() { <-s.hashing }()
	same, err := argon2id.ComparePasswordAndHash(password, hash)
	return same && known, err
}

// waitForSlot waits for one of the hashesAtOnce slots.
func (s *Service) waitForSlot(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, hashWait)
	defer cancel()
	select {
	case s.hashing <- struct{}{}:
		return nil
	case <-ctx.Done():
		return fault.New(fault.Unavailable, "busy",
			"too many people are signing in right now; try again in a moment").Because(ctx.Err()).After(hashWait)
	}
}
