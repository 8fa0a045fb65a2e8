package measure

import (
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/perf/benchfmt"

	"github.com/poolbench/poolbench/internal/gate/judge"
	"github.com/poolbench/poolbench/internal/gate/verdict"
)

// judged returns the report of a gate. The base needs 100 ns, the head needs ns, and same and
// slower are the times of the controls.
func judged(t *testing.T, ns, same, slower float64, change func(*gate)) *verdict.Report {
	t.Helper()
	b := benchmark{Package: "p", Name: "BenchmarkA", Iterations: 10}
	g := &gate{plan: &plan{Benchmarks: []benchmark{b}, Controls: controls}}
	g.Judge = judge.Defaults()
	pairs := g.Judge.ScreenPairs + g.Judge.FreshPairs
	jitter := []float64{0, 0.1, -0.1, 0.2, -0.2}
	g.results = madeJournal(t, t.TempDir(), b, pairs, ns, jitter...)
	g.controls = madeJournal(t, t.TempDir(), controls[0], pairs, same, jitter...)
	other := madeJournal(t, t.TempDir(), controls[1], pairs, slower, jitter...)
	g.controls.kept[controls[1].String()] = other.kept[controls[1].String()]
	for _, j := range []*journal{g.results, g.controls, other} {
		if err := j.close(""); err != nil {
			t.Fatal(err)
		}
	}
	g.paces = slices.Repeat([]pace{{screening: time.Second}}, 3)
	if change != nil {
		change(g)
	}
	s, err := g.screen()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.more(g.all()); err != nil {
		t.Fatal(err)
	}
	o, err := g.conclude(s)
	if err != nil {
		t.Fatal(err)
	}
	return o
}

func each(g *gate, change func(pair int, s side, r *reading)) {
	kept := g.results.kept["p.BenchmarkA"]
	for pair, runs := range kept {
		for s := range runs {
			change(pair, side(s), &runs[s])
		}
		kept[pair] = runs
	}
}

func better(g *gate, unit, value string) {
	key := benchfmt.UnitMetadataKey{Unit: unit, Key: "better"}
	g.results.units[key] = &benchfmt.UnitMetadata{UnitMetadataKey: key,
		OrigUnit: unit, Value: value}
}

// first and fresh are the numbers of fresh pairs before and after the first look, for the benchmark
// and both controls.
func TestFreshPairs(t *testing.T) {
	const screened = 6
	for _, c := range []struct {
		name         string
		ns, slower   func(pair int) float64
		first, fresh [3]int
		code         int
	}{
		{"no suspect", func(int) float64 { return 100 }, func(int) float64 { return 115 },
			[3]int{0, 0, 10}, [3]int{0, 0, 10}, verdict.ExitFine},
		{"worse at first, then the same", func(pair int) float64 {
			if pair < screened {
				return 112
			}
			return 100
		}, func(int) float64 { return 115 }, [3]int{10, 0, 10}, [3]int{10, 0, 10},
			verdict.ExitFine},
		{"worse", func(int) float64 { return 112 }, func(int) float64 { return 115 },
			[3]int{10, 0, 10}, [3]int{20, 0, 10}, verdict.ExitRegression},
		{"a control that half the pairs do not find", func(int) float64 { return 100 },
			func(pair int) float64 {
				if pair >= screened && pair < screened+10 && pair%4 == 0 {
					return 90
				}
				return 115
			}, [3]int{0, 0, 10}, [3]int{0, 0, 20}, verdict.ExitFine},
		{"a control that is faster", func(int) float64 { return 100 },
			func(int) float64 { return 80 }, [3]int{}, [3]int{}, verdict.ExitFault},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := benchmark{Package: "p", Name: "BenchmarkA", Iterations: 10}
			g := &gate{plan: &plan{Benchmarks: []benchmark{b}, Controls: controls}}
			g.Judge = judge.Defaults()
			g.results = &journal{kept: map[string][][2]reading{},
				units: benchfmt.UnitMetadataMap{}}
			g.controls = &journal{kept: map[string][][2]reading{},
				units: benchfmt.UnitMetadataMap{}}
			all := g.all()
			run := func(fresh [3]int) {
				for i, of := range []func(pair int) float64{c.ns, func(int) float64 { return 100 },
					c.slower} {
					j, name := g.journalOf(i), all[i].String()
					j.kept[name] = nil
					for pair := range screened + fresh[i] {
						j.kept[name] = append(j.kept[name],
							[2]reading{madeReading(all[i].Name, 100),
								madeReading(all[i].Name, of(pair)+float64(pair%3)/10)})
					}
				}
			}
			run([3]int{})
			s, err := g.screen()
			if err != nil {
				t.Fatal(err)
			}
			first := s.orders(all)
			if !slices.Equal(first, c.first[:]) {
				t.Fatalf("%v at first, want %v", first, c.first)
			}
			run(c.first)
			fresh, err := s.more(all)
			for i := range fresh {
				fresh[i] = max(fresh[i], first[i])
			}
			if err != nil || !slices.Equal(fresh, c.fresh[:]) {
				t.Fatalf("%v, want %v: %v", fresh, c.fresh, err)
			}
			run(c.fresh)
			if o, err := g.conclude(s); err != nil || o.ExitCode() != c.code {
				t.Errorf("%+v: %v", o, err)
			}
		})
	}
}

// The report must contain the number of pairs that would suffice.
func TestUndecided(t *testing.T) {
	r := judged(t, 100, 100, 115, func(g *gate) {
		each(g, func(pair int, s side, r *reading) {
			if s == side(pair%2) {
				r.tidy["sec/op"] *= 1 + 0.3*float64(pair*7%11)
			}
		})
	})
	const want = "a regression of 10 % is not excluded; a decision needs about "
	if row := r.Rows[0]; r.ExitCode() != verdict.ExitUndecidable ||
		!strings.HasPrefix(row.Reason, want) || row.Needs <= 100 {
		t.Errorf("%+v", row)
	}
}

func TestVerdicts(t *testing.T) {
	for _, c := range []struct {
		name             string
		ns, same, slower float64
		change           func(*gate)
		code             int
		says             string
	}{
		{"unchanged", 100, 100, 115, nil, verdict.ExitFine, ""},
		{"slower", 112, 100, 115, nil, verdict.ExitRegression, ""},
		{"faster", 70, 100, 115, nil, verdict.ExitFine, ""},
		{"within the margin", 101.5, 100, 115, nil, verdict.ExitFine, ""},
		{"the same work is worse", 100, 110, 115, nil, verdict.ExitFault,
			"not reliable: the control with the same work on both sides was worse"},
		{"the same work is better", 100, 88.8, 115, nil, verdict.ExitFault,
			"not reliable: the control with the same work on both sides was better"},
		{"and so is the benchmark", 112, 88.8, 115, nil, verdict.ExitFault,
			"not reliable: the control with the same work on both sides was better"},
		{"more work is not found", 100, 100, 100, nil, verdict.ExitFault,
			"not reliable: the control with 15% more work "},
		{"and a regression is no regression then", 112, 100, 101, nil, verdict.ExitFault,
			"not reliable: the control with 15% more work "},
		{"direction not known", 100, 100, 115, func(g *gate) {
			each(g, func(_ int, _ side, r *reading) { r.add(1, "quality") })
		}, verdict.ExitFine, ""},
		{"direction not known, and asked for", 100, 100, 115, func(g *gate) {
			g.Metrics = []string{"quality"}
			each(g, func(_ int, _ side, r *reading) { r.add(1, "quality") })
		}, verdict.ExitFault, "quality of p.A has no verdict: no Unit line"},
		{"higher is better", 100, 100, 115, func(g *gate) {
			better(g, "ops/x", "higher")
			each(g, func(pair int, s side, r *reading) {
				r.add(100-20*float64(s)+float64(pair%3), "ops/x")
			})
		}, verdict.ExitRegression, ""},
		{"lost by the head", 100, 100, 115, func(g *gate) {
			each(g, func(_ int, s side, r *reading) {
				if s == base {
					r.add(1, "B/op")
				}
			})
		}, verdict.ExitUndecidable, "B/op of p.A has no verdict: missing in the head"},
		{"only in the head", 100, 100, 115, func(g *gate) {
			each(g, func(_ int, s side, r *reading) {
				if s == head {
					r.add(1, "B/op")
				}
			})
		}, verdict.ExitFine, ""},
		{"instructions that could be counted once", 100, 100, 115, func(g *gate) {
			better(g, Instructions, "lower")
			each(g, func(pair int, s side, r *reading) {
				if s == base && pair == 2 {
					r.add(1e6, Instructions)
				}
			})
		}, verdict.ExitFine, ""},
		{"and that were asked for", 100, 100, 115, func(g *gate) {
			g.Metrics = []string{Instructions}
			better(g, Instructions, "lower")
			each(g, func(pair int, _ side, r *reading) {
				if pair > 0 {
					r.add(1e6, Instructions)
				}
			})
		}, verdict.ExitFault, "instructions/op of p.A has no verdict: missing in some"},
		{"in some runs", 100, 100, 115, func(g *gate) {
			each(g, func(pair int, _ side, r *reading) {
				if pair > 0 {
					r.add(1, "B/op")
				}
			})
		}, verdict.ExitUndecidable, "missing in some runs"},
		{"worse, and then in some runs no longer there", 100, 100, 115, func(g *gate) {
			each(g, func(pair int, s side, r *reading) {
				if pair != 15 {
					r.add(100+30*float64(s)+float64(pair%3), "B/op")
				}
			})
		}, verdict.ExitUndecidable, ""},
		{"negative", 100, 100, 115, func(g *gate) {
			each(g, func(_ int, _ side, r *reading) { r.add(-1, "B/op") })
		}, verdict.ExitUndecidable, "negative values"},
		{"negative in a fresh run, and calm", 100, 100, 115, func(g *gate) {
			each(g, func(pair int, _ side, r *reading) {
				r.add(map[bool]float64{false: 1, true: -1}[pair == 15], "B/op")
			})
		}, verdict.ExitFine, ""},
		{"gone in the first fresh run, and suspect", 100, 100, 115, func(g *gate) {
			each(g, func(pair int, s side, r *reading) {
				if pair != 6 {
					r.add(100+30*float64(s), "sec/step")
				}
			})
		}, verdict.ExitUndecidable, ""},
		{"negative in a fresh run, and suspect", 100, 100, 115, func(g *gate) {
			each(g, func(pair int, s side, r *reading) {
				r.add(map[bool]float64{false: 100 + 30*float64(s), true: -1}[pair == 15],
					"sec/step")
			})
		}, verdict.ExitUndecidable, ""},
		{"the same work is all over the place", 100, 100, 115, func(g *gate) {
			for pair, runs := range g.controls.kept[controls[0].String()] {
				slow := head // slower in the screening, so that it gets fresh pairs
				if pair >= 6 {
					slow = side(pair % 2)
				}
				runs[slow].tidy["sec/op"] *= 2
			}
		}, verdict.ExitFine, "because the machine is too noisy to show that the same work is no " +
			"worse"},
		{"more work is lost in the noise, and an allocation more is not", 100, 100, 115,
			func(g *gate) {
				for pair, runs := range g.controls.kept[controls[1].String()] {
					runs[side(pair%2)].tidy["sec/op"] *= 2
				}
				each(g, func(_ int, s side, r *reading) { r.add(3+float64(s), "allocs/op") })
			}, verdict.ExitRegression, "the machine was too busy"},
		{"more work is lost in the noise", 100, 100, 115, func(g *gate) {
			for pair, runs := range g.controls.kept[controls[1].String()] {
				runs[side(pair%2)].tidy["sec/op"] *= 2
			}
		}, verdict.ExitFault,
			"the machine was too busy: the control with 15% more work should be worse, but was " +
				"inconclusive"},
		{"and a regression does not stand beside it", 112, 100, 115, func(g *gate) {
			for pair, runs := range g.controls.kept[controls[1].String()] {
				runs[side(pair%2)].tidy["sec/op"] *= 2
			}
		}, verdict.ExitFault, "the machine was too busy: "},
		{"asked for, and nowhere", 100, 100, 115,
			func(g *gate) { g.Metrics = []string{"sec/op", "x/op"} }, verdict.ExitFault,
			"no benchmark reports x/op"},
		{"the first allocation", 100, 100, 115, func(g *gate) {
			each(g, func(_ int, s side, r *reading) { r.add(float64(s), "allocs/op") })
		}, verdict.ExitRegression, ""},
		{"instructions have a margin of 1 %", 100, 100, 115, func(g *gate) {
			better(g, Instructions, "lower")
			each(g, func(pair int, s side, r *reading) {
				r.add(1000+15*float64(s)+0.1*float64(pair%3), Instructions)
			})
		}, verdict.ExitRegression, "instructions/op are tested separately, with a " +
			"margin of 1%"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := judged(t, c.ns, c.same, c.slower, c.change)
			if r.ExitCode() != c.code {
				t.Errorf("exit code %d, want %d\n%s", r.ExitCode(), c.code, explain(r))
			}
			said := slices.Concat(r.Faults, r.Unclear, r.Warnings)
			if !slices.ContainsFunc(said,
				func(line string) bool { return strings.Contains(line, c.says) }) {
				t.Errorf("%q is not among %q", c.says, said)
			}
			failed := strings.HasPrefix(c.says, "untrusted") || strings.Contains(c.says, "too busy")
			for _, p := range r.Pairs[:len(r.Rows)] {
				counted := verdict.IsAllocation(p.Row.Metric)
				if failed && !counted && p.Row.Verdict != verdict.Inconclusive {
					t.Errorf("a control failed, and %s of %s is %s", p.Row.Metric, p.Row.Benchmark,
						p.Row.Verdict)
				}
			}
		})
	}
}

// MB/s contains the same information as the time, so it must not add a test.
func TestThroughputIsNoSecondTime(t *testing.T) {
	both := func(g *gate) { each(g, func(_ int, s side, r *reading) { r.add(5e6, "B/s") }) }
	if r := judged(t, 100, 100, 115, both); len(r.Rows) != 1 || len(r.NotGated) != 1 {
		t.Errorf("%d rows, %d not gated", len(r.Rows), len(r.NotGated))
	}
	r := judged(t, 100, 100, 115, func(g *gate) { both(g); g.Metrics = []string{"B/s"} })
	if len(r.Rows) != 1 || r.Rows[0].Metric != "B/s" || r.ExitCode() != verdict.ExitFine {
		t.Errorf("asked for: %s", explain(r))
	}
}

func TestValidateOrder(t *testing.T) {
	o := Defaults()
	o.Base, o.Bench, o.Skip, o.Guard = "main", "(", ")", []string{"guard"}
	o.Control = func(bool, string) []string { return nil }
	for range 50 {
		lines := strings.Split(o.Validate().Error(), "\n")
		if len(lines) != 2 || !strings.HasPrefix(lines[0], "bench: ") ||
			!strings.HasPrefix(lines[1], "skip: ") {
			t.Fatalf("%q", lines)
		}
	}
}
