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
		{metric.NsPerOp, "lower", "time per offered task, from the end of the warm-up to the " +
			"last end: 1/throughput, not a response time; below saturation, an open-loop run " +
			"shows its planned arrivals"},
		{metric.Throughput, "higher", "throughput: tasks completed per second, from the end of " +
			"the warm-up to the last end or the end of the plan, including tasks of the warm-up " +
			"that end later; at most offered-ops/s"},
		{metric.Goodput, "higher", "tasks completed within the deadline, per second"},
		{metric.Offered, "", "actual arrival rate: tasks divided by the sum of the gaps before " +
			"them; in a random plan it differs from the planned rate by chance"},
	}
	for _, reading := range []struct{ name, doc string }{
		{metric.Response, "from due to end"},
		{metric.Wait, "response less service"},
		{metric.Service, "time inside the task, over all attempts and steps"},
	} {
		m = append(m, MetricInfo{metric.StatisticOf(metric.Mean, reading.name), "lower", "mean " + reading.name +
			" of completed tasks: " + reading.doc})
		for _, q := range metric.Quantiles {
			m = append(m, MetricInfo{q.Unit(reading.name), "lower",
				q.Name + " of the " + reading.name +
					" (nearest rank), absent if the tasks are too few"})
		}
		m = append(m, MetricInfo{metric.StatisticOf(metric.Max, reading.name), "lower",
			"longest " + reading.name})
		if reading.name == metric.Wait {
			continue
		}
		for _, q := range metric.Quantiles {
			m = append(m, MetricInfo{decide.Due + q.Unit(reading.name), "",
				q.Name + " of the " + reading.name + " over all planned requests of an attack; " +
					"lost requests count as the slowest; absent if no request was lost, or if " +
					"the quantile is among the lost"})
		}
	}
	m = append(m, MetricInfo{metric.QuantileError, "", "bound on the relative error of quantiles " +
		"in a soak, which keeps histograms (absent if quantiles are exact)"})
	m = append(m, []MetricInfo{
		{metric.ShortMeanResponse, "lower",
			"mean response of the short tasks, if the workload has short and long ones"},
		{metric.ShortP99Response, "lower", "p99 response of the short tasks"},
		{metric.LongMeanResponse, "lower", "mean response of the long tasks"},
		{metric.LongP99Response, "lower", "p99 response of the long tasks"},
		{metric.CPUMeanResponse, "lower", "mean response of the tasks that compute, if the " +
			"workload has tasks that compute and tasks that wait"},
		{metric.CPUP99Response, "lower", "p99 response of the tasks that compute"},
		{metric.IOMeanResponse, "lower", "mean response of the tasks that wait"},
		{metric.IOP99Response, "lower", "p99 response of the tasks that wait"},
		{metric.MeanSlowdown, "lower",
			"mean of response ÷ service time, if the workload has two classes of tasks"},
	}...)
	for j := range MaxFound + 1 {
		m = append(m, MetricInfo{metric.FoundLong(j), "",
			fmt.Sprintf("share of the short tasks that find %d slots occupied by long tasks when "+
				"they are due", j)},
			MetricInfo{metric.FoundLongWait(j), "lower", "their mean wait"})
	}
	m = append(m, ofLabels()...)
	m = append(m, []MetricInfo{
		{metric.P99Lag, "lower", "the generator's own lateness: the time of each submit minus " +
			"the time at which a generator that is never late would have submitted, given the " +
			"duration of the earlier submits"},
		{decide.MaxLag, "", "the largest lateness of the generator in an attack"},
		{metric.Waited, "lower", "share of accepted tasks that had to wait: wait > 0 under the " +
			"virtual clock; under the real one, every slot was taken when the task was due, or with " +
			"weighted tasks wait > 100 µs"},
		{metric.Shed, "lower", "share of offered tasks that the strategy refused"},
		{metric.Throttled, "lower", "share of offered tasks that ended with a refusal by the target"},
		{metric.Failed, "lower", "share of offered tasks that ended with another error"},
		{metric.Abandoned, "lower", "share of offered tasks that were abandoned"},
		{metric.GaveUp, "lower", "with --patience: share of offered tasks whose caller gave up " +
			"before they were done"},
		{metric.GaveUpStarted, "lower", "share of offered tasks whose caller gave up after their " +
			"start"},
		{metric.WastedService, "lower", "with --patience: share of the service time that was " +
			"spent on tasks that did not complete"},
		{metric.Attempts, "lower", "attempts per task that was started"},
		{metric.Resent, "lower", "requests retried on a fresh connection, per request; they do " +
			"not count as attempts"},
		{metric.SentBytes, "", "bytes of bodies sent per request"},
		{metric.ReceivedBytes, "", "bytes of bodies received per request, before decompression"},
		{metric.Connections, "lower", "connections opened per request"},
		{metric.PeakStreams, "", "largest number of HTTP/2 streams open at once, over all " +
			"connections"},
		{metric.StreamLimit, "", "smallest limit on concurrent streams that the server of HTTP/2 " +
			"or HTTP/3 set on a connection, if it set one"},
		{metric.GoAways, "lower", "connections of HTTP/2 that the server asked to close (GOAWAY), " +
			"per request"},
		{metric.Resets, "lower", "streams of HTTP/2 that the server reset (RST_STREAM), per request"},
	}...)
	for i, of := range []string{"time from sending a request to the first byte of its answer, " +
		"for completed requests", "time to look up the host and connect, for opened connections",
		"time of the TLS handshake, for opened connections"} {
		for _, q := range PhaseStatistics() {
			m = append(m, MetricInfo{metric.StatisticOf(q, record.CallPhases[i]), "lower",
				q + " of the " + of})
		}
	}
	m = append(m, []MetricInfo{
		{metric.Utilisation, "", "service time of all tasks ÷ (limit × makespan)"},
		{metric.OfferedUtilisation, "", "actual arrival rate × actual mean service time ÷ slots"},
		{metric.ServiceC2, "", "squared coefficient of variation of the actual service times"},
		{metric.WorkloadC2, "",
			"squared coefficient of variation of the task times, by the workload's definition"},
		{metric.PeakInFlight, "", "largest number of tasks in flight"},
		{metric.MeanLimit, "", "for a strategy that learns its limit: time-weighted mean of the " +
			"limit, from the end of the warm-up to the last end; absent in a soak"},
		{metric.Bottleneck, "", "for a pipeline: number of the stage with the highest utilisation"},
		{metric.BottleneckUse, "", "its utilisation"},
	}...)
	for stage := range strategies.MaxStages {
		m = append(m, MetricInfo{metric.OfPipeline(stage + 1), "", "for a pipeline: time that " +
			"the workers of the stage spent on tasks ÷ (workers × makespan)"})
	}
	m = append(m, []MetricInfo{
		{metric.Makespan, "", "first due to last end, over all tasks"},
		{metric.Blocked, "lower", "share of tasks that waited before the strategy accepted them, " +
			"in Submit or behind another task in Submit, because the queue was full or the " +
			"strategy has no queue (real clock: for more than 100 µs)"},
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
		m = append(m, MetricInfo{metric.Theory(q.Unit(metric.Response)), "",
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
		{metric.LightMeanWait, "lower", "if tasks have weights: mean wait of the tasks with the " +
			"smallest weight; absent in a soak"},
		{metric.LightP99Wait, "lower", "p99 of the previous metric"},
		{metric.HeavyMeanWait, "lower", "mean wait of the tasks with the largest weight"},
		{metric.HeavyP99Wait, "lower", "p99 of the previous metric"},
		{metric.PeakWeight, "lower", "if tasks have weights: largest sum of the weights of tasks " +
			"in flight, in the whole run"},
		{metric.Overruns, "lower", "with a timeout: attempts in the whole run that continued " +
			"after it, because their tasks ignored their contexts (real clock: for more than 1 " +
			"ms); they count as failed, and keep their slots until they end"},
		{metric.MeanOverrun, "lower", "mean time for which these attempts continued after their " +
			"timeout"},
		{metric.MaxOverrun, "lower", "longest time for which such an attempt continued"},
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
		{metric.BytesPerOp, "lower", "bytes allocated per task, including poolbench itself (real " +
			"clock)"},
		{metric.AllocsPerOp, "lower", "allocations per task, including poolbench itself (real " +
			"clock)"},
		{metric.CPUPerOp, "lower",
			"CPU time of the process per task, including poolbench itself (real clock)"},
		{metric.WrittenBytes, "lower", "bytes that the process wrote to storage, in whole pages, " +
			"per task of a durable strategy, without the writes of its server (real clock, Linux)"},
		{metric.CPUSteal, "",
			"steal: share of CPU time that the host gave to other guests (real clock, Linux)"},
		{metric.CPUOthers, "", "share of CPU time used by other programs on the machine (real clock, " +
			"Linux)"},
		{metric.CPUPressure, "", "share of the time in which at least one thread on the machine " +
			"was runnable and had no processor (real clock, Linux)"},
		{metric.CPUWait, "", "share of the time in which runnable threads of this process had no " +
			"processor: 0.3 on a quiet machine if the threads have little work (real clock, " +
			"Linux)"},
		{metric.P99Hiccup, "lower", "p99 of the delay of wake-ups at random times on this " +
			"machine, by a meter independent of the strategy (real clock)"},
		{metric.MaxHiccup, "lower",
			"largest delay of this meter: the longest stall of the machine"},
		{metric.ArrivalsAD, "", "Anderson–Darling A² of the planned gaps of Poisson arrivals: 3.9 or " +
			"more has a chance of 1 %"},
		{metric.IssuedAD, "", "Anderson–Darling A² of the gaps at which the generator sent " +
			"tasks; at a high rate, every timer fails this test (real clock)"},
		{metric.SeenFull, "",
			"share of Poisson arrivals that found every slot taken when they were due"},
		{metric.FullShare, "", "share of the time in which every slot was taken; for Poisson " +
			"arrivals, both shares are equal (PASTA)"},
		{metric.MeanWaitLow, "", "lower end of the 95 % interval of the mean wait, from windows " +
			"of the run (absent if the run has too few tasks)"},
		{metric.MeanWaitHigh, "", "its upper end"},
		{metric.MeanWaitESS, "", "effective sample size of the mean wait, in independent tasks"},
		{metric.MeanResponseLow, "", "lower end of the 95 % interval of the mean response"},
		{metric.MeanResponseHigh, "", "its upper end"},
	}...)
	for _, q := range metric.Quantiles {
		if q.Interval {
			m = append(m, MetricInfo{q.Low(metric.Response), "", "lower end of the 95 % interval " +
				"of the " + quantileText(q) + " of the response"},
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
			"mean of this part in the slowest 1 % (the tasks at or above the p99): " +
				p.Doc},
			MetricInfo{p.Part.TailShare(), "", "share of this part in the response time of these " +
				"tasks"})
	}
	return append(m, []MetricInfo{
		{metric.Allowed, "", "starts per second that the strategy itself allows; absent if it " +
			"limits no rate"},
		{metric.TailTurnShare, "", "share of the response of the slowest 1 % in which every slot was " +
			"taken, by the path-wise oracle (absent if it does not apply)"},
		{metric.TailEvenTurnShare, "", "this share if each task occupied its slot for the mean " +
			"service time"},
		{metric.NextSlotMeanResponse, "", "mean response with one slot more, by the path-wise " +
			"oracle on this run's own arrivals and services (absent if it does not apply)"},
		{metric.NextSlotP99Response, "", "p99 of the previous metric"},
		{metric.EvenMeanResponse, "", "mean response if each task occupied its slot for the mean " +
			"service time, by the same oracle: the difference is due to long tasks before other " +
			"tasks"},
		{metric.EvenP99Response, "", "p99 of the previous metric"},
		{metric.NoTargetMeanResponse, "", "mean response if the target added no time to the " +
			"work, by the same oracle (absent if it added none)"},
		{metric.NoTargetP99Response, "", "p99 of the previous metric"},
	}...)
}

// RuntimeMetrics only explain other metrics, so they have no direction and no gate judges them.
var RuntimeMetrics = []MetricInfo{
	{metric.P50Sched, "", "scheduling latency, from runnable to running: median of the one " +
		"goroutine in eight that the runtime times, to 12 % (real clock)"},
	{metric.P95Sched, "", "p95 of the scheduling latency"},
	{metric.P99Sched, "", "p99 of the previous metric"},
	{metric.SchedPerOp, "", "sum of the scheduling latency per task, including goroutines of " +
		"poolbench itself"},
	{metric.MeanRunnableGoroutines, "", "runnable goroutines that did not run, averaged over the " +
		"wake-ups of the hiccup meter (real clock)"},
	{metric.MaxRunnableGoroutines, "", "the largest number at one of these wake-ups"},
	{metric.MeanWaitingGoroutines, "", "mean number of blocked goroutines, over the same wake-ups"},
	{metric.MaxWaitingGoroutines, "", "the largest number at one of these wake-ups"},
	{metric.MutexWaitPerOp, "", "time that goroutines were blocked on locks per task: estimated " +
		"by the runtime from one wait in eight (real clock)"},
	{metric.GCCycles, "", "cycles of the garbage collector that ended in the run (real clock)"},
	{metric.GCCPU, "", "share of the program's CPU time spent on marking, as reported by the " +
		"runtime up to the last of these cycles"},
	{metric.GCAssistPerOp, "", "assist time per task: CPU time for which allocating goroutines " +
		"had to mark, in these cycles"},
	{metric.GCPause, "", "stop-the-world pauses of these cycles, summed, to 12 %"},
	{metric.MaxGCPause, "", "longest of these pauses, to 12 %"},
	{metric.MaxHeap, "", "largest total size of stacks and objects, including dead objects, that " +
		"the meter saw (real clock)"},
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
	{metric.DueP99Response, "", "p99 response over all planned requests of the stage, in an " +
		"attack: lost requests count as the slowest"},
	{metric.Attempts, "lower", "attempts per task that was started"},
	{metric.Shed, "lower", "share of these tasks that the strategy refused"},
	{metric.Failed, "lower", "share of these tasks that failed, were throttled or were abandoned"},
	{metric.GaveUp, "lower", "with --patience: share of these tasks whose caller gave up"},
	{metric.BacklogTasks, "lower", "tasks in the system when the stage ends, including tasks of earlier " +
		"stages"},
	{metric.Recovered, "higher", "1 if the response time has returned to the level of the first " +
		"stage by the end of this stage, else 0; absent unless this stage follows a stage with " +
		"more load than the first stage, and itself has no more load than the first stage"},
	{metric.Recovery, "lower", "time from the start of the stage to this recovery; absent " +
		"without recovery"},
}

var sessionMetrics = []MetricInfo{
	{metric.Count, "", "sessions begun"},
	{metric.MeanResponse, "lower", "mean response of completed sessions: the sum of the " +
		"responses of their steps"},
	{metric.P50Response, "lower", "its median"},
	{metric.P95Response, "lower", "its p95 (absent with too few sessions)"},
	{metric.P99Response, "lower", "its p99 (absent with too few sessions)"},
	{metric.DueP50Response, "", "median over all planned sessions: lost sessions count as the " +
		"slowest"},
	{metric.DueP95Response, "", "p95 over the same"},
	{metric.DueP99Response, "", "p99 over the same"},
	{metric.MeanService, "lower", "mean service of completed sessions: the sum of the services " +
		"of their steps"},
	{metric.P50Service, "lower", "its median"},
	{metric.P95Service, "lower", "its p95"},
	{metric.P99Service, "lower", "its p99"},
	{metric.DueP50Service, "", "median over all planned sessions"},
	{metric.DueP95Service, "", "p95 over the same"},
	{metric.DueP99Service, "", "p99 over the same"},
	{metric.MeanLength, "", "mean length of a session: from the due time of its first step to " +
		"its last answer, including think times"},
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
	{metric.DueP50Response, "", "median over all planned requests of the step"},
	{metric.DueP95Response, "", "p95 over the same"},
	{metric.DueP99Response, "", "p99 over the same"},
	{metric.MeanService, "lower", "mean service of completed requests"},
	{metric.P50Service, "lower", "its median"},
	{metric.P95Service, "lower", "its p95"},
	{metric.P99Service, "lower", "its p99"},
	{metric.DueP50Service, "", "median over all planned requests of the step"},
	{metric.DueP95Service, "", "p95 over the same"},
	{metric.DueP99Service, "", "p99 over the same"},
	{metric.Shed, "lower", "share of these tasks that the strategy refused"},
	{metric.Failed, "lower", "share of these tasks that failed, were throttled or were abandoned"},
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

// MinTasks returns 0 for metrics other than quantiles.
func MinTasks(unit string) int {
	_, unit, _ = metric.CutURL(unit)
	if metric.IsTheory(unit) || strings.Contains(unit, "hiccup") {
		return 0
	}
	for _, q := range metric.Quantiles {
		if strings.Contains("-"+unit, "-"+q.Name+"-") {
			return statistics.MinTasks(q.P)
		}
	}
	return 0
}
