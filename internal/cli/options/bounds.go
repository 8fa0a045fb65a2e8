package options

import (
	"github.com/poolbench/poolbench/bench/arrivals"
	"github.com/poolbench/poolbench/internal/cli/flags"
)

// An index is out of range, and nothing is built, unless the bounds of both packages are equal.
var (
	_ = [1]struct{}{}[arrivals.MaxTasks-flags.MaxNumber]
	_ = [1]struct{}{}[arrivals.MaxSpan-flags.MaxTime]
)
