package machine

// The writers of profiles would be 6 % of a program for the browser, which has only strategies that
// are tested not to hang.
func goroutines() string { return "" }
