package peers

import "github.com/poolbench/poolbench/strategies"

// OutcomeOf returns the name of outcomeOf's result.
func OutcomeOf(r strategies.Result) string {
	return map[outcome]string{succeeded: "succeeded", dropped: "dropped",
		ignored: "ignored"}[outcomeOf(r)]
}
