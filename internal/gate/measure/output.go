package measure

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/perf/benchfmt"
	"golang.org/x/perf/benchunit"
	"gonum.org/v1/gonum/stat"

	"github.com/poolbench/poolbench/internal/lazyregexp"
	"github.com/poolbench/poolbench/internal/metric"
	"github.com/poolbench/poolbench/internal/text"
)

type reading struct {
	name    string // with the suffix for GOMAXPROCS
	iters   int
	values  []benchfmt.Value   // as printed
	tidy    map[string]float64 // by tidied unit
	machine map[string]string
}

// Other configuration lines are ignored, because a line of a log may look like one.
var ofMachine = []string{"goos", "goarch", "cpu"}

// resultLine also finds a result after output without a newline. Package testing pads the name with
// blanks up to a tab.
var resultLine = lazyregexp.New(`(Benchmark\S*) *\t *\d+\t.*$`)

func read(printed []byte) (found []reading, units benchfmt.UnitMetadataMap, err error) {
	var kept bytes.Buffer
	machine := map[string]string{}
	for line := range bytes.Lines(printed) {
		line = bytes.TrimRight(line, "\r\n")
		if at := resultLine.FindIndex(line); at != nil {
			line = line[at[0]:]
		} else if !bytes.HasPrefix(line, []byte("Unit ")) {
			for _, key := range ofMachine {
				if value, ok := strings.CutPrefix(string(line), key+": "); ok &&
					machine[key] == "" {
					machine[key] = value
				}
			}
			continue
		}
		kept.Write(line)
		kept.WriteByte('\n')
	}
	reader := benchfmt.NewReader(&kept, "its output")
	for reader.Scan() {
		switch rec := reader.Result().(type) {
		case *benchfmt.Result:
			r, err := newReading(rec.Clone(), machine)
			if err != nil {
				return nil, nil, err
			}
			found = append(found, r)
		case *benchfmt.SyntaxError:
			return nil, nil, fmt.Errorf("a line is not a result: %s", rec.Msg)
		}
	}
	return found, reader.Units(), reader.Err()
}

// A valueError is a value that is no number. A benchmark that panics in b.Loop has a sec/op of NaN.
type valueError struct {
	unit  string
	value float64
}

func (e *valueError) Error() string { return fmt.Sprintf("%s is %v", e.unit, e.value) }

func newReading(rec *benchfmt.Result, machine map[string]string) (reading, error) {
	r := reading{name: "Benchmark" + string(rec.Name), iters: rec.Iters, values: rec.Values,
		tidy: map[string]float64{}, machine: machine}
	for _, v := range rec.Values {
		// benchfmt does not tidy the unit of a value of 0.
		value, unit := benchunit.Tidy(v.Value, v.Unit)
		if math.IsNaN(value) || math.IsInf(value, 0) {
			return reading{}, &valueError{unit, value}
		}
		if value == 0 {
			value = 0 // removes a negative sign
		}
		if _, twice := r.tidy[unit]; !twice {
			r.tidy[unit] = value
		}
	}
	return r, nil
}

// readingOf returns an error if the benchmark failed or skipped itself.
func readingOf(printed []byte, name string) (r reading, units benchfmt.UnitMetadataMap, err error) {
	found, units, err := read(printed)
	if err != nil {
		return reading{}, nil, err
	}
	for _, r = range found {
		if r.name == name {
			return r, units, nil
		}
	}
	if skipped := outcomes(printed, "SKIP"); len(skipped) > 0 {
		return reading{}, nil, errors.New("it called Skip, but not in the first run")
	}
	return reading{}, nil,
		fmt.Errorf("it printed no result\n    %s", text.FirstLines(string(printed), 8))
}

var begun = lazyregexp.New(`(?m)^Benchmark\S*$`)

// silent returns the benchmarks that have begun and then printed no outcome. A benchmark whose
// goroutine panics can end like this with exit code 0, because package testing learns of its end
// before the runtime ends the process.
func silent(printed []byte, results []reading, procs int) (names []string) {
	spoke := outcomes(printed, "FAIL")
	spoke = append(spoke, outcomes(printed, "SKIP")...)
	for _, r := range results {
		spoke = append(spoke, plain(r.name, procs))
	}
	for _, name := range begun.FindAllString(string(printed), -1) {
		if !slices.ContainsFunc(spoke,
			func(s string) bool { return s == name || strings.HasPrefix(s, name+"/") }) {
			names = append(names, name)
		}
	}
	return names
}

// outcomes returns the innermost benchmarks with the outcome word, FAIL or SKIP.
func outcomes(printed []byte, word string) (names []string) {
	for line := range strings.Lines(string(printed)) {
		name, ok := strings.CutPrefix(strings.TrimSpace(line), "--- "+word+": ")
		if !ok {
			continue
		}
		name, _, _ = strings.Cut(name, " ")
		if !slices.ContainsFunc(names, func(known string) bool {
			return strings.HasPrefix(known, name+"/")
		}) {
			names = append(names, name)
		}
	}
	return names
}

func plain(name string, procs int) string {
	if procs == 1 {
		return name
	}
	return strings.TrimSuffix(name, "-"+strconv.Itoa(procs))
}

// maxParts is the number of processes of a run, each with a quarter of the iterations: base, head,
// head, base, base, head, head, base. The time of a run is the mean of the faster half of its
// parts.
//
// Other programs can only make a part slower, while a change in the program affects all parts (Chen
// and Revels 2016, Robust benchmarking in noisy environments, who use the minimum). The faster half
// still shows a change that slows down half of the processes, depending on memory layout or a map's
// random seed.
//
// On a shared virtual machine with two cores, the ratio of two runs of 250 ms of the same code had
// a median standard deviation of 12.5 % for a single process, 6.3 % for the mean of four parts, and
// 4.3 % for the mean of the faster two. Starting a part takes 7 ms.
const maxParts = 4

// The mean of these units over parts of equal size is the mean over all iterations. A benchmark's
// own metrics may be quantiles, for which this is wrong.
var ofTesting = []string{"sec/op", "B/s", metric.BytesPerOp, metric.AllocsPerOp}

func (r reading) divisible() bool {
	for unit := range r.tidy {
		if !slices.Contains(ofTesting, unit) {
			return false
		}
	}
	return true
}

func (b *benchmark) setParts(divisible, asked bool) {
	b.Parts = 1
	if divisible {
		b.Parts = min(maxParts, b.Iterations)
	}
	for asked && b.Iterations%b.Parts != 0 {
		b.Parts--
	}
	b.Iterations = roundUp(b.Iterations, b.Parts)
	if divisible && !asked {
		b.ScreenIterations = roundUp(int(math.Ceil(screenShare*float64(b.Iterations))), b.Parts)
	}
}

func roundUp(n, multiple int) int { return (n + multiple - 1) / multiple * multiple }

// combineParts combines the parts of a run, which have equal numbers of iterations. Instructions
// are omitted if any part lacks them. Other units must be in all parts.
func combineParts(parts []reading) (reading, error) {
	if len(parts) == 1 {
		return parts[0], nil
	}
	whole := reading{name: parts[0].name, machine: parts[0].machine, tidy: map[string]float64{}}
	printed := map[string][]float64{} // by unit, in the order of the parts' times
	var units []string
	for _, p := range slices.SortedStableFunc(slices.Values(parts),
		func(a, b reading) int { return cmp.Compare(a.tidy["sec/op"], b.tidy["sec/op"]) }) {
		whole.iters += p.iters
		for _, v := range p.values {
			value, unit := v.Value, v.Unit
			if v.OrigUnit != "" {
				value, unit = v.OrigValue, v.OrigUnit
			}
			if printed[unit] == nil {
				units = append(units, unit)
			}
			printed[unit] = append(printed[unit], value)
		}
	}
	for _, unit := range units {
		values := printed[unit]
		if len(values) < len(parts) {
			if unit != Instructions {
				return reading{}, fmt.Errorf("it reports %s in %d of %d parts of a run", unit,
					len(values), len(parts))
			}
			continue
		}
		faster := values[:(len(values)+1)/2]
		var mean float64
		switch _, tidied := benchunit.Tidy(1, unit); tidied {
		case "sec/op":
			mean = stat.Mean(faster, nil)
		case "B/s": // the parts have equal bytes, not equal times
			sum := 0.0
			for _, rate := range faster {
				sum += 1 / rate
			}
			mean = float64(len(faster)) / sum
		case metric.BytesPerOp, metric.AllocsPerOp:
			// allocations of the runtime and the garbage collector vary, allocations of the
			// benchmark are in every part
			mean = slices.Sorted(slices.Values(values))[(len(values)-1)/2]
		default:
			mean = stat.Mean(values, nil)
		}
		whole.values = append(whole.values, benchfmt.Value{Value: mean, Unit: unit})
		value, tidied := benchunit.Tidy(mean, unit)
		whole.tidy[tidied] = value
	}
	return whole, nil
}
