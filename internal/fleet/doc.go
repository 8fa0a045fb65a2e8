// Package fleet distributes runs over processes and machines by NATS.
//
// A sweep (sweep.go) writes the run directory: it puts scenarios into a JetStream work queue and
// waits for their results. A worker (worker.go) takes a scenario, runs it, sends the result, and
// only then acknowledges. If a worker dies, its lease expires and another worker gets the scenario.
// Workers ask the sweep whether it still wants a scenario, and drop it if not. Duplicate results
// count once. Virtual-clock runs are functions of the scenario and its seed, and results are
// written in the order of the plan, so a run directory does not depend on the number of workers or
// their deaths.
//
// After a server restart (tend.go) the sweep queues lost scenarios again, and workers recreate the
// queue. A sweep without progress for minutes is given up. Real-clock runs all go to one host, so a
// comparison never mixes machines.
//
// A load (load.go) is an attack shared by agents (agent.go) over plain messages. It gathers enough
// agents (muster.go), measures their clock offsets (clocks.go), sends each the start of the plan by
// its own clock, and merges the returned shares (receive.go). Each agent computes the plan from the
// attack and its seed. Both sides send heartbeats: agents of a silent load stop, and a silent agent
// is lost.
//
// Only equal builds with equal parts work together (member.go). Others are refused, with the
// reason.
package fleet
