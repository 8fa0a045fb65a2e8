package peers

import "github.com/poolbench/poolbench/strategies"

func OutcomeOf(r strategies.Result) string {
	return map[outcome]string{succeeded: "succeeded", dropped: "dropped",
		ignored: "ignored"}[outcomeOf(r)]
}
