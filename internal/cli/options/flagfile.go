package options

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/poolbench/poolbench/internal/cli/flags"
	"github.com/poolbench/poolbench/internal/text"
)

// A FlagFile contains flags of a command, in the form of a scenario file with one element.
type FlagFile struct {
	path string
	url  string // value of url in the file, which replaces the operand URL
}

func (f *FlagFile) AddTo(cmd *cobra.Command, what string) {
	cmd.Flags().StringVar(&f.path, "file", "", "read flags from this YAML `FILE`: a list of one "+
		"element; keys are the names of the flags"+what)
}

// ReadBefore reads the file before operands are checked.
func (f *FlagFile) ReadBefore(axes Words, operands cobra.PositionalArgs) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if f.path != "" {
			if err := f.Read(cmd, axes); err != nil {
				return err
			}
		}
		return operands(cmd, f.Operands(args))
	}
}

// Operands returns args, or the operand of the file.
func (f *FlagFile) Operands(args []string) []string {
	if len(args) == 0 && f.url != "" {
		return []string{f.url}
	}
	return args
}

const urlKey = "url"

// Read sets the flags that the command line does not set.
func (f *FlagFile) Read(cmd *cobra.Command, axes Words) error {
	var known []string
	if strings.Contains(cmd.Use, " URL") {
		known = append(known, urlKey)
	}
	cmd.Flags().VisitAll(func(flag *pflag.Flag) {
		if !flag.Hidden && flag.Name != "file" && flag.Name != "help" {
			known = append(known, flag.Name)
		}
	})
	list, err := readScenarioFile(f.path, known)
	if err != nil {
		return err
	}
	if len(list) > 1 {
		return fmt.Errorf("%s: a second element: %s accepts only one", list[1].where, cmd.Name())
	}
	given := list[0].Words
	var wrong []error
	for _, name := range known {
		values, flag := given[name], cmd.Flags().Lookup(name)
		switch {
		case len(values) == 0 || flag != nil && flag.Changed:
		case name == urlKey:
			if f.url = values[0].Text; len(values) > 1 || flags.Blank(f.url) {
				wrong = append(wrong, fmt.Errorf("%s: want one", values[0].Where))
			}
		case axes != nil && slices.Contains(axisNames(), name):
			if !slices.ContainsFunc(excludedBy(name), cmd.Flags().Changed) {
				axes[name] = values
			}
		default:
			wrong = append(wrong, setFlag(cmd, flag, values))
		}
	}
	return errors.Join(wrong...)
}

func excludedBy(name string) []string {
	all := axes()
	return all[slices.IndexFunc(all, func(x axis) bool { return x.name == name })].excludes
}

// A repeatable flag is set once per value, another flag to the values joined by commas.
func setFlag(cmd *cobra.Command, flag *pflag.Flag, values []Word) error {
	texts := text.Texts(values, func(v Word) string { return v.Text })
	if _, repeated := flag.Value.(cobra.SliceValue); !repeated {
		texts = []string{strings.Join(texts, ",")}
	}
	for _, s := range texts {
		if err := flag.Value.Set(s); err != nil {
			return fmt.Errorf("%s: %w", values[0].Where, err)
		}
	}
	flag.Changed = true
	if err := flags.CheckSet(cmd, flag); err != nil {
		return fmt.Errorf("%s: %w", values[0].Where, err)
	}
	return nil
}
