package requests

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"

	"github.com/poolbench/poolbench/internal/cli/clitest"
)

func TestByURL(t *testing.T) {
	t.Chdir(t.TempDir())
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.URL.Path, "/broken") {
			w.WriteHeader(http.StatusInternalServerError)
		}
		_, _ = w.Write([]byte("hello"))
	}))
	defer server.Close()
	var targets strings.Builder
	for i := range 11 {
		fmt.Fprintf(&targets, "GET %s/%d?key=secret\n", server.URL, i)
	}
	fmt.Fprintf(&targets, "POST %s/broken/{{seq}}\n", server.URL)
	clitest.Write(t, "targets", targets.String())
	args := []string{"attack", "--targets", "targets", "--clients", "4", "--n", "960", "--quiet",
		"--force", "--out", "x"}
	o := clitest.Attacked(t, args...)
	_, table, _ := strings.Cut(o.Stdout, "  URL ")
	table, rest, _ := strings.Cut(table, "and 2 more")
	lines := strings.Split(table, "\n")
	if rest == "" || len(lines) != 12 || !strings.HasPrefix(lines[1], "  POST /broken/{{seq}}") ||
		!strings.HasSuffix(lines[1], "500 × 80") || strings.Contains(o.Stdout, "secret") {
		t.Errorf("the table of URLs is %d lines\n%s", len(lines), table)
	}
	if !regexp.MustCompile(`,(GET /\d+|POST /broken/\{\{seq\}\})\n`).MatchString(clitest.Read(t, "x/slowest.csv")) ||
		!strings.Contains(clitest.Read(t, "x/report.html"), "By URL") {
		t.Error("slowest.csv or the page has no URLs")
	}
	var doc struct {
		Runs []struct {
			URLs []struct {
				Name             string
				Requests, Failed int
				Received         int `json:"received_bytes"`
			} `json:"by_url"`
		}
	}
	o = clitest.Attacked(t, append(args, "--format", "json")...)
	if err := json.Unmarshal([]byte(o.Stdout), &doc); err != nil || len(doc.Runs[0].URLs) != 12 {
		t.Fatalf("%v, %+v", err, doc)
	}
	for _, u := range doc.Runs[0].URLs {
		failed := 0
		if strings.HasPrefix(u.Name, "POST") {
			failed = 80
		}
		if u.Requests != 80 || u.Failed != failed || u.Received != 400 {
			t.Errorf("%+v", u)
		}
	}
	for objective, code := range map[string]int{"p95[GET *]<1h": clitest.Fine,
		"p95[*]<1h": clitest.Regression, "failed[POST /broken/*]<50%": clitest.Regression,
		"completed-p95[POST *]<1h": clitest.Undecided, "p95[PUT *]<1h": clitest.Unusable} {
		o := clitest.Command(t, append(args, "--objective", objective)...)
		if o.Code != code {
			t.Errorf("%s: exit code %d, want %d\n%s%s", objective, o.Code, code, o.Stdout, o.Stderr)
		}
	}
}
