package text

import (
	"slices"
	"strings"
)

// Units with an evident direction, alone or after a "-". lowerUnits may also be followed by "/" and
// a denominator other than seconds.
var (
	higherUnits = []string{"ops/s", "op/s", "req/s", "requests/s", "rps", "qps", "B/s", "MB/s",
		"GB/s", "items/s", "rows/s", "events/s", "msgs/s", "messages/s", "tasks/s", "tx/s"}
	lowerUnits = []string{"sec", "ms", "us", "µs", "B", "KB", "kB", "MB", "GB", "bytes", "allocs",
		"cycles", "instructions"}
)

// Better returns +1 if higher values of the unit are evidently better, −1 if lower ones are, and 0
// if unknown. The unit must come from benchunit.Tidy.
func Better(unit string) int {
	if strings.HasPrefix(unit, "offered-") { // a requested value, not a measured one
		return 0
	}
	ends := func(unit string) func(known string) bool {
		return func(known string) bool {
			return unit == known || strings.HasSuffix(unit, "-"+known)
		}
	}
	what, per, _ := strings.Cut(unit, "/")
	switch {
	case slices.ContainsFunc(higherUnits, ends(unit)):
		return +1
	case per != "s" && slices.ContainsFunc(lowerUnits, ends(what)):
		return -1
	}
	return 0
}
