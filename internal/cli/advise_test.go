package cli

import (
	"encoding/json"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/poolbench/poolbench/reports/advice"
)

// TestAdvise: the verdicts with their exit codes, on a screen of 25 lines of 80 columns, and as a
// document that has the checked-in schema, and as a page.
func TestAdvise(t *testing.T) {
	t.Chdir(t.TempDir())
	var schema map[string]any
	if err := json.Unmarshal([]byte(advice.Schema), &schema); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		objective, verdict string
		code               int
	}{{"p99-response<150ms", "meets", fine}, {"p99-response<50ms", "nothing_meets", regression},
		{"p99-response<93ms", "undecided", undecided}} {
		args := []string{"advise", "--workload", "exponential:mean=20ms", "--rate", "200",
			"--budget", "1s", "--strategy", "worker_pool,semaphore,adaptive_aimd", "--objective",
			c.objective}
		o := command(t, append(args, "--html", "advice.html")...)
		if o.code != c.code || o.stderr != "" {
			t.Errorf("%s: exit code %d, want %d\n%s", c.objective, o.code, c.code, o.stderr)
		}
		if n := strings.Count(o.stdout, "\n"); n > 25 {
			t.Errorf("%s: %d lines\n%s", c.objective, n, o.stdout)
		}
		for line := range strings.Lines(o.stdout) {
			if n := utf8.RuneCountInString(strings.TrimSpace(line)); n > 80 {
				t.Errorf("%d columns: %s", n, line)
			}
		}
		if page, err := os.ReadFile("advice.html"); err != nil ||
			!strings.Contains(string(page), "<code>slots := make(chan struct{}") ||
			!strings.Contains(string(page), `<figure id="stresses"`) ||
			!strings.Contains(string(page), "load x1.25: ") ||
			!strings.Contains(string(page), "exponential:mean=20ms, poisson arrivals, rate 200") ||
			strings.Contains(string(page), "target ") {
			t.Errorf("%s: the page lacks the Go to write, or its figure (%v)", c.objective, err)
		}
		j := command(t, append(args, "--format", "json")...)
		var doc map[string]any
		if err := json.Unmarshal([]byte(j.stdout), &doc); err != nil {
			t.Fatal(err)
		}
		if doc["verdict"] != c.verdict || j.code != c.code {
			t.Errorf("%s: %v, exit code %d", c.objective, doc["verdict"], j.code)
		}
		conforms(t, schema, schema, doc, "document")
		if again := command(t, append(args, "--format", "json")...); again.stdout != j.stdout {
			t.Errorf("%s: two answers\n%s\n%s", c.objective, j.stdout, again.stdout)
		}
	}
}

// conforms holds a value to the parts of JSON schema that ours uses.
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
		reflect.String: "string", reflect.Map: "object",
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
