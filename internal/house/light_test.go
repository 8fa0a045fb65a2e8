package house_test

import (
	"os/exec"
	"strings"
	"testing"
)

// heavy is what only the command may cost: databases and their C library in Go, the backtracking
// regexp engine, the pools of other libraries, charts, the command line.
var heavy = []string{"modernc.org", "github.com/jackc", "github.com/dlclark/regexp2",
	"golang.org/x/text", "github.com/panjf2000/ants", "github.com/failsafe-go",
	"github.com/tsenart/vegeta", "gonum.org/v1/plot", "golang.org/x/image", "github.com/spf13",
	"github.com/nats-io", "google.golang.org/grpc", "github.com/bufbuild",
	module + "/strategies/peers", module + "/strategies/durable", module + "/reports"}

// TestLight: what a user's own benchmarks import stays light.
func TestLight(t *testing.T) {
	lookAround(t)
	out, err := exec.Command("go", "list", "-deps", module+"/bench", module+"/bench/arrivals",
		module+"/strategies/strategytest").Output()
	if err != nil {
		t.Fatal(err)
	}
	deps := strings.Fields(string(out))
	if len(deps) < 100 {
		t.Fatalf("%d packages: %v", len(deps), deps)
	}
	for _, path := range deps {
		for _, h := range heavy {
			if within(path, h) {
				t.Errorf("bench depends on %s", path)
			}
		}
	}
}
