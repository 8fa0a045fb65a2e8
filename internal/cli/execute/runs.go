package execute

import (
	"io"
	"time"

	"github.com/poolbench/poolbench/bench"
	"github.com/poolbench/poolbench/internal/cli/live"
	"github.com/poolbench/poolbench/internal/cli/options"
	"github.com/poolbench/poolbench/internal/cli/terminal"
	"github.com/poolbench/poolbench/internal/directory"
)

// Runs shows the progress of a plan.
type Runs struct{ *terminal.Progress }

// NewLines returns a Runs that only prints the lines it is given, for work of unknown size.
func NewLines(to io.Writer, quiet bool) *Runs { return &Runs{terminal.NewLines(to, quiet)} }

// NewRuns shows the progress of the plan.
func NewRuns(to io.Writer, quiet bool, p options.Plan) *Runs {
	work := time.Duration(0)
	for _, section := range p {
		for _, sc := range section.Suite.Scenarios {
			work += sc.Estimate() * time.Duration(max(section.Suite.Count, 1))
		}
	}
	return &Runs{terminal.NewProgress(to, quiet, p.Runs(), work)}
}

// Step counts a run of the scenario as done.
func (s *Runs) Step(sc bench.Scenario) { s.Advance(1, sc.Estimate()) }

// Kept counts the runs of an earlier process as done.
func (s *Runs) Kept(p options.Plan, dir *directory.Dir) {
	for _, section := range p {
		for i := range section.Suite.Runs() {
			if sc := section.Suite.At(i); dir.Kept(sc) != nil {
				s.Keep(sc.Estimate())
			}
		}
	}
}

// More adds the runs of a suite that was not planned initially.
func (s *Runs) More(suite bench.Suite) {
	work := time.Duration(0)
	for _, sc := range suite.Scenarios {
		work += sc.Estimate() * time.Duration(max(suite.Count, 1))
	}
	s.Add(suite.Runs(), work)
}

// Seen returns the progress for the live view.
func (s *Runs) Seen() live.Plan {
	done, planned, left := s.Counts()
	return live.Plan{Done: done, Planned: planned, Left: left}
}
