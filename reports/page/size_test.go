package page

import (
	"fmt"
	"io"
	"regexp"
	"strings"
	"testing"
)

// The limit applies to the default page, with 7,800 numbers in tables and 1,000 points in charts.
func TestNumbersAreSmall(t *testing.T) {
	runs := 600
	if testing.Short() {
		runs = 240
	}
	html := page(t, writeSample(t, manyScenarios(runs)))
	for _, of := range []struct {
		what, holds, each string
		most              int // bytes
	}{
		{"number", `(?s)<table.*?</table>`, "<td>", 76},
		{"point", `(?s)<svg xmlns.*?</svg>`, `class="pb-pt"`, 600},
	} {
		text := strings.Join(regexp.MustCompile(of.holds).FindAllString(html, -1), "")
		n := strings.Count(text, of.each)
		if n == 0 {
			t.Fatalf("no %s is on the page", of.what)
		}
		t.Logf("%d bytes a %s, of %d", len(text)/n, of.what, n)
		if len(text)/n > of.most {
			t.Errorf("a %s takes %d bytes, want at most %d", of.what, len(text)/n, of.most)
		}
	}
}

func BenchmarkRender3000(b *testing.B) {
	dir := writeSample(b, manyScenarios(3000))
	b.ReportAllocs()
	for b.Loop() {
		r, err := Load(dir)
		if err != nil {
			b.Fatal(err)
		}
		if err := r.WriteHTML(io.Discard); err != nil {
			b.Fatal(err)
		}
		if err := r.writeCharts(b.TempDir()); err != nil {
			b.Fatal(err)
		}
	}
}

func manyScenarios(runs int) (out []sampleScenario) {
	const loads, reps = 4, 5
	for w := range runs / len(sampleStrategies) / loads / reps {
		for l := range loads {
			out = append(out, sampleScenario{workload: fmt.Sprintf("lognormal:c2=%d", w+1),
				arrival: "poisson", c2: float64(w + 1), limit: 4, load: 0.6 + 0.1*float64(l),
				clock: "virtual", n: 400, reps: reps})
		}
	}
	if got := len(out) * reps * len(sampleStrategies); got != runs {
		panic(fmt.Sprint(got, " runs"))
	}
	return out
}
