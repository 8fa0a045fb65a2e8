package clitest

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/poolbench/poolbench/internal/lazyregexp"
)

// Shop starts a server that answers every third request with the given status.
func Shop(t *testing.T, status int) (url string, served *atomic.Int64) {
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

// The machine may be busy with other tests.
var doubtful = lazyregexp.New(`(?m)^.* is INVALID: .*\n`)

func WithoutDoubts(stderr string) string { return doubtful.ReplaceAllString(stderr, "") }

// Attacked accepts the exit code of a load that a busy machine could not send in time.
func Attacked(t *testing.T, args ...string) Outcome {
	t.Helper()
	o := Command(t, args...)
	if o.Code == Undecided {
		for line := range strings.Lines(o.Stderr) {
			late := strings.Contains(line, "is INVALID: lag") ||
				strings.Contains(line, "is INVALID: pause") ||
				strings.Contains(line, "is INVALID: agent: ") &&
					strings.HasSuffix(line, " too late\n")
			if !late &&
				!strings.HasPrefix(line, "poolbench: warning: ") {
				t.Fatalf("poolbench %q: exit code %d\n%s", args, o.Code, o.Stderr)
			}
		}
	} else if o.Code != Fine {
		t.Fatalf("poolbench %q: exit code %d\n%s", args, o.Code, o.Stderr)
	}
	return o
}
