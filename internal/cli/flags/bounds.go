package flags

import "time"

// MaxNumber and MaxTime bound flags of numbers and times. Package options checks that they equal
// the bounds of package arrivals, which is too heavy to import here.
const (
	MaxNumber = 100_000_000
	MaxTime   = 87_600 * time.Hour
)
