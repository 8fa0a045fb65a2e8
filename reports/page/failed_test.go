package page

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/poolbench/poolbench/internal/rundir"
)

// Failures are counted over the repetitions of each target.
func TestPageShowsFailures(t *testing.T) {
	dir := t.TempDir()
	name := func(target string) string {
		return "Attack/target=" + target + "/arrival=constant/rate=50/clock=real"
	}
	text := "# poolbench results 1\n"
	for _, run := range []struct{ target, seed string }{{"shop", "1"}, {"inn", "1"},
		{"shop", "2"}} {
		text += "# seed " + run.seed + "\nBenchmark" + name(run.target) +
			" 4000 5 ns/op 1 p99-response-sec\n"
	}
	if err := os.WriteFile(filepath.Join(dir, rundir.ResultsFile),
		[]byte(text+"# complete 3 runs\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	const hostile = "</pre></details></section><script>alert(1)</script>&amp;\x1b[31m\u202egnp\x00" +
		"{{.}} ]]>"
	file := filepath.Join(dir, rundir.FailuresFile)
	body := func(seq uint64, text string) rundir.FailedBody {
		return rundir.FailedBody{Seq: seq, Status: 500, Type: `text/html"><img src=x onerror=y>`,
			Text: text}
	}
	if err := rundir.WriteFailures(file, []rundir.FailedRun{
		{Name: name("shop"), Seed: 1, Failures: []rundir.FailedAnswers{
			{What: `check failed: body contains "</th><b>"`, Count: 30, Bodies: []rundir.FailedBody{
				body(7, hostile), body(8, strings.Repeat("ä", 3000))}},
			{What: "status 500", Count: 4}}},
		{Name: name("shop"), Seed: 2, Failures: []rundir.FailedAnswers{
			{What: "status 500", Count: 5, Bodies: []rundir.FailedBody{body(1, "x")}},
			{What: "of before"}}},
		{Name: name("inn"), Seed: 1, Failures: []rundir.FailedAnswers{{What: "refused", Count: 1}}},
		{Name: "Attack/target=gone", Seed: 1, Failures: []rundir.FailedAnswers{{What: "lost"}}},
	}); err != nil {
		t.Fatal(err)
	}
	html := page(t, dir)
	for _, want := range []string{
		"shop, rate 50/s: check failed: body contains &#34;&lt;/th&gt;&lt;b&gt;&#34;</th><td>30</td><td>0.375 %",
		"shop, rate 50/s: status 500</th><td>9</td><td>0.112 %",
		"inn, rate 50/s: refused</th><td>1</td><td>0.0250 %",
		"of before</th><td>–</td><td>–", "The first 2 answers, secrets masked", "Request 7, status 500",
		"&lt;/pre&gt;&lt;/details&gt;", strings.Repeat("ä", 2048) + "…</pre>",
	} {
		if !strings.Contains(html, want) {
			t.Errorf("the page does not say %q", want)
		}
	}
	if a, b := strings.Index(html, "<td>30</td>"), strings.Index(html, "<td>1</td>"); a > b {
		t.Error("the most frequent failure is not the first")
	}
	r, err := Load(dir)
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Write(dir); err != nil {
		t.Fatal(err)
	}
	written, err := os.ReadFile(filepath.Join(dir, rundir.ReportFile))
	if err != nil {
		t.Fatal(err)
	}
	for _, not := range []string{"<script>alert", "<img", "\x1b", "\x00", "\u202e"} {
		if strings.Contains(string(written), not) {
			t.Errorf("%s has %q", rundir.ReportFile, not)
		}
	}
	if err := os.WriteFile(file, []byte("[{"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Load(dir); err == nil || !strings.Contains(err.Error(), rundir.FailuresFile) {
		t.Errorf("a damaged file: %v", err)
	}
}
