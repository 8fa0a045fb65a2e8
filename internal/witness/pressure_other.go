//go:build !linux

package witness

func readCounters() counters { return counters{stolen: -1, ticks: -1, stalled: -1} }

// Ticks says that it does not know.
func Ticks() (stolen, all, busy int64) { return -1, -1, -1 }
