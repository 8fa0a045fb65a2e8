// Package files reads and writes files safely. It has reads with a size limit (bounded.go), atomic
// replacement of files (outfile.go), directories locked by one process (lock.go), and temporary
// directories that are removed even after a crash (scratch.go).
package files
