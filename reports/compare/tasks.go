package compare

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/poolbench/poolbench/internal/statistics"
	"github.com/poolbench/poolbench/internal/text"
	"github.com/poolbench/poolbench/reports/results"
)

// A TaskDifference compares the responses of the same tasks in two columns, over all pairs of
// virtual runs. All differences are effects of the change.
type TaskDifference struct {
	Benchmark string `json:"benchmark"`
	Column    string `json:"column"`
	Base      string `json:"base"`
	Pairs     int    `json:"pairs"`
	Tasks     int    `json:"tasks"` // completed in both
	// shares of the tasks, by response
	Later   float64 `json:"later"`
	Earlier float64 `json:"earlier"`
	Equal   float64 `json:"equal"`
	// this column minus the base, in seconds
	Mean float64 `json:"meanSec"`
	P99  float64 `json:"p99Sec"`
	// tasks that completed in only one column
	OnlyBase int `json:"onlyBase"`
	OnlyHere int `json:"onlyHere"`
}

func (d *TaskDifference) identical() bool {
	return d.Equal == 1 && d.OnlyBase+d.OnlyHere == 0
}

func (d *TaskDifference) String() string {
	if d.identical() {
		return fmt.Sprintf("each of %d tasks is equal to the nanosecond", d.Tasks)
	}
	s := fmt.Sprintf("of %d tasks %s end later, %s earlier, %s are equal; mean %s, p99 of the "+
		"difference %s", d.Tasks, text.Share(d.Later), text.Share(d.Earlier),
		text.Share(d.Equal), Signed(d.Mean), Signed(d.P99))
	if d.OnlyBase+d.OnlyHere > 0 {
		s += fmt.Sprintf("; %d completed in %s alone, %d in %s alone", d.OnlyBase, d.Base,
			d.OnlyHere, d.Column)
	}
	return s
}

// Responses are compared under the virtual clock, their parts under both clocks.
func (g *grid) compareTasks(
	inputs []results.Input,
) (all []TaskDifference, parts []ColumnDifference, err error) {
	dirs := map[*results.Run]string{}
	for _, in := range inputs {
		for i := range in.Results.Runs {
			dirs[&in.Results.Runs[i]] = in.Results.Dir
		}
	}
	at := func(r *results.Run) Source { return SourceOf(dirs[r], r) }
	kept := map[Source]*Tasks{}
	for _, p := range g.pairs {
		for _, r := range slices.Concat(p.Old, p.New) {
			kept[at(r)] = nil
		}
	}
	if err := ReadTasks(kept); err != nil {
		return nil, nil, err
	}
	for place, p := range g.pairs {
		d := TaskDifference{Benchmark: place.row.StringValues(), Column: place.col.StringValues(),
			Base: place.base.StringValues()}
		var differences []int64
		var known []Pair
		for i, old := range p.Old {
			pair := Pair{Base: kept[at(old)], Here: kept[at(p.New[i])]}
			if pair.Known() {
				known = append(known, pair)
			}
			was, is := pair.Base.Responses(), pair.Here.Responses()
			if len(was) != len(is) || len(was) == 0 {
				continue
			}
			d.Pairs++
			differences = d.add(differences, was, is)
		}
		whole := d.Pairs > 0 && d.Pairs == len(p.Old) && len(differences) > 0
		if d.Tasks = len(differences); whole && virtual(p) {
			d.summarise(differences)
			all = append(all, d)
		}
		if whole && len(known) == d.Pairs {
			parts = append(parts, ColumnDifference{Benchmark: d.Benchmark, Column: d.Column,
				Base: d.Base, Difference: *Decompose(known)})
		}
	}
	slices.SortFunc(all, func(a, b TaskDifference) int {
		return cmp.Or(cmp.Compare(a.Benchmark, b.Benchmark), cmp.Compare(a.Column, b.Column))
	})
	slices.SortFunc(parts, func(a, b ColumnDifference) int {
		return cmp.Or(cmp.Compare(a.Benchmark, b.Benchmark), cmp.Compare(a.Column, b.Column))
	})
	return all, parts, nil
}

func (d *TaskDifference) add(to, base, now []int64) []int64 {
	for i, a := range base {
		switch b := now[i]; {
		case a >= 0 && b >= 0:
			to = append(to, b-a)
		case a >= 0:
			d.OnlyBase++
		case b >= 0:
			d.OnlyHere++
		}
	}
	return to
}

func (d *TaskDifference) summarise(differences []int64) {
	n, sum := float64(len(differences)), 0.0
	count := map[int]float64{}
	for _, v := range differences {
		sum += float64(v)
		count[cmp.Compare(v, 0)]++
	}
	d.Later, d.Earlier, d.Equal = count[+1]/n, count[-1]/n, count[0]/n
	d.Mean = sum / n / 1e9
	d.P99 = float64(statistics.NearestRanks(nil, differences, 0.99)[0]) / 1e9
}
