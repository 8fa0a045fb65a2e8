package main

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/poolbench/poolbench/internal/studies"
	"github.com/poolbench/poolbench/strategies/peers"
)

var update = flag.Bool("update", false, "write the generated parts of the README anew")

const readme = "../../README.md"

// strategyTable is the part of the README that the strategies themselves know: what to use when, then what tells them apart.
func strategyTable() string {
	var b strings.Builder
	b.WriteString("| strategy | what it is | use it if |\n|---|---|---|\n")
	for _, s := range peers.Known() {
		fmt.Fprintf(&b, "| `%s` | %s | %s |\n", s.Name, s.Summary, s.UseIf)
	}
	fmt.Fprintf(&b, "\n| %s |\n%s\n", strings.Join(strategyColumns, " | "), strings.Repeat("|---", len(strategyColumns))+"|")
	for _, s := range peers.Known() {
		fmt.Fprintf(&b, "| %s |\n", strings.Join(strategyRow(s), " | "))
	}
	return b.String()
}

// studyTable is what the studies put to the test.
func studyTable() string {
	var b strings.Builder
	b.WriteString("| study | the claim |\n|---|---|\n")
	for _, s := range studies.All() {
		fmt.Fprintf(&b, "| `%s` | %s |\n", s.Name, s.Claim)
	}
	return b.String()
}

// TestReadmeTable: the README has the strategies and the studies that there are. -update (make generate) writes them.
func TestReadmeTable(t *testing.T) {
	text := read(t, readme)
	want := text
	for kind, table := range map[string]func() string{"strategies": strategyTable, "studies": studyTable} {
		between := regexp.MustCompile(`(?s)(<!-- ` + kind + `: made by make generate -->\n).*?(<!-- end -->\n)`)
		if len(between.FindAllString(text, -1)) != 1 {
			t.Fatalf("the README has no place for the table of %s, or several", kind)
		}
		want = between.ReplaceAllStringFunc(want, func(found string) string {
			marks := between.FindStringSubmatch(found)
			return marks[1] + table() + marks[2]
		})
	}
	if *update {
		if err := os.WriteFile(readme, []byte(want), 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(want, text); diff != "" {
		t.Errorf("the README is behind the sources: make generate\n%s", diff)
	}
}

// TestReadmeLinks: what the README links to, or shows, is there.
func TestReadmeLinks(t *testing.T) {
	for _, link := range regexp.MustCompile(`\]\(([^)]+)\)`).FindAllStringSubmatch(read(t, readme), -1) {
		if _, err := os.Stat(filepath.Join("../..", link[1])); err != nil && !strings.Contains(link[1], "://") {
			t.Error(err)
		}
	}
}

// marked finds the blocks of the README that are to be run, and the files that are to be written, in their order.
var marked = regexp.MustCompile("(?s)<!-- (run|file: ([a-z_.]+)) -->\n```[a-z]+\n(.*?)```\n")

// TestReadme follows the README as a newcomer would, block by block in one shell: beside a checkout named poolbench, with
// poolbench on the path, and with a repository whose main branch is what there is.
func TestReadme(t *testing.T) {
	if raceDetector {
		t.Skip("its commands are run without the race detector; the tests of each command run under it")
	}
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	var script strings.Builder
	script.WriteString("set -euo pipefail\n")
	blocks := marked.FindAllStringSubmatch(read(t, readme), -1)
	if len(blocks) < 6 {
		t.Fatalf("%d marked blocks in the README", len(blocks))
	}
	for i, block := range blocks {
		switch {
		case block[2] != "":
			fmt.Fprintf(&script, "cat > %s <<'END OF FILE'\n%sEND OF FILE\n", block[2], block[3])
		case strings.Contains(block[3], "--base"):
			script.WriteString(asRepository + block[3])
		default:
			script.WriteString(block[3])
		}
		fmt.Fprintf(&script, "echo block %d done\n", i)
	}
	t.Chdir(t.TempDir())
	if err := os.Symlink(root, "poolbench"); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir("bin", 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(self, "bin/poolbench"); err != nil {
		t.Fatal(err)
	}
	bin, err := filepath.Abs("bin")
	if err != nil {
		t.Fatal(err)
	}
	shell := exec.Command("bash", "-c", script.String())
	shell.Env = append(os.Environ(), "PATH="+bin+string(os.PathListSeparator)+os.Getenv("PATH"), "GOWORK=off")
	out, err := shell.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, word := range []string{"Report: poolbench-out/", "BenchmarkMine", "p99-response-ns", "Unit p99-response-ns better=lower", "gate: pass"} {
		if !strings.Contains(string(out), word) {
			t.Errorf("no %q in\n%s", word, out)
		}
	}
}

// asRepository makes a git repository of the directory, with a main branch at its origin.
const asRepository = `
export GIT_CONFIG_GLOBAL=/dev/null GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@b GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@b
git init -q -b main && git add . && git commit -q -m main && git update-ref refs/remotes/origin/main main
`
