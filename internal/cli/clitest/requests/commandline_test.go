package requests

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/poolbench/poolbench/internal/cli/clitest"
	"github.com/poolbench/poolbench/internal/rundir"
)

// A run directory contains the command that repeats its results. It omits outputs and secrets.
func TestCommandLine(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	defer s.Close()
	server := s.URL
	for want, args := range map[string]string{
		"poolbench run --clock virtual --strategy worker_pool --limit 4,5,8 --rate 90 --n 600 " +
			"--objective 'p99-response<9s'": "run --clock virtual --strategy worker_pool " +
			"--limit 4,5,8 --rate 90 -n 600 --quiet --format json --objective p99-response<9s",
		"poolbench capacity --clock virtual --find limit --rate 90 --n 600 --limit-range 1,8 " +
			"--strategy worker_pool --objective 'p99-response<9s'": "capacity --clock virtual " +
			"--find=limit --rate 90 -n 600 --limit-range 1,8 --strategy worker_pool --quiet " +
			"--objective p99-response<9s",
		"poolbench attack '" + server + "/a?token=…&page=7' --rate 50 --n 5 --show-query page " +
			"--header 'Authorization: …' --body … --redirects 0 --http1.1": "attack " +
			server + "/a?token=pl35&page=7 -r 50 -n 5 --show-query page -H Authorization:pl36 " +
			"--body=pl38 --redirects=0 --http1.1 --quiet",
	} {
		out := filepath.Join(t.TempDir(), "out")
		o := clitest.Command(t, append(strings.Fields(args), "--out", out)...)
		text, err := os.ReadFile(filepath.Join(out, rundir.ResultsFile))
		if err != nil {
			t.Fatalf("%s: %v\n%s", args, err, o.Stderr)
		}
		_, line, _ := strings.Cut(string(text), "\n# command ")
		if line, _, _ = strings.Cut(line, "\n"); line != want {
			t.Errorf("%s\n got %s\nwant %s", args, line, want)
		}
	}
}
