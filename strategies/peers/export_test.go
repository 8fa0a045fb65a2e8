package peers

import "github.com/poolbench/poolbench/strategies"

// FateOf is fateOf in a word.
func FateOf(r strategies.Result) string {
	return map[fate]string{succeeded: "succeeded", dropped: "dropped",
		ignored: "ignored"}[fateOf(r)]
}
