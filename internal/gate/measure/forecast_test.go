package measure

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/poolbench/poolbench/internal/gate/judge"
)

// The forecast after the first round must be right within a factor of 1.5 in 90 % of the gates.
func TestForecastOfTime(t *testing.T) {
	const gates, benchmarks, rounds = 200, 20, 6
	for _, c := range []struct {
		name    string
		scatter float64
		wander  float64 // standard deviation of the machine's speed from round to round
		slower  float64 // slowdown from the third round on
		off     bool
	}{
		{"quiet", 0.02, 0.01, 1, false},
		{"noisy", 0.3, 0.05, 1, false},
		{"busy with others at times", 0.3, 0.15, 1, false},
		{"twice as slow later", 0.05, 0.05, 2, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			rng := rand.New(rand.NewPCG(1, 7))
			right, reported := 0, 0
			for range gates {
				level := 0.0
				var speed meter
				var paces [benchmarks]pace
				var forecast, took time.Duration
				for round := range rounds {
					level += c.wander * rng.NormFloat64()
					slower := 1.0
					if round >= 2 {
						slower = c.slower
					}
					for i := range paces {
						pair := time.Duration(float64(200*time.Millisecond) * slower *
							math.Exp(level+c.scatter*rng.NormFloat64()))
						if round > 0 {
							took += pair
							forecast += paces[i].pair(false)
							if speed.add(paces[i].pair(false), pair) {
								reported++
							}
							continue
						}
						paces[i].saw(pair, false)
					}
				}
				if off := float64(took) / float64(forecast); off < 1.5 && off > 1/1.5 {
					right++
				}
			}
			if right < gates*9/10 && reported < gates-right {
				t.Errorf("%d of %d forecasts are right, and %d are corrected", right, gates,
					reported)
			}
			if c.off != (reported > gates/2) {
				t.Errorf("%d of %d gates report a slower machine", reported, gates)
			}
		})
	}
}

func TestMeter(t *testing.T) {
	var m meter
	reports := 0
	for i := range 40 {
		if m.add(time.Second, 2*time.Second) {
			reports++
			if i != 2 {
				t.Errorf("reported after %d pairs", i+1)
			}
		}
	}
	if reports != 1 || m.factor() != 2 {
		t.Errorf("%d reports, a factor of %v", reports, m.factor())
	}
	m = meter{}
	if m.add(time.Second, 4*time.Second) || m.add(10*time.Second, 12*time.Second) {
		t.Error("one slow pair is reported")
	}
}

func TestPace(t *testing.T) {
	b := benchmark{Iterations: 1000, ScreenIterations: 400, Parts: 4}
	p := b.pace(210*time.Millisecond, 200, 0.001)
	if p.pair(false) != 880*time.Millisecond || p.pair(true) != 2080*time.Millisecond {
		t.Errorf("%v and %v", p.pair(false), p.pair(true))
	}
	p.saw(time.Second, false)
	p.saw(2600*time.Millisecond, true)
	if p.pair(false) != 1200*time.Millisecond || p.pair(true) != 2400*time.Millisecond {
		t.Errorf("%v and %v", p.pair(false), p.pair(true))
	}
}

func TestSaysForecast(t *testing.T) {
	heard := &quiet{}
	g := &gate{watch: heard, plan: &plan{Controls: controls, Benchmarks: []benchmark{
		{Package: "p", Name: "BenchmarkA"}, {Package: "p", Name: "BenchmarkB"}}},
		paces: slices.Repeat([]pace{{screening: time.Second, longer: time.Second}}, 4),
		link:  time.Second}
	g.Judge = judge.Defaults()
	g.results, g.controls = &journal{kept: map[string][][2]reading{}},
		&journal{kept: map[string][][2]reading{}}
	g.runner = &runner{sides: [2]*binaries{{}, {packages: []pkg{{path: "p"}}}}}
	for _, b := range g.plan.Benchmarks {
		g.results.kept[b.String()] = [][2]reading{{madeReading(b.Name, 100),
			madeReading(b.Name, 102)}}
	}
	g.sayForecast()
	// Minimum: 5 pairs of 1 s for each of 4 benchmarks and controls, and 10 fresh pairs of 2 s for
	// the slower control. Maximum: 20 such pairs, and for both benchmarks 6 fresh pairs and 12
	// builds.
	const want = "forecast: 40 s to 1 min 36 s more, depending on the number of benchmarks that need fresh pairs"
	if !slices.Equal(heard.lines, []string{want}) {
		t.Errorf("%q, want %q", heard.lines, want)
	}
	for i, b := range g.all() {
		g.journalOf(i).kept[b.String()] = make([][2]reading, g.Judge.ScreenPairs)
	}
	if got := g.left([]int{16, 6, 6, 16}); got != time.Minute {
		t.Errorf("%v left", got)
	}
	for needs, want := range map[int]string{
		0: "too noisy to decide with any reasonable number of pairs: use a quieter machine, or " +
			"longer runs (--benchtime)",
		45:  "about 45 pairs would decide: --pairs 45, about 3 min 0 s for this benchmark",
		200: "a decision needs about 200 pairs, and --pairs allows 100: ",
	} {
		if got := g.decideWith(needs, 0); !strings.HasPrefix(got, want) {
			t.Errorf("%d pairs: %q", needs, got)
		}
	}
}
