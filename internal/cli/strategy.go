package cli

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/poolbench/poolbench/bench/param"
	"github.com/poolbench/poolbench/strategies"
)

// strategyColumns are the heads of the table of strategies, that of `poolbench list strategies` and
// that of the README.
var strategyColumns = []string{"strategy", "bounds", "when full", "order", "on a panic", "source"}

// strategyRow is a strategy's line in that table.
func strategyRow(s strategies.Spec) []string {
	full := "blocks"
	switch {
	case s.Sheds:
		full = "sheds"
	case s.Capacity == nil:
		full = "never full"
	}
	order := "–"
	if s.FIFO {
		order = "FIFO"
	}
	return []string{s.Name, bounds(s), full, order, s.OnPanic, s.Source}
}

// bounds says in a word how many tasks s lets be in flight.
func bounds(s strategies.Spec) string {
	if s.Bound == nil {
		return "nothing"
	}
	v, err := strategies.Resolve(param.Call{Name: s.Name})
	if err != nil {
		return "limit" // a parameter of its own must be given first
	}
	at := func(limit int) int { return s.Bound(strategies.Params{Limit: limit, Values: v.Values}) }
	switch four, eight := at(4), at(8); {
	case four == 4 && eight == 8:
		return "limit"
	case four == eight:
		return strconv.Itoa(four)
	default:
		return fmt.Sprintf("%d at limit 4", four)
	}
}

func describeStrategy(s strategies.Spec) entry {
	full := map[string]string{
		"blocks":     "Submit blocks until there is room",
		"sheds":      "Submit refuses at once (shed)",
		"never full": "never full: accepts every task",
	}
	row := strategyRow(s)
	return entry{s.Name, s.Summary, facts(
		fact{"use it if", s.UseIf},
		fact{"bounds in flight", row[1]},
		fact{"when full", full[row[2]]},
		fact{"promises", strings.Join(promises(s), ", ")},
		fact{"on a panic", s.OnPanic},
		fact{"source", s.Source},
	), describeKeys(s.Keys)}
}

// promises are the declared facts that hold, in words.
func promises(s strategies.Spec) (words []string) {
	for _, p := range []struct {
		word  string
		holds bool
	}{
		{"first in, first out", s.FIFO},
		{"work-conserving", s.WorkConserving},
		{"tries again", s.Retries},
		{"takes --queue", s.UsesQueue},
		{"asks for the size of tasks", s.UsesSize},
		{"keeps classes of tasks apart", s.ClassPools != nil},
		{"serves tasks in steps", s.Quantum != nil},
		{"splits tasks", s.Splits},
	} {
		if p.holds {
			words = append(words, p.word)
		}
	}
	return words
}
