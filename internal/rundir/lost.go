package rundir

// A result has the share of each outcome in Lost, such as shed/op.
var Lost = [...]string{"shed", "throttled", "failed", "abandoned", "gave-up"}
