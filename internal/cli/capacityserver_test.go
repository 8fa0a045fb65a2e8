package cli

import (
	"testing"

	"github.com/poolbench/poolbench/internal/capacity"
	"github.com/poolbench/poolbench/internal/cli/show"
	"github.com/poolbench/poolbench/internal/objectives"
)

// A probe that was sent late has met no objective.
func TestTriedBy(t *testing.T) {
	for want, p := range map[show.SearchProbe]capacity.ServerProbe{
		{At: 9, Met: 1, Verdict: "met"}:          {Rate: 9, Verdict: objectives.Met},
		{At: 9, Missed: 1, Verdict: "missed"}:    {Rate: 9, Verdict: objectives.Missed},
		{At: 9, Untold: 1, Verdict: "undecided"}: {Rate: 9, Verdict: objectives.Met, Late: true},
	} {
		if got := probeLine(p); got != want {
			t.Errorf("%+v, want %+v", got, want)
		}
	}
}
