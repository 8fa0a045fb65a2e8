package project_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
)

const module = "github.com/poolbench/poolbench"

// levels lists groups of packages, lowest level first. A package may import its own group and lower
// levels. The longest path that contains the package applies.
var levels = [][][]string{
	{{"bench/param", "bench/dist", "internal/text", "internal/lazyregexp", "internal/files", "internal/yamltree",
		"internal/junit", "internal/registry", "internal/transport", "internal/grpcdyn",
		"internal/machine", "internal/statistics", "internal/changepoint", "internal/metric",
		"internal/decide", "internal/rundir", "internal/traffic/traces", "internal/fleet/hub",
		"internal/project/need", "internal/servers", "examples/grafana"}},
	{{"strategies"}, {"workloads"}, {"targets"}, {"bench/arrivals"}},
	{
		{"bench", "internal/observe", "internal/validity", "internal/soaks", "internal/objectives", "internal/progress",
			"internal/directory", "internal/capacity", "internal/advise", "internal/gateway",
			"internal/crash", "internal/fleet", "internal/machine/calibration",
			"internal/traffic", "internal/spooltest", "internal/playground"},
		{"reports", "internal/gate"},
	},
	{{"internal/studies"}},
	{{"internal/cli/terminal", "internal/cli/flags", "internal/cli/program", "internal/cli/ci"}},
	{{"internal/cli"}},
	{{".", "cmd"}},
	{{"internal/project"}},
}

// forbiddenImports lists pairs of an importing and an imported path. Reports must depend only on
// files of a run.
var forbiddenImports = [][2]string{{"reports", "strategies"}, {"reports", "workloads"},
	{"reports", "bench/arrivals"}}

// importers lists the only packages that may import a heavy dependency. A user's benchmark imports
// none of them.
var importers = map[string][]string{
	"modernc.org/sqlite":                 {"strategies/durable", "workloads/sql"},
	"github.com/jackc/pgx/v5":            {"strategies/durable", "workloads/sql"},
	"github.com/redis/go-redis/v9":       {"strategies/durable"},
	"github.com/nats-io":                 {"strategies/durable", "internal/fleet"},
	"google.golang.org/grpc":             {"bench/attack/rpc", "internal/grpcdyn", "targets/rpc", "workloads/rpc"},
	"github.com/quic-go/quic-go":         {"bench/attack/http3"},
	"github.com/tsenart/vegeta/v12":      {"bench/attack"},
	"gonum.org/v1/plot":                  {"reports/charts"},
	"go.opentelemetry.io":                {"internal/cli/live"},
	"github.com/spf13/cobra":             {"internal/cli"},
	"github.com/spf13/pflag":             {"internal/cli"},
	"log":                                {"internal/cli", "strategies/durable"},
	"flag":                               {"strategies/strategytest", "reports/internal/resultstest"},
	"github.com/chromedp/chromedp":       {"reports/internal/tab"},
	"github.com/a-h/templ":               {"reports", "internal/cli/live"},
	"github.com/panjf2000/ants/v2":       {"strategies/peers"},
	"github.com/failsafe-go/failsafe-go": {"strategies/peers"},
	"github.com/dlclark/regexp2":         {"workloads/regex"},
	"github.com/evanw/esbuild":           {"reports/playground"},
}

type listed struct {
	ImportPath, Dir, Name              string
	GoFiles                            []string
	Imports, TestImports, XTestImports []string
}

func packages(t *testing.T) []listed {
	t.Helper()
	readDirectories(t)
	all, err := listing()
	if err != nil {
		t.Fatal(err)
	}
	return slices.Clone(all)
}

var listing = sync.OnceValues(func() (all []listed, err error) {
	cmd := exec.Command("go", "list", "-json", module+"/...")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("%w: %s", err, stderr.String())
	}
	for decode := json.NewDecoder(bytes.NewReader(out)); ; {
		var p listed
		if err := decode.Decode(&p); errors.Is(err, io.EOF) {
			return all, nil
		} else if err != nil {
			return nil, err
		}
		all = append(all, p)
	}
})

// readDirectories reads every directory of the module, so that the go command does not use a cached
// test result after a change. The cache considers only files opened by the test itself, not by `go
// list`.
func readDirectories(t *testing.T) {
	t.Helper()
	const root = "../.."
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() && path != root &&
			(strings.HasPrefix(d.Name(), ".") || d.Name() == "poolbench-out" || d.Name() == "bin") {
			return fs.SkipDir
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// placeOf returns the indexes of a package in levels.
func placeOf(t *testing.T, path string) (level, group int) {
	t.Helper()
	below := "."
	if path != module {
		below = strings.TrimPrefix(path, module+"/")
	}
	best := ""
	for l, groups := range levels {
		for g, paths := range groups {
			for _, parent := range paths {
				if within(below, parent) && len(parent) > len(best) {
					level, group, best = l, g, parent
				}
			}
		}
	}
	if best == "" {
		t.Fatalf("%s is in no group of levels", path)
	}
	return level, group
}

func within(path, parent string) bool {
	return path == parent || strings.HasPrefix(path, parent+"/")
}

// Test files may import any package.
func TestArrows(t *testing.T) {
	for _, p := range packages(t) {
		for _, path := range p.Imports {
			if complaint := importError(t, p.ImportPath, path); complaint != "" {
				t.Errorf("%s imports %s: %s", p.ImportPath, path, complaint)
			}
		}
	}
}

// importError returns why a package must not import the path, or "".
func importError(t *testing.T, from, path string) string {
	t.Helper()
	below := strings.TrimPrefix(from, module+"/")
	if !within(path, module) {
		for heavy, allowed := range importers {
			isAllowed := func(home string) bool { return within(below, home) }
			if within(path, heavy) && !slices.ContainsFunc(allowed, isAllowed) {
				return "only " + strings.Join(allowed, ", ") + " may"
			}
		}
		return ""
	}
	for _, n := range forbiddenImports {
		if within(below, n[0]) && within(path, module+"/"+n[1]) {
			return n[0] + " knows nothing of " + n[1]
		}
	}
	fromLevel, fromGroup := placeOf(t, from)
	toLevel, toGroup := placeOf(t, path)
	if toLevel > fromLevel || toLevel == fromLevel && toGroup != fromGroup {
		return "it stands above it or beside it in levels"
	}
	return ""
}

func TestArrowsTest(t *testing.T) {
	for _, c := range []struct {
		from, to string
		wrong    bool
	}{
		{"strategies", module + "/workloads", true},
		{"strategies/builtin", module + "/strategies/engine", false},
		{"strategies/builtin", module + "/bench", true},
		{"workloads", module + "/bench/arrivals", true},
		{"workloads", module + "/bench/dist", false},
		{"reports/results", module + "/bench", true},
		{"reports/results", module + "/strategies", true},
		{"reports/why", module + "/targets", false},
		{"reports/gate", module + "/internal/gate/judge", false},
		{"bench", module + "/reports/page", true},
		{"bench", module + "/internal/studies", true},
		{"bench/param", module + "/internal/studies", true},
		{"internal/studies", module + "/reports/page", false},
		{"internal/studies", module + "/internal/cli", true},
		{"internal/gate/measure", module + "/bench", true},
		{"internal/rundir", module + "/reports/results", true},
		{"internal/cli", module + "/internal/statistics/theory", false},
		{"cmd/poolbench", module, false},
		{"bench", "flag", true},
		{"bench", "log/slog", true},
		{"strategies", "github.com/spf13/cobra", true},
		{"internal/cli", "github.com/spf13/cobra", false},
		{"strategies/builtin", "golang.org/x/sync/errgroup", false},
		{"reports/playground", module + "/internal/playground", true},
		{"reports/page", "github.com/evanw/esbuild/pkg/api", true},
	} {
		if complaint := importError(t, module+"/"+c.from, c.to); (complaint != "") != c.wrong {
			t.Errorf("%s imports %s: %q", c.from, c.to, complaint)
		}
	}
}
