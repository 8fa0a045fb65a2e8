// Package results reads benchmark results: those of a run of poolbench, the output of go test
// -bench, and a file that CI kept from last year are the same input. The files are the only
// interface between measuring and reporting.
//
// Read, ReadFile and ReadDir give Results: a Run for each benchmark line, its name taken apart into
// keys, its values in base units (sec, B). Input that would silently lose samples is an error, or a
// warning in the Results.
//
// Package compare sets results side by side, gate judges them, trend looks at a series of them, and
// page makes a report of one. Each of them builds on this package alone, except gate, which builds
// on compare and page.
package results
