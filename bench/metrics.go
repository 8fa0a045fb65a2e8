package bench

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/poolbench/poolbench/bench/calls"
	"github.com/poolbench/poolbench/bench/internal/observed"
	"github.com/poolbench/poolbench/bench/result"
	"github.com/poolbench/poolbench/internal/decide"
	"github.com/poolbench/poolbench/strategies"
	"github.com/poolbench/poolbench/targets"
)

// A MetricInfo documents a unit that a run can report.
type MetricInfo struct {
	Unit   string
	Better string // "lower", "higher", or "" where neither is
	Doc    string // one line: what it is and how it is counted
}

// Line returns the Unit line of the Go benchmark format that declares the metric's direction, for a
// file that spells its unit as unit.
func (m MetricInfo) Line(unit string) string {
	return fmt.Sprintf("Unit %s better=%s", unit, m.Better)
}

// Metrics lists every unit that a run can report, in the order in which a result has them. Times
// are in seconds; `go test -bench` reports the same ones in nanoseconds.
func Metrics() []MetricInfo {
	m := []MetricInfo{
		{"ns/op", "lower", "time per offered task, from the end of the warm-up to the last end: " +
			"1/throughput, not a response; an open-loop run below saturation only echoes its plan"},
		{"ops/s", "higher", "throughput: tasks completed per second, from the end of the warm-up " +
			"to the last end or the end of the plan, including tasks that the warm-up left; at " +
			"most offered-ops/s"},
		{"goodput-ops/s", "higher", "tasks completed within the deadline, per second"},
		{"offered-ops/s", "", "realised offered load: tasks over the time that they stand for, " +
			"the gap before each; a random plan differs from its rate by chance"},
	}
	for _, reading := range []struct{ name, doc string }{
		{"response", "from due to end"},
		{"wait", "response less service"},
		{"service", "time inside the task, over all attempts and steps"},
	} {
		m = append(m, MetricInfo{"mean-" + reading.name + "-sec", "lower", "mean " + reading.name +
			" of completed tasks: " + reading.doc})
		for _, q := range result.Quantiles {
			m = append(m, MetricInfo{q.Name + "-" + reading.name + "-sec", "lower",
				q.Name + " of the " + reading.name +
					" (nearest rank); absent where the tasks are too few"})
		}
		m = append(m, MetricInfo{"max-" + reading.name + "-sec", "lower",
			"longest " + reading.name})
		if reading.name == "wait" {
			continue
		}
		for _, q := range result.Quantiles {
			m = append(m, MetricInfo{decide.Due + q.Name + "-" + reading.name + "-sec", "",
				q.Name + " of the " + reading.name + " over all requests of an attack that were " +
					"due, lost ones being the slowest; absent if none was lost, or if it is " +
					"among them"})
		}
	}
	m = append(m, MetricInfo{"quantile-error", "", "bound of the relative error of quantiles, in " +
		"a soak, which keeps histograms; absent where quantiles are exact"})
	m = append(m, []MetricInfo{
		{"short-mean-response-sec", "lower",
			"mean response of the short tasks, where the workload tells short and long ones apart"},
		{"short-p99-response-sec", "lower", "p99 of the response of the short tasks"},
		{"long-mean-response-sec", "lower", "mean response of the long tasks"},
		{"long-p99-response-sec", "lower", "p99 of the response of the long tasks"},
		{"cpu-mean-response-sec", "lower", "mean response of the tasks that compute, where the " +
			"workload tells them from those that wait"},
		{"cpu-p99-response-sec", "lower", "p99 of the response of the tasks that compute"},
		{"io-mean-response-sec", "lower", "mean response of the tasks that wait"},
		{"io-p99-response-sec", "lower", "p99 of the response of the tasks that wait"},
		{"mean-slowdown", "lower",
			"mean of response over service, where the workload tells two classes of tasks apart"},
	}...)
	for j := range observed.MostFound + 1 {
		m = append(m, MetricInfo{fmt.Sprintf("found-%d-long/op", j), "",
			fmt.Sprintf("share of the short tasks that find %d slots held by long ones when "+
				"they are due", j)},
			MetricInfo{fmt.Sprintf("found-%d-long-wait-sec", j), "lower", "their mean wait"})
	}
	m = append(m, ofLabels()...)
	m = append(m, []MetricInfo{
		{"p99-lag-sec", "lower", "the generator's own lateness: issue less when a generator that " +
			"is never late would have issued, given how long each submit took"},
		{decide.MaxLag, "", "the longest of the same, of attacks"},
		{"waited/op", "lower", "share of accepted tasks that had to wait: wait > 0 under the " +
			"virtual clock; under the real one, every slot was taken when the task was due"},
		{"shed/op", "lower", "share of offered tasks that the strategy refused"},
		{"throttled/op", "lower", "share of offered tasks that ended with a refusal by the target"},
		{"failed/op", "lower", "share of offered tasks that ended with another error"},
		{"abandoned/op", "lower", "share of offered tasks that were given up"},
		{"attempts/op", "lower", "attempts per task that was started"},
		{"resent/op", "lower", "requests that went over the wire again, unasked, per request, and " +
			"are not among the attempts"},
		{"sent-B/op", "", "bytes of bodies sent per request"},
		{"received-B/op", "", "bytes of bodies received per request, as they came"},
		{"connections/op", "lower", "connections opened per request"},
		{"peak-streams", "", "most streams of HTTP/2 open at once, over all connections"},
		{"goaways/op", "lower", "connections of HTTP/2 that the server said to leave (GOAWAY), " +
			"per request"},
		{"resets/op", "lower", "streams of HTTP/2 that the server reset (RST_STREAM), per request"},
	}...)
	for i, of := range []string{"from sending a request to the first byte of its answer, of " +
		"completed ones", "to look the host up and connect, of connections opened",
		"of the TLS handshake, of connections opened"} {
		for _, q := range observed.PhaseStatistics {
			m = append(m, MetricInfo{q + "-" + calls.Phases[i] + "-sec", "lower",
				q + " of the time " + of})
		}
	}
	m = append(m, []MetricInfo{
		{"utilisation", "", "service time of all tasks over limit × makespan"},
		{"offered-utilisation", "", "realised arrival rate × realised mean service over the slots"},
		{"service-c2", "", "squared coefficient of variation of the realised service times"},
		{"workload-c2", "",
			"squared coefficient of variation of the task times, by the workload's definition"},
		{"peak-inflight", "", "most tasks in flight at once"},
		{"makespan-sec", "", "first due to last end, over all tasks"},
		{"held/op", "lower", "share of tasks that waited before the strategy, in Submit or " +
			"behind one that did, as its queue was full or it has none (real clock: for more " +
			"than 100 µs)"},
	}...)
	m = append(m, ofParts()...)
	m = append(m, []MetricInfo{
		{"broken-laws", "lower",
			"invariants that the run violates; above 0 the run is INVALID"},
		{"oracle-mean-wait-sec", "", "mean wait by the path-wise oracle (Kiefer–Wolfowitz) on " +
			"this run's own arrivals and services"},
		{"oracle-max-diff-sec", "", "largest difference between a task's start and the oracle's: " +
			"0 under the virtual clock, the strategy's overhead under the real one"},
		{"theory-mean-wait-sec", "", "exact mean wait"},
		{"theory-waited/op", "", "exact share of tasks that wait"},
		{"theory-p50-response-sec", "", "exact median of the response"},
		{"theory-p90-response-sec", "", "exact p90 of the response"},
		{"theory-p99-response-sec", "", "exact p99 of the response"},
		{"theory-p99.9-response-sec", "", "exact p99.9 of the response"},
		{"theory-short-mean-response-sec", "",
			"exact mean response of the short tasks, in a pool of their own"},
		{"theory-short-p99-response-sec", "", "exact p99 of the response of the short tasks"},
		{"theory-long-mean-response-sec", "",
			"exact mean response of the long tasks, in a pool of their own"},
		{"theory-long-p99-response-sec", "", "exact p99 of the response of the long tasks"},
		{"theory-shed/op", "", "exact share of tasks shed"},
		{"theory-ops/s", "", "exact throughput"},
		{"theory-makespan-sec", "", "exact mean makespan of a batch"},
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
	m = append(m, ofRuntime...)
	return append(m, []MetricInfo{
		{"B/op", "lower", "bytes allocated per task, the harness included (real clock)"},
		{"allocs/op", "lower", "allocations per task, the harness included (real clock)"},
		{"cpu-sec/op", "lower",
			"CPU time of the process per task, the harness included (real clock)"},
		{"written-B/op", "lower", "bytes that the process wrote to storage, in whole pages, per " +
			"task of a durable strategy, without its server's (real clock, Linux)"},
		{"cpu-steal", "",
			"steal: share of CPU time that the host gave to other guests (real clock, Linux)"},
		{"cpu-others", "", "share of CPU time used by other programs on the machine (real clock, " +
			"Linux)"},
		{"cpu-pressure", "", "share of the time in which some thread on the machine was " +
			"runnable and had no processor (real clock, Linux)"},
		{"cpu-wait", "", "of the time in which threads of this process were runnable, share in " +
			"which they had no processor: 0.3 on a quiet machine where they do little (real " +
			"clock, Linux)"},
		{"p99-hiccup-sec", "lower", "delay of wake-ups at random instants on this machine, by " +
			"a meter independent of the strategy: p99 (real clock)"},
		{"max-hiccup-sec", "lower",
			"the meter's longest delay: the longest stall of the machine"},
		{"arrivals-ad", "", "Anderson–Darling A² of the planned gaps of Poisson arrivals: 3.9 or " +
			"more has a chance of 1 %"},
		{"issued-ad", "", "the same of the gaps at which the generator issued tasks: any timer " +
			"fails it at a high rate (real clock)"},
		{"seen-full/op", "",
			"share of Poisson arrivals that found every slot taken when they were due"},
		{"full-share", "", "share of the time in which every slot was taken; Poisson " +
			"arrivals find the same (PASTA)"},
		{"mean-wait-low-sec", "", "lower end of the 95 % interval of the mean wait, by stretches " +
			"of the run; absent where the tasks are too few for one"},
		{"mean-wait-high-sec", "", "its upper end"},
		{"mean-wait-ess", "", "effective sample size of the mean wait, in independent tasks"},
		{"mean-response-low-sec", "", "the same of the mean response"},
		{"mean-response-high-sec", "", "its upper end"},
		{"p50-response-low-sec", "", "the same of the median of the response"},
		{"p50-response-high-sec", "", "its upper end"},
		{"p90-response-low-sec", "", "the same of the p90 of the response"},
		{"p90-response-high-sec", "", "its upper end"},
		{"p99-response-low-sec", "", "the same of the p99 of the response"},
		{"p99-response-high-sec", "", "its upper end"},
		{"p99-response-ess", "",
			"effective sample size of the p99 response, in independent tasks"},
		{"needed-tasks", "",
			"tasks that a p99 response within ±5 % takes at this load and variance; 0 where no " +
				"theory says it and the run is too short to say it"},
		{"verdict", "lower", "verdict on the run: 0 VALID, 1 SUSPECT, 2 INVALID; the reasons are in " +
			"the lines before the run's"},
		{"capacity-met-load", "higher",
			"highest load that met the objective, with the confidence of the search"},
		{"capacity-missed-load", "higher",
			"lowest load above capacity-met-load that missed the objective"},
		{"capacity-met-rate", "higher",
			"highest rate, in tasks per second, that met the objective, with the confidence of " +
				"the search"},
		{"capacity-missed-rate", "higher",
			"lowest rate above capacity-met-rate that missed the objective"},
		{"capacity-met-limit", "lower",
			"smallest limit that met the objective, with the confidence of the search"},
		{"capacity-missed-limit", "lower",
			"largest limit below capacity-met-limit that missed the objective"},
		{"capacity-met-queue", "higher",
			"longest queue that met the objective, with the confidence of the search"},
		{"capacity-missed-queue", "higher",
			"shortest queue above capacity-met-queue that missed the objective"},
		{"capacity-probes", "", "loads, rates, limits or queues that the search tried"},
	}...)
}

// ofParts documents what responses are made of. But for the time held, none has a direction: they
// are evidence of a cause, and what a gate judges is the response itself.
func ofParts() (m []MetricInfo) {
	for _, p := range observed.ResponseParts {
		better := ""
		if p.Name == "held" {
			better = "lower"
		}
		if p.Name != "service" { // which is one of the times
			m = append(m, MetricInfo{"mean-" + p.Name + "-sec", better,
				"part of the mean response: " + p.Doc})
		}
	}
	for _, p := range observed.ResponseParts {
		m = append(m, MetricInfo{"tail-" + p.Name + "-sec", "",
			"mean of that part in the slowest 1 %, the tasks that took the p99 or longer: " +
				p.Doc},
			MetricInfo{"tail-" + p.Name + "/op", "", "its share of the response of these tasks"})
	}
	return append(m, []MetricInfo{
		{"allowed-ops/s", "", "starts per second that the strategy itself allows; absent where it " +
			"limits no rate"},
		{"tail-turn/op", "", "share of the response of the slowest 1 % in which every slot was " +
			"taken, by the path-wise oracle; absent where it does not apply"},
		{"tail-even-turn/op", "", "the same if each task held its slot for the mean service"},
		{"next-slot-mean-response-sec", "", "mean response with one slot more, by the path-wise " +
			"oracle on this run's own arrivals and services; absent where it does not apply"},
		{"next-slot-p99-response-sec", "", "p99 of the same"},
		{"even-mean-response-sec", "", "mean response if each task held its slot for the mean " +
			"service, by the same oracle: the rest is due to long tasks ahead of others"},
		{"even-p99-response-sec", "", "p99 of the same"},
		{"no-target-mean-response-sec", "", "mean response if the target added no time to the " +
			"work, by the same oracle; absent where it added none"},
		{"no-target-p99-response-sec", "", "p99 of the same"},
	}...)
}

// ofRuntime documents what Go's runtime and the system say of a run. None has a direction: they
// are evidence of a cause, and no gate judges them.
var ofRuntime = []MetricInfo{
	{"p50-sched-sec", "", "scheduling latency, from runnable to running: median of the one " +
		"goroutine in eight that the runtime times, to 12 % (real clock)"},
	{"p99-sched-sec", "", "p99 of the same"},
	{"sched-sec/op", "", "sum of the same per task, the harness's goroutines included"},
	{"mean-runnable-goroutines", "", "runnable goroutines that did not run, averaged over the " +
		"wake-ups of the hiccup meter (real clock)"},
	{"max-runnable-goroutines", "", "the most seen"},
	{"mean-waiting-goroutines", "", "goroutines blocked, on the same average"},
	{"max-waiting-goroutines", "", "the most seen"},
	{"mutex-wait-sec/op", "", "time that goroutines were blocked on locks per task: estimated " +
		"by the runtime from one wait in eight (real clock)"},
	{"gc-cycles", "", "cycles of the garbage collector that ended in the run (real clock)"},
	{"gc-cpu", "", "share of the program's CPU time that marking took, by the runtime's account " +
		"up to the last of these cycles"},
	{"gc-assist-sec/op", "", "assist time per task: CPU time in which goroutines that " +
		"allocated had to mark, in these cycles"},
	{"gc-pause-sec", "", "stop-the-world pauses of these cycles, summed, to 12 %"},
	{"max-gc-pause-sec", "", "longest of these pauses, to 12 %"},
	{"max-heap-B", "", "largest size of objects, dead ones included, and stacks that the meter " +
		"saw (real clock)"},
	{"heap-B/inflight", "", "growth of live objects and stacks by the end of a cycle, divided by " +
		"the peak in flight; absent without a cycle"},
	{"runqueue-sec/op", "", "run-queue wait: time that threads of the process were runnable and " +
		"had no processor, per task (real clock, Linux)"},
	{"voluntary-switches/op", "", "voluntary context switches per task: of a thread that had to " +
		"wait (real clock)"},
	{"involuntary-switches/op", "", "involuntary context switches per task: of a preempted thread"},
	{"page-faults/op", "", "minor page faults per task, without a read from a disk (real clock)"},
	{"major-faults/op", "", "major page faults per task, with a read from a disk"},
}

// stageMetrics are what a run reports of each stage of its arrivals, in that order.
var stageMetrics = []MetricInfo{
	{"offered-ops/s", "", "tasks due in the stage, per second"},
	{"goodput-ops/s", "higher", "tasks of the stage completed within the deadline, per second"},
	{"mean-response-sec", "lower", "their mean response"},
	{"p99-response-sec", "lower", "their p99 response; absent with too few tasks"},
	{"due-p99-response-sec", "", "p99 response over all requests that were due, of an attack: as " +
		"that of the whole attack"},
	{"attempts/op", "lower", "attempts per task that was started"},
	{"shed/op", "lower", "share of them that the strategy refused"},
	{"failed/op", "lower", "share of them that failed, were throttled or were abandoned"},
	{"backlog-tasks", "lower", "tasks in the system when the stage ends, those of earlier stages " +
		"included"},
	{"recovered", "higher", "1 if the response is back to that of the first stage by the end of " +
		"this one, else 0; absent unless this stage follows one with more load than the first " +
		"and has no more load than the first itself"},
	{"recovery-sec", "lower", "time from the start of the stage to that recovery; absent without " +
		"one"},
}

// sessionMetrics are what an attack of sessions reports of them.
var sessionMetrics = []MetricInfo{
	{"count", "", "sessions begun"},
	{"mean-response-sec", "lower", "mean response of completed sessions: the sum of the " +
		"responses of their steps"},
	{"p50-response-sec", "lower", "its median"},
	{"p99-response-sec", "lower", "its p99; absent with too few sessions"},
	{"due-p50-response-sec", "", "its median over all sessions that were due: as that of requests"},
	{"due-p99-response-sec", "", "its p99 over the same"},
	{"mean-service-sec", "lower", "mean service of completed sessions: the sum of the services " +
		"of their steps"},
	{"p50-service-sec", "lower", "its median"},
	{"p99-service-sec", "lower", "its p99"},
	{"due-p50-service-sec", "", "its median over all sessions that were due"},
	{"due-p99-service-sec", "", "its p99 over the same"},
	{"mean-length-sec", "", "mean length of a session: from the due time of its first step to " +
		"its last answer, think times included"},
	{"p50-length-sec", "", "its median"},
	{"p99-length-sec", "", "its p99"},
	{"shed/op", "lower", "share of sessions that ended because the strategy refused a step"},
	{"failed/op", "lower", "share of sessions that ended because a step failed, was throttled or " +
		"was abandoned"},
}

// stepMetrics are what it reports of each step.
var stepMetrics = []MetricInfo{
	{"count", "", "settled requests of the step"},
	{"mean-response-sec", "lower", "mean response of completed requests"},
	{"p50-response-sec", "lower", "its median"},
	{"p99-response-sec", "lower", "its p99; absent with too few requests"},
	{"due-p50-response-sec", "", "its median over all requests of the step that were due"},
	{"due-p99-response-sec", "", "its p99 over the same"},
	{"mean-service-sec", "lower", "mean service of completed requests"},
	{"p50-service-sec", "lower", "its median"},
	{"p99-service-sec", "lower", "its p99"},
	{"due-p50-service-sec", "", "its median over all requests of the step that were due"},
	{"due-p99-service-sec", "", "its p99 over the same"},
	{"shed/op", "lower", "share of them that the strategy refused"},
	{"failed/op", "lower", "share of them that failed, were throttled or were abandoned"},
	{"unsent/op", "lower", "share of the sessions that ended before the step"},
}

// SessionMetrics documents the units that an attack reports for whole sessions:
// session-p99-response-sec and so on.
func SessionMetrics() []MetricInfo { return prefixedMetrics("session-", sessionMetrics) }

// StepMetrics documents the units for one step of sessions, numbered from 1:
// step2-log_in-p99-response-sec and so on.
func StepMetrics(step int, name string) []MetricInfo {
	return prefixedMetrics(fmt.Sprintf("step%d-%s-", step, name), stepMetrics)
}

// PartMetrics documents those of the stage, the session or the step that a name begins with; none
// where it begins with none.
func PartMetrics(name string) []MetricInfo {
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
		name, _, _ := strings.Cut(rest, "-")
		return StepMetrics(number, name)
	}
	return nil
}

func prefixedMetrics(prefix string, of []MetricInfo) []MetricInfo {
	all := slices.Clone(of)
	for i := range all {
		all[i].Unit = prefix + all[i].Unit
	}
	return all
}

// StageMetrics documents the units that a run reports for one stage of its arrivals, numbered from
// 1: stage2-p99-response-sec and so on.
func StageMetrics(stage int) []MetricInfo {
	return prefixedMetrics(observed.OfStage(stage, ""), stageMetrics)
}
