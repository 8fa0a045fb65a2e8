package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/poolbench/poolbench/internal/studies"
)

const studyHelp = `study runs named questions: each has its scenarios, its tables and charts, and says what the results answer.

'poolbench list studies' has them all. The default 'poolbench run' is those that are quick, one after another.`

const studyExamples = `  poolbench study scrape
  poolbench study load spread --out results/load`

func (a *app) studyCommand() *cobra.Command {
	var o runOptions
	cmd := &cobra.Command{
		Use:                   "study NAME... [flags]",
		DisableFlagsInUseLine: true,
		Short:                 "run named questions, and say what the results answer",
		Long:                  studyHelp,
		Example:               studyExamples,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return fmt.Errorf("study: NAME is missing (known: %s)", strings.Join(names(studies.All(), func(s studies.Study) string { return s.Name }), ", "))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			p, err := namedStudies(args)
			if err != nil {
				return err
			}
			if _, err := o.mode(); err != nil {
				return err
			}
			return a.runPlan(cmd.Context(), p, o)
		},
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
			return names(studies.All(), func(s studies.Study) string { return s.Name }), cobra.ShellCompDirectiveNoFileComp
		},
	}
	o.addTo(cmd)
	return cmd
}

// namedStudies is the plan of these studies, each once.
func namedStudies(args []string) (plan, error) {
	var list []studies.Study
	seen := map[string]bool{}
	for _, name := range args {
		s, err := studies.Lookup(name)
		if err != nil {
			return nil, err
		}
		if seen[name] {
			return nil, fmt.Errorf("study %s is named twice", name)
		}
		seen[name] = true
		list = append(list, s)
	}
	return planStudies(list)
}
