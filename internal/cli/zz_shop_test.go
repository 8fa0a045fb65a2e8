package cli

import (
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"
)

// shop is a server that answers every third request with the status.
func shop(t *testing.T, status int) (url string, served *atomic.Int64) {
	t.Helper()
	served = new(atomic.Int64)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		if served.Add(1)%3 == 0 {
			w.WriteHeader(status)
		}
	}))
	t.Cleanup(server.Close)
	return server.URL, served
}

// doubtful is what is said of a run on a machine that is busy with other tests.
var doubtful = regexp.MustCompile(`(?m)^.* is INVALID: .*\n`)

// beside is what is said beside that.
func beside(stderr string) string { return doubtful.ReplaceAllString(stderr, "") }

// attacked runs a load on a machine that may be busy with other tests: all it may find wrong is
// that it could not keep up.
func attacked(t *testing.T, args ...string) Outcome {
	t.Helper()
	o := command(t, args...)
	if o.code == undecided {
		for line := range strings.Lines(o.stderr) {
			if !strings.Contains(line, "is INVALID: lag") &&
				!strings.Contains(line, "is INVALID: pause") &&
				!strings.HasPrefix(line, "poolbench: warning: ") {
				t.Fatalf("poolbench %q: exit code %d\n%s", args, o.code, o.stderr)
			}
		}
	} else if o.code != fine {
		t.Fatalf("poolbench %q: exit code %d\n%s", args, o.code, o.stderr)
	}
	return o
}
