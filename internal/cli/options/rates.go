package options

import (
	"fmt"
	"slices"

	"github.com/poolbench/poolbench/bench"
	"github.com/poolbench/poolbench/strategies"
)

// minOwnRate is the share of the target's rate below which a strategy's own rate limit causes a
// warning.
const minOwnRate = 0.8

func OwnRates(p Plan) (lines []string) {
	for _, section := range p {
		if section.Study != nil {
			continue
		}
		for _, sc := range section.Suite.Scenarios {
			if line := ownRate(sc); line != "" && !slices.Contains(lines, line) {
				lines = append(lines, line)
			}
		}
	}
	return lines
}

// ownRate returns "" if the strategy follows its target or has no rate.
func ownRate(sc bench.Scenario) string {
	s, target := sc.Strategy, sc.Target.Spec
	if s.Spec.Starts == nil || target.Rate == nil {
		return ""
	}
	allowed := target.Rate(sc.Target.Values)
	own := s.Spec.Starts(strategies.Params{Limit: sc.Limit, Queue: sc.Queue,
		Values: s.Values.Settle("target", allowed)}).PerSecond
	text := fmt.Sprintf("strategy %s starts up to %v tasks per second, and target %s serves %v: ",
		s, own, sc.Target, allowed)
	switch {
	case own > allowed:
		return text + "it refuses calls above its rate. rate=target uses the rate of the target"
	case own < minOwnRate*allowed:
		return text + fmt.Sprintf("%.0f %% of the target's rate are unused. rate=target uses "+
			"the rate of the target", 100*(1-own/allowed))
	}
	return ""
}
