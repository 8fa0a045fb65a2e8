package main

import (
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/poolbench/poolbench/bench"
	"github.com/poolbench/poolbench/bench/arrivals"
	"github.com/poolbench/poolbench/internal/param"
	"github.com/poolbench/poolbench/internal/studies"
	"github.com/poolbench/poolbench/strategies/peers"
	"github.com/poolbench/poolbench/targets"
	"github.com/poolbench/poolbench/workloads"
)

// An entry is one thing that can be named on the command line.
type entry struct {
	Name       string      `json:"name"`
	Summary    string      `json:"summary"`
	Facts      []fact      `json:"facts,omitempty"`
	Parameters []parameter `json:"parameters,omitempty"`
}

// A fact is one line of the full description.
type fact struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// A parameter is a key that may follow the name.
type parameter struct {
	Name    string `json:"name"`
	Kind    string `json:"kind"`
	Default string `json:"default,omitempty"` // absent where it must be given
	Doc     string `json:"doc"`
}

// A listing is one kind of entries.
type listing struct {
	Kind    string  `json:"kind"`
	Entries []entry `json:"entries"`
}

// listedKinds are the kinds of listings, without their entries, which take some time: studies compute their scenarios, and every child of a
// virtual run starts this program.
func listedKinds() []string {
	return []string{"strategies", "workloads", "targets", "arrivals", "studies", "metrics"}
}

// listings are all kinds. Each is drawn from the one set that its package keeps.
func listings() []listing {
	return []listing{
		{"strategies", entries(peers.Known(), describeStrategy)},
		{"workloads", entries(workloads.All(), describeWorkload)},
		{"targets", entries(targets.All(), describeTarget)},
		{"arrivals", entries(arrivals.All(), describeArrival)},
		{"studies", entries(studies.All(), describeStudy)},
		{"metrics", entries(bench.Metrics(), describeMetric)},
	}
}

func entries[T any](all []T, describe func(T) entry) (list []entry) {
	for _, v := range all {
		list = append(list, describe(v))
	}
	return list
}

func (a *app) listCommand() *cobra.Command {
	var format string
	kinds := listedKinds()
	cmd := &cobra.Command{
		Use:                   "list [KIND [NAME]] [flags]",
		DisableFlagsInUseLine: true,
		Short:                 "list " + strings.Join(kinds, ", "),
		Long: `list shows what can be named on the command line, one line each: ` + strings.Join(kinds, ", ") + `.
With a name, everything about it: parameters with their kinds and defaults, and what it promises.`,
		Example: `  poolbench list
  poolbench list strategies
  poolbench list workloads hyperexp`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 2 {
				return fmt.Errorf("list: unexpected argument %q", args[2])
			}
			return nil
		},
		ValidArgsFunction: func(_ *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
			if len(args) == 0 {
				return kinds, cobra.ShellCompDirectiveNoFileComp
			}
			var names []string
			for _, l := range listings() {
				for _, e := range l.Entries {
					if l.Kind == args[0] && len(args) == 1 {
						names = append(names, e.Name)
					}
				}
			}
			return names, cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(_ *cobra.Command, args []string) error {
			chosen, err := chooseListings(args)
			if err != nil {
				return fmt.Errorf("list: %w", err)
			}
			if format == "json" {
				return a.json(struct {
					head
					Lists []listing `json:"lists"`
				}{newHead("list"), chosen})
			}
			if len(args) == 2 {
				return a.showEntry(chosen[0].Entries[0])
			}
			if len(args) == 1 && args[0] == "strategies" {
				return a.showStrategies()
			}
			return a.showListings(chosen)
		},
	}
	choiceFlag(cmd, &format, "format", "output", "text", "json")
	return cmd
}

// chooseListings cuts the listings down to a kind, and that to a name.
func chooseListings(args []string) ([]listing, error) {
	all := listings()
	if len(args) == 0 {
		return all, nil
	}
	var kinds []string
	for _, l := range all {
		kinds = append(kinds, l.Kind)
	}
	i := slices.Index(kinds, args[0])
	if i < 0 {
		return nil, fmt.Errorf("unknown kind %q (known: %s)", args[0], strings.Join(kinds, ", "))
	}
	chosen := all[i]
	if len(args) == 1 {
		return []listing{chosen}, nil
	}
	var names []string
	for _, e := range chosen.Entries {
		if e.Name == args[1] {
			return []listing{{chosen.Kind, []entry{e}}}, nil
		}
		names = append(names, e.Name)
	}
	return nil, fmt.Errorf("no %q among the %s (known: %s)", args[1], chosen.Kind, strings.Join(names, ", "))
}

func (a *app) showListings(lists []listing) error {
	for i, l := range lists {
		if len(lists) > 1 {
			if i > 0 {
				fmt.Fprintln(a.stdout)
			}
			fmt.Fprintln(a.stdout, l.Kind)
		}
		w := tabwriter.NewWriter(a.stdout, 0, 0, 2, ' ', 0)
		for _, e := range l.Entries {
			fmt.Fprintf(w, "  %s\t%s\n", e.Name, e.Summary)
		}
		if err := w.Flush(); err != nil {
			return err
		}
	}
	return nil
}

// showStrategies is the list of the strategies by themselves: what tells them apart.
func (a *app) showStrategies() error {
	w := tabwriter.NewWriter(a.stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintf(w, "  %s\n", strings.Join(strategyColumns, "\t"))
	for _, s := range peers.Known() {
		fmt.Fprintf(w, "  %s\n", strings.Join(strategyRow(s), "\t"))
	}
	return w.Flush()
}

func (a *app) showEntry(e entry) error {
	w := tabwriter.NewWriter(a.stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintf(w, "%s: %s\n", e.Name, e.Summary)
	for _, f := range e.Facts {
		fmt.Fprintf(w, "  %s\t%s\n", f.Name, f.Value)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	if len(e.Parameters) == 0 {
		return nil
	}
	fmt.Fprintf(a.stdout, "parameters, as in %s:%s=…\n", e.Name, e.Parameters[0].Name)
	for _, p := range e.Parameters {
		byDefault := "must be given"
		if p.Default != "" {
			byDefault = "default " + p.Default
		}
		fmt.Fprintf(w, "  %s\t%s\t%s\t%s\n", p.Name, p.Kind, byDefault, p.Doc)
	}
	return w.Flush()
}

func describeKeys(keys []param.Key) (list []parameter) {
	for _, k := range keys {
		list = append(list, parameter{k.Name, k.Kind.String(), k.Default, k.Doc})
	}
	return list
}
