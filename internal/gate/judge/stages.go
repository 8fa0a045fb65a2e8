package judge

import (
	"errors"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"

	"github.com/poolbench/poolbench/internal/gate/verdict"
	"github.com/poolbench/poolbench/internal/statistics"
)

// A Screening is a gate after its first stage.
type Screening struct {
	options Options
	report  Report
	first   map[[3]string]Sample // the pairs that screened
	// pairs of each suspect, and of each that looks better; noisy ones get more
	fresh int
}

// An Order asks for fresh pairs of runs of a benchmark, with all of its metrics.
type Order struct {
	Package, Benchmark string
	Pairs              int
}

// Screen looks at the first stage: ScreenPairs pairs of every metric of the gate, or more. A metric
// is suspect when it looks worse (its p is at most SuspectAt), when it is too noisy to tell (a
// worsening as large as the promise would scatter so, at a p above ClearAt), or when its base is 0
// throughout and its head is not; an exact one whose values bear it out is decided at once. Other
// metrics pass, because their interval excludes the promise. One that looks better, at the same p,
// or may well be better by the promise, is hopeful: fresh pairs decide whether it is, in a family
// of such metrics, so that the suspects' chance of a verdict stays what it is. Errors are those of
// Weigh, all of them joined, a metric given twice, and no samples at all.
func Screen(o Options, samples []Sample) (*Screening, error) {
	if err := errors.Join(o.Validate(), checkAll(samples)); err != nil {
		return nil, err
	}
	if len(samples) == 0 {
		return nil, errors.New("nothing to judge")
	}
	g := &Screening{options: o, first: map[[3]string]Sample{}}
	suspects, hopefuls := 0, 0
	for _, s := range samples {
		g.first[s.id()] = s
		row := o.row(s, len(samples), RankSums{})
		switch {
		case s.N() < o.ScreenPairs:
			row.Verdict, row.Reason = verdict.Inconclusive, tooFewPairs(s.N(), o.ScreenPairs)
		case !row.Tested():
			row.PWorseHolm, row.PBetterHolm = row.PWorse, row.PBetter
			if row.Verdict, row.Reason = o.verdict(&row, 0); !row.allocates {
				row.Reason = ""
			}
		case row.allocates && !row.hinted && min(row.PWorse, row.PBetter) > o.SuspectAt:
			row.PWorseHolm, row.PBetterHolm = 1, 1
			row.Verdict, row.Reason = o.allocationVerdict(&row, len(samples))
		case row.hinted || row.PWorse <= o.SuspectAt || row.Appeared ||
			!row.allocates && row.Step < o.promise() && o.promised(s) > o.ClearAt:
			row.Suspect = true
			row.unclear = !row.hinted && row.PWorse > o.SuspectAt && !row.Appeared
			suspects++
		case row.Step >= o.promise(): // fresh pairs would be rounded, too
			row.Verdict, row.Reason = verdict.Inconclusive, o.coarse(&row)
		default:
			if row.Verdict = verdict.NotSuspected; row.PBetter <= o.SuspectAt ||
				!row.allocates && o.improved(s) > o.SuspectAt {
				row.Hopeful = true
				hopefuls++
			}
		}
		g.report.Rows = append(g.report.Rows, row)
		g.report.warnOfVariation(s, row)
	}
	g.fresh = o.freshPairs(max(1, suspects, hopefuls))
	g.conclude(suspects)
	return g, nil
}

// promised is how likely such values are if the metric is worse by the promise.
func (o Options) promised(s Sample) float64 {
	return newSignedRank(minus(worsenings(s.values(), s.Better),
		o.promise()-o.rounding(s).log)).Less
}

// improved is how likely such values are if the metric is better by the promise.
func (o Options) improved(s Sample) float64 {
	return newSignedRank(minus(worsenings(s.values(), s.Better),
		o.rounding(s).log-o.promise())).Greater
}

// conclude completes the rows of the first stage with figures of the whole family, and with the
// change that is detectable with that many suspects.
func (g *Screening) conclude(suspects int) {
	family := g.report.family(anyRow)
	g.options.adjust(family)
	for _, row := range family {
		if row.Verdict == verdict.NotSuspected && !row.allocates &&
			row.PBetterHolm <= g.options.Alpha {
			row.Verdict, row.Hopeful = verdict.Better, false
		}
		if row.Tested() && !row.allocates {
			tests := suspects
			if !row.Suspect {
				tests++ // it would be one if it were worse
			}
			row.Detectable = max(row.Step,
				g.options.detectable(row.deviation(), row.N, g.fresh, tests))
		}
	}
}

// Suspects are the metrics that may be worse, to be decided by fresh pairs, in the order of the
// samples.
func (g *Screening) Suspects() []Metric { return g.metrics((*Row).isSuspect) }

// Hopefuls are the metrics that look better, to be decided by fresh pairs too.
func (g *Screening) Hopefuls() []Metric { return g.metrics((*Row).isHopeful) }

func (g *Screening) metrics(keep func(*Row) bool) (all []Metric) {
	for _, row := range g.report.family(keep) {
		all = append(all, row.Metric)
	}
	return all
}

// Orders say of which benchmarks fresh pairs are needed, and how many at first: those of which a
// metric is suspect or hopeful.
func (g *Screening) Orders() []Order {
	first, _ := g.Fresh()
	return orders(append(g.Suspects(), g.Hopefuls()...), first)
}

// Expected are the orders that More would make of all of these benchmarks, as far as the screening
// tells: what a gate takes at most, unless it shows more noise then.
func (g *Screening) Expected() []Order {
	var all []Order
	for _, of := range [][]Metric{g.Suspects(), g.Hopefuls()} {
		for _, m := range of {
			n := g.pairsOf(Sample{Metric: m}, len(of))
			if n > g.fresh { // how noisy it is is hardly known
				n = min(n+n/4, MostFresh(g.fresh))
			}
			all = append(all, Order{m.Package, m.Benchmark, n})
		}
	}
	return longest(all)
}

// FreshExpected is from how few to how many fresh pairs the benchmarks of a gate get on average, by
// the changes in the first pair of each. Nine of ten gates of replayed noise lie between, on a
// quiet machine and on a noisy one.
func FreshExpected(changes []float64) (few, many float64) {
	sizes := make([]float64, len(changes))
	for i, c := range changes {
		sizes[i] = math.Abs(c)
	}
	scatter := math.Inf(1)
	if len(sizes) > 0 {
		scatter = statistics.Median(sizes) / 0.6745 // of a normal distribution
	}
	switch {
	case scatter < 0.06:
		return 0, 12
	case scatter < 0.16:
		return 0, 45
	}
	return 0, 75
}

// Fresh is how many fresh pairs a suspect gets at first, and in all if it is not noisy: half of
// them, where so few can settle anything.
func (g *Screening) Fresh() (first, all int) {
	if half := (g.fresh + 1) / 2; leastP(half) <= g.options.futileAt() {
		return half, g.fresh
	}
	return g.fresh, g.fresh
}

// futileAt is the p that settles: one at which the interval leaves the promise out as well.
func (o Options) futileAt() float64 { return min(o.FutileAt, o.Alpha/2) }

func orders(of []Metric, pairs int) (all []Order) {
	for _, m := range of {
		order := Order{m.Package, m.Benchmark, pairs}
		if !slices.Contains(all, order) {
			all = append(all, order)
		}
	}
	return all
}

// More looks at the fresh pairs so far and returns the benchmarks that need more, with the number of
// all fresh pairs that they should have at the next look. A benchmark is done when each of its
// suspects is settled at one of the looks, or has all of its pairs: then the same order is returned
// again. Pairs beyond a look do not count in it, so that a gate that is resumed orders the same.
// Errors are those of Decide.
func (g *Screening) More(fresh []Sample) ([]Order, error) {
	given, err := g.given(fresh)
	if err != nil {
		return nil, err
	}
	var open []Order
	more := func(m Metric, tests int, done func(Sample) bool) {
		s := given[m.id()]
		s.Metric = m
		last := g.pairsOf(s, tests)
		for _, look := range g.looks(last) {
			if s.N() < look {
				open = append(open, Order{m.Package, m.Benchmark, look})
				return
			}
			if done(s.first(look)) {
				return
			}
		}
		open = append(open, Order{m.Package, m.Benchmark, last})
	}
	suspects, hopefuls := g.Suspects(), g.Hopefuls()
	for _, row := range g.report.family((*Row).isSuspect) {
		more(row.Metric, len(suspects), func(s Sample) bool { return g.settled(row, s) != nil })
	}
	for _, m := range hopefuls {
		more(m, len(hopefuls), func(s Sample) bool { return !g.hopes(s) })
	}
	return longest(open), nil
}

// looks are the numbers of fresh pairs, below last, at which a metric may be settled: half of the
// pairs of a metric that is not noisy, all of them, and twice as many, again and again.
func (g *Screening) looks(last int) (looks []int) {
	for look, _ := g.Fresh(); look < last; look *= 2 {
		looks = append(looks, look)
	}
	return looks
}

// longest leaves each benchmark its largest order.
func longest(all []Order) (orders []Order) {
	for _, o := range all {
		at := slices.IndexFunc(orders, func(other Order) bool {
			return other.Package == o.Package && other.Benchmark == o.Benchmark
		})
		if at < 0 {
			orders = append(orders, o)
		} else {
			orders[at].Pairs = max(orders[at].Pairs, o.Pairs)
		}
	}
	return orders
}

// mostTimes bounds the fresh pairs of a noisy metric, as a multiple of those of others.
const mostTimes = 5

// freshPower is the chance with which the fresh pairs of a noisy metric should find the promise.
// Both stages together find it less often: some is lost in the screening, and some where the first
// pairs show too little noise.
const freshPower = 0.95

// hopelessTimes is from how many times as many pairs as can be had more pairs are not tried.
const hopelessTimes = 2

// MostFresh is up to how many fresh pairs a noisy metric gets, where others get so many.
func MostFresh(all int) int { return max(all, min(all*mostTimes, signedRankLimit)) }

// pairsOf is how many fresh pairs a metric gets in all if it is not settled before: as many as find
// the promise in a family of so many tests, unless it is so noisy that all that can be had would
// rarely do. How noisy it is shows in the pairs of the screening and of the first look.
//
// Their own pairs take part in this by how much they scatter, and not by their mean, which is
// independent of it in normal changes: a choice by the scatter favours no verdict (Wittes and
// Brittain 1990, on internal pilot studies).
func (g *Screening) pairsOf(s Sample, tests int) int {
	if s.allocates() || s.Quantile > 0 || g.options.Fixed {
		return g.fresh
	}
	var around []float64 // the median of each stage
	stages := 0
	first, _ := g.Fresh()
	for _, of := range []Sample{g.first[s.id()], s.first(first)} {
		if changes := worsenings(of.values(), of.Better); len(changes) > 0 {
			around = append(around, minus(changes, statistics.Median(changes))...)
			stages++
		}
	}
	// outliers count, though not in full: they move the test less than a mean
	n := float64(len(around))
	scatter := rankLoss * math.Sqrt(Spread(around)*stat.StdDev(around, nil)*n/(n-float64(stages)))
	needed := g.options.pairsToFind(scatter, tests, freshPower)
	most := MostFresh(g.fresh)
	if !(needed <= hopelessTimes*float64(most)) {
		return g.fresh
	}
	return max(g.fresh, int(min(needed, float64(most))))
}

// hopes reports whether fresh pairs still look better, or do not exclude an improvement as large as
// the promise, so that more are needed.
func (g *Screening) hopes(s Sample) bool {
	o := g.options
	row := o.row(s, len(g.Hopefuls()), RankSums{})
	return row.PBetter <= o.SuspectAt ||
		!row.allocates && row.Tested() && o.improved(s) > o.futileAt()
}

// settledEarly returns the row of a suspect at the first look at which it is settled, nil if there
// is none.
func (g *Screening) settledEarly(screened *Row, s Sample, last int) *Row {
	for _, look := range g.looks(last) {
		if s.N() < look {
			return nil
		}
		if row := g.settled(screened, s.first(look)); row != nil {
			return row
		}
	}
	return nil
}

// settled returns the row of a suspect for which so few fresh pairs are enough, nil otherwise: they
// look neither worse nor better, and exclude the promise more surely than a screening must. With one
// that is suspect only because it was unclear the pairs of the screening count, too: they were not
// chosen for looking bad. Alpha holds because a verdict of worse never stops early: a stop for
// futility can only lower the chance of a false one (Jennison and Turnbull 2000, on stopping for
// futility).
func (g *Screening) settled(screened *Row, s Sample) *Row {
	o := g.options
	row := o.row(s, len(g.Suspects()), RankSums{})
	if row.allocates {
		if !row.alike {
			return nil
		}
		return &row
	}
	if !row.Tested() || row.Appeared || min(row.PWorse, row.PBetter) <= o.SuspectAt {
		return nil
	}
	excluded := func(s Sample) bool {
		return max(o.promised(s), o.improved(s)) <= o.futileAt()
	}
	if excluded(s) {
		return &row
	}
	if both := g.withScreening(s); screened.unclear && excluded(both) {
		row = o.row(both, len(g.Suspects()), RankSums{})
		return &row
	}
	return nil
}

// withScreening has the pairs of both stages.
func (g *Screening) withScreening(s Sample) Sample {
	before := g.first[s.id()]
	s.Pairs = slices.Concat(before.Pairs, s.Pairs)
	s.Tails = slices.Concat(before.Tails, s.Tails)
	return s
}

// given are the samples by metric, which must be of metrics that were screened, and of all that are
// suspect.
func (g *Screening) given(fresh []Sample) (map[[3]string]Sample, error) {
	if err := checkAll(fresh); err != nil {
		return nil, err
	}
	given := make(map[[3]string]Sample)
	for _, s := range fresh {
		given[s.id()] = s
	}
	screened := make(map[[3]string]bool)
	var wrong []error
	for _, row := range g.report.Rows {
		s, ok := given[row.id()]
		screened[row.id()] = true
		decides := row.Suspect || row.Hopeful
		if decides && !ok {
			wrong = append(wrong, row.errorf("suspect, but without fresh pairs"))
		} else if decides && s.Metric != row.Metric {
			wrong = append(wrong,
				row.errorf("screened as %+v, but now %+v", row.Metric, s.Metric))
		}
	}
	for _, s := range fresh {
		if !screened[s.id()] {
			wrong = append(wrong, s.errorf("fresh pairs, but it was not screened"))
		}
	}
	return given, errors.Join(wrong...)
}

// Decide ends the gate with the fresh pairs of the suspects and the hopefuls: nothing of the first
// stage may be among them. What comes along of other metrics is passed over. A suspect with fewer
// pairs than ordered, by Orders and then by More, is inconclusive.
//
// A hopeful one is better, or no worse, where its fresh pairs show it, and inconclusive where they
// are worse: to call it worse would add to alpha. Otherwise it stays what the screening found, not
// suspected.
//
// Errors are those of Weigh, a suspect without a sample, and a metric that was not screened. Decide
// may be called again, with more.
func (g *Screening) Decide(fresh []Sample) (*Report, error) {
	o := g.options
	given, err := g.given(fresh)
	if err != nil {
		return nil, err
	}
	suspects := len(g.Suspects())
	report := &Report{Warnings: append([]string(nil), g.report.Warnings...)}
	for _, row := range g.report.Rows {
		if row.Suspect {
			s := given[row.id()]
			row = o.row(s, suspects, RankSums{})
			row.Suspect = true
			report.warnOfVariation(s, row)
		}
		report.Rows = append(report.Rows, row)
	}
	report.Tests = o.conclude(report.family((*Row).isSuspect))
	g.decideHopefuls(report, given)
	for i := range report.Rows {
		row := &report.Rows[i]
		if !row.Suspect {
			continue
		}
		s, screened := given[row.id()], &g.report.Rows[i]
		wanted := g.pairsOf(s, suspects)
		fresh := s.N()
		if done := g.settledEarly(screened, s, wanted); done != nil {
			done.Suspect, done.Verdict = true, verdict.NoWorse
			done.PWorseHolm, done.PBetterHolm = row.PWorseHolm, row.PBetterHolm
			*row = *done
		} else if row.N < wanted {
			row.Verdict, row.Reason = verdict.Inconclusive, tooFewPairs(row.N, wanted)
		} else if both := g.withScreening(s); screened.unclear && row.Reason == o.notRuledOut() &&
			o.promised(both) <= o.ClearAt {
			all := o.row(both, suspects, RankSums{})
			all.Suspect, all.Verdict = true, verdict.NoWorse
			all.PWorseHolm, all.PBetterHolm = row.PWorseHolm, row.PBetterHolm
			*row = all
		} else if row.Reason == o.notRuledOut() {
			row.Undecided, row.Needs = true, o.needed(row, report.Tests)
		}
		if row.Tested() && !row.allocates {
			row.Detectable = max(row.Step,
				o.detectable(row.deviation(), screened.N, max(g.fresh, fresh), report.Tests))
		}
	}
	return report, nil
}

// decideHopefuls replaces the rows of metrics that looked better by those of their fresh pairs,
// where these say more.
func (g *Screening) decideHopefuls(report *Report, given map[[3]string]Sample) {
	o := g.options
	var at []int
	fresh := &Report{}
	for i := range report.Rows {
		if row := &report.Rows[i]; row.Hopeful {
			at = append(at, i)
			decided := o.row(given[row.id()], len(g.Hopefuls()), RankSums{})
			decided.Hopeful = true
			fresh.Rows = append(fresh.Rows, decided)
		}
	}
	o.conclude(fresh.family(anyRow))
	for i, row := range fresh.Rows {
		if row.Verdict == verdict.Worse && !row.allocates {
			row.Verdict = verdict.Inconclusive
			row.Reason = "the screening looked better, and the fresh pairs are worse"
		}
		if row.Verdict == verdict.Better || row.Verdict == verdict.NoWorse || row.allocates ||
			row.PWorseHolm <= o.Alpha {
			row.Detectable = report.Rows[at[i]].Detectable
			report.Rows[at[i]] = row
		}
	}
}
