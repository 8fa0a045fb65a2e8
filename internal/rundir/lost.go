package rundir

// Lost lists the outcomes of incomplete tasks. A result has the share of each, such as shed/op.
var Lost = [...]string{"shed", "throttled", "failed", "abandoned", "gave-up"}
