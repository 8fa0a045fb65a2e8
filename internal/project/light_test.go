package project_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// heavy lists packages that only the command may import.
var heavy = []string{"modernc.org", "github.com/jackc", "github.com/dlclark/regexp2",
	"golang.org/x/text", "github.com/panjf2000/ants", "github.com/failsafe-go",
	"github.com/tsenart/vegeta", "gonum.org/v1/plot", "golang.org/x/image", "github.com/spf13",
	"github.com/nats-io", "google.golang.org/grpc", "github.com/bufbuild",
	module + "/strategies/peers", module + "/strategies/durable", module + "/reports"}

// notForCI lists packages that benchgate does not need and must not import.
var notForCI = []string{"modernc.org", "database/sql", "github.com/jackc", "github.com/redis",
	"github.com/nats-io", "google.golang.org", "github.com/bufbuild", "github.com/quic-go",
	"github.com/dlclark/regexp2", "github.com/panjf2000/ants", "github.com/failsafe-go",
	"github.com/tsenart/vegeta", "go.opentelemetry.io",
	module + "/bench/attack", module + "/bench/arrivals", module + "/strategies", module + "/targets", module + "/workloads", module + "/internal/studies",
	module + "/reports/why"}

// A user's benchmark must not import heavy packages.
func TestLight(t *testing.T) {
	checkDependencies(t, 100, heavy, module+"/bench", module+"/bench/arrivals",
		module+"/strategies/strategytest")
}

func TestLightBenchgate(t *testing.T) {
	checkDependencies(t, 100, notForCI, module+"/cmd/benchgate")
}

// The build flags are those of the GitHub action.
func TestBenchgateSize(t *testing.T) {
	if testing.Short() {
		t.Skip("links a program")
	}
	readDirectories(t)
	program := filepath.Join(t.TempDir(), "benchgate")
	cmd := exec.Command("go", "build", "-tags=minimal", "-trimpath", "-ldflags=-s -w", "-o",
		program, module+"/cmd/benchgate")
	cmd.Env = append(os.Environ(), "GOFLAGS=", "GOOS=linux", "GOARCH=amd64", "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	info, err := os.Stat(program)
	if err != nil {
		t.Fatal(err)
	}
	if info.Size() > 15<<20 {
		t.Errorf("%.2f MiB", float64(info.Size())/(1<<20))
	}
}

// notInBrowsers lists packages that the WebAssembly playground must not import.
var notInBrowsers = []string{"net/http", "net/textproto", "crypto", "encoding/gob", "math/big",
	"github.com/google/pprof", "github.com/tidwall", "gonum.org/v1/plot", module + "/reports",
	module + "/strategies/peers", module + "/internal/directory", module + "/internal/traffic"}

func TestLightPlayground(t *testing.T) {
	t.Setenv("GOOS", "js")
	t.Setenv("GOARCH", "wasm")
	checkDependencies(t, 100, notInBrowsers, module+"/internal/playground/wasm")
	if testing.Short() {
		return // compiles a hundred packages the first time
	}
	out, err := exec.Command("go", "vet", module+"/internal/playground/...").CombinedOutput()
	if err != nil {
		t.Errorf("%v: %s", err, out)
	}
}

// checkDependencies fails if one of the packages imports a heavy package, directly or indirectly.
func checkDependencies(t *testing.T, fewest int, heavy []string, packages ...string) {
	t.Helper()
	readDirectories(t)
	out, err := exec.Command("go", append([]string{"list", "-deps"}, packages...)...).Output()
	if err != nil {
		t.Fatal(err)
	}
	deps := strings.Fields(string(out))
	if len(deps) < fewest {
		t.Fatalf("%d packages: %v", len(deps), deps)
	}
	for _, path := range deps {
		for _, h := range heavy {
			if within(path, h) {
				t.Errorf("%s depends on %s", packages[0], path)
			}
		}
	}
}
