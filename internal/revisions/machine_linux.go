package revisions

import (
	"os"
	"strconv"
	"strings"
)

// ticks reads how much time of all processors the host gave to other machines, and how much there was in all; of which none where the system
// does not tell.
func ticks() (stolen, all int64) {
	text, err := os.ReadFile("/proc/stat")
	if err != nil {
		return 0, 0
	}
	// cpu user nice system idle iowait irq softirq steal guest …, where guest is in user already
	line, _, _ := strings.Cut(string(text), "\n")
	fields := strings.Fields(line)
	if len(fields) < 9 || fields[0] != "cpu" {
		return 0, 0
	}
	for i, field := range fields[1:9] {
		n, err := strconv.ParseInt(field, 10, 64)
		if err != nil {
			return 0, 0
		}
		if all += n; i == 7 {
			stolen = n
		}
	}
	return stolen, all
}

// loadAverage is that of the last minute; negative where the system does not tell.
func loadAverage() float64 {
	text, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return -1
	}
	first, _, _ := strings.Cut(string(text), " ")
	load, err := strconv.ParseFloat(first, 64)
	if err != nil {
		return -1
	}
	return load
}
