// Package options declares flags shared by several commands, and builds scenarios, attacks and
// plans from them.
//
// RunOptions (options.go) contains the flags of runs, AttackOptions (requests.go) those of attacks.
// Scenarios come from flags (axes.go) and files (scenariofile.go) as Words (words.go), which are
// the text and position of each value. MakePlan (plan.go) builds a plan. kinds.go and describe.go
// produce the output of `poolbench list`, checks.go the errors for wrong flags, and complete.go the
// shell completion.
package options
