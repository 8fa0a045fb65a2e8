package studies

import (
	"fmt"
	"math"
	"time"

	"github.com/poolbench/poolbench/bench"
	"github.com/poolbench/poolbench/internal/decide"
	"github.com/poolbench/poolbench/internal/metric"
	"github.com/poolbench/poolbench/internal/studies/evidence"
	"github.com/poolbench/poolbench/internal/text"
	"github.com/poolbench/poolbench/reports/charts"
)

// A strategy meets the claim if its response recovers within a quarter of the pulse's length (see
// the reference of stageN-recovery-sec). Without recovery, the end of the run is a lower bound.
//
// In a fluid queue, a pulse of load ρ₁ and length T, with load ρ₀ before and after it, drains in
// (ρ₁-1)/(1-ρ₀)·T.
var _ = register(Study{
	Name:     "pulse",
	Question: "how long does a pulse of overload affect later tasks?",
	Claim:    "after a pulse of overload, the response time is as before",
	Count:    [3]int{6, 12, 30},
	Budget:   4 * time.Second,
	Apart:    true,
	Compared: pulseStrategies,
	With:     each(pulseSweep),
	Decides:  []string{metric.OfStage(3, metric.Recovery)},
	Advice: evidence.Sentences{
		Holds:       "a pulse of this length needs no precaution",
		DoesNotHold: "keep the usual load low: the backlog drains with the spare capacity",
		Depends: "shed tasks that cannot be done in time: a queue that keeps them delays the " +
			"tasks after the pulse",
	},
	Judge: judgePulse,
	Draw:  []drawing{drawPulse},
})

const (
	pulseLoad   = 1.4
	pulseBefore = 0.6 // load before and after the pulse, in the verdict
	pulseMean   = 10 * time.Millisecond
	pulseSoon   = 0.25 // share of the pulse's length
	pulseRate   = limit * float64(time.Second/pulseMean)
	pulseCalm   = 20 * time.Second
	pulseLength = 10 * time.Second
	pulseAfter  = 40 * time.Second
)

var (
	pulseStrategies = []string{pooled, shedding, "codel_lifo"}
	pulseBefores    = []float64{0.3, 0.4, 0.5, 0.6, 0.7, 0.8}
)

func pulseCell(name string, before float64) bench.Scenario {
	process := fmt.Sprintf("stages:at=%vx%v_%vx%v_%vx%v", before, pulseCalm, pulseLoad, pulseLength,
		before, pulseAfter)
	tasks := pulseRate * (before*(pulseCalm+pulseAfter).Seconds() +
		pulseLoad*pulseLength.Seconds())
	return scenario(name, fmt.Sprintf("exponential:mean=%v", pulseMean), loadOf(process, 0),
		bench.Stop{Tasks: int(math.Round(tasks)), Warmup: 0.05})
}

func pulseSweep(size Size, name string) (cells []bench.Scenario) {
	for _, before := range atSize(size, pulseBefores, []float64{0.4, pulseBefore, 0.8}) {
		cells = append(cells, pulseCell(name, before))
	}
	return cells
}

func fluidDrain(before, pulse float64) float64 { return (pulse - 1) / (1 - before) }

func pulseFelt(r evidence.Run) float64 {
	if r(metric.OfStage(3, metric.Recovered)) == 0 {
		return pulseAfter.Seconds() / pulseLength.Seconds()
	}
	return r(metric.OfStage(3, metric.Recovery)) / pulseLength.Seconds()
}

func judgePulse(m *evidence.Measured) decide.Finding {
	r := evidence.Ruling{Of: "strategy", More: []string{"shed", "backlog",
		"p99 before", "p99 after"}, Number: "recovers after",
		Format: func(in evidence.Interval) string {
			return text.ShortSeconds(in.Mid * pulseLength.Seconds())
		}}
	row := func(name string) (evidence.Interval, []string) {
		sc := pulseCell(name, pulseBefore)
		return evidence.OfMean(m.Numbers(sc, pulseFelt)), []string{
			m.MedianText(sc, metric.OfStage(2, metric.Shed), text.ShortShare),
			m.MedianText(sc, metric.OfStage(2, metric.BacklogTasks), func(v float64) string {
				return evidence.Counted(math.Round(v), "task")
			}),
			m.MedianText(sc, metric.OfStage(1, metric.P99Response), text.ShortSeconds),
			m.MedianText(sc, metric.OfStage(3, metric.P99Response), text.ShortSeconds)}
	}
	for _, name := range pulseStrategies {
		felt, more := row(name)
		r.AtMost(name, felt, pulseSoon, more...)
	}
	for _, name := range m.Others(pulseStrategies, func(name string) bench.Scenario {
		return pulseCell(name, pulseBefore)
	}) {
		felt, more := row(name)
		r.Show(name, felt, more...)
	}
	within := "recover within a quarter of the pulse of " + text.Duration(pulseLength)
	f := r.Find(evidence.Sentences{
		Holds:       "on average the response does " + within,
		DoesNotHold: "on average the response does not " + within,
		Depends:     "on the handling of tasks that exceed the capacity",
	}, "how soon the response recovers")
	if felt := evidence.OfMean(m.Numbers(pulseCell(pooled, pulseBefore), pulseFelt)); felt.Mid > 0 {
		f.Add("the backlog of a queue that keeps all tasks drains in (ρ₁−1)/(1−ρ₀) = %s times the "+
			"pulse (theory, fluid); %s takes %s times",
			text.Short(fluidDrain(pulseBefore, pulseLoad)), pooled, text.Short(felt.Mid))
	}
	return f
}

func drawPulse(m *evidence.Measured) evidence.Figure {
	x := charts.Axis{Label: "load before and after", Marks: pulseBefores}
	felt := evidence.Plane("effect after its end", x,
		charts.Axis{Label: "in lengths of the pulse", Reach: []float64{0}})
	backlog := evidence.Plane("backlog at its end", x, evidence.Log("tasks in the system", nil))
	for _, cells := range m.Sweeps(pulseStrategies, func(name string) []bench.Scenario {
		return pulseSweep(Full, name)
	}) {
		s := m.Named(cells[0])
		felt.Add(evidence.Curve(s, pulseBefores, cells,
			func(sc bench.Scenario) evidence.Interval {
				return evidence.OfMean(m.Numbers(sc, pulseFelt))
			}))
		backlog.Add(evidence.Curve(s, pulseBefores, cells,
			m.MeanOf(metric.OfStage(2, metric.BacklogTasks))))
	}
	band := evidence.Steps(0.3, 0.8, 0.02)
	left := (pulseLoad - 1) * pulseRate * pulseLength.Seconds()
	felt.Add(evidence.Exact(felt.Series[0], band,
		func(before float64) float64 { return fluidDrain(before, pulseLoad) }))
	backlog.Add(evidence.Exact(backlog.Series[0], band, func(float64) float64 { return left }))
	return evidence.Figure{
		Name: "pulse",
		Title: "A queue that keeps all tasks of a pulse has an effect long after it; a queue " +
			"that sheds recovers at once",
		Subtitle: fmt.Sprintf("load %v for %s, %d workers, tasks of %s", pulseLoad,
			text.Duration(pulseLength), limit, text.Duration(pulseMean)),
		Caption: []string{
			"The effect lasts until the share of slow tasks is as before the pulse.",
			"Bands, exact for a fluid in a queue that keeps everything: (ρ₁−1)·T of work, which drains in " +
				"(ρ₁−1)/(1−ρ₀)·T.",
			m.Means(pulseSweep(Quick, pooled)),
		},
	}.Planes(felt, backlog)
}
