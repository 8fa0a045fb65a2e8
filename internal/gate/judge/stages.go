package judge

import (
	"errors"
	"fmt"
	"slices"

	"github.com/poolbench/poolbench/internal/gate/verdict"
)

// A Screening is a gate after its first stage.
type Screening struct {
	options Options
	report  Report
	fresh   int // pairs of each suspect, and of each that looks better
}

// An Order asks for fresh pairs of runs of a benchmark, with all of its metrics.
type Order struct {
	Package, Benchmark string
	Pairs              int
}

// Screen looks at the first stage: ScreenPairs pairs of every metric of the gate, or more. A metric
// is suspect when it looks worse (its p is at most SuspectAt), when it is too noisy to tell (a
// worsening as large as the promise would scatter so, at a p above ClearAt), or when its base is 0
// throughout and its head is not; an exact one whose values bear it out is decided at once. One
// that looks better, at the same p, is hopeful: fresh pairs decide whether it is, in a family of
// such metrics, so that the suspects' chance of a verdict stays what it is. Errors
// are those of Weigh, all of them joined, a metric given twice, and no samples at all.
func Screen(o Options, samples []Sample) (*Screening, error) {
	if err := errors.Join(o.Validate(), checkAll(samples)); err != nil {
		return nil, err
	}
	if len(samples) == 0 {
		return nil, errors.New("nothing to judge")
	}
	g := &Screening{options: o}
	suspects, hopefuls := 0, 0
	for _, s := range samples {
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
			suspects++
		case row.Step >= o.promise(): // fresh pairs would be rounded, too
			row.Verdict, row.Reason = verdict.Inconclusive, o.coarse(&row)
		default:
			if row.Verdict = verdict.NotSuspected; row.PBetter <= o.SuspectAt {
				row.Hopeful = true
				hopefuls++
			}
			if row.High >= o.promise() && !row.allocates {
				row.Reason = fmt.Sprintf("screened only: %d pairs rule out %.4g%% at p = %.2f",
					row.N, 100*o.Promise, o.promised(s))
			}
		}
		g.report.Rows = append(g.report.Rows, row)
		g.report.warnOfVariation(s, row)
	}
	g.fresh = o.freshPairs(max(1, suspects, hopefuls))
	g.conclude(max(1, suspects))
	return g, nil
}

// promised is how likely such values are if the metric is worse by the promise.
func (o Options) promised(s Sample) float64 {
	return newSignedRank(minus(worsenings(s.values(), s.Better),
		o.promise()-o.rounding(s).log)).Less
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
			row.Detectable = max(row.Step,
				g.options.detectable(row.deviation(), row.N, g.fresh, suspects))
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

// Fresh is how many fresh pairs a suspect gets at first, and in all: half of them, where so few can
// settle anything.
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

// More looks at the first of the fresh pairs, and says which benchmarks need the others too, with
// the number of all: those of which a suspect is not settled. Errors are those of Decide.
func (g *Screening) More(fresh []Sample) ([]Order, error) {
	given, err := g.given(fresh)
	if err != nil {
		return nil, err
	}
	first, all := g.Fresh()
	var open []Metric
	for _, m := range g.Suspects() {
		if s := given[m.id()].first(first); s.N() == 0 ||
			!g.settled(s, g.options.row(s, len(g.Suspects()), RankSums{})) {
			open = append(open, m)
		}
	}
	for _, m := range g.Hopefuls() {
		s := given[m.id()].first(first)
		if s.N() == 0 || g.hopes(s, g.options.row(s, len(g.Hopefuls()), RankSums{})) {
			open = append(open, m)
		}
	}
	return orders(open, all), nil
}

// hopes reports whether the first fresh pairs still look better, so that all are needed.
func (g *Screening) hopes(s Sample, row Row) bool {
	first, all := g.Fresh()
	return s.N() == first && first < all && row.PBetter <= g.options.SuspectAt
}

// settled reports whether the first fresh pairs are enough: the row looks neither worse nor better,
// and rules the promise out more surely than a screening must. Alpha holds because a verdict of
// worse never stops early: a stop for futility can only lower the chance of a false one (Jennison
// and Turnbull 2000, on stopping for futility).
func (g *Screening) settled(s Sample, row Row) bool {
	first, all := g.Fresh()
	o := g.options
	if row.allocates {
		return row.N == first && first < all && row.alike
	}
	return row.N == first && first < all && row.Tested() && !row.Appeared &&
		min(row.PWorse, row.PBetter) > o.SuspectAt && o.promised(s) <= o.futileAt()
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
		if n := o.PairsToFind(row.deviation(), report.Tests); row.Reason == o.notRuledOut() &&
			n > float64(row.N) {
			row.Reason += fmt.Sprintf("; with this scatter it takes about %.0f pairs", n)
		}
		fresh := row.N
		if g.settled(given[row.id()], *row) {
			row.Verdict, row.Reason = verdict.NoWorse, ""
			fresh = g.fresh // that a worsening would have been given
		} else if row.N < g.fresh {
			row.Verdict, row.Reason = verdict.Inconclusive, tooFewPairs(row.N, g.fresh)
		}
		if row.Tested() && !row.allocates {
			row.Detectable = max(row.Step,
				o.detectable(row.deviation(), g.report.Rows[i].N, fresh, report.Tests))
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
