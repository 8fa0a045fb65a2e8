package requests

import (
	"encoding/pem"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/poolbench/poolbench/internal/cli/clitest"
)

type recordingServer struct {
	*httptest.Server
	mu    sync.Mutex
	lines []string
}

func startRecordingServer(
	t *testing.T, line func(r *http.Request) string, secure bool,
) *recordingServer {
	t.Helper()
	s := &recordingServer{}
	s.Server = httptest.NewUnstartedServer(http.HandlerFunc(
		func(w http.ResponseWriter, r *http.Request) {
			s.mu.Lock()
			defer s.mu.Unlock()
			s.lines = append(s.lines, line(r))
		}))
	s.Config.Protocols = new(http.Protocols)
	s.Config.Protocols.SetHTTP1(true)
	s.Config.Protocols.SetHTTP2(true)
	s.Config.Protocols.SetUnencryptedHTTP2(true)
	if s.EnableHTTP2 = true; secure {
		s.StartTLS()
	} else {
		s.Start()
	}
	t.Cleanup(s.Close)
	return s
}

// got returns the lines since the last call, sorted.
func (s *recordingServer) got() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	lines := slices.Sorted(slices.Values(s.lines))
	s.lines = nil
	return lines
}

// --http1.1 and --http2 must have the same meaning with and without TLS.
func TestHTTPFlags(t *testing.T) {
	t.Chdir(t.TempDir())
	proto := func(r *http.Request) string { return r.Proto }
	plain, secure := startRecordingServer(t, proto, false), startRecordingServer(t, proto, true)
	clitest.Write(t, "ca.pem", string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE",
		Bytes: secure.Certificate().Raw})))
	for _, c := range []struct {
		to         *recordingServer
		flag, want string
	}{{secure, "--http1.1", "HTTP/1.1"}, {secure, "--http2", "HTTP/2.0"},
		{plain, "--http2", "HTTP/2.0"}} {
		clitest.Attacked(t, "attack", c.to.URL, "--ca", "ca.pem", "--n", "1", c.flag, "--quiet",
			"--force", "--out", "d")
		if got := c.to.got(); !slices.Equal(got, []string{c.want}) {
			t.Errorf("%s to %s: %q, want %q", c.flag, c.to.URL, got, c.want)
		}
	}
}

func TestForm(t *testing.T) {
	t.Chdir(t.TempDir())
	clitest.Write(t, "photo.png", "\x89PNG{}")
	clitest.Write(t, "u.csv", "name;age\nann;7\nbob;8\n")
	s := startRecordingServer(t, func(r *http.Request) string {
		text := r.Method
		parts, err := r.MultipartReader()
		if err != nil {
			return err.Error()
		}
		for {
			p, err := parts.NextPart()
			if err != nil {
				return text
			}
			content, _ := io.ReadAll(p)
			text += fmt.Sprintf(" %s %q %s %q", p.FormName(), p.FileName(),
				p.Header.Get("Content-Type"), content)
		}
	}, false)
	clitest.Attacked(t, "attack", s.URL, "--n", "2", "--quiet", "--out", "d", "-F",
		"user={{name}}, {{age}}", "-F", "photo=@photo.png", "-F", "raw=<photo.png;type=a/b",
		"-F", `as=@photo.png;filename=x.txt`, "--data", "u.csv", "--data-once")
	const files = ` photo "photo.png" image/png "\x89PNG{}" raw "" a/b "\x89PNG{}"` +
		` as "x.txt" text/plain "\x89PNG{}"`
	if got, want := s.got(), []string{`POST user ""  "ann, 7"` + files,
		`POST user ""  "bob, 8"` + files}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// Each row must be sent once, in both loops and by agents. The attack ends with the last row.
func TestDataOnce(t *testing.T) {
	t.Chdir(t.TempDir())
	s := startRecordingServer(t, func(r *http.Request) string { return r.URL.Path }, false)
	var rows strings.Builder
	var want []string
	for i := range 30 {
		fmt.Fprintf(&rows, "%02d\tx\n", i)
		want = append(want, fmt.Sprintf("/%02d", i))
	}
	clitest.Write(t, "u.tsv", "row\tother\n"+rows.String())
	clitest.Write(t, "s.yaml", "steps:\n- url: /{{row}}\n")
	for _, args := range []string{"--rate 2000", "--clients 3", "--clients 3 --duration 1m",
		"--rate 2000 --duration 1m", "--rate 2000 --agents 2", "--rate 2000 --session s.yaml"} {
		url := s.URL + "/{{row}}"
		if strings.Contains(args, "session") {
			url = s.URL
		}
		if testing.Short() && strings.Contains(args, "agents") {
			continue
		}
		o := clitest.Attacked(t, append([]string{"attack", url, "--data", "u.tsv", "--data-once",
			"--quiet", "--force", "--out", "d"}, strings.Fields(args)...)...)
		if got := s.got(); !slices.Equal(got, want) {
			t.Errorf("%s: %q", args, got)
		}
		if !strings.Contains(args, "agents") &&
			!strings.Contains(o.Stdout, ": all 30 rows of data used once, ") {
			t.Errorf("%s: %s", args, o.Stdout)
		}
	}
	clitest.Attacked(t, "attack", s.URL+"/{{row}}", "--data", "u.tsv", "--data-once", "--n", "3",
		"--rate", "2000", "--quiet", "--force", "--out", "d")
	if got := s.got(); !slices.Equal(got, want[:3]) {
		t.Errorf("%q", got)
	}
}

func TestVariables(t *testing.T) {
	t.Chdir(t.TempDir())
	s := startRecordingServer(t, func(r *http.Request) string {
		body, _ := io.ReadAll(r.Body)
		return r.Method + " " + r.URL.Path + " " + r.Header.Get("X-A") + " " + string(body)
	}, false)
	t.Setenv("PB_BASE", s.URL)
	t.Setenv("PB_TENANT", "tenant-geheimnis")
	t.Setenv("PB_SECRET", `ge"heimnis`)
	clitest.Write(t, "t.http", "GET ${PB_BASE}/${PB_TENANT}/a\nX-A: ${PB_SECRET}\n\n"+
		"GET ${PB_BASE}/$${PB_TENANT}\n")
	clitest.Write(t, "t.json", `{"method":"GET","url":"${PB_BASE}/${PB_TENANT}","header":`+
		`{"X-A":["${PB_SECRET}"]}}`+"\n")
	clitest.Write(t, "t.sh", `curl "$PB_BASE/${PB_TENANT}" -H "X-A: $PB_SECRET" -d '${PB_SECRET}'`)
	clitest.Write(t, "s.yaml", "steps:\n- {url: '/${PB_TENANT}', headers: {X-A: '${PB_SECRET}'}, "+
		"method: PUT, body: '<${PB_SECRET}>', check: body contains x}\n")
	for args, want := range map[string][]string{
		"--targets t.http": {`GET /${PB_TENANT}  `, `GET /tenant-geheimnis/a ge"heimnis `},
		"--targets t.json --targets-format json --format json": {`GET /tenant-geheimnis ge"heimnis `,
			`GET /tenant-geheimnis ge"heimnis `},
		"--curl t.sh": {`POST /tenant-geheimnis ge"heimnis ${PB_SECRET}`,
			`POST /tenant-geheimnis ge"heimnis ${PB_SECRET}`},
		"--session s.yaml URL": {`PUT /tenant-geheimnis ge"heimnis <ge"heimnis>`,
			`PUT /tenant-geheimnis ge"heimnis <ge"heimnis>`},
	} {
		args = strings.Replace(args, "URL", s.URL, 1)
		o := clitest.Command(t, append([]string{"attack", "--n", "2", "--rate", "500", "--force",
			"--out", "d"}, strings.Fields(args)...)...)
		if got := s.got(); !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", args, got, want)
		}
		dry := clitest.Command(t, append([]string{"attack", "--dry-run"}, strings.Fields(args)...)...)
		if dry.Code != clitest.Fine || len(s.got()) > 0 {
			t.Errorf("%s: a dry run ends with %d: %s", args, dry.Code, dry.Stderr)
		}
		shown := o.Stdout + o.Stderr + dry.Stdout + dry.Stderr + clitest.Read(t, "d/results.txt") +
			clitest.Read(t, "d/report.html")
		if strings.Contains(shown, "heimnis") {
			t.Errorf("%s: a value is shown", args)
		}
	}
}

func TestDryRun(t *testing.T) {
	t.Chdir(t.TempDir())
	clitest.Write(t, "u.csv", "user,token\nann,geheim1\nbob,geheim2\n")
	clitest.Write(t, "s.yaml", "steps:\n- {name: in, url: /login, method: POST, body: a=1, "+
		"capture: t = json:.t}\n- {name: look, url: '/{{t}}', headers: {Accept: 'a/b'}}\n")
	for args, want := range map[string]string{
		"http://h/{{user}}?q=1|-m|POST|-b|{\"n\": {{seq}}, \"t\": \"{{token}}\"}|--data|u.csv|" +
			"-H|Authorization: {{token}}|-H|Accept: a/b|--n|2": `
request 0:
  POST http://h/ann?q=…
  Host: h
  User-Agent: Go-http-client/1.1
  Content-Length: 24
  Accept: a/b
  Authorization: …

  {"n": 0, "t": "…"}

request 1:
  POST http://h/bob?q=…
  Host: h
  User-Agent: Go-http-client/1.1
  Content-Length: 24
  Accept: a/b
  Authorization: …

  {"n": 1, "t": "…"}
`,
		"http://h|--session|s.yaml": `
step in:
  POST http://h/login
  Host: h
  User-Agent: Go-http-client/1.1
  Content-Length: 3

  a=1

step look:
  GET http://h/MASKED
  Host: h
  User-Agent: Go-http-client/1.1
  Accept: a/b
`,
		"grpc://h/a.B/C|-b|{}|-H|Token: x": `
request 0:
  POST grpc://h/a.B/C
  token: …

  {}
`,
	} {
		o := clitest.Succeed(t, append([]string{"attack", "--dry-run"}, strings.Split(args, "|")...)...)
		if _, got, _ := strings.Cut(o.Stdout, "\n"); got != want {
			t.Errorf("%s:\n%s\nwant\n%s", args, got, want)
		}
	}
}
