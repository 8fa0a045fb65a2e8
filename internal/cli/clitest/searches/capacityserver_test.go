package searches

import (
	"encoding/json"
	"html"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/poolbench/poolbench/internal/cli/clitest"
	"github.com/poolbench/poolbench/internal/cli/show"
)

func TestCapacityOfServer(t *testing.T) {
	t.Parallel() // the test mostly waits
	x := filepath.Join(t.TempDir(), "x")
	var asked atomic.Int64
	failing := int64(1 << 62)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		if asked.Add(1) > failing {
			w.WriteHeader(http.StatusInternalServerError)
		}
	}))
	defer server.Close()
	for _, c := range []struct {
		objective string
		failing   int64
		outcome   string
		code      int
		says      string
	}{
		{"p50-response<1h", 1 << 62, "at least", clitest.Fine, "/s, the highest rate allowed"},
		{"p50-response<1ns", 1 << 62, "nowhere", clitest.Regression, "at every rate"},
		{"p50-response<1h", 10, "unknown", clitest.Undecided, "the search ends"},
	} {
		if testing.Short() && c.code == clitest.Fine {
			continue // TestAgentsSearch tests this answer
		}
		failing = c.failing
		asked.Store(0)
		args := []string{"capacity", server.URL, "--objective", c.objective, "--max-rate", "200",
			"--first-rate", "100", "--duration", "100ms", "--rest", "1ms", "--name", "here",
			"--quiet", "--force", "--out", x, "--progress-json", x + ".jsonl"}
		o := clitest.Command(t, args...)
		if strings.Contains(o.Stdout, "cannot keep up") {
			continue // a busy machine
		}
		if o.Code != c.code || !strings.Contains(strings.ReplaceAll(o.Stdout, "\n ", ""), c.says) {
			t.Errorf("%s: exit code %d\n%s%s", c.objective, o.Code, o.Stdout, o.Stderr)
		}
		page, undecided := clitest.Read(t, filepath.Join(x, "report.html")),
			"undecided for "+html.EscapeString(c.objective)+"; met at"
		if strings.Contains(page, undecided) != (c.code == clitest.Undecided) {
			t.Errorf("%s: exit code %d, and the page contains %q: %v", c.objective, c.code,
				undecided, c.code != clitest.Undecided)
		}
		for line := range strings.Lines(o.Stdout) {
			if n := len([]rune(strings.TrimSpace(line))); n > 80 {
				t.Errorf("%d columns: %s", n, line)
			}
		}
		if stream, err := os.ReadFile(x + ".jsonl"); err != nil ||
			!strings.Contains(string(stream), `{"end":true,`) ||
			strings.Contains(string(stream), `"runs":0,`) {
			t.Errorf("%v: the stream ends with no run\n%s", err, stream)
		}
		var doc show.SearchDocument
		j := clitest.Command(t, append(args, "--format", "json")...)
		if strings.Contains(j.Stdout, "cannot keep up") {
			continue
		}
		if err := json.Unmarshal([]byte(j.Stdout), &doc); err != nil || j.Code != c.code ||
			doc.Answers[0].Outcome != c.outcome || len(doc.Answers[0].Tried) == 0 {
			t.Errorf("%s: exit code %d, %v\n%s%s", c.objective, j.Code, err, j.Stdout, j.Stderr)
		}
		for _, p := range doc.Answers[0].Tried {
			if p.At > 200 {
				t.Errorf("%v /s were sent", p.At)
			}
		}
		text, err := os.ReadFile(x + "/results.txt")
		if err != nil || !strings.Contains(string(text), "\nBenchmarkCapacity/target=here/"+
			"arrival=constant/rate=100..200/duration=100ms/") {
			t.Errorf("%v: no result of the search\n%s", err, text)
		}
		if page, err := os.ReadFile(x + "/report.html"); err != nil ||
			!strings.Contains(string(page), "here") {
			t.Errorf("%v: no report", err)
		}
	}
	server.Close()
	if o := clitest.Command(t, "capacity", server.URL, "--objective", "p50-response<1h", "--duration",
		"100ms", "--quiet", "--force", "--out", x); o.Code != clitest.Unusable {
		t.Errorf("nobody there: exit code %d\n%s%s", o.Code, o.Stdout, o.Stderr)
	}
	for args, says := range map[string]string{
		"capacity http://h/": "capacity: want an " +
			"objective",
		"capacity http://h/ --objective shed<1% --rate 5": "--rate: the " +
			"search is for the rate",
		"capacity http://h/ --objective shed<1% --first-rate 9 --max-rate 3": "want a first rate above 0",
		"capacity http://h/ https://i/ --objective shed<1%":                  "unexpected argument",
	} {
		if o := clitest.Command(t, strings.Fields(args)...); o.Code != clitest.Unusable ||
			!strings.Contains(o.Stderr, says) || strings.Count(o.Stderr, "\n") != 1 {
			t.Errorf("%s: exit code %d, %s", args, o.Code, o.Stderr)
		}
	}
}

// Each probe must use the data and checks from its first request on. A failed check counts as a
// failure.
func TestCapacityOfVariedRequests(t *testing.T) {
	t.Parallel() // the test mostly waits
	dir := t.TempDir()
	var wrong, asked atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		user, seq, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
		if n, err := strconv.Atoi(seq); err != nil || user != []string{"ann", "bob"}[n%2] {
			wrong.Add(1)
		}
		_, _ = w.Write([]byte(`{"ok":true}`))
	}))
	defer server.Close()
	users := filepath.Join(dir, "users.csv")
	if err := os.WriteFile(users, []byte("user\nann\nbob\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for check, c := range map[string]struct {
		code    int
		outcome string
	}{"json .ok == true": {clitest.Fine, "at least"},
		"json .ok == false": {clitest.Undecided, "unknown"}} {
		o := clitest.Command(t, "capacity", server.URL+"/{{user}}/{{seq}}", "--data", users, "--check",
			check, "--objective", "failed<1%", "--max-rate", "200", "--first-rate", "100",
			"--duration", "100ms", "--rest", "1ms", "--name", "here", "--quiet", "--format", "json",
			"--force", "--out", filepath.Join(dir, "x"))
		var doc show.SearchDocument
		err := json.Unmarshal([]byte(o.Stdout), &doc)
		if len(doc.Warnings) > 0 && strings.Contains(doc.Warnings[0], "cannot keep up") {
			continue // a busy machine
		}
		if err != nil || o.Code != c.code || doc.Answers[0].Outcome != c.outcome {
			t.Errorf("%s: exit code %d, %v\n%s%s", check, o.Code, err, o.Stdout, o.Stderr)
		}
	}
	if asked.Load() == 0 || wrong.Load() > 0 {
		t.Errorf("%d of %d requests are not filled in", wrong.Load(), asked.Load())
	}
}

// Rates are rates of sessions.
func TestCapacityOfSessions(t *testing.T) {
	t.Parallel() // the test mostly waits
	dir := t.TempDir()
	var begun, bought, wrong atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/in" {
			begun.Add(1)
			http.SetCookie(w, &http.Cookie{Name: "sid", Value: r.URL.Query().Get("n")})
			return
		}
		bought.Add(1)
		if c, err := r.Cookie("sid"); err != nil || "/buy/"+c.Value != r.URL.Path {
			wrong.Add(1)
		}
	}))
	defer server.Close()
	buy := filepath.Join(dir, "buy.yaml")
	if err := os.WriteFile(buy, []byte("steps: [{url: \"/in?n={{session}}\"}, {url: "+
		"\"/buy/{{session}}\", think: 5ms}]"), 0o600); err != nil {
		t.Fatal(err)
	}
	x := filepath.Join(dir, "x")
	args := []string{"capacity", server.URL, "--session", buy, "--objective", "p50-response<1h",
		"--max-rate", "200", "--first-rate", "100", "--duration", "100ms", "--rest", "1ms",
		"--name", "here", "--quiet", "--force", "--out", x}
	o := clitest.Command(t, args...)
	// On a busy machine the search may report only that it cannot keep up.
	keptUp := o.Code != clitest.Undecided || !strings.Contains(o.Stdout, "cannot keep up")
	answer := "at 200 sessions/s, the highest rate allowed"
	if !keptUp {
		answer = "sessions a second: it is too slow"
	}
	for _, text := range []string{"here", answer, "100 sessions/s",
		"p50-response<1h applies to the requests of all 2 steps of a session."} {
		if !strings.Contains(strings.ReplaceAll(o.Stdout, "\n  ", " "), text) {
			t.Errorf("%q is not in %s", text, o.Stdout)
		}
	}
	if keptUp && o.Code != clitest.Fine {
		t.Errorf("exit code %d\n%s", o.Code, o.Stderr)
	}
	if begun.Load() < 10 || begun.Load() != bought.Load() || wrong.Load() > 0 {
		t.Errorf("%d sessions, %d second steps, %d wrong", begun.Load(), bought.Load(),
			wrong.Load())
	}
	var doc show.SearchDocument
	o = clitest.Command(t, append(args, "--format", "json")...)
	if err := json.Unmarshal([]byte(o.Stdout), &doc); err != nil || len(doc.Answers) != 1 ||
		!strings.Contains(doc.Answers[0].Name, "/session=buy/") {
		t.Errorf("%v: %s", err, o.Stdout)
	}
	if text := clitest.Read(t, filepath.Join(x, "results.txt")); !strings.Contains(text,
		" step2-step_2-p50-response-sec") {
		t.Error("results have no steps")
	}
	o = clitest.Succeed(t, append(args, "--dry-run")...)
	if !strings.Contains(o.Stdout, "; p50-response<1h applies to the requests of all steps\n") {
		t.Error(o.Stdout)
	}
}

func TestCapacitySaysHowLong(t *testing.T) {
	t.Chdir(t.TempDir())
	const defaults = "from 125 /s up to at most 1000 /s: 5 to 20 probes of 10s, "
	o := clitest.Succeed(t, "capacity", "http://h/", "--objective", "shed<1%", "--dry-run")
	if !strings.Contains(o.Stdout, defaults) {
		t.Error(o.Stdout)
	}
	url, _ := clitest.Shop(t, http.StatusNotFound)
	o = clitest.Command(t, "capacity", url, "--objective", "p50-response<1h", "--max-rate", "800",
		"--duration", "100ms", "--rest", "1ms", "--name", "shop", "--out", "r")
	if !strings.HasPrefix(o.Stderr, "shop: from 100 /s up to at most 800 /s: 5 to 20 probes of "+
		"100ms, 1 s to 2 s\n") {
		t.Error(o.Stderr)
	}
}
