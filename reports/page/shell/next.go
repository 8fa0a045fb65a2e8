package shell

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/poolbench/poolbench/internal/metric"
	"github.com/poolbench/poolbench/internal/text"
	"github.com/poolbench/poolbench/reports/results"
)

var flags = []string{"workload", "target", "arrival", "limit", "queue", "timeout", "drain",
	"deadline", "n", "clock"}

// Command returns a command that repeats this run, from the non-default parts of its name. ok is
// false if a part has no flag.
func Command(verb string, strategies []string, run *results.Run, more ...string) (string, bool) {
	if run.Base() != "Run" || len(strategies) == 0 {
		return "", false
	}
	words := []string{"poolbench", verb, "--strategy", Quote(strings.Join(strategies, ","))}
	for _, k := range run.Keys {
		switch {
		case slices.Contains([]string{"strategy", "load", "rate"}, k.Key):
		case k.Key == "target" && k.Value == "none", k.Key == "clock" && k.Value == "real":
		case slices.Contains(flags, k.Key):
			words = append(words, "--"+k.Key, Quote(results.Readable(k.Value)))
		default:
			return "", false
		}
	}
	return strings.Join(append(words, more...), " "), true
}

// Quote quotes a text for a shell.
func Quote(text string) string {
	if text != "" && strings.Trim(text,
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=:,./@%…") == "" {
		return text
	}
	return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
}

// NextOf returns a command for more repetitions if no difference is significant, otherwise a search
// for the highest load of the best.
func (s Sweep) NextOf(a Answer) string {
	c := s.contest(a.X, metric.P99Response)
	if len(c.in) == 0 {
		return ""
	}
	run := c.in[0].Cell[0]
	axis := "load"
	if run.Key("rate") != "" {
		axis = "rate"
	}
	if len(c.in) > 1 && !c.isSignificant(c.in[0], c.in[len(c.in)-1]) && len(c.growing) == 0 {
		cmd, _ := Command("run", s.strategies(), run, "--"+axis, Quote(run.Key(axis)), "--count 10")
		return cmd
	}
	if axis == "rate" {
		return ""
	}
	all := slices.Concat(c.in, c.growing)
	who := text.Texts(all[:min(4, len(all))], func(k rank) string { return k.Names[0] })
	bound := roundUp(1.5 * c.in[0].value)
	if s.Bound > 0 {
		bound = time.Duration(math.Round(s.Bound * 1e9)).String()
	}
	cmd, _ := Command("capacity", who, run, "--objective", Quote("p99-response<"+bound))
	return cmd
}

// roundUp rounds up to 1, 2, 5, 10 … of the time's unit.
func roundUp(sec float64) string {
	for _, u := range []struct {
		size float64
		name string
	}{{1e-9, "ns"}, {1e-6, "us"}, {1e-3, "ms"}, {1, "s"}} {
		for _, m := range []float64{1, 2, 5, 10, 20, 50, 100, 200, 500} {
			if m*u.size >= sec {
				return fmt.Sprintf("%.0f%s", m, u.name)
			}
		}
	}
	return "1h"
}
