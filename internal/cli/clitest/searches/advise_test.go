package searches

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/poolbench/poolbench/internal/cli/clitest"
	"github.com/poolbench/poolbench/internal/machine/race"
	"github.com/poolbench/poolbench/reports/page"
)

func TestAdvise(t *testing.T) {
	if race.Enabled {
		t.Skip("package advise searches under the race detector")
	}
	t.Chdir(t.TempDir())
	var schema map[string]any
	if err := json.Unmarshal([]byte(page.AdviceSchema), &schema); err != nil {
		t.Fatal(err)
	}
	cases := []struct {
		objective, verdict string
		code               int
	}{{"p99-response<150ms", "meets", clitest.Fine}, {"p99-response<50ms", "nothing_meets", clitest.Regression},
		{"p99-response<92ms", "undecided", clitest.Undecided}}
	if testing.Short() {
		cases = cases[:1]
	}
	for _, c := range cases {
		args := []string{"advise", "--workload", "exponential:mean=20ms", "--rate", "200",
			"--budget", "1s", "--strategy", "worker_pool,semaphore,adaptive_aimd", "--objective",
			c.objective}
		o := clitest.Command(t, append(args, "--html", "advice.html")...)
		if o.Code != c.code || o.Stderr != "" {
			t.Errorf("%s: exit code %d, want %d\n%s", c.objective, o.Code, c.code, o.Stderr)
		}
		if n := strings.Count(o.Stdout, "\n"); n > 25 {
			t.Errorf("%s: %d lines\n%s", c.objective, n, o.Stdout)
		}
		for line := range strings.Lines(o.Stdout) {
			if n := utf8.RuneCountInString(strings.TrimSpace(line)); n > 80 {
				t.Errorf("%d columns: %s", n, line)
			}
		}
		if html, err := os.ReadFile("advice.html"); err != nil ||
			!strings.Contains(string(html), "<code>slots := make(chan struct{}") ||
			!strings.Contains(string(html), `<figure id="stresses"`) ||
			!strings.Contains(string(html), "load x1.25: ") ||
			!strings.Contains(string(html), "exponential:mean=20ms, poisson arrivals, rate 200") ||
			strings.Contains(string(html), "target ") {
			t.Errorf("%s: the page lacks the Go to write, or its figure (%v)", c.objective, err)
		}
		j := clitest.Command(t, append(args, "--format", "json")...)
		var doc map[string]any
		if err := json.Unmarshal([]byte(j.Stdout), &doc); err != nil {
			t.Fatal(err)
		}
		if doc["verdict"] != c.verdict || j.Code != c.code {
			t.Errorf("%s: %v, exit code %d", c.objective, doc["verdict"], j.Code)
		}
		conforms(t, schema, schema, doc, "document")
		if c.code != clitest.Fine || testing.Short() {
			continue
		}
		if again := clitest.Command(t, append(args, "--format",
			"json")...); again.Stdout != j.Stdout {
			t.Errorf("%s: two answers\n%s\n%s", c.objective, j.Stdout, again.Stdout)
		}
	}
}

// conforms supports only the keywords of JSON Schema that the schema file uses.
func conforms(t *testing.T, root, schema map[string]any, v any, at string) {
	t.Helper()
	if ref, ok := schema["$ref"].(string); ok {
		name := strings.TrimPrefix(ref, "#/$defs/")
		schema = root["$defs"].(map[string]any)[name].(map[string]any)
	}
	if want, ok := schema["const"]; ok && want != v {
		t.Errorf("%s is %v, want %v", at, v, want)
	}
	if enum, ok := schema["enum"].([]any); ok && !slices.Contains(enum, v) {
		t.Errorf("%s is %v, want one of %v", at, v, enum)
	}
	kinds, many := schema["type"].([]any)
	if !many {
		kinds = []any{schema["type"]}
	}
	kind := map[reflect.Kind]string{reflect.Invalid: "null", reflect.Float64: "number",
		reflect.String: "string", reflect.Map: "object", reflect.Bool: "boolean",
		reflect.Slice: "array"}[reflect.ValueOf(v).Kind()]
	if n, ok := v.(float64); ok && n == float64(int(n)) && slices.Contains(kinds, any("integer")) {
		kind = "integer"
	}
	if kinds[0] != nil && !slices.Contains(kinds, any(kind)) {
		t.Errorf("%s is a %s, want %v", at, kind, kinds)
	}
	if items, ok := schema["items"].(map[string]any); ok {
		for _, one := range v.([]any) {
			conforms(t, root, items, one, at+"[]")
		}
	}
	properties, ok := schema["properties"].(map[string]any)
	object, isObject := v.(map[string]any)
	if !ok || !isObject {
		return
	}
	for _, name := range schema["required"].([]any) {
		if _, ok := object[name.(string)]; !ok {
			t.Errorf("%s lacks %s", at, name)
		}
	}
	for name, one := range object {
		if property, ok := properties[name].(map[string]any); ok {
			conforms(t, root, property, one, at+"."+name)
		} else {
			t.Errorf("%s has %s, which the schema does not", at, name)
		}
	}
}

func adviceOn(t *testing.T, args ...string) (d page.AdviceDocument, text string) {
	t.Helper()
	args = append([]string{"advise", "--quiet"}, args...)
	o := clitest.Command(t, append(args, "--format", "json")...)
	if err := json.Unmarshal([]byte(o.Stdout), &d); err != nil {
		t.Fatalf("%v\n%s", err, o.Stderr)
	}
	return d, clitest.Command(t, args...).Stdout
}

// A strategy with the same runs as a pool must not be better.
func TestAdviseAlike(t *testing.T) {
	if testing.Short() {
		t.Skip("long: skipped with -short")
	}
	for _, work := range [][]string{{"hyperexp:mean=25ms,c2=4", "2"},
		{"lognormal:mean=20ms,c2=4", "8"}} {
		d, text := adviceOn(t, "--workload", work[0], "--rate", "200", "--objective",
			"p99-response<400ms", "--budget", "3s", "--seed", work[1])
		if d.Verdict != "meets" || d.Recommendation.Strategy != "semaphore" {
			t.Errorf("%s: %s", work[0], text)
		}
		alike := slices.IndexFunc(d.RunnersUp, func(o page.AdviceOption) bool {
			return o.Strategy == "failsafe_adaptive"
		})
		if alike < 0 || !d.RunnersUp[alike].Same ||
			*d.RunnersUp[alike].High != *d.Recommendation.High {
			t.Errorf("%s: failsafe_adaptive is not the same\n%s", work[0], text)
		}
		limit := float64(d.Recommendation.Limit)
		for _, s := range d.Recommendation.Stresses {
			var load float64
			if _, err := fmt.Sscanf(s.Name, "load x%g", &load); err == nil &&
				(load**d.Work.Busy >= limit) != (s.Value == nil && s.Verdict == page.Unstable) {
				t.Errorf("%s: %+v with %v busy of %v", work[0], s, *d.Work.Busy, limit)
			}
			if s.Value != nil && *s.Value < *d.Recommendation.Value {
				t.Errorf("%s: %s comes to %v, and %v without it", work[0], s.Name, *s.Value,
					*d.Recommendation.Value)
			}
		}
	}
}

// No output may contain a number, except the load.
func TestAdviseUnstable(t *testing.T) {
	if testing.Short() {
		t.Skip("long: skipped with -short")
	}
	drawn := filepath.Join(t.TempDir(), "advice.html")
	questions := [][]string{
		{"--workload", "exponential:mean=20ms", "--rate", "400", "--limit-at-most", "7"},
		{"--workload", "exponential:mean=20ms", "--rate", "400", "--limit-at-most", "8"},
		{"--workload", "constant:mean=20ms", "--arrival", "constant", "--rate", "400",
			"--limit-at-most", "8"},
		{"--workload", "constant:mean=80ms", "--rate", "55", "--target",
			"token_bucket:rate=50,burst=10"},
		{"--workload", "exponential:mean=20ms", "--rate", "1100", "--target",
			"conn_pool:conns=20"},
		{"--workload", "exponential:mean=20ms", "--rate", "100", "--target",
			"sliding_window:limit=50,window=1s", "--may", "drop"},
	}
	for _, question := range questions {
		d, text := adviceOn(t, append(question, "--budget", "1s", "--objective",
			"p99-response<300ms", "--html", drawn)...)
		o := d.Recommendation
		if d.Verdict != "nothing_meets" || o.Verdict != page.Unstable || o.Value != nil ||
			o.Low != nil || o.High != nil || o.HoldsUpTo != nil || len(o.Stresses) > 0 {
			t.Errorf("%q: %+v", question, o)
		}
		if b := d.Below; b != nil && (b.Value != nil || b.Verdict != page.Unstable) {
			t.Errorf("%q: one below: %+v", question, b)
		}
		for _, other := range d.RunnersUp {
			if float64(other.Limit) <= *d.Work.Busy {
				t.Errorf("%q: %+v", question, other)
			}
		}
		if !strings.Contains(text, "\n  promise   none, as it is unstable: ") {
			t.Errorf("%q:\n%s", question, text)
		}
		if html := clitest.Read(t, drawn); !strings.Contains(html, "none, as it is unstable: ") {
			t.Errorf("%q: not on the page", question)
		}
	}
}

// The second line must report that a small budget runs only part of the recording.
func TestAdviseRecord(t *testing.T) {
	if testing.Short() {
		t.Skip("long: skipped with -short")
	}
	const tasks = 12_000
	var text strings.Builder
	for i := range tasks {
		fmt.Fprintf(&text, "%.3f,%dms\n", float64(i)*0.006+float64(i%7)*0.001, 5+i*i%31)
	}
	file := filepath.Join(t.TempDir(), "record.csv")
	if err := os.WriteFile(file, []byte(text.String()), 0o666); err != nil {
		t.Fatal(err)
	}
	question := []string{"--workload", "trace:file=" + file + ",column=2,time=1", "--arrival",
		"trace:file=" + file, "--objective", "p99-response<100ms"}
	part, said := adviceOn(t, append(question, "--budget", "2s")...)
	all, silent := adviceOn(t, question...)
	if part.Record == nil || part.Record.Tasks != tasks || all.Record != nil {
		t.Errorf("%+v with a small budget, %+v with the default", part.Record, all.Record)
	}
	second := strings.Split(said, "\n")[1]
	if !strings.HasPrefix(second, "  record    strategies' own code ran only the first") ||
		strings.Contains(silent, "  record ") {
		t.Errorf("the second line is %q\n%s", second, silent)
	}
	if part.Work != all.Work && *part.Work.Rate != *all.Work.Rate {
		t.Errorf("%v with a small budget, %v with the default", part.Work, all.Work)
	}
}
