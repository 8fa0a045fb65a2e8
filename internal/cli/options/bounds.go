package options

import (
	"github.com/poolbench/poolbench/bench/arrivals"
	"github.com/poolbench/poolbench/internal/cli/flags"
)

// The build fails with an index out of range unless both packages have the same limits.
var (
	_ = [1]struct{}{}[arrivals.MaxTasks-flags.MaxNumber]
	_ = [1]struct{}{}[arrivals.MaxSpan-flags.MaxTime]
)
