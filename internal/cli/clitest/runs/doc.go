// Package runs tests runs and studies: the files they write, and their output and verdicts.
package runs
