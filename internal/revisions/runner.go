package revisions

import (
	"context"
	"errors"
	"fmt"
	"time"

	"golang.org/x/perf/benchfmt"
)

// A runner runs one side of one benchmark, in a process of its own.
type runner struct {
	options  Options
	sides    [2]*binaries
	count    func() (*counter, error)
	expected map[string]time.Duration // that a run takes, where the warm-up has told
}

// A run is what is run.
type run struct {
	benchmark benchmark
	side      side
	layout    int
	benchTime string
	seed      uint64
}

// controlPackage is in place of the package of the controls.
const controlPackage = "poolbench"

// controls are the benchmarks of known outcome: the first with the same work on both sides, the second with more on the head's.
var controls = [2]benchmark{{Package: controlPackage, Name: ControlName + "Same"}, {Package: controlPackage, Name: ControlName + "Slower"}}

// command is the process of a run, and the name that its result will have.
func (r *runner) command(what run) (c command, name string, err error) {
	if what.benchmark.Package == controlPackage && (what.benchmark.Name == controls[0].Name || what.benchmark.Name == controls[1].Name) {
		slower := what.benchmark.Name == controls[1].Name && what.side == head
		return command{argv: r.options.Control(slower, what.benchTime), env: seeded(what.seed)}, ControlName, nil
	}
	b := r.sides[what.side]
	for p, found := range b.packages {
		if found.path != what.benchmark.Package {
			continue
		}
		c := b.command(p, what.layout, only(what.benchmark.Name), what.benchTime, processors())
		c.env = seeded(what.seed)
		name := what.benchmark.Name
		if n := processors(); n > 1 {
			name += fmt.Sprintf("-%d", n)
		}
		return c, name, nil
	}
	return command{}, "", fmt.Errorf("the %v has no package %s", what.side, what.benchmark.Package)
}

// once is the reading of a single run, and the instructions of its process.
func (r *runner) once(ctx context.Context, what run) (reading, benchfmt.UnitMetadataMap, finished, error) {
	c, name, err := r.command(what)
	if err != nil {
		return reading{}, nil, finished{}, err
	}
	limit := r.options.Limit
	if limit == 0 {
		expected, known := r.expected[what.benchmark.String()]
		if limit = DefaultLimit(max(expected, r.options.BenchTime.Time)); !known && r.options.BenchTime.Iterations > 0 {
			limit = listLimit
		}
	}
	c.count = r.count
	after, err := c.run(ctx, limit)
	where := func(err error) error {
		return fmt.Errorf("%v of the %v: %w", what.benchmark, what.side, err)
	}
	var not *failed
	switch {
	case ctx.Err() != nil:
		return reading{}, nil, after, context.Cause(ctx)
	case errors.As(err, &not):
		said := firstLines(string(after.stderr), 8)
		if names := outcomes(after.stdout, "FAIL"); len(names) > 0 {
			said = "it failed" + about(after.stdout, names[0])
		}
		return reading{}, nil, after, where(fmt.Errorf("%w\n    %s", not, said))
	case err != nil:
		return reading{}, nil, after, where(err)
	}
	got, units, err := one(after.stdout, name)
	if err != nil {
		return reading{}, nil, after, where(err)
	}
	if what.benchmark.Package == controlPackage {
		got.name = what.benchmark.Name
	}
	return got, units, after, nil
}

// fewestToCount is the number of iterations from which a tenth of them is enough to subtract; see openInstructions.
const fewestToCount = 20

// measured is a run with its instructions, where they can be had.
func (r *runner) measured(ctx context.Context, what run) (reading, error) {
	got, _, whole, err := r.once(ctx, what)
	if err != nil || whole.instructions == 0 || what.benchmark.Iterations < fewestToCount {
		return got, err
	}
	few := what.benchmark.Iterations / 10
	what.benchTime = BenchTime{Iterations: few}.String()
	_, _, part, err := r.once(ctx, what)
	if err != nil {
		return reading{}, err
	}
	if part.instructions > 0 && part.instructions < whole.instructions {
		got.add(float64(whole.instructions-part.instructions)/float64(what.benchmark.Iterations-few), Instructions)
	}
	return got, nil
}

// pair measures both sides of a slot, and what the machine did meanwhile.
func (r *runner) pair(ctx context.Context, b benchmark, at slot) (record, error) {
	rec := record{slot: at}
	order := [2]side{base, head}
	if at.headFirst {
		order = [2]side{head, base}
	}
	stolen, all := ticks()
	for _, s := range order {
		var err error
		what := run{b, s, at.layout, BenchTime{Iterations: b.Iterations}.String(), at.seed}
		if rec.runs[s], err = r.measured(ctx, what); err != nil {
			return record{}, err
		}
	}
	stolenNow, allNow := ticks()
	load := loadAverage()
	for s := range rec.runs {
		if allNow > all {
			rec.runs[s].add(float64(stolenNow-stolen)/float64(allNow-all), Steal)
		}
		if load >= 0 {
			rec.runs[s].add(load, LoadAverage)
		}
	}
	return rec, nil
}

// warmUp runs a pair that does not count: the programs are then in memory, and it tells how many iterations a run has.
func (r *runner) warmUp(ctx context.Context, b *benchmark, at slot, units benchfmt.UnitMetadataMap) error {
	least, slowest := 0, 0.0
	var longest time.Duration
	for _, s := range []side{base, head} {
		got, said, after, err := r.once(ctx, run{*b, s, at.layout, r.options.BenchTime.warmUp().String(), at.seed})
		if err != nil {
			return err
		}
		for key, value := range said {
			if was, ok := units[key]; ok && was.Value != value.Value {
				return fmt.Errorf("%v of the %v says %s of %s where another says %s", b, s, value.Value, value.OrigUnit, was.Value)
			}
			units[key] = value
		}
		if least == 0 || got.iters < least {
			least = got.iters
		}
		slowest, longest = max(slowest, got.tidy["sec/op"]), max(longest, after.took)
	}
	if b.Iterations == 0 {
		b.Iterations = r.options.BenchTime.iterations(least, slowest)
	}
	r.expected[b.String()] = longest * warmUp
	return nil
}
