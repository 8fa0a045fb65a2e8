package comparisons

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/poolbench/poolbench/internal/cli/clitest"
	"github.com/poolbench/poolbench/internal/project/need"
)

func timed(name string, ns float64, allocations int) string {
	return fmt.Sprintf("func Benchmark%s(b *testing.B) {\n\tfor b.Loop() {\n\t\tfor i := range %d "+
		"{\n\t\t\tkept[i] = new(int)\n\t\t}\n\t}\n\tb.ReportMetric(%g, \"ns/op\")\n}\n", name,
		allocations, ns)
}

func doing(name, what string) string {
	return fmt.Sprintf("func Benchmark%s(b *testing.B) {\n\tfor b.Loop() {\n\t\t%s\n\t}\n}\n", name,
		what)
}

func testFile(benchmarks ...string) string {
	return "package m\n\nimport \"testing\"\n\nvar kept [8]*int\n\n" +
		strings.Join(benchmarks, "\n")
}

// tree maps file names to contents. An empty content removes the file.
type tree map[string]string

// repository is the input of a gate. The base is committed as HEAD, the head is the working tree.
type repository struct {
	name          string
	base, head    tree
	between, then func(t *testing.T)
	// --base HEAD is added if there is no base
	args  string
	code  int
	says  string // expected output
	cheap bool   // also runs with -short
	sweep bool   // runs only with -sweep
}

const (
	goMod   = "module example.org/m\n\ngo 1.24\n"
	flagged = `package m

import (
	"flag"
	"testing"
)

var data = flag.String("data", "", "")

func BenchmarkFlag(b *testing.B) {
	if *data != "a *.go b" {
		b.Fatalf("data is %q", *data)
	}
	for b.Loop() {
	}
	b.ReportMetric(1002.5, "ns/op")
}
`
	many = `package m

import (
	"fmt"
	"testing"
)

func BenchmarkMany(b *testing.B) {
	for i := range %d {
		b.Run(fmt.Sprint(i), func(b *testing.B) {
			b.ReportMetric(1002.5, "ns/op")
		})
	}
}
`
	embedded = `package m

import _ "embed"

//go:embed data.bin
var data string
`
)

func git(t *testing.T, args ...string) {
	t.Helper()
	args = append([]string{"-c", "user.name=a", "-c", "user.email=a", "-c",
		"protocol.file.allow=always", "-c", "init.defaultBranch=main"}, args...)
	if out, err := exec.Command("git", args...).CombinedOutput(); err != nil {
		t.Fatalf("git %s: %v\n%s", args, err, out)
	}
}

func commit(t *testing.T) {
	t.Helper()
	git(t, "add", "--all")
	git(t, "commit", "--quiet", "--allow-empty", "--message", "a")
}

func (files tree) write(t *testing.T) {
	t.Helper()
	for path, text := range files {
		if text == "" {
			if err := os.Remove(path); err != nil {
				t.Fatal(err)
			}
			continue
		}
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		clitest.Write(t, path, text)
	}
}

func library(t *testing.T, name string) {
	t.Helper()
	dir := filepath.Join("..", name)
	git(t, "init", "--quiet", dir)
	tree{dir + "/go.mod": "module example.org/lib\n\ngo 1.24\n",
		dir + "/lib.go": "package lib\n\nconst Time = 1002.5\n"}.write(t)
	git(t, "-C", dir, "add", "--all")
	git(t, "-C", dir, "commit", "--quiet", "--message", "a")
}

func submodule(t *testing.T) {
	t.Helper()
	if _, err := exec.LookPath("sed"); err != nil {
		need.Skip(t, "git submodule needs sed")
	}
	library(t, "lib")
	git(t, "submodule", "--quiet", "add", "../lib", "lib")
	tree{"go.mod": goMod + "\nrequire example.org/lib v0.0.0\n\nreplace example.org/lib => ./lib\n",
		"lib_test.go": "package m\n\nimport (\n\t\"testing\"\n\n\t\"example.org/lib\"\n)\n\n" +
			"func BenchmarkLib(b *testing.B) {\n\tfor b.Loop() {\n\t}\n\t" +
			"b.ReportMetric(lib.Time, \"ns/op\")\n}\n"}.write(t)
	commit(t)
}

var same = testFile(timed("A", 1002.5, 1))

var repositories = []repository{
	{name: "unchanged", says: "\ngate: pass: "},
	{name: "slower", head: tree{"m_test.go": testFile(timed("A", 1302.5, 1))},
		code: clitest.Regression, says: "1 worse, 0 inconclusive"},
	{name: "faster", head: tree{"m_test.go": testFile(timed("A", 702.5, 1))},
		says: "0 worse, 0 inconclusive, 1 better"},
	{name: "one allocation more", head: tree{"m_test.go": testFile(timed("A", 1002.5, 2))},
		code: clitest.Regression, says: "2 worse, 0 inconclusive"},
	{name: "one more, allowed", head: tree{"m_test.go": testFile(timed("A", 1002.5, 2))},
		args: "--allow A:allocs/op=1 --allow B/op=100%", says: "within the allowance"},
	{name: "one allocation less", head: tree{"m_test.go": testFile(timed("A", 1002.5, 0))},
		says: "0 worse, 0 inconclusive, 2 better"},

	{name: "new", head: tree{"n_test.go": "package m\n\nimport \"testing\"\n\n" +
		timed("New", 1, 1)},
		says: "new, nothing to compare with: example.org/m.BenchmarkNew\n"},
	{name: "new package", head: tree{"p/n_test.go": testFile(timed("New", 1, 1))},
		says: "new, nothing to compare with: example.org/m/p.BenchmarkNew\n"},
	{name: "removed", base: tree{"p/n_test.go": testFile(timed("Old", 1, 1))},
		head: tree{"p/n_test.go": ""}, says: "removed: example.org/m/p.BenchmarkOld\n"},
	{name: "removed, and that fails", base: tree{"p/n_test.go": testFile(timed("Old", 1, 1))},
		head: tree{"p/n_test.go": ""}, args: "--fail-on removed", code: clitest.Regression,
		says: "\ngate: benchmarks removed\n"},
	{name: "renamed", base: tree{"p/n_test.go": testFile(timed("Old", 1, 1))},
		head: tree{"p/n_test.go": testFile(timed("New", 1, 1))},
		says: "example.org/m/p.BenchmarkNew\nremoved: example.org/m/p.BenchmarkOld\n"},
	{name: "all renamed", head: tree{"m_test.go": testFile(timed("B", 1002.5, 1))},
		code: clitest.Unusable, says: "gate: base and head have no benchmark in common"},

	{name: "does not build", head: tree{"x.go": "package m\n\nvar x int = \"y\"\n"},
		code: clitest.Unusable, says: "gate: the head does not build: example.org/m", cheap: true},
	{name: "the base does not build", base: tree{"x.go": "package m\n\nvar x int = \"y\"\n"},
		head: tree{"x.go": ""}, code: clitest.Unusable,
		says: "gate: the base does not build: example.org/m"},
	{name: "panics", head: tree{"m_test.go": testFile(doing("A", "panic(7)"))},
		code: clitest.Unusable, says: "BenchmarkA ends the process in example.org/m of the head"},
	{name: "fails", head: tree{"m_test.go": testFile(doing("A", `b.Fatal("no luck")`))},
		code: clitest.Unusable,
		says: "BenchmarkA fails in example.org/m of the head: m_test.go:9: no luck"},
	{name: "hangs", head: tree{"m_test.go": testFile(doing("A", "for {\n}"))},
		args: "--run-limit 1s", code: clitest.Unusable,
		says: "BenchmarkA has not ended in example.org/m of the head after 1s"},
	{name: "calls Skip", base: tree{"p/n_test.go": testFile(doing("S", `b.Skip("not yet")`))},
		says: "note: example.org/m/p.BenchmarkS is not compared: it calls Skip on both sides: " +
			"n_test.go:9: not yet"},
	{name: "broken on a busy machine", head: tree{"x.go": "package m\n\nvar x int = \"y\"\n"},
		then: busyMachine, code: clitest.Unusable, says: "gate: the head does not build"},
	{name: "one allocation more on a busy machine", then: busyMachine,
		head: tree{"m_test.go": testFile(timed("A", 1002.5, 2))}, code: clitest.Regression,
		says: "allocations are worse, and times are undecided"},
	{name: "unchanged on a busy machine", then: busyMachine, code: clitest.Undecided,
		says: "allocations are no worse, and times are undecided"},

	{name: "flag", base: tree{"flag_test.go": flagged}, code: clitest.Unusable,
		says: `flag_test.go:12: data is ""`},
	{name: "flag, given", base: tree{"flag_test.go": flagged}, args: `--args -data='a\ *.go\ b'`,
		says: "\ngate: pass: "},
	{name: "arguments without an end", args: "--args '-data=a", code: clitest.Unusable,
		says: `a shell cannot split "'-data=a"`, cheap: true},
	{name: "generated", base: tree{".gitignore": "*.bin\n"},
		head: tree{"m.go": embedded, "data.bin": "x"}, code: clitest.Unusable,
		says: "git ignores data.bin, so no checkout contains it: create it with --setup COMMAND"},
	{name: "generated, set up", base: tree{".gitignore": "*.bin\n", "m.go": embedded},
		args: `--setup echo\ x>data.bin`, says: "\ngate: pass: "},
	{name: "set up in vain", args: `--setup echo\ no>&2;exit\ 3`, code: clitest.Unusable,
		says: "gate: --setup fails in the base: exit status 3\n"},

	{name: "submodule", between: submodule, says: "\ngate: pass: "},
	{name: "submodule, not checked out here", between: submodule,
		then: func(t *testing.T) {
			t.Helper()
			git(t, "submodule", "--quiet", "deinit", "--force", "lib")
		}, args: "--head HEAD", says: "\ngate: pass: "},
	{name: "submodule, gone", between: submodule,
		then: func(t *testing.T) {
			t.Helper()
			git(t, "submodule", "--quiet", "deinit", "--force", "lib")
			if err := os.RemoveAll("../lib"); err != nil {
				t.Fatal(err)
			}
		}, args: "--head HEAD", code: clitest.Unusable,
		says: "base: submodule lib cannot be checked out: repository "},
	{name: "subdirectory", base: tree{"go.mod": "", "m_test.go": "", "in/go.mod": goMod,
		"in/m_test.go": same}, head: tree{"in/m_test.go": testFile(timed("A", 1302.5, 1))},
		args: "--dir in", code: clitest.Regression, says: "1 worse"},
	{name: "20 sub-benchmarks", base: tree{"m_test.go": fmt.Sprintf(many, 20)},
		args: "--benchtime 1x", says: "60 metrics gated: 0 worse, 0 inconclusive"},
	{name: "300 sub-benchmarks", base: tree{"m_test.go": fmt.Sprintf(many, 300)},
		args: "--benchtime 1x", says: "900 metrics gated: 0 worse, 0 inconclusive", sweep: true},

	{name: "staged and changed again", head: tree{"m_test.go": testFile(timed("A", 1302.5, 1))},
		then: func(t *testing.T) {
			t.Helper()
			git(t, "add", "--all")
			tree{"m_test.go": same}.write(t)
		}, says: "\ngate: pass: "},
	{name: "changed and not asked for", head: tree{"m_test.go": testFile(timed("A", 1302.5, 1))},
		args: "--head HEAD", says: "\ngate: pass: "},
	{name: "in a new file", head: tree{"m_test.go": "package m\n\nvar kept [8]*int\n",
		"n_test.go": "package m\n\nimport \"testing\"\n\n" + timed("A", 1302.5, 1)}, code: clitest.Regression,
		says: "1 worse"},
	{name: "shallow", then: func(t *testing.T) {
		t.Helper()
		commit(t)
		dir, err := filepath.Abs(".")
		if err != nil {
			t.Fatal(err)
		}
		git(t, "clone", "--quiet", "--depth", "1", "file://"+dir, "../shallow")
		t.Chdir("../shallow")
	}, args: "--base HEAD~1", code: clitest.Unusable,
		says: "a shallow clone contains only the last revision"},
	{name: "merge", then: func(t *testing.T) {
		t.Helper()
		git(t, "checkout", "--quiet", "-b", "other")
		tree{"m_test.go": testFile(timed("A", 1302.5, 1))}.write(t)
		commit(t)
		git(t, "checkout", "--quiet", "main")
		tree{"x.go": "package m\n"}.write(t)
		commit(t)
		git(t, "merge", "--quiet", "--no-ff", "--message", "a", "other")
	}, args: "--base HEAD^1 --head HEAD", code: clitest.Regression, says: "1 worse"},
	{name: "no direction", base: tree{"m_test.go": own(1)}, head: tree{"m_test.go": own(2)},
		code: clitest.Undecided,
		says: "it differs, and its better direction is unknown: give --better quality=lower or " +
			"=higher"},
	{name: "no benchmark", args: "--bench Nothing", code: clitest.Unusable,
		says: "gate: no benchmark matches Nothing in ./..."},
}

func own(value int) string {
	return testFile(fmt.Sprintf("func BenchmarkOwn(b *testing.B) {\n\tfor b.Loop() {\n\t}\n\t"+
		"b.ReportMetric(1002.5, \"ns/op\")\n\tb.ReportMetric(%d, \"quality\")\n}\n", value))
}

func busyMachine(t *testing.T) {
	t.Helper()
	t.Setenv(clitest.Steadily, clitest.Wild)
}

func TestGateRepositories(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		need.Skip(t, "there is no git here")
	}
	for _, r := range repositories {
		t.Run(r.name, func(t *testing.T) {
			if testing.Short() && !r.cheap {
				t.Skip("long: skipped with -short")
			}
			if r.sweep && !*sweep {
				t.Skip("it takes a minute: -sweep")
			}
			t.Chdir(t.TempDir())
			t.Setenv("TMPDIR", t.TempDir())
			t.Setenv("GIT_CONFIG_GLOBAL", os.DevNull)
			t.Setenv(clitest.Steadily, "1")
			git(t, "init", "--quiet", "m")
			t.Chdir("m")
			tree{"go.mod": goMod, "m_test.go": same}.write(t)
			r.base.write(t)
			commit(t)
			if r.between != nil {
				r.between(t)
			}
			r.head.write(t)
			if r.then != nil {
				r.then(t)
			}
			args := []string{"gate", "--out", "../out", "--quiet", "--layouts", "1", "--pairs", "9"}
			if !strings.Contains(r.args, "--benchtime") {
				args = append(args, "--benchtime", "1ms")
			}
			if !strings.Contains(r.args, "--base") {
				args = append(args, "--base", "HEAD")
			}
			for arg := range strings.FieldsSeq(strings.ReplaceAll(r.args, `\ `, "\x00")) {
				args = append(args, strings.ReplaceAll(arg, "\x00", " "))
			}
			config, err := os.ReadFile(".git/config")
			if err != nil {
				t.Fatal(err)
			}
			o := clitest.Command(t, args...)
			if o.Code != r.code || !strings.Contains(o.Stdout+o.Stderr, r.says) {
				t.Errorf("exit code %d, want %d and %q\n%s%s", o.Code, r.code, r.says, o.Stdout,
					o.Stderr)
			}
			noTrees(t)
			if after := clitest.Read(t, ".git/config"); after != string(config) {
				t.Errorf("the configuration was\n%s\nand is\n%s", config, after)
			}
		})
	}
}
