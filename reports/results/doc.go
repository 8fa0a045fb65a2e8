// Package results reads results of poolbench and of go test -bench, as a Run for each benchmark
// line. Files are the only interface between measuring and reporting. Input that would silently
// lose samples is an error, or a warning in the Results.
package results
