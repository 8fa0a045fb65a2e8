// Package files reads and writes files: reads that are bounded, files that are replaced whole,
// directories that one process locks, and temporary directories that are removed.
package files
