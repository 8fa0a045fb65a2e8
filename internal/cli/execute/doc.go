// Package execute carries out runs and attacks for the command, shows their progress, and writes
// their files.
//
// A Runner makes single runs, in this process or in child processes (runner.go, children.go). An
// Execution carries out a plan on it, or on workers of a fleet (crew.go, local.go), and writes the
// run directory (execution.go). Agents share an attack (agents.go). Runs, Loads and Gate show
// progress (runs.go, load.go, gate.go), a View shows it on the live page (view.go). Judged turns
// verdicts into exit codes (judge.go), and TestSuite makes JUnit test cases of them (cases.go).
package execute
