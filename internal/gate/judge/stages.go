package judge

import (
	"errors"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"

	"github.com/poolbench/poolbench/internal/gate/verdict"
	"github.com/poolbench/poolbench/internal/statistics"
)

type Screening struct {
	options Options
	report  Report
	first   map[[3]string]Sample
	fresh   int
}

// A PairRequest requests fresh pairs of runs of a benchmark, which measure all of its metrics.
type PairRequest struct {
	Package, Benchmark string
	Pairs              int
}

// Screen judges the first stage. A metric is suspect if it looks worse, if it is too noisy, or if
// all base values are 0 and some head values are not. A metric that looks better, or may be better
// by the promise, is hopeful; fresh pairs decide on it in a separate family.
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
			!row.allocates && row.Step < o.promise() && o.pOfPromise(s) > o.ClearAt:
			row.Suspect = true
			row.unclear = !row.hinted && row.PWorse > o.SuspectAt && !row.Appeared
			suspects++
		case row.Step >= o.promise(): // fresh pairs would also be rounded
			row.Verdict, row.Reason = verdict.Inconclusive, o.coarse(&row)
		default:
			if row.Verdict = verdict.NotSuspected; row.PBetter <= o.SuspectAt ||
				!row.allocates && o.pOfImprovement(s) > o.SuspectAt {
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

func (o Options) pOfPromise(s Sample) float64 {
	return newSignedRank(minus(worsenings(s.values(), s.Better),
		o.promise()-o.rounding(s).log)).Less
}

func (o Options) pOfImprovement(s Sample) float64 {
	return newSignedRank(minus(worsenings(s.values(), s.Better),
		o.rounding(s).log-o.promise())).Greater
}

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
				tests++
			}
			row.Detectable = max(row.Step,
				g.options.detectable(row.deviation(), row.N, g.fresh, tests))
		}
	}
}

func (g *Screening) Suspects() []Metric { return g.metrics((*Row).isSuspect) }

func (g *Screening) Hopefuls() []Metric { return g.metrics((*Row).isHopeful) }

func (g *Screening) metrics(keep func(*Row) bool) (all []Metric) {
	for _, row := range g.report.family(keep) {
		all = append(all, row.Metric)
	}
	return all
}

func (g *Screening) Orders() []PairRequest {
	var all []PairRequest
	for _, row := range g.report.family(func(r *Row) bool { return r.Suspect || r.Hopeful }) {
		all = append(all, PairRequest{row.Package, row.Benchmark, g.firstLook(row)})
	}
	return longest(all)
}

// A metric that was suspect only because of its noise needs fewer pairs at the first look, because
// the pairs of the screening count as well.
func (g *Screening) firstLook(row *Row) int {
	first, all := g.Fresh()
	if quarter := (first + 1) / 2; first < all && row.unclear &&
		minP(g.options.ScreenPairs+quarter) <= g.options.futileAt() {
		return quarter
	}
	return first
}

// Expected returns the orders that More would return for all of these benchmarks, judged by the
// noise of the screening.
func (g *Screening) Expected() []PairRequest {
	var all []PairRequest
	for _, of := range [][]Metric{g.Suspects(), g.Hopefuls()} {
		for _, m := range of {
			n := g.pairsOf(Sample{Metric: m}, len(of))
			if n > g.fresh { // allow for the uncertain estimate of the noise
				n = min(n+n/4, MaxFresh(g.fresh))
			}
			all = append(all, PairRequest{m.Package, m.Benchmark, n})
		}
	}
	return longest(all)
}

// freshOf is the range of the average number of fresh pairs per benchmark, by the scatter of the
// changes in the first pairs. Each range contains 90 % of 4,500 replayed gates.
var freshOf = []struct{ scatter, few, many float64 }{
	{0.04, 0, 6}, {0.06, 0, 9}, {0.08, 0.5, 16}, {0.10, 2, 29}, {0.13, 4, 42}, {0.16, 8, 52},
	{math.Inf(1), 12, 66},
}

// changes are the changes in the first pair of each benchmark.
func FreshExpected(changes []float64) (few, many float64) {
	sizes := make([]float64, len(changes))
	for i, c := range changes {
		sizes[i] = math.Abs(c)
	}
	scatter := math.Inf(1)
	if len(sizes) > 0 {
		scatter = statistics.Median(sizes) / 0.6745
	}
	at := 0
	for scatter >= freshOf[at].scatter && at < len(freshOf)-1 {
		at++
	}
	return freshOf[at].few, freshOf[at].many
}

// Fresh returns the number of fresh pairs of a suspect at the first look, and the total number if
// it is not noisy.
func (g *Screening) Fresh() (first, all int) {
	if half := (g.fresh + 1) / 2; minP(half) <= g.options.futileAt() {
		return half, g.fresh
	}
	return g.fresh, g.fresh
}

// At alpha/2 the interval also excludes the promise.
func (o Options) futileAt() float64 { return min(o.FutileAt, o.Alpha/2) }

// More returns the benchmarks that need more fresh pairs, with the total number at the next look. A
// benchmark is finished when each of its suspects is settled at a look or has all of its pairs.
// Pairs beyond a look are ignored in it, so a resumed gate orders the same pairs.
func (g *Screening) More(fresh []Sample) ([]PairRequest, error) {
	given, err := g.index(fresh)
	if err != nil {
		return nil, err
	}
	var open []PairRequest
	more := func(row *Row, tests int, done func(Sample) bool) {
		s := given[row.id()]
		s.Metric = row.Metric
		last := g.pairsOf(s, tests)
		for _, look := range g.looks(row, last) {
			if s.N() < look {
				open = append(open, PairRequest{row.Package, row.Benchmark, look})
				return
			}
			if done(s.first(look)) {
				return
			}
		}
		open = append(open, PairRequest{row.Package, row.Benchmark, last})
	}
	suspects := g.report.family((*Row).isSuspect)
	for _, row := range suspects {
		more(row, len(suspects), func(s Sample) bool { return g.settled(row, s) != nil })
	}
	hopefuls := g.report.family((*Row).isHopeful)
	for _, row := range hopefuls {
		more(row, len(hopefuls), func(s Sample) bool { return !g.needsMorePairs(s) })
	}
	return longest(open), nil
}

// looks returns the numbers of fresh pairs below last at which a metric may be settled.
func (g *Screening) looks(row *Row, last int) (looks []int) {
	for look := g.firstLook(row); look < last; look *= 2 {
		looks = append(looks, look)
	}
	return looks
}

func longest(all []PairRequest) (orders []PairRequest) {
	for _, o := range all {
		at := slices.IndexFunc(orders, func(other PairRequest) bool {
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

const maxTimes = 5

// freshPower is the power of the fresh pairs of a noisy metric to find the promise. The power of
// both stages together is lower.
const freshPower = 0.95

const hopelessTimes = 2

func MaxFresh(all int) int { return max(all, min(all*maxTimes, signedRankLimit)) }

// pairsOf returns the number of fresh pairs that finds the promise, unless even the largest
// possible number would rarely suffice. The noise is estimated from the pairs of the screening and
// of the first look. The scatter of normal changes is independent of their mean, so the choice does
// not bias the verdict (Wittes and Brittain 1990).
func (g *Screening) pairsOf(s Sample, tests int) int {
	if s.allocates() || s.Quantile > 0 || g.options.Fixed {
		return g.fresh
	}
	var around []float64 // deviations from the median of each stage
	stages := 0
	first, _ := g.Fresh()
	for _, of := range []Sample{g.first[s.id()], s.first(first)} {
		if changes := worsenings(of.values(), of.Better); len(changes) > 0 {
			around = append(around, minus(changes, statistics.Median(changes))...)
			stages++
		}
	}
	// mean of a robust and a non-robust estimate, because outliers affect the test less than a mean
	n := float64(len(around))
	scatter := rankLoss * math.Sqrt(Spread(around)*stat.StdDev(around, nil)*n/(n-float64(stages)))
	needed := g.options.pairsToFind(scatter, tests, freshPower)
	most := MaxFresh(g.fresh)
	if !(needed <= hopelessTimes*float64(most)) {
		return g.fresh
	}
	return max(g.fresh, int(min(needed, float64(most))))
}

// needsMorePairs reports whether a hopeful metric still looks better, or an improvement by the
// promise is not excluded.
func (g *Screening) needsMorePairs(s Sample) bool {
	o := g.options
	row := o.row(s, len(g.Hopefuls()), RankSums{})
	return row.PBetter <= o.SuspectAt ||
		!row.allocates && row.Tested() && o.pOfImprovement(s) > o.futileAt()
}

func (g *Screening) settledEarly(screened *Row, s Sample, last int) *Row {
	for _, look := range g.looks(screened, last) {
		if s.N() < look {
			return nil
		}
		if row := g.settled(screened, s.first(look)); row != nil {
			return row
		}
	}
	return nil
}

// The fresh pairs of a suspect suffice if they look neither worse nor better, and exclude the
// promise at a stricter level than the screening. The level alpha still holds, because a verdict of
// worse never stops early (Jennison and Turnbull 2000, on stopping for futility).
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
		return max(o.pOfPromise(s), o.pOfImprovement(s)) <= o.futileAt()
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

func (g *Screening) withScreening(s Sample) Sample {
	before := g.first[s.id()]
	s.Pairs = slices.Concat(before.Pairs, s.Pairs)
	s.Tails = slices.Concat(before.Tails, s.Tails)
	return s
}

func (g *Screening) index(fresh []Sample) (map[[3]string]Sample, error) {
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

// Decide requires the fresh pairs of the suspects and the hopefuls, without pairs of the first
// stage. A suspect with fewer pairs than ordered is inconclusive, and so is a hopeful metric whose
// fresh pairs are worse. A suspect without a sample and a metric that was not screened are errors.
func (g *Screening) Decide(fresh []Sample) (*Report, error) {
	o := g.options
	given, err := g.index(fresh)
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
			o.pOfPromise(both) <= o.ClearAt {
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
