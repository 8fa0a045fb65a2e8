package manual

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/poolbench/poolbench/internal/cli"
	"github.com/poolbench/poolbench/internal/cli/execute"
	"github.com/poolbench/poolbench/internal/cli/terminal"
	"github.com/poolbench/poolbench/internal/gate/measure"
)

var update = flag.Bool("update", false, "write the notices anew")

const (
	checkout = "../../.."
	// makes the test binary and its children run as poolbench
	asCommand = "POOLBENCH_TEST_AS_COMMAND"
	// makes the controls of a gate report constant times
	steadily = "POOLBENCH_TEST_STEADILY"
)

func TestMain(m *testing.M) {
	switch args := os.Args[1:]; {
	case os.Getenv(asCommand) == "":
		os.Exit(m.Run())
	case len(args) > 0 && args[0] == "control" && os.Getenv(steadily) != "":
		ns := 1000
		if slices.Contains(args, "--slower=true") {
			ns = 1150
		}
		// a custom metric prevents splitting the run into several processes
		fmt.Printf("%s\t100\t%d ns/op\t1 steady\n", measure.ControlName, ns)
	default:
		signal.Ignore(syscall.SIGPIPE) // as in Run
		h := execute.NewHost(terminal.New(os.Stdout, os.Stderr))
		h.Vectors = true // no page shows bitmaps
		os.Exit(cli.RunOn(context.Background(), h, args, os.Stdin))
	}
}

func read(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func pages(t *testing.T) (paths []string) {
	t.Helper()
	for _, pattern := range []string{"*.md", "docs/*.md", "docs/*/*.md",
		"examples/*/README.md", "examples/README.md"} {
		found, err := filepath.Glob(filepath.Join(checkout, pattern))
		if err != nil {
			t.Fatal(err)
		}
		paths = append(paths, found...)
	}
	return paths
}

func TestLinks(t *testing.T) {
	code := regexp.MustCompile("(?ms)^```.*?^```$")
	for _, page := range pages(t) {
		for _, link := range regexp.MustCompile(`\]\(([^)#]+)[^)]*\)`).FindAllStringSubmatch(
			code.ReplaceAllString(read(t, page), ""), -1) {
			if strings.Contains(link[1], "://") {
				continue
			}
			if _, err := os.Stat(filepath.Join(filepath.Dir(page), link[1])); err != nil {
				t.Errorf("%s: %v", page, err)
			}
		}
	}
}

func TestContributing(t *testing.T) {
	text := read(t, filepath.Join(checkout, "CONTRIBUTING.md"))
	paths := regexp.MustCompile("`([a-z_./]+(?:/|\\.[a-z]+))`").FindAllStringSubmatch(text, -1)
	if len(paths) < 10 {
		t.Errorf("only %d paths in CONTRIBUTING", len(paths))
	}
	for _, path := range paths {
		if _, err := os.Stat(filepath.Join(checkout, path[1])); err != nil {
			t.Error(err)
		}
	}
}
