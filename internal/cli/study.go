package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/poolbench/poolbench/bench/finding"
	"github.com/poolbench/poolbench/internal/studies"
	"github.com/poolbench/poolbench/strategies"
)

func (a *app) studyCommand() *cobra.Command {
	var o runOptions
	var quick, full bool
	var also variantFlag
	var seed uint64
	cmd := &cobra.Command{
		Use:                   "study NAME... [flags]",
		DisableFlagsInUseLine: true,
		Short:                 "put claims to the test, and say whether they hold",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return fmt.Errorf("study: NAME is missing (known: %s)",
					strings.Join(studyNames(), ", "))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			size := studies.Standard
			switch {
			case quick && full:
				return fmt.Errorf("--quick and --full exclude each other")
			case quick:
				size = studies.Quick
			case full:
				size = studies.Full
			}
			list, err := namedStudies(args)
			if err != nil {
				return err
			}
			p, err := planStudies(list, size, seed, also)
			if err != nil {
				return err
			}
			if _, err := o.mode(); err != nil {
				return err
			}
			return a.runPlan(cmd.Context(), p, o)
		},
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]cobra.Completion,
			cobra.ShellCompDirective) {
			return append(studyNames(), allStudies), cobra.ShellCompDirectiveNoFileComp
		},
	}
	fs := cmd.Flags()
	fs.BoolVar(&quick, "quick", false, "a first look: a few seconds a study, 20 for variance")
	fs.BoolVar(&full, "full", false, "for publication: longer runs and more of them")
	fs.Var(&also, "strategy", "also compare this `NAME`; repeatable")
	completeFlag(cmd, "strategy", func() []string {
		return names(strategies.All(), func(s strategies.Spec) string { return s.Name })
	})
	fs.Uint64Var(&seed, "seed", firstSeed,
		"seed `N` of arrivals and task times; repetition i uses seed+i")
	fs.Var(&expected{&o.expect}, "expect", "exit code 1 unless the verdict of each study is this "+
		"`WORD`: holds, does-not-hold, depends")
	completeFlag(cmd, "expect", func() []string {
		return []string{"holds", "does-not-hold", "depends"}
	})
	o.addTo(cmd)
	return cmd
}

// allStudies is the name of all of them.
const allStudies = "all"

func studyNames() []string {
	return names(studies.All(), func(s studies.Study) string { return s.Name })
}

// namedStudies are these studies, each once.
func namedStudies(args []string) (list []studies.Study, err error) {
	if slices.Equal(args, []string{allStudies}) {
		return studies.All(), nil
	}
	for _, name := range args {
		s, err := studies.Lookup(name)
		if err != nil {
			return nil, err
		}
		if slices.ContainsFunc(list, func(other studies.Study) bool { return other.Name == name }) {
			return nil, fmt.Errorf("study %s is named twice", name)
		}
		list = append(list, s)
	}
	return list, nil
}

// A variantFlag is a list of strategies, which may be given in parts.
type variantFlag []strategies.Variant

func (f *variantFlag) Type() string   { return "NAME" }
func (f *variantFlag) String() string { return "" }

func (f *variantFlag) Set(text string) error {
	return appendVariants((*[]strategies.Variant)(f), text, strategies.Resolve)
}

// An expected is the flag for a verdict.
type expected struct{ value *finding.Verdict }

func (e *expected) Type() string { return "WORD" }

func (e *expected) String() string {
	if e.value == nil {
		return ""
	}
	return string(*e.value)
}

func (e *expected) Set(text string) (err error) {
	*e.value, err = finding.ParseVerdict(text)
	return err
}
