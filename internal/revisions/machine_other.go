//go:build !linux

package revisions

// ticks and loadAverage say that they do not know.
func ticks() (stolen, all int64) { return 0, 0 }

func loadAverage() float64 { return -1 }
