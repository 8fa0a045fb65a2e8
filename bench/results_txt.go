package bench

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"

	"golang.org/x/perf/benchfmt"
	"golang.org/x/perf/benchunit"

	"github.com/poolbench/poolbench/internal/pace"
	"github.com/poolbench/poolbench/strategies"
)

// schema is the version of results.txt, in its first line.
const schema = 1

// A resultsWriter writes results in the Go benchmark format. What the format has no word for is in lines that begin with "# ",
// which its readers pass over: the schema's version, the order of the strategies (which is that of the charts' colours), what studies say, the
// seed of the result after it, the laws that the result after it breaks and whatever else it is doubted for, the end mark.
type resultsWriter struct {
	to     io.Writer
	buffer bytes.Buffer // one result, written in one piece: a kill never leaves half a line behind
	format *benchfmt.Writer
	config []benchfmt.Config
}

func newResultsWriter(to io.Writer) (*resultsWriter, error) {
	w := &resultsWriter{to: to, config: machine()}
	w.format = benchfmt.NewWriter(&w.buffer)
	var names []string
	for _, s := range strategies.All() {
		names = append(names, s.Name)
	}
	fmt.Fprintf(&w.buffer, "# poolbench results %d\n# strategies %s\n", schema, strings.Join(names, " "))
	w.buffer.WriteString(unitLines(func(unit string) string { return unit }))
	return w, w.flush()
}

// unitLines declares the direction of every metric that has one, and of which the format does not know it by itself; spell says
// how the units are spelt in this file.
func unitLines(spell func(unit string) string) string {
	var b strings.Builder
	for _, m := range Metrics() {
		if m.Better != "" {
			fmt.Fprintf(&b, "Unit %s better=%s\n", spell(m.Unit), m.Better)
		}
	}
	return b.String()
}

func (w *resultsWriter) write(r *Result) error {
	line := benchfmt.Result{Config: w.config, Name: benchfmt.Name(r.Name), Iters: r.Tasks}
	for _, m := range r.Metrics {
		value, unit := benchunit.Tidy(m.Value, m.Unit)
		line.Values = append(line.Values, benchfmt.Value{Value: value, Unit: unit, OrigValue: m.Value, OrigUnit: m.Unit})
	}
	fmt.Fprintf(&w.buffer, "# seed %d\n", r.Seed) // no configuration line: a value that differs from run to run would split the tables of every reader
	for _, law := range r.Broken {
		fmt.Fprintf(&w.buffer, "# broken law: %s\n", law)
	}
	for _, reason := range r.Reasons {
		if reason.Check != checkLaw {
			fmt.Fprintf(&w.buffer, "# %s: %s\n", strings.ToLower(reason.Verdict.String()), reason)
		}
	}
	if err := w.format.Write(&line); err != nil {
		return err
	}
	return w.flush()
}

// end writes the end mark.
func (w *resultsWriter) end(mark string) error {
	fmt.Fprintf(&w.buffer, "# %s\n", mark)
	return w.flush()
}

// conclude writes lines for people: what a question's results say.
func (w *resultsWriter) conclude(c Conclusion) error {
	fmt.Fprintf(&w.buffer, "# study %s: %s\n# claim %s\n# verdict %s: %s\n", c.Study, c.Question, c.Claim, c.Verdict, c.Because)
	for _, line := range c.Lines {
		fmt.Fprintf(&w.buffer, "# answer %s\n", line)
	}
	return w.flush()
}

func (w *resultsWriter) flush() error {
	_, err := w.to.Write(w.buffer.Bytes())
	w.buffer.Reset()
	return err
}

// benchmarkName returns the name in a result line of the Go benchmark format, without "Benchmark".
func benchmarkName(line string) (string, bool) {
	rest, ok := strings.CutPrefix(line, "Benchmark")
	if !ok {
		return "", false
	}
	name, _, ok := strings.Cut(rest, " ")
	return name, ok
}

// machine describes what the numbers depend on and what does not change while they are made. Nothing volatile is here: a
// value that differs from run to run would split the tables of every reader.
func machine() []benchfmt.Config {
	var config []benchfmt.Config
	add := func(key, value string) {
		if value != "" {
			config = append(config, benchfmt.Config{Key: key, Value: []byte(value), File: true})
		}
	}
	add("goos", runtime.GOOS)
	add("goarch", runtime.GOARCH)
	add("cpu", cpuModel())
	add("gomaxprocs", strconv.Itoa(runtime.GOMAXPROCS(0)))
	add("pacing", pace.Method())
	add("go", runtime.Version())
	add("commit", commit())
	return config
}

// cpuModel is the name of the CPU, "" where the system does not tell.
func cpuModel() string {
	info, err := os.ReadFile("/proc/cpuinfo")
	if err != nil {
		return ""
	}
	for line := range strings.Lines(string(info)) {
		if key, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(key) == "model name" {
			return strings.TrimSpace(value)
		}
	}
	return ""
}

// commit is the revision that the program was built from, with a + where the tree was changed; "" where the build does not know.
func commit() string {
	build, ok := debug.ReadBuildInfo()
	if !ok {
		return ""
	}
	var revision, changed string
	for _, s := range build.Settings {
		switch {
		case s.Key == "vcs.revision":
			revision = s.Value
		case s.Key == "vcs.modified" && s.Value == "true":
			changed = "+"
		}
	}
	if len(revision) > 12 {
		revision = revision[:12]
	}
	if revision == "" {
		return ""
	}
	return revision + changed
}
