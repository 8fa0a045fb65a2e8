package options

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/poolbench/poolbench/bench"
	"github.com/poolbench/poolbench/bench/arrivals"
	"github.com/poolbench/poolbench/bench/attack"
	"github.com/poolbench/poolbench/internal/cli/flags"
	"github.com/poolbench/poolbench/internal/objectives"
	"github.com/poolbench/poolbench/strategies"
)

const QueueDoc = "length of the queue; 0: none (default: never full, or 8 × limit if the " +
	"strategy sheds; for a part before another, use queue=N)"

// ParseQueue returns bench.NoQueue for 0, because 0 means the default.
func ParseQueue(text string) (int, error) {
	n, err := flags.WholeNumber(0, strategies.MaxSlots, text)
	if n == 0 {
		n = bench.NoQueue
	}
	return n, err
}

func ParseRates(text string) (rates []float64, err error) {
	for part := range strings.SplitSeq(text, ",") {
		rate, err := ParseRate(part)
		if err != nil {
			return nil, err
		}
		if slices.Contains(rates, rate) {
			return nil, fmt.Errorf("%v is given twice", rate)
		}
		rates = append(rates, rate)
	}
	return rates, nil
}

// 0 is an error, because it means the default elsewhere.
func ParseRate(text string) (float64, error) {
	x, err := strconv.ParseFloat(text, 64)
	if err != nil || !(x >= arrivals.MinRate) || x > 1e6 {
		return 0, fmt.Errorf("want a number from %v to 1e6, got %q", arrivals.MinRate, text)
	}
	return x, nil
}

func ParseMaxInFlight(text string) (int, error) {
	if text == "unlimited" {
		return attack.Unlimited, nil
	}
	n, err := flags.WholeNumber(1, arrivals.MaxTasks, text)
	if err != nil {
		return 0, fmt.Errorf("%w, or unlimited", err)
	}
	return n, nil
}

func Objective(cmd *cobra.Command, to *objectives.List, doc string) {
	objective(cmd, to, doc, func(text string) (objectives.List, error) {
		all, err := to.Add(text)
		if err == nil && all.OfURLs() {
			err = fmt.Errorf("%s: only attack and capacity URL have results by URL", text)
		}
		return all, err
	})
}

func ObjectiveByURL(cmd *cobra.Command, to *objectives.List, doc string) {
	objective(cmd, to, doc, func(text string) (objectives.List, error) { return to.Add(text) })
}

func objective(
	cmd *cobra.Command, to *objectives.List, doc string,
	add func(text string) (objectives.List, error),
) {
	cmd.Flags().Var(flags.Parsed(to, "METRIC<VALUE", add), "objective", doc)
	flags.Complete(cmd, "objective", objectives.Names)
}
