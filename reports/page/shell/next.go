package shell

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/poolbench/poolbench/internal/metric"
	"github.com/poolbench/poolbench/internal/text"
	"github.com/poolbench/poolbench/reports/results"
)

var flags = []string{"workload", "target", "arrival", "limit", "queue", "load", "rate", "timeout",
	"drain", "deadline", "n", "clock"}

// axes are the flags whose values may vary in a sweep.
var axes = []string{"limit", "load", "rate"}

const maxListed = 4 // values of a flag

// Command returns a command that repeats the runs, from the non-default parts of their names. ok is
// false if a part has no flag.
func (s Sweep) Command(
	verb string, strategies []string, runs []*results.Run, more ...string,
) (cmd string, ok bool) {
	if len(runs) == 0 || runs[0].Base() != "Run" || len(strategies) == 0 {
		return "", false
	}
	words := []string{cmp.Or(s.Program, "poolbench"), verb, "--strategy", listed(strategies)}
	for _, k := range runs[0].Keys {
		switch {
		case k.Key == "strategy":
		case k.Key == "target" && k.Value == "none", k.Key == "clock" && k.Value == "real":
		case slices.Contains(flags, k.Key):
			var values []string
			for _, r := range runs {
				if v := results.Readable(r.Key(k.Key)); v != "" {
					values = append(values, v)
				}
			}
			if !slices.Contains(axes, k.Key) {
				values = values[:1]
			}
			words = append(words, "--"+k.Key, listed(text.Distinct(values)))
		default:
			return "", false
		}
	}
	return strings.Join(append(words, more...), " "), true
}

// listed replaces the middle of a long list, so its command cannot be pasted.
func listed(values []string) string {
	if n := len(values); n > maxListed {
		values = []string{values[0], values[1], "…", values[n-1]}
	}
	return Quote(strings.Join(values, ","))
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
	if len(c.in) > 1 && !c.isSignificant(c.in[0], c.in[len(c.in)-1]) && len(c.growing) == 0 {
		cmd, _ := s.Command("run", s.strategies(), []*results.Run{run}, "--count 10")
		return cmd
	}
	if run.Key("rate") != "" {
		return ""
	}
	run = without(run, "load") // the search is for the load
	all := slices.Concat(c.in, c.growing)
	who := text.Texts(all[:min(4, len(all))], func(k rank) string { return k.Names[0] })
	bound := roundUp(1.5 * c.in[0].value)
	if s.Bound > 0 {
		bound = time.Duration(math.Round(s.Bound * 1e9)).String()
	}
	cmd, _ := s.Command("capacity", who, []*results.Run{run}, "--objective", Quote("p99-response<"+bound))
	return cmd
}

func without(run *results.Run, key string) *results.Run {
	r := *run
	r.Keys = results.Without(run.Keys, key)
	return &r
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
