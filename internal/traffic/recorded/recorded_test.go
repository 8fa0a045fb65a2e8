package recorded

import (
	"strconv"
	"strings"
	"testing"

	"github.com/poolbench/poolbench/internal/traffic"
)

// like returns a document whose traffic resembles the given arrival process.
func like(arrival string, factor float64, change func(*Document)) *Document {
	d := &Document{File: "a.csv", Arrival: "trace:file=a.csv", Description: traffic.Description{
		Tasks: 6000, Span: 150, Rate: 40, GapC2: 1, Course: make([]int, 60),
		Peak:       traffic.Peak{From: 60, Rate: 80},
		Dispersion: []traffic.Dispersion{{Window: 0.025, Index: 1}, {Window: 0.25, Index: 3.5}}},
		Resembles: &traffic.Likeness{Arrival: arrival, Factor: factor}}
	if change != nil {
		change(d)
	}
	return d
}

func TestHeadline(t *testing.T) {
	swing := func(period, share float64) func(*Document) {
		return func(d *Document) {
			d.Swing = &traffic.Swing{Period: period, Amplitude: 0.6, Share: share}
		}
	}
	for want, d := range map[string]*Document{
		"Tasks arrive evenly, 40.0 /s": like("constant", 1, nil),
		"Tasks arrive independently, as queueing formulas assume, 40.0 /s": like(
			"poisson", 1.2, nil),
		"Tasks arrive in batches, so formulas are too optimistic: replay the file": like(
			"bulk:n=5", 1.2, nil),
		"Tasks arrive in bursts, so formulas are too optimistic: replay the file": like(
			"mmpp:ratio=3,high=1s,low=3s", 2, swing(50, 0.6)),
		"No built-in process matches the arrivals: replay the file": like("mmpp", 2.1, nil),
		"The rate has a cycle of 50.0 s and varies by 60 %: replay the file, or its peak": like(
			"mmpp", 1.1, swing(50, 0.8)),
		"The rate varies, up to 2.00 times the mean in the busiest tenth: replay the file, or " +
			"this tenth": like("poisson", 1, swing(60, 0.8)),
		"Too few tasks to identify the arrival process: replay the file": like("", 0, func(d *Document) {
			d.Resembles = nil
		}),
	} {
		if got := d.Headline(); got != want {
			t.Errorf("got %q want %q", got, want)
		}
	}
}

func TestReplay(t *testing.T) {
	d := like("poisson", 1, func(d *Document) {
		d.Durations = &traffic.Durations{Mean: 0.5, Busy: 20}
		d.Arrival, d.Workload = "trace:file=a b", "trace:file=a b,column=2,time=1"
	})
	if got := strings.Join(d.Replay(strconv.Quote), " "); got != "poolbench run --clock virtual "+
		`--limit 28 --arrival "trace:file=a b" --workload "trace:file=a b,column=2,time=1"` {
		t.Error(got)
	}
	d.Arrival = ""
	if got := d.Replay(strconv.Quote); got != nil {
		t.Error(got)
	}
}
