// Package validity checks the numbers of a run: against exact theory, a replay, conservation laws
// and the machine that it ran on. It computes intervals, and decides whether a run is VALID,
// SUSPECT or INVALID.
package validity
