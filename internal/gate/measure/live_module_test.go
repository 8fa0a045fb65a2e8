package measure_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// rounds is the work per iteration.
const rounds = 100

func (s suite) names() (all []string) {
	for _, f := range s.families {
		for size := range s.sizes {
			all = append(all, fmt.Sprintf("%s%d", f, size))
		}
	}
	return all
}

func (s suite) source(more map[string]int) string {
	var b strings.Builder
	b.WriteString(s.work)
	for i, name := range s.names() {
		family, size := s.families[i/s.sizes], s.smallest<<(i%s.sizes)
		fmt.Fprintf(&b, "\nfunc Benchmark%s(b *testing.B) {\n\tfor b.Loop() {\n\t\tfor range %d "+
			"{\n\t\t\tdo%s(%d)\n\t\t}\n\t}\n}\n", name, rounds*(100+more[name])/100, family, size)
	}
	return b.String()
}

type module struct {
	suite
	dir string
}

func newModule(
	ctx context.Context, s suite, dir string, changes map[string]map[string]int,
) (m module, err error) {
	m = module{s, dir}
	if err := m.git(ctx, "init", "--quiet", "-b", "base"); err != nil {
		return m, err
	}
	if err := os.WriteFile(filepath.Join(dir, "go.mod"),
		[]byte("module example.org/live\n\ngo 1.24\n"), 0o666); err != nil {
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
	if err := os.WriteFile(filepath.Join(m.dir, "live_test.go"), []byte(m.source(more)),
		0o666); err != nil {
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
	cmd.Env = append(os.Environ(), "GIT_AUTHOR_NAME=live", "GIT_AUTHOR_EMAIL=live@localhost",
		"GIT_COMMITTER_NAME=live", "GIT_COMMITTER_EMAIL=live@localhost",
		"GIT_CONFIG_GLOBAL="+os.DevNull)
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("git %s: %w\n%s", args[0], err, out)
	}
	return nil
}
