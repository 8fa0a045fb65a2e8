package comparisons

import (
	"cmp"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"html"
	"maps"
	"math"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/poolbench/poolbench/internal/cli/clitest"
	"github.com/poolbench/poolbench/internal/decide"
	"github.com/poolbench/poolbench/internal/junit"
	"github.com/poolbench/poolbench/internal/objectives"
	"github.com/poolbench/poolbench/internal/rundir"
	"github.com/poolbench/poolbench/internal/text"
	"github.com/poolbench/poolbench/reports/results"
)

// runDir is a run directory with one scenario and one objective.
type runDir struct {
	dir     string
	args    string // arguments of the command, without --out
	edit    func(text string) string
	verdict decide.Verdict
	p99     string // expected prefix of the p99 in tables: "≈", "–" or ""
	doubt   results.Verdict
}

func (h runDir) command() string { return strings.Fields(h.args)[0] }

func (h runDir) objective(t *testing.T) objectives.Objective {
	t.Helper()
	fields := strings.Fields(h.args)
	all, err := objectives.Parse(fields[slices.Index(fields, "--objective")+1])
	if err != nil {
		t.Fatal(err)
	}
	return all[0]
}

func (h runDir) cell(t *testing.T) (c results.Cell) {
	t.Helper()
	r, err := results.ReadFile(h.dir)
	if err != nil {
		t.Fatal(err)
	}
	for i := range r.Runs {
		c = append(c, &r.Runs[i])
	}
	return c
}

// display contains the p99, the verdict on the objective with its evidence, and the headline of an
// output. An empty string means that the output lacks the value.
type display struct{ p99, decision, headline string }

// displays lists the outputs with a p99 or a verdict. run and attack write theirs next to the
// directory. The others are produced from the directory.
var displays = []struct {
	name, file string // "" means that it is produced from the directory
	shows      string
	read       func(t *testing.T, h runDir, text string) display
}{
	{"text", ".txt", "p99 decision headline", textDisplay},
	{"JSON", ".json", "p99 decision", jsonDisplay},
	{"JUnit", ".xml", "decision headline", junitDisplay},
	{"summary of a job", ".md", "decision headline", func(t *testing.T, h runDir, text string) (d display) {
		text = html.UnescapeString(strings.ReplaceAll(text, `\`, ""))
		_, rest, _ := strings.Cut(text, "\n\n")
		d.headline, _, _ = strings.Cut(rest, "\n")
		for line := range strings.Lines(rest) {
			cells := strings.Split(line, " | ")
			if len(cells) > 3 && strings.TrimSpace(cells[1]) == h.objective(t).String() {
				d.decision = strings.Trim(cells[3], " |\n")
			}
		}
		return d
	}},
	{"page", "", "p99 decision headline", func(t *testing.T, h runDir, _ string) display {
		return pageDisplay(t, h, h.dir+"/report.html")
	}},
	{"report", "", "p99 decision headline", func(t *testing.T, h runDir, _ string) display {
		clitest.Succeed(t, "report", h.dir, "--html", "one.html")
		return pageDisplay(t, h, "one.html")
	}},
	{"why", "", "p99", func(t *testing.T, h runDir, _ string) (d display) {
		var doc struct{ Runs []documentValue }
		readJSON(t, clitest.Succeed(t, "why", h.dir, "--format", "json").Stdout, &doc)
		if d.p99 = "–"; doc.Runs[0].Metric == unit {
			d.p99 = doc.Runs[0].show(t, unit)
		}
		text := strings.Join(strings.Fields(clitest.Succeed(t, "why", h.dir).Stdout), " ")
		for _, m := range regexp.MustCompile(`(?m)^# why (.*)$`).FindAllStringSubmatch(
			clitest.Read(t, h.dir+"/results.txt"), -1) {
			if h.command() == "run" && len(h.cell(t)) == 1 && !strings.Contains(text, m[1]) {
				t.Errorf("%s: results.txt has %q, and why\n%s", h.dir, m[1], text)
			}
		}
		for name, to := range map[string]string{": p99 is ([^(]*) because": "$1",
			`: p99 is unknown \(error above ±100 %\);`: "–"} {
			if m := regexp.MustCompile(name).FindStringSubmatchIndex(text); m != nil {
				got := string(regexp.MustCompile(name).ExpandString(nil, to, text, m))
				if got != d.p99 {
					t.Errorf("%s: why shows %s, its JSON %s", h.dir, got, d.p99)
				}
			}
		}
		return d
	}},
}

// documentValue is a value in a JSON document. If the value is uncertain, its relative error is
// included.
type documentValue struct {
	Metric, Objective, Unit, Verdict, Reason, Next string
	Value                                          *float64
	Uncertain                                      json.RawMessage
}

func (v documentValue) error(t testing.TB) float64 {
	t.Helper()
	switch share := 0.0; string(v.Uncertain) {
	case "":
		return 0
	case "null":
		return math.Inf(1)
	default:
		readJSON(t, string(v.Uncertain), &share)
		return share
	}
}

func (v documentValue) show(t testing.TB, unit string) string {
	if v.Value == nil {
		return "–"
	}
	return text.Uncertain(unit, *v.Value, v.error(t))
}

func (v documentValue) decision(t testing.TB) decide.Decision {
	d := decide.Decision{Reason: v.Reason, Next: v.Next, Value: math.NaN(), Error: v.error(t)}
	if v.Value != nil {
		d.Value = *v.Value
	}
	for _, verdict := range []decide.Verdict{decide.Met, decide.Missed} {
		if verdict.String() == v.Verdict {
			d.Verdict = verdict
		}
	}
	return d
}

func readJSON(t testing.TB, text string, to any) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), to); err != nil {
		t.Fatalf("%v: %.2000s", err, text)
	}
}

func joined(text string) []string {
	return strings.Split(regexp.MustCompile(`\n {4,}`).ReplaceAllString(text, " "), "\n")
}

func textDisplay(t *testing.T, h runDir, text string) (d display) {
	t.Helper()
	column := -1
	for line := range strings.Lines(text) {
		cells := regexp.MustCompile(`  +`).Split(strings.TrimSpace(line), -1)
		switch {
		case column >= 0:
			if d.p99 == "" {
				d.p99 = cells[column]
			}
		case slices.Contains([]string{"strategy", "target"}, cells[0]) && len(cells) > 3:
			column = slices.Index(cells, "p99")
		}
	}
	if h.command() == "run" {
		first, _, _ := strings.Cut(text, "\n\n")
		lines := strings.Split(strings.ReplaceAll(first, "\n  ", " "), "\n")
		d.headline = lines[0]
	}
	_, after, _ := strings.Cut(text, "\nobjectives: ")
	for _, line := range joined(after) {
		verdict, rest, ok := strings.Cut(strings.TrimSpace(line), ": "+h.objective(t).String()+": ")
		if ok {
			d.decision = verdict + ": " + rest
		}
	}
	return d
}

func jsonDisplay(t *testing.T, h runDir, text string) (d display) {
	t.Helper()
	var doc struct {
		Runs []struct {
			Metrics   map[string]float64
			Uncertain map[string]*float64 // null without a bound
		}
		Objectives []documentValue
	}
	readJSON(t, text, &doc)
	var cell results.Cell
	for _, r := range doc.Runs {
		run := &results.Run{Values: r.Metrics, Uncertain: map[string]float64{}}
		for unit, share := range r.Uncertain {
			run.Uncertain[unit] = math.Inf(1)
			if share != nil {
				run.Uncertain[unit] = *share
			}
		}
		cell = append(cell, run)
	}
	d.p99 = cell.Show(unit)
	o := doc.Objectives[0]
	d.decision = o.Verdict + ": " + o.decision(t).Evidence(o.Unit)
	return d
}

func junitDisplay(t *testing.T, h runDir, text string) (d display) {
	t.Helper()
	var doc struct {
		Suites []junit.Suite `xml:"testsuite"`
	}
	if err := xml.Unmarshal([]byte(text), &doc); err != nil {
		t.Fatal(err)
	}
	d.headline = doc.Suites[0].Output
	for _, c := range doc.Suites[0].Cases {
		if c.Name != h.objective(t).String() {
			continue
		}
		d.decision = c.Output
		for of, verdict := range map[*junit.Text]string{c.Failure: "missed", c.Error: "undecided"} {
			if of == nil {
				continue
			}
			if d.decision = of.Message; of.Type != verdict {
				t.Errorf("%s: %s as %s", h.dir, of.Message, of.Type)
			}
		}
	}
	return d
}

func pageDisplay(t *testing.T, h runDir, file string) (d display) {
	t.Helper()
	page := strings.ReplaceAll(clitest.Read(t, file), "\u00a0", " ")
	d.headline = html.UnescapeString(regexp.MustCompile(`<h1[^>]*>([^<]*)</h1>`).
		FindStringSubmatch(page)[1])
	verdict := ""
	for _, m := range regexp.MustCompile(`<td[^>]*>\s*(met|missed|undecided)\s+([^<]*)</td>`).
		FindAllStringSubmatch(page, -1) {
		d.decision = m[1] + ": " + html.UnescapeString(strings.TrimSpace(m[2]))
		verdict = m[1]
	}
	if verdict == "" || !regexp.MustCompile(`<li class="badge [a-z]*">[^<]*: 1 `+verdict+`</li>`).
		MatchString(page) {
		t.Errorf("%s: no badge says %q", h.dir, verdict)
	}
	_, table, _ := strings.Cut(page, "Values with their intervals")
	heads, rows, _ := strings.Cut(table, "</thead>")
	column := slices.IndexFunc(strings.Split(heads, "<th ")[1:], func(head string) bool {
		return strings.Contains(head, ">p99 response</th>")
	})
	if d.p99 = "–"; column >= 0 {
		cells := strings.Split(rows, "<td")
		_, value, _ := strings.Cut(cells[column+1], ">")
		d.p99, _, _ = strings.Cut(html.UnescapeString(value), "\n")
		d.p99, _, _ = strings.Cut(d.p99, "<")
	}
	return d
}

// All outputs must show the p99 and the verdict of results.txt, with the same digits and words.
func TestDisplaysAgree(t *testing.T) {
	t.Chdir(t.TempDir())
	var served atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if served.Add(1)%2 == 0 && r.URL.Path == "/broken" {
			w.WriteHeader(http.StatusInternalServerError)
		}
	}))
	defer server.Close()
	clitest.Write(t, "steps.yaml", "steps:\n- name: in\n  url: /in\n- name: out\n  url: /out\n")
	pool := func(rest string) string { return "run --clock virtual --strategy worker_pool " + rest }
	load := "attack " + server.URL
	invalid := func(text string) string {
		at := strings.Index(text, "\nBenchmarkRun/")
		return text[:at] + "\n# invalid: lag: the generator was late" +
			regexp.MustCompile(`\d verdict`).ReplaceAllString(text[at:], "2 verdict")
	}
	for _, h := range []runDir{
		{dir: "met", args: pool("--workload constant:mean=11ms --rate 100 --limit 2 --n 20000 " +
			"--objective p99-response<40ms"), verdict: decide.Met},
		{dir: "missed", args: pool("--workload constant:mean=11ms --rate 100 --limit 2 --n 20000 " +
			"--objective p99-response<12ms"), verdict: decide.Missed},
		{dir: "undecided", args: pool("--workload lognormal:mean=10ms,c2=1 --rate 100 " +
			"--limit 3 --n 40000 --objective p99-response<49ms")},
		{dir: "overload", args: pool("--workload exponential:mean=11ms --rate 300 --limit 2 " +
			"--n 4000 --objective p99-response<100ms"), verdict: decide.Missed, doubt: results.Suspect},
		{dir: "invalid", args: pool("--workload constant:mean=11ms --rate 100 --limit 2 --n 20000 " +
			"--objective p99-response<40ms"), edit: invalid, doubt: results.Invalid},
		{dir: "short", args: pool("--workload lognormal:mean=20ms,c2=9 --rate 200 --limit 5 " +
			"--n 3000 --objective p99-response<250ms"), p99: "–", doubt: results.Suspect},
		{dir: "about", args: pool("--workload lognormal:mean=20ms,c2=4 --rate 200 --limit 5 " +
			"--n 9000 --objective p99-response<280ms"), p99: "≈"},
		{dir: "fewest", args: pool("--workload exponential:mean=11ms --rate 100 --limit 2 " +
			"--n 200 --objective mean-response<100ms"), p99: "–", doubt: results.Suspect},
		{dir: "exact", args: pool("--workload exponential:mean=11ms --rate 120 --limit 2 " +
			"--n 60000 --objective p99-response<81ms"), verdict: decide.Missed},
		{dir: "repeated", args: pool("--workload hyperexp:mean=10ms,c2=2 --rate 120 --limit 2 " +
			"--n 20000 --count 6 --objective p99-response<400ms"), verdict: decide.Met},
		{dir: "lost", args: "run --clock virtual --strategy bounded_queue_shed --workload " +
			"exponential:mean=11ms --rate 300 --limit 2 --n 20000 --count 6 --objective shed<=1%",
			verdict: decide.Missed},
		{dir: "attack", args: load + " --rate 1000 --n 600 --objective p99-response<60s",
			verdict: decide.Met},
		{dir: "attack-document", args: load + " --rate 1000 --n 600 --objective p99-response<1ns " +
			"--format json", verdict: decide.Missed},
		{dir: "attack-failed", args: load + "/broken --rate 1000 --n 1000 --objective " +
			"p99-response<60s", verdict: decide.Missed},
		{dir: "attack-few", args: load + " --rate 1000 --n 200 --objective mean-response<60s " +
			"--format json", verdict: decide.Met, p99: "–"},
		{dir: "session", args: load + " --session steps.yaml --rate 1000 --n 400 --objective " +
			"session-p99-response<60s", verdict: decide.Met},
		{dir: "session-document", args: load + " --session steps.yaml --rate 1000 --n 400 " +
			"--objective session-p99-response<1ns --format json", verdict: decide.Missed},
	} {
		if testing.Short() && !slices.Contains([]string{"invalid", "attack-document"}, h.dir) {
			continue
		}
		show := func(suffix string, more ...string) {
			t.Helper()
			args := append(append(strings.Fields(h.args), "--out", h.dir), more...)
			clitest.Write(t, h.dir+suffix, clitest.Command(t, args...).Stdout)
		}
		t.Setenv("GITHUB_STEP_SUMMARY", h.dir+".md")
		asJSON, isLoad := strings.Contains(h.args, "json"), h.command() == "attack"
		first := ".txt"
		if asJSON {
			first = ".json"
		}
		show(first, "--junit", h.dir+".xml", "--progress-json", h.dir+".jsonl")
		if h.edit != nil {
			clitest.Write(t, h.dir+"/results.txt", h.edit(clitest.Read(t, h.dir+"/results.txt")))
			clitest.Write(t, h.dir+".md", "")
			show(first, "--junit", h.dir+".xml", "--resume")
		}
		if !isLoad {
			t.Setenv("GITHUB_STEP_SUMMARY", "")
			show(".json", "--resume", "--format", "json")
		}

		cell, bound := h.cell(t), h.objective(t).Limit()
		decided := cell.Decide(bound)
		want := display{p99: cell.Show(unit),
			decision: decided.Verdict.String() + ": " + decided.Evidence(bound.Unit)}
		doubt, headline := results.Valid, ""
		if d := cell.Doubts(); d != nil {
			doubt = d.Verdict
		}
		if decided.Verdict != h.verdict || !isLoad && doubt != h.doubt ||
			strings.Trim(want.p99, "0123456789.µmns ") != h.p99 {
			t.Errorf("%s is %v, %v, %+v", h.dir, decided.Verdict, doubt, want)
		}
		checkStream(t, h, cell)
		for _, p := range displays {
			text := ""
			switch {
			case p.file == ".json" && isLoad && !asJSON, p.file == ".txt" && asJSON:
				continue
			case p.file != "":
				text = clitest.Read(t, h.dir+p.file)
			}
			got := p.read(t, h, text)
			headline = cmp.Or(headline, got.headline)
			for part, of := range map[string][2]string{"p99": {got.p99, want.p99},
				"decision": {got.decision, want.decision}, "headline": {got.headline, headline}} {
				if strings.Contains(p.shows, part) && of[0] != of[1] {
					t.Errorf("%s, %s: the %s is %q, want %q", h.dir, p.name, part, of[0], of[1])
				}
			}
		}
	}
}

func checkStream(t *testing.T, h runDir, cell results.Cell) {
	t.Helper()
	lines := strings.Split(strings.TrimSpace(clitest.Read(t, h.dir+".jsonl")), "\n")
	var end struct {
		End                                bool
		Runs, Sent, Completed              int
		Failed, Throttled, Shed, Abandoned int
		GaveUp                             int `json:"gave_up"`
	}
	readJSON(t, lines[len(lines)-1], &end)
	want := map[string]int{}
	for _, r := range cell {
		want["sent"] += r.Iters
		for _, what := range rundir.Lost {
			share, _ := r.Value(what + "/op")
			want[what] += int(math.Round(share * float64(r.Iters)))
		}
	}
	got := map[string]int{"sent": end.Sent, "failed": end.Failed, "throttled": end.Throttled,
		"shed": end.Shed, "abandoned": end.Abandoned,
		"gave-up": end.GaveUp}
	if !end.End || end.Runs != len(cell) || !maps.Equal(got, want) ||
		end.Completed != end.Sent-end.Failed-end.Throttled-end.Shed-end.Abandoned-end.GaveUp {
		t.Errorf("%s: the stream ends with %+v, want %v", h.dir, end, want)
	}
}

func TestCapacityDisplaysAgree(t *testing.T) {
	if testing.Short() {
		t.Skip("long: skipped with -short")
	}
	t.Chdir(t.TempDir())
	args := strings.Fields("capacity --clock virtual --strategy worker_pool --resolution 40% --quiet " +
		"--objective p99-response<80ms --n 4000 --count 6 --out c")
	s := strings.Join(strings.Fields(clitest.Succeed(t, append(args, "--junit", "c.xml")...).
		Stdout), " ")
	suites := html.UnescapeString(clitest.Read(t, "c.xml"))
	page := html.UnescapeString(clitest.Read(t, "c/report.html"))
	var doc struct {
		Answers []struct {
			Met, Missed float64
			Decisions   []struct {
				documentValue
				At float64
			}
		}
	}
	readJSON(t, clitest.Succeed(t, append(args, "--resume", "--format", "json")...).Stdout, &doc)
	answer, ends := doc.Answers[0], 0
	for _, d := range answer.Decisions {
		if d.At != answer.Met && d.At != answer.Missed {
			continue
		}
		ends++
		line := fmt.Sprintf("load %v: %s %s: %s", d.At, d.Objective, d.Verdict,
			d.decision(t).Evidence(unit))
		if !strings.Contains(s, line) || !strings.Contains(suites, line+"\n") {
			t.Errorf("no %q in\n%s\n%s", line, s, suites)
		}
		want := "missed"
		if d.At == answer.Met {
			want = "met"
		}
		if d.Verdict != want {
			t.Errorf("load %v is %s: %+v", d.At, d.Verdict, answer)
		}
	}
	if up := fmt.Sprintf("up to load %v to %v", text.Digits(answer.Met),
		text.Digits(answer.Missed)); ends != 2 || !strings.Contains(suites, up) ||
		!strings.Contains(page, up) {
		t.Errorf("%d ends; %q", ends, up)
	}
}
