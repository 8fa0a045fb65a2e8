// Package options has the flags that several commands share, and makes scenarios, attacks and plans
// of them.
//
// RunOptions (options.go) has the flags of runs, AttackOptions (requests.go) those of attacks.
// Scenarios come from flags (axes.go) and from files (scenariofile.go), both as Words (words.go):
// the text of each value and where it was written. MakePlan (plan.go) makes a plan of them.
// kinds.go and describe.go write what `poolbench list` shows, checks.go the errors for wrong flags,
// and complete.go the shell completion.
package options
