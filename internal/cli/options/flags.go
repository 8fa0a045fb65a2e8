package options

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/poolbench/poolbench/bench"
	"github.com/poolbench/poolbench/bench/arrivals"
	"github.com/poolbench/poolbench/bench/attack"
	"github.com/poolbench/poolbench/bench/param"
	"github.com/poolbench/poolbench/internal/objectives"
	"github.com/poolbench/poolbench/internal/text"
	"github.com/poolbench/poolbench/strategies"
)

// A Value is the pflag.Value of a flag that is more than one of pflag's own types.
type Value struct {
	Kind string // what its argument is called in the help
	Take func(text string) error
	Show func() string // the default in the help; nil: it is in the words of the flag
}

var _ pflag.Value = Value{}

// Set implements pflag.Value.
func (f Value) Set(text string) error { return f.Take(text) }

// Type implements pflag.Value.
func (f Value) Type() string { return f.Kind }

// String implements pflag.Value.
func (f Value) String() string {
	if f.Show == nil {
		return ""
	}
	return f.Show()
}

// Parsed is a flag that keeps what parse makes of its text.
func Parsed[T any](to *T, kind string, parse func(text string) (T, error)) Value {
	return Value{Kind: kind, Take: func(text string) error {
		v, err := parse(text)
		if err == nil {
			*to = v
		}
		return err
	}}
}

// AtLeastOne is the flag of a number.
func AtLeastOne(to *int, most int) Value { return Parsed(to, "N", UpTo(most)) }

// QueueDoc explains --queue.
const QueueDoc = "slots of the queue; 0: none (default: never full, or 8 × limit where the " +
	"strategy sheds; a part before another takes queue=N)"

// ParseQueue reads the slots of a queue. A zero that is given is bench.NoQueue: what is not given
// is the default.
func ParseQueue(text string) (int, error) {
	n, err := Whole(0, strategies.MaxSlots, text)
	if n == 0 {
		n = bench.NoQueue
	}
	return n, err
}

// ParseRates reads several, each once.
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

// ParseRate reads a rate above 0, which would stand for the default.
func ParseRate(text string) (float64, error) {
	x, err := strconv.ParseFloat(text, 64)
	if err != nil || !(x >= arrivals.LeastRate) || x > 1e6 {
		return 0, fmt.Errorf("want a number from %v to 1e6, got %q", arrivals.LeastRate, text)
	}
	return x, nil
}

// ParseWorkers reads their number.
func ParseWorkers(text string) (int, error) {
	if text == "unlimited" {
		return attack.Unlimited, nil
	}
	n, err := Whole(1, arrivals.MaxTasks, text)
	if err != nil {
		return 0, fmt.Errorf("%w, or unlimited", err)
	}
	return n, nil
}

// leastShare is the least share but 0 that means anything, of a risk or of a change.
const leastShare = 1e-9

// Share is that of a share: 2% or 0.02. A zero stands for the default elsewhere, and must not
// pass unless it is allowed.
func Share(to *float64, zero bool) Value {
	return Parsed(to, "SHARE", func(text string) (float64, error) {
		v, err := param.Percent(text)
		if err == nil && (v == 0 && !zero || v != 0 && v < leastShare) {
			err = fmt.Errorf("want a share from %v, got %q", leastShare, text)
		}
		return v, err
	})
}

// Choice declares a flag whose default is the first of the known words.
func Choice(cmd *cobra.Command, value *string, name, doc string, known ...string) {
	*value = known[0]
	f := Parsed(value, "WORD", func(word string) (string, error) {
		if !slices.Contains(known, word) {
			return "", fmt.Errorf("unknown value %q %s", word, text.Known(word, known))
		}
		return word, nil
	})
	f.Show = func() string { return *value }
	cmd.Flags().Var(f, name, doc+": "+strings.Join(known, ", "))
	Complete(cmd, name, func() []string { return known })
}

// Objective declares --objective, which adds to a list.
func Objective(cmd *cobra.Command, to *objectives.List, doc string) {
	cmd.Flags().Var(Parsed(to, "METRIC<VALUE", func(text string) (objectives.List, error) {
		return to.Add(text)
	}), "objective", doc)
	Complete(cmd, "objective", objectives.Names)
}

// Metric declares --metric, with the units that a run reports as completion.
func Metric(cmd *cobra.Command, to *[]string, doc string) {
	cmd.Flags().StringArrayVar(to, "metric", nil, doc)
	Complete(cmd, "metric", MetricNames)
}

// RunLimit is the flag that says after how long a run is given up, of each command that has it.
const RunLimit = "run-limit"

// Whole reads a whole number.
func Whole(least, most int, text string) (int, error) {
	n, err := strconv.Atoi(text)
	if err != nil || n < least || n > most {
		return 0, fmt.Errorf("want a whole number from %d to %d, got %q", least, most, text)
	}
	return n, nil
}

// UpTo reads a number from 1: a zero would stand for the default.
func UpTo(most int) func(text string) (int, error) {
	return func(text string) (int, error) { return Whole(1, most, text) }
}

// ParseSeed reads any seed.
func ParseSeed(text string) (uint64, error) {
	n, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		err = fmt.Errorf("want a whole number from 0 to 2^64-1, got %q", text)
	}
	return n, err
}

// PositiveTime reads a time above 0, which stands for none.
func PositiveTime(text string) (time.Duration, error) {
	d, err := time.ParseDuration(text)
	if err != nil || d <= 0 || d > arrivals.MaxSpan {
		return 0, fmt.Errorf("want a duration above 0, at most 87600h, such as 50ms or 2s, got %q",
			text)
	}
	return d, nil
}
