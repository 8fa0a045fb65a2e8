// Package kills tests what becomes of a command that is killed, interrupted or held up, and of its
// children and workers.
package kills
