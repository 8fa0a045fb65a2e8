package house_test

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

// A room is a part of the house: what it may import from the others, and from outside the standard
// library.
type room struct {
	path    string   // below the module; the longest that fits decides
	rooms   []string // may be imported
	modules []string // may be imported, besides those that tests may
}

var rooms = []room{
	{".", []string{"internal/cli"}, nil}, // the root: Main
	{"cmd", []string{"."}, nil},
	{"internal/cli", []string{"internal/machine/profiles", "internal/files/rundir",
		"internal/studies/evidence", "internal/studies",
		"internal/machine/calibration", "internal/traffic/likeness", "internal/traffic",
		"internal/traffic/traces",
		"internal/gate/measure",
		"bench", "bench/attack", "bench/attack/checks", "bench/attack/curl", "bench/attack/har",
		"bench/attack/sessions", "bench/attack/sessions/script", "internal/files/yamltree",
		"bench/attack/rpc", "bench/attack/http3",
		"bench/directory", "bench/finding",
		"bench/gateway",
		"reports/results",
		"reports/compare", "reports/gate", "reports/gate/verdict", "reports/trend",
		"reports/page",
		"reports/answer", "reports/charts", "reports/proof", "reports/advice", "reports/why",
		"internal/traffic/recorded",
		"strategies", "strategies/engine", "strategies/engine/broker", "strategies/builtin",
		"strategies/durable", "strategies/peers", "workloads", "workloads/regex", "workloads/rpc",
		"workloads/sql", "targets", "targets/rpc", "internal/parts/rpc", "internal/durability/crash", "internal/fleet",
		"internal/fleet/hub", "internal/cli/live", "internal/cli/telemetry",
		"internal/durability/spooltest", "internal"}, []string{
		"github.com/HdrHistogram/hdrhistogram-go",
		"github.com/jackc/pgx/v5", "github.com/redis/go-redis/v9",
		"go.uber.org/goleak",                                           // its tests
		"go.opentelemetry.io/proto/otlp", "google.golang.org/protobuf", // likewise
		"github.com/spf13/cobra", "github.com/spf13/pflag", "github.com/goccy/go-yaml",
		"github.com/quic-go/quic-go", // its tests
		"golang.org/x/perf", "golang.org/x/term"}},
	// tests alone
	{"internal/house/manual", []string{"internal/cli", "internal/gate/measure", "internal"},
		[]string{"github.com/goccy/go-yaml"}},
	{"internal/durability/crash", []string{"bench", "strategies", "strategies/engine/broker",
		"workloads", "internal"}, nil},
	{"internal/machine/calibration", []string{"bench", "strategies", "strategies/peers",
		"workloads", "targets",
		"internal"}, []string{"gonum.org/v1/gonum"}},
	{"internal/studies/evidence", []string{"internal/studies/evidence/words", "bench",
		"bench/finding",
		"reports/results", "reports/page", "reports/page/shell", "reports/charts", "strategies",
		"internal"}, []string{"gonum.org/v1/gonum"}},
	{"internal/studies/evidence/words", []string{"reports/charts", "internal"}, nil},
	{"internal/studies", []string{"internal/studies/evidence", "internal/studies/evidence/words",
		"internal/files/rundir", "bench", "bench/directory", "bench/finding", "reports/results",
		"reports/page",
		"reports/page/shell", "reports/charts", "strategies", "strategies/engine/broker",
		"strategies/durable",
		"strategies/peers", "workloads", "workloads/regex", "workloads/rpc", "targets", "internal"}, nil},
	{"internal/gate/changepoint", []string{"internal"}, nil},
	{"internal/gate/judge", []string{"reports/gate/verdict", "internal"},
		[]string{"golang.org/x/perf", "gonum.org/v1/gonum"}},
	{"internal/gate/measure", []string{"internal/gate/judge", "reports/gate/verdict",
		"internal/files/rundir", "internal/machine/witness", "reports/results",
		"internal"}, // results: its tests
		[]string{"golang.org/x/perf", "golang.org/x/sync", "golang.org/x/sys", "gonum.org/v1/gonum"}},
	{"internal/gate/replay", []string{"internal/gate/judge", "reports/gate/verdict", "internal"},
		nil},
	{"bench/records", []string{"strategies", "bench", "internal"}, nil}, // bench: its tests
	{"bench/directory", []string{"bench", "bench/finding", "internal/files/rundir", "strategies",
		"internal/machine/witness", "internal"},
		[]string{"golang.org/x/perf", "github.com/HdrHistogram/hdrhistogram-go"}},
	{"bench", []string{"internal/machine/profiles", "internal/machine/flight",
		"bench/records", "bench/directory", // which its tests read back
		"bench/finding", "internal/files/rundir", "strategies", "strategies/builtin",
		"strategies/engine", "workloads", "targets",
		"internal/machine/witness", "internal/traffic/traces", "internal"},
		[]string{"golang.org/x/perf", "golang.org/x/sync", "github.com/google/pprof", // its tests
			"github.com/HdrHistogram/hdrhistogram-go"}},
	{"internal/traffic/likeness", []string{"internal/traffic/traces", "bench", "internal/traffic",
		"internal"}, nil},
	{"internal/traffic", []string{"internal/traffic/traces", "bench", "internal"},
		nil}, // bench: its tests
	{"internal/traffic/traces", []string{"internal"}, []string{"github.com/tidwall/gjson"}},
	{"bench/dist", nil, nil},
	{"bench/finding", nil, nil},
	{"bench/param", []string{"bench/dist"}, nil},
	{"bench/attack/http3", []string{"bench/attack", "bench/attack/checks",
		"bench/attack/sessions/script", // its tests
		"bench", "internal"},
		[]string{"github.com/quic-go/quic-go"}},
	{"bench/attack/rpc", []string{"bench/attack", "bench/attack/checks", "bench/records",
		"internal/parts/rpc",
		"targets", "targets/rpc", // its tests
		"internal"}, []string{"google.golang.org/grpc", "golang.org/x/net"}},
	{"bench/attack", []string{"bench/attack/checks", "bench/attack/sessions",
		"bench/attack/sessions/script", // its tests
		"internal/machine/profiles", "internal/files/rundir", "bench",
		"bench/records", "strategies",
		"internal/traffic/traces",
		"internal"},
		[]string{"github.com/tsenart/vegeta/v12", "golang.org/x/sys",
			"github.com/HdrHistogram/hdrhistogram-go"}},
	{"bench/attack/sessions", []string{"bench/attack", "bench/attack/checks", "bench",
		"bench/records", "internal"}, []string{"github.com/tsenart/vegeta/v12",
		"github.com/tidwall/gjson", "github.com/HdrHistogram/hdrhistogram-go"}},
	{"bench/attack/sessions/script", []string{"bench/attack/checks", "bench/attack/sessions",
		"internal/files/yamltree", "internal"}, []string{"github.com/goccy/go-yaml"}},
	{"internal/files/yamltree", []string{"internal"}, []string{"github.com/goccy/go-yaml"}},
	{"bench/attack/checks", nil, []string{"github.com/tidwall/gjson"}},
	{"bench/attack/curl", nil, []string{"github.com/tsenart/vegeta/v12", "mvdan.cc/sh/v3"}},
	{"bench/attack/har", nil, []string{"github.com/tsenart/vegeta/v12"}},
	{"bench/gateway", []string{"internal/machine/profiles", "bench", "bench/attack", "strategies",
		"workloads", "targets",
		"internal"}, nil},
	// whoever reads results; the rest of reports is a room each
	{"reports/results", []string{"bench/finding", "internal/files/rundir",
		"reports/internal/resultstest", "internal"},
		[]string{"golang.org/x/perf", "gonum.org/v1/gonum"}},
	{"reports/page/shell", []string{"reports/answer", "reports/charts", "internal"},
		[]string{"github.com/a-h/templ"}},
	{"reports/difference", []string{"reports/results", "internal/files/rundir", "internal"}, nil},
	{"reports/compare", []string{"reports/difference", "reports/results",
		"reports/internal/resultstest",
		"reports/answer", "reports/charts", "reports/page/shell", "internal/gate/judge",
		"internal/files/rundir", "internal"},
		[]string{"golang.org/x/perf", "github.com/a-h/templ"}},
	{"reports/why", []string{"reports/answer", "reports/results", "internal/files/rundir", "targets",
		"internal"}, nil},
	{"reports/proof", []string{"reports/answer", "reports/charts", "reports/page/shell",
		"internal"}, []string{"github.com/a-h/templ"}},
	{"reports/gate/verdict", nil, nil},
	{"internal/traffic/recorded", []string{"internal/traffic", "internal"}, nil},
	{"reports/advice", []string{"reports/answer", "reports/charts", "reports/page/shell",
		"internal"}, []string{"github.com/a-h/templ"}},
	{"reports/answer", []string{"bench/finding", "reports/results", "internal"},
		[]string{"golang.org/x/perf"}},
	{"reports/gate", []string{"reports/gate/verdict", "reports/difference", "reports/results",
		"reports/compare",
		"reports/answer", "reports/page/shell", "reports/page", "reports/charts",
		"reports/internal/resultstest", "internal/files/rundir",
		"internal/gate/judge", "internal"},
		[]string{"golang.org/x/perf", "github.com/HdrHistogram/hdrhistogram-go",
			"github.com/a-h/templ"}},
	{"reports/trend", []string{"internal/files/rundir", "reports/results", "reports/charts",
		"reports/answer", "reports/page/shell",
		"reports/internal/resultstest",
		"internal/gate/changepoint", "internal"}, []string{"golang.org/x/perf",
		"github.com/a-h/templ"}},
	{"reports/page", []string{"reports/why", "bench/finding",
		"internal/files/rundir", "reports/results", "reports/answer",
		"reports/page/shell", "reports/charts",
		"reports/internal/resultstest", "reports/internal/tab",
		"internal"}, []string{"golang.org/x/perf",
		"github.com/HdrHistogram/hdrhistogram-go", "github.com/a-h/templ"}},
	{"reports/charts", []string{"internal/files/rundir", "internal"},
		[]string{"gonum.org/v1/plot", "golang.org/x/image"}},
	{"reports/internal/looks", []string{"reports/results", "reports/advice", "reports/compare",
		"reports/gate",
		"reports/gate/verdict", "reports/trend", "reports/proof", "reports/page",
		"reports/internal/resultstest", "reports/internal/tab", "internal/files/rundir"}, nil}, // tests alone
	{"reports/internal/tab", nil, []string{"github.com/chromedp/chromedp",
		"github.com/chromedp/cdproto"}}, // for tests
	{"reports/internal/resultstest", []string{"reports/results"},
		[]string{"flag", "github.com/google/go-cmp"}}, // for tests
	{"internal/files/rundir", []string{"internal"}, []string{"github.com/HdrHistogram/hdrhistogram-go"}},
	// hands on those of a test
	{"strategies/strategytest", []string{"strategies", "strategies/engine",
		"strategies/engine/broker", "strategies/builtin", // its tests
		"internal/durability/spooltest", "internal"},
		[]string{"flag"}},
	{"internal/durability/spooltest", []string{"strategies", "strategies/engine/broker",
		"internal"}, nil}, // for tests
	{"strategies", []string{"internal"}, nil},
	{"strategies/engine", []string{"strategies", "strategies/strategytest", "internal"}, nil},
	{"strategies/engine/broker", []string{"strategies", "strategies/engine",
		"strategies/strategytest", "internal"}, nil},
	{"strategies/engine/around", []string{"strategies"}, nil},
	{"strategies/builtin", []string{"strategies", "strategies/engine",
		"strategies/engine/around", "strategies/strategytest",
		"internal"}, []string{"golang.org/x/sync", "golang.org/x/time"}},
	{"strategies/peers", []string{"strategies", "strategies/engine", "strategies/engine/around",
		"strategies/builtin",
		"reports/answer", "reports/page/shell", // the page of the board, a test
		"strategies/strategytest", "internal"}, []string{
		"github.com/panjf2000/ants/v2", "github.com/alitto/pond/v2", "github.com/sourcegraph/conc",
		"github.com/gammazero/workerpool", "github.com/Jeffail/tunny",
		"github.com/bytedance/gopkg", "github.com/failsafe-go/failsafe-go",
		"github.com/platinummonkey/go-concurrency-limits"}},
	{"internal/fleet/hub", []string{"internal"},
		[]string{"github.com/nats-io/nats-server/v2", "github.com/nats-io/nats.go"}},
	{"internal/cli/live", []string{"internal"}, []string{"github.com/a-h/templ",
		"github.com/evanw/esbuild", "github.com/prometheus"}}, // its tests
	{"internal/cli/telemetry", []string{"internal/cli/live", "internal"},
		[]string{"go.opentelemetry.io/otel",
			"go.opentelemetry.io/proto/otlp", "google.golang.org/protobuf"}}, // its tests
	{"internal/fleet", []string{"internal/fleet/hub", "bench", "bench/attack", "bench/attack/checks",
		"bench/directory",
		"bench/records", "strategies", "workloads",
		"targets", "internal"}, []string{"github.com/nats-io/nats.go",
		"github.com/nats-io/nats-server/v2", // its tests
		"golang.org/x/sync",
		"golang.org/x/perf"}},
	{"strategies/durable", []string{"strategies", "strategies/engine", "strategies/engine/broker",
		"strategies/strategytest", "internal/fleet/hub",
		"internal"}, []string{
		"log/slog", // to have River write none
		"modernc.org/sqlite", "github.com/nats-io/nats-server/v2", "github.com/nats-io/nats.go",
		"github.com/jackc/pgx/v5", "github.com/riverqueue/river", "github.com/redis/go-redis/v9",
		"github.com/hibiken/asynq", "github.com/rabbitmq/amqp091-go"}},
	{"workloads", []string{"internal/traffic/traces", "internal"},
		[]string{"golang.org/x/net/dns/dnsmessage"}},
	{"workloads/rpc", []string{"workloads", "internal/parts/rpc", "targets",
		"targets/rpc", // its tests
		"internal"}, []string{"google.golang.org/grpc"}},
	{"workloads/regex", []string{"workloads", "internal"}, []string{"github.com/dlclark/regexp2"}},
	{"workloads/sql", []string{"workloads", "internal"},
		[]string{"modernc.org/sqlite", "github.com/jackc/pgx/v5"}},
	{"targets/rpc", []string{"targets", "internal/parts/rpc", "internal"},
		[]string{"google.golang.org/grpc", "google.golang.org/protobuf"}},
	{"targets", []string{"internal"}, []string{"golang.org/x/time"}},
	{forTests, []string{"internal"}, nil},
	{"internal/house", []string{"bench", "strategies", "strategies/builtin", "strategies/peers",
		"workloads",
		"workloads/regex", "workloads/rpc", "workloads/sql", "targets", "internal"},
		[]string{"github.com/a-h/templ"}},
	{"internal/gate/live", []string{"internal/machine/witness"}, nil}, // tests alone
	{"internal/machine/witness", []string{"internal"},
		[]string{"golang.org/x/sys", "github.com/HdrHistogram/hdrhistogram-go"}},
	{"internal/machine/profiles", []string{"internal/machine/witness", "internal"}, []string{"github.com/google/pprof"}},
	{"internal/parts/rpc", []string{"internal"}, []string{"google.golang.org/grpc",
		"google.golang.org/protobuf", "golang.org/x/net", "github.com/bufbuild/protocompile",
		"github.com/jhump/protoreflect/v2"}},
	{"internal", nil, []string{"gonum.org/v1/gonum", "golang.org/x/sys"}},
}

// common are the packages that every other may import: what a part, and a user's, is declared with.
var common = []string{"bench/param", "bench/dist"}

// forTests is the package that any test may import.
const forTests = "internal/house/need"

// ofTests are the modules that any test may import: tools, and x/perf as the one whose statistics
// ours must agree with.
var ofTests = []string{"go.uber.org/goleak", "github.com/google/go-cmp", "pgregory.net/rapid",
	"github.com/chromedp/chromedp", "github.com/chromedp/cdproto", "github.com/evanw/esbuild",
	"github.com/yuin/goldmark",
	"golang.org/x/perf", "gonum.org/v1/gonum"}

// ofCommand are the packages that only the command may import, and a program whose room says so:
// nothing else has flags and a log.
var ofCommand = []string{"flag", "log", "log/slog", "github.com/spf13/cobra",
	"github.com/spf13/pflag"}

// A listed package is what `go list -json` says of one.
type listed struct {
	ImportPath, Dir, Name              string
	GoFiles                            []string
	Imports, TestImports, XTestImports []string
}

// packages lists those of this module.
func packages(t *testing.T) []listed {
	t.Helper()
	lookAround(t)
	all, err := listing()
	if err != nil {
		t.Fatal(err)
	}
	return slices.Clone(all)
}

// listing is made once: ten tests ask for it.
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

// lookAround reads every directory of the module. The go command takes a test's outcome from its
// cache unless a file that the test itself has opened is another; what `go list` opens does not
// count, and a package that is new has never been opened.
func lookAround(t *testing.T) {
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

// roomOf returns the room of a package of this module.
func roomOf(t *testing.T, path string) room {
	t.Helper()
	below := "."
	if path != module {
		below = strings.TrimPrefix(path, module+"/")
	}
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

func within(path, parent string) bool {
	return path == parent || strings.HasPrefix(path, parent+"/")
}

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
	case !inTest && from.path != "internal/cli" && slices.Contains(ofCommand, path) &&
		!slices.Contains(from.modules, path):
		return "only the command has flags and a log"
	case within(path, module):
		if to := roomOf(t, path); to.path != from.path && !(inTest && to.path == forTests) &&
			!slices.Contains(from.rooms, to.path) &&
			(!slices.Contains(common, to.path) || slices.Contains(common, from.path)) {
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
		{"strategies", module + "/strategies/engine", false, true},
		{"strategies/engine", module + "/strategies/builtin", true, true},
		{"strategies/builtin", module + "/strategies/engine", false, false},
		{"strategies/builtin", module + "/strategies/strategytest", true, false},
		{"strategies", "github.com/spf13/cobra", false, true},
		{"strategies/builtin", "golang.org/x/sync/errgroup", false, false},
		{"strategies", "golang.org/x/perf/benchfmt", false, true},
		{"reports/results", module + "/bench", true, true},
		{"reports/trend", module + "/reports/compare", false, true},
		{"reports/page", module + "/reports/gate", true, true},
		{"internal/files/rundir", module + "/reports/results", true, true},
		{"internal/files/rundir", module + "/bench", true, true},
		{"reports/charts", module + "/bench/dist", false, false},
		{"bench/param", module + "/bench/dist", false, false},
		{"bench/dist", module + "/bench/param", false, true},
		{"bench/param", module + "/internal/studies", false, true},
		{"internal/studies", module + "/reports/page", false, false},
		{"internal/studies", module + "/internal/cli", false, true},
		{"internal/gate/measure", module + "/internal/gate/judge", false, false},
		{"internal/gate/measure", module + "/bench", true, true},
		{"internal/gate/measure", module + "/reports/gate", false, true},
		{"internal/gate/judge", module + "/reports/results", true, true},
		{"reports/gate", module + "/internal/gate/measure", false, true},
		{"bench", module + "/internal/studies", false, true},
		{"bench", "flag", false, true},
		{"bench", "flag", true, false},
		{"bench", "log/slog", false, true},
		{"bench", "go.uber.org/goleak", true, false},
		{"bench", "go.uber.org/goleak", false, true},
		{"internal/cli", "github.com/spf13/cobra", false, false},
		{"internal/cli", module + "/internal/statistics/theory", false, false},
		{"cmd/poolbench", module, false, false},
		{"cmd/poolbench", module + "/bench", false, true},
	} {
		complaint := wrong(t, roomOf(t, module+"/"+c.from), c.to, c.inTest)
		if (complaint != "") != c.wrong {
			t.Errorf("%s imports %s (test: %v): %q", c.from, c.to, c.inTest, complaint)
		}
	}
}
