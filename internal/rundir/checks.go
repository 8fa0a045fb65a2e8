package rundir

// The checks of a run. The reason of a SUSPECT or INVALID result begins with the name of its check.
// A report lists reasons in the order of internal/validity.
const (
	CheckLaw        = "broken law" // the law has a line of its own
	CheckPause      = "pause"      // the process stood still
	CheckSaturation = "saturation" // the generator never caught up, though nothing held it up
	CheckPlan       = "arrivals"   // the planned arrivals differ from their distribution
	CheckPASTA      = "PASTA"      // Poisson arrivals see another state than random instants
	CheckLag        = "lag"        // the generator was late
	CheckStalls     = "stalls"     // a runnable thread did not run for a while
	CheckMachine    = "busy machine"
	CheckStandstill = "standstill"    // the target or the strategy stood still, not the machine
	CheckSettling   = "slow settling" // the strategy reported results late
	CheckHeldUp     = "full queue"    // tasks did not reach a strategy that sorts them
	CheckTheory     = "theory"        // the result differs significantly from the exact value
	CheckDrift      = "not stationary"
	CheckOverload   = "overload"  // more tasks were offered than the run could complete
	CheckLength     = "too short" // the interval is as wide as the result

	// CheckUnfinished marks a run that is not over, or was cut off. During the run later results
	// replace it, and finally the result of the run.
	CheckUnfinished = "unfinished"
)
