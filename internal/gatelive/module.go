package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// families are kinds of work, four benchmarks of each with other sizes. Their work comes in rounds, so that a tenth more is a tenth more rounds.
var families = []string{"Hash", "Sort", "Map", "Format", "Copy"}

const (
	perFamily = 4
	rounds    = 100
)

// names are those of all benchmarks.
func names() (all []string) {
	for _, f := range families {
		for size := range perFamily {
			all = append(all, fmt.Sprintf("%s%d", f, size))
		}
	}
	return all
}

// source is the test file of the module, with so many more percent of rounds for some of the benchmarks.
func source(more map[string]int) string {
	var b strings.Builder
	b.WriteString(work)
	for i, name := range names() {
		family, size := name[:len(name)-1], 8<<(i%perFamily)
		fmt.Fprintf(&b, "\nfunc Benchmark%s(b *testing.B) {\n\tfor b.Loop() {\n\t\tfor range %d {\n\t\t\tdo%s(%d)\n\t\t}\n\t}\n}\n", name, rounds*(100+more[name])/100, family, size)
	}
	return b.String()
}

const work = `package live

import (
	"crypto/sha256"
	"fmt"
	"sort"
	"testing"
)

var (
	block  [1 << 12]byte
	table  = map[int]int{}
	buffer [1 << 12]byte
	total  int
)

func doHash(n int) { s := sha256.Sum256(block[:8*n]); total += int(s[0]) }

func doSort(n int) {
	v := make([]int, n)
	for i := range v {
		v[i] = (i * 7919) % n
	}
	sort.Ints(v)
	total += v[0]
}

func doMap(n int) {
	for i := range n {
		table[i]++
	}
}

func doFormat(n int) { total += len(fmt.Sprintf("%d %s %v", n, "text", 3.25)) }

func doCopy(n int) { total += copy(buffer[:32*n], block[:]) }
`

// A module is a repository with a revision base and, for each change, a revision of its name.
type module struct{ dir string }

func newModule(ctx context.Context, dir string, changes map[string]map[string]int) (m module, err error) {
	m = module{dir}
	if err := m.git(ctx, "init", "--quiet", "-b", "base"); err != nil {
		return m, err
	}
	if err := os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module example.org/live\n\ngo 1.24\n"), 0o666); err != nil {
		return m, err
	}
	if err := m.commit(ctx, nil); err != nil {
		return m, err
	}
	for branch, more := range changes {
		if err := m.git(ctx, "checkout", "--quiet", "-b", branch, "base"); err != nil {
			return m, err
		}
		if err := m.commit(ctx, more); err != nil {
			return m, err
		}
	}
	return m, nil
}

func (m module) commit(ctx context.Context, more map[string]int) error {
	if err := os.WriteFile(filepath.Join(m.dir, "live_test.go"), []byte(source(more)), 0o666); err != nil {
		return err
	}
	if err := m.git(ctx, "add", "."); err != nil {
		return err
	}
	return m.git(ctx, "commit", "--quiet", "--allow-empty", "-m", "live")
}

func (m module) git(ctx context.Context, args ...string) error {
	cmd := exec.CommandContext(ctx, "git", args...)
	cmd.Dir = m.dir
	cmd.Env = append(os.Environ(), "GIT_AUTHOR_NAME=live", "GIT_AUTHOR_EMAIL=live@localhost", "GIT_COMMITTER_NAME=live", "GIT_COMMITTER_EMAIL=live@localhost", "GIT_CONFIG_GLOBAL="+os.DevNull)
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("git %s: %w\n%s", args[0], err, out)
	}
	return nil
}
