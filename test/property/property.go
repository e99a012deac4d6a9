// Package property checks properties with random inputs that are the same in every run, so that a change passes or fails for what
// it changes.
package property

import (
	"flag"
	"os"
	"sync"
	"testing"

	"pgregory.net/rapid"
)

// seed is where the inputs of every run begin.
const seed = "1"

// sown sets it once for all tests of a package, unless another one is given or wanted.
var sown = sync.OnceValue(func() error {
	given := flag.Lookup("rapid.seed").Value.String() != "0"
	if given || os.Getenv("QUAYSIDE_MODEL") != "" {
		return nil
	}
	return flag.Set("rapid.seed", seed)
})

// Check tries a property with random inputs, and prints the smallest ones for which it does not hold. With QUAYSIDE_MODEL they are
// other ones each time; the seed of a failure is printed, and -rapid.seed repeats it.
func Check(t *testing.T, holds func(*rapid.T)) {
	t.Helper()
	if err := sown(); err != nil {
		t.Fatal(err)
	}
	rapid.Check(t, holds)
}
