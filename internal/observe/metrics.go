package observe

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/poolbench/poolbench/bench/record"
	"github.com/poolbench/poolbench/internal/decide"
	"github.com/poolbench/poolbench/internal/metric"
	"github.com/poolbench/poolbench/internal/statistics"
	"github.com/poolbench/poolbench/strategies"
	"github.com/poolbench/poolbench/targets"
)

type MetricInfo struct {
	Unit   string
	Better string // "lower", "higher", or "" if neither is better
	Doc    string // meaning and method in one line
}

// unit is the spelling in the file.
func (m MetricInfo) Line(unit string) string {
	return fmt.Sprintf("Unit %s better=%s", unit, m.Better)
}

// Metrics lists every unit that a run can report, in the order of a result. Times are in seconds,
// but ns in `go test -bench`.
func Metrics() []MetricInfo {
	m := []MetricInfo{
		{metric.NsPerOp, "lower", "time per offered task, from the end of the warm-up to the last end: " +
			"1/throughput, not a response; an open-loop run below saturation only echoes its plan"},
		{metric.Throughput, "higher", "throughput: tasks completed per second, from the end of the warm-up " +
			"to the last end or the end of the plan, including tasks that the warm-up left; at " +
			"most offered-ops/s"},
		{metric.Goodput, "higher", "tasks completed within the deadline, per second"},
		{metric.Offered, "", "realised offered load: tasks over the time that they stand for, " +
			"the gap before each; a random plan differs from its rate by chance"},
	}
	for _, reading := range []struct{ name, doc string }{
		{metric.Response, "from due to end"},
		{metric.Wait, "response less service"},
		{metric.Service, "time inside the task, over all attempts and steps"},
	} {
		m = append(m, MetricInfo{metric.StatisticOf(metric.Mean, reading.name), "lower", "mean " + reading.name +
			" of completed tasks: " + reading.doc})
		for _, q := range metric.Quantiles {
			m = append(m, MetricInfo{q.Of(reading.name), "lower",
				q.Name + " of the " + reading.name +
					" (nearest rank), absent if the tasks are too few"})
		}
		m = append(m, MetricInfo{metric.StatisticOf(metric.Max, reading.name), "lower",
			"longest " + reading.name})
		if reading.name == metric.Wait {
			continue
		}
		for _, q := range metric.Quantiles {
			m = append(m, MetricInfo{decide.Due + q.Of(reading.name), "",
				q.Name + " of the " + reading.name + " over all requests of an attack that were " +
					"due, lost ones being the slowest; absent if none was lost, or if it is " +
					"among them"})
		}
	}
	m = append(m, MetricInfo{metric.QuantileError, "", "bound of the relative error of quantiles, in " +
		"a soak, which keeps histograms (absent if quantiles are exact)"})
	m = append(m, []MetricInfo{
		{metric.ShortMeanResponse, "lower",
			"mean response of the short tasks, if the workload has short and long ones"},
		{metric.ShortP99Response, "lower", "p99 of the response of the short tasks"},
		{metric.LongMeanResponse, "lower", "mean response of the long tasks"},
		{metric.LongP99Response, "lower", "p99 of the response of the long tasks"},
		{metric.CPUMeanResponse, "lower", "mean response of the tasks that compute, if the " +
			"workload has tasks that compute and tasks that wait"},
		{metric.CPUP99Response, "lower", "p99 of the response of the tasks that compute"},
		{metric.IOMeanResponse, "lower", "mean response of the tasks that wait"},
		{metric.IOP99Response, "lower", "p99 of the response of the tasks that wait"},
		{metric.MeanSlowdown, "lower",
			"mean of response over service, if the workload has two classes of tasks"},
	}...)
	for j := range MostFound + 1 {
		m = append(m, MetricInfo{metric.FoundLong(j), "",
			fmt.Sprintf("share of the short tasks that find %d slots held by long ones when "+
				"they are due", j)},
			MetricInfo{metric.FoundLongWait(j), "lower", "their mean wait"})
	}
	m = append(m, ofLabels()...)
	m = append(m, []MetricInfo{
		{metric.P99Lag, "lower", "the generator's own lateness: issue less when a generator that " +
			"is never late would have issued, given how long each submit took"},
		{decide.MaxLag, "", "the longest of the same, of attacks"},
		{metric.Waited, "lower", "share of accepted tasks that had to wait: wait > 0 under the " +
			"virtual clock; under the real one, every slot was taken when the task was due, or with " +
			"weighted tasks wait > 100 µs"},
		{metric.Shed, "lower", "share of offered tasks that the strategy refused"},
		{metric.Throttled, "lower", "share of offered tasks that ended with a refusal by the target"},
		{metric.Failed, "lower", "share of offered tasks that ended with another error"},
		{metric.Abandoned, "lower", "share of offered tasks that were given up"},
		{metric.GaveUp, "lower", "share of offered tasks whose caller gave up before they were " +
			"done, where callers have a patience"},
		{metric.GaveUpStarted, "lower", "share of offered tasks whose caller gave up after their " +
			"start"},
		{metric.WastedService, "lower", "share of the service time that went into tasks that did " +
			"not complete, where callers have a patience"},
		{metric.Attempts, "lower", "attempts per task that was started"},
		{metric.Resent, "lower", "requests retried on a fresh connection, per request; they are not " +
			"among the attempts"},
		{metric.SentBytes, "", "bytes of bodies sent per request"},
		{metric.ReceivedBytes, "", "bytes of bodies received per request, as they came"},
		{metric.Connections, "lower", "connections opened per request"},
		{metric.PeakStreams, "", "most streams of HTTP/2 open at once, over all connections"},
		{metric.StreamLimit, "", "fewest concurrent streams that the server of HTTP/2 or HTTP/3 allowed on a " +
			"connection, if it set a limit"},
		{metric.GoAways, "lower", "connections of HTTP/2 that the server asked to close (GOAWAY), " +
			"per request"},
		{metric.Resets, "lower", "streams of HTTP/2 that the server reset (RST_STREAM), per request"},
	}...)
	for i, of := range []string{"from sending a request to the first byte of its answer, of " +
		"completed ones", "to look the host up and connect, of connections opened",
		"of the TLS handshake, of connections opened"} {
		for _, q := range PhaseStatistics() {
			m = append(m, MetricInfo{metric.StatisticOf(q, record.CallPhases[i]), "lower",
				q + " of the time " + of})
		}
	}
	m = append(m, []MetricInfo{
		{metric.Utilisation, "", "service time of all tasks over limit × makespan"},
		{metric.OfferedUtilisation, "", "realised arrival rate × realised mean service over the slots"},
		{metric.ServiceC2, "", "squared coefficient of variation of the realised service times"},
		{metric.WorkloadC2, "",
			"squared coefficient of variation of the task times, by the workload's definition"},
		{metric.PeakInFlight, "", "most tasks in flight at once"},
		{metric.MeanLimit, "", "time-weighted mean of the limit in force, from the end of the warm-up " +
			"to the last end, of a strategy that learns its limit; absent in a soak"},
		{metric.Bottleneck, "", "of a pipeline with stages: number of the one with the highest " +
			"utilisation"},
		{metric.BottleneckUse, "", "its utilisation"},
	}...)
	for stage := range strategies.MaxStages {
		m = append(m, MetricInfo{metric.OfPipeline(stage + 1), "", "of a pipeline with stages: time " +
			"that the workers of the stage spent on tasks over workers × makespan"})
	}
	m = append(m, []MetricInfo{
		{metric.Makespan, "", "first due to last end, over all tasks"},
		{metric.Blocked, "lower", "share of tasks that waited before the strategy, in Submit or " +
			"behind one that did, as its queue was full or it has none (real clock: for more " +
			"than 100 µs)"},
	}...)
	m = append(m, ofParts()...)
	m = append(m, []MetricInfo{
		{metric.BrokenLaws, "lower",
			"invariants that the run violates; above 0 the run is INVALID"},
		{metric.OracleMeanWait, "", "mean wait by the path-wise oracle (Kiefer–Wolfowitz) on " +
			"this run's own arrivals and services"},
		{metric.OracleMaxDiff, "", "largest difference between a task's start and the oracle's: " +
			"0 under the virtual clock, the strategy's overhead under the real one"},
		{metric.TheoryMeanWait, "", "exact mean wait"},
		{metric.TheoryWaited, "", "exact share of tasks that wait"},
	}...)
	for _, q := range metric.Quantiles {
		m = append(m, MetricInfo{metric.Theory(q.Of(metric.Response)), "",
			"exact " + quantileText(q) + " of the response"})
	}
	m = append(m, []MetricInfo{
		{metric.TheoryShortMeanResponse, "",
			"exact mean response of the short tasks, in a pool of their own"},
		{metric.TheoryShortP99Response, "", "exact p99 of the response of the short tasks"},
		{metric.TheoryLongMeanResponse, "",
			"exact mean response of the long tasks, in a pool of their own"},
		{metric.TheoryLongP99Response, "", "exact p99 of the response of the long tasks"},
		{metric.TheoryShed, "", "exact share of tasks shed"},
		{metric.TheoryGaveUp, "", "exact share of tasks whose caller gives up"},
		{metric.TheoryGaveUpStarted, "", "exact share of tasks whose caller gives up after their " +
			"start"},
		{metric.TheoryThroughput, "", "exact throughput"},
		{metric.TheoryMakespan, "", "exact mean makespan of a batch"},
	}...)
	m = append(m, []MetricInfo{
		{metric.LightMeanWait, "lower", "mean wait of the tasks with the smallest weight, where " +
			"tasks have weights; absent in a soak"},
		{metric.LightP99Wait, "lower", "p99 of the same"},
		{metric.HeavyMeanWait, "lower", "mean wait of the tasks with the largest weight"},
		{metric.HeavyP99Wait, "lower", "p99 of the same"},
		{metric.PeakWeight, "lower", "largest sum of the weights of tasks in flight, whole run, " +
			"where tasks have weights"},
		{metric.Overruns, "lower", "whole run, with a timeout: attempts that ran on after it, as " +
			"their tasks ignored their contexts (real clock: for more than 1 ms); they count as " +
			"failed and hold their slots until they end"},
		{metric.MeanOverrun, "lower", "mean time that they ran on after their timeout"},
		{metric.MaxOverrun, "lower", "longest time that one ran on"},
	}...)
	counted := func(name, better, doc string) {
		info := MetricInfo{name, better, "whole run, by the " + doc}
		if !slices.Contains(m, info) {
			m = append(m, info)
		}
	}
	for _, t := range targets.All() {
		for _, c := range t.Counts {
			counted(c.Name, c.Better, "target: "+c.Doc)
		}
	}
	for _, s := range strategies.All() {
		for _, c := range s.Counts {
			counted(c.Name, c.Better, "strategy: "+c.Doc)
		}
	}
	m = append(m, RuntimeMetrics...)
	m = append(m, []MetricInfo{
		{metric.BytesPerOp, "lower", "bytes allocated per task, the harness included (real clock)"},
		{metric.AllocsPerOp, "lower", "allocations per task, the harness included (real clock)"},
		{metric.CPUPerOp, "lower",
			"CPU time of the process per task, the harness included (real clock)"},
		{metric.WrittenBytes, "lower", "bytes that the process wrote to storage, in whole pages, per " +
			"task of a durable strategy, without its server's (real clock, Linux)"},
		{metric.CPUSteal, "",
			"steal: share of CPU time that the host gave to other guests (real clock, Linux)"},
		{metric.CPUOthers, "", "share of CPU time used by other programs on the machine (real clock, " +
			"Linux)"},
		{metric.CPUPressure, "", "share of the time in which some thread on the machine was " +
			"runnable and had no processor (real clock, Linux)"},
		{metric.CPUWait, "", "of the time in which threads of this process were runnable, share in " +
			"which they had no processor: 0.3 on a quiet machine where they do little (real " +
			"clock, Linux)"},
		{metric.P99Hiccup, "lower", "delay of wake-ups at random instants on this machine, by " +
			"a meter independent of the strategy: p99 (real clock)"},
		{metric.MaxHiccup, "lower",
			"the meter's longest delay: the longest stall of the machine"},
		{metric.ArrivalsAD, "", "Anderson–Darling A² of the planned gaps of Poisson arrivals: 3.9 or " +
			"more has a chance of 1 %"},
		{metric.IssuedAD, "", "the same of the gaps at which the generator issued tasks: any timer " +
			"fails it at a high rate (real clock)"},
		{metric.SeenFull, "",
			"share of Poisson arrivals that found every slot taken when they were due"},
		{metric.FullShare, "", "share of the time in which every slot was taken; Poisson " +
			"arrivals find the same (PASTA)"},
		{metric.MeanWaitLow, "", "lower end of the 95 % interval of the mean wait, by stretches " +
			"of the run (absent if the tasks are too few for one)"},
		{metric.MeanWaitHigh, "", "its upper end"},
		{metric.MeanWaitESS, "", "effective sample size of the mean wait, in independent tasks"},
		{metric.MeanResponseLow, "", "the same of the mean response"},
		{metric.MeanResponseHigh, "", "its upper end"},
	}...)
	for _, q := range metric.Quantiles {
		if q.Interval {
			m = append(m, MetricInfo{q.Low(metric.Response), "", "the same of the " +
				quantileText(q) + " of the response"},
				MetricInfo{q.High(metric.Response), "", "its upper end"})
		}
	}
	return append(m, []MetricInfo{
		{metric.P99ResponseESS, "",
			"effective sample size of the p99 response, in independent tasks"},
		{metric.NeededTasks, "",
			"tasks that a p99 response within ±5 % needs at this load and variance; 0 if no " +
				"theory gives the number and the run is too short to estimate it"},
		{metric.Verdict, "lower", "verdict on the run: 0 VALID, 1 SUSPECT, 2 INVALID; the reasons are in " +
			"the lines before the run's"},
		{metric.CapacityMetLoad, "higher",
			"highest load that met the objective, with the confidence of the search"},
		{metric.CapacityMissedLoad, "higher",
			"lowest load above capacity-met-load that missed the objective"},
		{metric.CapacityMetRate, "higher",
			"highest rate, in tasks per second, that met the objective, with the confidence of " +
				"the search"},
		{metric.CapacityMissedRate, "higher",
			"lowest rate above capacity-met-rate that missed the objective"},
		{metric.CapacityMetLimit, "lower",
			"smallest limit that met the objective, with the confidence of the search"},
		{metric.CapacityMissedLimit, "lower",
			"largest limit below capacity-met-limit that missed the objective"},
		{metric.CapacityMetQueue, "higher",
			"longest queue that met the objective, with the confidence of the search"},
		{metric.CapacityMissedQueue, "higher",
			"shortest queue above capacity-met-queue that missed the objective"},
		{metric.CapacityProbes, "", "loads, rates, limits or queues that the search tried"},
	}...)
}

func quantileText(q metric.Quantile) string {
	if q.P == 0.5 {
		return "median"
	}
	return q.Name
}

// Only the blocked time has a direction. The other parts explain a response, which a gate judges
// itself.
func ofParts() (m []MetricInfo) {
	for _, p := range ResponseParts {
		better := ""
		if p.Part == metric.PartBlocked {
			better = "lower"
		}
		if p.Part != metric.PartService {
			m = append(m, MetricInfo{p.Part.Mean(), better,
				"part of the mean response: " + p.Doc})
		}
	}
	for _, p := range ResponseParts {
		m = append(m, MetricInfo{p.Part.Tail(), "",
			"mean of that part in the slowest 1 %, the tasks at the p99 or above: " +
				p.Doc},
			MetricInfo{p.Part.TailShare(), "", "its share of the response of these tasks"})
	}
	return append(m, []MetricInfo{
		{metric.Allowed, "", "starts per second that the strategy itself allows; absent where it " +
			"limits no rate"},
		{metric.TailTurnShare, "", "share of the response of the slowest 1 % in which every slot was " +
			"taken, by the path-wise oracle (absent if it does not apply)"},
		{metric.TailEvenTurnShare, "", "the same if each task held its slot for the mean service"},
		{metric.NextSlotMeanResponse, "", "mean response with one slot more, by the path-wise " +
			"oracle on this run's own arrivals and services (absent if it does not apply)"},
		{metric.NextSlotP99Response, "", "p99 of the same"},
		{metric.EvenMeanResponse, "", "mean response if each task held its slot for the mean " +
			"service, by the same oracle: the rest is due to long tasks ahead of others"},
		{metric.EvenP99Response, "", "p99 of the same"},
		{metric.NoTargetMeanResponse, "", "mean response if the target added no time to the " +
			"work, by the same oracle (absent if it added none)"},
		{metric.NoTargetP99Response, "", "p99 of the same"},
	}...)
}

// RuntimeMetrics only explain other metrics, so they have no direction and no gate judges them.
var RuntimeMetrics = []MetricInfo{
	{metric.P50Sched, "", "scheduling latency, from runnable to running: median of the one " +
		"goroutine in eight that the runtime times, to 12 % (real clock)"},
	{metric.P95Sched, "", "p95 of the same"},
	{metric.P99Sched, "", "p99 of the same"},
	{metric.SchedPerOp, "", "sum of the same per task, the harness's goroutines included"},
	{metric.MeanRunnableGoroutines, "", "runnable goroutines that did not run, averaged over the " +
		"wake-ups of the hiccup meter (real clock)"},
	{metric.MaxRunnableGoroutines, "", "the most seen"},
	{metric.MeanWaitingGoroutines, "", "goroutines blocked, on the same average"},
	{metric.MaxWaitingGoroutines, "", "the most seen"},
	{metric.MutexWaitPerOp, "", "time that goroutines were blocked on locks per task: estimated " +
		"by the runtime from one wait in eight (real clock)"},
	{metric.GCCycles, "", "cycles of the garbage collector that ended in the run (real clock)"},
	{metric.GCCPU, "", "share of the program's CPU time spent in marking, by the runtime's account " +
		"up to the last of these cycles"},
	{metric.GCAssistPerOp, "", "assist time per task: CPU time in which goroutines that " +
		"allocated had to mark, in these cycles"},
	{metric.GCPause, "", "stop-the-world pauses of these cycles, summed, to 12 %"},
	{metric.MaxGCPause, "", "longest of these pauses, to 12 %"},
	{metric.MaxHeap, "", "largest size of objects, dead ones included, and stacks that the meter " +
		"saw (real clock)"},
	{metric.HeapPerInflight, "", "growth of live objects and stacks by the end of a cycle, divided by " +
		"the peak in flight (absent without a cycle)"},
	{metric.RunqueuePerOp, "", "run-queue wait: time that threads of the process were runnable and " +
		"had no processor, per task (real clock, Linux)"},
	{metric.VoluntarySwitches, "", "voluntary context switches per task: of a thread that had to " +
		"wait (real clock)"},
	{metric.InvoluntarySwitches, "", "involuntary context switches per task: of a preempted thread"},
	{metric.PageFaults, "", "minor page faults per task, without a read from a disk (real clock)"},
	{metric.MajorFaults, "", "major page faults per task, with a read from a disk"},
}

var stageMetrics = []MetricInfo{
	{metric.Offered, "", "tasks due in the stage, per second"},
	{metric.Goodput, "higher", "tasks of the stage completed within the deadline, per second"},
	{metric.MeanResponse, "lower", "their mean response"},
	{metric.P50Response, "lower", "their p50 response (absent with too few tasks)"},
	{metric.P95Response, "lower", "their p95 response (absent with too few tasks)"},
	{metric.P99Response, "lower", "their p99 response (absent with too few tasks)"},
	{metric.DueP99Response, "", "p99 response over all requests that were due, in an attack: as " +
		"for the whole attack"},
	{metric.Attempts, "lower", "attempts per task that was started"},
	{metric.Shed, "lower", "share of them that the strategy refused"},
	{metric.Failed, "lower", "share of them that failed, were throttled or were abandoned"},
	{metric.GaveUp, "lower", "share of them whose caller gave up, where callers have a patience"},
	{metric.BacklogTasks, "lower", "tasks in the system when the stage ends, including tasks of earlier " +
		"stages"},
	{metric.Recovered, "higher", "1 if the response is back to the first stage's by the end of " +
		"this one, else 0; absent unless this stage follows one with more load than the first " +
		"and has no more load than the first itself"},
	{metric.Recovery, "lower", "time from the start of the stage to that recovery; absent without " +
		"one"},
}

var sessionMetrics = []MetricInfo{
	{metric.Count, "", "sessions begun"},
	{metric.MeanResponse, "lower", "mean response of completed sessions: the sum of the " +
		"responses of their steps"},
	{metric.P50Response, "lower", "its median"},
	{metric.P95Response, "lower", "its p95 (absent with too few sessions)"},
	{metric.P99Response, "lower", "its p99 (absent with too few sessions)"},
	{metric.DueP50Response, "", "its median over all sessions that were due: as for requests"},
	{metric.DueP95Response, "", "its p95 over the same"},
	{metric.DueP99Response, "", "its p99 over the same"},
	{metric.MeanService, "lower", "mean service of completed sessions: the sum of the services " +
		"of their steps"},
	{metric.P50Service, "lower", "its median"},
	{metric.P95Service, "lower", "its p95"},
	{metric.P99Service, "lower", "its p99"},
	{metric.DueP50Service, "", "its median over all sessions that were due"},
	{metric.DueP95Service, "", "its p95 over the same"},
	{metric.DueP99Service, "", "its p99 over the same"},
	{metric.MeanLength, "", "mean length of a session: from the due time of its first step to " +
		"its last answer, think times included"},
	{metric.P50Length, "", "its median"},
	{metric.P95Length, "", "its p95"},
	{metric.P99Length, "", "its p99"},
	{metric.Shed, "lower", "share of sessions that ended because the strategy refused a step"},
	{metric.Failed, "lower", "share of sessions that ended because a step failed, was throttled or " +
		"was abandoned"},
}

var stepMetrics = []MetricInfo{
	{metric.Count, "", "settled requests of the step"},
	{metric.MeanResponse, "lower", "mean response of completed requests"},
	{metric.P50Response, "lower", "its median"},
	{metric.P95Response, "lower", "its p95 (absent with too few requests)"},
	{metric.P99Response, "lower", "its p99 (absent with too few requests)"},
	{metric.DueP50Response, "", "its median over all requests of the step that were due"},
	{metric.DueP95Response, "", "its p95 over the same"},
	{metric.DueP99Response, "", "its p99 over the same"},
	{metric.MeanService, "lower", "mean service of completed requests"},
	{metric.P50Service, "lower", "its median"},
	{metric.P95Service, "lower", "its p95"},
	{metric.P99Service, "lower", "its p99"},
	{metric.DueP50Service, "", "its median over all requests of the step that were due"},
	{metric.DueP95Service, "", "its p95 over the same"},
	{metric.DueP99Service, "", "its p99 over the same"},
	{metric.Shed, "lower", "share of them that the strategy refused"},
	{metric.Failed, "lower", "share of them that failed, were throttled or were abandoned"},
	{metric.Unsent, "lower", "share of the sessions that ended before the step"},
}

var urlMetrics = []MetricInfo{
	{metric.SentBytes, "", "bytes of their bodies, per request"},
	{metric.ReceivedBytes, "", "bytes of the bodies of their answers, per request"},
	statusMetric,
}

var statusMetric = MetricInfo{metric.OfStatus("NAME"), "",
	"share of the requests that were answered with the status NAME"}

// A unit is for example url[GET%20/login]-p95-response-sec.
func URLMetrics(name string) []MetricInfo {
	all := slices.DeleteFunc(slices.Clone(stepMetrics), func(m MetricInfo) bool {
		return m.Unit == metric.Unsent
	})
	for i := range all {
		all[i].Doc = strings.ReplaceAll(all[i].Doc, " of the step", " to the URL")
	}
	return prefixedMetrics(metric.OfURL(name), append(all, urlMetrics...))
}

func SessionMetrics() []MetricInfo { return prefixedMetrics(metric.Sessions, sessionMetrics) }

// The first step is 1.
func StepMetrics(step int, name string) []MetricInfo {
	return prefixedMetrics(metric.OfStep(step, name, ""),
		slices.Concat(stepMetrics, urlMetrics))
}

// PartMetrics returns nil unless a name begins with a stage, session, step, URL or status.
func PartMetrics(name string) []MetricInfo {
	if url, rest, ok := metric.CutURL(name); ok {
		return withStatus(URLMetrics(url), rest)
	}
	if status, ok := metric.StatusOf(strings.TrimSuffix(name, "/op") + "/op"); ok {
		return []MetricInfo{{metric.OfStatus(status), "", statusMetric.Doc}}
	}
	part, rest, _ := strings.Cut(name, "-")
	kind := strings.TrimRight(part, "0123456789")
	number, err := strconv.Atoi(part[len(kind):])
	switch {
	case part == "session":
		return SessionMetrics()
	case err != nil || number < 1:
	case kind == "stage":
		return StageMetrics(number)
	case kind == "step":
		name, rest, _ := strings.Cut(rest, "-")
		return withStatus(StepMetrics(number, name), rest)
	}
	return nil
}

func withStatus(all []MetricInfo, rest string) []MetricInfo {
	status, ok := metric.StatusOf(strings.TrimSuffix(rest, "/op") + "/op")
	if !ok {
		return all
	}
	last := &all[len(all)-1]
	last.Unit = strings.TrimSuffix(last.Unit, statusMetric.Unit) + metric.OfStatus(status)
	return all
}

func prefixedMetrics(prefix string, of []MetricInfo) []MetricInfo {
	all := slices.Clone(of)
	for i := range all {
		all[i].Unit = prefix + all[i].Unit
	}
	return all
}

// The first stage is 1.
func StageMetrics(stage int) []MetricInfo {
	return prefixedMetrics(metric.OfStage(stage, ""), stageMetrics)
}

// LeastTasks returns 0 for metrics other than quantiles.
func LeastTasks(unit string) int {
	_, unit, _ = metric.CutURL(unit)
	if metric.IsTheory(unit) || strings.Contains(unit, "hiccup") {
		return 0
	}
	for _, q := range metric.Quantiles {
		if strings.Contains("-"+unit, "-"+q.Name+"-") {
			return statistics.LeastTasks(q.P)
		}
	}
	return 0
}
