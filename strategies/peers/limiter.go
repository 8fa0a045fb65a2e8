package peers

import (
	"context"
	"errors"

	"github.com/poolbench/poolbench/strategies"
)

// An outcome is a task's outcome for a limiter that learns.
type outcome int

const (
	succeeded outcome = iota // its length is a sample
	dropped                  // refused or too late: a sign of overload
	ignored                  // it failed, or was given up: it says nothing
)

// outcomeOf reads the outcome from a result. A task that asks for another attempt was refused by
// its target, for now.
func outcomeOf(r strategies.Result) outcome {
	switch {
	case r.Err == nil:
		return succeeded
	case r.Retry || r.After > 0, errors.Is(r.Err, context.DeadlineExceeded):
		return dropped
	}
	return ignored
}
