package flags

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/poolbench/poolbench/internal/files"
	"github.com/poolbench/poolbench/internal/machine"
	"github.com/poolbench/poolbench/internal/text"
)

// Checked rejects empty texts (unset shell variables) and absurdly large numbers (typing errors) in
// all arguments and flags, before the command starts.
func Checked(further cobra.PositionalArgs) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if err := checkGiven(cmd, args); err != nil || further == nil {
			return err
		}
		return further(cmd, args)
	}
}

func checkGiven(cmd *cobra.Command, args []string) error {
	for i, arg := range args {
		if Blank(arg) {
			return fmt.Errorf("%s: argument %d is empty", cmd.Name(), i+1)
		}
	}
	var wrong []error
	cmd.Flags().Visit(func(f *pflag.Flag) {
		if err := CheckSet(cmd, f); err != nil {
			wrong = append(wrong, fmt.Errorf("--%s: %w", f.Name, err))
		}
	})
	return errors.Join(wrong...)
}

func CheckSet(cmd *cobra.Command, f *pflag.Flag) error {
	if err := checkFlag(f.Value); err != nil {
		return err
	}
	if output, ok := f.Value.(*Output); ok {
		return checkOutput(cmd, output)
	}
	switch f.Name {
	case OutFlag:
		return files.CheckDir(f.Value.String())
	case RunLimit: // a limit that every run would exceed
		if d, err := time.ParseDuration(f.Value.String()); err == nil && d < machine.MinPatience {
			return fmt.Errorf("want %v or more, got %v", machine.MinPatience, d)
		}
	}
	return nil
}

func Blank(text string) bool { return strings.TrimSpace(text) == "" }

var ErrEmpty = errors.New("the value is empty")

func checkFlag(v pflag.Value) error {
	text := v.String()
	switch v.Type() {
	case "string", OutputKind:
		if Blank(text) {
			return ErrEmpty
		}
	case "stringArray", "stringSlice":
		list, ok := v.(pflag.SliceValue)
		if ok && (len(list.GetSlice()) == 0 || slices.ContainsFunc(list.GetSlice(), Blank)) {
			return ErrEmpty
		}
	case "duration":
		if d, err := time.ParseDuration(text); err != nil || d <= 0 || d > MaxTime {
			return fmt.Errorf("want a duration above 0, at most 87600h, got %s", text)
		}
	case "int":
		if n, err := strconv.Atoi(text); err != nil || n < 0 || n > MaxNumber {
			return fmt.Errorf("want a whole number from 0 to %d, got %s", MaxNumber, text)
		}
	}
	return nil
}

// Named prefixes each error joined in err with its flag if the error begins with the name of a
// given flag, and also a second flag, as in "n and duration exclude each other". Fields of scenarios
// and attacks have the names of flags.
func Named(cmd *cobra.Command, err error) error {
	return Each(err, func(err error) error {
		word, _, _ := strings.Cut(err.Error(), " ")
		if !cmd.Flags().Changed(strings.TrimSuffix(word, ":")) {
			return err
		}
		first, second, two := strings.Cut(err.Error(), " and ")
		second, _, _ = strings.Cut(second, " ")
		if two && first == word && cmd.Flags().Changed(second) {
			return twoFlags{err}
		}
		return fmt.Errorf("--%w", err)
	})
}

// twoFlags is an error that begins with the names of two flags.
type twoFlags struct{ error }

func (e twoFlags) Error() string {
	return "--" + strings.Replace(e.error.Error(), " and ", " and --", 1)
}

func (e twoFlags) Unwrap() error { return e.error }

// Misplaced adds a hint to an error about a missing file: the flag that accepts the argument, such
// as a revision. Other tools expect these as arguments.
func Misplaced(cmd *cobra.Command, args []string, err error) error {
	if len(args) < 2 || !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	for _, is := range []struct{ flag, of string }{{"base", "compares with a revision"},
		{OutFlag, "names the output"}, {"html", "names the output"}} {
		if f := cmd.Flags().Lookup(is.flag); f != nil && !f.Changed {
			return fmt.Errorf("%w (arguments are read; --%s %s)", err, is.flag, is.of)
		}
	}
	return err
}

func Each(err error, f func(error) error) error {
	if err == nil {
		return nil
	}
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		each := slices.Clone(joined.Unwrap())
		if all := errors.Join(each...); all != nil && all.Error() == err.Error() {
			for i := range each {
				each[i] = Each(each[i], f)
			}
			return errors.Join(each...)
		} // otherwise it is one sentence made of several errors
	}
	return f(err)
}

func readError(f *pflag.Flag, text string, err error) error {
	switch f.Value.Type() {
	case "duration":
		return fmt.Errorf("--%s: want a duration above 0, such as 50ms or 2s, got %q", f.Name, text)
	case "int":
		return fmt.Errorf("--%s: want a whole number from 0 to %d, got %q", f.Name,
			MaxNumber, text)
	case "uint64":
		return fmt.Errorf("--%s: want a whole number from 0 to 2^64-1, got %q", f.Name, text)
	case "bool":
		return fmt.Errorf("--%s: want true or false, got %q", f.Name, text)
	}
	return fmt.Errorf("--%s: %w", f.Name, err)
}

// maxKnown is the number of flags that an error lists. A longer list would hide the error.
const maxKnown = 20

// Error reduces a pflag error to one line and lists the known flags if that helps.
func Error(cmd *cobra.Command, err error) error {
	if unknown, ok := errors.AsType[*pflag.NotExistError](err); ok {
		name := unknown.GetSpecifiedName()
		flag := "--" + name
		if short := unknown.GetSpecifiedShortnames(); short != "" {
			flag = "-" + short
		}
		like := text.Similar(flag, Known(cmd))
		if ours := synonym(cmd, name); ours != "" {
			like = ours
		}
		switch known := Known(cmd); {
		case like != "":
			return fmt.Errorf("unknown flag %s (did you mean %s?)", flag, like)
		case len(known) > maxKnown:
			return fmt.Errorf("unknown flag %s (%s help --all %s lists all flags)", flag,
				cmd.Root().Name(), cmd.Name())
		default:
			return fmt.Errorf("unknown flag %s (known: %s)", flag, strings.Join(known, ", "))
		}
	}
	if invalid, ok := errors.AsType[*pflag.InvalidValueError](err); ok {
		return readError(invalid.GetFlag(), invalid.GetValue(), invalid.Unwrap())
	}
	return err
}

func Known(cmd *cobra.Command) (names []string) {
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if !f.Hidden {
			names = append(names, "--"+f.Name)
		}
	})
	slices.Sort(names)
	return names
}
