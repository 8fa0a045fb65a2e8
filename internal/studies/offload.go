package studies

import (
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/poolbench/poolbench/bench"
	"github.com/poolbench/poolbench/internal/decide"
	"github.com/poolbench/poolbench/internal/metric"
	"github.com/poolbench/poolbench/internal/studies/evidence"
	"github.com/poolbench/poolbench/internal/text"
	"github.com/poolbench/poolbench/reports/charts"
)

// The claim is from the Node.js guide "Don't block the event loop". Batches measure the throughput.
// A single client, which waits for each answer and cannot use a second core, measures the cost of
// handing over.
//
// The cases are the sizes above this cost. A case meets the claim if event_loop_offload completes
// at least a tenth more tasks per second than the loop. A size within the interval of the cost is
// undecided unless the gain is certain. The claim is undecided if other programs disturbed every
// repetition with the two longest sizes (see crowded).
var _ = register(Study{
	Name:     "offload",
	Question: "how large must a task be to make handing it over to a worker pool worthwhile?",
	Claim: "handing a task over to a worker pool is worthwhile if the task is longer than the " +
		"overhead",
	Count:    [3]int{4, 10, 20},
	Budget:   4 * time.Second,
	Compared: append([]string{inline}, handedOver...),
	With:     each(offloadCells),
	Decides:  []string{metric.Throughput},
	Advice: evidence.Sentences{
		Holds:       "hand over tasks that are longer than the overhead",
		DoesNotHold: "run tasks of these sizes in the caller",
		Depends:     "hand over long tasks, and run short tasks in the caller",
	},
	Judge: judgeOffload,
	Draw:  []drawing{drawOffload},
})

var handedOver = []string{"event_loop_offload", pooled}

var offloadSizes = []time.Duration{200 * time.Nanosecond, time.Microsecond, 10 * time.Microsecond,
	100 * time.Microsecond, time.Millisecond}

const (
	offloadPays  = 1.1                   // throughput ratio that counts as a gain
	offloadAlone = 10 * time.Microsecond // size of a single client's tasks
	// estimated overhead of a tiny task
	offloadExtra = 300 * time.Nanosecond
	offloadBusy  = 20 * time.Millisecond // work in a batch
	offloadQueue = 1024                  // enough slots to keep all workers busy
)

func offloadCells(size Size, name string) (cells []bench.Scenario) {
	for _, of := range offloadSizes {
		cells = append(cells, offloadCell(name, of, size))
	}
	return append(cells, offloadAloneCell(name, size))
}

func offloadCell(name string, of time.Duration, size Size) bench.Scenario {
	return offloadScenario(name, of, loadOf("batch", 0),
		bench.Stop{Tasks: int(offloadBusy/(of+offloadExtra)) * [...]int{1, 4, 10}[size]})
}

func offloadAloneCell(name string, size Size) bench.Scenario {
	return offloadScenario(name, offloadAlone, loadOf("closed:clients=1,think=const(0s)", 0),
		bench.Stop{Duration: [...]time.Duration{30, 100, 500}[size] * time.Millisecond})
}

func offloadScenario(
	name string, of time.Duration, load bench.Load, stop bench.Stop,
) bench.Scenario {
	sc := scenario(name, fmt.Sprintf("cpu_sha256:mean=%v", of), load, stop)
	sc.Clock = bench.Real
	if sc.Strategy.Spec.UsesQueue {
		sc.Queue = offloadQueue
	}
	return sc
}

func offloadGain(m *evidence.Measured, name string, of time.Duration) evidence.Interval {
	return m.Ratio(offloadCell(name, of, Quick), offloadCell(inline, of, Quick), metric.Throughput)
}

// offloadCost is in seconds of a single client's wait.
func offloadCost(m *evidence.Measured, name string) evidence.Interval {
	return evidence.OfMean(m.Pairs(offloadAloneCell(name, Quick), offloadAloneCell(inline, Quick),
		func(handed, inline evidence.Run) float64 {
			return handed(metric.P50Wait) - inline(metric.P50Wait)
		}))
}

// offloadCrowded returns the share of the time in which ready threads had no processor, with the
// two longest tasks, or NaN if the system does not report it.
func offloadCrowded(m *evidence.Measured, name string) float64 {
	const waited = metric.CPUWait
	longest := offloadSizes[len(offloadSizes)-2:]
	return max(m.Lowest(offloadCell(name, longest[0], Quick), waited),
		m.Lowest(offloadCell(name, longest[1], Quick), waited))
}

// breakEven is in seconds, interpolated on logarithmic axes, or NaN if the gains do not cross 1.
func breakEven(m *evidence.Measured, name string) float64 {
	var gains []float64
	for _, of := range offloadSizes {
		gains = append(gains, math.Log(offloadGain(m, name, of).Mid))
	}
	if slices.ContainsFunc(gains, math.IsNaN) {
		return math.NaN()
	}
	return evidence.LastCrossing(evidence.Times(offloadSizes), gains)
}

func judgeOffload(m *evidence.Measured) decide.Finding {
	name := handedOver[0]
	cost := offloadCost(m, name)
	r := evidence.Ruling{Of: "size of a task", Number: name, Format: evidence.Interval.Factor}
	names := offloadNames(m)
	r.More = append(r.More, names[1:]...)
	for _, of := range offloadSizes {
		gain := offloadGain(m, name, of)
		if math.IsNaN(gain.Hi + cost.Hi) {
			return evidence.Missing("%s or %s was not measured twice at every size and with a "+
				"single client", name, inline)
		}
		var more []string
		for _, other := range names[1:] {
			more = append(more, evidence.Text(offloadGain(m, other, of), evidence.Interval.Factor))
		}
		switch size := text.Duration(of); {
		case of.Seconds() > cost.Hi:
			r.AtLeast(size, gain, offloadPays, more...)
		case of.Seconds() > cost.Lo && !(gain.Lo >= offloadPays):
			r.Certain(size, gain, false, false, more...) // undecided whether the claim covers it
		default:
			r.Show(size, gain, more...)
		}
	}
	if waited := offloadCrowded(m, name); waited > crowded {
		return evidence.Missing("other programs used the processors: ready threads waited for a "+
			"processor for %s of the time, in the best of %s repetitions",
			text.ShortShare(waited), m.Repetitions([]bench.Scenario{
				offloadCell(name, offloadSizes[0], Quick)}))
	}
	costs := cost.Write(evidence.Roughly)
	if cost.Lo <= 0 {
		costs = "at most " + evidence.Roughly(max(cost.Hi, 0))
	}
	sizes := fmt.Sprintf("for tasks longer than the cost of handing over, %s, %s completes ", costs,
		name)
	f := r.Find(evidence.Sentences{
		Holds:       fmt.Sprintf("%sat least %v times the tasks of the loop", sizes, offloadPays),
		DoesNotHold: fmt.Sprintf("%sless than %v times the tasks of the loop", sizes, offloadPays),
		Depends:     "on the size",
	}, fmt.Sprintf("whether %s completes %v times the tasks of the loop", name, offloadPays))
	f.Add("numbers are tasks a second ÷ those of the loop; handing over costs a single client %s a "+
		"task", costs)
	for _, name := range names {
		if at := breakEven(m, name); !math.IsNaN(at) {
			f.Add("%s completes more than the loop from about %s on", name, evidence.Roughly(at))
		}
	}
	return f
}

func offloadNames(m *evidence.Measured) []string {
	known := append([]string{inline}, handedOver...)
	return append(known, m.Others(known, func(name string) bench.Scenario {
		return offloadCell(name, offloadSizes[0], Quick)
	})...)[1:]
}

func drawOffload(m *evidence.Measured) evidence.Figure {
	sizes := evidence.Times(offloadSizes)
	p := evidence.Plane("", evidence.Log("size of a task", charts.Seconds, sizes...),
		evidence.Log("throughput ÷ the loop's", charts.Count, 0.25, 0.5, 0.7, 1, 1.4, 2, 3, 4, 8))
	p.Levels = []charts.Level{{Name: "as many as on the loop", Y: 1}}
	for _, name := range offloadNames(m) {
		s := m.Named(offloadCell(name, offloadSizes[0], Quick))
		for _, of := range offloadSizes {
			evidence.AddPoint(&s, of.Seconds(), offloadGain(m, name, of))
		}
		p.Add(s)
	}
	taken := offloadCrowded(m, handedOver[0]) > crowded
	if at := breakEven(m, handedOver[0]); !math.IsNaN(at) && !taken {
		p.Remarks = []charts.Annotation{{Sign: charts.Foot, X: at, Y: 1,
			Text: []string{"offloading gains", "from about " + evidence.Roughly(at)}}}
	}
	machine := "this machine"
	if taken {
		machine += ", which other programs kept busy: not reliable"
	}
	return evidence.Figure{
		Name:  "offload-gain",
		Title: "Gain of handing tasks over to workers, by the size of a task",
		Subtitle: fmt.Sprintf("A batch of SHA-256 tasks on one loop, and on %d workers; real "+
			"clock, %s", limit, machine),
		Caption: []string{
			"The gain cannot exceed the number of processors, and other programs reduce it.",
			"Sizes are of the tasks alone. poolbench adds 0.1 to 0.2 µs to each task.",
			m.Means([]bench.Scenario{offloadCell(handedOver[0], offloadSizes[0], Quick)}),
		},
	}.Planes(p)
}
