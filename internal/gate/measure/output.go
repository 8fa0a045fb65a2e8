package measure

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/perf/benchfmt"
	"golang.org/x/perf/benchunit"
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
			kept.Write(line[at[0]:])
			kept.WriteByte('\n')
			continue
		}
		if bytes.HasPrefix(line, []byte("Unit ")) {
			kept.Write(line)
			kept.WriteByte('\n')
			continue
		}
		for _, key := range ofMachine {
			if value, ok := strings.CutPrefix(string(line), key+": "); ok && machine[key] == "" {
				machine[key] = value
			}
		}
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
		fmt.Errorf("it printed no result\n    %s", firstLines(string(printed), 8))
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
		parent := false
		for _, known := range names {
			parent = parent || strings.HasPrefix(known, name+"/")
		}
		if !parent {
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
