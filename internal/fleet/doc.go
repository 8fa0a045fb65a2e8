// Package fleet spreads runs over processes and machines by NATS.
//
// A sweep (sweep.go) is the side of the command that writes the run directory: it puts scenarios
// into a work queue of JetStream, and waits for their results. A worker (worker.go) takes one, runs
// it, sends the result, and only then acknowledges: what a worker had that died comes to another
// one when its lease is over. Results go straight to the sweep, which is the only one who wants
// them: it says for each scenario whether it still does, and a scenario of a sweep that is gone is
// dropped. A result that comes twice counts once. As runs under the virtual clock are functions of
// the scenario and its seed, and as package bench writes results in the order of the plan, neither
// the number of the workers nor their deaths show in a run directory.
//
// A server that is restarted or replaced is waited for (tend.go): the sweep puts into the queue
// again what that has lost, and workers make the queue again. A sweep without progress for minutes
// is given up.
//
// Real-clock runs all go to one host: numbers of two machines are never in one comparison.
//
// A load (load.go) is an attack that several agents (agent.go) share, over plain messages: it calls
// until there are enough (muster.go), measures how far their clocks are off (clocks.go), tells each
// by its own clock when the plan begins, and makes one report of the returned shares (receive.go).
// Nothing of the plan is sent: it is a function of the attack and its seed. Both sides give signs
// of life; agents whose load is silent stop, and an agent that is silent is lost.
//
// Only programs that are built alike and know the same parts work together (member.go): the queue
// of one is not that of another. Who is refused is told why.
package fleet
