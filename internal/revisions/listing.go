package revisions

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// A benchmark is one that both sides have.
type benchmark struct {
	Package    string `json:"package"`
	Name       string `json:"name"`       // without the suffix for GOMAXPROCS
	Iterations int    `json:"iterations"` // of a run
	Parts      int    `json:"parts"`      // that a run is cut into
}

func (b benchmark) String() string { return b.Package + "." + b.Name }

// An UnfitError says which benchmarks keep the gate from beginning. Those that are named can be left out by Options.Skip, which then says so
// for all to see.
type UnfitError struct{ Complaints []string }

func (e *UnfitError) Error() string { return strings.Join(e.Complaints, "\n") }

// listLimit bounds the process that runs each benchmark of a package once.
const listLimit = 10 * time.Minute

// A listing is what the benchmarks of a package said when each was run once.
type listing struct {
	names      []string
	complaints []string
}

// list runs each benchmark of a package once, sub-benchmarks included, since only that tells which there are.
func (b *binaries) list(ctx context.Context, p int, o Options, procs int) (listing, error) {
	limit := o.Limit
	if limit == 0 {
		limit = listLimit
	}
	c := b.command(p, 0, o.Bench, "1x", procs)
	if o.Skip != "" {
		c.argv = append(c.argv, "-test.skip="+o.Skip)
	}
	c.env = seeded(o.Seed >> 1)
	where := fmt.Sprintf("%s of the %v", b.packages[p].path, b.tool.side)
	after, err := c.run(ctx, limit)
	var not *failed
	if err != nil && !errors.As(err, &not) {
		if ctx.Err() != nil {
			return listing{}, err
		}
		return listing{}, fmt.Errorf("benchmarks of %s: %w", where, err)
	}
	found, _, err := read(after.stdout)
	if err != nil {
		return listing{}, fmt.Errorf("benchmarks of %s: %w", where, err)
	}
	var l listing
	for _, r := range found {
		name := plain(r.name, procs)
		if slices.Contains(l.names, name) {
			l.complaints = append(l.complaints, fmt.Sprintf("%s of %s prints two results", name, where))
		}
		l.names = append(l.names, name)
	}
	for word, does := range map[string]string{"FAIL": "fails in", "SKIP": "skips itself in"} {
		for _, name := range outcomes(after.stdout, word) {
			l.complaints = append(l.complaints, fmt.Sprintf("%s %s %s%s", plain(name, procs), does, where, about(after.stdout, name)))
		}
	}
	if not == nil {
		for _, name := range silent(after.stdout, found, procs) {
			l.complaints = append(l.complaints, fmt.Sprintf("%s has no result in %s: it panicked, or reports nothing", name, where))
		}
	}
	if not != nil && len(l.complaints) == 0 {
		said := firstLines(string(after.stderr), 8)
		if said == "" {
			said = firstLines(string(after.stdout), 8)
		}
		return listing{}, fmt.Errorf("benchmarks of %s: %w\n    %s", where, not, said)
	}
	slices.Sort(l.complaints)
	return l, nil
}

// about is the first line that testing printed of why.
func about(printed []byte, name string) string {
	lines := strings.Split(string(printed), "\n")
	for i, line := range lines {
		rest, ok := strings.CutPrefix(line, "--- FAIL: "+name)
		if !ok {
			rest, ok = strings.CutPrefix(line, "--- SKIP: "+name)
		}
		if !ok || rest != "" && rest[0] != ' ' {
			continue
		}
		// Under -test.v the log comes before that line, otherwise after it.
		for _, at := range []int{i - 1, i + 1} {
			if at >= 0 && at < len(lines) && strings.HasPrefix(lines[at], "    ") {
				return ": " + firstLines(strings.TrimSpace(lines[at]), 1)
			}
		}
	}
	return ""
}

// command is the process that runs the benchmarks that match. -test.v has testing print name and result as one line, whatever the benchmark
// itself prints in between.
func (b *binaries) command(p, layout int, bench, benchTime string, procs int) command {
	return command{
		argv: []string{b.path(p, layout), "-test.run=^$", "-test.bench=" + bench, "-test.benchtime=" + benchTime, "-test.count=1", "-test.v", "-test.cpu=" + strconv.Itoa(procs)},
		dir:  b.packages[p].dir,
	}
}

// seeded is the environment of a process.
func seeded(seed uint64) []string { return []string{fmt.Sprintf("%s=%d", SeedVariable, seed)} }

// listBoth lists the benchmarks of both sides, which must be the same.
func listBoth(ctx context.Context, sides [2]*binaries, o Options, procs int, step func()) ([]benchmark, error) {
	var has [2]map[benchmark]bool
	var all []benchmark
	var complaints []string
	for _, s := range []side{base, head} {
		has[s] = map[benchmark]bool{}
		for p := range sides[s].packages {
			l, err := sides[s].list(ctx, p, o, procs)
			if err != nil {
				return nil, err
			}
			step()
			complaints = append(complaints, l.complaints...)
			for _, name := range l.names {
				b := benchmark{Package: sides[s].packages[p].path, Name: name}
				if has[s][b] = true; !slices.Contains(all, b) {
					all = append(all, b)
				}
			}
		}
	}
	for _, b := range all {
		for _, s := range []side{base, head} {
			if !has[s][b] && !slices.ContainsFunc(complaints, func(c string) bool { return strings.HasPrefix(c, b.Name+" ") }) {
				complaints = append(complaints, fmt.Sprintf("%v is only in the %v: there is nothing to measure it against", b, 1-s))
			}
		}
	}
	switch {
	case len(complaints) > 0:
		return nil, &UnfitError{complaints}
	case len(all) == 0:
		return nil, noneMatches(o)
	}
	return all, nil
}

func noneMatches(o Options) error {
	but := ""
	if o.Skip != "" {
		but = fmt.Sprintf(", but for those that match %s,", o.Skip)
	}
	return fmt.Errorf("no benchmark matches %s%s in %s", o.Bench, but, strings.Join(o.Packages, " "))
}
