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

// Results is what one file holds: at least one run, every value finite.
//
// It is read-only once read: renderers, charts and the gate share it.
type Results struct {
	Path string // the file's name, as messages give it
	// the run's directory, where it was read as one; "" otherwise
	Dir string
	// 1 for a file written by poolbench, 0 for any other benchmark output
	Schema  int
	Runs    []Run    // in the order of the file
	Metrics []string // every tidied unit, in the order of first appearance
	// direction (better=) and distribution (assume=) from the Unit lines
	Units benchfmt.UnitMetadataMap
	// that a run names, in the order of the colours of charts: the header's, then any others
	Strategies []string
	// what its runs were held to, each once
	Objectives []Bound
	// what studies say of the runs, as they wrote them, the last word of each
	Findings []decide.Finding
	// runs without a result, but for those that a later attempt has given one
	Failures []Failure
	// the last line of a file that is not poolbench's, where only half of it is there; else the
	// zero Pos: ours says by its marks how far it came
	Cut Pos
	// why the file is not whole, in a few words; "" when it is, or when it is not ours to know
	Partial string
	// it holds other runs than its last line counts: somebody has changed it
	Miscounted bool
	// go test says that it failed: a package that does not build, a panic, a failed benchmark
	Failed bool
	// what a reader should be told, one line each, with file and line
	Warnings []string
}

// A Bound is on a metric, in its unit: seconds, shares of 1, tasks per second.
type Bound = decide.Bound

// Run is one repetition of one scenario: one benchmark line.
type Run struct {
	// without "Benchmark"; a GOMAXPROCS suffix "-8" is kept, as benchfmt keeps it
	Name string
	// the /key=value parts of the name in their order; the suffix "-8" is {gomaxprocs 8}; shared
	// between runs
	Keys []Pair
	// this is the Repetition-th line (from 0) of that name (and package) in the file
	Repetition int
	Iters      int // tasks or iterations that the values are drawn from
	// the configuration lines in force, in order; shared between runs, not to be changed
	Config []Pair
	// by tidied unit: ns become sec and MB become B, for the value 0 too; all finite
	Values map[string]float64
	Doubts []Doubt // why it is not VALID, as its file says in the lines before it
	// Uncertain maps the units of metrics whose 95 % error is beyond 25 % to that error, relative
	// to the value (0.48: ±48 %); +Inf if the run is too short for any bound.
	Uncertain map[string]float64
	// Undecided is what a search for capacity says if it has no answer.
	Undecided string
	// of its arrivals and task times, as its file says in the line before it, or as a benchmark
	// reports it in go test; "" where it does not
	Seed    string
	Virtual bool // a benchmark in go test, under the virtual clock
	// what charts and tables name an attack by: its target, or "STRATEGY to TARGET"; "" where its
	// strategy is enough
	Attacked string
	Pos      Pos
}

// Series is what the run is a point of in charts and tables: its strategy or, of an attack, what it
// attacked.
func (r *Run) Series() string {
	if r.Attacked != "" {
		return r.Attacked
	}
	return r.Key("strategy")
}

// nameAttacks names attacks by what they attacked where they go through no strategy, or where that
// is not the same for all.
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

// A Doubt is a reason to think less of a run.
type Doubt struct {
	Invalid bool   // the run is INVALID; otherwise it is SUSPECT
	Text    string // what was found, in words with their numbers
}

// A Failure is a run that gave no result.
type Failure struct {
	Name   string
	Seed   uint64
	Reason string // in one line
}

// A Verdict says how far a run may be believed, as its metric of that name gives it.
type Verdict int

// The verdicts.
const (
	Valid Verdict = iota
	Suspect
	Invalid
)

// String gives the verdict as reports spell it.
func (v Verdict) String() string { return [...]string{"VALID", "SUSPECT", "INVALID"}[v] }

// Verdict says whether the run may be believed; known is false for a file that does not tell.
func (r *Run) Verdict() (v Verdict, known bool) {
	worst, known := r.Value(metric.Verdict)
	if broken, ok := r.Value(BrokenLaws); ok && broken != 0 {
		return Invalid, true
	}
	return Verdict(min(max(worst, float64(Valid)), float64(Invalid))), known
}

// Pair is a key of a benchmark's name or of a configuration line, with its value as written.
type Pair struct{ Key, Value string }

// Pos is a place in a file; lines count from 1.
type Pos struct {
	File string
	Line int
}

// String gives the place as file:line.
func (p Pos) String() string { return p.File + ":" + strconv.Itoa(p.Line) }

// Base is the name without its keys: "Run" of Run/strategy=semaphore/….
func (r *Run) Base() string { return string(benchfmt.Name(r.Name).Base()) }

// Key returns the value of a key of the name, such as strategy or load; "" when the name does not
// have it.
func (r *Run) Key(key string) string { return Lookup(r.Keys, key) }

// ConfigValue returns the value of a configuration line, such as cpu; "" when there is none.
func (r *Run) ConfigValue(key string) string { return Lookup(r.Config, key) }

// Value returns the value of a metric by its tidied unit, such as p99-response-sec, and whether the
// run has it.
func (r *Run) Value(unit string) (float64, bool) {
	v, ok := r.Values[unit]
	return v, ok
}

// StudyOf gives for each run the index of the finding of the study that it was made for, -1 where
// it was made for none, or for one that has not spoken.
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

// Lookup returns the value of a key; "" where there is none.
func Lookup(pairs []Pair, key string) string {
	for _, p := range pairs {
		if p.Key == key {
			return p.Value
		}
	}
	return ""
}

// Without are the pairs but for those of some keys.
func Without(pairs []Pair, keys ...string) []Pair {
	return slices.DeleteFunc(slices.Clone(pairs), func(p Pair) bool {
		return slices.Contains(keys, p.Key)
	})
}

// Readable is a value of a name without the escapes for what a name cannot hold.
func Readable(value string) string {
	if readable, err := url.PathUnescape(value); err == nil {
		return readable
	}
	return value
}

// Words are the keys of a name, or of a configuration line, as a heading has them.
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

// NameKeys takes the key=value parts of a name. Positional parts ("/json") stay in the name alone.
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

// warnings gathers one line per kind of trouble, so that a fault on every line of a file stays one
// line of output.
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

// Invalid reports whether poolbench itself does not believe the run.
func (r *Run) Invalid() bool {
	v, _ := r.Verdict()
	return v == Invalid
}

// Qualified is the name with its package, when there is one.
func (r *Run) Qualified() string {
	if pkg := r.ConfigValue("pkg"); pkg != "" {
		return pkg + "." + r.Name
	}
	return r.Name
}

// BrokenLaws counts the conservation laws that a run breaks; a run with any is no measurement.
const BrokenLaws = metric.BrokenLaws
