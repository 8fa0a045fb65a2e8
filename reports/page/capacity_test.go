package page

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/poolbench/poolbench/internal/rundir"
	"github.com/poolbench/poolbench/reports/internal/resultstest"
)

func capacityFiles(answers ...string) map[string][]byte {
	files := sampleFiles([]sampleScenario{{workload: "exponential", arrival: "poisson", c2: 1,
		limit: 4, load: 0.5, clock: "virtual", n: 400, reps: 2}})
	text := string(files[rundir.ResultsFile])
	end := strings.Index(text, "# complete")
	var lines strings.Builder
	for _, a := range answers {
		fmt.Fprintf(&lines, "BenchmarkCapacity/%s\n", a)
	}
	files[rundir.ResultsFile] = []byte(text[:end] + lines.String() + text[end:])
	return files
}

const searched = "/workload=exponential/target=none/arrival=poisson/limit=4/load=0.1..1.2/clock=virtual/objective=p99-response<80ms 100 "

func TestReportOfUndecided(t *testing.T) {
	const said = "http://a.example: undecided for p99-response<50ms; met at 96.4 /s, missed at " +
		"97.4 /s. The search stopped: this machine cannot keep up"
	const line = "target=a/rate=10..1000/clock=real/objective=p99-response<50ms 9 " +
		"96.4 capacity-met-rate 97.4 capacity-missed-rate 9 capacity-probes"
	for _, more := range []string{"", "strategy=serial/" + strings.ReplaceAll(line, "96.4", "95")} {
		files := capacityFiles("strategy=semaphore/"+line, more)
		text := strings.Replace(string(files[rundir.ResultsFile]), "BenchmarkCapacity/strategy=sem",
			"# undecided: "+said+"\nBenchmarkCapacity/strategy=sem", 1)
		files[rundir.ResultsFile] = []byte(strings.Replace(text, "BenchmarkCapacity/\n", "", 1))
		r, err := Load(resultstest.Files(t, files))
		if err != nil {
			t.Fatal(err)
		}
		want, facts := said, 0
		if more != "" {
			want, facts = "serial meets p99-response<50ms up to rate 95.0 to 97.4; 1 undecided", 2
		}
		first := r.page.First
		if first.Headline != want || len(first.Facts) != facts {
			t.Errorf("%q with %d facts, want %q", first.Headline, len(first.Facts), want)
		}
		if len(first.Trust) == 0 || first.Trust[0].Text != "! 1 undecided" ||
			first.Trust[0].Kind != "warn" {
			t.Errorf("badges %v", first.Trust)
		}
		if (first.Basis == "") != (more == "") || (first.Figure == nil) != (more == "") {
			t.Errorf("basis %q, figure %v", first.Basis, first.Figure)
		}
	}
}

// The runs of a search for the smallest limit are its figure, but not its answer.
func TestReportOfLimits(t *testing.T) {
	const searched = "/workload=exponential/target=none/arrival=poisson/limit=1..64/rate=200/" +
		"clock=virtual/objective=p99-response<200ms 48 "
	for want, answers := range map[string][]string{
		"The smallest limit that meets p99-response<200ms is 6 with serial and semaphore": {
			"strategy=serial" + searched + "6 capacity-met-limit 5 capacity-missed-limit",
			"strategy=semaphore" + searched + "6 capacity-met-limit 5 capacity-missed-limit"},
		"No limit up to 64 meets p99-response<200ms with serial": {
			"strategy=serial" + searched + "64 capacity-missed-limit"},
		"serial meets p99-response<200ms up to queue 8 to 9": {"strategy=serial/queue=0..1024" +
			strings.Replace(searched, "1..64", "4", 1) +
			"8 capacity-met-queue 9 capacity-missed-queue"},
	} {
		const command = "poolbench capacity --find limit --objective 'p99-response<200ms'"
		files := capacityFiles(answers...)
		text := string(files[rundir.ResultsFile])
		files[rundir.ResultsFile] = []byte(strings.Replace(text, "\n# ",
			"\n# command "+command+"\n# ", 1))
		r, err := Load(resultstest.Files(t, files))
		if err != nil {
			t.Fatal(err)
		}
		first := r.page.First
		if first.Headline != want || first.Command != command || len(first.Facts) == 0 {
			t.Errorf("%q of %q with %d facts, want %q", first.Headline, first.Command,
				len(first.Facts), want)
		}
		if first.Figure == nil || !strings.Contains(first.Figure.ID, "ranking") {
			t.Errorf("%q: figure %v", want, first.Figure)
		}
	}
}

func TestReportOfCapacity(t *testing.T) {
	dir := resultstest.Files(t, capacityFiles(
		// The later line replaces this line.
		"strategy=semaphore"+searched+"0.1 capacity-met-load 9 capacity-probes",
		"strategy=serial"+searched+
			"0.105 capacity-met-load 0.12 capacity-missed-load 16 capacity-probes",
		"strategy=semaphore"+searched+
			"0.815 capacity-met-load 0.925 capacity-missed-load 15 capacity-probes",
		"strategy=bounded_queue_shed/queue=5"+strings.ReplaceAll(searched, "/queue=5", "")+
			"1.2 capacity-met-load 6 capacity-probes",
		"strategy=unbounded"+strings.Replace(searched, "/objective", "/confidence=0.9/objective",
			1)+"6 capacity-probes",
	))
	r, err := Load(dir)
	if err != nil {
		t.Fatal(err)
	}
	if len(r.page.Capacity) != 0 || r.page.First.Figure == nil {
		t.Fatalf("%d more charts of capacity", len(r.page.Capacity))
	}
	want := "bounded_queue_shed meets p99-response<80ms up to load 1.20, the highest tried; " +
		"serial only up to load 0.105 to 0.120"
	if got := r.page.First.Headline; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	f := *r.page.First.Figure
	if f.Title != "Capacity for p99-response<80ms" ||
		f.Subtitle != "exponential · poisson arrivals · limit 4 · virtual clock" {
		t.Errorf("%q, %q", f.Title, f.Subtitle)
	}
	for _, want := range []string{
		"The highest load that meets p99-response<80ms is in the bar, with 95 % confidence",
		"An arrow means that the search, from 0.1 to 1.2, found no bound.",
		"semaphore reaches at least 6.79 times the load of serial.",
	} {
		if !strings.Contains(f.Caption+" "+f.More, want) {
			t.Errorf("no %q in %q, %q", want, f.Caption, f.More)
		}
	}
	for _, want := range []string{"0.815 to 0.925", "0.105 to 0.12", "at least 1.2"} {
		if !strings.Contains(string(f.SVG), want) {
			t.Errorf("no %q in the picture", want)
		}
	}
	if want := "12 runs of 6 scenarios, 6 strategies"; r.page.Summary != want {
		t.Errorf("the answers count as runs: %q, want %q", r.page.Summary, want)
	}
	if notes := strings.Join(r.page.Notes, "\n"); !strings.Contains(notes,
		"unbounded omitted, because nothing is decided in the range") {
		t.Errorf("notes: %s", notes)
	}
	if err := Write(dir); err != nil {
		t.Fatal(err)
	}
	for _, ext := range []string{"svg", "png"} {
		if _, err := os.Stat(filepath.Join(dir, rundir.ChartsDir,
			"capacity-p99-response-80ms-exponential-poisson-arrivals-limit-4-virtual-clock."+
				ext)); err != nil {
			t.Error(err)
		}
	}
}

func TestReportOfAnswersAlone(t *testing.T) {
	dir := resultstest.Files(t,
		map[string][]byte{rundir.ResultsFile: []byte("BenchmarkCapacity/strategy=semaphore" +
			searched + "0.8 capacity-met-load\n")})
	r, err := Load(dir)
	if err != nil {
		t.Fatal(err)
	}
	if r.page.First.Figure != nil || len(r.page.Groups) != 1 {
		t.Errorf("%d charts, %d groups", len(r.page.Capacity), len(r.page.Groups))
	}
}

// A benchmark named Capacity is an answer only if its line contains the searched range.
func TestReportOfOtherCapacity(t *testing.T) {
	for _, answer := range []string{"strategy=semaphore 1 0.8 capacity-met-load",
		"load=0.5/objective=x 1 5 ns/op", "load=2..1/objective=x 1 5 ns/op",
		"load=..NaN/objective=x 1 5 ns/op"} {
		r, err := Load(resultstest.Files(t, capacityFiles(answer)))
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(pageOf(t, r), "Capacity for") {
			t.Errorf("%s is drawn", answer)
		}
	}
}

// One or two probes per rate of a server give no confidence interval.
func TestReportOfServerCapacity(t *testing.T) {
	r, err := Load(resultstest.Files(t, capacityFiles("target=here/arrival=constant/rate=50..400/"+
		"duration=2s/clock=real/objective=throttled<2% 1 153 capacity-met-rate "+
		"154 capacity-missed-rate")))
	if err != nil {
		t.Fatal(err)
	}
	f := r.page.First
	if said := f.Figure.Caption + f.Basis; strings.Contains(said, "95 %") ||
		strings.Contains(said, "surely") || !strings.Contains(said, "A probe met the objective at the left end") {
		t.Error(said)
	}
}
