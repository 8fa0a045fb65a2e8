// Package options declares flags shared by several commands and builds scenarios, attacks and plans
// from them.
//
// RunOptions (options.go) has the flags of runs, AttackOptions (requests.go) the flags of attacks.
// Scenarios come from flags (axes.go) and files (scenariofile.go) as Words (words.go): the text and
// position of each value. MakePlan (plan.go) builds a plan. kinds.go and describe.go write the
// output of `poolbench list`, checks.go the errors for wrong flags, and complete.go the shell
// completion.
package options
