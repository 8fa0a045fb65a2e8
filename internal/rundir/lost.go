package rundir

var Lost = [...]string{"shed", "throttled", "failed", "abandoned", "gave-up"}
