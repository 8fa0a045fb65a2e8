package cli

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/poolbench/poolbench/bench/arrivals"
	"github.com/poolbench/poolbench/internal/watchdog"
)

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
		if strings.TrimSpace(arg) == "" {
			return fmt.Errorf("%s: argument %d is empty", cmd.Name(), i+1)
		}
	}
	var wrong []error
	cmd.Flags().Visit(func(f *pflag.Flag) {
		err := checkFlag(f.Value)
		if err == nil && f.Name == runLimit {
			err = checkRunLimit(f.Value)
		}
		if err != nil {
			wrong = append(wrong, fmt.Errorf("--%s: %w", f.Name, err))
		}
	})
	return errors.Join(wrong...)
}

var errEmpty = errors.New("the value is empty")

// checkFlag knows pflag's own types. The others refuse what they cannot use as they read it.
func checkFlag(v pflag.Value) error {
	text := v.String()
	switch v.Type() {
	case "string":
		if strings.TrimSpace(text) == "" {
			return errEmpty
		}
	case "stringArray", "stringSlice":
		list, ok := v.(pflag.SliceValue)
		if !ok {
			return nil
		}
		texts := list.GetSlice()
		for _, t := range texts {
			if strings.TrimSpace(t) == "" {
				return errEmpty
			}
		}
		if len(texts) == 0 {
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

// runLimit is the flag that says after how long a run is given up, of each command that has it.
const runLimit = "run-limit"

// checkRunLimit refuses what every run would exceed.
func checkRunLimit(v pflag.Value) error {
	if d, err := time.ParseDuration(v.String()); err == nil && d < watchdog.Least {
		return fmt.Errorf("want %v or more, got %v", watchdog.Least, d)
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
