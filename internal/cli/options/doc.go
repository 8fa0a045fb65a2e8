// Package options declares flags shared by several commands, and builds scenarios, attacks and
// plans from them. Scenarios come from flags (axes.go) and files (scenariofile.go) as Words, which
// are the text and position of each value. MakePlan builds a plan.
package options
