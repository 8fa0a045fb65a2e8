package flags

import "time"

// MaxNumber and MaxTime are the most that the flag of a number or of a time takes. Package options
// checks that they are what package arrivals allows, which is too heavy to be imported here.
const (
	MaxNumber = 100_000_000
	MaxTime   = 87_600 * time.Hour
)
