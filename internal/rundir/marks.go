package rundir

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// Schema is the version of results.txt, in the header of each section.
const Schema = 1

// A Mark tells what a line of results.txt says that the benchmark format has no word for. Such a
// line begins with "# ", which readers of the format pass over; after it come the mark and the
// rest. A file is one section, or several where runs were appended: a header, the runs, an end.
type Mark string

// The marks, in the order of a section.
const (
	Header     Mark = "poolbench results" // opens a section; the rest is the Schema
	Strategies Mark = "strategies"        // all there are, in the order of the colours of charts
	Plan       Mark = "plan"              // what the section is going to hold
	Objective  Mark = "objective"         // a Bound that its results are held to
	Seed       Mark = "seed"              // of the result in the next line of results
	Agent      Mark = "agent"             // that made a share of that result: who, how much
	BrokenLaw  Mark = "broken law:"       // by that result
	Invalid    Mark = "invalid:"          // why that result is: the check and what it found
	Suspect    Mark = "suspect:"          // likewise
	Uncertain  Mark = "uncertain:"        // a metric of that result whose 95 % error exceeds 25 %
	Undecided  Mark = "undecided:"        // that result is of a search without an answer
	Why        Mark = "why"               // a cause of the p99 of that result
	Failed     Mark = "failed"            // a Failure
	Study      Mark = "study"             // the name and question of a study that has its runs
	Claim      Mark = "claim"             // what the study put to the test
	Decides    Mark = "decides"           // units of the metrics that the verdict rests on
	Verdict    Mark = "verdict"           // on the claim, and the numbers that decide
	Advice     Mark = "advice"            // the rule of thumb that follows from the verdict
	Answer     Mark = "answer"            // what else the results say
	Complete   Mark = "complete"          // an End
	Partial    Mark = "partial"           // an End
)

var marks = []Mark{Header, Strategies, Plan, Objective, Seed, Agent, BrokenLaw, Invalid, Suspect,
	Uncertain, Undecided, Why, Failed, Study, Claim, Decides, Verdict, Advice, Answer, Complete,
	Partial}

// VirtualSeed is the unit by which a benchmark under the virtual clock reports its seed in go test,
// whose output has no marks. It is exact as a float64: the seed modulo VirtualSeeds.
const VirtualSeed = "virtual-seed"

// VirtualSeeds is one more than the largest value of VirtualSeed.
const VirtualSeeds = 1 << 53

// Line is the line of that mark, without its end.
func (m Mark) Line(rest string) string { return "# " + string(m) + " " + rest }

// ParseMark is the inverse of Line; ok is false for any other line.
func ParseMark(line string) (m Mark, rest string, ok bool) {
	said, ok := strings.CutPrefix(line, "# ")
	if !ok {
		return "", "", false
	}
	i := slices.IndexFunc(marks, func(m Mark) bool {
		rest, ok = strings.CutPrefix(said, string(m))
		return ok && (rest == "" || rest[0] == ' ')
	})
	if i < 0 {
		return "", "", false
	}
	return marks[i], strings.TrimPrefix(rest, " "), true
}

// UncertainLine is the line about a metric whose relative 95 % error is that share, to three
// digits.
func UncertainLine(unit string, share float64) string {
	return Uncertain.Line(unit + " " + strconv.FormatFloat(share, 'g', 3, 64))
}

// ParseUncertain reads what stands behind the mark.
func ParseUncertain(rest string) (unit string, share float64, err error) {
	unit, text, _ := strings.Cut(rest, " ")
	share, err = strconv.ParseFloat(text, 64)
	if err == nil && (unit == "" || !(share > 0)) {
		err = fmt.Errorf("want UNIT SHARE, got %q", rest)
	}
	return unit, share, err
}

// A Failure is a run that gave no result.
type Failure struct {
	Name   string `json:"name"`
	Seed   uint64 `json:"seed"`
	Reason string `json:"error"`
}

// Line is the line about it. The reason, which may be lines of a stack trace, is in it without
// control characters, and without the name where it begins with that.
func (f Failure) Line() string {
	const most = 4000
	reason := strings.Join(strings.FieldsFunc(strings.TrimPrefix(f.Reason, f.Name+": "),
		unicode.IsControl), " | ")
	if len(reason) > most {
		reason = strings.ToValidUTF8(reason[:most], "") + "…"
	}
	return Failed.Line(fmt.Sprintf("%s seed %d: %s", f.Name, f.Seed, reason))
}

// ParseFailure reads what stands behind the mark.
func ParseFailure(rest string) (f Failure, err error) {
	name, rest, _ := strings.Cut(rest, " seed ")
	seed, reason, _ := strings.Cut(rest, ": ")
	f = Failure{Name: name, Reason: reason}
	f.Seed, err = strconv.ParseUint(seed, 10, 64)
	return f, err
}

// An End is the last line of a section: without it, the process that wrote was killed.
type End struct {
	Runs    int // that the section holds
	Partial bool
	Planned int    // where it is partial
	Reason  string // likewise
}

// Line is the line of the end.
func (e End) Line() string {
	if e.Partial {
		return Partial.Line(fmt.Sprintf("%d of %d runs: %s", e.Runs, e.Planned, e.Reason))
	}
	return Complete.Line(fmt.Sprintf("%d runs", e.Runs))
}

var ends = map[Mark]*regexp.Regexp{
	Complete: regexp.MustCompile(`^(\d+) runs?$`),
	Partial:  regexp.MustCompile(`^(\d+) of (\d+) runs?(?:: (.*))?$`),
}

// ParseEnd reads what stands behind the mark; ok is false where that is of no end.
func ParseEnd(m Mark, rest string) (e End, ok bool) {
	if ends[m] == nil {
		return End{}, false
	}
	parts := ends[m].FindStringSubmatch(rest)
	if parts == nil {
		return End{}, false
	}
	e.Runs, _ = strconv.Atoi(parts[1]) // digits; too many of them are the largest number
	if m == Partial {
		e.Partial, e.Reason = true, parts[3]
		e.Planned, _ = strconv.Atoi(parts[2])
	}
	return e, true
}
