package documents

import (
	"encoding/json"
	"github.com/poolbench/poolbench/internal/cli/program"
	"strings"
	"testing"

	"github.com/poolbench/poolbench/internal/cli/clitest"
	"github.com/poolbench/poolbench/internal/cli/options"
	"github.com/poolbench/poolbench/internal/text"
	"github.com/poolbench/poolbench/strategies"
)

func TestListAdds(t *testing.T) {
	for _, name := range []string{"asynq", "tunny", "worker_pool"} {
		one := clitest.Succeed(t, "list", "strategies", name).Stdout
		adds := strategies.MustParse(name).Spec.Adds
		if n := strings.Count(one, "\n  added by poolbench  "); n != len(adds) {
			t.Errorf("%s: %d lines for %d additions", name, n, len(adds))
		}
		for _, a := range adds {
			if !strings.Contains(one, a.What+"; bare library: "+a.Bare) {
				t.Errorf("%s: no %s", name, a)
			}
		}
	}
}

func TestList(t *testing.T) {
	if testing.Short() {
		t.Skip("long: skipped with -short")
	}
	all := clitest.Succeed(t, "list").Stdout
	for _, k := range options.Kinds() {
		l := k.Listing()
		if len(l.Entries) == 0 {
			t.Errorf("no %s", l.Kind)
		}
		one := clitest.Succeed(t, "list", l.Kind).Stdout
		if l.Kind == "strategies" {
			testStrategies(t, one)
			continue
		}
		if n := strings.Count(one, "\n"); n != len(l.Entries) {
			t.Errorf("%d lines for %d %s", n, len(l.Entries), l.Kind)
		}
		if !strings.Contains(all, l.Kind+"\n"+one) {
			t.Errorf("list does not have what list %s has", l.Kind)
		}
		for _, e := range l.Entries {
			if e.Summary == "" || strings.Contains(e.Summary, "\n") ||
				!strings.Contains(one, e.Name+"  ") && !strings.Contains(one, e.Name+" ") {
				t.Errorf("%s %s: summary %q in\n%s", l.Kind, e.Name, e.Summary, one)
			}
			full := clitest.Succeed(t, "list", l.Kind, e.Name).Stdout
			for _, p := range e.Parameters {
				if !strings.Contains(full, p.Name) || !strings.Contains(full, p.Kind) ||
					!strings.Contains(full, p.Default) || !strings.Contains(full, p.Doc) ||
					p.Doc == "" {
					t.Errorf("%s %s: parameter %+v in\n%s", l.Kind, e.Name, p, full)
				}
			}
		}
	}
}

// Each strategy needs a line in one of the two tables, with the cells of
// docs/reference/strategies.md.
func testStrategies(t *testing.T, tables string) {
	t.Helper()
	lines := map[string]string{}
	for line := range strings.Lines(tables) {
		if name, _, ok := strings.Cut(strings.TrimLeft(line, " "), "  "); ok {
			lines[name] = line
		}
	}
	inDocs := clitest.Read(t, checkout+"/docs/reference/strategies.md")
	for _, s := range strategies.All() {
		row, heads := options.StrategyRow(s), options.StrategyColumns
		if s.Twin.Of != "" {
			row, heads = options.TwinRow(s), options.TwinColumns
		}
		for c, cell := range row {
			if cell == "" || !strings.Contains(lines[s.Name], cell) ||
				heads[c] != "unless" && !strings.Contains(inDocs, cell) {
				t.Errorf("%s, %s: %q is not in the list, or not in the docs (make generate)\n%s",
					s.Name, heads[c], cell, lines[s.Name])
			}
		}
		if full := clitest.Succeed(t, "list", "strategies", s.Name).Stdout; !strings.Contains(full,
			s.Summary) || !strings.Contains(full, s.UseIf) {
			t.Errorf("list strategies %s: %s", s.Name, full)
		}
	}
	for name, want := range map[string]string{
		"bounded_queue_shed": "accepts queue=N, default 0, not --queue\n",
		"retry_in_place":     "see 'poolbench list parts retry_in_place'\n"} {
		full := clitest.Succeed(t, "list", "strategies", name).Stdout
		if !strings.Contains(full, want) {
			t.Errorf("the part is not told of: %s", full)
		}
	}
}

func TestListJSON(t *testing.T) {
	var doc struct {
		text.Head
		Lists []options.Listing
	}
	if err := json.Unmarshal([]byte(clitest.Succeed(t, "list", "--format", "json").Stdout),
		&doc); err != nil {
		t.Fatal(err)
	}
	if doc.Head != text.NewHead("list") || len(doc.Lists) != 7 ||
		len(doc.Lists[0].Entries) != len(strategies.All()) {
		t.Errorf("%+v", doc)
	}
	doc.Lists = nil
	if err := json.Unmarshal([]byte(clitest.Succeed(t, "list", "workloads", "hyperexp", "--format",
		"json").Stdout), &doc); err != nil {
		t.Fatal(err)
	}
	if len(doc.Lists) != 1 || len(doc.Lists[0].Entries) != 1 ||
		len(doc.Lists[0].Entries[0].Parameters) == 0 {
		t.Errorf("%+v", doc)
	}
}

func TestVersion(t *testing.T) {
	v := program.ReadVersion()
	if got := clitest.Succeed(t, "version").Stdout; got != v.String()+"\n" ||
		!strings.Contains(got, v.Go) || !strings.Contains(got, v.OS+"/"+v.Arch) {
		t.Errorf("%q", got)
	}
	var doc struct {
		text.Head
		program.Version
	}
	if err := json.Unmarshal([]byte(clitest.Succeed(t, "version", "--format", "json").Stdout),
		&doc); err != nil {
		t.Fatal(err)
	}
	if doc.Head != text.NewHead("version") || doc.Version != v {
		t.Errorf("%+v, want %+v", doc, v)
	}
}

func TestCompletion(t *testing.T) {
	for _, shell := range []string{"bash", "fish", "powershell", "zsh"} {
		if script := clitest.Succeed(t, "completion", shell).Stdout; !strings.Contains(script,
			"poolbench") {
			t.Errorf("%s: %d bytes", shell, len(script))
		}
	}
	for typed, want := range map[string]string{
		"run --strategy se":            "semaphore",
		"run --strategy serial,se":     "serial,semaphore",
		"run --strategy a":             "all",
		"run --workload hyp":           "hyperexp",
		"run --target to":              "token_bucket",
		"run --arrival bu":             "bulk",
		"run --clock v":                "virtual",
		"run --format j":               "json",
		"gate --metric p99-resp":       "p99-response-sec",
		"compare --format m":           "markdown",
		"list work":                    "workloads",
		"list workloads log":           "lognormal",
		"completion z":                 "zsh",
		"help comp":                    "compare",
		"run --strategy worker_pool,u": "worker_pool,unbounded",
	} {
		lines := strings.Split(clitest.Succeed(t,
			append([]string{"__complete"}, strings.Fields(typed)...)...).Stdout, "\n")
		if !containsLine(lines, want) {
			t.Errorf("%s: %q, want %s", typed, lines, want)
		}
	}
}

func containsLine(lines []string, want string) bool {
	for _, line := range lines {
		if word, _, _ := strings.Cut(line, "\t"); word == want {
			return true
		}
	}
	return false
}
