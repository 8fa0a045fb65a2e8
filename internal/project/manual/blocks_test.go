package manual

import (
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/poolbench/poolbench/internal/machine/race"
)

// block is a fenced code block of a page, with a mark on the line before it:
//
//	<!-- not run: REASON -->     the block is skipped
//	<!-- in another terminal --> the block runs in the background until the next such block
//	<!-- needs: PROGRAM, ... --> the page is skipped if a program is not installed
//	<!-- file: PATH -->          the block is written to this file
//
// Other sh blocks are run. A text block contains the expected output, in which … matches any text.
// A comment "# exit code N" or "# exit code 0, or 3 on a busy machine" contains the expected exit
// code.
type block struct{ mark, language, text string }

var (
	fenced   = regexp.MustCompile("(?ms)^(?:<!-- ([^\n]*) -->\n)?```([a-z]*)\n(.*?)^```$")
	endsWith = regexp.MustCompile(
		`(?m)^((?:.*\\\n)*.*?) +# exit code (\d)(?:, or (\d) on a busy machine)?$`)
)

func blocks(page string) (all []block) {
	for _, found := range fenced.FindAllStringSubmatch(page, -1) {
		all = append(all, block{found[1], found[2], found[3]})
	}
	return all
}

const server = "127.0.0.1:8080"

// named is a host name that the page resolves to server.
const named = "shop.example:8080"

// script returns a shell script that runs the page. The output of block i is in i.out and i.err.
func script(t *testing.T, all []block, dir string) (text, address string) {
	t.Helper()
	var b strings.Builder
	// go run does not forward signals. -m gives each server a process group to kill.
	b.WriteString("set -eum\ntrap 'for j in $(jobs -p); do kill -- -$j || :; done' EXIT\n")
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address = listener.Addr().String()
	_, port, _ := strings.Cut(address, ":")
	if err := listener.Close(); err != nil {
		t.Fatal(err)
	}
	for i := range all {
		named := strings.NewReplacer(server, address, named, "shop.example:"+port)
		all[i].text = named.Replace(all[i].text)
	}
	for i, block := range all {
		text := block.text
		name, path, _ := strings.Cut(block.mark, ": ")
		switch {
		case name == "file":
			fmt.Fprintf(&b, "mkdir -p $(dirname %s)\ncat > %[1]s <<'END OF FILE'\n%sEND OF FILE\n",
				path, text)
		case block.language != "sh" || name == "not run":
		case name == "in another terminal":
			b.WriteString("for j in $(jobs -p); do kill -- -$j || :; done; wait\n")
			fmt.Fprintf(&b, "%s >%s/%d.out 2>%[2]s/%[3]d.err &\n", strings.TrimSpace(text), dir, i)
			fmt.Fprintf(&b, "until (exec 3<>/dev/tcp/%s) 2>/dev/null; do sleep 0.02; done\n",
				strings.Replace(address, ":", "/", 1))
		case block.mark != "" && name != "needs":
			t.Errorf("unknown mark %q", block.mark)
		default:
			// linking a layout takes long
			text = strings.ReplaceAll(text, "gate --base", "gate --layouts 1 --base")
			text = endsWith.ReplaceAllString(text, "code=0; $1 || code=$$?; [[ $$code = [$2$3] ]]")
			fmt.Fprintf(&b, "{\n%s} >%s/%d.out 2>%[2]s/%[3]d.err\n", text, dir, i)
		}
	}
	return b.String(), address
}

func shows(output, text string) bool {
	pattern := regexp.QuoteMeta(strings.TrimSpace(text))
	pattern = strings.ReplaceAll(pattern, "…", "(?s:.*)")
	return regexp.MustCompile(`\A` + pattern + `\z`).MatchString(strings.TrimSpace(output))
}

// slowPages lists pages that take at least five seconds.
var slowPages = []string{"README.md", "choose-a-limit.md", "claims.md", "durable-queues.md",
	"load-testing.md", "load-testing-in-ci.md", "reading-results.md", "start-here.md",
	"strategies.md", "studies.md", "test-your-pool.md"}

func TestBlocks(t *testing.T) { followAll(t, false, 10) }

func TestLongBlocks(t *testing.T) {
	if testing.Short() {
		t.Skip("long: skipped with -short")
	}
	followAll(t, true, 25)
}

// followAll runs slow pages or the others. They must contain at least fewest blocks.
func followAll(t *testing.T, slow bool, fewest int) {
	t.Helper()
	// several pages create the same module, and Go caches its build for this directory
	dir := filepath.Join(t.TempDir(), "work")
	ran, left := 0, 0
	for _, page := range pages(t) {
		name := filepath.Base(page)
		// tested by TestExamples
		if filepath.Base(filepath.Dir(filepath.Dir(page))) == "examples" ||
			slices.Contains(slowPages, name) != slow {
			continue
		}
		left++
		t.Run(name, func(t *testing.T) {
			if err := errors.Join(os.RemoveAll(dir), os.Mkdir(dir, 0o777)); err != nil {
				t.Fatal(err)
			}
			ran += follow(t, page, dir)
			left--
		})
	}
	if ran < fewest && left == 0 && !race.Enabled { // -run may select some pages only
		t.Errorf("only %d blocks were run", ran)
	}
}

// follow runs the blocks of a page in dir and returns their number.
func follow(t *testing.T, page, dir string) (ran int) {
	t.Helper()
	if race.Enabled {
		t.Skip("its commands are run without the race detector; the tests of each command run " +
			"under it")
	}
	all := blocks(read(t, page))
	needs := []string{"bash"}
	for _, block := range all {
		if programs, ok := strings.CutPrefix(block.mark, "needs: "); ok {
			needs = append(needs, strings.Split(programs, ", ")...)
		}
	}
	for _, program := range needs {
		if _, err := exec.LookPath(program); err != nil {
			t.Skip(program, "is not installed")
		}
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	bin, printed := t.TempDir(), t.TempDir()
	// a test binary built with -trimpath does not know its source directory
	source, err := filepath.Abs(checkout)
	if err != nil {
		t.Fatal(err)
	}
	program := fmt.Sprintf("#!/bin/sh\n[ \"$1\" != new ] || set -- \"$@\" --source '%s'\n"+
		"exec '%s' \"$@\"\n", source, self)
	if err := os.WriteFile(filepath.Join(bin, "poolbench"), []byte(program), 0o777); err != nil {
		t.Fatal(err)
	}
	text, address := script(t, all, printed)
	cmd := exec.Command("bash", "-c", text)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), asCommand+"=1", steadily+"=1", "GOWORK=off", "GIT_CONFIG_GLOBAL=/dev/null",
		"PATH="+bin+string(os.PathListSeparator)+os.Getenv("PATH"),
		"GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@b",
		"GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@b")
	said, err := cmd.CombinedOutput()
	for n := 0; ; n++ {
		conn, err := net.Dial("tcp", address)
		if err != nil {
			break
		}
		_ = conn.Close()
		if time.Sleep(10 * time.Millisecond); n == 1000 {
			t.Fatal("a server lives on")
		}
	}
	var got, from, complaints string
	for i, block := range all {
		out, missing := os.ReadFile(filepath.Join(printed, fmt.Sprint(i, ".out")))
		switch {
		case missing == nil:
			ran++
			got, from = string(out), block.text
			complaints = read(t, filepath.Join(printed, fmt.Sprint(i, ".err")))
		case block.language == "sh":
			from = ""
		case block.language == "text" && from != "" && !shows(got, block.text):
			t.Errorf("%s\nprints\n%s\nthe page says\n%s", from, got, block.text)
		}
	}
	if err != nil {
		t.Errorf("%v: %s\n%s\n%s\n%s", err, said, from, got, complaints)
	}
	return ran
}
