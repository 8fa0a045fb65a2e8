package judge

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/poolbench/poolbench/internal/gate/verdict"
)

type decider func(first, second []Sample) (*Report, error)

func realDecider(first, second []Sample) (*Report, error) {
	g, err := Screen(Defaults(), first)
	if err != nil {
		return nil, err
	}
	return g.Decide(second)
}

// checkDecider returns the guarantees of the gate that a decider violates.
func checkDecider(decide decider) (complaints []string) {
	rng := rand.New(rand.NewPCG(11, 1))
	sample := func(m Metric, n int, factor float64) Sample {
		return Sample{Metric: m, Pairs: noisy(rng, n, 0.03, factor)}
	}
	rate := Metric{Benchmark: "rate", Unit: "ops/s", Better: verdict.HigherIsBetter}
	rise := Metric{Benchmark: "rise", Unit: "ops/s", Better: verdict.HigherIsBetter}
	counts := Metric{Benchmark: "slow", Unit: "allocs/op", Better: verdict.LowerIsBetter,
		Exact: true}
	wanted := []struct {
		Metric
		factor float64
		want   []verdict.Verdict
	}{
		{times("calm"), 1, []verdict.Verdict{verdict.NotSuspected, verdict.NoWorse}},
		{times("slow"), 1.15, []verdict.Verdict{verdict.Worse}},
		{
			times("fast"),
			0.85,
			[]verdict.Verdict{verdict.NotSuspected, verdict.NoWorse, verdict.Better},
		},
		{rate, 0.85, []verdict.Verdict{verdict.Worse}},
		{rise, 1.15, []verdict.Verdict{verdict.NotSuspected, verdict.NoWorse, verdict.Better}},
		{
			times("within the margin"),
			1.01,
			[]verdict.Verdict{verdict.NotSuspected, verdict.NoWorse},
		},
	}
	var first, second []Sample
	for _, w := range wanted {
		first, second = append(first, sample(w.Metric, 6, w.factor)),
			append(second, sample(w.Metric, 20, w.factor))
	}
	first = append(first, Sample{Metric: counts, Pairs: repeated(6, 0, 1)})
	r, err := decide(first, second)
	if err != nil {
		return []string{err.Error()}
	}
	of := func(r *Report, m Metric) verdict.Verdict {
		for _, row := range r.Rows {
			if row.id() == m.id() {
				return row.Verdict
			}
		}
		return "missing"
	}
	for _, w := range wanted {
		if got := of(r, w.Metric); !slices.Contains(w.want, got) {
			complaints = append(complaints, fmt.Sprintf("%v by %v is %s", w.Metric, w.factor, got))
		}
	}
	for _, row := range r.Rows {
		if row.Verdict == verdict.NoWorse && !row.Suspect && row.Tested() {
			complaints = append(complaints,
				fmt.Sprintf("%v is no worse by its screening", row.Metric))
		}
	}
	if got := of(r, counts); got != verdict.Worse {
		complaints = append(complaints, fmt.Sprintf("0 → 1 is %s", got))
	}
	if maxSevere(r) != verdict.Worse {
		complaints = append(complaints, "the whole is "+string(maxSevere(r)))
	}
	for what, wrong := range map[string][2][]Sample{
		"no direction":      {{sample(Metric{Benchmark: "b", Unit: "frobs"}, 6, 1)}, nil},
		"nothing":           {nil, nil},
		"a suspect is gone": {{sample(times("slow"), 6, 1.2)}, nil},
	} {
		if r, err := decide(wrong[0], wrong[1]); err == nil &&
			maxSevere(r).Severity() > verdict.Inconclusive.Severity() {
			complaints = append(complaints, what+" passes")
		}
	}
	for what, few := range map[string][2][]Sample{
		"too few pairs":       {{sample(times("b"), 3, 1)}, nil},
		"too few fresh pairs": {{sample(times("b"), 6, 1.2)}, {sample(times("b"), 4, 1)}},
		"the first of the fresh pairs of something worse": {{sample(times("b"), 6, 1.2)},
			{sample(times("b"), 10, 1.06)}},
	} {
		if r, err := decide(few[0], few[1]); err == nil && maxSevere(r) != verdict.Inconclusive {
			complaints = append(complaints, fmt.Sprintf("%s are %s", what, maxSevere(r)))
		}
	}
	alarms := 0
	for range 100 {
		first, second = nil, nil
		for b := range 20 {
			m := times(fmt.Sprint(b))
			first = append(first, Sample{Metric: m, Pairs: noisy(rng, 6, 1, 1)})
			second = append(second, Sample{Metric: m, Pairs: noisy(rng, 20, 1, 1)})
		}
		if r, err := decide(first, second); err != nil || maxSevere(r) == verdict.Worse {
			alarms++
		}
	}
	if alarms > 11 {
		complaints = append(complaints, fmt.Sprintf("%d false alarms in 100 gates", alarms))
	}
	return complaints
}

func maxSevere(r *Report) verdict.Verdict {
	whole := verdict.Inconclusive
	for i, row := range r.Rows {
		if i == 0 || row.Verdict.Severity() < whole.Severity() {
			whole = row.Verdict
		}
	}
	return whole
}

func everyVerdict(change func(row *Row)) decider {
	return func(first, second []Sample) (*Report, error) {
		r, err := realDecider(first, second)
		if err == nil {
			for i := range r.Rows {
				change(&r.Rows[i])
			}
		}
		return r, err
	}
}

func turned(samples []Sample, which func(s Sample) bool) []Sample {
	out := slices.Clone(samples)
	for i := range out {
		if which(out[i]) {
			out[i].Better = verdict.LowerIsBetter
		}
	}
	return out
}

// checkDecider must reject every mutant.
func TestMutants(t *testing.T) {
	if complaints := checkDecider(realDecider); len(complaints) > 0 {
		t.Errorf("the judge itself: %q", complaints)
	}
	if testing.Short() {
		return
	}
	higher := func(s Sample) bool { return s.Better == verdict.HigherIsBetter }
	unknown := func(s Sample) bool { return s.Better == 0 }
	for name, mutant := range map[string]decider{
		"always passes": everyVerdict(func(row *Row) { row.Verdict = verdict.NoWorse }),
		"always fails":  everyVerdict(func(row *Row) { row.Verdict = verdict.Worse }),
		"is never sure": everyVerdict(func(row *Row) { row.Verdict = verdict.Inconclusive }),
		"takes doubt for a pass": everyVerdict(func(row *Row) {
			if row.Verdict == verdict.Inconclusive {
				row.Verdict = verdict.NoWorse
			}
		}),
		"settles all that is not as bad as the promise": everyVerdict(func(row *Row) {
			if row.N == 10 && row.High < math.Log(1.1) {
				row.Verdict = verdict.NoWorse
			}
		}),
		"ignores the margin": everyVerdict(func(row *Row) {
			if row.Change > 0.001 {
				row.Verdict = verdict.Worse
			}
		}),
		"ignores the adjustment": everyVerdict(func(row *Row) {
			if row.PWorse <= 0.05 {
				row.Verdict = verdict.Worse
			}
		}),
		"ignores the direction": func(first, second []Sample) (*Report, error) {
			return realDecider(turned(first, higher), turned(second, higher))
		},
		"guesses a direction": func(first, second []Sample) (*Report, error) {
			return realDecider(turned(first, unknown), turned(second, unknown))
		},
		"drops a benchmark": func(first, second []Sample) (*Report, error) {
			without := func(s Sample) bool { return s.Benchmark == "rate" }
			return realDecider(slices.DeleteFunc(slices.Clone(first), without),
				slices.DeleteFunc(slices.Clone(second), without))
		},
		"drops a suspect without fresh pairs": func(first, second []Sample) (*Report, error) {
			r, err := realDecider(first, second)
			if err != nil && len(first) == 1 && len(second) == 0 {
				return &Report{Rows: []Row{{Verdict: verdict.NoWorse}}}, nil
			}
			return r, err
		},
		"swaps the arms": func(first, second []Sample) (*Report, error) {
			swap := func(samples []Sample) []Sample {
				out := slices.Clone(samples)
				for i := range out {
					out[i].Pairs = slices.Clone(out[i].Pairs)
					for k, p := range out[i].Pairs {
						out[i].Pairs[k] = Pair{p.Head, p.Base}
					}
				}
				return out
			}
			return realDecider(swap(first), swap(second))
		},
		"takes the screening for the verdict": everyVerdict(func(row *Row) {
			if row.Verdict == verdict.NotSuspected {
				row.Verdict = verdict.NoWorse
			}
		}),
		"believes the first stage": func(first, second []Sample) (*Report, error) {
			return realDecider(first, first)
		},
		"takes a base of 0 for no change": func(first, second []Sample) (*Report, error) {
			fill := slices.Clone(first)
			for i := range fill {
				if fill[i].Exact {
					fill[i].Pairs = repeated(len(fill[i].Pairs), 1, 1)
				}
			}
			return realDecider(fill, second)
		},
		"takes nothing for a pass": func(first, second []Sample) (*Report, error) {
			if len(first) == 0 {
				return &Report{Rows: []Row{{Verdict: verdict.NoWorse}}}, nil
			}
			return realDecider(first, second)
		},
	} {
		if complaints := checkDecider(mutant); len(complaints) == 0 {
			t.Errorf("a judge that %s is not found out", name)
		}
	}
}
