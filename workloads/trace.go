package workloads

import (
	"errors"
	"fmt"
	"math"
	"os"
	"time"

	"github.com/poolbench/poolbench/bench/param"
	"github.com/poolbench/poolbench/internal/traffic/traces"
)

// A trace keeps what no distribution has: the order of its durations. They are neither drawn nor
// independent, so the workload is not Distributed, and no formula of queueing theory is applied to
// it.
var _ = register(Spec{
	Name: "trace",
	Summary: "waits the durations of a CSV file in their order, from the first again after the " +
		"last: the seed changes nothing",
	Kind: Wait,
	Keys: append([]param.Key{
		{Name: "file", Kind: param.Text,
			Doc: "CSV file with a duration a line, as 1.5ms or in seconds, 0.0015"},
		{Name: "column", Kind: param.Text, Default: "1",
			Doc: "column of the durations: its number, or its name in the first line"},
		{Name: "time", Kind: param.Text, Default: traces.NoColumn, Doc: "column of the times, " +
			"which arrival trace is given: a task then has the duration of its arrival"},
		{Name: "class", Kind: param.Text, Default: traces.NoColumn, Doc: "column of the " +
			"classes, beside time: tasks are then short or long to strategies and results"},
		{Name: "long", Kind: param.Text, Default: "auto", Doc: "class whose tasks are long; auto: " +
			"those whose mean duration is above that of all, if it is twice that of the others"},
		{Name: "tenant", Kind: param.Text, Default: traces.NoColumn, Doc: "column of the " +
			"tenants, in place of class: at most 255, numbered from the one with the most tasks"},
		{Name: "priority", Kind: param.Text, Default: traces.NoColumn, Doc: "column of the " +
			"priorities, in place of class: whole numbers, the larger the more urgent"},
		{Name: "deadline", Kind: param.Text, Default: traces.NoColumn, Doc: "column of how long " +
			"after it is due a task is to be done, in place of class: at most 255 different ones"},
	}, traces.Keys()...),
	New: func(seed uint64, v param.Values) (Workload, error) {
		if v.Given("time") {
			return timedTrace(seed, v)
		}
		for _, key := range append(traces.Keys(), param.Key{Name: "class"},
			param.Key{Name: "long"}, param.Key{Name: "tenant"}, param.Key{Name: "priority"},
			param.Key{Name: "deadline"}) {
			if v.Given(key.Name) {
				return nil, fmt.Errorf("%s: give time, the column of the times, as well", key.Name)
			}
		}
		times, err := openTrace(v.Text("file"), v.Text("column"))
		if err != nil {
			return nil, err
		}
		return newTrace(len(times), func(i int) time.Duration { return times[i] })
	},
})

// trace is the waits of the lines: task seq takes that of line seq mod n.
type trace struct {
	waiter
	times // exactly those of the lines
}

func newTrace(lines int, at func(i int) time.Duration) (*trace, error) {
	n := float64(lines)
	var sum, squares float64
	for i := range lines {
		sum += float64(at(i))
	}
	mean := sum / n
	if mean < 1 {
		return nil, fmt.Errorf("file: the mean of the durations must be at least 1ns, got %vns",
			mean)
	}
	for i := range lines {
		x := float64(at(i))/mean - 1
		squares += x * x
	}
	w := &trace{times: times{time.Duration(math.Round(mean)), squares / n}}
	w.time = func(_ *slot, seq uint64) time.Duration { return at(int(seq % uint64(lines))) }
	return w, nil
}

// timedTrace has the tasks of arrival trace, in its order.
func timedTrace(seed uint64, v param.Values) (Workload, error) {
	if !v.Given("class") && v.Given("long") {
		return nil, errors.New("long: give class, the column of the classes, as well")
	}
	of, class := "", traces.NoColumn // what the column that is read beside the times is about
	for _, key := range []string{"class", "tenant", "priority", "deadline"} {
		switch {
		case !v.Given(key):
		case of != "":
			return nil, fmt.Errorf("%s: give it or %s, not both: one column is read beside the "+
				"times", key, of)
		default:
			of, class = key, v.Text(key)
		}
	}
	p, err := traces.Open(v, v.Text("file"), v.Text("time"), v.Text("column"), class)
	if err != nil {
		return nil, err
	}
	records := p.Records(seed)
	w, err := newTrace(len(records), func(i int) time.Duration {
		return time.Duration(records[i].Took())
	})
	if err != nil || class == traces.NoColumn {
		return w, err
	}
	if of != "class" {
		return labelledTrace(w, of, p.Classes(), records)
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

// A classedTrace has tasks of two classes.
type classedTrace struct {
	*trace
	records []traces.Record
	long    []bool // by class of the file
}

// Long implements Classed.
func (w *classedTrace) Long(seq uint64) bool {
	return w.long[w.records[seq%uint64(len(w.records))].Class()]
}

// openTrace reads a regular file alone: a pipe could be read only once, and a variant is checked
// before it is built.
func openTrace(path, column string) ([]time.Duration, error) {
	at, err := traceColumn(column)
	if err != nil {
		return nil, fmt.Errorf("column: %w", err)
	}
	info, err := os.Stat(path)
	if err != nil {
		return nil, fmt.Errorf("file: %w", err)
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("file: %s is not a regular file", path)
	}
	if info.Size() > mostTraceBytes {
		return nil, fmt.Errorf("file: %s has %d bytes, want at most %d", path,
			info.Size(), mostTraceBytes)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("file: %w", err)
	}
	defer f.Close()
	times, err := readTrace(f, column, at)
	if err != nil {
		return nil, fmt.Errorf("file: %s: %w", path, err)
	}
	return times, nil
}
