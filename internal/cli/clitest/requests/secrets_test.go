package requests

import (
	"bufio"
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html"
	"io"
	"io/fs"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/quic-go/quic-go/http3"

	"github.com/poolbench/poolbench/internal/cli/clitest"
	"github.com/poolbench/poolbench/internal/rundir"
)

// planted contains a credential for each place in a request. Some contain characters that are
// escaped.
var planted = map[string]string{
	"user": "pl01-user", "password": "pl02-pass/w:rd", "header": "pl03-bearer", "api": "pl04-key",
	"odd header": "pl05 odd&header", "cookie": "pl06-cookie", "other cookie": "pl07-theme",
	"amz": "pl08/amz+sig==", "goog": "pl09-goog", "sig": "pl10-sig", "code": "pl11-code",
	"otp": "pl12-otp", "saml": "pl13<saml>", "jwt": "pl14.jwt.x", "pin": "pl15-pin",
	"next": "http://h/?ticket=pl16-ticket", "bare": "pl17-bare", "fragment": "pl18-fragment",
	"json": "pl19-json\"é", "nested": "pl20-nested", "number": "2121212121",
	"form": "pl22 form&%", "xml": "pl23-xml-assertion", "row": "pl24-row/1", "column": "pl25-col",
	"DSN": "pl26-dsn", "server": "pl27-server", "proxy": "pl28-proxy", "environment": "pl29-env",
	"redirect": "pl30-location", "captured": "pl31-captured", "set cookie": "pl32-set",
	"operand": "pl33-operand", "line": "pl34-line",
}

// encodedForms returns the forms in which a credential may appear in an output.
func encodedForms(secret string) []string {
	quoted, _ := json.Marshal(secret)
	encoded := base64.StdEncoding.EncodeToString([]byte(secret))
	return []string{secret, url.QueryEscape(secret), url.PathEscape(secret),
		strings.ToLower(url.QueryEscape(secret)), url.QueryEscape(url.QueryEscape(secret)),
		string(quoted[1 : len(quoted)-1]), html.EscapeString(secret), encoded[:len(encoded)-4]}
}

func credentialsIn(text []byte) (all []string) {
	for of, secret := range planted {
		for _, as := range encodedForms(secret) {
			if bytes.Contains(text, []byte(as)) {
				at := bytes.Index(text, []byte(as))
				all = append(all, fmt.Sprintf("%s: %q", of, text[max(at-80, 0):at+len(as)]))
				break
			}
		}
	}
	return all
}

func echo(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	user, password, _ := r.BasicAuth()
	said := []string{r.RequestURI, r.URL.Path, user, password, string(body)}
	for _, values := range r.URL.Query() {
		said = append(said, values...)
	}
	for name, values := range r.Header {
		said = append(said, name+": "+strings.Join(values, ", "))
	}
	for _, c := range r.Cookies() {
		said = append(said, c.Value)
	}
	var fields map[string]any
	if json.Unmarshal(body, &fields) == nil {
		said = append(said, fmt.Sprint(fields))
	} else if form, err := url.ParseQuery(string(body)); err == nil {
		said = append(said, fmt.Sprint(form))
	}
	w.Header().Set("Content-Type", "text/plain; echo="+url.QueryEscape(r.URL.Query().Get("code")))
	http.SetCookie(w, &http.Cookie{Name: "s", Value: planted["set cookie"]})
	w.WriteHeader(500)
	var b strings.Builder
	for _, s := range said { // each within the recorded beginning of the body
		quoted, _ := json.Marshal(s)
		fmt.Fprintf(&b, "%s\n%s\n%s\n%s\n", s, quoted, html.EscapeString(s), url.QueryEscape(s))
	}
	text := b.String()
	if at := len(body) + len(r.RequestURI); r.Header.Get("X-Part") != "" {
		text = text[min(at, len(text)):]
	}
	_, _ = io.WriteString(w, text)
}

type leak struct {
	plain, secure, quic, garbled, closed string
	inputs                               string
}

func newLeak(t *testing.T) *leak {
	mux := http.NewServeMux()
	mux.HandleFunc("/", echo)
	mux.HandleFunc("/busy", func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(http.StatusServiceUnavailable)
	})
	mux.HandleFunc("/login", func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintf(w, `{"id":%q}`, planted["captured"])
	})
	elsewhere := httptest.NewServer(http.HandlerFunc(echo))
	t.Cleanup(elsewhere.Close)
	mux.HandleFunc("/away", func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, elsewhere.URL+"/?to="+planted["redirect"]+"&from="+
			url.QueryEscape(r.URL.RawQuery), http.StatusTemporaryRedirect)
	})
	mux.HandleFunc("/nowhere", func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "http://127.0.0.1:1/?to="+planted["redirect"], http.StatusFound)
	})
	mux.HandleFunc("/malformed", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Location", "http://[::1/?"+r.URL.RawQuery+"&to="+planted["redirect"])
		w.WriteHeader(http.StatusFound)
	})
	plain := httptest.NewServer(mux)
	t.Cleanup(plain.Close)
	secure := httptest.NewUnstartedServer(mux)
	secure.EnableHTTP2 = true
	secure.StartTLS()
	t.Cleanup(secure.Close)
	socket, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	quic := &http3.Server{TLSConfig: http3.ConfigureTLSConfig(secure.TLS.Clone()), Handler: mux}
	var serving sync.WaitGroup
	serving.Go(func() { _ = quic.Serve(socket) })
	t.Cleanup(func() {
		_ = quic.Close()
		_ = socket.Close()
		serving.Wait()
	})
	l := &leak{plain: plain.URL, secure: secure.URL, quic: "https://" + socket.LocalAddr().String(),
		garbled: garbled(t), closed: "http://127.0.0.1:1", inputs: t.TempDir()}
	l.write(t)
	return l
}

// garbled starts a server whose invalid answers quote the request.
func garbled(t *testing.T) string {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var serving sync.WaitGroup
	serving.Go(func() {
		for n := 0; ; n++ {
			c, err := listener.Accept()
			if err != nil {
				return
			}
			b := make([]byte, 16<<10)
			k, _ := c.Read(b)
			_, line, _ := strings.Cut(string(b[:k]), "?")
			line, _, _ = strings.Cut(line, " ")
			text := []string{"HTTP/1.1 " + line + "\r\n\r\n", line + "\r\n\r\n",
				"HTTP/1.1 200 OK\r\n" + line + "\r\n\r\n",
				"HTTP/1.1 200 OK\r\nTransfer-Encoding: " + line + "\r\n\r\n"}[n%4]
			_, _ = io.WriteString(c, text)
			_ = c.Close()
		}
	})
	t.Cleanup(func() { _ = listener.Close(); serving.Wait() })
	return "http://" + listener.Addr().String()
}

func query() string {
	q := url.Values{}
	for name, of := range map[string]string{"X-Amz-Signature": "amz", "X-Goog-Signature": "goog",
		"sig": "sig", "code": "code", "otp": "otp", "SAMLResponse": "saml", "jwt": "jwt",
		"pin": "pin", "next": "next"} {
		q.Set(name, planted[of])
	}
	return "?" + q.Encode() + "&" + planted["bare"] + "#access_token=" + planted["fragment"]
}

func withCredentials(base, path string) string {
	scheme, host, _ := strings.Cut(base, "://")
	user := url.UserPassword(planted["user"], planted["password"])
	return scheme + "://" + user.String() + "@" + host + path + query()
}

func (l *leak) write(t *testing.T) {
	address := withCredentials(l.plain, "/")
	body := fmt.Sprintf(`{"assertion":%q,"a":[{"nested":%q}],"pan":%s}`, planted["json"],
		planted["nested"], planted["number"])
	headers := []string{"Authorization: Bearer " + planted["header"], "X-Api-Key: " + planted["api"],
		"X-Odd: " + planted["odd header"],
		"Cookie: sid=" + planted["cookie"] + "; theme=" + planted["other cookie"]}
	quoted, _ := json.Marshal(body)
	for name, text := range map[string]string{
		"body.json": body,
		"body.form": "a=1&b=" + url.QueryEscape(planted["form"]),
		"body.xml":  "<a><Assertion>" + planted["xml"] + "</Assertion></a>",
		"t.http":    "GET " + address + "\n" + strings.Join(headers, "\n") + "\n@body.json\n",
		"bad1.http": "GET " + address + "\nAuthorization Bearer " + planted["line"] + "\n",
		"bad2.http": "GET\t" + planted["line"] + "\n",
		"bad3.http": "GET http://h:x/?" + planted["line"] + "\n",
		"bad4.http": "get http://h/?" + planted["line"] + "\n",
		"t.json": fmt.Sprintf(`{"method":"POST","url":%q,"header":{"X-Api-Key":[%q]},"body":%q}`,
			address, planted["api"], base64.StdEncoding.EncodeToString([]byte(body))) + "\n",
		"bad.json": `{"method":"GET","url":"http://h/?` + planted["line"] + "\"\n",
		"t.har": fmt.Sprintf(`{"log":{"entries":[{"request":{"method":"POST","url":%q,"headers":[`+
			`{"name":"X-Api-Key","value":%q}],"postData":{"mimeType":"application/json","text":%s}`+
			`}}]}}`, address, planted["api"], quoted),
		"bad.har": `{"log":{"entries":[{"request":{"url":"http://h/?` + planted["line"] + `"}}]}}`,
		"t.curl": "curl '" + address + "' -H 'X-Api-Key: " + planted["api"] +
			"' -d 'b=" + url.QueryEscape(planted["form"]) +
			"' -u u:" + planted["line"] + "\n",
		"bad.curl":  "curl 'http://h/?" + planted["line"] + "' -H " + planted["line"] + " --unknown=" + planted["line"] + "\n",
		"bad2.curl": "curl http://" + planted["line"] + ":x@h:99999/\n",
		"u.csv":     "row,col\n" + planted["row"] + "," + planted["column"] + "\n",
		"bad.csv":   "row\n" + planted["line"] + ",x\n",
		"bad.jsonl": `{"row":"` + planted["line"] + "\n",
		"s.yaml": "steps:\n- {name: in, url: '/login" + strings.ReplaceAll(query(), "'", "%27") +
			"', capture: t = json:.id}\n" +
			"- {name: look, url: '/?t={{t}}&r={{row}}', header: ['X-T: {{t}}'], check: status == 200}\n",
		"bad.yaml":  "steps:\n- {name: in, url: 'http://h:x/?" + planted["line"] + "'}\n",
		"flags.yml": "- url: " + address + "\n  header: ['Authorization " + planted["line"] + "']\n",
	} {
		clitest.Write(t, filepath.Join(l.inputs, name), text)
	}
}

func (l *leak) commands() [][]string {
	in := func(name string) string { return filepath.Join(l.inputs, name) }
	sent := []string{"--header", "Authorization: Bearer " + planted["header"], "--header",
		"X-Api-Key: " + planted["api"], "--header", "X-Odd: " + planted["odd header"], "--header",
		"Cookie: sid=" + planted["cookie"] + "; theme=" + planted["other cookie"]}
	short := []string{"--n", "4", "--rate", "200", "--check", "status == 200"}
	all := [][]string{}
	add := func(base, path string, more ...string) {
		args := append([]string{"attack", withCredentials(base, path)}, more...)
		all = append(all, append(args, append(short, sent...)...))
	}
	add(l.plain, "/")
	add(l.plain, "/", "--format", "json", "--junit", "j.xml", "--vegeta", "v.bin")
	add(l.plain, "/", "--dry-run")
	add(l.plain, "/", "--method", "POST", "--body", "@"+in("body.json"), "--header", "X-Part: 1")
	add(l.plain, "/", "--method", "POST", "--body", "@"+in("body.json"), "--header",
		"Content-Type: application/json")
	add(l.plain, "/", "--method", "POST", "--body", "@"+in("body.form"), "--header",
		"Content-Type: application/x-www-form-urlencoded")
	add(l.plain, "/", "--method", "POST", "--body", "@"+in("body.xml"))
	add(l.plain, "/", "--progress-json", "s.json", "--stop-if", "failed > 5% for 1s")
	add(l.plain, "/", "--live", "--clients", "2", "--rate", "0")
	add(l.plain, "/busy", "--strategy", "retry_queue:base=1ms,attempts=2", "--dead-letters", "d.json")
	add(l.plain, "/away", "--method", "POST", "--body", "@"+in("body.json"))
	add(l.plain, "/nowhere")
	add(l.plain, "/malformed")
	add(l.garbled, "/", "--vegeta", "v.bin")
	add(l.closed, "/")
	add(l.plain, "/", "--h2c")
	add(l.secure, "/", "--http2", "--insecure")
	add(l.secure, "/nowhere", "--http2", "--insecure")
	add(l.quic, "/", "--http3", "--insecure")
	add(l.quic, "/away", "--http3", "--insecure")
	add(l.plain, "/", "--agents", "2")
	add(l.plain, "/{{row}}", "--data", in("u.csv"), "--template")
	add(l.plain, "/", "--header", "X-Row: {{row}} {{column \"col\"}}", "--data", in("u.csv"))
	add(l.plain, "/", "--http2")
	add("http://h:99999", "/")
	add("htp://h", "/")
	add("http://h", "/%zz")
	add("grpc://127.0.0.1:1", "/a.B/C")
	add(strings.Replace(l.plain, "http", "grpc", 1), "/a.B/C")
	for _, from := range [][]string{
		{"--targets", in("t.http")}, {"--targets", in("bad1.http")}, {"--targets", in("bad2.http")},
		{"--targets", in("bad3.http")}, {"--targets", in("bad4.http")},
		{"--targets", in("t.json"), "--targets-format", "json"},
		{"--targets", in("bad.json"), "--targets-format", "json"},
		{"--targets", in("t.har"), "--targets-format", "har"},
		{"--targets", in("bad.har"), "--targets-format", "har"},
		{"--curl", in("t.curl")}, {"--curl", in("bad.curl")}, {"--curl", in("bad2.curl")},
		{"--curl", in("t.curl"), withCredentials(l.plain, "/")}, {"--targets", in("t.http"), withCredentials(l.plain, "/")},
		{"--session", in("s.yaml"), "--data", in("u.csv"), withCredentials(l.plain, "")},
		{"--session", in("s.yaml"), "--data", in("u.csv"), l.plain},
		{"--session", in("bad.yaml")},
		{"--data", in("bad.csv"), l.plain + "/{{row}}"},
		{"--data", in("bad.jsonl"), l.plain + "/{{row}}"},
		{"--header", "Authorization Bearer " + planted["line"], l.plain},
		{"--file", in("flags.yml")},
		{"--show-query", "none", withCredentials(l.plain, "/{{if}}")},
	} {
		all = append(all, append(append([]string{"attack"}, from...), short...))
	}
	dsn := "postgres://u:" + planted["DSN"] + "@127.0.0.1:1/x?sslmode=disable"
	server := plantedServer()
	return append(all,
		[]string{"capacity", withCredentials(l.plain, "/"), "--objective", "p99-response<5s", "--max-rate", "50",
			"--duration", "200ms", "--rest", "10ms", "--resolution", "0.5"},
		[]string{"capacity", withCredentials(l.plain, "/"), "--objective", "p99-response<5s", "--dry-run"},
		[]string{"capacity", withCredentials(l.closed, "/"), "--objective", "p99-response<5s"},
		[]string{"attack", withCredentials(l.plain, "/"), l.plain + "/?" + planted["operand"]},
		[]string{"attack", l.plain, "--rat", planted["operand"]},
		[]string{"run", "--workload", "sql_query:db=postgres", "--dsn", dsn, "--n", "10"},
		[]string{"run", "--workload", "sql_query:db=" + "sqlite", "--dsn", dsn, "--n", "10",
			"--strategy", "semaphore", "--clock", "real", "--rate", "500"},
		[]string{"run", "--strategy", "jetstream", "--server", "nats=" + server, "--n", "10"},
		[]string{"crash", "--strategy", "postgres_queue", "--server", "postgres=" + dsn, "--n", "10"},
		[]string{"attack", l.plain, "--agents", "2", "--nats", server, "--n", "10"},
	)
}

func plantedServer() string { return "nats://u:" + planted["server"] + "@127.0.0.1:1" }

// The servers return everything that they receive. Commands must neither show nor store any
// credential of their requests, files and environment.
func TestNoCredential(t *testing.T) {
	if testing.Short() {
		t.Skip("long: skipped with -short")
	}
	l := newLeak(t)
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "http://u:"+planted["environment"]+"@127.0.0.1:1/")
	t.Setenv("OTEL_EXPORTER_OTLP_HEADERS", "authorization="+planted["environment"])
	t.Setenv("OTEL_EXPORTER_OTLP_TIMEOUT", "100")
	kept := 0 // number of answers that contain names of masked credentials
	for i, args := range l.commands() {
		t.Run(strconv.Itoa(i), func(t *testing.T) {
			if strings.Contains(leakedCredentials(t, args), "Authorization: …") {
				kept++
			}
		})
	}
	if kept < 15 {
		t.Errorf("%d commands have kept an answer", kept)
	}
	t.Run("worker", func(t *testing.T) { // the worker waits for its server
		cmd, _ := clitest.IsolatedProcess(t, nil, "worker", "--nats", plantedServer())
		said, err := cmd.StderrPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		line, err := bufio.NewReader(said).ReadString('\n')
		if leaks := credentialsIn([]byte(line)); leaks != nil || !strings.Contains(line, "waiting for the server") {
			t.Errorf("%q in %q, error %v", leaks, line, err)
		}
		_ = cmd.Process.Kill() // the worker would wait forever
		_ = cmd.Wait()
	})
	t.Run("proxy", func(t *testing.T) {
		cmd, _ := clitest.IsolatedProcess(t, []string{"HTTP_PROXY=http://u:" + planted["proxy"] + "@127.0.0.1:1"},
			"attack", "http://example.invalid/"+query(), "--n", "3")
		said, _ := cmd.CombinedOutput()
		if leaks := credentialsIn(said); leaks != nil {
			t.Errorf("%q in\n%s", leaks, said)
		}
	})
}

func leakedCredentials(t *testing.T, args []string) (failures string) {
	room := t.TempDir()
	t.Chdir(room)
	clitest.Write(t, "body.json", "") // a target refers to this file
	o := clitest.Command(t, args...)
	if leaks := credentialsIn([]byte(o.Stdout + o.Stderr)); leaks != nil {
		t.Errorf("poolbench %q: %q in\n%s\n%s", args, leaks, o.Stdout, o.Stderr)
	}
	t.Logf("poolbench %q: exit %d\n%.600s\n%.600s", args, o.Code, o.Stdout, o.Stderr)
	err := filepath.WalkDir(room, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		text, err := os.ReadFile(path)
		if d.Name() == rundir.FailuresFile {
			failures = string(text)
		}
		leaks := append(credentialsIn(text), credentialsIn([]byte(filepath.Base(path)))...)
		if leaks != nil {
			t.Errorf("poolbench %q: %q in %s", args, leaks, path)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
	return failures
}
