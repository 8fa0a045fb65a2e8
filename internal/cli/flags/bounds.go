package flags

import "time"

// MaxNumber and MaxTime limit flags of numbers and times. Package options checks that they equal
// the limits of package arrivals, which is too heavy to import here.
const (
	MaxNumber = 100_000_000
	MaxTime   = 87_600 * time.Hour
)
