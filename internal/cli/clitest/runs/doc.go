// Package runs tests runs and studies: the files they write, their output and their verdicts.
package runs
