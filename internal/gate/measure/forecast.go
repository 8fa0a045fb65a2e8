package measure

import (
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/poolbench/poolbench/internal/gate/judge"
	"github.com/poolbench/poolbench/internal/text"
)

// pace is the duration of a benchmark's pairs: at first an estimate, later the mean of the measured
// pairs.
type pace struct {
	screening time.Duration // duration of a pair of the screening
	longer    time.Duration // additional duration of a fresh pair
	measured  int           // number of pairs in the mean
}

func (p pace) pair(fresh bool) time.Duration {
	if fresh {
		return p.screening + p.longer
	}
	return p.screening
}

func (p *pace) saw(took time.Duration, fresh bool) {
	if fresh {
		took = max(0, took-p.longer)
	}
	p.screening = (p.screening*time.Duration(p.measured) + took) / time.Duration(p.measured+1)
	p.measured++
}

const slowerBy = 1.5

type meter struct {
	forecast, took time.Duration
	reported       bool
}

// A meter reports nothing before minMetered, because a single pair may be delayed.
const minMetered = 5 * time.Second

func (m *meter) add(forecast, took time.Duration) bool {
	m.forecast, m.took = m.forecast+forecast, m.took+took
	if m.reported || m.took < minMetered ||
		float64(m.took) <= slowerBy*float64(m.forecast) {
		return false
	}
	m.reported = true
	return true
}

func (m *meter) factor() float64 { return float64(m.took) / float64(m.forecast) }

func (g *gate) sayLook(of, open int, before, pairs []int) {
	fresh := func(pairs []int) int {
		return slices.Max(pairs[:len(g.plan.Benchmarks)]) - g.Judge.ScreenPairs
	}
	g.printf("%d of %d benchmarks are decided after up to %d fresh pairs; %d continue to %d pairs, "+
		"about %s", of-open,
		of, fresh(before), open, fresh(pairs), text.Roughly(g.left(pairs)))
}

func between(low, high time.Duration) string {
	a, b := text.Roughly(low), text.Roughly(high)
	if a == b {
		return "about " + a
	}
	return a + " to " + b
}

func (g *gate) sayForecast() {
	var changes []float64
	for _, b := range g.plan.Benchmarks {
		for _, runs := range g.results.kept[b.String()][:1] {
			was, is := runs[base].tidy["sec/op"], runs[head].tidy["sec/op"]
			if was > 0 && is > 0 {
				changes = append(changes, math.Log(is/was))
			}
		}
	}
	few, many := judge.FreshExpected(changes)
	half := (g.Judge.FreshPairs + 1) / 2 // fresh pairs of the slower control
	until := func(fresh float64, ofSlower int) (sum time.Duration) {
		for i := range g.paces {
			pairs := fresh
			switch i - len(g.plan.Benchmarks) {
			case 0:
				pairs = 0
			case 1:
				pairs = float64(ofSlower)
			}
			sum += time.Duration(g.Judge.ScreenPairs-1)*g.paces[i].screening +
				time.Duration(pairs*float64(g.paces[i].pair(true)))
		}
		builds := 2 * fresh * float64(len(g.runner.sides[head].packages))
		return sum + time.Duration(builds*float64(g.link))
	}
	g.printf("forecast: %s more, depending on the number of benchmarks that need fresh pairs",
		between(until(few, half), until(many, 2*half)))
}

func (g *gate) left(pairs []int) (sum time.Duration) {
	builds := map[string]int{}
	for i, b := range g.all() {
		have := len(g.journalOf(i).kept[b.String()])
		for pair := have; pair < pairs[i]; pair++ {
			sum += g.paces[i].pair(pair >= g.Judge.ScreenPairs)
		}
		if b.Package != controlPackage {
			builds[b.Package] = max(builds[b.Package], pairs[i]-max(have, g.Judge.ScreenPairs))
		}
	}
	for _, n := range builds {
		sum += time.Duration(2*n) * g.link
	}
	return sum
}

func (g *gate) decideWith(needs int, i int) string {
	if needs == 0 {
		return "too noisy to decide with any reasonable number of pairs: use a quieter machine, " +
			"or longer runs (--benchtime)"
	}
	if needs > maxPairs {
		return fmt.Sprintf("a decision needs about %d pairs, and --pairs allows %d: use a "+
			"quieter machine, or longer runs (--benchtime)", needs, maxPairs)
	}
	took := time.Duration(needs) * (g.paces[i].pair(true) + 2*g.link)
	return fmt.Sprintf("about %d pairs would decide: --pairs %d, about %s for this benchmark", needs,
		needs, text.Roughly(took))
}
