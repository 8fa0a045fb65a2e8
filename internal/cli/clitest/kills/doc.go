// Package kills tests commands, children and workers that are killed, interrupted or delayed.
package kills
