package requests

import (
	"encoding/json"
	"encoding/xml"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/poolbench/poolbench/internal/cli/clitest"
	"github.com/poolbench/poolbench/internal/junit"
)

func suite(t *testing.T, path string) junit.Suite {
	t.Helper()
	var doc struct {
		Suites []junit.Suite `xml:"testsuite"`
	}
	err := xml.Unmarshal([]byte(clitest.Read(t, path)), &doc)
	if err != nil || len(doc.Suites) != 1 {
		t.Fatalf("%v, %d suites", err, len(doc.Suites))
	}
	return doc.Suites[0]
}

func TestJUnit(t *testing.T) {
	t.Chdir(t.TempDir())
	t.Setenv("GITHUB_ACTIONS", "true")
	t.Setenv("GITHUB_STEP_SUMMARY", "summary.md")
	url, _ := clitest.Shop(t, 404)
	o := clitest.Command(t, "attack", url, "--clients", "2", "--n", "400", "--name", "a::b%0A", "--out",
		"a", "--quiet", "--junit", "cases.xml", "--format", "json",
		"--objective", "failed<=1%,p50-response<10m", "--check", "status < 500", "--check",
		"status < 404")
	if !json.Valid([]byte(o.Stdout)) {
		t.Errorf("not a document: %s", o.Stdout)
	}
	s := suite(t, "cases.xml")
	if s.Name != "poolbench attack" || s.Tests != 5 {
		t.Fatalf("%+v", s)
	}
	if passed, failed := s.Cases[3], s.Cases[4]; passed.Failure != nil || failed.Failure == nil ||
		failed.Name != "status < 404 (seed 1)" {
		t.Errorf("%+v %+v", passed, failed)
	}
	missed := s.Cases[0]
	said := missed.Failure
	if said == nil {
		said = missed.Error // on a busy machine the run is INVALID
	}
	if missed.Name != "failed<=1%" || said == nil || !strings.HasSuffix(said.Message, ": 33.2 %") ||
		!strings.HasPrefix(missed.Class, "Attack/target=a::b%250A/") {
		t.Errorf("%+v", missed)
	}
	const line = "::error title=poolbench attack%3A failed<=1%25::Attack/target=a::b%25250A/"
	if !strings.Contains("\n"+o.Stderr, "\n"+line) {
		t.Errorf("no annotation in %s", o.Stderr)
	}
	if summary := clitest.Read(t, "summary.md"); !strings.Contains(summary,
		"### poolbench attack: ") || !strings.Contains(summary, ": 33.2 %") {
		t.Error(summary)
	}
}

func TestTraces(t *testing.T) {
	t.Chdir(t.TempDir())
	var mu sync.Mutex
	seen := map[string]bool{}
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		if _, rest, ok := strings.Cut(r.Header.Get("traceparent"), "-"); ok {
			mu.Lock()
			defer mu.Unlock()
			seen[rest[:32]] = true
		}
	}))
	defer server.Close()
	o := clitest.Attacked(t, "attack", server.URL, "--rate", "1000", "--n", "200", "--traceparent", "50%",
		"--name", "shop", "--out", "a", "--quiet")
	told := regexp.MustCompile(`[0-9a-f]{32}`).FindAllString(o.Stdout, -1)
	mu.Lock()
	defer mu.Unlock()
	if len(told) != 3 || len(seen) < 60 || len(seen) > 140 {
		t.Fatalf("%d of %d traces are told: %s", len(told), len(seen), o.Stdout)
	}
	slowest, page := clitest.Read(t, "a/slowest.csv"), clitest.Read(t, "a/report.html")
	for _, id := range told {
		if !seen[id] || !strings.Contains(slowest, ","+id) || !strings.Contains(page, id) {
			t.Errorf("%s: at the server %v, in slowest.csv %v, on the page %v", id, seen[id],
				strings.Contains(slowest, id), strings.Contains(page, id))
		}
	}
	if o := clitest.Command(t, "attack", server.URL, "--traceparent", "150%"); o.Code != 2 ||
		!strings.Contains(o.Stderr, "trace") {
		t.Errorf("%d %s", o.Code, o.Stderr)
	}
}
