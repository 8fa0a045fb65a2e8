// Package execute carries out runs and attacks for the command, shows their progress, and writes
// their files.
//
// A Runner makes single runs, in this process or in child processes (runner.go, children.go). An
// Execution carries out a plan with a Runner or with workers of a fleet (crew.go, local.go), and
// writes the run directory (execution.go). Agents share an attack (agents.go). Runs, Loads and Gate
// show progress (runs.go, load.go, gate.go). A View shows it on the live page (view.go). Judged
// converts verdicts to exit codes (judge.go), and TestSuite converts them to JUnit test cases
// (cases.go).
package execute
