// Package execute carries out runs and attacks for the command, shows their progress, and writes
// their files. A Runner makes single runs, in this process or in child processes. An Execution
// carries out a plan with a Runner or with workers of a fleet, and writes the run directory.
package execute
