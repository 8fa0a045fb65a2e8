// Package results reads benchmark results: of a poolbench run, of go test -bench, and from old
// files of CI. Files are the only interface between measuring and reporting.
//
// Read, ReadFile and ReadDir return Results: a Run for each benchmark line, with its name split
// into keys and its values in base units (sec, B). Input that would silently lose samples is an
// error, or a warning in the Results.
//
// The packages compare, gate, trend, why and page use it.
package results
