package gate

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/poolbench/poolbench/internal/gate/verdict"
	"github.com/poolbench/poolbench/reports/internal/resultstest"
)

// gateDraw gates m benchmarks with n log-normal samples per side. sd is the standard deviation of
// the logarithm. The factor applies to the new values of the first benchmark.
func gateDraw(t *testing.T, rng *rand.Rand, m, n int, sd, factor float64) *verdict.Report {
	t.Helper()
	return gateSides(t, rng, m, [2]int{n, n}, [2]float64{sd, sd}, factor)
}

// gateSides accepts different numbers of samples and standard deviations for old and new.
func gateSides(
	t *testing.T, rng *rand.Rand, m int, n [2]int, sd [2]float64, factor float64,
) *verdict.Report {
	t.Helper()
	var sides [2]strings.Builder
	for b := range m {
		for side := range sides {
			f := 1.0
			if b == 0 && side == 1 {
				f = factor
			}
			for range n[side] {
				fmt.Fprintf(&sides[side], "BenchmarkX/b=%d 1 %v ns/op\n", b,
					1e6*f*math.Exp(sd[side]*rng.NormFloat64()))
			}
		}
	}
	return mustJudge(t, resultstest.Read(t, "old", sides[0].String()),
		resultstest.Read(t, "new", sides[1].String()), DefaultOptions())
}

// At alpha = 5 %, the expected maximum on unchanged code is 15 of 300 gates. A correct gate exceeds
// 24 with a probability of 1 %. Without Holm's adjustment, half of the gates would report a
// regression.
func TestGateSize(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 1))
	worse, better := 0, 0
	for range 300 {
		r := gateDraw(t, rng, 20, 8, 0.2, 1)
		if r.Count(verdict.Worse) > 0 {
			worse++
		}
		if r.Count(verdict.Better) > 0 {
			better++
		}
	}
	if worse > 24 || better > 24 {
		t.Errorf("of 300 gates on unchanged code %d say worse and %d better", worse, better)
	}
}

// The false-alarm rate must also hold if old and new differ in variance and sample size. A rank
// test alone finds regressions in 25 and 50 of 200 gates. The expected maximum is 10 of 200 gates.
// The limits, 18 of 200 and 5 of 40 gates, are 2.6 standard deviations higher.
func TestGateSizeOfUnequalSides(t *testing.T) {
	gates := 200
	if testing.Short() {
		gates = 40
	}
	n := float64(gates)
	most := int(n*0.05 + 2.6*math.Sqrt(n*0.05*0.95))
	for _, c := range []struct {
		n  [2]int
		sd [2]float64
	}{{[2]int{30, 8}, [2]float64{0.02, 0.1}}, {[2]int{20, 8}, [2]float64{0.01, 0.15}}} {
		rng := rand.New(rand.NewPCG(11, 1))
		worse := 0
		for range gates {
			if gateSides(t, rng, 20, c.n, c.sd, 1).Count(verdict.Worse) > 0 {
				worse++
			}
		}
		if worse > most {
			t.Errorf("%+v: of %d gates on unchanged code %d say worse", c, gates, worse)
		}
	}
}

// The gate must find a change of the detectable size about four times in five, and a much larger
// change always. Without a change, the detectable size must not be too optimistic.
func TestDetectable(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 1))
	const n, sd, m = 12, 0.05, 5
	var sum float64
	const calm = 100
	for range calm {
		for _, row := range gateDraw(t, rng, m, n, sd, 1).Rows {
			sum += math.Log1p(float64(row.Detectable))
		}
	}
	detectable := math.Exp(sum / (calm * m))
	// A t test with known variance detects 1.02·exp((z(0.99) + z(0.8))·sd·√(2/n)). The rank test
	// needs about 5 % more, and the interval is wider than requested.
	ideal := 1.02 * math.Exp((2.326+0.842)*sd*math.Sqrt(2.0/n))
	if detectable < ideal || detectable > 1+1.4*(ideal-1) {
		t.Errorf("detectable %v, ideal %v", detectable, ideal)
	}
	found := func(factor float64) (worse int) {
		for range 200 {
			for _, row := range gateDraw(t, rng, m, n, sd, factor).Rows {
				if row.Benchmark == "X/b=0" && row.Verdict == verdict.Worse {
					worse++
				}
			}
		}
		return worse
	}
	if got := found(detectable); got < 140 || got > 190 {
		t.Errorf("a change by the detectable factor %v is found %d times of 200", detectable, got)
	}
	if got := found(1.3); got != 200 {
		t.Errorf("30 %% are found %d times of 200", got)
	}
}

func TestGateInvariance(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 1))
	text := func(center, scale float64) (lines []string) {
		r := rand.New(rand.NewPCG(9, uint64(center)))
		for b := range 4 {
			for range 10 {
				lines = append(lines,
					fmt.Sprintf("BenchmarkX/b=%d 1 %v ns/op", b,
						scale*center*(1+0.1*float64(b))*math.Exp(0.03*r.NormFloat64())))
			}
		}
		return lines
	}
	verdicts := func(old, new []string) map[string]string {
		r := mustJudge(t, resultstest.Read(t, "old", strings.Join(old, "\n")+"\n"),
			resultstest.Read(t, "new", strings.Join(new, "\n")+"\n"), DefaultOptions())
		out := make(map[string]string)
		for _, row := range r.Rows {
			out[row.Benchmark] = fmt.Sprintf("%s %.9f %.9f %.9f %.9f %.9f", row.Verdict, row.Ratio,
				row.Lo, row.Hi, row.PWorseHolm, row.Detectable)
		}
		return out
	}
	want := verdicts(text(100, 1), text(105, 1))
	old, new := text(100, 1), text(105, 1)
	rng.Shuffle(len(old), func(i, j int) { old[i], old[j] = old[j], old[i] })
	rng.Shuffle(len(new), func(i, j int) { new[i], new[j] = new[j], new[i] })
	for name, got := range map[string]map[string]string{"shuffled": verdicts(old, new),
		"scaled": verdicts(text(100, 1024), text(105, 1024))} {
		for benchmark := range want {
			if got[benchmark] != want[benchmark] {
				t.Errorf("%s: %s is %s, want %s", name, benchmark, got[benchmark], want[benchmark])
			}
		}
	}
}
