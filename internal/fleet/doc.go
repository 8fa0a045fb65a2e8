// Package fleet distributes runs over processes and machines by NATS.
//
// A Sweep puts scenarios into a JetStream work queue. A Worker takes a scenario, runs it, sends the
// result, and only then acknowledges. If a worker dies, its lease expires and another worker gets
// the scenario. Duplicate results count once, and results are written in the order of the plan, so
// virtual-clock results do not depend on the workers. Real-clock runs all go to one host, so a
// comparison never mixes machines.
//
// A Load is an attack shared by Agents over plain messages. Each agent computes the plan from the
// attack and its seed, and gets the start by its own clock. Heartbeats go both ways: agents of a
// silent load stop, and a silent agent is lost.
//
// Only equal builds with equal parts work together.
package fleet
