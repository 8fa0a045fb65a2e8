package comparisons

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/poolbench/poolbench/internal/cli/clitest"
	"github.com/poolbench/poolbench/internal/text"
)

// The last six of the twelve results are slower.
func writeHistory(t *testing.T) (paths []string) {
	t.Helper()
	for i := range 12 {
		path := fmt.Sprintf("r%02d", (i*5)%12)
		level := 100 + 20*(i/6)
		clitest.Write(t, path, fmt.Sprintf("commit-time: 2026-01-%02dT00:00:00Z\nBenchmarkA 1 %d ns/op 7 "+
			"B/op\n", i+1, level+i%3))
		paths = append(paths, path)
	}
	return paths
}

func TestTrendCommand(t *testing.T) {
	t.Chdir(t.TempDir())
	paths := writeHistory(t)
	o := clitest.Succeed(t, append([]string{"trend", "--out", "charts"}, paths...)...)
	for _, want := range []string{"12 results, 1 varying series: 1 change (chance of any false " +
		"alarm: 5%)", "7 " + paths[6], "+19.8 %  worse", "charts in charts\n"} {
		if !strings.Contains(o.Stdout, want) {
			t.Errorf("no %q in\n%s", want, o.Stdout)
		}
	}
	for _, file := range []string{"charts/trend-sec-op.svg", "charts/trend-sec-op.png",
		"charts/trend-b-op.svg"} {
		if info, err := os.Stat(file); err != nil || info.Size() == 0 {
			t.Errorf("%s: %v", file, err)
		}
	}
	if o := clitest.Succeed(t, append([]string{"trend", "--by", "commit-time"},
		shuffled(paths)...)...); !strings.Contains(o.Stdout,
		"7 2026-01-07T00:00:00Z ("+paths[6]+")") {
		t.Errorf("--by: %s", o.Stdout)
	}
	if o := clitest.Succeed(t, append([]string{"trend"},
		shuffled(paths)...)...); !strings.Contains(o.Stdout, ": 0 changes") {
		t.Errorf("out of order: %s", o.Stdout)
	}
	var doc struct {
		text.Head
		Series []struct{ Changes []struct{ At int } }
	}
	if err := json.Unmarshal([]byte(clitest.Succeed(t,
		append([]string{"trend", "--format", "json", "--metric", "ns/op"}, paths...)...).Stdout),
		&doc); err != nil {
		t.Fatal(err)
	}
	if doc.Format != "poolbench trend" || len(doc.Series) != 1 || len(doc.Series[0].Changes) != 1 ||
		doc.Series[0].Changes[0].At != 6 {
		t.Errorf("%+v", doc)
	}
}

func shuffled(paths []string) (out []string) {
	for i := range paths {
		out = append(out, paths[(i*7)%len(paths)])
	}
	return out
}

func TestTrendExitCodes(t *testing.T) {
	t.Chdir(t.TempDir())
	slower := writeHistory(t)
	faster := append([]string{}, slower...)
	for i := range faster {
		faster[i] = slower[len(slower)-1-i]
	}
	for _, c := range []struct {
		flags string
		paths []string
		want  int
	}{
		{"", slower, clitest.Fine}, {"--fail", slower, clitest.Regression}, {"--fail", faster,
			clitest.Fine},
		{"--fail --margin 50%", slower, clitest.Fine},
		{"--fail --last 6", slower, clitest.Regression}, {"--fail --last 5", slower, clitest.Fine},
		{"--fail --metric B/op", slower, clitest.Fine},
		{"", slower[:9], clitest.Undecided}, {"--fail", slower[:9], clitest.Undecided},
		{"--format json", slower[:2], clitest.Undecided}, {"--fail", slower[:10],
			clitest.Regression},
	} {
		if o := clitest.Command(t, append(append([]string{"trend"}, strings.Fields(c.flags)...),
			c.paths...)...); o.Code != c.want || o.Stdout == "" || o.Stderr != "" {
			t.Errorf("%s of %d: exit code %d, want %d\n%s%s", c.flags, len(c.paths), o.Code, c.want,
				o.Stdout, o.Stderr)
		}
	}
}

func TestTrendOnce(t *testing.T) {
	t.Chdir(t.TempDir())
	paths := writeHistory(t)
	if err := os.Symlink(paths[11], "latest"); err != nil {
		t.Fatal(err)
	}
	if o := clitest.Succeed(t, append(append([]string{"trend"}, paths...),
		"latest")...); !strings.Contains(o.Stdout, "12 results") ||
		!strings.Contains(o.Stdout, "latest repeats "+paths[11]+", so it counts once") {
		t.Errorf("%s", o.Stdout)
	}
}

func TestTrendBadInput(t *testing.T) {
	t.Chdir(t.TempDir())
	clitest.Write(t, "a", "k: 1\nBenchmarkA 1 5 ns/op\n")
	clitest.Write(t, "b", "BenchmarkA 1 5 ns/op\n")
	for _, dir := range []string{"series/1", "series/2"} {
		if err := os.MkdirAll(dir, 0o777); err != nil {
			t.Fatal(err)
		}
		clitest.Write(t, dir+"/results.txt", "BenchmarkA 1 5 ns/op\n")
	}
	for _, c := range []struct{ args, want string }{
		{"", "trend: RESULT is missing (usage: poolbench trend RESULT RESULT... [flags])"},
		{"a", "trend: a trend needs two results or more"},
		{"series", "series: no results.txt in it: not the directory of a run; it contains runs: " +
			"series/1 and series/2"},
		{"a b c", "c: no such file or directory (arguments are read; --out names the " +
			"output)"},
		{"a b c --out d --html e", "c: no such file or directory\n"},
		{"a a", "trend: a trend needs two results or more"},
		{"a b --by k", `--by: b:1: the run has no line "k: …" above it to sort by`},
		{"a b --metric cats", "trend: no metric cats in a or b"},
		{"a b --alpha 0.0000001", "trend: alpha 1e-07: want a share from 1e-06 below 1"},
		{"a b --last -1", "--last: want a whole number from 0 to 100000000, got -1"},
		{"a b --last x", "--last: "},
		{"a b --margin 100%", "--margin: want a share"},
		{"a b --format csv", `--format: unknown value "csv" (known: text, json)`},
		{"a b --out a", "--out: a"},
	} {
		o := clitest.Command(t, append([]string{"trend"}, strings.Fields(c.args)...)...)
		if o.Code != clitest.Unusable || o.Stdout != "" || strings.Count(o.Stderr, "\n") != 1 ||
			!strings.HasPrefix(o.Stderr, "poolbench: "+c.want) {
			t.Errorf("trend %s: exit code %d, stdout %q, stderr %q, want %s", c.args, o.Code,
				o.Stdout, o.Stderr, c.want)
		}
	}
}
