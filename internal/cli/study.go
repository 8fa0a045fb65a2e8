package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/poolbench/poolbench/internal/cli/flags"
	"github.com/poolbench/poolbench/internal/cli/options"
	"github.com/poolbench/poolbench/internal/decide"
	"github.com/poolbench/poolbench/internal/studies"
	"github.com/poolbench/poolbench/strategies"
)

func (a *app) studyCommand() *cobra.Command {
	var o options.RunOptions
	var quick, full bool
	var profile string
	var also []strategies.Variant
	var seed uint64
	cmd := &cobra.Command{
		Use:   "study NAME... [flags]",
		Short: "test claims, and report whether they hold",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return fmt.Errorf("study: NAME is missing (known: %s)",
					strings.Join(options.StudyNames(), ", "))
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
			p, err := options.PlanStudies(list, size, seed, also)
			if err != nil {
				return err
			}
			if err := p.Profile(profile); err != nil {
				return err
			}
			if _, err := o.Mode(); err != nil {
				return err
			}
			return a.runPlan(cmd.Context(), p, o)
		},
		ValidArgsFunction: flags.CompleteArgs(true, func() []string {
			return append(options.StudyNames(), allStudies)
		}),
	}
	fs := cmd.Flags()
	fs.BoolVar(&quick, "quick", false, "short runs: a few seconds per study, 20 for variance")
	fs.BoolVar(&full, "full", false, "for publication: longer runs and more repetitions")
	fs.Var(flags.Parsed(&also, "NAME", func(text string) ([]strategies.Variant, error) {
		more, err := options.Variants(strategies.Resolve, options.StrategyNames)(text)
		return append(also, more...), err
	}), "strategy", "also compare this `NAME` (repeatable)")
	flags.Complete(cmd, "strategy", options.StrategyNames)
	options.Servers(cmd)
	fs.Uint64Var(&seed, "seed", options.FirstSeed,
		"seed `N` of arrivals and task times; repetition i uses seed+i")
	fs.Var(flags.Parsed(&o.Expect, "WORD", decide.ParseClaimVerdict), "expect",
		"exit code 1 unless the "+
			"verdict of each study is this `WORD`: holds, does-not-hold, depends")
	flags.Complete(cmd, "expect", func() []string {
		return []string{"holds", "does-not-hold", "depends"}
	})
	o.AddTo(cmd)
	options.Profile(cmd, &profile)
	flags.MarkCommon(cmd, "quick", "full", "strategy", "expect", "objective", "out", "dry-run",
		"workers")
	return cmd
}

const allStudies = "all"

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
