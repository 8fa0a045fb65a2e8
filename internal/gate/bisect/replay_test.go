package bisect

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"testing"

	"github.com/poolbench/poolbench/internal/gate/judge"
	"github.com/poolbench/poolbench/internal/gate/measure"
	"github.com/poolbench/poolbench/internal/gate/verdict"
)

func history(candidates int) (commits []measure.Commit) {
	for i := range candidates + 1 {
		commits = append(commits, measure.Commit{Hash: fmt.Sprintf("%012d", i), Author: "Ada",
			Date: "2026-01-02", Subject: fmt.Sprintf("change %d", i)})
	}
	return commits
}

// fake simulates gates between commits with known times.
type fake struct {
	t      *testing.T
	level  func(commit int) float64 // time relative to GOOD
	broken func(commit int) error
	noise  func() float64
	layout float64 // standard deviation of the layout effect of a binary
	rng    *rand.Rand
	better verdict.Direction
	unit   string
	gates  int
	asked  []Question
	fresh  []judge.Pair
	screen []judge.Sample
}

func newFake(t *testing.T, seed uint64, level func(commit int) float64) *fake {
	f := &fake{t: t, level: level, broken: func(int) error { return nil },
		rng: rand.New(rand.NewPCG(seed, 1)), layout: 0.015, better: verdict.LowerIsBetter,
		unit: "sec/op"}
	f.noise = func() float64 { return math.Exp(0.02 * f.rng.NormFloat64()) }
	return f
}

func from(at int, factor float64) func(int) float64 {
	return func(commit int) float64 {
		if commit >= at {
			return factor
		}
		return 1
	}
}

func number(c measure.Commit) (n int) {
	if _, err := fmt.Sscanf(c.Hash, "%d", &n); err != nil {
		panic(err)
	}
	return n
}

func (f *fake) gate(_ context.Context, q Question) (*verdict.Report, error) {
	f.asked = append(f.asked, q)
	base, head := number(q.Base), number(q.Head)
	if err := f.broken(head); err != nil {
		return nil, err
	}
	if !q.More {
		f.gates++
		f.fresh = nil
	}
	of := judge.Metric{Package: "m", Benchmark: "Parse", Unit: f.unit, Better: f.better}
	pairs := func(n int) []judge.Sample {
		s := judge.Sample{Metric: of}
		for range n {
			var p judge.Pair
			first := f.rng.IntN(2)
			for i := range 2 {
				level := f.noise() * math.Exp(f.layout*f.rng.NormFloat64())
				if (i == first) == (f.better == verdict.LowerIsBetter) {
					level *= f.level(base)
					p.Base = level
				} else {
					p.Head = level * f.level(head)
				}
			}
			s.Pairs = append(s.Pairs, p)
		}
		return []judge.Sample{s}
	}
	return f.decide(q, pairs), nil
}

func (f *fake) decide(q Question, pairs func(n int) []judge.Sample) *verdict.Report {
	f.t.Helper()
	if !q.More {
		f.screen = pairs(q.Rule.ScreenPairs)
	}
	screened, err := judge.Screen(q.Rule, f.screen)
	if err != nil {
		f.t.Fatal(err)
	}
	fresh := pairs(0)
	raise := func(orders []judge.PairRequest) []judge.Sample {
		if len(orders) > 0 && orders[0].Pairs > len(f.fresh) {
			f.fresh = append(f.fresh, pairs(orders[0].Pairs - len(f.fresh))[0].Pairs...)
		}
		fresh[0].Pairs = f.fresh
		return fresh
	}
	have := raise(screened.Orders())
	for n := -1; n != len(f.fresh); {
		n = len(f.fresh)
		more, err := screened.More(have)
		if err != nil {
			f.t.Fatal(err)
		}
		have = raise(more)
	}
	decided, err := screened.Decide(have)
	if err != nil {
		f.t.Fatal(err)
	}
	r := &verdict.Report{Spent: &verdict.Elapsed{Whole: 60}}
	decided.AddTo(r)
	return r
}

func (f *fake) search(candidates int) (*Report, error) {
	s := &Search{Commits: history(candidates), Judge: judge.Defaults(), Gate: f.gate,
		Say: func(line string) { f.t.Log(line) }}
	return s.Run(f.t.Context())
}

// sources returns generators of noise: recorded runs of 41 ms and 7.5 ms, and normal noise.
func sources(t *testing.T) map[string]func(*rand.Rand) func() float64 {
	t.Helper()
	data, err := os.ReadFile("../judge/testdata/cpu.txt")
	if err != nil {
		t.Fatal(err)
	}
	recorded := func(column int) func(*rand.Rand) func() float64 {
		var runs []float64
		const tasks = 10
		sum, n := 0.0, 0
		for line := range bytes.Lines(data) {
			var fields [3]float64
			if _, err := fmt.Sscan(string(line), &fields[0], &fields[1], &fields[2]); err != nil {
				t.Fatal(err)
			}
			sum += fields[column]
			if n++; n%tasks == 0 {
				runs = append(runs, sum/tasks)
				sum = 0
			}
		}
		return func(rng *rand.Rand) func() float64 {
			at := rng.IntN(len(runs))
			return func() float64 {
				at = (at + 1) % len(runs)
				return runs[at]
			}
		}
	}
	normal := func(deviation float64) func(*rand.Rand) func() float64 {
		return func(rng *rand.Rand) func() float64 {
			return func() float64 { return math.Exp(deviation * rng.NormFloat64()) }
		}
	}
	return map[string]func(*rand.Rand) func() float64{"sha": recorded(1), "map": recorded(2),
		"2 %": normal(0.02), "9 %": normal(0.09)}
}

var sweep = flag.Bool("sweep", false, "400 searches on each kind of noise")

// One of 64 commits is 15 % slower. 90 % of the searches must find this commit.
func TestReplay(t *testing.T) {
	const candidates, maxGates = 64, 8
	searches := 20
	switch {
	case *sweep:
		searches = 400
	case testing.Short():
		searches = 4
	}
	for name, source := range sources(t) {
		t.Run(name, func(t *testing.T) {
			right, wrong := 0, 0
			for i := range searches {
				rng := rand.New(rand.NewPCG(uint64(i), 2))
				at := 1 + rng.IntN(candidates)
				f := newFake(t, uint64(i), from(at, 1.15))
				f.noise = source(rng)
				r, err := f.search(candidates)
				if err != nil {
					t.Fatal(err)
				}
				if f.gates > maxGates || f.gates != r.Gates || r.MostGates != maxGates {
					t.Errorf("%d gates (reported %d of %d)", f.gates, r.Gates, r.MostGates)
				}
				switch {
				case r.Found != nil && number(*r.Found) == at:
					right++
				case r.Found != nil:
					wrong++
				default:
					t.Logf("commit %d: %s", at, r.Why)
				}
			}
			t.Logf("%d of %d right, %d wrong", right, searches, wrong)
			if 10*right < 9*searches || wrong > 0 {
				t.Errorf("%d of %d right, %d wrong", right, searches, wrong)
			}
		})
	}
}

var errBroken = errors.New("the head does not build: example.org/m\n    m.go:1: syntax error")
