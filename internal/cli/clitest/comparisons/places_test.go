package comparisons

import (
	"encoding/json"
	"encoding/xml"
	"fmt"
	"html"
	"math"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/poolbench/poolbench/internal/cli/clitest"
	"github.com/poolbench/poolbench/internal/statistics"
	"github.com/poolbench/poolbench/internal/text"
	"github.com/poolbench/poolbench/reports/gate"
	"github.com/poolbench/poolbench/reports/results"
)

const unit = "p99-response-sec"

// stated contains the values, the verdict and the SUSPECT or INVALID mark of an output. An empty
// string means that the output lacks the value.
type stated struct{ old, new, verdict, doubt string }

type place struct {
	name string
	gate bool   // whether the output shows gate's verdicts, not compare's
	only string // whether it shows only values or only changes; "" means both
	read func(t *testing.T, old, new string) stated
}

// places lists all outputs of compare, gate and trend with a value or a verdict.
var places = []place{
	{"compare, text", false, "", func(t *testing.T, old, new string) stated {
		return fromText(t, compareText(t, old, new))
	}},
	{"compare, markdown", false, "", func(t *testing.T, old, new string) stated {
		return fromMarkdown(t, compareText(t, old, new, "--format", "markdown"), 1)
	}},
	{"compare, JSON", false, "", compareJSON},
	{"compare, every metric", false, "changes", func(t *testing.T, old, new string) stated {
		text := compareText(t, old, new, "--all")
		_, after, _ := strings.Cut(text, "vs base")
		return stated{verdict: wordIn(after, "INVALID", "worse"), doubt: doubtIn(after)}
	}},
	{"compare, page", false, "", func(t *testing.T, old, new string) stated {
		cells := tableCells(t, comparePage(t, old, new), "Comparisons")
		return stated{cells[2], cells[3], wordIn(cells[5], "INVALID", "worse", "same"),
			doubtIn(cells[5])}
	}},
	{"compare, explorer", false, "values", func(t *testing.T, old, new string) stated {
		return explored(t, comparePage(t, old, new))
	}},
	{"page of each directory", false, "values", func(t *testing.T, old, new string) (s stated) {
		s.old, s.new = pageOf(t, old), pageOf(t, new)
		return s
	}},
	{"gate, text", true, "", func(t *testing.T, old, new string) stated {
		var line string
		for l := range strings.Lines(gateText(t, old, new)) {
			if strings.Contains(l, unit) && strings.Contains(l, "pairs") {
				line = l
			}
		}
		verdict, rest, _ := strings.Cut(line, "  ")
		_, rest, _ = strings.Cut(rest, unit)
		cells := regexp.MustCompile(`  +`).Split(strings.TrimSpace(rest), -1)
		return stated{cells[0], cells[1], strings.Split(verdict, ",")[0], doubtIn(verdict)}
	}},
	{"gate, markdown", true, "", func(t *testing.T, old, new string) stated {
		return fromMarkdown(t, gateText(t, old, new, "--format", "markdown"), 3)
	}},
	{"gate, JSON", true, "", gateJSON},
	{"gate, JUnit", true, "", gateJUnit},
	{"gate, page", true, "", func(t *testing.T, old, new string) stated {
		cells := tableCells(t, gatePage(t, old, new), "Verdicts, a table")
		return stated{cells[2], cells[3], strings.Split(cells[0], ",")[0], doubtIn(cells[0])}
	}},
	{"trend, JSON", false, "values", trendJSON},
}

func compareText(t *testing.T, old, new string, more ...string) string {
	t.Helper()
	return clitest.Succeed(t, append([]string{"compare", old, new, "--metric", unit},
		more...)...).Stdout
}

func comparePage(t *testing.T, old, new string) string {
	t.Helper()
	compareText(t, old, new, "--html", "page.html")
	return clitest.Read(t, "page.html")
}

func gateText(t *testing.T, old, new string, more ...string) string {
	t.Helper()
	return clitest.Command(t, append([]string{"gate", old, new, "--metric", unit},
		more...)...).Stdout
}

func doubtIn(text string) string { return wordIn(text, "SUSPECT", "INVALID") }

func wordIn(text string, words ...string) string {
	i := slices.IndexFunc(words, func(word string) bool { return strings.Contains(text, word) })
	if i < 0 {
		return ""
	}
	return words[i]
}

// fromText reads the row of the metric. Compare prints no values if both sides are equal in every
// metric.
func fromText(t *testing.T, text string) stated {
	t.Helper()
	for line := range strings.Lines(text) {
		if strings.Contains(line, "the same in every metric") {
			return stated{verdict: "same", doubt: doubtIn(line)}
		}
		cells := regexp.MustCompile(`  +`).Split(strings.TrimSpace(line), -1)
		if cells[0] == "p99 response" && len(cells) > 3 {
			verdict := cells[len(cells)-1]
			return stated{cells[1], cells[2], wordIn(verdict, "INVALID", "worse"), doubtIn(verdict)}
		}
	}
	t.Fatalf("no row in\n%s", text)
	return stated{}
}

func fromMarkdown(t *testing.T, text string, at int) stated {
	t.Helper()
	for line := range strings.Lines(text) {
		cells := strings.Split(strings.ReplaceAll(line, `\`, ""), "|")
		if len(cells) < 6 || !strings.Contains(line, "`Run") {
			continue
		}
		cells = cells[1:]
		for i := range cells {
			cells[i], _, _ = strings.Cut(strings.TrimSpace(cells[i]), " ±")
		}
		s := stated{old: cells[at], new: cells[at+1], doubt: doubtIn(line)}
		if at == 1 {
			s.verdict = wordIn(strings.Join(cells[3:5], " "), "INVALID", "worse", "same")
		} else {
			s.verdict = strings.Split(cells[0], ",")[0]
		}
		return s
	}
	t.Fatalf("no row in\n%s", text)
	return stated{}
}

func shownValue(t *testing.T, values []float64, uncertain json.RawMessage) string {
	t.Helper()
	share := 0.0
	switch string(uncertain) {
	case "":
	case "null": // without a bound
		share = math.Inf(1)
	default:
		if err := json.Unmarshal(uncertain, &share); err != nil {
			t.Fatal(err)
		}
	}
	return text.Uncertain(unit, statistics.Median(values), share)
}

func compareJSON(t *testing.T, old, new string) (s stated) {
	t.Helper()
	var doc struct {
		Tables []struct {
			Rows []struct {
				Cells []struct {
					Values    []float64
					Uncertain json.RawMessage
					Verdict   string
					Versus    *struct {
						Change, Verdict string
						Equal           bool
					}
				}
			}
		}
	}
	text := compareText(t, old, new, "--format", "json")
	if err := json.Unmarshal([]byte(text), &doc); err != nil {
		t.Fatal(err)
	}
	cells := doc.Tables[0].Rows[0].Cells
	for i, to := range []*string{&s.old, &s.new} {
		*to = shownValue(t, cells[i].Values, cells[i].Uncertain)
	}
	v := cells[1].Versus
	if s.verdict, s.doubt = v.Change, v.Verdict; v.Equal && v.Change == "" {
		s.verdict = "same"
	}
	return s
}

func gateJSON(t *testing.T, old, new string) stated {
	t.Helper()
	var doc struct {
		Rows []struct {
			Verdict, Doubt string
			Old, New       struct {
				Median    float64
				Uncertain json.RawMessage
			}
		}
	}
	if err := json.Unmarshal([]byte(gateText(t, old, new, "--format", "json")), &doc); err != nil {
		t.Fatal(err)
	}
	row := doc.Rows[0]
	return stated{shownValue(t, []float64{row.Old.Median}, row.Old.Uncertain),
		shownValue(t, []float64{row.New.Median}, row.New.Uncertain), row.Verdict, row.Doubt}
}

func gateJUnit(t *testing.T, old, new string) (s stated) {
	t.Helper()
	type said struct {
		Message string `xml:"message,attr"`
		Text    string `xml:",chardata"`
	}
	var doc struct {
		Suites []struct {
			Cases []struct {
				Name    string `xml:"name,attr"`
				Failure *said  `xml:"failure"`
				Error   *said  `xml:"error"`
				Output  string `xml:"system-out"`
			} `xml:"testcase"`
		} `xml:"testsuite"`
	}
	if err := xml.Unmarshal([]byte(gateText(t, old, new, "--format", "junit")), &doc); err != nil {
		t.Fatal(err)
	}
	for _, c := range doc.Suites[0].Cases {
		if !strings.HasSuffix(c.Name, unit) {
			continue
		}
		text := c.Output
		for _, of := range []*said{c.Failure, c.Error} {
			if of != nil {
				text = of.Text
				if verdict, _, _ := strings.Cut(of.Message, ": "); !strings.Contains(text,
					"verdict: "+verdict+"\n") {
					t.Errorf("the message is %q, the text\n%s", of.Message, text)
				}
			}
		}
		for line := range strings.Lines(text) {
			switch key, value, _ := strings.Cut(strings.TrimSpace(line), ": "); key {
			case "old":
				s.old = value
			case "new":
				s.new = value
			case "verdict":
				s.verdict, s.doubt = strings.Split(value, ",")[0], doubtIn(value)
			}
		}
	}
	return s
}

func gatePage(t *testing.T, old, new string) string {
	t.Helper()
	var sides [2]*results.Results
	for i, dir := range []string{old, new} {
		var err error
		if sides[i], err = results.ReadFile(dir); err != nil {
			t.Fatal(err)
		}
	}
	o := gate.DefaultOptions()
	o.Metrics = []string{unit}
	r, err := gate.Judge(sides[0], sides[1], o)
	if err != nil {
		t.Fatal(err)
	}
	var page strings.Builder
	if err := gate.WritePage(&page, r); err != nil {
		t.Fatal(err)
	}
	return page.String()
}

func trendJSON(t *testing.T, old, new string) (s stated) {
	t.Helper()
	var doc struct {
		Series []struct {
			At, Suspect, Uncertain []int
			Values                 []float64
			Errors                 []*float64 // null without a bound
		}
		Doubts []string
	}
	if err := json.Unmarshal([]byte(clitest.Command(t, "trend", old, new, "--metric", unit,
		"--format", "json").Stdout), &doc); err != nil {
		t.Fatal(err)
	}
	s.doubt = doubtIn(strings.Join(doc.Doubts, ""))
	for _, of := range doc.Series {
		for i, at := range of.At {
			share := 0.0
			if i := slices.Index(of.Uncertain, at); i >= 0 {
				if share = math.Inf(1); of.Errors[i] != nil {
					share = *of.Errors[i]
				}
			}
			*[]*string{&s.old, &s.new}[at] = text.Uncertain(unit, of.Values[i], share)
		}
		if len(of.Suspect) > 0 != (s.doubt == "SUSPECT") {
			t.Errorf("SUSPECT in %v, and %v", of.Suspect, doc.Doubts)
		}
	}
	return s
}

var cell = regexp.MustCompile(`<t[hd][^>]*>([^<]*)(?:<small>[^<]*</small>)?</t[hd]>`)

func tableCells(t *testing.T, page, name string) (cells []string) {
	t.Helper()
	_, table, _ := strings.Cut(page, `aria-label="`+name+`"`)
	for _, row := range strings.Split(table, "<tr")[1:] {
		row, _, _ = strings.Cut(row, "</tr>")
		if !strings.Contains(row, unit) {
			continue
		}
		for _, c := range cell.FindAllStringSubmatch(row, -1) {
			text := strings.ReplaceAll(html.UnescapeString(c[1]), "\u00a0", " ")
			value, _, _ := strings.Cut(strings.TrimSpace(text), " ± ")
			cells = append(cells, value)
		}
		return cells
	}
	t.Fatalf("no row of %s in %s of\n%.20000s", unit, name, page)
	return nil
}

func explored(t *testing.T, page string) (s stated) {
	t.Helper()
	_, str, _ := strings.Cut(page, `<script type="application/json" id="data">`)
	str, _, _ = strings.Cut(str, "</script>")
	var data struct {
		Metrics   []struct{ Unit string }
		Shapes    [][]int
		Runs      [][]float64
		Scenarios []struct {
			Series []struct{ Source int }
			Cells  []struct {
				Series    int
				Runs      []int
				Verdict   int
				Uncertain [][2]float64
			}
		}
	}
	if err := json.Unmarshal([]byte(str), &data); err != nil {
		t.Fatalf("%v: %.2000s", err, str)
	}
	metric := slices.IndexFunc(data.Metrics, func(m struct{ Unit string }) bool {
		return m.Unit == unit
	})
	worst := results.Valid
	for _, c := range data.Scenarios[0].Cells {
		var values []float64
		for _, r := range c.Runs {
			run := data.Runs[r]
			if at := slices.Index(data.Shapes[int(run[0])], metric); at >= 0 {
				values = append(values, run[1+at])
			}
		}
		share := 0.0
		for _, u := range c.Uncertain {
			if int(u[0]) == metric {
				share = u[1]
			}
		}
		source := data.Scenarios[0].Series[c.Series].Source
		str := "–"
		if len(values) > 0 {
			str = text.Uncertain(unit, statistics.Median(values), share)
		}
		*[]*string{&s.old, &s.new}[source] = str
		worst = max(worst, results.Verdict(c.Verdict))
	}
	if worst != results.Valid {
		s.doubt = worst.String()
	}
	return s
}

func pageOf(t *testing.T, dir string) string {
	t.Helper()
	clitest.Succeed(t, "report", dir, "--html", "one.html")
	page := strings.ReplaceAll(clitest.Read(t, "one.html"), "\u00a0", " ")
	_, table, _ := strings.Cut(page, "Values with their intervals")
	heads, rows, _ := strings.Cut(table, "</thead>")
	column := -1
	for i, head := range strings.Split(heads, "<th ")[1:] {
		if strings.Contains(head, "p99 response") {
			column = i
		}
	}
	for i, c := range strings.Split(rows, "<td")[1:] {
		if i == column {
			_, c, _ = strings.Cut(c, ">")
			c, _, _ = strings.Cut(c, "<")
			c, _, _ = strings.Cut(strings.TrimSpace(c), "\n")
			return html.UnescapeString(strings.TrimSpace(c))
		}
	}
	t.Fatalf("no p99 response in %.3000s", table)
	return ""
}

// All outputs must show the same digits, verdict and SUSPECT or INVALID marks.
func TestPlacesAgree(t *testing.T) {
	t.Chdir(t.TempDir())
	run := func(dir, law, rate string, tasks int) {
		t.Helper()
		clitest.Succeed(t, "run", "--quiet", "--clock", "virtual", "--strategy", "worker_pool",
			"--workload", law, "--rate", rate, "--limit", "2", "--n", fmt.Sprint(tasks), "--count", "6",
			"--out", dir)
	}
	edited := func(dir, of string, edit func(text string) string) {
		t.Helper()
		if err := os.Mkdir(dir, 0o777); err != nil {
			t.Fatal(err)
		}
		clitest.Write(t, dir+"/results.txt", edit(clitest.Read(t, of+"/results.txt")))
	}
	renamed := func(dir, of, from, to string) {
		t.Helper()
		edited(dir, of, func(text string) string { return strings.ReplaceAll(text, from, to) })
	}
	before := func(line string) func(string) string {
		return func(text string) string {
			return strings.ReplaceAll(text, "\nBenchmarkRun/", "\n"+line+"\nBenchmarkRun/")
		}
	}
	run("plain", "constant:mean=11ms", "100", 20000)
	run("longer", "constant:mean=13ms", "100", 20000)
	renamed("worse", "longer", "constant:mean=13ms", "constant:mean=11ms")
	renamed("again", "plain", "", "")
	run("over", "exponential:mean=11ms", "300", 1000)
	run("over-longer", "exponential:mean=14ms", "300", 1000)
	renamed("over-worse", "over-longer", "exponential:mean=14ms", "exponential:mean=11ms")
	run("short", "lognormal:mean=11ms,c2=9", "150", 600)
	run("short-longer", "lognormal:mean=14ms,c2=9", "150", 600)
	renamed("short-worse", "short-longer", "lognormal:mean=14ms", "lognormal:mean=11ms")
	broken := func(text string) string {
		at := strings.Index(text, "\nBenchmarkRun/")
		line, rest, _ := strings.Cut(text[at+1:], "\n")
		return text[:at] + "\n# invalid: lag: the generator was late\n" +
			regexp.MustCompile(`\d verdict`).ReplaceAllString(line, "2 verdict") + "\n" + rest
	}
	edited("broken", "worse", broken)
	edited("about", "plain", before("# uncertain: "+unit+" 0.48"))
	edited("about-worse", "worse", before("# uncertain: "+unit+" 0.9"))
	edited("unknown", "worse", before("# uncertain: "+unit+" 1.46"))
	edited("unbounded", "worse", before("# uncertain: "+unit+" +Inf"))

	for i, c := range []struct{ old, new, compare, gate, doubt string }{
		{"plain", "again", "same", "no worse", ""},
		{"plain", "worse", "worse", "worse", ""},
		{"over", "over-worse", "worse", "worse", "SUSPECT"},
		{"short", "short-worse", "worse", "worse", "SUSPECT"},
		{"plain", "broken", "INVALID", "inconclusive", "INVALID"},
		{"broken", "worse", "INVALID", "inconclusive", "INVALID"},
		{"about", "about-worse", "worse", "worse", ""},
		{"plain", "unknown", "worse", "worse", ""},
		{"about", "unbounded", "worse", "worse", ""},
	} {
		if testing.Short() && i != 3 && i != 6 { // a doubt, and uncertain values
			continue
		}
		var want stated
		for dir, to := range map[string]*string{c.old: &want.old, c.new: &want.new} {
			r, err := results.ReadFile(dir)
			if err != nil {
				t.Fatal(err)
			}
			var of results.Cell
			for i := range r.Runs {
				of = append(of, &r.Runs[i])
			}
			*to = of.Show(unit)
		}
		for _, p := range places {
			got := p.read(t, c.old, c.new)
			want := want
			want.doubt, want.verdict = c.doubt, c.compare
			if p.gate {
				want.verdict = c.gate
			}
			switch p.name {
			case "page of each directory":
				want.doubt = ""
			case "trend, JSON": // trend omits INVALID results
				for dir, to := range map[string]*string{c.old: &want.old, c.new: &want.new} {
					if dir == "broken" {
						*to = ""
					}
				}
			}
			if p.only == "values" || c.compare == "same" && p.only == "changes" {
				want.verdict = ""
			}
			if p.only == "changes" || c.compare == "same" && p.name == "compare, text" {
				want.old, want.new = "", ""
			}
			if got != want {
				t.Errorf("%s against %s, %s: %+v, want %+v", c.new, c.old, p.name, got, want)
			}
		}
		wantCode := map[string]int{"no worse": clitest.Fine, "worse": 1,
			"inconclusive": clitest.Undecided}[c.gate]
		if o := clitest.Command(t, "gate", c.old, c.new, "--metric", unit); o.Code != wantCode {
			t.Errorf("gate %s %s: exit code %d, want %d", c.old, c.new, o.Code, wantCode)
		}
	}
}
