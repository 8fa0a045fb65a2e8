//go:build !js

package workloads

import (
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/poolbench/poolbench/bench/param"
	"github.com/poolbench/poolbench/internal/traffic/traces"
)

// The durations of a trace are not independent draws, so the workload is not Distributed and
// queueing theory does not apply.
var _ = register(Spec{
	Name: "trace",
	Summary: "waits the durations in a file in their order, and after the last begins again with " +
		"the first; independent of the seed",
	Kind: Wait,
	Keys: append([]param.Key{
		{Name: "file", Kind: param.Text,
			Doc: "file as for arrival trace, with a duration in each line: 1.5ms, or in seconds, " +
				"0.0015"},
		{Name: "column", Kind: param.Text, Default: "1",
			Doc: "column of the durations: its number, or its name in the first line"},
		{Name: "time", Kind: param.Text, Default: traces.NoColumn, Doc: "column of the times, as " +
			"in arrival trace; each task then has the duration from the line of its arrival"},
		{Name: "class", Kind: param.Text, Default: traces.NoColumn, Doc: "column of the classes, " +
			"used with time; strategies and results then distinguish short and long tasks"},
		{Name: "long", Kind: param.Text, Default: "auto", Doc: "class whose tasks are long; " +
			"auto: classes with a mean duration above the overall mean, if their tasks last at " +
			"least twice as long as the others"},
		{Name: "tenant", Kind: param.Text, Default: traces.NoColumn, Doc: "column of the " +
			"tenants, used with time; tenant 0 has the most tasks"},
		{Name: "priority", Kind: param.Text, Default: traces.NoColumn, Doc: "column of the " +
			"priorities, used with time: whole numbers; a larger number is more urgent"},
		{Name: "deadline", Kind: param.Text, Default: traces.NoColumn, Doc: "column of the " +
			"deadlines, used with time: the time from the due time until a task must be done, " +
			"1.5ms or in seconds; 0: no deadline"},
	}, traces.Keys()...),
	New: func(seed uint64, v param.Values) (Workload, error) {
		if v.Given("time") {
			return timedTrace(seed, v)
		}
		alone := append([]string{"class", "long"}, labelKeys[:]...)
		for _, key := range traces.Keys() {
			alone = append(alone, key.Name)
		}
		for _, key := range alone {
			if v.Given(key) {
				return nil, fmt.Errorf("%s: give time, the column of the times, as well", key)
			}
		}
		t, err := traces.Source{File: v.Text("file"), Duration: v.Text("column")}.Read()
		if err != nil {
			return nil, err
		}
		return newTrace(t.Records)
	},
})

// Task seq of a trace uses line seq mod n.
type trace struct {
	waiter
	timeMoments // exactly those of the lines
}

func newTrace(lines []traces.Record) (*trace, error) {
	n := float64(len(lines))
	var sum, squares float64
	for _, r := range lines {
		sum += float64(r.Took())
	}
	mean := sum / n
	if mean < 1 {
		return nil, fmt.Errorf("file: the mean of the durations must be at least 1ns, got %vns",
			mean)
	}
	for _, r := range lines {
		x := float64(r.Took())/mean - 1
		squares += x * x
	}
	w := &trace{timeMoments: timeMoments{time.Duration(math.Round(mean)), squares / n}}
	w.time = func(_ *slot, seq uint64) time.Duration {
		return time.Duration(lines[seq%uint64(len(lines))].Took())
	}
	return w, nil
}

// timedTrace has the tasks of arrival trace, in its order.
func timedTrace(seed uint64, v param.Values) (Workload, error) {
	if !v.Given("class") && v.Given("long") {
		return nil, errors.New("long: give class, the column of the classes, as well")
	}
	var columns [traces.MaxLabels]string
	for i, key := range labelKeys {
		if !v.Given(key) {
			continue
		}
		if columns[i] = v.Text(key); v.Given("class") {
			return nil, fmt.Errorf("%s and class exclude each other", key)
		}
	}
	p, err := traces.Open(v, v.Text("file"), v.Text("time"), v.Text("column"), v.Text("class"),
		columns)
	if err != nil {
		return nil, err
	}
	records, labels := p.Labelled(seed)
	for i, column := range columns {
		if column == "" { // of another variant, that reads the same file
			labels[i] = traces.Labels{}
		}
	}
	w, err := newTrace(records)
	switch {
	case err != nil:
		return nil, err
	case !v.Given("class"):
		return labelledTrace(w, v.Text("file"), labels)
	}
	name := v.Text("long")
	if name == "auto" {
		name = ""
	}
	long, err := p.Long(name)
	if err != nil {
		return nil, fmt.Errorf("long: %w", err)
	}
	return &classedTrace{w, records, long}, nil
}

type classedTrace struct {
	*trace
	records []traces.Record
	long    []bool // by class of the file
}

func (w *classedTrace) Long(seq uint64) bool {
	return w.long[w.records[seq%uint64(len(w.records))].Class()]
}
