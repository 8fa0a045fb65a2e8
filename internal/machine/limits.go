package machine

import (
	"math"
	"os"
	"runtime/debug"
	"strconv"
	"strings"
)

// Memory considers the system, the control group of the process and GOMEMLIMIT. 0: unknown.
func Memory() int64 {
	free := debug.SetMemoryLimit(-1)
	known := free < math.MaxInt64
	if text, err := os.ReadFile("/proc/meminfo"); err == nil {
		for line := range strings.Lines(string(text)) {
			words := strings.Fields(line) // MemAvailable: 123456 kB
			if len(words) < 2 || words[0] != "MemAvailable:" {
				continue
			}
			if kB, err := strconv.ParseInt(words[1], 10, 53); err == nil {
				free, known = min(free, kB<<10), true
			}
		}
	}
	number := func(name string) (int64, bool) {
		text, err := os.ReadFile("/sys/fs/cgroup/" + name)
		if err != nil {
			return 0, false
		}
		n, err := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64)
		return n, err == nil // "max" is not a number
	}
	if most, ok := number("memory.max"); ok {
		if used, ok := number("memory.current"); ok {
			free, known = min(free, max(most-used, 0)), true
		}
	}
	if !known {
		return 0
	}
	return max(free, 1)
}
