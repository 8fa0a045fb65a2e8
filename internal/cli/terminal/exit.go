package terminal

import (
	"errors"
	"fmt"
	"slices"
)

// An ExitCode ends the command with this code. It prints no message.
type ExitCode int

// If several codes apply, the most severe one counts.
const (
	Fine        ExitCode = 0
	Regression  ExitCode = 1   // worse by more than the margin
	Unusable    ExitCode = 2   // bad usage or input, or a missing result
	Undecided   ExitCode = 3   // inconclusive, too few samples, or an INVALID measurement
	Interrupted ExitCode = 130 // SIGINT or SIGTERM; written results are complete and marked partial
)

var severity = []ExitCode{Interrupted, Unusable, Regression, Undecided, Fine}

func (c ExitCode) Error() string { return fmt.Sprintf("exit code %d", int(c)) }

// output keeps an error of standard output until the command ends.
var ErrStdout = errors.New("standard output")

func Severest(codes ...ExitCode) ExitCode {
	for _, s := range severity {
		if slices.Contains(codes, s) {
			return s
		}
	}
	return Fine
}

func Ended(shown error, codes ...ExitCode) error {
	if shown != nil && !errors.Is(shown, ErrStdout) {
		return shown
	}
	if code := Severest(codes...); code != Fine {
		return code
	}
	return nil
}
