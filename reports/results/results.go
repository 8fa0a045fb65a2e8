package results

import (
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/perf/benchfmt"

	"github.com/poolbench/poolbench/internal/decide"
	"github.com/poolbench/poolbench/internal/metric"
)

// Results is the read-only content of one file: at least one run, with finite values.
type Results struct {
	Path string // for messages
	// run directory, or "" if a file was read
	Dir string
	// 1 for a file written by poolbench, 0 for other benchmark output
	Schema  int
	Runs    []Run    // in the order of the file
	Metrics []string // tidied units, in the order of first appearance
	// direction (better=) and distribution (assume=) from the Unit lines
	Units benchfmt.UnitMetadataMap
	// in the order of chart colours
	Strategies []string
	Objectives []Bound
	// command line that wrote all runs, without secrets. "" if it is unknown or there are several
	Command string
	Program string // start of a command line: "poolbench", or "go run ." for a user's own module
	// last finding of each study
	Findings []decide.Finding
	// runs without a result, even in a later attempt
	Failures []Failure
	// another program's incomplete last line. poolbench's files are checked by their marks
	Cut Pos
	// why the file is incomplete, or ""
	Partial string
	// the end mark has another number of runs, so the file was modified
	Miscounted bool
	// go test reported a failure
	Failed bool
	// one line each, with file and line
	Warnings []string
}

// A Bound is a bound on a metric in its unit.
type Bound = decide.Bound

// A Run is one repetition of a scenario: one benchmark line.
type Run struct {
	// without "Benchmark", with a GOMAXPROCS suffix "-8"
	Name string
	// the /key=value parts of the name, with the suffix "-8" as {gomaxprocs 8}. Shared between runs
	Keys []Pair
	// index of this line among the lines of the name and package
	Repetition int
	Iters      int // tasks or iterations behind the values
	// Shared between runs and read-only
	Config []Pair
	// by tidied unit (ns become sec and MB become B, also for the value 0)
	Values map[string]float64
	Doubts []Doubt // why it is not VALID, from the lines before it
	// 95 % errors above 25 %, relative (0.48: ±48 %). +Inf if the run is too short to bound the
	// error
	Uncertain map[string]float64
	Undecided string
	// from the line before it or a benchmark's metric, or ""
	Seed    string
	Virtual bool // a benchmark in go test under the virtual clock
	// name of an attack in charts: its target, or "STRATEGY to TARGET". "" if the strategy suffices
	Attacked string
	Pos      Pos
}

// Series returns the run's strategy or, for an attack, its target.
func (r *Run) Series() string {
	if r.Attacked != "" {
		return r.Attacked
	}
	return r.Key("strategy")
}

func nameAttacks(runs []Run) {
	targets := make(map[string]bool)
	for i := range runs {
		if runs[i].Base() == "Attack" {
			targets[runs[i].Key("target")] = true
		}
	}
	for i := range runs {
		strategy, target := runs[i].Key("strategy"), Readable(runs[i].Key("target"))
		switch {
		case runs[i].Base() != "Attack":
		case strategy == "":
			runs[i].Attacked = target
		case len(targets) > 1:
			runs[i].Attacked = strategy + " to " + target
		}
	}
}

// A Doubt is a reason to distrust a run.
type Doubt struct {
	Invalid bool   // INVALID, otherwise SUSPECT
	Text    string // the finding, with numbers
}

// A Failure is a run without a result.
type Failure struct {
	Name   string
	Seed   uint64
	Reason string // in one line
}

// A Verdict is the reliability of a run.
type Verdict int

// The verdicts, from the best to the worst.
const (
	Valid Verdict = iota
	Suspect
	Invalid
)

func (v Verdict) String() string { return [...]string{"VALID", "SUSPECT", "INVALID"}[v] }

// Verdict returns false if the run has no verdict.
func (r *Run) Verdict() (v Verdict, known bool) {
	worst, known := r.Value(metric.Verdict)
	if broken, ok := r.Value(BrokenLaws); ok && broken != 0 {
		return Invalid, true
	}
	return Verdict(min(max(worst, float64(Valid)), float64(Invalid))), known
}

// Pair is a key of a benchmark's name or of a configuration line, with its value.
type Pair struct{ Key, Value string }

// Pos is a place in a file. Lines count from 1.
type Pos struct {
	File string
	Line int
}

func (p Pos) String() string { return p.File + ":" + strconv.Itoa(p.Line) }

// Base returns the name without its keys: "Run" for Run/strategy=semaphore/….
func (r *Run) Base() string { return string(benchfmt.Name(r.Name).Base()) }

// Key returns the value of a key of the name, or "".
func (r *Run) Key(key string) string { return Lookup(r.Keys, key) }

// ConfigValue returns the value of a configuration line, or "".
func (r *Run) ConfigValue(key string) string { return Lookup(r.Config, key) }

// Value returns the value of a metric by its tidied unit.
func (r *Run) Value(unit string) (float64, bool) {
	v, ok := r.Values[unit]
	return v, ok
}

// StudyOf returns for each run the index of its study's finding, or -1.
func (r *Results) StudyOf() []int {
	of := make([]int, len(r.Runs))
	for i := range of {
		of[i] = -1
	}
	for i, f := range r.Findings {
		if f.Study == "" {
			continue
		}
		for _, run := range f.Runs {
			of[run] = i
		}
	}
	return of
}

// Lookup returns the value of a key, or "".
func Lookup(pairs []Pair, key string) string {
	for _, p := range pairs {
		if p.Key == key {
			return p.Value
		}
	}
	return ""
}

// Without returns the pairs except those with the keys.
func Without(pairs []Pair, keys ...string) []Pair {
	return slices.DeleteFunc(slices.Clone(pairs), func(p Pair) bool {
		return slices.Contains(keys, p.Key)
	})
}

// Readable returns a value without escapes.
func Readable(value string) string {
	if readable, err := url.PathUnescape(value); err == nil {
		return readable
	}
	return value
}

// Words formats keys for a heading.
func Words(pairs []Pair) (words []string) {
	for _, p := range pairs {
		value := Readable(p.Value)
		switch {
		case p.Key == "target" && value == "none":
		case p.Key == "workload":
			words = append(words, value)
		case p.Key == "arrival":
			words = append(words, value+" arrivals")
		case p.Key == "clock":
			words = append(words, value+" clock")
		case p.Key == "n" && value == "1":
			words = append(words, "1 task")
		case p.Key == "n":
			words = append(words, value+" tasks")
		case p.Key == "rate":
			words = append(words, "rate "+value+" /s")
		default:
			words = append(words, p.Key+" "+value)
		}
	}
	return words
}

// NameKeys returns the key=value parts of a name.
func NameKeys(name benchfmt.Name) []Pair {
	_, parts := name.Parts()
	var keys []Pair
	for _, part := range parts {
		if part[0] == '-' {
			keys = append(keys, Pair{"gomaxprocs", string(part[1:])})
			continue
		}
		if key, value, ok := strings.Cut(string(part[1:]), "="); ok {
			keys = append(keys, Pair{key, value})
		}
	}
	return keys
}

type warnings struct {
	order []string
	seen  map[string]*warning
}

type warning struct {
	first Pos
	more  int
}

func (w *warnings) add(at Pos, format string, args ...any) {
	msg := fmt.Sprintf(format, args...)
	if seen, ok := w.seen[msg]; ok {
		seen.more++
		return
	}
	w.seen[msg] = &warning{first: at}
	w.order = append(w.order, msg)
}

func (w *warnings) lines() []string {
	lines := make([]string, 0, len(w.order))
	for _, msg := range w.order {
		line := w.seen[msg].first.String() + ": " + msg
		if more := w.seen[msg].more; more > 0 {
			line += fmt.Sprintf(" (%d more like it)", more)
		}
		lines = append(lines, line)
	}
	return slices.Clip(lines)
}

// Invalid reports whether the run's verdict is INVALID.
func (r *Run) Invalid() bool {
	v, _ := r.Verdict()
	return v == Invalid
}

// Qualified returns the name with its package.
func (r *Run) Qualified() string {
	if pkg := r.ConfigValue("pkg"); pkg != "" {
		return pkg + "." + r.Name
	}
	return r.Name
}

// BrokenLaws counts the conservation laws that a run violates. Such a run is not a measurement.
const BrokenLaws = metric.BrokenLaws
