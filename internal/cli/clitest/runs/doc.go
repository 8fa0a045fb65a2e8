// Package runs tests runs and studies: what is written, shown and judged.
package runs
