package requests

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/poolbench/poolbench/bench"
	"github.com/poolbench/poolbench/bench/result"
	"github.com/poolbench/poolbench/internal/cli/clitest"
	"github.com/poolbench/poolbench/internal/directory"
	"github.com/poolbench/poolbench/internal/text"
)

func TestMerge(t *testing.T) {
	url, _ := clitest.Shop(t, 503)
	t.Chdir(t.TempDir())
	for _, c := range []struct{ dir, n string }{{"a", "200"}, {"b", "200"}, {"other", "100"}} {
		clitest.Attacked(t, "attack", url, "--rate", "400", "--n", c.n, "--name", "shop", "--out", c.dir,
			"--quiet")
	}
	if o := clitest.Command(t, "merge", "a", "./b", "b", "--out", "both"); o.Code != 2 ||
		!strings.Contains(o.Stderr, "b and ./b are the same directory") {
		t.Errorf("exit code %d: %s%s", o.Code, o.Stdout, o.Stderr)
	}
	o := clitest.Command(t, "merge", "a", "b", "--out", "both")
	if o.Code != clitest.Fine && o.Code != clitest.Undecided ||
		!strings.Contains(o.Stdout, "Runs: 1, each from 2 directories") ||
		!strings.Contains(o.Stdout, "peak-inflight") {
		t.Fatalf("exit code %d: %s%s", o.Code, o.Stdout, o.Stderr)
	}
	one := func(dir string) *bench.Result {
		t.Helper()
		all, partial, err := directory.Read(dir)
		if err != nil || partial || len(all) != 1 {
			t.Fatal(dir, len(all), partial, err)
		}
		return all[0]
	}
	a, b, both := one("a"), one("b"), one("both")
	if !strings.Contains(both.Name, "/rate=800/n=400/") {
		t.Error(both.Name)
	}
	if both.Tasks != 400 || len(both.Agents) != 2 || both.Verdict != max(a.Verdict, b.Verdict) {
		t.Errorf("%d requests, agents %q, %v", both.Tasks, both.Agents, both.Verdict)
	}
	for _, c := range []struct {
		unit string
		of   func(a, b float64) float64
	}{
		{"ops/s", func(a, b float64) float64 { return a + b }},
		{"offered-ops/s", func(a, b float64) float64 { return a + b }},
		{"throttled/op", func(a, b float64) float64 { return (a + b) / 2 }},
		{"max-response-sec", func(a, b float64) float64 { return max(a, b) }},
	} {
		x, _ := a.Metric(c.unit)
		y, _ := b.Metric(c.unit)
		got, ok := both.Metric(c.unit)
		if want := c.of(x, y); !ok || got < 0.999999*want || got > 1.000001*want {
			t.Errorf("%s is %v, want %v of %v and %v", c.unit, got, want, x, y)
		}
	}
	x, _ := a.Metric("p50-response-sec")
	y, _ := b.Metric("p50-response-sec")
	if v, ok := both.Metric("p50-response-sec"); !ok || v < 0.998*min(x, y) || v > 1.002*max(x, y) {
		t.Errorf("the median of both is %v, of each %v and %v", v, x, y)
	}
	for _, dir := range []string{"virtual", "also"} {
		clitest.Succeed(t, clitest.Quick("--out", dir)...)
	}
	for _, c := range []struct {
		args []string
		says string
	}{
		{[]string{"virtual", "also"}, "ran under the virtual clock, so it cannot be a part of a shared load"},
		{[]string{"a", "other"}, "so they are not parts of one load"},
		{[]string{"a"}, "want two directories or more"},
		{[]string{"none", "a", "b"}, "none: no such file"},
		{[]string{".", "a", "b"}, ".: no results.txt in it: not the directory of a run; it " +
			"contains runs: a"},
	} {
		o := clitest.Command(t, append([]string{"merge", "--out", "bad"}, c.args...)...)
		if o.Code != clitest.Unusable || !strings.Contains(o.Stderr, c.says) {
			t.Errorf("%q: exit code %d, %s; want %q", c.args, o.Code, o.Stderr, c.says)
		}
		if _, err := os.Stat(filepath.Join("bad")); err == nil {
			t.Errorf("%q: a directory is left", c.args)
		}
	}
}

func TestMergePartial(t *testing.T) {
	if testing.Short() {
		t.Skip("long: skipped with -short")
	}
	url, _ := clitest.Shop(t, 200)
	t.Chdir(t.TempDir())
	clitest.Attacked(t, "attack", url, "--rate", "400", "--n", "20", "--count", "2", "--name", "shop",
		"--out", "whole", "--quiet")
	s := clitest.Read(t, "whole/results.txt")
	end, second := strings.Index(s, "# complete"), strings.LastIndex(s, "# seed")
	for dir, upto := range map[string]int{"k1": end, "k2": end, "one": second} {
		if err := os.CopyFS(dir, os.DirFS("whole")); err != nil {
			t.Fatal(err)
		}
		if err := os.Truncate(dir+"/results.txt", int64(upto)); err != nil {
			t.Fatal(err)
		}
	}
	for dir, with := range map[string]string{"k1 and k2": "k2", "k1": "whole"} {
		o := clitest.Command(t, "merge", "k1", with, "--out", "both", "--force")
		if !strings.Contains(text.OneLine(o.Stdout), "Partial, because not all runs ended: "+
			dir+".") {
			t.Errorf("exit code %d: %s%s", o.Code, o.Stdout, o.Stderr)
		}
		both, partial, err := directory.Read("both")
		if err != nil || !partial || len(both) != 2 || both[0].Tasks != 40 || both[1].Tasks != 40 {
			t.Fatal(dir, len(both), partial, err)
		}
		if r := both[1]; !slices.ContainsFunc(r.Reasons, func(why result.Reason) bool {
			return strings.Contains(why.Text, "k1: the directory is partial")
		}) {
			t.Errorf("%s: %v", dir, r.Reasons)
		}
		if o := clitest.Command(t, "gate", "both", "both"); o.Code != clitest.Undecided ||
			!strings.Contains(o.Stdout, "both/results.txt is incomplete") {
			t.Errorf("gate: exit code %d: %s%s", o.Code, o.Stdout, o.Stderr)
		}
	}
	for _, args := range [][]string{{"whole", "one"}, {"one", "whole"}} {
		o := clitest.Command(t, append([]string{"merge", "--out", "bad"}, args...)...)
		if o.Code != clitest.Unusable || !strings.HasSuffix(o.Stderr, " (partial: one)\n") {
			t.Errorf("%q: exit code %d: %s", args, o.Code, o.Stderr)
		}
	}
}
