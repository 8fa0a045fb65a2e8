package metric

// Metric names: the units of results.txt, described by observe.Metrics.
const (
	// Throughput and load.
	NsPerOp    = "ns/op"
	Throughput = "ops/s"
	Goodput    = "goodput-ops/s"
	Offered    = "offered-ops/s"

	// Times of completed tasks. Due names cover all due requests.
	MeanResponse   = "mean-response-sec"
	P50Response    = "p50-response-sec"
	P90Response    = "p90-response-sec"
	P95Response    = "p95-response-sec"
	P99Response    = "p99-response-sec"
	P999Response   = "p99.9-response-sec"
	MaxResponse    = "max-response-sec"
	DueP50Response = "due-p50-response-sec"
	DueP95Response = "due-p95-response-sec"
	DueP99Response = "due-p99-response-sec"
	MeanWait       = "mean-wait-sec"
	P50Wait        = "p50-wait-sec"
	P99Wait        = "p99-wait-sec"
	MaxWait        = "max-wait-sec"
	MeanService    = "mean-service-sec"
	P50Service     = "p50-service-sec"
	P95Service     = "p95-service-sec"
	P99Service     = "p99-service-sec"
	MaxService     = "max-service-sec"

	// Services over all due requests, and the accuracy of quantiles.
	DueP50Service = "due-p50-service-sec"
	DueP95Service = "due-p95-service-sec"
	DueP99Service = "due-p99-service-sec"
	QuantileError = "quantile-error"

	// Classes of tasks.
	ShortMeanResponse = "short-mean-response-sec"
	ShortP99Response  = "short-p99-response-sec"
	LongMeanResponse  = "long-mean-response-sec"
	LongP99Response   = "long-p99-response-sec"
	CPUMeanResponse   = "cpu-mean-response-sec"
	CPUP99Response    = "cpu-p99-response-sec"
	IOMeanResponse    = "io-mean-response-sec"
	IOP99Response     = "io-p99-response-sec"
	MeanSlowdown      = "mean-slowdown"

	// Priorities and tenants.
	Priorities         = "priorities"
	Tenants            = "tenants"
	Fairness           = "fairness"
	NoisyShare         = "noisy-share"
	OthersMeanResponse = "others-mean-response-sec"
	OthersP99Response  = "others-p99-response-sec"
	OthersThroughput   = "others-ops/s"
	OthersShare        = "others-share"

	// Weights of tasks.
	PeakWeight    = "peak-weight"
	LightMeanWait = "light-mean-wait-sec"
	LightP99Wait  = "light-p99-wait-sec"
	HeavyMeanWait = "heavy-mean-wait-sec"
	HeavyP99Wait  = "heavy-p99-wait-sec"

	// Deadlines and lateness of the generator.
	Missed      = "missed/op"
	MaxLateness = "max-lateness-sec"
	P99Lag      = "p99-lag-sec"
	MaxLag      = "max-lag-sec"

	// Shares of tasks, and attempts per task.
	Waited    = "waited/op"
	Shed      = "shed/op"
	Throttled = "throttled/op"
	Failed    = "failed/op"
	Abandoned = "abandoned/op"
	GaveUp    = "gave-up/op"
	Attempts  = "attempts/op"

	// Attempts that continued after their timeout.
	Overruns    = "overruns"
	MeanOverrun = "mean-overrun-sec"
	MaxOverrun  = "max-overrun-sec"

	// Callers that give up.
	GaveUpStarted = "gave-up-started/op"
	WastedService = "wasted-service/op"

	// Traffic and connections of an attack.
	Resent        = "resent/op"
	SentBytes     = "sent-B/op"
	ReceivedBytes = "received-B/op"
	Connections   = "connections/op"
	PeakStreams   = "peak-streams"
	StreamLimit   = "server-streams"
	GoAways       = "goaways/op"
	Resets        = "resets/op"

	// Slots and the variability of the work.
	Utilisation        = "utilisation"
	OfferedUtilisation = "offered-utilisation"
	ServiceC2          = "service-c2"
	WorkloadC2         = "workload-c2"
	PeakInFlight       = "peak-inflight"
	MeanLimit          = "mean-limit"
	Makespan           = "makespan-sec"

	// Parts of the response: means, and means and shares in the slowest 1 %.
	Blocked           = "blocked/op"
	MeanLag           = "mean-lag-sec"
	MeanBlocked       = "mean-blocked-sec"
	MeanQueued        = "mean-queued-sec"
	MeanBetween       = "mean-between-sec"
	MeanTarget        = "mean-target-sec"
	TailBlockedShare  = "tail-blocked/op"
	TailQueuedShare   = "tail-queued/op"
	TailBetweenShare  = "tail-between/op"
	TailService       = "tail-service-sec"
	TailServiceShare  = "tail-service/op"
	TailTarget        = "tail-target-sec"
	Allowed           = "allowed-ops/s"
	TailTurnShare     = "tail-turn/op"
	TailEvenTurnShare = "tail-even-turn/op"

	// Predicted responses without one of their causes, by the path-wise oracle.
	NextSlotMeanResponse = "next-slot-mean-response-sec"
	NextSlotP99Response  = "next-slot-p99-response-sec"
	EvenMeanResponse     = "even-mean-response-sec"
	EvenP99Response      = "even-p99-response-sec"
	NoTargetMeanResponse = "no-target-mean-response-sec"
	NoTargetP99Response  = "no-target-p99-response-sec"

	// Broken invariants and the path-wise oracle.
	BrokenLaws     = "broken-laws"
	OracleMeanWait = "oracle-mean-wait-sec"
	OracleMaxDiff  = "oracle-max-diff-sec"

	// Exact values by queueing theory.
	TheoryMeanWait          = "theory-mean-wait-sec"
	TheoryWaited            = "theory-waited/op"
	TheoryP50Response       = "theory-p50-response-sec"
	TheoryP90Response       = "theory-p90-response-sec"
	TheoryP99Response       = "theory-p99-response-sec"
	TheoryP999Response      = "theory-p99.9-response-sec"
	TheoryShortMeanResponse = "theory-short-mean-response-sec"
	TheoryShortP99Response  = "theory-short-p99-response-sec"
	TheoryLongMeanResponse  = "theory-long-mean-response-sec"
	TheoryLongP99Response   = "theory-long-p99-response-sec"
	TheoryShed              = "theory-shed/op"
	TheoryGaveUp            = "theory-gave-up/op"
	TheoryGaveUpStarted     = "theory-gave-up-started/op"
	TheoryThroughput        = "theory-ops/s"
	TheoryMakespan          = "theory-makespan-sec"

	// Counters of targets and strategies.
	AdmittedCalls  = "admitted-calls"
	RefusedCalls   = "refused-calls"
	AbandonedCalls = "abandoned-calls"
	DelayedCalls   = "delayed-calls"
	FailedCalls    = "failed-calls"
	Bans           = "bans"
	BannedCalls    = "banned-calls"
	CircuitOpened  = "circuit-opened"
	Hedges         = "hedges"
	HedgeWins      = "hedge-wins"

	// The Go runtime.
	P50Sched               = "p50-sched-sec"
	P95Sched               = "p95-sched-sec"
	P99Sched               = "p99-sched-sec"
	SchedPerOp             = "sched-sec/op"
	MeanRunnableGoroutines = "mean-runnable-goroutines"
	MaxRunnableGoroutines  = "max-runnable-goroutines"
	MeanWaitingGoroutines  = "mean-waiting-goroutines"
	MaxWaitingGoroutines   = "max-waiting-goroutines"
	MutexWaitPerOp         = "mutex-wait-sec/op"
	GCCycles               = "gc-cycles"
	GCCPU                  = "gc-cpu"
	GCAssistPerOp          = "gc-assist-sec/op"
	GCPause                = "gc-pause-sec"
	MaxGCPause             = "max-gc-pause-sec"
	MaxHeap                = "max-heap-B"
	HeapPerInflight        = "heap-B/inflight"
	RunqueuePerOp          = "runqueue-sec/op"
	VoluntarySwitches      = "voluntary-switches/op"
	InvoluntarySwitches    = "involuntary-switches/op"
	PageFaults             = "page-faults/op"
	MajorFaults            = "major-faults/op"

	// Memory, processors and stalls of the machine.
	BytesPerOp   = "B/op"
	AllocsPerOp  = "allocs/op"
	CPUPerOp     = "cpu-sec/op"
	WrittenBytes = "written-B/op"
	CPUSteal     = "cpu-steal"
	CPUOthers    = "cpu-others"
	CPUPressure  = "cpu-pressure"
	CPUWait      = "cpu-wait"
	P99Hiccup    = "p99-hiccup-sec"
	MaxHiccup    = "max-hiccup-sec"

	// Arrivals.
	ArrivalsAD = "arrivals-ad"
	IssuedAD   = "issued-ad"
	SeenFull   = "seen-full/op"
	FullShare  = "full-share"

	// 95 % confidence intervals and effective sample sizes.
	MeanWaitLow      = "mean-wait-low-sec"
	MeanWaitHigh     = "mean-wait-high-sec"
	MeanWaitESS      = "mean-wait-ess"
	MeanResponseLow  = "mean-response-low-sec"
	MeanResponseHigh = "mean-response-high-sec"
	P50ResponseLow   = "p50-response-low-sec"
	P50ResponseHigh  = "p50-response-high-sec"
	P90ResponseLow   = "p90-response-low-sec"
	P90ResponseHigh  = "p90-response-high-sec"
	P99ResponseLow   = "p99-response-low-sec"
	P99ResponseHigh  = "p99-response-high-sec"
	P99ResponseESS   = "p99-response-ess"
	NeededTasks      = "needed-tasks"

	// The verdict on the run, and the capacity search.
	Verdict             = "verdict"
	CapacityMetLoad     = "capacity-met-load"
	CapacityMissedLoad  = "capacity-missed-load"
	CapacityMetRate     = "capacity-met-rate"
	CapacityMissedRate  = "capacity-missed-rate"
	CapacityMetLimit    = "capacity-met-limit"
	CapacityMissedLimit = "capacity-missed-limit"
	CapacityMetQueue    = "capacity-met-queue"
	CapacityMissedQueue = "capacity-missed-queue"
	CapacityProbes      = "capacity-probes"

	// Calibration of a machine.
	P50Late             = "p50-late-sec"
	P99Late             = "p99-late-sec"
	MaxLate             = "max-late-sec"
	RelativeDeviation   = "relative-deviation"
	LargestOverSmallest = "largest/smallest"
	SmallestWait        = "smallest-wait-sec"
	SmallestComputation = "smallest-computation-sec"

	// Sessions, steps and stages. The prefix of the part precedes these names.
	MeanLength   = "mean-length-sec"
	P50Length    = "p50-length-sec"
	P95Length    = "p95-length-sec"
	P99Length    = "p99-length-sec"
	Unsent       = "unsent/op"
	BacklogTasks = "backlog-tasks"
	Recovered    = "recovered"
	Recovery     = "recovery-sec"
)
