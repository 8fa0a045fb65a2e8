package show

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/poolbench/poolbench/bench/result"
	"github.com/poolbench/poolbench/internal/capacity"
	"github.com/poolbench/poolbench/internal/cli/execute"
	"github.com/poolbench/poolbench/internal/cli/options"
	"github.com/poolbench/poolbench/internal/cli/terminal"
	"github.com/poolbench/poolbench/internal/decide"
	"github.com/poolbench/poolbench/internal/text"
	"github.com/poolbench/poolbench/reports/results"
)

// ShowSearch prints the answers: tables or the document on stdout, warnings on stderr.
func ShowSearch(f *SearchResult, format string) error {
	if format == "json" {
		return showCapacityJSON(f)
	}
	if err := f.ShowCut(); err != nil {
		return err
	}
	what := "at which more than half of the runs meet"
	if f.Search.InLongRun() {
		what = "that meets"
	}
	f.Prose("%s %v %s %v, with %s confidence\n\n", superlatives[f.Search.Over], f.Search.Over,
		what, f.Search.Objectives, f.confidence())
	if len(f.Search.LeftOut) > 0 {
		lack := "no limit to search"
		if f.Search.Over == capacity.Queue {
			lack = "no queue that sheds"
		}
		f.Prose("left out, with %s: %s\n\n", lack, strings.Join(f.Search.LeftOut, ", "))
	}
	for _, answers := range results.Gather(f.Answers, f.commonSettings) {
		f.Prose("%s\n", f.commonSettings(answers[0]))
		if err := showAnswers(f, answers); err != nil {
			return err
		}
	}
	if f.Cut != nil {
		f.Complain(fmt.Errorf("%s contains the %d runs of an interrupted search",
			f.Dir.Path(), f.Done))
	}
	sayCalculated(f)
	if f.Report == "" {
		return nil
	}
	return f.Prose(`Report: %s
%s  To compare with another search: poolbench compare OLD %s
`, f.Report, f.ofTwoEnds(), f.Dir.Path())
}

// ofTwoEnds explains answers such as "0.8 to 0.81", if there are any.
func (f *SearchResult) ofTwoEnds() string {
	if !slices.ContainsFunc(f.Answers, func(a capacity.Answer) bool {
		return !math.IsNaN(a.Met) && strings.Contains(f.interval(a), " to ")
	}) {
		return ""
	}
	if f.Search.Over == capacity.Limit {
		return "  If an answer has two ends, the smallest limit is one of them or between them.\n"
	}
	return fmt.Sprintf("  If an answer has two ends, the first %v meets the objective, and the second "+
		"misses it.\n", f.Search.Over)
}

func sayCalculated(f *SearchResult) {
	runs, calculated, confirmed := 0, 0, 0
	for _, answer := range f.Answers {
		runs += answer.Runs()
		calculated += answer.Calculated
		confirmed += answer.Confirmed
	}
	if calculated == 0 {
		return
	}
	also := "none of them was run to check the calculation"
	if confirmed > 0 {
		also = fmt.Sprintf("%d of them, at the ends of the answers, were also run: equal to the "+
			"nanosecond", confirmed)
	}
	f.Prose("%d of %d results are calculated (first come, first served); %s\n\n",
		calculated, runs, also)
}

// superlatives describes the result by the searched axis: load, rate, limit or queue.
var superlatives = [...]string{"highest", "highest", "smallest", "longest"}

func (f *SearchResult) confidence() string {
	if c := f.Search.Confidence; c != 0 {
		return text.Share(c)
	}
	return "95 %"
}

// commonSettings describes the settings that all answers of a table share.
func (f *SearchResult) commonSettings(answer capacity.Answer) string {
	keys := results.NameKeys([]byte(answer.Scenario.Name()))
	without := []string{"strategy", "queue", f.Search.Over.String()}
	if f.Search.Over <= capacity.Rate {
		without = append(without, "load", "rate")
	}
	return Heading(results.Without(keys, without...))
}

func showAnswers(f *SearchResult, answers []capacity.Answer) error {
	heads := []string{"strategy", f.Search.Over.String(), "tasks offered", "tried", "runs"}
	if f.Search.Over == capacity.Rate {
		heads[1] = "rate (/s)"
	}
	if f.Search.Over != capacity.Load {
		heads = slices.Delete(heads, 2, 3)
	}
	rows := [][]string{heads}
	var notes []string
	for _, answer := range answers {
		name := answer.Scenario.Strategy.String()
		cells := []string{name, f.interval(answer)}
		if f.Search.Over == capacity.Load {
			cells = append(cells, offered(answer))
		}
		rows = append(rows,
			append(cells, strconv.Itoa(len(answer.Probes)), strconv.Itoa(answer.Runs())))
		for _, note := range f.notes(answer) {
			notes = append(notes, name+": "+note)
		}
	}
	if err := f.Table(rows); err != nil {
		return err
	}
	if len(answers) > maxShown {
		notes = append(notes, f.noBenefit(answers)...)
	}
	for _, note := range notes {
		f.Prose("  %s\n", note)
	}
	fmt.Fprintln(f.Stdout)
	return nil
}

// noBenefit sums up enough for a table of many answers.
func (f *SearchResult) noBenefit(answers []capacity.Answer) []string {
	var limits []float64
	for _, a := range answers {
		if limit, _ := f.enough(a); !math.IsNaN(limit) && len(a.MissedBelow) == 0 {
			limits = append(limits, limit)
		}
	}
	if len(limits) == 0 {
		return nil
	}
	note := fmt.Sprintf("a limit above %s has no benefit", spanOf(limits))
	if slices.Min(limits) < slices.Max(limits) {
		note += ", depending on the strategy"
	}
	return []string{note}
}

func (f *SearchResult) interval(a capacity.Answer) string {
	outcome := a.Outcome()
	switch {
	case f.Search.Over == capacity.Limit && a.Err == nil:
		return f.smallest(a)
	case outcome == capacity.AtLeast:
		return fmt.Sprintf("at least %v", a.Met)
	case outcome == capacity.Nowhere:
		return fmt.Sprintf("below %v", f.Search.Lo)
	case a.Err != nil:
		return "–"
	case math.IsNaN(a.Met) && math.IsNaN(a.Missed):
		return "?"
	}
	return strings.ReplaceAll(fmt.Sprintf("%v to %v", a.Met, a.Missed), "NaN", "?")
}

// smallest formats an answer about limits: the limits that may be the smallest one that meets the
// objective.
func (f *SearchResult) smallest(a capacity.Answer) string {
	return results.SmallestLimits(a.Met, a.Missed, f.Search.Hi, a.Outcome() != capacity.Unknown)
}

// ofLimits describes the gain of a larger limit.
func (f *SearchResult) ofLimits(a capacity.Answer) (notes []string) {
	if len(a.Probes) == 0 {
		return nil
	}
	largest := a.Probes[0]
	switch none := a.Outcome() == capacity.Nowhere; {
	case none && largest.Waited == 0 && f.isTooSlow(largest):
		notes = append(notes, fmt.Sprintf("the service time alone misses the objective: at a "+
			"limit of %v no task waited, so no limit can meet the objective", largest.At))
	case none && largest.Waited == 0:
		notes = append(notes, fmt.Sprintf("at a limit of %v no task waited, so larger limits "+
			"give the same result", largest.At))
	case none:
		notes = append(notes, fmt.Sprintf("at a limit of %v, %s of the tasks still wait: search "+
			"larger limits with --limit-range", largest.At, text.Share(largest.Waited)))
	case len(a.MissedBelow) == 0 && len(f.Answers) <= maxShown:
		if _, note := f.enough(a); note != "" {
			notes = append(notes, note)
		}
	}
	return notes
}

// isTooSlow reports whether a probe misses a latency, and not because of lost tasks.
func (f *SearchResult) isTooSlow(p capacity.Probe) bool {
	return slices.ContainsFunc(p.Misses(), func(m capacity.Miss) bool {
		return !m.ByLosses && strings.HasSuffix(f.Search.Objectives[m.Objective].Unit, "-sec")
	})
}

// conflicts lists where each objective is missed, if no value meets all of them although none of
// them is missed at every value for one reason.
func (f *SearchResult) conflicts(a capacity.Answer) string {
	if a.Outcome() != capacity.Nowhere {
		return ""
	}
	missedAt := map[capacity.Miss][]float64{}
	for _, p := range a.Probes {
		for _, m := range p.Misses() {
			missedAt[m] = append(missedAt[m], p.At)
		}
	}
	var texts []string
	next := ""
	for i, o := range f.Search.Objectives {
		own := missedAt[capacity.Miss{Objective: i}]
		lost := missedAt[capacity.Miss{Objective: i, ByLosses: true}]
		if len(own) == len(a.Probes) {
			return ""
		}
		if len(own) > 0 {
			texts = append(texts, fmt.Sprintf("%v is missed at %s", o, spanOf(own)))
		}
		if len(lost) > 0 {
			texts = append(texts, fmt.Sprintf("%v is missed because of lost tasks at %s", o,
				spanOf(lost)))
			next = fmt.Sprintf("; %s%v would cover completed tasks only", decide.Mark, o)
		}
	}
	if len(texts) < 2 && next == "" {
		return ""
	}
	return strings.Join(texts, ", ") + fmt.Sprintf(": no %v meets the objective", f.Search.Over) +
		next
}

func spanOf(values []float64) string {
	lo, hi := slices.Min(values), slices.Max(values)
	if lo == hi {
		return fmt.Sprint(lo)
	}
	return fmt.Sprintf("%v to %v", lo, hi)
}

// littleMore is a relative gain too small to justify a larger limit.
const littleMore = 0.01

// enough finds the smallest limit that is as good as the largest one tried. It compares the metric
// of the first objective. For runs of a fixed length it instead checks that no task waited.
func (f *SearchResult) enough(a capacity.Answer) (limit float64, note string) {
	limit, best := math.NaN(), math.NaN()
	if len(a.Probes) == 0 || a.Outcome() == capacity.Nowhere {
		return limit, ""
	}
	if d := a.Probes[0].Decisions; len(d) > 0 {
		best = d[0].Value
	}
	for _, p := range a.Probes {
		if p.Decisions == nil && p.Waited > 0 ||
			p.Decisions != nil && !(math.Abs(p.Decisions[0].Value-best) <= littleMore*best) {
			break
		}
		limit = p.At
	}
	switch {
	case math.IsNaN(limit) || limit == a.Probes[0].At:
		return math.NaN(), ""
	case a.Probes[0].Decisions == nil:
		return limit, fmt.Sprintf("at a limit of %v or more no task waited, so a larger limit "+
			"has no benefit", limit)
	}
	o := f.Search.Objectives[0]
	return limit, fmt.Sprintf("at a limit of %v or more, %s is within 1 %% of %s, so a larger "+
		"limit has no benefit", limit, o.Metric(), text.Metric(o.Unit, best))
}

const (
	maxUndecided = 2 // maximum number of values per answer that are listed as undecided
	// maximum number of answers with listed evidence; the JSON document has all of it
	maxShown = 4
)

// Evidence describes which runs decide the ends of an answer, and why values between them are
// undecided.
func (f *SearchResult) Evidence(a capacity.Answer) (notes []string) {
	undecided := 0
	for _, p := range a.Probes {
		i := slices.IndexFunc(p.Decisions, func(d decide.Decision) bool {
			return d.Verdict == p.Verdict
		})
		isUndecided := p.Verdict == decide.Undecided && f.contains(a, p.At)
		if i < 0 || !isUndecided && p.At != a.Met && p.At != a.Missed {
			continue
		}
		if isUndecided {
			if undecided++; undecided > maxUndecided {
				continue
			}
		}
		d := p.Decisions[i]
		note := fmt.Sprintf("%s %v: %v %v: %s", f.Search.Over, p.At, f.Search.Objectives[i],
			p.Verdict, d.Reason)
		if d.Next != "" {
			note += fmt.Sprintf("; %s would decide", d.Next)
		}
		notes = append(notes, note)
	}
	if more := undecided - maxUndecided; more > 0 {
		notes = append(notes, fmt.Sprintf("undecided also at %s", text.Count(more, "other "+
			f.Search.Over.String())))
	}
	return notes
}

// contains reports whether a value lies between the ends of an answer, or beyond its only end.
func (f *SearchResult) contains(a capacity.Answer, at float64) bool {
	met, missed := a.Met, a.Missed
	if f.Search.Over == capacity.Limit {
		return !(at >= met) && !(at <= missed)
	}
	return !(at <= met) && !(at >= missed)
}

// whichMissed names the objectives missed on the easier side of the answer.
func (f *SearchResult) whichMissed(a capacity.Answer) string {
	var names []string
	for _, p := range a.Probes {
		if !slices.Contains(a.MissedBelow, p.At) {
			continue
		}
		for _, m := range p.Misses() {
			name := f.Search.Objectives[m.Objective].String()
			if m.ByLosses {
				name += " because of lost tasks"
			}
			if !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	return strings.Join(names, ", ")
}

func offered(a capacity.Answer) string {
	var ends []string
	for _, p := range a.Probes {
		if p.At == a.Met || p.At == a.Missed && a.Outcome() == capacity.Between {
			ends = append(ends, text.Digits(p.Offered))
		}
	}
	if len(ends) == 0 {
		return "–"
	}
	return strings.Join(ends, " to ") + " /s"
}

func (f *SearchResult) notes(a capacity.Answer) (notes []string) {
	add := func(format string, args ...any) { notes = append(notes, fmt.Sprintf(format, args...)) }
	if a.Err != nil {
		add("ended, because a run had no result")
		return notes
	}
	if len(f.Answers) <= maxShown {
		notes = f.Evidence(a)
	}
	if f.Search.Over == capacity.Limit {
		notes = append(notes, f.ofLimits(a)...)
	}
	if conflict := f.conflicts(a); conflict != "" {
		notes = append(notes, conflict)
	}
	if loss := LossWords(a.Losses()); loss != "" {
		add("at %s %v %s: the objective covers completed tasks only", f.Search.Over, a.Met, loss)
	}
	if len(a.MissedBelow) > 0 {
		below := strings.Join(text.Texts(a.MissedBelow, func(v float64) string {
			return fmt.Sprint(v)
		}), ", ")
		if f.Search.Over == capacity.Limit {
			add("limits above %v miss %s: tried %s", a.Met, f.whichMissed(a), below)
		} else {
			add("at %s, below a %s at which the objective is met, %s is missed: the answer is the "+
				"upper end", below, f.Search.Over, f.whichMissed(a))
		}
	}
	if a.Outcome() == capacity.Unknown && f.Cut == nil && a.Untold() < a.Runs() {
		add("? marks an undecided end: give more repetitions (--count), longer runs (--n) or " +
			"another range")
	}
	if untold := a.Untold(); untold > 0 {
		add("%d runs are inconclusive, because they have too few tasks (a p99 needs 368, a p99.9 3688) or "+
			"break an invariant", untold)
	}
	return notes
}

// LossWords describes the tasks that do not complete, or returns "" if all do.
func LossWords(losses []result.Metric) string {
	return results.Cell{&results.Run{Values: execute.Values(losses)}}.LossWords()
}

// ShowSearchPlan lists the first runs of the search and its maximum duration, without running them.
func ShowSearchPlan(to *terminal.Printer, s capacity.Search, format string) error {
	first := s.First()
	if format == "json" {
		return ShowPlan(to, options.Plan{{Suite: first}}, format)
	}
	for _, sc := range first.Scenarios {
		fmt.Fprintln(to.Stdout, sc.Name())
	}
	begin := first.Estimate()
	most := time.Duration(float64(begin) * float64(s.MaxRuns()) / float64(first.Runs()))
	_, err := fmt.Fprintf(to.Stdout,
		"%d scenarios and %d runs to begin with, about %s; at most %d runs, about %s\n",
		len(first.Scenarios), first.Runs(), text.Roughly(begin), s.MaxRuns(),
		text.Roughly(most))
	return err
}
