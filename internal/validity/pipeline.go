package validity

import (
	"github.com/poolbench/poolbench/bench/result"
	"github.com/poolbench/poolbench/internal/observe"
	"github.com/poolbench/poolbench/internal/rundir"
	"github.com/poolbench/poolbench/internal/text"
)

// The load of a plan is relative to the stage that runs the tasks, so another stage may be
// overloaded.
func checkPipeline(o *observe.Run, r *result.Result) {
	s, stages := o.Plan, o.Stages()
	if stages == nil || s.Arrival.IsClosed() || s.Arrival.Spec.AllAtOnce ||
		s.Arrival.Stages() != nil {
		return
	}
	narrowest, least := 0, 0.0
	for i, stage := range stages {
		if c := stage.Capacity(o.Mean); !stage.Work() && (narrowest == 0 || c < least) {
			narrowest, least = i+1, c
		}
	}
	if rate := s.Rate(o.Mean); narrowest > 0 && rate > least {
		r.Doubt(result.Suspect, rundir.CheckOverload,
			"stage %d of %d, %v, can do %s tasks per second, but %s arrive, so its queue grows "+
				"until the run ends: give a rate below its capacity",
			narrowest, len(stages), stages[narrowest-1], text.Short(least), text.Short(rate))
	}
}
