package rundir

// The reason of a verdict begins with the name of its check. A report lists reasons in the order of
// internal/validity.
const (
	CheckLaw        = "broken law" // the line of the law follows in the result
	CheckPause      = "pause"      // the process stood still
	CheckSaturation = "saturation" // the generator never caught up, although nothing delayed it
	CheckPlan       = "arrivals"   // the planned arrivals differ from their distribution
	CheckPASTA      = "PASTA"      // Poisson arrivals observe another state than random instants
	CheckLag        = "lag"        // the generator was late
	CheckStalls     = "stalls"     // a runnable thread did not run for some time
	CheckMachine    = "busy machine"
	CheckStandstill = "standstill"    // the target or the strategy stood still, but not the machine
	CheckSettling   = "slow settling" // the strategy reported results late
	CheckHeldUp     = "full queue"    // tasks did not reach a strategy that sorts its queue
	CheckTheory     = "theory"        // the result differs significantly from the exact value
	CheckDrift      = "not stationary"
	CheckOverload   = "overload"  // more tasks were offered than the run could complete
	CheckLength     = "too short" // the interval is as wide as the result

	// Later results of the same run replace an interim one.
	CheckUnfinished = "unfinished"
)
