package machine

// goroutines returns "", because the writers of profiles are 6 % of a program for the browser,
// which has only strategies that are tested not to hang.
func goroutines() string { return "" }
