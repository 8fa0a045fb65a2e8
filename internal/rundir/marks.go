package rundir

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/poolbench/poolbench/internal/lazyregexp"
)

// Schema is the version of results.txt.
const Schema = 1

// A Mark begins a line for which the benchmark format has no syntax. Readers of the format skip the
// line, because it begins with "# ". Each process writes one section, which consists of a header,
// the runs and an end.
type Mark string

// The marks in the order of a section. "The result" is the one in the next line of results.
const (
	Header     Mark = "poolbench results" // starts a section; the rest is the Schema
	Strategies Mark = "strategies"        // all strategies, in the order of chart colours
	Command    Mark = "command"           // command line that wrote the section, without secrets
	Plan       Mark = "plan"              // planned content of the section
	Objective  Mark = "objective"         // a Bound on the results
	Seed       Mark = "seed"              // seed of the result
	Agent      Mark = "agent"             // an agent that contributed to the result: name and share
	BrokenLaw  Mark = "broken law:"       // broken by the result
	Invalid    Mark = "invalid:"          // why the result is INVALID: the check and its finding
	Suspect    Mark = "suspect:"          // why the result is SUSPECT: the check and its finding
	Uncertain  Mark = "uncertain:"        // a metric of the result whose 95 % error exceeds 25 %
	Undecided  Mark = "undecided:"        // the result belongs to a search without an answer
	Why        Mark = "why"               // a cause of the p99 of the result
	Failed     Mark = "failed"            // a Failure
	Study      Mark = "study"             // name and question of a study on the runs
	Claim      Mark = "claim"             // the claim tested by the study
	Decides    Mark = "decides"           // units of the metrics that decide the verdict
	Verdict    Mark = "verdict"           // verdict on the claim, with the deciding numbers
	Advice     Mark = "advice"            // rule of thumb that follows from the verdict
	Row        Mark = "row"               // cells of a Finding's table, the heads first
	Answer     Mark = "answer"            // further findings
	Complete   Mark = "complete"          // an End
	Partial    Mark = "partial"           // an End
)

var marks = []Mark{Header, Strategies, Command, Plan, Objective, Seed, Agent, BrokenLaw, Invalid,
	Suspect, Uncertain, Undecided, Why, Failed, Study, Claim, Decides, Verdict, Advice, Row, Answer,
	Complete, Partial}

// VirtualSeed is the unit under which a benchmark with the virtual clock reports its seed in go
// test, because that output has no marks. The seed modulo VirtualSeeds is exact as a float64.
const VirtualSeed = "virtual-seed"

const VirtualSeeds = 1 << 53

const Cells = " | "

func (m Mark) Line(rest string) string { return "# " + string(m) + " " + rest }

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

func UncertainLine(unit string, share float64) string {
	return Uncertain.Line(unit + " " + strconv.FormatFloat(share, 'g', 3, 64))
}

func ParseUncertain(rest string) (unit string, share float64, err error) {
	unit, text, _ := strings.Cut(rest, " ")
	share, err = strconv.ParseFloat(text, 64)
	if err == nil && (unit == "" || !(share > 0)) {
		err = fmt.Errorf("want UNIT SHARE, got %q", rest)
	}
	return unit, share, err
}

type Failure struct {
	Name   string `json:"name"`
	Seed   uint64 `json:"seed"`
	Reason string `json:"error"`
}

// Line removes control characters from the reason, which may contain a stack trace, and the name at
// its beginning.
func (f Failure) Line() string {
	const most = 4000
	reason := strings.Join(strings.FieldsFunc(strings.TrimPrefix(f.Reason, f.Name+": "),
		unicode.IsControl), " | ")
	if len(reason) > most {
		reason = strings.ToValidUTF8(reason[:most], "") + "…"
	}
	return Failed.Line(fmt.Sprintf("%s seed %d: %s", f.Name, f.Seed, reason))
}

func ParseFailure(rest string) (f Failure, err error) {
	name, rest, _ := strings.Cut(rest, " seed ")
	seed, reason, _ := strings.Cut(rest, ": ")
	f = Failure{Name: name, Reason: reason}
	f.Seed, err = strconv.ParseUint(seed, 10, 64)
	return f, err
}

// A section without an End was written by a process that was killed.
type End struct {
	Runs    int // number of runs in the section
	Partial bool
	Planned int    // planned number of runs of a partial section
	Reason  string // reason of a partial section
}

func (e End) Line() string {
	if e.Partial {
		return Partial.Line(fmt.Sprintf("%d of %d runs: %s", e.Runs, e.Planned, e.Reason))
	}
	return Complete.Line(fmt.Sprintf("%d runs", e.Runs))
}

var ends = map[Mark]*lazyregexp.Regexp{
	Complete: lazyregexp.New(`^(\d+) runs?$`),
	Partial:  lazyregexp.New(`^(\d+) of (\d+) runs?(?:: (.*))?$`),
}

func ParseEnd(m Mark, rest string) (e End, ok bool) {
	if ends[m] == nil {
		return End{}, false
	}
	parts := ends[m].FindStringSubmatch(rest)
	if parts == nil {
		return End{}, false
	}
	// it has only digits; on overflow the result is the largest number
	e.Runs, _ = strconv.Atoi(parts[1])
	if m == Partial {
		e.Partial, e.Reason = true, parts[3]
		e.Planned, _ = strconv.Atoi(parts[2])
	}
	return e, true
}
