// Package files reads and writes files safely: reads with a bound on their size (bounded.go),
// writes that replace a file as a whole (outfile.go), directories that only one process uses at a
// time (lock.go), and temporary directories that are removed even after a crash (scratch.go).
package files
