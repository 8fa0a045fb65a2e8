package reports

import (
	"fmt"
	"slices"
	"strconv"

	"golang.org/x/perf/benchfmt"
)

// Results is what one file holds: at least one run, every value finite.
//
// It is read-only once read: renderers, charts and the gate share it.
type Results struct {
	Path       string                   // the file's name, as messages give it
	Dir        string                   // the run's directory, where it was read as one; "" otherwise
	Schema     int                      // 1 for a file written by poolbench, 0 for any other benchmark output
	Runs       []Run                    // in the order of the file
	Metrics    []string                 // every tidied unit, in the order of first appearance
	Units      benchfmt.UnitMetadataMap // direction (better=) and distribution (assume=) from the Unit lines
	Strategies []string                 // that a run names, in the order of the colours of charts: the header's, then any others
	Findings   []Finding                // what studies say of the runs, as they wrote them, the last word of each
	Cut        Pos                      // the last line of a file that is not poolbench's, where only half of it is there; else the zero Pos: ours says by its marks how far it came
	Partial    string                   // why the file is not whole, in a few words; "" when it is, or when it is not ours to know
	Warnings   []string                 // what a reader should be told, one line each, with file and line
}

// Run is one repetition of one scenario: one benchmark line.
type Run struct {
	Name       string             // without "Benchmark"; a GOMAXPROCS suffix "-8" is kept, as benchfmt keeps it
	Keys       []Pair             // the /key=value parts of the name in their order; the suffix "-8" is {gomaxprocs 8}
	Repetition int                // this is the Repetition-th line (from 0) of that name (and package) in the file
	Iters      int                // tasks or iterations that the values are drawn from
	Config     []Pair             // the configuration lines in force, in order; shared between runs, not to be changed
	Values     map[string]float64 // by tidied unit: ns become sec and MB become B, for the value 0 too; all finite
	Doubts     []Doubt            // why it is not VALID, as its file says in the lines before it
	Seed       string             // of its arrivals and task times, as its file says in the line before it; "" where it does not
	Pos        Pos
}

// A Doubt is a reason to think less of a run.
type Doubt struct {
	Invalid bool   // the run is not to be believed; otherwise it is only suspect
	Text    string // what was found, in words with their numbers
}

// A Finding is what the results of a study say, in words. An older file may have lines and nothing else.
type Finding struct {
	Study, Question string   // its name, and what it asks
	Claim           string   // what was put to the test
	Verdict         string   // on the claim: holds, does not hold, depends, undecided
	Because         string   // the numbers that decide
	Lines           []string // what else the results say
	Runs            []int    // that it is about, by their index in Results.Runs: those between the study before, or the header, and it
}

// The verdicts of a run, as its metric of that name gives them.
const (
	valid = iota
	suspect
	invalid
)

var verdictNames = []string{"VALID", "SUSPECT", "INVALID"}

// verdict says whether the run may be believed; known is false for a file that does not tell.
func (r *Run) verdict() (v int, known bool) {
	worst, known := r.Value("verdict")
	if broken, ok := r.Value(brokenLaws); ok && broken != 0 {
		return invalid, true
	}
	return int(min(max(worst, valid), invalid)), known
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

// Key returns the value of a key of the name, such as strategy or load; "" when the name does not have it.
func (r *Run) Key(key string) string { return lookup(r.Keys, key) }

// ConfigValue returns the value of a configuration line, such as cpu; "" when there is none.
func (r *Run) ConfigValue(key string) string { return lookup(r.Config, key) }

// Value returns the value of a metric by its tidied unit, such as p99-response-sec, and whether the run has it.
func (r *Run) Value(unit string) (float64, bool) {
	v, ok := r.Values[unit]
	return v, ok
}

// studyOf gives for each run the index of the finding of the study that it was made for, -1 where it was made for none, or for one that
// has not spoken.
func (r *Results) studyOf() []int {
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

func lookup(pairs []Pair, key string) string {
	for _, p := range pairs {
		if p.Key == key {
			return p.Value
		}
	}
	return ""
}

// nameKeys takes the key=value parts of a name. Positional parts ("/json") stay in the name alone.
func nameKeys(name benchfmt.Name) []Pair {
	_, parts := name.Parts()
	var keys []Pair
	for _, part := range parts {
		if part[0] == '-' {
			keys = append(keys, Pair{"gomaxprocs", string(part[1:])})
			continue
		}
		for i, c := range part {
			if c == '=' {
				keys = append(keys, Pair{string(part[1:i]), string(part[i+1:])})
				break
			}
		}
	}
	return keys
}

// warnings gathers one line per kind of trouble, so that a fault on every line of a file stays one line of output.
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
	if w.seen == nil {
		w.seen = make(map[string]*warning)
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
