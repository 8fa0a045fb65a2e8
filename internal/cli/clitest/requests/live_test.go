package requests

import (
	"bufio"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/poolbench/poolbench/internal/cli/clitest"
	"github.com/poolbench/poolbench/internal/cli/live"
)

func TestLive(t *testing.T) {
	for name, args := range map[string]string{
		"run": "run --clock real --strategy worker_pool --workload constant:mean=1ms --rate 200 " +
			"--duration 3s --limit 4",
		"attack": "attack URL --rate 200 --duration 3s --strategy worker_pool",
	} {
		t.Run(name, func(t *testing.T) {
			if testing.Short() && name == "run" {
				t.Skip("long: skipped with -short")
			}
			t.Parallel()
			out := filepath.Join(t.TempDir(), "out")
			target := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter,
				*http.Request) {
			}))
			defer target.Close()
			cmd := clitest.Process(t, nil, strings.Fields(strings.Replace(args, "URL", target.URL,
				1)+
				" --live --out "+out)...)
			stderr, err := cmd.StderrPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			lines := bufio.NewReader(stderr)
			first, err := lines.ReadString('\n')
			at, ok := strings.CutPrefix(strings.TrimSpace(first), "live at http://127.0.0.1:")
			if err != nil || !ok {
				t.Fatalf("%q, %v", first, err)
			}
			at = "http://127.0.0.1:" + at
			frames, end := watch(t, at)
			if end != "true" {
				t.Errorf("the end says %q, want that there is a report", end)
			}
			report := fetch(t, at+"report")
			http.DefaultClient.CloseIdleConnections()
			_, _ = io.Copy(io.Discard, lines)
			_ = cmd.Wait() // on a busy machine the run may be INVALID
			if want := clitest.Read(t, filepath.Join(out, "report.html")); report != want {
				t.Errorf("the report has %d bytes, want %d", len(report), len(want))
			}
			rates := 0
			for _, f := range frames {
				if f.Rate != nil && *f.Rate > 0 && f.Limit == 4 {
					rates++
				}
			}
			if rates == 0 {
				t.Errorf("no rate in %d frames: %+v", len(frames), frames)
			}
		})
	}
}

// watch also returns the content of the end event.
func watch(t *testing.T, at string) (frames []live.Frame, end string) {
	t.Helper()
	events, err := http.Get(at + "events")
	if err != nil {
		t.Fatal(err)
	}
	defer events.Body.Close()
	ended := false
	for lines := bufio.NewScanner(events.Body); lines.Scan(); {
		text, isData := strings.CutPrefix(lines.Text(), "data: ")
		switch {
		case lines.Text() == "event: end":
			ended = true
		case isData && ended:
			end = text
		case isData:
			var f live.Frame
			if err := json.Unmarshal([]byte(text), &f); err != nil {
				t.Fatal(err)
			}
			frames = append(frames, f)
		}
	}
	return frames, end
}

func fetch(t *testing.T, url string) string {
	t.Helper()
	r, err := http.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	text, err := io.ReadAll(r.Body)
	if err != nil || r.StatusCode != http.StatusOK {
		t.Fatal(r.Status, err)
	}
	return string(text)
}

func TestLiveAddress(t *testing.T) {
	t.Chdir(t.TempDir())
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	for address, want := range map[string]string{taken.Addr().String(): "in use",
		"0.0.0.0:0": "--any-address", "here": "HOST:PORT"} {
		o := clitest.Command(t, "run", "--clock", "virtual", "--n", "10", "--live="+address)
		if o.Code != clitest.Unusable || !strings.Contains(o.Stderr, want) ||
			strings.Count(o.Stderr, "\n") != 1 {
			t.Errorf("%s: exit code %d, %q, want %q", address, o.Code, o.Stderr, want)
		}
	}
	if left, err := os.ReadDir("."); err != nil || len(left) > 0 {
		t.Errorf("%v is left, error %v", left, err)
	}
}
