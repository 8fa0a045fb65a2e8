package show

import (
	"github.com/poolbench/poolbench/bench/attack"
	"github.com/poolbench/poolbench/bench/result"
	"github.com/poolbench/poolbench/internal/text"
)

type AgentLine struct {
	Name        string   `json:"name"`
	Requests    int      `json:"requests"`   // settled requests
	Offset      float64  `json:"offset_sec"` // offset of its clock
	OffsetError float64  `json:"offset_error_sec"`
	Verdict     string   `json:"verdict"`
	Reasons     []string `json:"reasons,omitempty"`
	Lost        string   `json:"lost,omitempty"` // why it was lost
}

func agentLines(all []attack.Agent) (lines []AgentLine) {
	for _, g := range all {
		line := AgentLine{Name: g.Name, Offset: g.Offset.Seconds(),
			OffsetError: g.OffsetError.Seconds(), Verdict: g.Verdict().String(), Lost: g.Lost}
		reasons := g.Doubts
		if g.Share != nil {
			line.Requests = g.Share.Requests
			reasons = append(reasons, g.Share.Reasons...)
		}
		line.Reasons = text.Texts(reasons, result.Reason.String)
		lines = append(lines, line)
	}
	return lines
}
