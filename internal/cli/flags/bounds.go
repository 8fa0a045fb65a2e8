package flags

import "time"

// Package options checks that these limits equal those of package arrivals, which is too heavy to
// import here.
const (
	MaxNumber = 100_000_000
	MaxTime   = 87_600 * time.Hour
)
