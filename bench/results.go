package bench

import (
	"github.com/poolbench/poolbench/bench/result"
)

// A Result is the result of one run, as plain data that other processes receive as JSON.
type Result = result.Result
