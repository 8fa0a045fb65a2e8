package rundir

// Lost lists the outcomes of tasks that do not complete. A result has the share of each, such as
// shed/op.
var Lost = [...]string{"shed", "throttled", "failed", "abandoned"}
