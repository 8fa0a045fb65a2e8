package measure

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/perf/benchfmt"

	"github.com/poolbench/poolbench/internal/text"
)

type benchmark struct {
	Package    string `json:"package"`
	Name       string `json:"name"`       // without the suffix for GOMAXPROCS
	Iterations int    `json:"iterations"` // per run
	// 0 means Iterations.
	ScreenIterations int `json:"screen_iterations,omitempty"`
	Parts            int `json:"parts"` // processes per run
}

func (b benchmark) String() string { return b.Package + "." + b.Name }

// Options.Skip excludes the benchmarks of an UnfitError.
type UnfitError struct{ Complaints []string }

func (e *UnfitError) Error() string { return strings.Join(e.Complaints, "\n") }

// listLimit is long, because only benchmarks that hang should reach it.
const listLimit = 2 * time.Minute

type listing struct {
	names      []string
	complaints []string
	skipped    map[string]string // messages of the benchmarks that skip themselves
	reported   []string
	units      benchfmt.UnitMetadataMap
}

// list runs each benchmark of a package once, because only a run shows the sub-benchmarks.
func (b *binaries) list(ctx context.Context, p int, o Options, procs int) (listing, error) {
	limit := cmp.Or(o.Limit, listLimit)
	c := b.command(p, 0, o.Bench, "1x", procs)
	if o.Skip != "" {
		c.argv = append(c.argv, "-test.skip="+o.Skip)
	}
	c.env = append(c.env, seeded(o.Seed>>1)...)
	c.guard, c.sign = b.tool.guard, "Benchmark"
	where := fmt.Sprintf("%s of the %v", b.packages[p].path, b.tool.side)
	after, err := c.run(ctx, limit)
	not, ended := errors.AsType[*failed](err)
	_, overdue := errors.AsType[*overdueError](err)
	if err != nil && !ended && !overdue {
		if ctx.Err() != nil {
			return listing{}, err
		}
		return listing{}, fmt.Errorf("benchmarks of %s: %w", where, err)
	}
	found, units, err := read(after.stdout)
	bad, _ := errors.AsType[*valueError](err)
	panicked := bad != nil && bad.unit == "sec/op" // package testing may end with exit code 0 first
	if ended && err != nil || panicked {
		found, err = nil, nil
	}
	if err != nil {
		return listing{}, fmt.Errorf("benchmarks of %s: %w", where, err)
	}
	l := listing{skipped: map[string]string{}, units: units}
	for _, r := range found {
		name := plain(r.name, procs)
		if slices.Contains(l.names, name) {
			l.complaints = append(l.complaints,
				fmt.Sprintf("%s of %s prints two results", name, where))
		}
		l.names = append(l.names, name)
		l.reported = slices.AppendSeq(l.reported, maps.Keys(r.tidy))
	}
	for _, name := range outcomes(after.stdout, "SKIP") {
		l.skipped[plain(name, procs)] = failureLog(after.stdout, name)
	}
	for _, name := range outcomes(after.stdout, "FAIL") {
		l.complaints = append(l.complaints, fmt.Sprintf("%s fails in %s%s", plain(name, procs),
			where, failureLog(after.stdout, name)))
	}
	quiet := silent(after.stdout, found, procs)
	switch {
	case ended && len(l.complaints) > 0:
	case (ended || overdue || panicked) && len(quiet) > 0:
		does := "has not ended in %s after " + limit.String() + "%s"
		if ended {
			does = "ends the process in %s: " + not.Error() + "%s"
		} else if panicked {
			does = "ends the process in %s: it panics%s"
		}
		return listing{}, &UnfitError{[]string{fmt.Sprintf("%s "+does, quiet[len(quiet)-1], where,
			lastOutput(after))}}
	case ended:
		return listing{}, fmt.Errorf("benchmarks of %s: %w%s", where, not, lastOutput(after))
	case panicked:
		return listing{}, fmt.Errorf("benchmarks of %s: %w", where, bad)
	case overdue:
		return listing{}, fmt.Errorf("benchmarks of %s: none has begun after %v", where, limit)
	default:
		for _, name := range quiet {
			l.complaints = append(l.complaints,
				fmt.Sprintf("%s has no result in %s: it panicked, ended the process, or reports "+
					"nothing", name, where))
		}
	}
	slices.Sort(l.complaints)
	return l, nil
}

func lastOutput(after finished) string {
	s := cmp.Or(text.FirstLines(string(after.stderr), 8),
		text.FirstLines(string(after.stdout), 8))
	if s == "" {
		return ""
	}
	return "\n    " + s
}

func failureLog(printed []byte, name string) string {
	lines := strings.Split(string(printed), "\n")
	for i, line := range lines {
		rest, ok := strings.CutPrefix(line, "--- FAIL: "+name)
		if !ok {
			rest, ok = strings.CutPrefix(line, "--- SKIP: "+name)
		}
		if !ok || rest != "" && rest[0] != ' ' {
			continue
		}
		// With -test.v the log comes before that line, otherwise after it.
		for _, at := range []int{i - 1, i + 1} {
			if at >= 0 && at < len(lines) && strings.HasPrefix(lines[at], "    ") {
				return ": " + text.FirstLines(strings.TrimSpace(lines[at]), 1)
			}
		}
	}
	return ""
}

func (b *binaries) command(p, layout int, bench, benchTime string, procs int) command {
	return command{
		argv: []string{b.path(p, layout), "-test.run=^$", "-test.bench=" + bench,
			"-test.benchtime=" + benchTime, "-test.count=1", "-test.v",
			"-test.benchmem",
			"-test.cpu=" + strconv.Itoa(procs)},
		args: b.args,
		dir:  b.packages[p].dir,
		env:  []string{"TMPDIR=" + b.tool.temp},
	}
}

func seeded(seed uint64) []string { return []string{fmt.Sprintf("%s=%d", SeedVariable, seed)} }

type catalog struct {
	benchmarks []benchmark
	unmatched  [2][]string
	skipped    []string // a line for each benchmark that neither side runs
	reported   []string
	units      benchfmt.UnitMetadataMap
}

func listBoth(
	ctx context.Context, sides [2]*binaries, o Options, procs int, step func(),
) (*catalog, error) {
	var has [2]map[benchmark]bool
	var skips [2]map[benchmark]string
	c := &catalog{units: benchfmt.UnitMetadataMap{}}
	var complaints []string
	for _, s := range []side{base, head} {
		has[s], skips[s] = map[benchmark]bool{}, map[benchmark]string{}
		for p := range sides[s].packages {
			l, err := sides[s].list(ctx, p, o, procs)
			if err != nil {
				return nil, err
			}
			step()
			complaints = append(complaints, l.complaints...)
			c.reported = append(c.reported, l.reported...)
			maps.Copy(c.units, l.units)
			for _, name := range l.names {
				b := benchmark{Package: sides[s].packages[p].path, Name: name}
				if has[s][b] = true; !slices.Contains(c.benchmarks, b) {
					c.benchmarks = append(c.benchmarks, b)
				}
			}
			for name, why := range l.skipped {
				skips[s][benchmark{Package: sides[s].packages[p].path, Name: name}] = why
			}
		}
	}
	for _, s := range []side{base, head} {
		for b, why := range skips[s] {
			_, both := skips[1-s][b]
			runs := func(other benchmark) bool {
				return has[1-s][other] && other.Package == b.Package &&
					(other.Name == b.Name || strings.HasPrefix(other.Name, b.Name+"/"))
			}
			switch {
			case slices.ContainsFunc(c.benchmarks, runs):
				complaints = append(complaints,
					fmt.Sprintf("%s calls Skip in %s of the %v%s", b.Name, b.Package, s, why))
			case !both:
				c.skipped = append(c.skipped,
					fmt.Sprintf("%v is not compared: it is only in the %v, and calls Skip%s", b, s,
						why))
			case s == head:
				c.skipped = append(c.skipped,
					fmt.Sprintf("%v is not compared: it calls Skip on both sides%s", b, why))
			}
		}
	}
	c.benchmarks = slices.DeleteFunc(c.benchmarks, func(b benchmark) bool {
		for _, s := range []side{base, head} {
			if !has[1-s][b] {
				c.unmatched[s] = append(c.unmatched[s], b.String())
				return true
			}
		}
		return false
	})
	slices.Sort(c.skipped)
	switch {
	case len(complaints) > 0:
		return nil, &UnfitError{complaints}
	case len(c.benchmarks) == 0 && len(c.unmatched[base])+len(c.unmatched[head]) > 0:
		return nil, fmt.Errorf("base and head have no benchmark in common: %s in the base, %s in "+
			"the head", listed(c.unmatched[base]), listed(c.unmatched[head]))
	case len(c.benchmarks) == 0 && len(c.skipped) > 0:
		return nil, fmt.Errorf("no benchmark left to compare:\n%s", strings.Join(c.skipped, "\n"))
	case len(c.benchmarks) == 0:
		return nil, noneMatches(o)
	}
	return c, nil
}

func listed(names []string) string {
	if len(names) == 0 {
		return "none"
	}
	return text.List(text.Truncate(names, 3))
}

// The direction of a metric may come from a Unit line, which the first run of all benchmarks
// prints.
func (c *catalog) lacks(o Options, counts bool) error {
	var wrong []error
	for _, unit := range o.Metrics {
		reported := slices.Contains(c.reported, unit)
		switch directed := o.Better[unit] != 0 || c.units.GetBetter(unit) != 0 ||
			text.Better(unit) != 0; {
		case unit == Instructions:
			if !counts {
				wrong = append(wrong, fmt.Errorf("this system does not count %s", unit))
			}
		case !reported && (!directed || slices.Contains(ofTesting, unit)):
			wrong = append(wrong, fmt.Errorf("no benchmark reports %s", unit))
		case !directed:
			wrong = append(wrong,
				fmt.Errorf("the better direction of %s is unknown: give --better %[1]s=lower or "+
					"=higher", unit))
		}
	}
	return errors.Join(wrong...)
}

func noneMatches(o Options) error {
	but := ""
	if o.Skip != "" {
		but = fmt.Sprintf(", except matches of %s,", o.Skip)
	}
	return fmt.Errorf("no benchmark matches %s%s in %s", o.Bench, but,
		strings.Join(o.Packages, " "))
}
