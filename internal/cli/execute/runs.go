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

type Runs struct{ *terminal.Progress }

func NewLines(to io.Writer, quiet bool) *Runs { return &Runs{terminal.NewLines(to, quiet)} }

func NewRuns(to io.Writer, quiet bool, p options.Plan) *Runs {
	work := time.Duration(0)
	for _, section := range p {
		for _, sc := range section.Suite.Scenarios {
			work += sc.Estimate() * time.Duration(max(section.Suite.Count, 1))
		}
	}
	return &Runs{terminal.NewProgress(to, quiet, p.Runs(), work)}
}

func (s *Runs) Step(sc bench.Scenario) { s.Advance(1, sc.Estimate()) }

func (s *Runs) AddStored(p options.Plan, dir *directory.Dir) {
	for _, section := range p {
		for i := range section.Suite.Runs() {
			if sc := section.Suite.At(i); dir.Stored(sc) != nil {
				s.AddEarlier(sc.Estimate())
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

func (s *Runs) Plan() live.Plan {
	done, planned, left := s.Counts()
	return live.Plan{Done: done, Planned: planned, Left: left}
}
