package requests_test

import (
	"fmt"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/poolbench/poolbench/internal/cli/clitest"
)

// All protocols and options must send the same sessions. Values extracted from responses must not
// appear in any file.
func TestSessions(t *testing.T) {
	whole := !testing.Short()
	t.Chdir(t.TempDir())
	var mu sync.Mutex
	seen := map[string]int{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		cookie := ""
		if c, err := r.Cookie("sid"); err == nil {
			cookie = c.Value
		}
		mu.Lock()
		seen[fmt.Sprint(r.URL.RequestURI(), " ", r.Header.Get("X-Of"), " ", cookie)]++
		mu.Unlock()
		switch n := r.URL.Query().Get("n"); {
		case r.URL.Path == "/in":
			http.SetCookie(w, &http.Cookie{Name: "sid", Value: "zq7-cookie" + n})
			fmt.Fprintf(w, `{"v": "zq8-token%s"}`, n)
		case n == "1":
			w.WriteHeader(http.StatusInternalServerError)
			fmt.Fprintf(w, "zq8-token1 and zq7-cookie1 are not fine")
		}
	}))
	defer server.Close()
	clitest.Write(t, "shop.yaml", "steps:\n- name: enter\n  url: /in?n={{session}}&u={{u}}\n"+
		"  capture: v = json:.v\n- name: look\n  url: /look/{{v}}?n={{session}}\n  think: exp(5ms)\n"+
		"- name: leave\n  url: /leave\n  check: size == 0\n")
	clitest.Write(t, "u.csv", "u\nann\nbob\n")
	clitest.Write(t, "flags.yaml", "- url: "+server.URL+"\n  session: shop.yaml\n  data: u.csv\n"+
		"  header: [\"X-Of: me\"]\n")
	want := map[string]int{}
	for n := range 4 {
		want[fmt.Sprintf("/in?n=%d&u=%s me ", n, []string{"ann", "bob"}[n%2])] = 1
		want[fmt.Sprintf("/look/zq8-token%d?n=%[1]d me zq7-cookie%[1]d", n)] = 1
		if n != 1 {
			want[fmt.Sprintf("/leave me zq7-cookie%d", n)] = 1
		}
	}
	for name, args := range map[string][]string{
		"open": {server.URL, "--session", "shop.yaml", "--data", "u.csv", "--header", "X-Of: me"},
		"file": {"--file", "flags.yaml", "--format", "json"},
		"strategy": {"--file", "flags.yaml", "--strategy", "semaphore", "--limit", "2",
			"--stop-if", "failed > 90% for 10s"},
		"clients": {"--file", "flags.yaml", "--clients", "2"},
		"soak":    {"--file", "flags.yaml", "--soak"},
		"h2c":     {"--file", "flags.yaml", "--h2c"},
		"agents":  {"--file", "flags.yaml", "--agents", "2"},
	} {
		if name == "h2c" {
			continue // this server has only HTTP/1.1; package attack tests the other protocols
		}
		if name == "agents" && !whole {
			continue
		}
		clear(seen)
		args = append([]string{"attack"}, args...)
		args = append(args, "--n", "4", "--out", name)
		if name != "clients" {
			args = append(args, "--rate", "100")
		}
		if o := clitest.Command(t, append(args, "--dry-run")...); o.Code != clitest.Fine ||
			len(seen) > 0 || !strings.Contains(o.Stdout, "/session=shop") {
			t.Errorf("%s: a dry run ends with %d and has sent %v: %s", name, o.Code, seen, o.Stdout)
		}
		o := clitest.Attacked(t, args...)
		if fmt.Sprint(seen) != fmt.Sprint(want) {
			t.Errorf("%s: the server has %v, want %v", name, seen, want)
		}
		for _, text := range []string{"enter", "look", "leave", "session"} {
			if !strings.Contains(o.Stdout, text) {
				t.Errorf("%s: %s is not in %s", name, text, o.Stdout)
			}
		}
		if text := "25.0 % of sessions failed"; !strings.HasPrefix(o.Stdout, "{") &&
			!strings.Contains(o.Stdout, text) {
			t.Errorf("%s: %q is not in %s", name, text, o.Stdout)
		}
		results := clitest.Read(t, filepath.Join(name, "results.txt"))
		for _, text := range []string{" 4 session-count", " 0.25 session-failed/op",
			" 0.25 step2-look-failed/op", " 0.25 step3-leave-unsent/op", " 3 step3-leave-count",
			"Unit step2-look-failed/op better=lower"} {
			if !strings.Contains(results, text) {
				t.Errorf("%s: %q is not in %s", name, text, results)
			}
		}
		if secret(o.Stdout + o.Stderr) {
			t.Errorf("%s: a secret is shown: %s%s", name, o.Stdout, o.Stderr)
		}
	}
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && secret(clitest.Read(t, path)) {
			t.Errorf("%s holds a secret", path)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

// secret reports whether a text contains a value that sessions have extracted.
func secret(text string) bool {
	return strings.Contains(text, "zq7-cookie") || strings.Contains(text, "zq8-token")
}

func TestSessionMistakes(t *testing.T) {
	t.Chdir(t.TempDir())
	clitest.Write(t, "u.csv", "user,session\nann,1\n")
	clitest.Write(t, "dots.csv", "user\nann\n..\n")
	for i, c := range []struct{ file, args, want string }{
		{"steps:\n- url: /\n  think: soon", "", "--session: s.yaml:3:10: think: want a distribution"},
		{"steps:\n- url: /\n  url2: /", "http://h", `--session: s.yaml:3:3: unknown key "url2"`},
		{"steps:\n- url: /", "", "--session: s.yaml: step step_1: its url / has no host: write one"},
		{"steps:\n- url: http://h/", "http://x", "--session: s.yaml: no url of a step begins with"},
		{"steps:\n- url: /\n- url: /{{tok}}", "http://h", "--session: s.yaml:3:6: step step_2: URL:1: " +
			`function "tok" not defined`},
		{"steps:\n- url: /{{t}}\n  capture: t = json:.t", "http://h", "--session: s.yaml:2:6: step " +
			`step_1: URL:1: function "t" not defined`},
		{"steps:\n- url: /\n- url: http://{{seq}}/", "http://h", "--session: s.yaml:3:6: step " +
			"step_2: URL:1: scheme and host must be the same"},
		{"steps:\n- url: /\n  think: 1s", "http://h", "session s: think: the first step is due " +
			"with its session"},
		{"steps:\n- url: /{{user}}", "http://h|--data|u.csv", "column session has the name of a value"},
		{"steps:\n- url: /{{user}}/", "http://h|--data|dots.csv", "--data: dots.csv:3: URL: a " +
			"filled-in"},
		{"steps:\n- url: /\n  headers: {\"a b\": c}", "http://h", `step step_1: header "a b" is not`},
		{"steps:\n- url: /", "http://h|--targets|t", "--session and --targets exclude each other"},
		{"steps:\n- url: /\n- url: /a", "http://h|--clients|2|--n|200|--objective|" +
			"step1-step_1-p99-response<1s", "needs at least 368 sessions, and " +
			"only 200 are planned: give n 368"},
		{"steps:\n- url: /", "http://h|--curl|t", "--session and --curl exclude each other"},
		{"steps:\n- url: /", "http://h|--method|PUT", "--session and --method exclude each other"},
		{"steps:\n- url: /", "http://h|--body|t", "--session and --body exclude each other"},
		{"steps:\n- url: /", "http://h|--soak|--resume|--out|d", "--resume and --session exclude " +
			"each other: running sessions are lost"},
		{"steps:\n- url: /", "http://h|--soak|--clients|3", "soak: want an open loop without " +
			"stages"},
		{"steps:\n- url: grpc://h:1/a.B/C", "", "session: gRPC has no sessions; want http or https"},
		{"steps:\n- url: /", "http://h|--n|4000000000", "--n"},
	} {
		clitest.Write(t, "s.yaml", c.file)
		args := []string{"attack", "--session", "s.yaml"}
		if c.args != "" {
			args = append(args, strings.Split(c.args, "|")...)
		}
		o := clitest.Command(t, args...)
		if o.Code != clitest.Unusable || !strings.Contains(o.Stderr, c.want) ||
			strings.Count(o.Stderr, "\n") != 1 {
			t.Errorf("%d, %s of %q: exit code %d, %s, want %q", i, args, c.file, o.Code, o.Stderr,
				c.want)
		}
	}
	clitest.Write(t, "s.yaml", "steps: [{url: /}]")
	clitest.Write(t, "slow.yaml", "steps: [{url: /}, {url: /, think: exp(3s)}, {url: /, think: 1s}]")
	for args, want := range map[string]string{
		"gateway none --session s.yaml": "unknown flag --session ",
		"capacity --session s.yaml --objective failed<1%": "--session: s.yaml: step step_1: its url / " +
			"has no host",
		"capacity http://h --session slow.yaml --objective failed<1%": "sessions think for 4s on " +
			"average, and a probe must be ten times as long for its load to match its " +
			"rate: give --duration 40s",
		"capacity http://h --session s.yaml --objective failed<1% --soak": "unknown flag --soak ",
	} {
		if o := clitest.Command(t, strings.Fields(args)...); o.Code != clitest.Unusable ||
			!strings.Contains(o.Stderr, want) || strings.Count(o.Stderr, "\n") != 1 {
			t.Errorf("%s: exit code %d, %s", args, o.Code, o.Stderr)
		}
	}
	if _, err := os.Stat("poolbench-out"); err == nil {
		t.Error("something is left behind")
	}
}
