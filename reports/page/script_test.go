package page

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/evanw/esbuild/pkg/api"
	"golang.org/x/perf/benchmath"

	"github.com/poolbench/poolbench/internal/text"
	"github.com/poolbench/poolbench/reports/internal/tab"
	"github.com/poolbench/poolbench/reports/results"
)

func inScript(t testing.TB) *tab.Tab {
	t.Helper()
	var lines strings.Builder
	for _, source := range []string{"format", "ticks", "stats", "state", "labels", "pointer",
		"figure", "classes"} {
		fmt.Fprintf(&lines, "export * from './%s';\n", source)
	}
	built := api.Build(api.BuildOptions{Bundle: true, Format: api.FormatIIFE, Target: api.ES2022,
		GlobalName: "front", Stdin: &api.StdinOptions{Contents: lines.String(),
			ResolveDir: "front", Loader: api.LoaderTS}})
	if len(built.Errors) > 0 {
		t.Fatal(built.Errors)
	}
	b := tab.New(t)
	b.Open("/dev/null", "")
	tab.Eval[bool](b, string(built.OutputFiles[0].Contents)+";globalThis.front = front; true")
	return b
}

func jsonOf(t testing.TB, v any) string {
	t.Helper()
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestScriptAxes(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "charts", "testdata", "axes.json"))
	if err != nil {
		t.Fatal(err)
	}
	var want []map[string]any
	if err := json.Unmarshal(text, &want); err != nil {
		t.Fatal(err)
	}
	got := tab.Eval[[]map[string]any](inScript(t), string(text)+`.map(({Lo, Hi}) => {
		const Linear = front.linearMarks(Lo, Hi, 5), Log = front.logMarks(Lo, Hi);
		return {Lo, Hi, Linear, Log,
			Seconds: [front.axisSeconds(Lo), front.axisSeconds(Hi)],
			Counts: [front.axisCount(Lo), front.axisCount(Hi)],
			OfMarks: [...Linear, ...Log].map(front.axisCount)};
	})`)
	for i := range want {
		if !reflect.DeepEqual(got[i], want[i]) {
			t.Errorf("the script makes %v, want %v", got[i], want[i])
		}
	}
}

// including rounding ties and values at unit boundaries
func TestScriptFormats(t *testing.T) {
	values := []float64{0, 1, 0.5, 0.9995, 0.99949, 0.99951, 0.9999, 0.125, 1.125, 2.5, 0.0025,
		12.25, 999.5, 1000.5, 1001.5, 7199, 7200, 172800, 1e9,
		9.995e-4, 1e-6, 9.995e-7, 5e-10, 0.0973, 123456.5}
	r := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		values = append(values, math.Exp(r.Float64()*50-25))
	}
	kinds := []text.Kind{text.Times, text.Rates, text.Bytes, text.Shares,
		text.Numbers}
	b := inScript(t)
	for _, kind := range kinds {
		got := tab.Eval[[]string](b, fmt.Sprintf("%s.map(v => front.spell(%q, v))",
			jsonOf(t, values), kind))
		for i, v := range values {
			if want := kind.Spell(v); got[i] != want {
				t.Errorf("%s %v is %q in the script, want %q", kind, v, got[i], want)
			}
		}
	}
}

func TestScriptEstimates(t *testing.T) {
	const most = 40
	b := inScript(t)
	r := rand.New(rand.NewPCG(3, 4))
	for n := 1; n <= most; n++ {
		var c results.Cell
		var values []float64
		for range n {
			values = append(values, math.Round(r.ExpFloat64()*20))
			c = append(c, &results.Run{Values: map[string]float64{"x": values[len(values)-1]}})
		}
		want, _ := c.Estimate("x")
		got := tab.Eval[results.Estimate](b, fmt.Sprintf("front.estimate(%s, %s)",
			jsonOf(t, values), jsonOf(t, ranks(most))))
		if got != want {
			t.Errorf("%v: %+v, want %+v", values, got, want)
		}
	}
}

type ratioOf struct {
	Mid, Lo, Hi float64
	Verdict     string
	Pairs       bool
}

// For unpaired repetitions, the script must agree with the exact Mann–Whitney test at 5 %.
func TestScriptSignificance(t *testing.T) {
	b := inScript(t)
	r := rand.New(rand.NewPCG(5, 6))
	told := 0
	for range 300 {
		x, y := make([]float64, 2+r.IntN(9)), make([]float64, 2+r.IntN(9))
		shift := r.Float64() * 2
		for i := range x {
			x[i] = math.Exp(r.NormFloat64())
		}
		for i := range y {
			y[i] = math.Exp(shift + r.NormFloat64())
		}
		got := tab.Eval[ratioOf](b, fmt.Sprintf("front.ratio(%s, %s, false, [])", jsonOf(t, x),
			jsonOf(t, y)))
		compared := benchmath.AssumeNothing.Compare(
			benchmath.NewSample(x, &benchmath.DefaultThresholds),
			benchmath.NewSample(y, &benchmath.DefaultThresholds))
		apart := compared.P <= 0.05
		if (got.Verdict == "apart") != apart {
			t.Errorf("%d and %d values: p = %v, and the script says %+v", len(x), len(y),
				compared.P, got)
		}
		if apart {
			told++
		}
	}
	if told < 30 || told > 270 {
		t.Errorf("%d of 300 told apart: the samples show nothing", told)
	}
}

func TestScriptPairs(t *testing.T) {
	b := inScript(t)
	for _, c := range []struct {
		a, b string
		want ratioOf
	}{
		{"[1, 2, 4]", "[2, 6, 6]", ratioOf{2, 1.5, 3, "apart", true}},
		{"[1, 2, 4]", "[2, 1, 6]", ratioOf{1.5, 0.5, 2, "not told apart", true}},
		{"[1, 2, 4]", "[1, 2, 4]", ratioOf{1, 1, 1, "same", true}},
		{"[2]", "[4]", ratioOf{2, 2, 2, "few", true}},
	} {
		got := tab.Eval[ratioOf](b, fmt.Sprintf("front.ratio(%s, %s, true, %s)", c.a, c.b,
			jsonOf(t, ranks(3))))
		if got != c.want {
			t.Errorf("%s over %s: %+v, want %+v", c.b, c.a, got, c.want)
		}
	}
	if got := tab.Eval[*ratioOf](b, "front.ratio([0, 1], [1, 1], true, [])"); got != nil {
		t.Errorf("a ratio to 0: %+v", got)
	}
}

// An invalid link, or a link of another version or section, has no effect.
func TestScriptLinks(t *testing.T) {
	b := inScript(t)
	state := `{scenario: "g&h=1", metric: "p99.9", axis: "load", linear: true,
		shown: ["a,b", "c&d", "%", "<i>"], x: 0.9, point: "a,b", base: "x#y", at: {limit: 4},
		zoom: [0.1, 0.5, 1, 2], sort: "-p99", filter: "é ?"}`
	if !tab.Eval[bool](b, `(s => JSON.stringify(front.decode("#" + front.encode(s), "p99")) ===
		JSON.stringify(s))(`+state+`)`) {
		t.Error("a state does not come back from its link")
	}
	for link, want := range map[string]string{
		"#answer": "null", "": "null", "#explore?m=p50&v=2": "null",
		"#explore?x=many&zoom=1,2&s=%E0%A4%A&v=1": `{"x":null,"zoom":null,"shown":["%E0%A4%A"]}`,
		"#explore?s=&v=1":                         `{"x":null,"zoom":null,"shown":[]}`,
	} {
		got := tab.Eval[string](b, fmt.Sprintf(`(s => JSON.stringify(s && {x: s.x, zoom: s.zoom,
			shown: s.shown}))(front.decode(%q, "p99"))`, link))
		if got != want {
			t.Errorf("%s: %s, want %s", link, got, want)
		}
	}
}

func TestScriptLabels(t *testing.T) {
	got := tab.Eval[[]float64](inScript(t), "front.spread([10, 11, 200, 12, 9], 0, 210)")
	want := []float64{17, 34, 200, 51, 0}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}
