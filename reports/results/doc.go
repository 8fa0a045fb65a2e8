// Package results reads benchmark results: those of a poolbench run, the output of go test -bench,
// and old files of CI alike. Files are the only interface between measuring and reporting.
//
// Read, ReadFile and ReadDir return Results: a Run for each benchmark line, with its name split
// into keys and its values in base units (sec, B). Input that would silently lose samples is an
// error, or a warning in the Results.
//
// The packages compare, gate, trend, why and page build on it.
package results
