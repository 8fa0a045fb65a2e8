package measure

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/perf/benchfmt"
	"golang.org/x/perf/benchunit"
	"gonum.org/v1/gonum/stat"

	"github.com/poolbench/poolbench/internal/metric"
	"github.com/poolbench/poolbench/internal/text"
)

// A reading is what one run of one benchmark reported.
type reading struct {
	name    string             // with the suffix for GOMAXPROCS
	iters   int                // iterations
	values  []benchfmt.Value   // as printed
	tidy    map[string]float64 // by tidied unit
	machine map[string]string  // goos, goarch, cpu
}

// ofMachine are the configuration lines that package testing prints. A line of a log may look like
// one: no others are taken.
var ofMachine = []string{"goos", "goarch", "cpu"}

// resultLine finds a result in a line, which begins with whatever the benchmark itself has printed
// last without a newline. Package testing pads the name with blanks up to a tab.
var resultLine = regexp.MustCompile(`(Benchmark\S*) *\t *\d+\t.*$`)

// read takes the results, the Unit lines and the machine out of what a test binary printed, all
// else is the benchmark's own business. The results are in the order in which they came.
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
			return nil, nil, fmt.Errorf("a line that is no result: %s", rec.Msg)
		}
	}
	return found, reader.Units(), reader.Err()
}

func newReading(rec *benchfmt.Result, machine map[string]string) (reading, error) {
	r := reading{name: "Benchmark" + string(rec.Name), iters: rec.Iters, values: rec.Values,
		tidy: map[string]float64{}, machine: machine}
	for _, v := range rec.Values {
		// benchfmt keeps the unit of a value that tidying does not change: that of 0.
		value, unit := benchunit.Tidy(v.Value, v.Unit)
		if math.IsNaN(value) || math.IsInf(value, 0) {
			return reading{}, fmt.Errorf("%s is %v", unit, value)
		}
		if value == 0 {
			value = 0 // without a sign
		}
		if _, twice := r.tidy[unit]; !twice {
			r.tidy[unit] = value
		}
	}
	return r, nil
}

// one is the reading of the benchmark of that name. A benchmark that fails or skips itself leaves
// none.
func one(printed []byte, name string) (r reading, units benchfmt.UnitMetadataMap, err error) {
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
		return reading{}, nil, errors.New("it skipped itself, and did not when it was listed")
	}
	return reading{}, nil,
		fmt.Errorf("it printed no result\n    %s", text.FirstLines(string(printed), 8))
}

// begun finds the benchmarks that -test.v says have begun.
var begun = regexp.MustCompile(`(?m)^Benchmark\S*$`)

// silent are those that have begun and then said nothing: no result of theirs, nor of
// sub-benchmarks, no failure, no skip. A benchmark whose goroutine panics can end like that, with
// exit code 0: package testing hears that it has ended before the runtime ends the process.
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

// outcomes are the benchmarks that testing says have failed or been skipped: the innermost ones.
func outcomes(printed []byte, word string) (names []string) {
	for line := range strings.Lines(string(printed)) {
		name, ok := strings.CutPrefix(strings.TrimSpace(line), "--- "+word+": ")
		if !ok {
			continue
		}
		name, _, _ = strings.Cut(name, " ")
		if !slices.ContainsFunc(names, func(known string) bool { // it is no parent of one
			return strings.HasPrefix(known, name+"/")
		}) {
			names = append(names, name)
		}
	}
	return names
}

// plain takes the suffix for GOMAXPROCS off a name.
func plain(name string, procs int) string {
	if procs == 1 {
		return name
	}
	return strings.TrimSuffix(name, "-"+strconv.Itoa(procs))
}

// mostParts is how many processes a run is cut into, a quarter of its iterations each: base, head,
// head, base, base, head, head, base. Of the times of its parts that of the faster half counts.
//
// What else the machine does comes and goes within a second, and can only make a part slower. Each
// part does the same work with the same seed in a process of its own, so that a change in the
// program affects all parts alike, and parts of one run differ only by outside influence: the least
// disturbed ones tell most of the program (Chen and Revels 2016, Robust benchmarking in noisy
// environments, who take the minimum). Half of them is a compromise: a change that slows down one
// process in two, by how its memory happens to lie or a map's random seed, is still seen.
//
// On a shared virtual machine with two cores the ratio of two runs of 250 ms of the same code, of
// 20 benchmarks of 1 to 20 µs in 10 pairs each, scattered by 12.5 % (the median of their standard
// deviations) in a single process, by 6.3 % as the mean of four parts, by 4.3 % as that of the
// faster two, and by 2.8 % as the fastest. More parts would be better still, but the start of each
// takes 7 ms.
const mostParts = 4

// ofTesting are the units that package testing itself measures: means over the iterations, so that
// the mean of parts is that of their iterations. Of a benchmark's own metrics that is not known: a
// quantile has no such mean.
var ofTesting = []string{"sec/op", "B/s", metric.BytesPerOp, metric.AllocsPerOp}

// divisible says whether the run could have been cut into parts.
func (r reading) divisible() bool {
	for unit := range r.tidy {
		if !slices.Contains(ofTesting, unit) {
			return false
		}
	}
	return true
}

// cut decides on the parts of a run, which have as many iterations each. A number of iterations
// that was asked for is kept, at the price of fewer parts; one that makes up a time is rounded up.
func (b *benchmark) cut(divisible, asked bool) {
	b.Parts = 1
	if divisible {
		b.Parts = min(mostParts, b.Iterations)
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

// together is the reading of a run from those of its parts, which have as many iterations each:
// times by the faster half of them, allocations by their lower median, other counts by all.
// Instructions that were not counted in every part are left out, as where they are not counted at
// all; the benchmark's own units must be in all.
func together(parts []reading) (reading, error) {
	if len(parts) == 1 {
		return parts[0], nil
	}
	whole := reading{name: parts[0].name, machine: parts[0].machine, tidy: map[string]float64{}}
	printed := map[string][]float64{} // by unit, of the parts by their time
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
		var mean float64 // or the lower median
		switch _, tidied := benchunit.Tidy(1, unit); tidied {
		case "sec/op":
			mean = stat.Mean(faster, nil)
		case "B/s": // the parts have as many bytes, not as much time
			sum := 0.0
			for _, rate := range faster {
				sum += 1 / rate
			}
			mean = float64(len(faster)) / sum
		case metric.BytesPerOp, metric.AllocsPerOp:
			// what the runtime and the garbage collector add comes and goes; what the benchmark
			// allocates is in each part
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
