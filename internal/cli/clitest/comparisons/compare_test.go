package comparisons

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/poolbench/poolbench/internal/cli"
	"github.com/poolbench/poolbench/internal/cli/clitest"
)

func TestComparePage(t *testing.T) {
	t.Chdir(t.TempDir())
	line := "BenchmarkRun/strategy=%s/load=0.8 10 5 ns/op 7 ops/s\n"
	clitest.Write(t, "a", strings.Repeat(strings.ReplaceAll(line, "%s", "semaphore"), 6))
	o := clitest.Succeed(t, "compare", "a", "a", "--html", "page.html")
	if !strings.Contains(o.Stdout, "vs base") {
		t.Errorf("the table is missing: %s", o.Stdout)
	}
	page, err := os.ReadFile("page.html")
	if err != nil || !strings.Contains(string(page), "Equal: no difference in 2 comparisons") {
		t.Errorf("%v: %s", err, page)
	}
	o = clitest.Command(t, "compare", "a", "a", "--html", "missing/page.html")
	if o.Code != 2 || !strings.Contains(o.Stderr, "there is no directory missing") {
		t.Errorf("exit code %d, %s", o.Code, o.Stderr)
	}
}

func TestReportOfSeveral(t *testing.T) {
	t.Chdir(t.TempDir())
	line := "BenchmarkRun/strategy=semaphore/load=0.8 10 %s ns/op\n"
	for name, time := range map[string]string{"a": "5", "b": "6"} {
		if err := os.Mkdir(name, 0o777); err != nil {
			t.Fatal(err)
		}
		clitest.Write(t, name+"/results.txt", strings.Repeat(strings.ReplaceAll(line, "%s", time),
			6))
	}
	o := clitest.Succeed(t, "report", "a", "b")
	if o.Stdout != "comparison.html\n" {
		t.Errorf("printed %q", o.Stdout)
	}
	clitest.Succeed(t, "report", "a", "b", "--html", "other.html")
	clitest.Succeed(t, "compare", "a", "b", "--html", "compared.html")
	var pages []string
	for _, name := range []string{"comparison.html", "other.html", "compared.html"} {
		content, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		pages = append(pages, string(content))
	}
	if pages[0] != pages[1] || pages[0] != pages[2] {
		t.Error("the three pages differ")
	}
	for _, want := range []string{">What changed<", `id="explorer"`, `"sources":["a","b"]`} {
		if !strings.Contains(pages[0], want) {
			t.Errorf("no %s on the page", want)
		}
	}
	if o := clitest.Succeed(t, "report", "a", "--html", "x.html"); o.Stdout != "x.html\n" {
		t.Errorf("it writes %q", o.Stdout)
	}
	if _, err := os.Stat("a/report.html"); err == nil ||
		!strings.Contains(clitest.Read(t, "x.html"), "<h1") {
		t.Errorf("the page of one directory is not elsewhere: %v", err)
	}
}

func TestCompareArrangements(t *testing.T) {
	t.Chdir(t.TempDir())
	lines := func(unit string) string {
		var b strings.Builder
		for _, strategy := range []string{"semaphore", "worker_pool"} {
			b.WriteString(strings.Repeat("BenchmarkRun/strategy="+strategy+"/load=0.8 10 5 "+
				unit+" 7 ops/s\n", 6))
		}
		return b.String()
	}
	clitest.Write(t, "a", lines("ns/op"))
	clitest.Write(t, "load=0.8", lines("ns/op"))
	for _, c := range []struct {
		args string
		want []string // expected in stdout
		not  string
	}{
		{"compare a", []string{" a\n", "strategy=semaphore", "sec/op"}, "vs base"},
		{"compare a load=0.8", []string{" a ", "load=0.8 ", "vs base"}, ""},
		{"compare x=a y=load=0.8", []string{" x ", " y ", "vs base"}, ""},
		{"compare a a a", []string{" a#0 ", " a#1 ", " a#2 "}, ""},
		{"compare x=a x=a", []string{" x\n", "nothing to compare"}, "vs base"},
		{"compare a --col /strategy", []string{" semaphore ", " worker_pool ", "vs base",
			"Run/load=0.8"}, "strategy="},
		{"compare a --col /strategy@(worker_pool·semaphore) --row .name",
			[]string{" worker_pool ", "Run "}, "load="},
		{"compare a load=0.8 --col /strategy", []string{"the inputs are pooled"}, ""},
		{"compare a load=0.8 --filter /strategy:semaphore", []string{"vs base"}, "worker_pool"},
		{"compare a load=0.8 --filter .unit:ns/op", []string{"sec/op"}, "ops/s"},
		{"compare a load=0.8 --table /strategy --row .name",
			[]string{"/strategy: semaphore", "/strategy: worker_pool"}, "strategy="},
		{"compare a --row .name --table= --ignore .fullname", []string{"Run "}, "benchmarks vary"},
		{"compare a --row .name", []string{"¹ benchmarks vary in .fullname"}, ""},
		{"compare a --format csv --col /strategy", []string{",semaphore,,worker_pool,,,\n"}, ""},
		{"compare a --format markdown --col /strategy", []string{"| benchmark "}, ""},
	} {
		args := strings.Fields(c.args)
		for i := range args {
			// · stands for a blank within an argument
			args[i] = strings.ReplaceAll(args[i], "·", " ")
		}
		o := clitest.Succeed(t, args...)
		for _, want := range c.want {
			if !strings.Contains(o.Stdout, want) {
				t.Errorf("%s prints\n%s\nwant %q", c.args, o.Stdout, want)
			}
		}
		if c.not != "" && strings.Contains(o.Stdout, c.not) {
			t.Errorf("%s prints\n%s\nnot wanted: %q", c.args, o.Stdout, c.not)
		}
	}
	var doc struct {
		Columns    []string
		ColumnKeys []map[string]string
		Tables     []struct{ Base string }
	}
	if err := json.Unmarshal([]byte(clitest.Succeed(t, "compare", "a", "--col", "/strategy", "--format",
		"json").Stdout), &doc); err != nil {
		t.Fatal(err)
	}
	if len(doc.Columns) != 2 || doc.ColumnKeys[1]["/strategy"] != "worker_pool" ||
		doc.Tables[0].Base != "semaphore" {
		t.Errorf("%+v", doc)
	}
	if o := clitest.Succeed(t, "compare", "a", "--row", ".name", "--format",
		"csv"); !strings.HasPrefix(o.Stderr, "B3: benchmarks vary in .fullname\n") {
		t.Errorf("warnings on cells: %q", o.Stderr)
	}
}

func TestCompareBadOptions(t *testing.T) {
	t.Chdir(t.TempDir())
	clitest.Write(t, "a", "BenchmarkRun/strategy=semaphore 10 5 ns/op\n")
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"--row", "/load@size"},
			`poolbench: --row: unknown order "size" (at character 7 of "/load@size")`},
		{[]string{"--col", ".config@(a b)"},
			"poolbench: --col: fixed order not allowed for .config"},
		{[]string{"--table", "a,,b"}, "poolbench: --table: "},
		{[]string{"--ignore", ".unit"}, "poolbench: --ignore: .unit is only allowed in filters"},
		{[]string{"--filter", "/load:"}, "poolbench: --filter: "},
		{[]string{"--filter", "(x:y"}, "poolbench: --filter: "},
		{[]string{"--filter", "/load:7"}, "poolbench: --filter: no result in a passes"},
		{[]string{"--col", "/strategy@(nobody)"}, "poolbench: --filter: no result in a passes"},
	} {
		o := clitest.Command(t, append([]string{"compare", "a"}, c.args...)...)
		if o.Code != clitest.Unusable || o.Stdout != "" || !strings.HasPrefix(o.Stderr, c.want) ||
			strings.Count(o.Stderr, "\n") != 1 {
			t.Errorf("%q: exit code %d, stdout %q, stderr %q, want %s", c.args, o.Code, o.Stdout,
				o.Stderr, c.want)
		}
	}
}

func TestCompareStandardInput(t *testing.T) {
	t.Chdir(t.TempDir())
	lines := strings.Repeat("BenchmarkA 1 5 ns/op\n", 6)
	clitest.Write(t, "a", lines)
	var stdout, stderr strings.Builder
	if code := cli.Run(t.Context(), []string{"compare", "a", "now=-"}, strings.NewReader(lines),
		&stdout, &stderr); code != clitest.Fine || !strings.Contains(stdout.String(),
		"p=1.000 n=6") {
		t.Errorf("exit code %d\n%s%s", code, &stdout, &stderr)
	}
}

func TestCompareNothing(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, dir := range []string{"a", "b"} {
		clitest.Succeed(t, "run", "--strategy", "semaphore,worker_pool", "--limit", "3", "--n", "200",
			"--clock", "virtual", "--out", dir)
	}
	clitest.Succeed(t, "run", "--strategy", "semaphore", "--limit", "2,3", "--n", "200",
		"--clock", "virtual", "--out", "limits")
	clitest.Succeed(t, "run", "--strategy", "semaphore", "--n", "200", "--clock", "virtual", "--out",
		"one")
	for args, want := range map[string]string{
		"compare a": "compare: a alone cannot be compared: give two directories or files, OLD and " +
			"NEW, or --col /strategy for semaphore and worker_pool",
		"compare limits":                               "OLD and NEW, or --col /limit for 2 and 3",
		"compare one":                                  "give two directories or files, OLD and NEW\n",
		"compare a b --col strategy":                   "--col: strategy is part of the names of results, so use --col /strategy",
		"compare a b --col limit,load":                 "so use --col /limit",
		"compare a b --row strategy":                   "so use --row /strategy",
		"compare a --col strategy --all --format json": "so use --col /strategy",
		"compare a --col /limit":                       `every result is in one column (/limit: "3")`,
	} {
		o := clitest.Command(t, strings.Fields(args)...)
		if o.Code != clitest.Unusable || o.Stdout != "" || !strings.Contains(o.Stderr, want) {
			t.Errorf("%s: exit code %d, %q, %q; want in it %q", args, o.Code, o.Stdout, o.Stderr, want)
		}
	}
	clitest.Succeed(t, "compare", "a", "--col", "/strategy")
	clitest.Succeed(t, "compare", "a", "--all", "--metric", "p50,shed")
	clitest.Succeed(t, "compare", "a", "b", "--col", "commit", "--all")
}
