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

// Checked holds every argument and every flag of a command to what those of all commands have in
// common, before the command starts: an empty text is a shell variable that is not set, and a
// number out of all proportion is a slip of the keyboard. What they mean beyond that is for the
// command to check.
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

// CheckSet checks a flag that was given.
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
	case RunLimit: // what every run would exceed
		if d, err := time.ParseDuration(f.Value.String()); err == nil && d < machine.LeastPatience {
			return fmt.Errorf("want %v or more, got %v", machine.LeastPatience, d)
		}
	}
	return nil
}

// Blank reports whether there is nothing but space.
func Blank(text string) bool { return strings.TrimSpace(text) == "" }

// ErrEmpty refuses what is blank.
var ErrEmpty = errors.New("the value is empty")

// checkFlag knows pflag's own types. The others refuse what they cannot use as they read it.
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

// Named has each of the errors joined in err that begins with the word of a flag that was given
// begin with the flag: what checks scenarios and attacks speaks of their fields, which are called
// as flags are.
func Named(cmd *cobra.Command, err error) error {
	return Each(err, func(err error) error {
		word, _, _ := strings.Cut(err.Error(), " ")
		if !cmd.Flags().Changed(strings.TrimSuffix(word, ":")) {
			return err
		}
		return fmt.Errorf("--%w", err)
	})
}

// Misplaced adds to the error about one of several arguments that is not there which flag takes
// what it may be: a revision, or what is to be written, which other tools name first or last.
func Misplaced(cmd *cobra.Command, args []string, err error) error {
	if len(args) < 2 || !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	for _, is := range []struct{ flag, of string }{{"base", "measures against a revision"},
		{OutFlag, "names what is written"}, {"html", "names what is written"}} {
		if f := cmd.Flags().Lookup(is.flag); f != nil && !f.Changed {
			return fmt.Errorf("%w (arguments are read; --%s %s)", err, is.flag, is.of)
		}
	}
	return err
}

// Each is err with what f makes of each of the errors joined in it.
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
		} // else it is one sentence made of several
	}
	return f(err)
}

// readError says in our words what pflag's own types say in those of package strconv.
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

// Error makes one line of what pflag says, naming the known flags where that helps.
func Error(cmd *cobra.Command, err error) error {
	if unknown, ok := errors.AsType[*pflag.NotExistError](err); ok {
		flag := "--" + unknown.GetSpecifiedName()
		if short := unknown.GetSpecifiedShortnames(); short != "" {
			flag = "-" + short
		}
		return fmt.Errorf("unknown flag %s %s", flag, text.Known(flag, Known(cmd)))
	}
	if invalid, ok := errors.AsType[*pflag.InvalidValueError](err); ok {
		return readError(invalid.GetFlag(), invalid.GetValue(), invalid.Unwrap())
	}
	return err
}

// Known are those of the command that are not hidden.
func Known(cmd *cobra.Command) (names []string) {
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if !f.Hidden {
			names = append(names, "--"+f.Name)
		}
	})
	slices.Sort(names)
	return names
}
