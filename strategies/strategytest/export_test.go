package strategytest

// The faults of the reference strategy occur once in 700 tasks.
func init() { volume = func() int { return 3000 } }
