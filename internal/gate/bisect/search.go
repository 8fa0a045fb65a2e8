package bisect

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/bits"
	"slices"
	"time"

	"github.com/poolbench/poolbench/internal/gate/judge"
	"github.com/poolbench/poolbench/internal/gate/measure"
	"github.com/poolbench/poolbench/internal/gate/verdict"
	"github.com/poolbench/poolbench/internal/metric"
	"github.com/poolbench/poolbench/internal/text"
)

type Stage string

const (
	Ends   Stage = "ends"   // is BAD worse than GOOD?
	Middle Stage = "middle" // is a commit in between at the level of GOOD or of BAD?
	Last   Stage = "last"   // is the commit worse than the previous one?
)

type Question struct {
	Stage      Stage
	Base, Head measure.Commit
	Followed   *verdict.Row // the only metric to measure; nil means all
	Rule       judge.Options
	Allow      []verdict.Allowance // in addition to the user's allowances
	// More continues the gate of the previous question, with more fresh pairs.
	More bool
}

// A Gate returns an error if the head cannot be measured or if ctx has ended.
type Gate func(ctx context.Context, q Question) (*verdict.Report, error)

type Search struct {
	Commits []measure.Commit // GOOD, then each commit up to BAD
	Judge   judge.Options    // for the first and the last gate
	Gate    Gate
	Say     func(line string) // called for each finished gate
	Journal *Journal          // results of earlier calls; nil for none

	report Report
	// the selected metric in the first gate, its change and the lower bound of the change
	row           *verdict.Row
	change, least float64
	spent         []float64
}

// Run returns an error if the first gate fails or ctx ends. A commit that cannot be measured, for
// example because it does not build, is replaced by a neighbour.
func (s *Search) Run(ctx context.Context) (*Report, error) {
	last := len(s.Commits) - 1
	s.report = Report{Good: s.Commits[0], Bad: s.Commits[last], Candidates: last,
		MostGates: maxGates(last)}
	r := &s.report
	first := Question{Stage: Ends, Base: r.Good, Head: r.Bad, Rule: s.strict(s.Judge)}
	ends, err := s.ask(ctx, first)
	if err != nil {
		return nil, err
	}
	if !s.follow(ends) {
		return s.undecided(notWorse(ends), "check the order, GOOD BAD, and that --bench and "+
			"--metric select a benchmark that is worse. A larger --pairs N finds smaller changes"), nil
	}
	if err := s.Journal.keep(first, ends); err != nil {
		return nil, err
	}
	good, bad := 0, last
	skipped := map[int]bool{}
	for {
		middle := slices.DeleteFunc(between(good, bad), func(i int) bool { return skipped[i] })
		if len(middle) == 0 {
			break
		}
		at := middle[len(middle)/2]
		step, err := s.step(ctx, at)
		if err != nil {
			return nil, err
		}
		r.Steps = append(r.Steps, step)
		switch step.Side {
		case SideGood:
			good = at
		case SideBad:
			bad = at
		case SideSkipped:
			skipped[at] = true
		case SideUndecided:
			r.Left = s.Commits[good+1 : bad+1]
			return s.undecided(fmt.Sprintf("the results of %s are neither near GOOD nor near "+
				"BAD: %s",
				step.Commit.Short(), step.Reason), "the same command measures this commit again. "+
				"Use an idle machine, or --pairs N for more pairs"), nil
		}
		s.printStep(step, good, bad, skipped)
	}
	return s.confirm(ctx, good, bad)
}

func between(good, bad int) (all []int) {
	for i := good + 1; i < bad; i++ {
		all = append(all, i)
	}
	return all
}

func maxGates(candidates int) int {
	if candidates == 1 {
		return 1
	}
	return bits.Len(uint(candidates-1)) + 2
}

func (s *Search) ask(ctx context.Context, q Question) (*verdict.Report, error) {
	answer := s.Journal.find(q)
	if answer == nil {
		var err error
		if answer, err = s.Gate(ctx, q); err != nil {
			return nil, err
		}
	}
	s.report.Gates++
	if answer.Spent != nil {
		s.report.Seconds += answer.Spent.Whole
		if q.Stage == Middle {
			s.spent = append(s.spent, answer.Spent.Whole)
		}
	}
	return answer, nil
}

// follow selects the time that changed most, otherwise allocations, otherwise instructions.
func (s *Search) follow(ends *verdict.Report) bool {
	var worse []verdict.Row
	for _, row := range ends.Rows {
		if row.Verdict == verdict.Worse {
			worse = append(worse, row)
		}
	}
	rank := func(row verdict.Row) int {
		return slices.Index([]string{metric.AllocsPerOp, metric.BytesPerOp, measure.Instructions},
			row.Metric)
	}
	slices.SortStableFunc(worse, func(a, b verdict.Row) int {
		byChange, _, _ := worsening(&a)
		other, _, _ := worsening(&b)
		return cmp.Or(cmp.Compare(rank(a), rank(b)), -cmp.Compare(byChange, other))
	})
	if len(worse) == 0 {
		return false
	}
	s.row, s.report.Followed, s.report.AlsoWorse = &worse[0], &worse[0], worse[1:]
	if s.change, s.least, _ = worsening(s.row); math.IsNaN(s.change) {
		s.change = math.Inf(1)
	}
	line := fmt.Sprintf("gate 1 of at most %d: %s is worse, %s, by %s", s.report.MostGates,
		s.report.Bad.Short(), name(&worse[0]), changeText(&worse[0]))
	if n := len(worse) - 1; n > 0 {
		line += fmt.Sprintf("; %s also worse", text.Count(n, "metric"))
	}
	s.Say(line + s.remaining(s.report.Candidates))
	return true
}

func (s *Search) step(ctx context.Context, at int) (Step, error) {
	step := Step{Commit: s.Commits[at]}
	q := Question{Stage: Middle, Base: s.report.Good, Head: step.Commit, Followed: s.row,
		Rule: s.rule(), Allow: s.allowance()}
	answer, err := s.ask(ctx, q)
	for {
		switch {
		case ctx.Err() != nil:
			return step, context.Cause(ctx)
		case err != nil:
			step.Side, step.Reason = SideSkipped, text.FirstLines(err.Error(), 1)
			return step, nil
		}
		step.Row = s.rowOf(answer)
		step.Side, step.Reason = s.side(answer, step.Row)
		if step.Reason != tooNoisy || 2*q.Rule.FreshPairs > maxPairs {
			break
		}
		q.Rule.FreshPairs, q.More = 2*q.Rule.FreshPairs, true
		answer, err = s.Gate(ctx, q)
	}
	if step.Side == SideGood || step.Side == SideBad {
		err = s.Journal.keep(q, answer)
	}
	return step, err
}

// At this SuspectAt the metric is always suspect, so fresh pairs decide.
const alwaysSuspect = 0.9999

func (s *Search) confirm(ctx context.Context, good, bad int) (*Report, error) {
	r := &s.report
	r.Before, r.Left = &s.Commits[good], s.Commits[good+1:bad+1]
	r.Change = s.row
	if good > 0 || bad < len(s.Commits)-1 {
		q := Question{Stage: Last, Base: s.Commits[good], Head: s.Commits[bad], Followed: s.row,
			Rule: s.Judge}
		if !verdict.IsAllocation(s.row.Metric) {
			q.Rule.Margin = min(q.Rule.Margin, math.Expm1(s.change/2))
			q.Rule.Promise = max(q.Rule.Promise, q.Rule.Margin)
			q.Rule.SuspectAt = alwaysSuspect
			q.Rule.FreshPairs = s.rule().FreshPairs
		}
		answer, err := s.ask(ctx, q)
		switch {
		case ctx.Err() != nil:
			return nil, context.Cause(ctx)
		case err != nil:
			return s.undecided("the last gate failed: "+text.FirstLines(err.Error(), 1),
				"the same command repeats the last gate"), nil
		}
		if r.Change = s.rowOf(answer); r.Change == nil || r.Change.Verdict != verdict.Worse {
			return s.unconfirmed(answer), nil
		}
		if err := s.Journal.keep(q, answer); err != nil {
			return nil, err
		}
	}
	if len(r.Left) > 1 {
		return s.undecided(fmt.Sprintf("one of %d commits, of which %d cannot be measured",
			len(r.Left), len(r.Left)-1), fmt.Sprintf("read git log -p %s..%s, or try --setup "+
			"COMMAND or --allow-environment, depending on the reasons above", s.Commits[good].Short(),
			s.Commits[bad].Short())), nil
	}
	r.Outcome, r.Found = Found, &s.Commits[bad]
	if share, most := s.share(); share < maxOfAll && most < 1 {
		r.Next = fmt.Sprintf("this is %.0f %% of the change; to find the rest, use --bisect GOOD "+
			"%s and --bisect %s BAD", 100*share, r.Before.Short(), r.Found.Short())
	}
	return r, nil
}

// maxOfAll is the share of the change above which no further search is suggested.
const maxOfAll = 0.8

func (s *Search) share() (share, most float64) {
	change, _, high := worsening(s.report.Change)
	return change / s.change, high / s.least
}

func (s *Search) unconfirmed(answer *verdict.Report) *Report {
	why := fmt.Sprintf("the search led to %s, but in the last gate this commit is not worse than "+
		"%s",
		s.report.Left[len(s.report.Left)-1].Short(), s.report.Before.Short())
	row := s.report.Change
	switch {
	case len(answer.Unclear) > 0:
		return s.undecided(why+": "+answer.Unclear[0], "the same command repeats the last gate")
	case row == nil || row.Verdict == verdict.Inconclusive:
		return s.undecided(why, "the same command repeats the last gate; --pairs N uses more pairs")
	}
	return s.undecided(why, "either many commits each made it a little worse (see the changes "+
		"above), or a step was wrong: begin again with --force and another --seed")
}

func (s *Search) undecided(why, next string) *Report {
	s.report.Outcome, s.report.Why, s.report.Next = Undecided, why, next
	return &s.report
}

func notWorse(r *verdict.Report) string {
	switch {
	case len(r.Faults) > 0:
		return r.Faults[0]
	case len(r.Unclear) > 0:
		return r.Unclear[0]
	}
	return fmt.Sprintf("BAD is not worse than GOOD: of %s %d are inconclusive, and none is worse",
		text.Count(len(r.Rows), "metric"), r.Count(verdict.Inconclusive))
}

func (s *Search) printStep(step Step, good, bad int, skipped map[int]bool) {
	left := bad - good
	for i := range skipped {
		if i > good && i < bad {
			left--
		}
	}
	if step.Side == SideSkipped {
		s.Say(fmt.Sprintf("%s is skipped: %s%s", step.Commit.Short(), step.Reason,
			s.remaining(left)))
		return
	}
	s.Say(fmt.Sprintf("gate %d of at most %d: %s is %s, %s%s", s.report.Gates, s.report.MostGates,
		step.Commit.Short(), step.Side, changeText(step.Row), s.remaining(left)))
}

func (s *Search) remaining(commits int) string {
	line := fmt.Sprintf("; %s left", text.Count(commits, "commit"))
	gates := 1
	if commits > 1 {
		gates = maxGates(commits) - 1
	}
	if n := len(s.spent); n > 0 {
		var sum float64
		for _, seconds := range s.spent {
			sum += seconds
		}
		line += ", about " + text.Roughly(time.Duration(sum/float64(n)*float64(gates)*1e9))
	}
	return line
}
