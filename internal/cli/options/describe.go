package options

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/poolbench/poolbench/bench/arrivals"
	"github.com/poolbench/poolbench/bench/param"
	"github.com/poolbench/poolbench/internal/observe"
	"github.com/poolbench/poolbench/internal/studies"
	"github.com/poolbench/poolbench/internal/text"
	"github.com/poolbench/poolbench/strategies"
	"github.com/poolbench/poolbench/targets"
	"github.com/poolbench/poolbench/workloads"
)

func StrategyNames() []string { return text.Texts(strategies.All(), strategies.Spec.String) }

func WorkloadNames() []string { return text.Texts(workloads.All(), workloads.Spec.String) }

func TargetNames() []string { return text.Texts(targets.All(), targets.Spec.String) }

func ArrivalNames() []string { return text.Texts(arrivals.All(), arrivals.Spec.String) }

func StudyNames() []string {
	return text.Texts(studies.All(), func(s studies.Study) string { return s.Name })
}

func MetricNames() []string {
	return text.Texts(observe.Metrics(), func(m observe.MetricInfo) string { return m.Unit })
}

func facts(all ...fact) (given []fact) {
	for _, f := range all {
		if f.Value != "" {
			given = append(given, f)
		}
	}
	return given
}

func yes(word string, is bool) string {
	if is {
		return word
	}
	return ""
}

func describeWorkload(s workloads.Spec) Entry {
	clocks := map[workloads.Kind]string{
		workloads.Wait: "real, virtual",
		workloads.CPU:  "real (computing takes no virtual time)",
		workloads.IO:   "real (files, sockets and databases have no virtual time)",
	}[s.Kind]
	return Entry{s.Name, s.Summary, facts(fact{"clocks", clocks}, fact{"source", s.Source}),
		describeKeys(s.Keys)}
}

func describeTarget(s targets.Spec) Entry {
	return Entry{s.Name, s.Summary, facts(
		fact{"limits", yes("a rate, so scenarios give --rate and not --load", s.RateLimits)},
		fact{"counts", strings.Join(text.Texts(s.Counts,
			func(c targets.Counter) string { return c.Name }), ", ")},
		fact{"source", s.Source},
	), describeKeys(s.Keys)}
}

func describeArrival(s arrivals.Spec) Entry {
	kind := "open: arrivals do not wait for completions"
	if s.Closed != nil {
		kind = "closed: a completion triggers the next arrival, so it accepts neither --load nor " +
			"--rate"
	}
	return Entry{s.Name, s.Summary, facts(fact{"loop", kind}, fact{"source", s.Source}),
		describeKeys(s.Keys)}
}

func describeStudy(s studies.Study) Entry {
	about := []fact{{"claim", s.Claim}}
	for size, flag := range []string{"--quick", "default", "--full"} {
		if suite, err := s.Suite(studies.Size(size), 1); err == nil {
			about = append(about,
				fact{flag, fmt.Sprintf("%d scenarios, %d runs",
					len(suite.Scenarios), suite.Runs())})
		}
	}
	in, _ := studies.Default()
	about = append(about,
		fact{"budget", fmt.Sprintf("%v in its quick form, on two idle cores",
			s.Budget)})
	if !slices.ContainsFunc(in, func(other studies.Study) bool { return other.Name == s.Name }) {
		about = append(about, fact{"default run", "no: too long, run it by name"})
	}
	return Entry{s.Name, s.Question,
		append(about, facts(fact{"takes --strategy",
			yes("further strategies to compare", s.With != nil)})...), nil}
}

func describeMetric(m observe.MetricInfo) Entry {
	better := m.Better
	if better == "" {
		better = "neither: gate gives no verdict"
	}
	return Entry{m.Unit, m.Doc, facts(fact{"better", better}), nil}
}

var StrategyColumns = []string{"strategy", "bounds", "when full", "order", "survives",
	"on a panic", "source"}

func StrategyRow(s strategies.Spec) []string {
	full := "blocks"
	switch {
	case s.Sheds:
		full = "sheds"
	case s.Capacity == nil:
		full = "never full"
	}
	order := "–"
	switch by := s.Chooses(); {
	case s.FIFO:
		order = "FIFO"
	case by != "":
		order = "by " + by
	}
	return []string{s.Name, bounds(s), full, order, cmp.Or(survives(s), "–"), s.OnPanic, s.Source}
}

var TwinColumns = []string{"strategy", "runs as", "unless", "when full", "survives", "on a panic",
	"source"}

func TwinRow(s strategies.Spec) []string {
	row := StrategyRow(s)
	unless := "–"
	if s.Twin.Unless != strategies.NoCause {
		unless = s.Twin.Unless.String()
	}
	return []string{s.Name, s.Twin.Of, unless, row[2], row[4], row[5], row[6]}
}

// survives returns the failures that accepted tasks survive and the server required for this, or
// "".
func survives(s strategies.Spec) string {
	v, err := strategies.Resolve(param.Call{Name: s.Name})
	if err != nil {
		return ""
	}
	level := s.Survives(strategies.Params{Limit: 1, Values: v.Values})
	switch {
	case level == strategies.Volatile:
		return ""
	case s.Needs != "":
		return fmt.Sprintf("%s, by %s", level, s.Needs)
	}
	return level.String()
}

func bounds(s strategies.Spec) string {
	if s.Bound == nil {
		return "nothing"
	}
	v, err := strategies.Resolve(param.Call{Name: s.Name})
	if err != nil {
		return "limit" // it has a required parameter
	}
	at := func(limit int) int { return s.Bound(strategies.Params{Limit: limit, Values: v.Values}) }
	switch four, eight := at(4), at(8); {
	case four == 4 && eight == 8:
		return "limit"
	case four == eight:
		return strconv.Itoa(four)
	default:
		return fmt.Sprintf("%d at limit 4", four)
	}
}

func describeStrategy(s strategies.Spec) Entry {
	full := map[string]string{
		"blocks":     "Submit blocks until there is room",
		"sheds":      "Submit refuses at once (shed)",
		"never full": "never full: accepts every task",
	}
	row := StrategyRow(s)
	about := facts(
		fact{"use it if", s.UseIf},
		fact{"bounds in flight", row[1]},
		fact{"when full", full[row[2]]},
		fact{"promises", strings.Join(promises(s), ", ")},
		fact{"runs as", s.Twin.String()},
		fact{"survives", survives(s)},
		fact{"clocks", yes("real (disks and servers have no virtual time)", s.RealClock)},
		fact{"on a panic", s.OnPanic},
		fact{"as a part", asPart(s)},
		fact{"source", s.Source},
	)
	for _, a := range s.Adds {
		about = append(about, fact{addedFact, a.String()})
	}
	return Entry{s.Name, s.Summary, about, describeKeys(s.Keys)}
}

const addedFact = "added by poolbench"

// asPart describes how the strategy wraps another and the resulting queue, or returns "" if it
// cannot.
func asPart(s strategies.Spec) string {
	for _, p := range strategies.Parts() {
		if p.Name != s.Name {
			continue
		}
		said := fmt.Sprintf("%s+worker_pool, see 'poolbench list parts %s'", p.Name, p.Name)
		for _, k := range p.Keys {
			if k.Name == "queue" {
				said += "; accepts queue=N, default " + k.Default + ", not --queue"
			}
		}
		return said
	}
	return ""
}

func describePart(p strategies.Part) Entry {
	return Entry{p.Name, p.Summary, facts(
		fact{"changes", p.Changes.String()},
		fact{"example", p.Name + "+worker_pool"},
	), describeKeys(p.Keys)}
}

func promises(s strategies.Spec) (words []string) {
	for _, p := range []struct {
		word  string
		holds bool
	}{
		{"first in, first out", s.FIFO},
		{"chooses by " + s.Chooses(), s.Chooses() != ""},
		{"work-conserving", s.WorkConserving},
		{"tries again", s.Retries},
		{"makes second attempts", s.Hedges},
		{"changes its limit", s.Resizes},
		{"sometimes has few slots, so tasks must not submit tasks and wait for them", s.Shrinks},
		{"refuses tasks while the called service fails", s.Trips},
		{"takes --queue", s.UsesQueue},
		{"uses the size of tasks", s.UsesSize},
		{"separates classes of tasks", s.ClassPools != nil},
		{"runs tasks in steps", s.Quantum != nil},
		{"splits tasks", s.Splits},
	} {
		if p.holds {
			words = append(words, p.word)
		}
	}
	return words
}
