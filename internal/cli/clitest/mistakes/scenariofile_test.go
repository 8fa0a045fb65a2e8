package mistakes

import (
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/poolbench/poolbench/internal/cli"
	"github.com/poolbench/poolbench/internal/cli/clitest"
	"github.com/poolbench/poolbench/internal/cli/options"
)

func TestScenarioFile(t *testing.T) {
	t.Chdir(t.TempDir())
	clitest.Write(t, "scenarios.yaml", `# two matrices
- strategy: [worker_pool, "bounded_queue_shed"]
  workload: ["hyperexp:mean=10ms,c2=4", constant]
  load: [0.5, 0.80]
  queue: 3
  warmup: 20%
  n: 300
  count: 2
  clock: virtual
- strategy: semaphore
  arrival: batch
  limit: 2,8
  n: 100
  clock: virtual
`)
	got := clitest.Succeed(t, "run", "--file", "scenarios.yaml", "--dry-run").Stdout
	flags := clitest.Succeed(t, strings.Fields("run --dry-run --strategy worker_pool,bounded_queue_shed "+
		"--workload hyperexp:mean=10ms,c2=4 --workload constant"+
		" --load 0.5,0.80 --queue 3 --warmup 20% --n 300 --count 2 --clock virtual")...).Stdout
	flags = flags[:strings.LastIndex(strings.TrimSpace(flags), "\n")+1]
	batch := clitest.Succeed(t, strings.Fields("run --dry-run --strategy semaphore --arrival batch "+
		"--limit 2,8 --n 100 --clock virtual")...).Stdout
	batch = batch[:strings.LastIndex(strings.TrimSpace(batch), "\n")+1]
	want := "# scenarios.yaml:2:3\n" + flags + "# scenarios.yaml:10:3\n" + batch +
		"10 scenarios, 18 runs, about 1 s\n"
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestFlagsOverFile(t *testing.T) {
	t.Chdir(t.TempDir())
	clitest.Write(t, "s.yaml", "- {strategy: semaphore, load: [0.5, 0.8], n: 100, clock: virtual}\n")
	got := clitest.Succeed(t,
		strings.Fields("run --file s.yaml --dry-run --rate 70 --duration 2s --limit 8")...).Stdout
	want := "Run/strategy=semaphore/workload=exponential/target=none/arrival=poisson/limit=8/rate=70/duration=2s/clock=virtual\n"
	if !strings.Contains(got, want) || !strings.Contains(got, "\n1 scenarios, 1 runs") {
		t.Errorf("got %s want %s", got, want)
	}
}

func TestScenarioFileErrors(t *testing.T) {
	for _, c := range []struct {
		text string
		want []string
	}{
		{"", []string{"f.yaml: empty: want a list of scenarios"}},
		{"# nothing\n", []string{"f.yaml: empty: want a list of scenarios"}},
		{"[]\n", []string{"f.yaml:1:1: the list of scenarios is empty"}},
		{"strategy: semaphore\n",
			[]string{`f.yaml:1:9: want a list of scenarios, each beginning with "- "`}},
		{"just words\n",
			[]string{`f.yaml:1:1: want a list of scenarios, each beginning with "- "`}},
		{"- n: 5\n---\n- n: 6\n",
			[]string{"f.yaml:3:1: a second document: want one list of scenarios"}},
		{"- semaphore\n",
			[]string{`f.yaml:1:3: want keys such as strategy: semaphore, got "semaphore"`}},
		{"- {}\n", []string{`f.yaml:1:3: want keys such as strategy: semaphore, got "{}"`}},
		{"- null\n", []string{`f.yaml:1:3: want keys such as strategy: semaphore, got "null"`}},
		{"- strategi: semaphore\n",
			[]string{`f.yaml:1:3: unknown key "strategi" (did you mean strategy?)`}},
		{"- strategy: pool\n  limit: [4, 0]\n  clock: sundial\n", []string{
			`f.yaml:1:13: strategy: unknown strategy "pool"`,
			"f.yaml:2:14: limit: want a number above 0, got 0",
			`f.yaml:3:10: clock: unknown clock "sundial"`}},
		{"- workload: [hyperexp:mean=1ms,c2=4]\n",
			[]string{`f.yaml:1:32: workload: "c2=4" is not a name: YAML splits a [list] at every ` +
				`comma, so quote a name with parameters`}},
		{"- n: [5, 6]\n", []string{"f.yaml:1:10: n: accepts one value, got 2"}},
		{"- n: []\n", []string{"f.yaml:1:6: n: the list is empty"}},
		{"- n:\n  seed: 1\n",
			[]string{"f.yaml:1:5: n: want a value or a list of values, got null"}},
		{"- n: {five: 5}\n",
			[]string{"f.yaml:1:6: n: want a value or a list of values, got mapping"}},
		{"- n: &five 5\n", []string{"f.yaml:1:6: anchors and aliases are not for scenarios: " +
			"write each out"}},
		{"- n: *five\n", []string{"f.yaml:1:6: anchors and aliases"}},
		{"- <<: 5\n", []string{"f.yaml:1:3: anchors and aliases"}},
		{strings.Repeat("[", 1<<17),
			[]string{"f.yaml:1:9: nested deeper than 8 levels: want a list of scenarios"}},
		{strings.Repeat("{a: ", 1<<16), []string{"f.yaml:1:33: nested deeper than 8 levels"}},
		{strings.Repeat("- ", 1<<16), []string{"f.yaml:1:17: nested deeper than 8 levels"}},
		{strings.Repeat("? ", 1<<16), []string{"f.yaml:1:17: nested deeper than 8 levels"}},
		{indented(1000), []string{"f.yaml:201:201: indented by more than 200 columns"}},
		{"\xff\xfe-\x00", []string{"f.yaml: not a text in UTF-8"}},
		{"\ufeff- n: 0\n", []string{`f.yaml:1:6: n: want a whole number from 1`}},
		{"- n: 5\n  n: 6\n", []string{`f.yaml:2:3: mapping key "n" already defined at [1:3]`}},
		{"- n: \"5\n", []string{"f.yaml:1:6: could not find end character of double-quoted text"}},
		{"- n: 5\n   m: 6\n", []string{"f.yaml:1:6: "}},
		{"- n: 5\n  duration: 1s\n- n: 6\n  warmup: 2\n",
			[]string{"f.yaml:1:3: n and duration exclude each other",
				"f.yaml:4:11: warmup: want a share such as 10%"}},
		{"- n: 5\n- n: 5\n",
			[]string{"f.yaml:2:3: Run/strategy=" + options.StrategyNames()[0] +
				"/workload=exponential/target=none/arrival=poisson/limit=4/load=0.7/n=5/clock=real " +
				"is already in f.yaml:1:3"}},
		{"\x7fELF\x00\x01\x02", []string{"f.yaml:1:1: want a list"}},
		{strings.Repeat("#", 1<<20+1), []string{"--file: f.yaml: it is longer than 1 MiB"}},
	} {
		t.Chdir(t.TempDir())
		clitest.Write(t, "f.yaml", c.text)
		o := clitest.Command(t, "run", "--file", "f.yaml", "--dry-run")
		lines := strings.Split(strings.TrimSuffix(o.Stderr, "\n"), "\n")
		if o.Code != clitest.Unusable || o.Stdout != "" || len(lines) != len(c.want) {
			t.Errorf("%.40q: exit code %d, stdout %q, stderr:\n%s", c.text, o.Code,
				o.Stdout, o.Stderr)
			continue
		}
		for i, line := range lines {
			if !strings.HasPrefix(line, "poolbench: "+c.want[i]) {
				t.Errorf("%.40q:\ngot  %s\nwant poolbench: %s", c.text, line, c.want[i])
			}
		}
	}
}

func indented(levels int) string {
	var b strings.Builder
	for i := range levels {
		b.WriteString(strings.Repeat(" ", i) + "a:\n")
	}
	return b.String()
}

func FuzzFlags(f *testing.F) {
	for _, seed := range []string{"--strategy|all|--load|0.5,0.8", "--limit|4,8|--n|100",
		"--workload|bimodal:p=0.05,short=1ms,long=50ms",
		"--arrival|closed:clients=8,think=exp(10ms)|--duration|1s",
		"--rate|1e9|--seed|18446744073709551615", "--warmup|99.99%", "--n|0x10", "-h", "--", "--=",
		"-", "--n=", "--limit=4|--limit=8", "--workload|lognormal:mean=106751d"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, flags string) {
		args := append(strings.Split(flags, "|"), "--dry-run")
		for i, a := range args {
			if strings.HasPrefix(a, "--dry-run=") || strings.HasPrefix(a, "--fi") || a == "--" &&
				i < len(args)-1 {
				return // these ignore --dry-run or read a file of the machine
			}
		}
		var stdout, stderr strings.Builder
		code := cli.Run(t.Context(), append([]string{"run"}, args...), strings.NewReader(""),
			&stdout, &stderr)
		said := stderr.String()
		switch {
		case code == clitest.Fine && said == "" && stdout.Len() > 0:
		case code == clitest.Unusable && strings.HasPrefix(said, "poolbench: ") &&
			strings.HasSuffix(said, "\n"):
		default:
			t.Errorf("%q: exit code %d, stdout %q, stderr %q", args, code, stdout.String(), said)
		}
	})
}

func TestFileIsNotRead(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.Symlink("itself", "itself"); err != nil {
		t.Fatal(err)
	}
	o := clitest.Command(t, "run", "--file", "itself")
	if o.Code != clitest.Unusable || !strings.HasPrefix(o.Stderr, "poolbench: --file: open itself: ") ||
		strings.Count(o.Stderr, "\n") != 1 {
		t.Errorf("exit code %d\n%s", o.Code, o.Stderr)
	}
}

// The command must refuse excessive lists before it builds them.
func TestManyScenarios(t *testing.T) {
	if testing.Short() {
		t.Skip("long: skipped with -short")
	}
	t.Chdir(t.TempDir())
	var values []string
	for i := range 3000 {
		values = append(values, strconv.Itoa(i+1))
	}
	list := "[" + strings.Join(values, ",") + "]"
	element := "- {strategy: semaphore, limit: " + list + ", load: [0.1, 0.2]}\n"
	for text, want := range map[string]string{
		"- strategy: all\n  limit: " + list + "\n  rate: " + list + "\n": "f.yaml:1:3: 3000 loads × " +
			"3000 limits × ",
		strings.Repeat(element, 4): "f.yaml:4:4: 24000 scenarios, including the earlier elements; " +
			"want at most 20000",
		strings.Repeat("- {strategy: semaphore}\n", 1001): "f.yaml:1001:3: the list has 1001 " +
			"elements; want at most 1000",
	} {
		clitest.Write(t, "f.yaml", text)
		for _, more := range [][]string{nil, {"--dry-run"}} {
			o := clitest.Command(t, append([]string{"run", "--file", "f.yaml"}, more...)...)
			if o.Code != clitest.Unusable || !strings.Contains(o.Stderr, want) {
				t.Errorf("exit code %d: %.300s, want %q", o.Code, o.Stderr, want)
			}
		}
	}
}
