package advise

import (
	"fmt"

	"github.com/poolbench/poolbench/bench"
	"github.com/poolbench/poolbench/bench/param"
	"github.com/poolbench/poolbench/strategies"
	"github.com/poolbench/poolbench/targets"
)

// composed returns compositions around a worker pool: one part keeps the target's rate, the other
// sheds the excess or retries refused calls.
func (q Question) composed(sc bench.Scenario) (all []behaviour) {
	if q.Strategies != nil || !sc.Target.Spec.RateLimits {
		return nil
	}
	for _, pace := range strategies.Parts() {
		if !hasKey(pace.Keys, "rate", param.Float) {
			continue
		}
		for _, paced := range paces(pace.Name, pace.Keys, sc.Target) {
			for _, other := range strategies.Parts() {
				if other.Changes == strategies.Routing || hasKey(other.Keys, "rate", param.Float) {
					continue
				}
				for _, text := range []string{other.Name + "+" + paced, paced + "+" + other.Name} {
					v, err := strategies.Parse(text + "+worker_pool")
					if err == nil && q.unfit(v, sc) == "" { // otherwise the parts do not fit together
						all = append(all, behaviourOf(v, sc.Target))
					}
				}
			}
		}
	}
	return all
}

func paces(name string, keys []param.Key, target targets.Variant) (texts []string) {
	rate, burst := targetRate(target)
	if rate == 0 {
		return nil
	}
	for _, margin := range margins {
		text := fmt.Sprintf("%s:rate=%v", name, rate*margin)
		if hasKey(keys, "burst", param.Int) {
			text += fmt.Sprintf(",burst=%d", burst)
		}
		texts = append(texts, text)
	}
	return texts
}
