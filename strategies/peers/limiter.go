package peers

import (
	"context"
	"errors"

	"github.com/poolbench/poolbench/strategies"
)

type outcome int

const (
	succeeded outcome = iota // its length is a sample
	dropped                  // refused or too late: a sign of overload
	ignored                  // it failed, or was given up: it says nothing
)

// A task that requests another attempt was refused by its target.
func outcomeOf(r strategies.Result) outcome {
	switch {
	case r.Err == nil:
		return succeeded
	case r.Retry || r.After > 0, errors.Is(r.Err, context.DeadlineExceeded):
		return dropped
	}
	return ignored
}
