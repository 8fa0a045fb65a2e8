package rundir

// Lost is what may become of a task that does not complete. A result has the share of each, as
// shed/op.
var Lost = [...]string{"shed", "throttled", "failed", "abandoned", "gave-up"}
