package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/poolbench/poolbench/bench"
	"github.com/poolbench/poolbench/bench/arrivals"
	"github.com/poolbench/poolbench/bench/param"
	"github.com/poolbench/poolbench/internal/studies"
	"github.com/poolbench/poolbench/strategies"
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

// A kind of what can be named. Its names come at once; a description may take some time, as studies
// compute their scenarios for it.
type kind struct {
	name     string
	names    []string
	describe func(i int) entry
}

// kinds are all there are. Each is drawn from the one set that its package keeps.
func kinds() []kind {
	return []kind{
		kindOf("strategies", strategyNames(), strategies.All(), describeStrategy),
		kindOf("parts", names(strategies.Parts(), strategies.Part.String), strategies.Parts(),
			describePart),
		kindOf("workloads", workloadNames(), workloads.All(), describeWorkload),
		kindOf("targets", targetNames(), targets.All(), describeTarget),
		kindOf("arrivals", arrivalNames(), arrivals.All(), describeArrival),
		kindOf("studies", studyNames(), studies.All(), describeStudy),
		kindOf("metrics", metricNames(), bench.Metrics(), describeMetric),
	}
}

func kindOf[T any](name string, names []string, all []T, describe func(T) entry) kind {
	return kind{name, names, func(i int) entry { return describe(all[i]) }}
}

// listing describes all of the kind.
func (k kind) listing() listing {
	l := listing{Kind: k.name}
	for i := range k.names {
		l.Entries = append(l.Entries, k.describe(i))
	}
	return l
}

func kindNames() []string {
	return names(kinds(), func(k kind) string { return k.name })
}

func (a *app) listCommand() *cobra.Command {
	var format string
	cmd := &cobra.Command{
		Use:   "list [KIND [NAME]] [flags]",
		Short: "list what can be named on the command line",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 2 {
				return fmt.Errorf("list: unexpected argument %q", args[2])
			}
			return nil
		},
		ValidArgsFunction: func(_ *cobra.Command, args []string, _ string) ([]cobra.Completion,
			cobra.ShellCompDirective) {
			if len(args) == 0 {
				return kindNames(), cobra.ShellCompDirectiveNoFileComp
			}
			for _, k := range kinds() {
				if k.name == args[0] && len(args) == 1 {
					return k.names, cobra.ShellCompDirectiveNoFileComp
				}
			}
			return nil, cobra.ShellCompDirectiveNoFileComp
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

// chooseListings are those of all kinds, of one, or of one of its names.
func chooseListings(args []string) (chosen []listing, err error) {
	for _, k := range kinds() {
		switch {
		case len(args) > 0 && args[0] != k.name:
		case len(args) == 2:
			i := slices.Index(k.names, args[1])
			if i < 0 {
				return nil, fmt.Errorf("no %q among the %s (known: %s)", args[1], k.name,
					strings.Join(k.names, ", "))
			}
			return []listing{{k.name, []entry{k.describe(i)}}}, nil
		default:
			chosen = append(chosen, k.listing())
		}
	}
	if len(chosen) == 0 {
		return nil, fmt.Errorf("unknown kind %q (known: %s)", args[0],
			strings.Join(kindNames(), ", "))
	}
	return chosen, nil
}

func (a *app) showListings(lists []listing) error {
	for i, l := range lists {
		if len(lists) > 1 {
			if i > 0 {
				fmt.Fprintln(a.stdout)
			}
			fmt.Fprintln(a.stdout, l.Kind)
		}
		var rows [][]string
		for _, e := range l.Entries {
			rows = append(rows, []string{e.Name, e.Summary})
		}
		if err := a.list(rows); err != nil {
			return err
		}
	}
	return nil
}

// showStrategies is the list of the strategies by themselves: what tells them apart.
func (a *app) showStrategies() error {
	rows := [][]string{strategyColumns}
	for _, s := range strategies.All() {
		rows = append(rows, strategyRow(s))
	}
	return a.list(rows)
}

func (a *app) showEntry(e entry) error {
	if err := a.prose("%s: %s\n", e.Name, e.Summary); err != nil {
		return err
	}
	var rows [][]string
	for _, f := range e.Facts {
		rows = append(rows, []string{f.Name, f.Value})
	}
	if err := a.list(rows); err != nil || len(e.Parameters) == 0 {
		return err
	}
	fmt.Fprintf(a.stdout, "parameters, as in %s:%s=…\n", e.Name, e.Parameters[0].Name)
	rows = nil
	for _, p := range e.Parameters {
		byDefault := "must be given"
		if p.Default != "" {
			byDefault = "default " + p.Default
		}
		rows = append(rows, []string{p.Name, p.Kind, byDefault, p.Doc})
	}
	return a.list(rows)
}

func describeKeys(keys []param.Key) (list []parameter) {
	for _, k := range keys {
		list = append(list, parameter{k.Name, k.Kind.String(), k.Default, k.Doc})
	}
	return list
}
