package measure

import (
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/perf/benchfmt"
)

// Units that a run has beside those of its benchmark. The first is gated; the others tell of the
// machine, and have no direction.
const (
	Instructions = "instructions/op"
	// share of the processors' time, during the pair, that the host gave to other machines
	Steal       = "cpu-steal"
	LoadAverage = "load-average" // of the last minute, after the pair
)

// A record is one pair as it is kept.
type record struct {
	slot slot
	runs [2]reading // by side
}

// result is a side's run in the Go benchmark format.
func (r record) result(s side, b benchmark) *benchfmt.Result {
	run := r.runs[s]
	order := "first"
	if (s == head) != r.slot.headFirst {
		order = "second"
	}
	var config []benchfmt.Config
	set := func(key, value string) {
		if value != "" {
			config = append(config, benchfmt.Config{Key: key, Value: []byte(value), File: true})
		}
	}
	for _, key := range ofMachine {
		set(key, run.machine[key])
	}
	set("pkg", b.Package)
	set("pair", fmt.Sprint(r.slot.pair+1))
	set("order", order)
	set("seed", fmt.Sprint(r.slot.seed))
	set("layout", fmt.Sprint(r.slot.layout+1))
	return &benchfmt.Result{Config: config, Name: benchfmt.Name(run.name[len("Benchmark"):]),
		Iters: run.iters, Values: run.values}
}

// add gives the reading another value.
func (r *reading) add(value float64, unit string) {
	r.values = append(slices.Clip(r.values), benchfmt.Value{Value: value, Unit: unit})
	r.tidy[unit] = value
}

// unitLines declare what is said of the units of results, sorted.
func unitLines(units benchfmt.UnitMetadataMap) (lines []string) {
	for _, u := range units {
		lines = append(lines, fmt.Sprintf("Unit %s %s=%s", u.OrigUnit, u.Key, u.Value))
	}
	slices.Sort(lines)
	return lines
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
