package rundir

// The checks of a run. The reason of a result that is SUSPECT or INVALID begins with the name of
// its check. A report lists reasons in the order that internal/validity gives them.
const (
	CheckLaw        = "broken law" // the law is in a line of its own
	CheckPause      = "pause"      // the process stood still
	CheckSaturation = "saturation" // the generator never caught up, though nothing held it up
	CheckPlan       = "arrivals"   // the planned arrivals are not what they say they are
	CheckPASTA      = "PASTA"      // Poisson arrivals see a state that no random instant sees
	CheckLag        = "lag"        // the generator was late
	CheckStalls     = "stalls"     // a runnable thread did not run for a while
	CheckMachine    = "busy machine"
	CheckStandstill = "standstill"    // the target or the strategy stood still, not the machine
	CheckSettling   = "slow settling" // the strategy reported results late
	CheckHeldUp     = "full queue"    // tasks did not reach a strategy that sorts them
	CheckTheory     = "theory"        // the result differs from the exact value by more than chance
	CheckDrift      = "not stationary"
	CheckOverload   = "overload"  // more tasks were offered than the run could complete
	CheckLength     = "too short" // the interval is as wide as the result

	// CheckUnfinished marks a run that is not over, or was cut off. While the run goes on such a
	// result is replaced by later ones, and last by the result of the run.
	CheckUnfinished = "unfinished"
)
