// Package files reads and writes files safely. It has reads with a size limit, atomic replacement
// of files, directories locked by one process, and temporary directories that are removed even
// after a crash.
package files
