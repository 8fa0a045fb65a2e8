package measure

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"golang.org/x/perf/benchfmt"

	"github.com/poolbench/poolbench/internal/machine"
	"github.com/poolbench/poolbench/internal/text"
)

type runner struct {
	options  Options
	sides    [2]*binaries
	guard    *guard
	count    func() (*counter, error)
	expected map[string]time.Duration // duration of a run, if known from the warm-up
	paces    map[string]pace
}

type run struct {
	benchmark benchmark
	side      side
	layout    int
	benchTime BenchTime
	seed      uint64
}

const controlPackage = "poolbench"

var controls = [2]benchmark{{Package: controlPackage, Name: ControlName + "Same"},
	{Package: controlPackage, Name: ControlName + "Slower"}}

func (r *runner) command(what run) (c command, name string, err error) {
	if what.benchmark.Package == controlPackage &&
		(what.benchmark.Name == controls[0].Name || what.benchmark.Name == controls[1].Name) {
		slower := what.benchmark.Name == controls[1].Name && what.side == head
		return command{argv: r.options.Control(slower, what.benchTime.String()),
			env: seeded(what.seed)}, ControlName, nil
	}
	b := r.sides[what.side]
	for p, found := range b.packages {
		if found.path != what.benchmark.Package {
			continue
		}
		c := b.command(p, what.layout, exactPattern(what.benchmark.Name),
			what.benchTime.String(), processors())
		c.env = append(c.env, seeded(what.seed)...)
		name := what.benchmark.Name
		if n := processors(); n > 1 {
			name += fmt.Sprintf("-%d", n)
		}
		return c, name, nil
	}
	return command{}, "", fmt.Errorf("the %v has no package %s", what.side, what.benchmark.Package)
}

func (r *runner) measureOnce(
	ctx context.Context, what run,
) (reading, benchfmt.UnitMetadataMap, finished, error) {
	c, name, err := r.command(what)
	if err != nil {
		return reading{}, nil, finished{}, err
	}
	limit := r.options.Limit
	if limit == 0 {
		expected, known := r.expected[what.benchmark.String()]
		if limit = DefaultLimit(max(expected, r.options.BenchTime.Time)); !known &&
			r.options.BenchTime.Iterations > 0 {
			limit = listLimit
		}
	}
	c.count, c.guard = r.count, r.guard
	after, err := c.run(ctx, limit)
	where := func(err error) error {
		return fmt.Errorf("%v of the %v: %w", what.benchmark, what.side, err)
	}
	not, ended := errors.AsType[*failed](err)
	switch {
	case ctx.Err() != nil:
		return reading{}, nil, after, context.Cause(ctx)
	case ended:
		said := text.FirstLines(string(after.stderr), 8)
		if names := outcomes(after.stdout, "FAIL"); len(names) > 0 {
			said = "it failed" + failureLog(after.stdout, names[0])
		}
		return reading{}, nil, after, where(fmt.Errorf("%w\n    %s", not, said))
	case err != nil:
		return reading{}, nil, after, where(err)
	}
	got, units, err := readingOf(after.stdout, name)
	if err != nil {
		return reading{}, nil, after, where(err)
	}
	if what.benchmark.Package == controlPackage {
		got.name = what.benchmark.Name
	}
	return got, units, after, nil
}

// With fewer iterations a run with a tenth of them cannot be subtracted; see openInstructions.
const fewestToCount = 20

// minCounted is the smallest ratio of the instructions of 90 % of the iterations to the
// instructions of the process with the other 10 %.
const minCounted = 0.1

func (r *runner) measured(ctx context.Context, what run) (reading, error) {
	got, _, all, err := r.measureOnce(ctx, what)
	iterations := what.benchTime.Iterations
	if err != nil || all.instructions == 0 || iterations < fewestToCount {
		return got, err
	}
	few := iterations / 10
	what.benchTime = BenchTime{Iterations: few}
	_, _, some, err := r.measureOnce(ctx, what)
	if err != nil {
		return reading{}, err
	}
	more := float64(all.instructions) - float64(some.instructions)
	if some.instructions > 0 && more > minCounted*float64(some.instructions) {
		got.add(more/float64(iterations-few), Instructions)
	}
	return got, nil
}

func (r *runner) pair(ctx context.Context, b benchmark, at slot) (record, error) {
	rec := record{slot: at}
	stolen, all, _ := machine.Ticks()
	iterations := b.Iterations
	if b.ScreenIterations > 0 && at.pair < r.options.Judge.ScreenPairs {
		iterations = b.ScreenIterations
	}
	var parts [2][]reading
	for part := range b.Parts {
		order := [2]side{base, head}
		if at.headFirst != (part%2 == 1) {
			order = [2]side{head, base}
		}
		for _, s := range order {
			got, err := r.measured(ctx,
				run{b, s, at.layout, BenchTime{Iterations: iterations / b.Parts}, at.seed})
			if err != nil {
				return record{}, err
			}
			parts[s] = append(parts[s], got)
		}
	}
	for s := range parts {
		var err error
		if rec.runs[s], err = combineParts(parts[s]); err != nil {
			return record{}, fmt.Errorf("%v of the %v: %w", b, side(s), err)
		}
	}
	stolenNow, allNow, _ := machine.Ticks()
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

// The pair of warmUp is not recorded. It loads the programs into memory and determines the
// iterations and the parts of a run.
func (r *runner) warmUp(
	ctx context.Context, b *benchmark, at slot, units benchfmt.UnitMetadataMap,
) error {
	benchTime := r.options.BenchTime
	if b.Package == controlPackage {
		// shorter runs scatter more, so if the controls pass, longer ones would pass as well
		benchTime.Time /= 2
	}
	least, slowest, divisible := 0, 0.0, true
	var longest time.Duration
	for _, s := range []side{base, head} {
		got, said, after, err := r.measureOnce(ctx, run{*b, s, at.layout, benchTime.warmUp(), at.seed})
		if err != nil {
			return err
		}
		for key, value := range said {
			if was, ok := units[key]; ok && was.Value != value.Value {
				return fmt.Errorf("%v of the %v has unit metadata %s of %s, but another has "+
					"%s", b, s,
					value.Value, value.OrigUnit, was.Value)
			}
			units[key] = value
		}
		if least == 0 || got.iters < least {
			least = got.iters
		}
		slowest, longest, divisible = max(slowest, got.tidy["sec/op"]), max(longest, after.took),
			divisible && got.divisible()
	}
	if b.Iterations == 0 {
		b.Iterations = benchTime.iterations(least, slowest)
	}
	if b.Parts == 0 {
		b.setParts(divisible, r.options.BenchTime.Iterations > 0)
	}
	r.expected[b.String()] = longest * warmUp
	r.paces[b.String()] = b.pace(longest, least, slowest)
	return nil
}

// The time that exceeds the iterations is the start of a process.
func (b *benchmark) pace(took time.Duration, iterations int, perOp float64) pace {
	work := func(n int) time.Duration { return time.Duration(float64(n) * perOp * 1e9) }
	start := max(0, took-work(iterations))
	screen := cmp.Or(b.ScreenIterations, b.Iterations)
	return pace{screening: 2 * (time.Duration(b.Parts)*start + work(screen)),
		longer: 2 * work(b.Iterations-screen)}
}

func counts() bool {
	c, err := openInstructions()
	if err != nil {
		return false
	}
	c.close()
	return true
}
