//go:build unix

package searches

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/poolbench/poolbench/internal/cli/clitest"
	"github.com/poolbench/poolbench/internal/cli/show"
	"github.com/poolbench/poolbench/internal/fleet/hub"
)

func TestAgents(t *testing.T) {
	url, served := clitest.Shop(t, 503)
	out := filepath.Join(t.TempDir(), "out")
	o := clitest.Attacked(t, "attack", url, "--agents", "2", "--rate", "200", "--n", "400", "--name", "shop",
		"--quiet", "--format", "json", "--out", out)
	var doc struct {
		Runs []struct {
			Name     string
			Tasks    int
			Metrics  map[string]float64
			Statuses []struct{ N int }
			Agents   []show.AgentLine
		}
	}
	if err := json.Unmarshal([]byte(o.Stdout), &doc); err != nil || len(doc.Runs) != 1 {
		t.Fatal(err, o.Stdout)
	}
	r := doc.Runs[0]
	if r.Tasks != 400 || served.Load() != 400 || !strings.Contains(r.Name, "/agents=2/") {
		t.Errorf("%s: %d requests, %d served; want 400", r.Name, r.Tasks, served.Load())
	}
	if rate := r.Metrics["offered-ops/s"]; math.Abs(rate-200) > 0.2 {
		t.Errorf("%v a second were offered, want 200 to 0.1 %%", rate)
	}
	if len(r.Agents) != 2 || r.Agents[0].Requests != 200 || r.Agents[1].Requests != 200 {
		t.Errorf("agents: %+v", r.Agents)
	}
	text, err := os.ReadFile(filepath.Join(out, "results.txt"))
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(string(text), "\n# agent "); n != 2 {
		t.Errorf("%d lines about agents, want 2", n)
	}
}

func TestAgentsSearch(t *testing.T) {
	t.Parallel() // the test mostly waits
	url, served := clitest.Shop(t, 200)
	o := clitest.Attacked(t, "capacity", url, "--agents", "2", "--objective", "p50-response<1h",
		"--max-rate", "200", "--first-rate", "100", "--duration", "200ms", "--rest", "1ms",
		"--name", "shop", "--quiet", "--format", "json", "--out", filepath.Join(t.TempDir(), "out"))
	var doc show.SearchDocument
	if err := json.Unmarshal([]byte(o.Stdout), &doc); err != nil || len(doc.Answers) != 1 {
		t.Fatal(err, o.Stdout)
	}
	// 20 at 100/s, 40 at 200/s, and 80 for the confirmation; each rate at least once
	if c := doc.Answers[0]; c.Outcome != "at least" || c.Met == nil || *c.Met != 200 ||
		!strings.Contains(c.Name, "/agents=2/") || served.Load() < 60 {
		t.Errorf("%+v after %d requests", c, served.Load())
	}
}

func TestAgentsWrong(t *testing.T) {
	for _, c := range []struct{ args, says string }{
		{"--nats nats://127.0.0.1:1", "--nats: give the number of agents"},
		{"--allow-lost", "--allow-lost: give the number of agents"},
		{"--agents 2 --vegeta x", "--vegeta and --agents exclude each other"},
		{"--agents 2 --nats me:secret@x", "--nats: want addresses such as"},
		{"--agents 300", "--agents 300: want at most 256 on this machine"},
		{"--agents 3 --clients 2", "there are only 2 clients"},
	} {
		t.Chdir(t.TempDir())
		o := clitest.Command(t, append(strings.Fields("attack http://127.0.0.1:1/ --n 10"),
			strings.Fields(c.args)...)...)
		if o.Code != clitest.Unusable || !strings.Contains(o.Stderr, c.says) ||
			strings.Contains(o.Stderr, "secret") {
			t.Errorf("%s: exit code %d, %s; want %q", c.args, o.Code, o.Stderr, c.says)
		}
	}
}

// A killed agent must be named. The result must be INVALID or, with --allow-lost, cover only the
// remaining agents.
func TestAgentKilled(t *testing.T) {
	t.Parallel()
	for _, allow := range []bool{false, true} {
		t.Run(fmt.Sprintf("allow=%v", allow), func(t *testing.T) {
			if testing.Short() && !allow {
				t.Skip("long: skipped with -short")
			}
			t.Parallel()
			url, served := clitest.Shop(t, 200)
			at, err := hub.StartLocal()
			if err != nil {
				t.Fatal(err)
			}
			defer at.Close()
			clitest.StartWorker(t, at.Address)
			victim := clitest.StartWorker(t, at.Address)
			killed := make(chan struct{})
			go func() {
				defer close(killed)
				for served.Load() < 30 && t.Context().Err() == nil {
					time.Sleep(time.Millisecond)
				}
				_ = victim.Process.Kill()
			}()
			args := []string{"attack", url, "--agents", "2", "--nats", at.Address, "--rate", "50",
				"--duration", "4s", "--name", "shop", "--out", filepath.Join(t.TempDir(), "out")}
			if allow {
				args = append(args, "--allow-lost")
			}
			o := clitest.Command(t, args...)
			<-killed
			if now := fmt.Sprintf("(process %d) is lost: it sent no message for 5s",
				victim.Process.Pid); !strings.Contains(o.Stderr, now) {
				t.Errorf("want %q in %s", now, o.Stderr)
			}
			if strings.Contains(o.Stderr, " too late\n") {
				// On a busy machine the run is INVALID for that reason, and other reasons are not
				// shown.
				return
			}
			lost := fmt.Sprintf("(process %d) was lost: it sent no message for 5s", victim.Process.Pid)
			if !strings.Contains(o.Stderr, lost) || !allow && o.Code != clitest.Undecided {
				t.Errorf("exit code %d, want the loss of process %d: %s", o.Code,
					victim.Process.Pid, o.Stderr)
			}
			if want := "50 % of the plan was sent"; allow &&
				!strings.Contains(o.Stderr, want) {
				t.Errorf("want %q in %s", want, o.Stderr)
			}
		})
	}
}
