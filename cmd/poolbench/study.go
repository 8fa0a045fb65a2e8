package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/poolbench/poolbench/internal/studies"
	"github.com/poolbench/poolbench/strategies"
	"github.com/poolbench/poolbench/strategies/peers"
)

const studyHelp = `study puts a claim to the test: each study has a question, the scenarios that tell, a figure, and a rule by which the
measured data say whether the claim holds, does not hold, or depends, and on what. All of them takes the name all.

--quick is for a first look, a few seconds a study; the default takes up to two minutes; --full is for publication. A verdict
is the same in all, or it says what it lacks.

--strategy adds strategies to those that a study compares. Whatever the verdict, the exit code is 0, but with --expect another
verdict is exit code 1, and one that could not be had is 3. Runs that are INVALID are left out of it.

'poolbench list studies' has them all. The default 'poolbench run' is their quick form, one after another.`

const studyExamples = `  poolbench study scrape
  poolbench study load --quick --strategy codel_lifo
  poolbench study scrape --expect does-not-hold
  poolbench study load spread --quick --out results/load`

func (a *app) studyCommand() *cobra.Command {
	var o runOptions
	var quick, full bool
	var also variantFlag
	cmd := &cobra.Command{
		Use:                   "study NAME... [flags]",
		DisableFlagsInUseLine: true,
		Short:                 "put claims to the test, and say whether they hold",
		Long:                  studyHelp,
		Example:               studyExamples,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return fmt.Errorf("study: NAME is missing (known: %s)", strings.Join(studyNames(), ", "))
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
			p, err := planStudies(list, size, also)
			if err != nil {
				return err
			}
			if _, err := o.mode(); err != nil {
				return err
			}
			return a.runPlan(cmd.Context(), p, o)
		},
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
			return append(studyNames(), allStudies), cobra.ShellCompDirectiveNoFileComp
		},
	}
	fs := cmd.Flags()
	fs.BoolVar(&quick, "quick", false, "a first look: a few seconds a study, 20 for variance")
	fs.BoolVar(&full, "full", false, "for publication: longer runs, and more of them")
	fs.Var(&also, "strategy", "compare this `NAME` as well; may be given again")
	completeFlag(cmd, "strategy", func() []string { return names(peers.Known(), func(s strategies.Spec) string { return s.Name }) })
	fs.Var(&expected{&o.expect}, "expect", "exit code 1 unless the verdict of each study is this `WORD`: holds, does-not-hold, depends")
	completeFlag(cmd, "expect", func() []string { return []string{"holds", "does-not-hold", "depends"} })
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
	return appendVariants((*[]strategies.Variant)(f), text, peers.ParseVariant)
}

// An expected is the flag for a verdict.
type expected struct{ value *studies.Verdict }

func (e *expected) Type() string { return "WORD" }

func (e *expected) String() string {
	if e.value == nil || *e.value == studies.Undecided {
		return ""
	}
	return e.value.String()
}

func (e *expected) Set(text string) (err error) {
	*e.value, err = studies.ParseVerdict(text)
	return err
}
