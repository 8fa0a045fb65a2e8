package manual

import (
	"crypto/x509"
	"encoding/pem"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
)

// testers are load testers, installed by .ci/testers.
var testers = []string{"wrk", "hey", "h2load"}

// byTime matches the option for the duration of a test.
var byTime = regexp.MustCompile(` -(d|z) ?\d+s`)

// pair matches the other tool's command and the poolbench command in docs/coming-from.md.
var pair = regexp.MustCompile("(?m)^\\| `(.*)` \\| `(poolbench attack .*)` \\|$")

// Both commands of a row must send the same number of requests.
func TestComingFrom(t *testing.T) {
	if testing.Short() {
		t.Skip("long: skipped with -short")
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	var asked atomic.Int64
	counting := http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked.Add(1) })
	secure := httptest.NewUnstartedServer(counting)
	secure.EnableHTTP2 = true
	secure.StartTLS()
	defer secure.Close()
	listens := httptest.NewUnstartedServer(counting)
	listens.Config.Protocols = new(http.Protocols)
	listens.Config.Protocols.SetHTTP1(true)
	listens.Config.Protocols.SetUnencryptedHTTP2(true)
	listens.Start()
	defer listens.Close()
	dir := t.TempDir()
	if err := os.Symlink(self, filepath.Join(dir, "poolbench")); err != nil {
		t.Fatal(err)
	}
	here := strings.TrimPrefix(listens.URL, "http://")
	if err := os.WriteFile(filepath.Join(dir, "targets.txt"), []byte("GET "+listens.URL+"/\n"),
		0o666); err != nil {
		t.Fatal(err)
	}
	writeCertificates(t, dir, secure)
	for name, text := range map[string]string{"photo.png": "png", "users.csv": "name\nann\nbob\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	_, securePort, err := net.SplitHostPort(secure.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	requests := func(t *testing.T, line string) int64 {
		asked.Store(0)
		shorter := strings.NewReplacer(server, here, "10s", "1s", "8443", securePort,
			`\|`, "|")
		cmd := exec.Command("sh", "-c", shorter.Replace(line))
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), asCommand+"=1",
			"PATH="+dir+string(os.PathListSeparator)+os.Getenv("PATH"))
		said, err := cmd.CombinedOutput()
		if code := cmd.ProcessState.ExitCode(); code != 0 && code != 3 { // 3 means a busy machine
			t.Fatalf("%s: %v\n%s", line, err, said)
		}
		return asked.Load()
	}
	ran := map[string]bool{} // poolbench commands
	for _, row := range pair.FindAllStringSubmatch(
		read(t, filepath.Join(checkout, "docs/coming-from.md")), -1) {
		theirs, ours := row[1], row[2]
		if strings.Contains(ours, " grpc") {
			// needs a gRPC server; tested by the blocks of the page
			continue
		}
		name := strings.Fields(theirs)[0]
		if ran[ours] && !slices.Contains(testers, name) {
			continue
		}
		ran[ours] = true
		t.Run(theirs, func(t *testing.T) {
			n := requests(t, ours+" --quiet --force --out out")
			if n == 0 {
				t.Fatalf("%s: no request came", ours)
			}
			if !slices.Contains(testers, name) {
				return
			}
			if _, err := exec.LookPath(name); err != nil {
				t.Skip(name, "is not installed")
			}
			if they := requests(t, theirs); they == 0 || they != n && !byTime.MatchString(theirs) {
				t.Errorf("%s sends %d requests, %s %d", theirs, they, ours, n)
			}
		})
	}
}

// writeCertificates writes the server's certificate as the certificate of the CA and of the client.
func writeCertificates(t *testing.T, dir string, secure *httptest.Server) {
	t.Helper()
	key, err := x509.MarshalPKCS8PrivateKey(secure.TLS.Certificates[0].PrivateKey)
	if err != nil {
		t.Fatal(err)
	}
	cert := &pem.Block{Type: "CERTIFICATE", Bytes: secure.Certificate().Raw}
	for name, block := range map[string]*pem.Block{"ca.pem": cert, "client.pem": cert,
		"client.key": {Type: "PRIVATE KEY", Bytes: key}} {
		text := pem.EncodeToMemory(block)
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
}
