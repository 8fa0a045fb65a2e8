package strategytest

// The reference strategies of this package's tests have faults in one of 700 tasks.
func init() { volume = func() int { return 3000 } }
