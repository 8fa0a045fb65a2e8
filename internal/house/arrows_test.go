package house_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const module = "github.com/poolbench/poolbench"

// A room is a part of the house: what it may import from the others, and from outside the standard library.
type room struct {
	path    string   // below the module; the longest that fits decides
	rooms   []string // may be imported
	modules []string // may be imported, besides those that tests may
}

var rooms = []room{
	{"cmd", []string{"internal/studies", "internal/calibration", "internal/revisions", "bench", "bench/attack", "bench/gateway", "reports", "strategies", "strategies/peers", "workloads", "targets", "internal"}, []string{
		"github.com/spf13/cobra", "github.com/spf13/pflag", "github.com/goccy/go-yaml", "github.com/schollz/progressbar/v3", "golang.org/x/term", "github.com/montanaflynn/stats"}},
	{"internal/calibration", []string{"bench", "strategies", "workloads", "internal"}, nil},
	{"internal/studies", []string{"bench", "reports", "strategies", "strategies/peers", "workloads", "targets", "internal"}, []string{"gonum.org/v1/gonum"}},
	{"internal/revisions", []string{"reports", "internal"}, []string{"golang.org/x/perf", "golang.org/x/sys", "gonum.org/v1/gonum"}},
	{"bench", []string{"strategies", "workloads", "targets", "internal"}, []string{
		"golang.org/x/perf", "golang.org/x/sync", "golang.org/x/sys", "github.com/HdrHistogram/hdrhistogram-go"}},
	{"bench/attack", []string{"bench", "strategies", "internal"}, []string{"github.com/tsenart/vegeta/v12", "golang.org/x/sys", "github.com/HdrHistogram/hdrhistogram-go"}},
	{"bench/gateway", []string{"bench", "bench/attack", "strategies", "workloads", "targets", "internal"}, nil},
	{"reports", []string{"internal"}, []string{
		"golang.org/x/perf", "gonum.org/v1/plot", "golang.org/x/image", "github.com/HdrHistogram/hdrhistogram-go", "github.com/montanaflynn/stats", "github.com/aclements/go-moremath"}},
	{"strategies", []string{"internal"}, []string{"golang.org/x/sync", "golang.org/x/time"}},
	{"strategies/peers", []string{"strategies", "internal"}, []string{
		"github.com/panjf2000/ants/v2", "github.com/alitto/pond/v2", "github.com/sourcegraph/conc", "github.com/gammazero/workerpool", "github.com/Jeffail/tunny",
		"github.com/bytedance/gopkg", "github.com/failsafe-go/failsafe-go", "github.com/platinummonkey/go-concurrency-limits"}},
	{"workloads", []string{"internal"}, []string{"github.com/dlclark/regexp2", "modernc.org/sqlite", "github.com/jackc/pgx/v5"}},
	{"targets", []string{"internal"}, []string{"golang.org/x/time"}},
	{"internal/house", []string{"bench", "strategies", "strategies/peers", "workloads", "targets", "internal"}, nil},
	{"internal/gatelive", nil, []string{"flag"}}, // a program
	{"internal", nil, []string{"gonum.org/v1/gonum", "golang.org/x/sys"}},
}

// ofTests are the modules that any test may import.
var ofTests = []string{"go.uber.org/goleak", "github.com/google/go-cmp", "pgregory.net/rapid"}

// ofCommand are the packages that only cmd may import, and a program whose room says so: nothing else has flags and a log.
var ofCommand = []string{"flag", "log", "log/slog", "github.com/spf13/cobra", "github.com/spf13/pflag"}

// A listed package is what `go list -json` says of one.
type listed struct {
	ImportPath, Dir, Name              string
	GoFiles                            []string
	Imports, TestImports, XTestImports []string
}

// packages lists those of this module.
func packages(t *testing.T) (all []listed) {
	t.Helper()
	lookAround(t)
	cmd := exec.Command("go", "list", "-json", module+"/...")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v: %s", err, stderr.String())
	}
	for decode := json.NewDecoder(bytes.NewReader(out)); ; {
		var p listed
		if err := decode.Decode(&p); errors.Is(err, io.EOF) {
			return all
		} else if err != nil {
			t.Fatal(err)
		}
		all = append(all, p)
	}
}

// lookAround reads every directory of the module. The go command takes a test's outcome from its cache unless a file that the
// test itself has opened is another; what `go list` opens does not count, and a package that is new has never been opened.
func lookAround(t *testing.T) {
	t.Helper()
	const root = "../.."
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() && path != root && (strings.HasPrefix(d.Name(), ".") || d.Name() == "poolbench-out" || d.Name() == "bin") {
			return fs.SkipDir
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// roomOf returns the room of a package of this module.
func roomOf(t *testing.T, path string) room {
	t.Helper()
	below := strings.TrimPrefix(path, module+"/")
	var best room
	for _, r := range rooms {
		if within(below, r.path) && len(r.path) > len(best.path) {
			best = r
		}
	}
	if best.path == "" {
		t.Fatalf("%s is in no room of the house", path)
	}
	return best
}

func within(path, parent string) bool { return path == parent || strings.HasPrefix(path, parent+"/") }

// TestArrows: who imports whom, tests included.
func TestArrows(t *testing.T) {
	for _, p := range packages(t) {
		from := roomOf(t, p.ImportPath)
		for i, imports := range [][]string{p.Imports, p.TestImports, p.XTestImports} {
			for _, path := range imports {
				if complaint := wrong(t, from, path, i > 0); complaint != "" {
					t.Errorf("%s imports %s: %s", p.ImportPath, path, complaint)
				}
			}
		}
	}
}

// wrong says why a package of the room may not import the path; "" where it may.
func wrong(t *testing.T, from room, path string, inTest bool) string {
	t.Helper()
	fits := func(module string) bool { return within(path, module) }
	switch first, _, _ := strings.Cut(path, "/"); {
	case !inTest && from.path != "cmd" && slices.Contains(ofCommand, path) && !slices.Contains(from.modules, path):
		return "only cmd has flags and a log"
	case within(path, module):
		if to := roomOf(t, path); to.path != from.path && !slices.Contains(from.rooms, to.path) {
			return from.path + " knows nothing of " + to.path
		}
	case !strings.Contains(first, "."): // the standard library
	case slices.ContainsFunc(from.modules, fits), inTest && slices.ContainsFunc(ofTests, fits):
	default:
		return "not among the dependencies of " + from.path
	}
	return ""
}

// TestArrowsTest: the check finds what it is there for.
func TestArrowsTest(t *testing.T) {
	for _, c := range []struct {
		from, to string
		inTest   bool
		wrong    bool
	}{
		{"strategies", module + "/workloads", false, true},
		{"strategies", module + "/bench/arrivals", true, true},
		{"strategies", module + "/strategies/strategytest", true, false},
		{"strategies", "github.com/spf13/cobra", false, true},
		{"strategies", "golang.org/x/sync/errgroup", false, false},
		{"strategies", "golang.org/x/perf/benchfmt", false, true},
		{"reports", module + "/bench", true, true},
		{"reports/charts", module + "/internal/dist", false, false},
		{"internal/param", module + "/internal/dist", false, false},
		{"internal/param", module + "/internal/studies", false, true},
		{"internal/studies", module + "/reports", false, false},
		{"internal/studies", module + "/cmd/poolbench", false, true},
		{"internal/revisions", module + "/internal/judge", false, false},
		{"internal/revisions", module + "/bench", true, true},
		{"reports", module + "/internal/revisions", false, true},
		{"bench", module + "/internal/studies", false, true},
		{"bench", "flag", false, true},
		{"bench", "flag", true, false},
		{"internal/gatelive", "flag", false, false},
		{"internal/gatelive", "log/slog", false, true},
		{"internal/gatereplay", "flag", false, true},
		{"bench", "log/slog", false, true},
		{"bench", "go.uber.org/goleak", true, false},
		{"bench", "go.uber.org/goleak", false, true},
		{"cmd/poolbench", "github.com/spf13/cobra", false, false},
		{"cmd/poolbench", module + "/internal/theory", false, false},
	} {
		complaint := wrong(t, roomOf(t, module+"/"+c.from), c.to, c.inTest)
		if (complaint != "") != c.wrong {
			t.Errorf("%s imports %s (test: %v): %q", c.from, c.to, c.inTest, complaint)
		}
	}
}
