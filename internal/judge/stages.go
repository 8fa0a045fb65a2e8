package judge

import (
	"errors"
)

// A Screening is a gate after its first stage.
type Screening struct {
	options Options
	report  Report
	wanted  map[[2]string]int // fresh pairs of the suspects
}

// An Order asks for fresh pairs of runs of a benchmark, with all of its metrics.
type Order struct {
	Benchmark string
	Pairs     int
}

// Screen looks at the first stage: ScreenPairs pairs of every metric of the gate, or more. A metric is suspect when its p is at most
// SuspectAt, or when its base is 0 throughout and its head is not; an exact one whose values bear it out is decided at once. Errors are
// those of Weigh, all of them joined, a metric given twice, and no samples at all.
func Screen(o Options, samples []Sample) (*Screening, error) {
	if err := errors.Join(o.Validate(), checkAll(samples)); err != nil {
		return nil, err
	}
	if len(samples) == 0 {
		return nil, errors.New("nothing to judge")
	}
	g := &Screening{options: o, wanted: make(map[[2]string]int)}
	var suspects []int
	var spreads []float64 // of the suspects
	for i, s := range samples {
		row := o.row(s, len(samples))
		switch {
		case s.N() < o.ScreenPairs:
			row.Verdict, row.Reason = Inconclusive, tooFewPairs(s.N(), o.ScreenPairs)
		case !row.Tested():
			row.Verdict, _ = o.verdict(row.Evidence, Conclusion{PWorseHolm: row.PWorse, PBetterHolm: row.PBetter})
		case row.PWorse <= o.SuspectAt || row.Appeared:
			row.Suspect = true
			suspects, spreads = append(suspects, i), append(spreads, row.spread)
		default:
			row.Verdict = NoWorse
		}
		g.report.Rows = append(g.report.Rows, row)
		g.report.warnOfVariation(s, row)
	}
	for i, at := range suspects {
		g.wanted[samples[at].id()] = o.pairsToFind(spreads[i], len(suspects))
	}
	g.conclude()
	return g, nil
}

// conclude gives the rows of the first stage what only the whole family tells.
func (g *Screening) conclude() {
	rows := g.report.Rows
	var family []Evidence
	for _, row := range rows {
		family = append(family, row.Evidence)
	}
	for i, c := range Conclude(g.options, family) {
		row := &rows[i]
		row.PWorseHolm, row.PBetterHolm = c.PWorseHolm, c.PBetterHolm
		if row.Verdict == NoWorse && c.PBetterHolm <= g.options.Alpha {
			row.Verdict = Better
		}
		if row.Tested() {
			tests := max(1, len(g.wanted))
			row.Detectable = g.options.detectable(row.deviation(), row.N, g.options.pairsToFind(row.spread, tests), tests)
		} else {
			row.Detectable = c.Detectable
		}
	}
}

// Suspects are the metrics to be decided by fresh pairs, in the order of the samples.
func (g *Screening) Suspects() []Metric {
	var suspects []Metric
	for _, row := range g.report.Rows {
		if row.Suspect {
			suspects = append(suspects, row.Metric)
		}
	}
	return suspects
}

// Orders say how many fresh pairs of which benchmarks Decide needs: as many as the neediest suspect metric of each.
func (g *Screening) Orders() []Order {
	var orders []Order
	at := make(map[string]int)
	for _, m := range g.Suspects() {
		i, seen := at[m.Benchmark]
		if !seen {
			i = len(orders)
			at[m.Benchmark] = i
			orders = append(orders, Order{Benchmark: m.Benchmark})
		}
		orders[i].Pairs = max(orders[i].Pairs, g.wanted[m.id()])
	}
	return orders
}

// Decide ends the gate with the fresh pairs of the suspects: nothing of the first stage may be among them. What comes along of metrics
// that are not suspect is passed over. A suspect with fewer pairs than ordered is inconclusive.
//
// Errors are those of Weigh, a suspect without a sample, and a metric that was not screened. Decide may be called again, with more.
func (g *Screening) Decide(fresh []Sample) (*Report, error) {
	o := g.options
	if err := checkAll(fresh); err != nil {
		return nil, err
	}
	given := make(map[[2]string]Sample)
	for _, s := range fresh {
		given[s.id()] = s
	}
	screened := make(map[[2]string]bool)
	report := &Report{Warnings: append([]string(nil), g.report.Warnings...)}
	var wrong []error
	var family []Evidence
	var rows []int
	for i, row := range g.report.Rows {
		s, ok := given[row.id()]
		screened[row.id()] = true
		if row.Suspect && !ok {
			wrong = append(wrong, row.errorf("suspect, and no fresh pairs of it"))
		} else if row.Suspect && s.Metric != row.Metric {
			wrong = append(wrong, row.errorf("screened as %+v, and now it is %+v", row.Metric, s.Metric))
		} else if row.Suspect {
			row = o.row(s, len(g.wanted))
			row.Suspect = true
			rows, family = append(rows, i), append(family, row.Evidence)
			report.warnOfVariation(s, row)
		}
		report.Rows = append(report.Rows, row)
	}
	for _, s := range fresh {
		if !screened[s.id()] {
			wrong = append(wrong, s.errorf("fresh pairs of what was not screened"))
		}
	}
	if err := errors.Join(wrong...); err != nil {
		return nil, err
	}
	for i, c := range Conclude(o, family) {
		row := &report.Rows[rows[i]]
		row.conclude(o, c)
		report.Tests = c.Family
		if row.Tested() {
			row.Detectable = o.detectable(row.deviation(), g.report.Rows[rows[i]].N, row.N, c.Family)
		}
		if ordered := g.wanted[row.id()]; row.N < ordered {
			row.Verdict, row.Reason = Inconclusive, tooFewPairs(row.N, ordered)
		}
	}
	return report, nil
}
