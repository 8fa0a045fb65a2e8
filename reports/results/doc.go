// Package results reads benchmark results of poolbench and of go test -bench. Files are the only
// interface between measuring and reporting.
//
// Read, ReadFile and ReadDir return Results. They contain a Run for each benchmark line, with its
// name split into keys and its values in base units (sec, B). Input that would silently lose
// samples is an error, or a warning in the Results.
package results
