package observed

// The checks that may doubt a run, in the order in which a reader wants to hear of them, after
// rundir.CheckLaw. Those that readers
// ask for by name, such as rundir.CheckDrift, are constants of rundir.
const (
	CheckPause      = "pause"      // the process stood still
	CheckSaturation = "saturation" // the generator never caught up, though nothing held it up
	CheckPlan       = "arrivals"   // the planned arrivals are not what they say they are
	// Poisson arrivals see something else than a random instant does
	CheckPASTA   = "PASTA"
	CheckLag     = "lag"          // the generator's own lateness
	CheckStalls  = "stalls"       // a thread that should run did not, here and there
	CheckMachine = "busy machine" // others wanted the processors
	// the target or the strategy stood still, and the machine did not
	CheckStandstill = "standstill"
	CheckSettling   = "slow settling" // the strategy kept results to itself
	CheckHeldUp     = "full queue"    // a strategy that sorts tasks did not get them
)
