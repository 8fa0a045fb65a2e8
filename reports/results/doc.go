// Package results reads benchmark results: those of a run of poolbench, the output of go test
// -bench, and a file that CI kept from last year are the same input. The files are the only joint
// between what measures and what judges or shows.
//
// Read, ReadFile and ReadDir give Results: a Run for each benchmark line, its name taken apart into
// keys, its values in base units (sec, B). What would quietly lose samples elsewhere is an error
// here, or a warning that travels with the Results.
//
// Package compare sets results side by side, gate judges them, trend looks at a series of them, and
// page makes a report of one. Each of them reads this package alone, but for gate, which builds on
// compare and page.
//
// # Size
//
// The functions that two or more of these packages need are here, so that the exported names are
// more than twenty.
package results
