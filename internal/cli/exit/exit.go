// Package exit has the codes with which the command ends, and the signals that end it early.
package exit

import (
	"errors"
	"fmt"
	"slices"
)

// A Code ends the command with itself; whatever there was to say has been said.
type Code int

// When several apply, the first in the order of severity counts.
const (
	Fine        Code = 0
	Regression  Code = 1   // worse by more than the margin
	Unusable    Code = 2   // bad usage or input; a result that is missing
	Undecided   Code = 3   // inconclusive, too few samples, a measurement that is INVALID
	Interrupted Code = 130 // SIGINT or SIGTERM; what was written is whole and marked partial
)

var severity = []Code{Interrupted, Unusable, Regression, Undecided, Fine}

func (c Code) Error() string { return fmt.Sprintf("exit code %d", int(c)) }

// ErrStdout is that of standard output, which keeps its own error until the end of the command.
var ErrStdout = errors.New("standard output")

// Severest picks the code that counts.
func Severest(codes ...Code) Code {
	for _, s := range severity {
		if slices.Contains(codes, s) {
			return s
		}
	}
	return Fine
}

// Ended is the error that a command returns after showing its result, for the exit codes that it
// has earned: nil for fine.
func Ended(shown error, codes ...Code) error {
	if shown != nil && !errors.Is(shown, ErrStdout) {
		return shown
	}
	if code := Severest(codes...); code != Fine {
		return code
	}
	return nil
}
