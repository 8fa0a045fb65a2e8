package shell

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/poolbench/poolbench/internal/text"
	"github.com/poolbench/poolbench/reports/results"
)

// Losses improve times, since only completed tasks have times. So a sentence that names the best
// also names its losses, and the best without losses.

func lossesOf(c results.Cell) string {
	if loss := c.LossWords(); loss != "" {
		return " (" + loss + ")"
	}
	return ""
}

func (k rank) withLosses() string { return k.Class.String() + lossesOf(k.Cell) }

func (c contest) bestWithoutLoss(worstNamed bool) string {
	best := c.in[0]
	if best.Lost() == 0 {
		return ""
	}
	least := best
	for i, k := range c.in {
		switch lost := k.Lost(); {
		case lost == 0 && worstNamed && i == len(c.in)-1:
			return ""
		case lost == 0:
			return fmt.Sprintf("; with no task lost it is %s with %s", c.formatValue(k), k.Class)
		case lost < least.Lost():
			least = k
		}
	}
	switch all, but := c.allLose(); {
	case len(c.in) == 1:
		return ""
	case but:
		return "; " + all
	case least.Names[0] == best.Names[0]:
		return "; all lose tasks, and none fewer"
	}
	return fmt.Sprintf("; all lose tasks, the fewest %s", least.withLosses())
}

func (c contest) allLose() (s string, but bool) {
	lossless := func(of []rank) (out []rank) {
		for _, k := range of {
			if k.Lost() == 0 {
				out = append(out, k)
			}
		}
		return out
	}
	doubted, growing := lossless(c.doubted), lossless(c.growing)
	switch {
	case len(doubted) > 0:
		return fmt.Sprintf("all but %s (%v) lose tasks", text.Abbreviate(names(doubted)),
			doubted[0].Doubts().Verdict), true
	case len(growing) > 0:
		return "all that keep up lose tasks", true
	}
	return "all lose tasks", false
}

func (c contest) worst() string {
	worst := c.in[len(c.in)-1]
	if c.in[0].Lost() > 0 && worst.Lost() == 0 {
		return worst.Class.String() + " (no task lost)"
	}
	return worst.withLosses()
}

func (c contest) lossSummary() string {
	lose := slices.DeleteFunc(slices.Clone(c.in), func(k rank) bool { return k.Lost() == 0 })
	if len(lose) == 0 {
		return ""
	}
	most := slices.MaxFunc(lose, func(a, b rank) int { return cmp.Compare(a.Lost(), b.Lost()) })
	n, all := len(names(lose)), len(names(c.in))
	switch text, but := c.allLose(); {
	case n == all && but:
		return fmt.Sprintf("; %s, the most %s", text, most.withLosses())
	case n == all:
		return "; all lose tasks, the most " + most.withLosses()
	case n == 1:
		return "; 1 loses tasks: " + most.withLosses()
	}
	return fmt.Sprintf("; %d lose tasks, the most %s", n, most.withLosses())
}
