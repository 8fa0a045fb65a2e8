package terminal

import (
	"errors"
	"fmt"
	"slices"
)

// An ExitCode ends the command with itself; whatever there was to say has been said.
type ExitCode int

// When several apply, the first in the order of severity counts.
const (
	Fine        ExitCode = 0
	Regression  ExitCode = 1   // worse by more than the margin
	Unusable    ExitCode = 2   // bad usage or input; a result that is missing
	Undecided   ExitCode = 3   // inconclusive, too few samples, a measurement that is INVALID
	Interrupted ExitCode = 130 // SIGINT or SIGTERM; what was written is whole and marked partial
)

var severity = []ExitCode{Interrupted, Unusable, Regression, Undecided, Fine}

func (c ExitCode) Error() string { return fmt.Sprintf("exit code %d", int(c)) }

// ErrStdout is that of standard output, which keeps its own error until the end of the command.
var ErrStdout = errors.New("standard output")

// Severest picks the code that counts.
func Severest(codes ...ExitCode) ExitCode {
	for _, s := range severity {
		if slices.Contains(codes, s) {
			return s
		}
	}
	return Fine
}

// Ended is the error that a command returns after showing its result, for the exit codes that it
// has earned: nil for fine.
func Ended(shown error, codes ...ExitCode) error {
	if shown != nil && !errors.Is(shown, ErrStdout) {
		return shown
	}
	if code := Severest(codes...); code != Fine {
		return code
	}
	return nil
}
