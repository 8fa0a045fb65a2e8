package options

import (
	"fmt"
	"slices"

	"github.com/poolbench/poolbench/bench/arrivals"
	"github.com/poolbench/poolbench/bench/param"
	"github.com/poolbench/poolbench/internal/observe"
	"github.com/poolbench/poolbench/internal/studies"
	"github.com/poolbench/poolbench/internal/text"
	"github.com/poolbench/poolbench/strategies"
	"github.com/poolbench/poolbench/targets"
	"github.com/poolbench/poolbench/workloads"
)

type Entry struct {
	Name       string      `json:"name"`
	Summary    string      `json:"summary"`
	Facts      []fact      `json:"facts,omitempty"`
	Parameters []parameter `json:"parameters,omitempty"`
}

type fact struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

type parameter struct {
	Name    string `json:"name"`
	Kind    string `json:"kind"`
	Default string `json:"default,omitempty"` // absent if the parameter is required
	Doc     string `json:"doc"`
}

type Listing struct {
	Kind    string  `json:"kind"`
	Entries []Entry `json:"entries"`
}

// Descriptions are computed on demand, because studies compute their scenarios.
type kind struct {
	Name     string
	Names    []string
	describe func(i int) Entry
}

func Kinds() []kind {
	return []kind{
		kindOf("strategies", StrategyNames(), strategies.All(), describeStrategy),
		kindOf("parts", text.Texts(strategies.Parts(), strategies.Part.String), strategies.Parts(),
			describePart),
		kindOf("workloads", WorkloadNames(), workloads.All(), describeWorkload),
		kindOf("targets", TargetNames(), targets.All(), describeTarget),
		kindOf("arrivals", ArrivalNames(), arrivals.All(), describeArrival),
		kindOf("studies", StudyNames(), studies.All(), describeStudy),
		kindOf("metrics", MetricNames(), observe.Metrics(), describeMetric),
	}
}

func kindOf[T any](name string, names []string, all []T, describe func(T) Entry) kind {
	return kind{name, names, func(i int) Entry { return describe(all[i]) }}
}

func KindNames() []string {
	return text.Texts(Kinds(), func(k kind) string { return k.Name })
}

func describeKeys(keys []param.Key) (list []parameter) {
	for _, k := range keys {
		list = append(list, parameter{k.Name, k.Kind.String(), k.Default, k.Doc})
	}
	return list
}

func ParseListings(args []string) (chosen []Listing, err error) {
	for _, k := range Kinds() {
		switch {
		case len(args) > 0 && args[0] != k.Name:
		case len(args) == 2:
			i := slices.Index(k.Names, args[1])
			if i < 0 {
				return nil, fmt.Errorf("unknown name %q in %s %s", args[1], k.Name,
					text.Known(args[1], k.Names))
			}
			return []Listing{{k.Name, []Entry{k.describe(i)}}}, nil
		default:
			chosen = append(chosen, k.Listing())
		}
	}
	if len(chosen) == 0 {
		return nil, fmt.Errorf("unknown kind %q %s", args[0], text.Known(args[0], KindNames()))
	}
	return chosen, nil
}

func (k kind) Listing() Listing {
	l := Listing{Kind: k.Name}
	for i := range k.Names {
		l.Entries = append(l.Entries, k.describe(i))
	}
	return l
}
