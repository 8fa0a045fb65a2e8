package bench

import (
	"io"
	"strings"
	"sync"

	"github.com/poolbench/poolbench/bench/record"
	"github.com/poolbench/poolbench/bench/result"
	"github.com/poolbench/poolbench/internal/metric"
	"github.com/poolbench/poolbench/internal/observe"
	"github.com/poolbench/poolbench/strategies"
	"github.com/poolbench/poolbench/targets"
	"github.com/poolbench/poolbench/workloads"
)

var declared = struct {
	sync.Mutex
	units map[string]bool
}{units: map[string]bool{}}

// declareUnits prints the Unit lines of the metrics that the scenario may report, each once. It
// must run in the first round, after which the testing package prints the benchmark's name. The
// first round has too few tasks for some metrics, so its result does not contain all of them.
func declareUnits(to io.Writer, s Scenario) {
	declared.Lock()
	defer declared.Unlock()
	var lines strings.Builder
	may := s.reportable()
	for _, m := range observe.Metrics() {
		_, unit := inNanoseconds(result.Metric{Unit: m.Unit})
		if m.Better != "" && !declared.units[unit] && may(m.Unit) {
			declared.units[unit] = true
			lines.WriteString(m.Line(unit) + "\n")
		}
	}
	_, _ = io.WriteString(to, lines.String()) // an error of standard output ends the results, too
}

// reportable returns a function that reports whether a benchmark of the scenario may have a metric.
// If it is unknown, as for workloads that are expensive to build, the function returns true.
func (s Scenario) reportable() func(unit string) bool {
	s = s.withDefaults()
	w := s.waits()
	_, classed := w.(workloads.Classed)
	_, computing := w.(workloads.Computing)
	_, ranked := w.(workloads.Prioritised)
	_, tenanted := w.(workloads.Tenanted)
	_, dated := w.(workloads.Dated)
	never := map[string]bool{}
	unless := func(may bool, units ...string) {
		for _, unit := range units {
			never[unit] = never[unit] || !may
		}
	}
	unless(false, metric.Resent, metric.Connections, metric.GoAways, metric.Resets)
	for _, phase := range record.CallPhases {
		for _, statistic := range observe.PhaseStatistics() {
			unless(false, metric.StatisticOf(statistic, phase))
		}
	}
	unless(s.Patience != nil, metric.GaveUp, metric.GaveUpStarted, metric.WastedService)
	unless(s.Timeout > 0, metric.Overruns, metric.MeanOverrun, metric.MaxOverrun)
	counts := map[string]bool{}
	for _, c := range s.Target.Spec.Counts {
		counts[c.Name] = true
	}
	for _, c := range s.Strategy.Spec.Counts {
		counts[c.Name] = true
	}
	for _, t := range targets.All() {
		for _, c := range t.Counts {
			unless(counts[c.Name], c.Name)
		}
	}
	for _, v := range strategies.All() {
		for _, c := range v.Counts {
			unless(counts[c.Name], c.Name)
		}
	}
	if w != nil {
		unless(s.weights() != nil, metric.LightMeanWait, metric.LightP99Wait, metric.HeavyMeanWait,
			metric.HeavyP99Wait, metric.PeakWeight)
		unless(classed, metric.ShortMeanResponse, metric.ShortP99Response, metric.LongMeanResponse,
			metric.LongP99Response)
		unless(computing, metric.CPUMeanResponse, metric.CPUP99Response, metric.IOMeanResponse,
			metric.IOP99Response)
		unless(classed || computing, metric.MeanSlowdown)
		unless(tenanted, metric.Fairness, metric.OthersMeanResponse, metric.OthersP99Response,
			metric.OthersThroughput)
		unless(dated, metric.Missed, metric.MaxLateness)
	}
	return func(unit string) bool {
		switch {
		case never[unit], metric.IsCapacity(unit):
			return false
		case w == nil:
			return true
		case strings.HasPrefix(unit, "found-"):
			return classed
		case strings.HasPrefix(unit, metric.Priority+"-"):
			return ranked
		case strings.HasPrefix(unit, metric.Tenant+"-"):
			return tenanted
		}
		return true
	}
}
