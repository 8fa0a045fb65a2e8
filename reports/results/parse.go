package results

import (
	"bytes"
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/perf/benchfmt"
	"golang.org/x/perf/benchunit"

	"github.com/poolbench/poolbench/internal/lazyregexp"
	"github.com/poolbench/poolbench/internal/rundir"
	"github.com/poolbench/poolbench/internal/text"
)

type parser struct {
	out     *Results
	feed    *lineFeed
	marks   marks
	warn    warnings
	reps    map[[2]string]int // lines so far by package and name
	keys    map[string][]Pair // by name
	metrics map[string]bool
	virtual map[RunID][]*Run // virtual-clock runs without copies
	// an unreadable result line of poolbench, accepted if a header follows: the run was killed, and
	// another appended
	damaged error
	cut     bool   // the last line is incomplete
	indent  int    // first indented result line
	passed  bool   // go test printed PASS or ok
	failed  string // line in which go test first reported a failure
	crowded bool   // more configuration lines than maxConfig
	values  int    // of metrics in out.Runs
}

// checkLine receives every line before benchfmt does.
func (p *parser) checkLine(line int, s []byte) error {
	isHeader, err := p.marks.parseLine(line, string(s))
	if err != nil {
		return err
	}
	if p.damaged != nil {
		if !isHeader {
			p.feed.line-- // the problem is in the previous line
			return p.damaged
		}
		p.damaged = nil
		p.warn.add(Pos{p.feed.name, line - 1}, "the line was cut off and is omitted")
	}
	switch {
	case p.failed == "" && failure.Match(s):
		p.failed = fmt.Sprintf("go test failed, line %d: %s", line,
			text.OneLine(text.FirstLines(string(s), 1)))
	case bytes.HasPrefix(s, []byte("PASS")), bytes.HasPrefix(s, []byte("ok  \t")):
		p.passed = true
	case len(s) > 0 && (s[0] == ' ' || s[0] == '\t') &&
		isResultLine(bytes.TrimLeft(s, " \t")):
		if p.indent == 0 {
			p.indent = line
		}
		p.warn.add(Pos{p.feed.name, line},
			"an indented result line is not a result and is omitted")
	}
	return nil
}

var failure = lazyregexp.New(`^(FAIL\b|--- FAIL: |panic: |fatal error: |exit status [1-9])`)

func isResultLine(text []byte) bool {
	return bytes.HasPrefix(text, []byte("Benchmark")) && len(bytes.Fields(text)) >= 4
}

func (p *parser) syntax(rec *benchfmt.SyntaxError) error {
	switch {
	case bytes.HasPrefix(p.feed.text, []byte("Unit")):
		if strings.HasPrefix(rec.Msg, "metadata ") {
			return p.feed.errorf("%s", rec.Msg)
		}
		p.warn.add(p.feed.pos(), "Unit line: %s", rec.Msg)
	case !p.feed.whole:
		p.cutOff()
	case p.marks.ours():
		p.damaged = fmt.Errorf("the result line is damaged: %s", rec.Msg)
	default:
		p.warn.add(p.feed.pos(), "not a result line, omitted: %s", rec.Msg)
	}
	return nil
}

func (p *parser) cutOff() {
	p.cut = true
	p.warn.add(p.feed.pos(), "the last line was cut off and is omitted")
}

func (p *parser) result(rec *benchfmt.Result) error {
	keys, again := p.keys[string(rec.Name)]
	if !again {
		keys = NameKeys(rec.Name)
		p.keys[string(rec.Name)] = keys
	}
	run := Run{
		Name:   string(rec.Name),
		Keys:   keys,
		Iters:  rec.Iters,
		Values: make(map[string]float64, len(rec.Values)),
		Pos:    p.feed.pos(),
	}
	units := make([]string, 0, len(rec.Values))
	virtualSeed := ""
	for _, v := range rec.Values {
		value, unit := v.Value, v.Unit
		if v.OrigUnit == "" {
			// benchfmt keeps the unit of a 0, whose value tidying does not change.
			value, unit = benchunit.Tidy(value, unit)
		}
		if math.IsNaN(value) || math.IsInf(value, 0) {
			return p.feed.errorf("%s of %s is %v, which cannot be compared", unit, run.Name, value)
		}
		if unit == rundir.VirtualSeed {
			virtualSeed = strconv.FormatFloat(value, 'f', 0, 64)
			continue
		}
		if value == 0 {
			value = 0 // without the sign of values that package testing rounds to -0
		}
		if _, twice := run.Values[unit]; twice {
			p.warn.add(run.Pos, "%s is given twice: the first value counts", unit)
			continue
		}
		run.Values[unit] = value
		units = append(units, unit)
	}
	if !p.feed.whole && !p.isWhole(&run) {
		p.cutOff()
		return nil
	}
	run.Undecided, p.marks.undecided = p.marks.undecided, ""
	run.Doubts, run.Uncertain, run.Seed = p.marks.run()
	if virtualSeed != "" {
		run.Seed, run.Virtual = virtualSeed, true
	}
	for _, unit := range units {
		if !p.metrics[unit] {
			p.metrics[unit] = true
			p.out.Metrics = append(p.out.Metrics, unit)
		}
	}
	run.Config = p.config(rec)
	id := [2]string{run.ConfigValue("pkg"), run.Name}
	run.Repetition = p.reps[id]
	p.reps[id]++
	if p.isCopy(&run) {
		p.marks.counted--
		return nil
	}
	if len(p.out.Runs) == MaxResults {
		return p.feed.errorf("more than %d results in one file", MaxResults)
	}
	if p.values += len(units); p.values > MaxValues {
		return p.feed.errorf("more than %d values of metrics in one file", MaxValues)
	}
	p.out.Runs = append(p.out.Runs, run)
	return nil
}

// isWhole reports whether a last line without a newline is complete. poolbench writes no such line.
// In other files it must have the same metrics as the previous one of its name.
func (p *parser) isWhole(run *Run) bool {
	if p.marks.ours() {
		return false
	}
	for _, before := range slices.Backward(p.out.Runs) {
		if before.Name != run.Name {
			continue
		}
		return maps.EqualFunc(before.Values, run.Values, func(_, _ float64) bool { return true })
	}
	p.warn.add(run.Pos, "the last line does not end in a newline: it may have been cut off")
	return true
}

// Log lines may look like configuration, and every run carries all earlier ones.
const maxConfig = 1000

func (p *parser) config(rec *benchfmt.Result) []Pair {
	given := rec.Config
	if len(given) > maxConfig {
		given = given[:maxConfig]
		if !p.crowded {
			p.crowded = true
			p.warn.add(p.feed.pos(), "more than %d keys of configuration lines: the "+
				"first ones count, and the others look like a log", maxConfig)
		}
	}
	if n := len(p.out.Runs); n > 0 {
		before := p.out.Runs[n-1].Config
		if slices.EqualFunc(given, before, func(c benchfmt.Config, b Pair) bool {
			return c.Key == b.Key && string(c.Value) == b.Value
		}) {
			return before
		}
	}
	config := make([]Pair, len(given))
	for i, c := range given {
		config[i] = Pair{c.Key, string(c.Value)}
	}
	return config
}

func (p *parser) finish(units benchfmt.UnitMetadataMap) (*Results, error) {
	out := p.out
	if p.damaged != nil {
		return nil, p.feed.errorf("%w", p.damaged)
	}
	if p.feed.torn || !p.cut && p.beginsResult() {
		p.cutOff()
	}
	out.Partial = cmp.Or(p.marks.partial(p.feed.line), p.feed.events.cut())
	out.Miscounted = p.marks.miscounted && out.Partial != ""
	if p.cut && !p.marks.ours() {
		out.Cut = p.feed.pos()
	}
	if p.cut && out.Partial == "" {
		out.Partial = fmt.Sprintf("cut off in line %d", p.feed.line)
	}
	if out.Failed = p.failed != ""; out.Failed {
		out.Partial = p.failed
	}
	if len(out.Runs) == 0 {
		return nil, fmt.Errorf("%s: %s", out.Path, p.whyNone(out.Partial))
	}
	if p.marks.ours() {
		out.Schema = rundir.Schema
	}
	out.Units = units
	nameAttacks(out.Runs)
	out.Strategies = p.strategies()
	out.Objectives = p.marks.objectives
	out.Command, out.Program = p.marks.command()
	out.Findings = p.marks.findings
	out.Failures = p.failures()
	out.Warnings = p.warn.lines()
	return out, nil
}

// benchfmt does not recognise an incomplete line as a result.
func (p *parser) beginsResult() bool {
	const word = "Benchmark"
	text := string(p.feed.text)
	if p.feed.line == 0 || p.feed.whole || text == "" || strings.ContainsAny(text, " \t") {
		return false
	}
	return strings.HasPrefix(word, text) || strings.HasPrefix(text, word)
}

func (p *parser) whyNone(partial string) string {
	switch {
	case p.feed.line == 0:
		return "the file is empty"
	case p.marks.ours() && partial != "":
		for _, f := range p.marks.failures {
			partial += "; " + f.Reason
		}
		return "no runs in it (" + partial + ")"
	case p.marks.ours():
		return "no runs in it"
	case p.failed != "":
		return "no benchmark results in it: " + p.failed
	case p.indent != 0:
		return fmt.Sprintf("no benchmark results in it: a result line must not be indented, as "+
			"line %d is", p.indent)
	case p.passed:
		return "no benchmark results in it: go test ran without -bench, or matched none"
	}
	return fmt.Sprintf("no benchmark results in it: none of %d lines is a result line; want runs "+
		"of poolbench or the output of go test -bench", p.feed.line)
}

func (p *parser) strategies() []string {
	named := map[string]bool{}
	for i := range p.out.Runs {
		named[p.out.Runs[i].Series()] = true
	}
	// Strategies without runs would use up colours.
	present := slices.DeleteFunc(slices.Clone(p.marks.strategies), func(s string) bool {
		return !named[s]
	})
	for _, s := range append(present, "") {
		delete(named, s)
	}
	return append(present, slices.Sorted(maps.Keys(named))...)
}

func (p *parser) failures() (left []Failure) {
	done := map[[2]string]bool{} // by name and seed
	for i := range p.out.Runs {
		r := &p.out.Runs[i]
		done[[2]string{r.Name, r.Seed}] = true
	}
	for _, f := range slices.Backward(p.marks.failures) { // the last report on each
		if id := [2]string{f.Name, strconv.FormatUint(f.Seed, 10)}; !done[id] {
			done[id] = true
			left = append(left, f)
		}
	}
	slices.Reverse(left)
	return left
}
