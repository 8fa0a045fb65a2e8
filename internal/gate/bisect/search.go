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

// A Stage says what a gate is for.
type Stage string

// The stages.
const (
	Ends   Stage = "ends"   // is BAD worse than GOOD at all?
	Middle Stage = "middle" // has a commit in between the level of GOOD, or that of BAD?
	Last   Stage = "last"   // is the commit worse than the one before it?
)

// A Question is what a gate must decide.
type Question struct {
	Stage      Stage
	Base, Head measure.Commit
	Followed   *verdict.Row // the only metric to measure; nil: all
	Rule       judge.Options
	Allow      []verdict.Allowance // in addition to the user's
	// go on with the gate of the question before this one, which had fewer fresh pairs
	More bool
}

// A Gate measures. Its error says why the head cannot be measured, except where ctx has ended.
type Gate func(ctx context.Context, q Question) (*verdict.Report, error)

// A Search finds the commit.
type Search struct {
	Commits []measure.Commit // GOOD, and then each commit up to BAD
	Judge   judge.Options    // of the first gate and of the last
	Gate    Gate
	Say     func(line string) // hears of each gate that is done
	Journal *Journal          // of an earlier call; nil: none

	report Report
	// the followed metric as the first gate has it, and its change with the lower bound
	row           *verdict.Row
	change, least float64
	spent         []float64 // seconds of each gate for a commit in the middle
}

// alpha is the chance that the noise alone sends a gate for a commit at the level of GOOD or of BAD
// to the wrong side: small, since there are many such gates and a wrong one ruins the search.
const alpha = 0.01

// sure is a p at which a suspicion stands whatever the screening found, so that fresh pairs decide.
const sure = 0.9999

// mostPairs is up to how many fresh pairs a gate for a commit in the middle gets: half of them at
// most by the noise of the first gate, and twice as many as it had where they did not decide.
const mostPairs = 100

// mostHalf bounds the threshold between the levels of GOOD and BAD: a commit that is nearly twice
// as slow is no longer at the level of GOOD, however slow BAD is.
const mostHalf = 0.9

// Run searches. An error is one of the first gate or the end of ctx; everything else is in the
// report.
func (s *Search) Run(ctx context.Context) (*Report, error) {
	last := len(s.Commits) - 1
	s.report = Report{Good: s.Commits[0], Bad: s.Commits[last], Candidates: last,
		MostGates: mostGates(last)}
	r := &s.report
	first := Question{Stage: Ends, Base: r.Good, Head: r.Bad, Rule: s.strict(s.Judge)}
	ends, err := s.ask(ctx, first)
	if err != nil {
		return nil, err
	}
	if !s.follow(ends) {
		return s.undecided(notWorse(ends), "check that the order is GOOD BAD, and that --bench and "+
			"--metric name what is worse; --pairs N finds smaller changes"), nil
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
			return s.undecided(fmt.Sprintf("%s cannot be told from either side: %s",
				step.Commit.Short(), step.Reason), "the same command measures this commit again, "+
				"best while nothing else runs on the machine; --pairs N measures it longer"), nil
		}
		s.say(step, good, bad, skipped)
	}
	return s.confirm(ctx, good, bad)
}

func between(good, bad int) (all []int) {
	for i := good + 1; i < bad; i++ {
		all = append(all, i)
	}
	return all
}

// mostGates is how many gates a search among so many commits takes at most: those of the middle,
// each of which halves what is left, the first and the last.
func mostGates(candidates int) int {
	if candidates == 1 {
		return 1
	}
	return bits.Len(uint(candidates-1)) + 2
}

// ask returns the gate that an earlier call has kept, or else measures.
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

// follow chooses the metric to follow among those that are worse: times before allocations before
// instructions, since these are what a user notices; of several the one that changed most. It
// returns false if nothing is worse.
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
		s.change = math.Inf(1) // from 0
	}
	line := fmt.Sprintf("gate 1 of at most %d: %s is worse, %s, by %s", s.report.MostGates,
		s.report.Bad.Short(), name(&worse[0]), changeText(&worse[0]))
	if n := len(worse) - 1; n > 0 {
		line += fmt.Sprintf("; %s worse as well", text.Count(n, "metric"))
	}
	s.Say(line + s.remaining(s.report.Candidates))
	return true
}

// step measures a commit in the middle.
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
		if step.Reason != tooNoisy || 2*q.Rule.FreshPairs > mostPairs {
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

// strict clears a commit without fresh pairs only if each pair of the screening is below the
// promise.
func (s *Search) strict(o judge.Options) judge.Options {
	o.ClearAt = math.Exp2(-float64(o.ScreenPairs))
	return o
}

// rule decides between the levels of GOOD and BAD: margin and promise are half the change, so that
// worse is the side of BAD, and no worse that of GOOD.
func (s *Search) rule() judge.Options {
	o := s.Judge
	o.Alpha = alpha
	o = s.strict(o)
	if verdict.IsAllocation(s.row.Metric) {
		return o // an allowance decides
	}
	o.Margin = min(math.Expm1(s.change/2), mostHalf)
	o.Promise = o.Margin
	o.FreshPairs = s.pairs()
	return o
}

// pairs is how many fresh pairs decide between the levels nearly always, by the noise of the first
// gate: as many as make half the change three standard errors.
func (s *Search) pairs() int {
	_, low, high := worsening(s.row)
	deviation := (high - low) / 2 / quantile(1-s.Judge.Alpha/2) * math.Sqrt(float64(s.row.New.N))
	wanted := math.Pow(3*deviation/(s.change/2), 2)
	if least := s.Judge.FreshPairs; wanted > float64(least) {
		return max(least, int(min(wanted, mostPairs/2)))
	}
	return s.Judge.FreshPairs // also where the noise is not known
}

// allowance of allocations is half of what BAD has more.
func (s *Search) allowance() []verdict.Allowance {
	if !verdict.IsAllocation(s.row.Metric) {
		return nil
	}
	return []verdict.Allowance{{Benchmark: s.row.Benchmark, Metric: s.row.Metric,
		Amount: (s.row.New.Median - s.row.Old.Median) / 2}}
}

// rowOf is the followed metric in a report; nil where it is missing.
func (s *Search) rowOf(r *verdict.Report) *verdict.Row {
	for i := range r.Rows {
		if row := &r.Rows[i]; row.Metric == s.row.Metric && row.Benchmark == s.row.Benchmark &&
			row.Package == s.row.Package {
			return row
		}
	}
	return nil
}

// side decides to which side of the commit to be found a commit in the middle belongs.
func (s *Search) side(r *verdict.Report, row *verdict.Row) (Side, string) {
	switch {
	case row == nil && len(r.Unclear) > 0:
		return SideUndecided, r.Unclear[0]
	case row == nil && len(r.Faults) > 0:
		return SideSkipped, r.Faults[0]
	case row == nil:
		return SideSkipped, "no " + name(s.row)
	case row.Verdict == verdict.Worse:
		return SideBad, ""
	case row.Verdict != verdict.Inconclusive:
		return SideGood, ""
	case len(r.Unclear) > 0: // a control failed
		return SideUndecided, r.Unclear[0]
	case verdict.IsAllocation(row.Metric):
		return SideUndecided, row.Reason
	}
	switch odds := s.odds(row); {
	case odds >= math.Log(decisive):
		return SideBad, ""
	case odds <= -math.Log(decisive):
		return SideGood, ""
	}
	return SideUndecided, tooNoisy
}

const tooNoisy = "the pairs scatter too much"

// decisive is how many times as likely a commit must be at one of both levels as at the other where
// it is not significantly on one side of the middle. That holds however often it is looked at.
const decisive = 50

// odds is the logarithm of how many times as likely the row is at the level of BAD as at that of
// GOOD: of its distance from the middle, which is normal with a mean of half the change, or as much
// less, and with the errors of the row and of that half.
func (s *Search) odds(row *verdict.Row) float64 {
	change, low, high := worsening(row)
	half := s.change / 2
	toward := change - low // the error on the side of the middle
	if change < half {
		toward = high - change
	}
	deviation := math.Hypot(toward/quantile(1-alpha/2),
		(s.change-s.least)/2/quantile(1-s.Judge.Alpha/2))
	return 2 * (change - half) * half / (deviation * deviation)
}

// confirm measures the first commit that is bad against the last that is good.
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
			q.Rule.SuspectAt = sure
			q.Rule.FreshPairs = s.rule().FreshPairs
		}
		answer, err := s.ask(ctx, q)
		switch {
		case ctx.Err() != nil:
			return nil, context.Cause(ctx)
		case err != nil:
			return s.undecided("the last gate failed: "+text.FirstLines(err.Error(), 1),
				"the same command measures it again"), nil
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
			len(r.Left), len(r.Left)-1), fmt.Sprintf("read git log -p %s..%s; if the reasons "+
			"above allow, --setup COMMAND or --allow-environment", s.Commits[good].Short(), s.Commits[bad].Short())), nil
	}
	r.Outcome, r.Found = Found, &s.Commits[bad]
	if share, most := s.share(); share < mostOfAll && most < 1 {
		r.Next = fmt.Sprintf("this is %.0f %% of the change; --bisect GOOD %s and --bisect %s BAD "+
			"look for the rest", 100*share, r.Before.Short(), r.Found.Short())
	}
	return r, nil
}

// mostOfAll is the share of the change from which the rest is not worth another search.
const mostOfAll = 0.8

// share of the change of BAD that the commit has, and the most it may have.
func (s *Search) share() (share, most float64) {
	change, _, high := worsening(s.report.Change)
	return change / s.change, high / s.least
}

func (s *Search) unconfirmed(answer *verdict.Report) *Report {
	why := fmt.Sprintf("the steps led to %s, but the last gate does not find it worse than %s",
		s.report.Left[len(s.report.Left)-1].Short(), s.report.Before.Short())
	row := s.report.Change
	switch {
	case len(answer.Unclear) > 0:
		return s.undecided(why+": "+answer.Unclear[0], "the same command measures it again")
	case row == nil || row.Verdict == verdict.Inconclusive:
		return s.undecided(why, "the same command measures it again; --pairs N measures it longer")
	}
	return s.undecided(why, "either many commits made it worse little by little, as the changes "+
		"above would show, or a step was wrong: --force begins again, with another --seed")
}

func (s *Search) undecided(why, next string) *Report {
	s.report.Outcome, s.report.Why, s.report.Next = Undecided, why, next
	return &s.report
}

// notWorse says what the first gate found where nothing is worse.
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

// say tells of a step.
func (s *Search) say(step Step, good, bad int, skipped map[int]bool) {
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

// remaining is the end of a line: the commits left, and the time that they take at most.
func (s *Search) remaining(commits int) string {
	line := fmt.Sprintf("; %s left", text.Count(commits, "commit"))
	gates := 1
	if commits > 1 {
		gates = mostGates(commits) - 1
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

// quantile is that of the standard normal distribution.
func quantile(p float64) float64 { return math.Sqrt2 * math.Erfinv(2*p-1) }

// worsening is the change of a row as a logarithm, plus for worse, with the ends of its interval.
func worsening(row *verdict.Row) (change, low, high float64) {
	change, low, high = math.Log(float64(row.Ratio)), math.Log(float64(row.Lo)),
		math.Log(float64(row.Hi))
	if row.Better == verdict.HigherIsBetter {
		return -change, -high, -low
	}
	return change, low, high
}
