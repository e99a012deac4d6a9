package fault

import (
	"fmt"
	"runtime/debug"
)

// Recovered runs fn and returns its panic as an internal error, with the stack for the log. It is for work on
// data of one company or one record in the background, where a panic would end the service for all.
func Recovered(fn func() error) (err error) {
	defer func() {
		if cause := recover(); cause != nil {
			err = fmt.Errorf("panic: %v\n%s", cause, debug.Stack())
		}
	}()
	return fn()
}
