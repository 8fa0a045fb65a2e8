// Package fleet spreads runs over processes and machines by NATS.
//
// A sweep (sweep.go) writes the run directory: it puts scenarios into a work queue of JetStream,
// and waits for their results. A worker (worker.go) takes a scenario, runs it, sends the result,
// and only then acknowledges, so the scenario of a worker that died goes to another one when its
// lease is over. Workers ask the sweep whether it still wants a scenario, and drop it if not. A
// result that comes twice counts once. Runs under the virtual clock are functions of the scenario
// and its seed, and results are written in the order of the plan, so neither the number of workers
// nor their deaths show in a run directory.
//
// A server that restarts is waited for (tend.go): the sweep queues again what the server lost, and
// workers create the queue again. A sweep without progress for minutes is given up. Real-clock runs
// all go to one host, so that a comparison never has numbers of two machines.
//
// A load (load.go) is an attack that several agents (agent.go) share, over plain messages. It calls
// until there are enough (muster.go), measures the offsets of their clocks (clocks.go), tells each
// by its own clock when the plan begins, and makes one report of the returned shares (receive.go).
// The plan is not sent: it is a function of the attack and its seed. Both sides send heartbeats:
// agents whose load is silent stop, and an agent that is silent is lost.
//
// Only equal builds with equal parts work together (member.go). Others are refused, with the
// reason.
package fleet
