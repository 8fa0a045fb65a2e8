package cli

import (
	"errors"
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
	"github.com/poolbench/poolbench/bench/objectives"
	"github.com/poolbench/poolbench/bench/param"
	"github.com/poolbench/poolbench/internal/watchdog"
	"github.com/poolbench/poolbench/strategies"
)

// A flagValue is the pflag.Value of a flag that is more than one of pflag's own types.
type flagValue struct {
	kind string // what its argument is called in the help
	set  func(text string) error
	show func() string // the default in the help; nil: it is in the words of the flag
}

var _ pflag.Value = flagValue{}

// Set implements pflag.Value.
func (f flagValue) Set(text string) error { return f.set(text) }

// Type implements pflag.Value.
func (f flagValue) Type() string { return f.kind }

// String implements pflag.Value.
func (f flagValue) String() string {
	if f.show == nil {
		return ""
	}
	return f.show()
}

// parsed is a flag that keeps what parse makes of its text.
func parsed[T any](to *T, kind string, parse func(text string) (T, error)) flagValue {
	return flagValue{kind: kind, set: func(text string) error {
		v, err := parse(text)
		if err == nil {
			*to = v
		}
		return err
	}}
}

// atLeastOne is the flag of a number.
func atLeastOne(to *int, most int) flagValue { return parsed(to, "N", upTo(most)) }

const queueDoc = "slots of the queue; 0: none (default: never full, or 8 × limit where the " +
	"strategy sheds)"

// parseQueue reads the slots of a queue. A zero that is given is bench.NoQueue: what is not given
// is the default.
func parseQueue(text string) (int, error) {
	n, err := whole(0, strategies.MaxSlots, text)
	if n == 0 {
		n = bench.NoQueue
	}
	return n, err
}

// parseRates reads several, each once.
func parseRates(text string) (rates []float64, err error) {
	for part := range strings.SplitSeq(text, ",") {
		rate, err := parseRate(part)
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

// parseRate reads a rate above 0, which would stand for the default.
func parseRate(text string) (float64, error) {
	x, err := strconv.ParseFloat(text, 64)
	if err != nil || !(x >= arrivals.LeastRate) || x > 1e6 {
		return 0, fmt.Errorf("want a number from %v to 1e6, got %q", arrivals.LeastRate, text)
	}
	return x, nil
}

// parseWorkers reads their number.
func parseWorkers(text string) (int, error) {
	if text == "unlimited" {
		return attack.Unlimited, nil
	}
	n, err := whole(1, arrivals.MaxTasks, text)
	if err != nil {
		return 0, fmt.Errorf("%w, or unlimited", err)
	}
	return n, nil
}

// leastShare is the least share but 0 that means anything, of a risk or of a change.
const leastShare = 1e-9

// shareFlag is that of a share: 2% or 0.02. A zero stands for the default elsewhere, and must not
// pass unless it is allowed.
func shareFlag(to *float64, zero bool) flagValue {
	return parsed(to, "SHARE", func(text string) (float64, error) {
		v, err := param.Percent(text)
		if err == nil && (v == 0 && !zero || v != 0 && v < leastShare) {
			err = fmt.Errorf("want a share from %v, got %q", leastShare, text)
		}
		return v, err
	})
}

// choiceFlag declares a flag whose default is the first of the known words.
func choiceFlag(cmd *cobra.Command, value *string, name, doc string, known ...string) {
	*value = known[0]
	f := parsed(value, "word", func(text string) (string, error) {
		if !slices.Contains(known, text) {
			return "", fmt.Errorf("unknown value %q (known: %s)", text, strings.Join(known, ", "))
		}
		return text, nil
	})
	f.show = func() string { return *value }
	cmd.Flags().Var(f, name, doc+": "+strings.Join(known, ", "))
	completeFlag(cmd, name, func() []string { return known })
}

// objectiveVar declares --objective, which adds to a list.
func objectiveVar(cmd *cobra.Command, to *objectives.List, doc string) {
	cmd.Flags().Var(parsed(to, "METRIC<VALUE", func(text string) (objectives.List, error) {
		return to.Add(text)
	}), "objective", doc)
	completeFlag(cmd, "objective", objectives.Names)
}

// metricFlag declares --metric, with the units that a run reports as completion.
func metricFlag(cmd *cobra.Command, to *[]string, doc string) {
	cmd.Flags().StringArrayVar(to, "metric", nil, doc)
	completeFlag(cmd, "metric", metricNames)
}

// addAxes declares a flag for each axis but those, and returns the words that they will be given,
// which are read once all flags are known.
func addAxes(cmd *cobra.Command, without ...string) words {
	given := words{}
	for _, x := range axes() {
		if slices.Contains(without, x.name) {
			continue
		}
		cmd.Flags().Var(flagValue{kind: x.value, set: func(text string) error {
			if blank(text) {
				return errEmpty
			}
			if !x.many {
				given[x.name] = nil // as elsewhere, the last one counts
			}
			given[x.name] = append(given[x.name], word{text, "--" + x.name})
			return nil
		}}, x.name, x.doc)
		if x.names != nil {
			completeFlag(cmd, x.name, x.names)
		}
	}
	return given
}

// checked holds every argument and every flag of a command to what those of all commands have in
// common, before the command starts: an empty text is a shell variable that is not set, and a
// number out of all proportion is a slip of the keyboard. What they mean beyond that is for the
// command to check.
func checked(further cobra.PositionalArgs) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if err := checkGiven(cmd, args); err != nil || further == nil {
			return err
		}
		return further(cmd, args)
	}
}

func checkGiven(cmd *cobra.Command, args []string) error {
	for i, arg := range args {
		if blank(arg) {
			return fmt.Errorf("%s: argument %d is empty", cmd.Name(), i+1)
		}
	}
	var wrong []error
	cmd.Flags().Visit(func(f *pflag.Flag) {
		if err := checkSet(f); err != nil {
			wrong = append(wrong, fmt.Errorf("--%s: %w", f.Name, err))
		}
	})
	return errors.Join(wrong...)
}

// checkSet checks a flag that was given.
func checkSet(f *pflag.Flag) error {
	if err := checkFlag(f.Value); err != nil || f.Name != runLimit {
		return err
	}
	return checkRunLimit(f.Value)
}

// runLimit is the flag that says after how long a run is given up, of each command that has it.
const runLimit = "run-limit"

// checkRunLimit refuses what every run would exceed.
func checkRunLimit(v pflag.Value) error {
	if d, err := time.ParseDuration(v.String()); err == nil && d < watchdog.Least {
		return fmt.Errorf("want %v or more, got %v", watchdog.Least, d)
	}
	return nil
}

func blank(text string) bool { return strings.TrimSpace(text) == "" }

var errEmpty = errors.New("the value is empty")

// checkFlag knows pflag's own types. The others refuse what they cannot use as they read it.
func checkFlag(v pflag.Value) error {
	text := v.String()
	switch v.Type() {
	case "string":
		if blank(text) {
			return errEmpty
		}
	case "stringArray", "stringSlice":
		list, ok := v.(pflag.SliceValue)
		if ok && (len(list.GetSlice()) == 0 || slices.ContainsFunc(list.GetSlice(), blank)) {
			return errEmpty
		}
	case "duration":
		if d, err := time.ParseDuration(text); err != nil || d <= 0 || d > arrivals.MaxSpan {
			return fmt.Errorf("want a duration above 0, at most 87600h, got %s", text)
		}
	case "int":
		if n, err := strconv.Atoi(text); err != nil || n < 0 || n > arrivals.MaxTasks {
			return fmt.Errorf("want a whole number from 0 to %d, got %s", arrivals.MaxTasks, text)
		}
	}
	return nil
}

// readError says in our words what pflag's own types say in those of package strconv.
func readError(f *pflag.Flag, text string, err error) error {
	switch f.Value.Type() {
	case "duration":
		return fmt.Errorf("--%s: want a duration above 0, such as 50ms or 2s, got %q", f.Name, text)
	case "int":
		return fmt.Errorf("--%s: want a whole number from 0 to %d, got %q", f.Name,
			arrivals.MaxTasks, text)
	case "uint64":
		return fmt.Errorf("--%s: want a whole number from 0 to 2^64-1, got %q", f.Name, text)
	case "bool":
		return fmt.Errorf("--%s: want true or false, got %q", f.Name, text)
	}
	return fmt.Errorf("--%s: %w", f.Name, err)
}
