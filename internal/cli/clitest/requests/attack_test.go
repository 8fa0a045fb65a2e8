package requests

import (
	"encoding/json"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/poolbench/poolbench/internal/cli/clitest"
)

func TestAttack(t *testing.T) {
	t.Chdir(t.TempDir())
	url, served := clitest.Shop(t, 404)
	o := clitest.Attacked(t, "attack", url+"/x", "--rate", "2000", "--n", "400", "--name", "shop", "--out",
		"a", "--quiet", "--vegeta", "v.bin")
	if served.Load() != 400 ||
		!strings.Contains(o.Stdout,
			"  shop: 33.2 % failed, status 200 × 267, status 404 × 133\n") ||
		!strings.HasPrefix(o.Stdout, "GET http://127.0.0.1:") ||
		!strings.Contains(o.Stdout, "\nshop: ") ||
		!strings.Contains(o.Stdout, " of 2000 /s completed") {
		t.Errorf("%d served\n%s", served.Load(), o.Stdout)
	}
	for line := range strings.Lines(o.Stdout) {
		if len([]rune(line)) > 81 {
			t.Errorf("more than 80 characters: %s", line)
		}
	}
	results := clitest.Read(t, "a/results.txt")
	if !strings.Contains(results,
		"BenchmarkAttack/target=shop/arrival=constant/rate=2000/n=400/clock=real 400 ") ||
		!strings.HasSuffix(results, "# complete 1 runs\n") {
		t.Error(results)
	}
	for file, want := range map[string]string{"a/distributions.hlog": "#0:response",
		"a/timeline.csv": "Attack/target=shop", "a/report.html": "<html", "v.bin": "GET"} {
		if !strings.Contains(clitest.Read(t, file), want) {
			t.Errorf("%s has no %q", file, want)
		}
	}
	hgrm, err := filepath.Glob("a/percentiles/shop-*.hgrm")
	if err != nil || len(hgrm) != 1 {
		t.Fatalf("%q, error %v", hgrm, err)
	}
	if text := clitest.Read(t, hgrm[0]); !strings.Contains(text, "#[Max     =") ||
		!strings.Contains(text, "Total count    =          267]") {
		t.Error(text)
	}
	clitest.Succeed(t, "compare", "a", "a")
	clitest.Attacked(t, "attack", url+"/y", "--rate", "2000", "--n", "400", "--name", "inn", "--out", "a",
		"--append", "--quiet")
	charts, err := filepath.Glob("a/charts/*.svg")
	if err != nil || len(charts) == 0 {
		t.Fatalf("%d charts, error %v", len(charts), err)
	}
	for _, path := range charts {
		chart := clitest.Read(t, path)
		shop, inn := strings.Contains(chart, "shop"), strings.Contains(chart, "inn")
		if name := filepath.Base(path); (strings.HasPrefix(name, "slowest-") ||
			strings.HasPrefix(name, "heat-")) && (shop || inn) {
			continue // the chart shows only the slower target of a load
		}
		if !shop || !inn {
			t.Errorf("%s has not both targets", path)
		}
	}
}

// Strategies must alternate in each repetition.
func TestAttackThrough(t *testing.T) {
	t.Chdir(t.TempDir())
	url, served := clitest.Shop(t, 500)
	o := clitest.Attacked(t, "attack", url, "--strategy", "semaphore,worker_pool", "--limit", "2",
		"--arrival", "poisson", "--rate", "2000", "--n", "30", "--count", "2", "--format",
		"json", "--quiet")
	var doc struct {
		Format   string
		Complete bool
		Runs     []struct {
			Name     string
			Seed     uint64
			Tasks    int
			Metrics  map[string]float64
			Statuses []struct {
				What string
				N    int
			}
		}
	}
	if err := json.Unmarshal([]byte(o.Stdout), &doc); err != nil {
		t.Fatal(err)
	}
	if doc.Format != "poolbench attack" || !doc.Complete || len(doc.Runs) != 4 ||
		served.Load() != 120 {
		t.Fatalf("%+v", doc)
	}
	for i, r := range doc.Runs {
		name := []string{"semaphore", "worker_pool"}[i%2]
		if r.Seed != uint64(1+i/2) || r.Tasks != 30 ||
			!strings.HasPrefix(r.Name, "Attack/strategy="+name+"/") || len(r.Statuses) != 2 ||
			r.Metrics["failed/op"] != 1./3 {
			t.Errorf("run %d: %+v", i, r)
		}
	}
}

func TestAttackSends(t *testing.T) {
	t.Chdir(t.TempDir())
	var seen atomic.Pointer[string]
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		text := r.Method + " " + r.URL.Path + " " + r.Header.Get("X-A") + " " + r.Host +
			" " + string(body)
		seen.Store(&text)
	}))
	defer server.Close()
	clitest.Write(t, "body", "hello")
	clitest.Write(t, "targets", "PUT "+server.URL+"/t\nX-A: c\n")
	for args, want := range map[string]string{
		"attack " + server.URL +
			"/p --method POST --header X-A:b --header Host:shop --body @body --clients 1 --n 1": "POST /p b shop hello",
		"attack " + server.URL +
			"/p --method POST --header X-A:b --header Host:shop --body @body --n 1": "POST /p b shop hello",
		"attack --targets targets --body @body --n 1 --strategy semaphore": "PUT /t c " +
			strings.TrimPrefix(server.URL, "http://") + " hello",
		"attack " + server.URL + "/p -m POST -H X-A:b -H Host:shop -b @body -c 1 -n 1": "POST " +
			"/p b shop hello",
		"attack " + server.URL + "/p -m PUT -H X-A:b -H Host:shop -b here -r 9 -n 1": "PUT /p b shop here",
	} {
		clitest.Attacked(t, append(strings.Fields(args), "--quiet")...)
		if got := *seen.Load(); got != want {
			t.Errorf("%s: %q, want %q", args, got, want)
		}
	}
}

func TestAttackNobody(t *testing.T) {
	t.Chdir(t.TempDir())
	server := httptest.NewServer(nil)
	server.Close()
	o := clitest.Command(t, "attack", server.URL, "--duration", "1h", "--rate", "1",
		"--quiet", "--out", "x")
	if o.Code != clitest.Unusable || strings.Count(o.Stderr, "\n") != 1 ||
		!strings.HasPrefix(o.Stderr, "poolbench: nobody answers: dial tcp 127.0.0.1:") {
		t.Errorf("exit code %d\n%s", o.Code, o.Stderr)
	}
	broken := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter,
		*http.Request) {
		panic(http.ErrAbortHandler)
	}))
	defer broken.Close()
	o = clitest.Command(t, "attack", broken.URL, "--n", "5", "--rate", "1000", "--quiet", "--out", "y")
	if o.Code != clitest.Unusable ||
		!strings.Contains(o.Stderr, "none of 5 requests was completed: EOF × 5") ||
		strings.Contains(o.Stdout, "\n\n\n") {
		t.Errorf("exit code %d\n%s%s", o.Code, o.Stdout, o.Stderr)
	}
	if results := clitest.Read(t, "y/results.txt"); !strings.Contains(results, " 1 failed/op") {
		t.Error(results)
	}
}

// Exit code 1 is that of a missed objective, also if no request is completed. Without a missed
// objective, or a server, there is no result.
func TestMissedWithoutCompletedRequests(t *testing.T) {
	t.Chdir(t.TempDir())
	gone := httptest.NewServer(nil)
	gone.Close()
	attack := func(address, objective string) int {
		args := []string{"attack", address, "--n", "5", "--rate", "1000", "--quiet", "--check",
			"status == 201"}
		if objective != "" {
			args = append(args, "--objective", objective)
		}
		return clitest.Command(t, args...).Code
	}
	for missed, answer := range map[string]http.HandlerFunc{
		"throttled<1%": func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(503) },
		"failed<1%":    func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) },
		"failed<=99%":  func(http.ResponseWriter, *http.Request) {},
	} {
		server := httptest.NewServer(answer)
		for objective, want := range map[string]int{missed: clitest.Regression,
			"": clitest.Unusable, "completed-p50-response<1s": clitest.Unusable} {
			if code := attack(server.URL, objective); code != want {
				t.Errorf("%q of %s: exit code %d, want %d", objective, missed, code, want)
			}
			if code := attack(gone.URL, objective); code != clitest.Unusable {
				t.Errorf("%q without a server: exit code %d", objective, code)
			}
		}
		server.Close()
	}
}

// The plan line for --resume may contain secrets of requests only as a hash.
func TestPlanHoldsNoSecret(t *testing.T) {
	t.Chdir(t.TempDir())
	url, _ := clitest.Shop(t, 200)
	clitest.Write(t, "body", "pin=1234")
	clitest.Write(t, "other", "pin=4321")
	clitest.Write(t, "longer", "pin=43210")
	host := strings.TrimPrefix(url, "http://")
	dirs := 0
	plan := func(args string) string {
		dirs++
		out := strconv.Itoa(dirs)
		clitest.Attacked(t, strings.Fields("attack --n 1 --quiet --soak --name shop "+args+" --out "+out)...)
		for line := range strings.Lines(clitest.Read(t, out+"/results.txt")) {
			if strings.HasPrefix(line, "# plan ") {
				return line
			}
		}
		t.Fatalf("%s: no plan", args)
		return ""
	}
	want := plan("http://a:1234@" + host + "/x?key=1234 --header X-Key:1234 --body @body")
	for args, same := range map[string]bool{
		"http://b:4321@" + host + "/x?key=4321 --header X-Key:4321 --body @other":   true,
		url + "/x?k=1 --header X-Key:1 --header authorization:Basic --body @other":  true,
		url + "/x --header X-Key:1234 --body @body":                                 false,
		"http://a:1234@" + host + "/x?key=1234 --body @body":                        false,
		"http://a:1234@" + host + "/x?key=1234 --header X-Key:1234 --body @longer":  false,
		"http://a:1234@" + host + "/y?key=1234 --header X-Key:1234 --body @body":    false,
		"http://a:1@" + host + "/x --header X-Key:1 --body @body --method PUT":      false,
		"http://a:1@" + host + "/x --header X-Key:1 --body @body --timeout 29999ms": false,
		"http://a:1@" + host + "/x --header X-Key:1 --body @body --redirects 3":     false,
		"http://a:1@" + host + "/x --header X-Key:1 --body @body --insecure":        false,
	} {
		if got := plan(args); (got == want) != same {
			t.Errorf("%s: %q, and it was %q", args, got, want)
		}
	}
}

// Only the server may see the password of a URL.
func TestPassword(t *testing.T) {
	t.Chdir(t.TempDir())
	var right atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if user, password, ok := r.BasicAuth(); ok && user == "john" && password == "geh/eim" {
			right.Add(1)
		}
		if r.URL.Path == "/broken" {
			panic(http.ErrAbortHandler)
		}
	}))
	defer server.Close()
	there := strings.Replace(server.URL, "://", "://john:geh%2Feim@", 1)
	clitest.Write(t, "targets", "GET "+there+"/\nGET "+there+"/broken\n")
	clitest.Write(t, "wrong", "GET "+there+"x/\n")
	for i, args := range []string{
		there + " --n 5", there + " --n 5 --strategy semaphore --vegeta a.bin",
		there + "/broken --n 5 --vegeta b.bin", there + "/broken --clients 2 --n 5",
		"--targets targets --n 6 --format json",
		"--targets targets --clients 2 --n 6 --vegeta c.bin", there + " --dry-run",
	} {
		o := clitest.Command(t, append([]string{"attack", "--resend=false", "--out", "d" + string(rune('a'+i))},
			strings.Fields(args)...)...)
		if strings.Contains(o.Stdout+o.Stderr, "eim") {
			t.Errorf("%s: %s%s", args, o.Stdout, o.Stderr)
		}
	}
	if n := right.Load(); n != 32 {
		t.Errorf("%d of 32 requests came with the password", n)
	}
	for _, args := range []string{
		strings.TrimPrefix(there, "http://"), "http://john:geh%2Feim", "http://john:geheim@:1x",
		"http://john:ge heim@h/", "http://john:geheim@h/%zz", "http://john:ge%zzheim@h/",
		"ftp://john:geheim@h", "http://john:geheim@127.0.0.1:1/", "--targets|wrong",
	} {
		o := clitest.Command(t, append([]string{"attack"}, strings.Split(args, "|")...)...)
		if o.Code != clitest.Unusable || strings.Contains(o.Stdout+o.Stderr, "eim") ||
			strings.Count(o.Stderr, "\n") != 1 {
			t.Errorf("%s: exit code %d, %s%s", args, o.Code, o.Stdout, o.Stderr)
		}
	}
	files := 0
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() || path == "targets" || path == "wrong" {
			return err
		}
		files++
		parts := []string{"eim"}
		if filepath.Ext(path) == ".png" { // random bytes may contain the password by chance
			parts = []string{"geheim", "geh/eim", "geh%2Feim"}
		}
		for _, part := range parts {
			if strings.Contains(clitest.Read(t, path), part) {
				t.Errorf("%s holds the password", path)
			}
		}
		return nil
	})
	if err != nil || files < 20 {
		t.Errorf("%d files, error %v", files, err)
	}
}

func TestGatewayCommand(t *testing.T) {
	t.Chdir(t.TempDir())
	o := clitest.Attacked(t, "gateway", "--strategy", "bounded_queue_shed,semaphore", "--limit", "1",
		"--queue", "0", "--workload", "constant:mean=20ms", "--rate", "1000", "--n", "30",
		"--quiet", "--out", "x")
	if !strings.Contains(o.Stdout, "status 503 × ") ||
		!strings.Contains(o.Stdout, "semaphore: status 200 × 30\n") ||
		!strings.Contains(o.Stdout, " % shed, ") {
		t.Error(o.Stdout)
	}
	if results := clitest.Read(t, "x/results.txt"); !strings.Contains(results,
		"BenchmarkGateway/strategy=bounded_queue_shed/workload=constant:mean=20ms/limit=1/queue=0/arrival=poisson/") {
		t.Error(results)
	}
}

// Nothing may be written or sent.
func TestLoadBadInput(t *testing.T) {
	for args, want := range map[string]string{
		"attack": "attack: URL is missing (usage: " +
			"poolbench attack URL [flags])",
		"attack http://h/ too":   `attack: unexpected argument "too"`,
		"attack localhost:80":    `URL "localhost:80": want http://…, https://…, `,
		"attack 127.0.0.1:80/x":  `URL "127.0.0.1:80/x": want http://…, https://…, `,
		"attack http://h:99999/": `URL "http://h:99999/": port 99999: want 1 to 65535`,
		"attack http://h/ --drain 0s": "--drain: want a duration above 0, " +
			"at most 87600h, got 0s",
		"attack http://h/ --drain -1s": "--drain: want a duration above 0, " +
			"at most 87600h, got -1s",
		"attack http://h/ --body @/dev/zero": "--body: /dev/zero: it is longer " +
			"than 64 MiB",
		"attack --targets /dev/zero": "--targets: /dev/zero: it is longer " +
			"than 64 MiB",
		"attack --targets endless": "--targets: endless: line 2: /dev/zero: want " +
			"a regular file",
		"attack http://h/ --rate 1e6 --duration 300h": "that makes 1.08e+12 tasks, but a run " +
			"has at most 1000000000000",
		"attack http://h/ --n 100000001":       `--n: want a whole number from 1 to 100000000, got "100000001"`,
		"attack ftp://h/":                      `URL "ftp://h/": want http://…, https://…, `,
		"attack http:///x":                     `URL "http:///x": it has no host`,
		"attack http://[::bad/":                "missing ']' in host",
		"attack http://h/%zz":                  "invalid URL escape",
		"attack http://h/ --rate 0":            `--rate: want a number from 1e-06 to 1e6, got "0"`,
		"attack http://h/ --rate NaN":          `--rate: want a number from 1e-06 to 1e6, got "NaN"`,
		"attack http://h/ --n 0":               `--n: want a whole number from 1 to 100000000, got "0"`,
		"attack http://h/ --n -1":              `--n: want a whole number from 1 to 100000000, got "-1"`,
		"attack http://h/ --n 5 --duration 1s": "--n and --duration exclude each other",
		"attack http://h/ --duration 0s": "--duration: want a duration above " +
			"0, at most 87600h, got 0s",
		"attack http://h/ --duration soon": `--duration: want a duration above 0, such as 50ms or 2s, got "soon"`,
		"attack http://h/ --arrival never": `--arrival: unknown arrival "never" (known: `,
		"attack http://h/ --arrival closed": "arrival closed: it is closed, so " +
			"give the number of clients",
		"attack http://h/ --arrival sine:amp=2": "--arrival: arrival sine: amp: want a number of " +
			"at least 0",
		"attack http://h/ --arrival batch": "arrival batch: give the number of " +
			"requests (n)",
		"attack http://h/ --clients 0": `--clients: want a whole number from 1 to 100000000, got "0"`,
		"attack http://h/ --clients 4 --rate 5": "clients set the pace, so there is " +
			"no rate",
		"attack http://h/ --strategy pool": `--strategy: unknown strategy "pool" (known: `,
		"attack http://h/ --limit 4": "limit 4 given, but there is no " +
			"strategy",
		"attack http://h/ --strategy semaphore --limit -4": `--limit: want a whole number from 1 to 100000000, got "-4"`,
		"attack http://h/ --strategy semaphore --max-in-flight 4": "strategy and --max-in-flight exclude each " +
			"other: the strategy limits the requests in flight",
		"attack http://h/ --max-in-flight 0": `--max-in-flight: want a whole number from 1 to 100000000, got "0", or unlimited`,
		"attack http://h/ --method G:T":      `method "G:T": want letters, such as GET`,
		"attack http://h/ --header x":        `--header: want NAME: VALUE; header 1 has no name before a colon`,
		"attack http://h/ --header (:x":      `header "(" is not a valid name`,
		"attack http://h/ --body a-file":     "--body: a-file is a file: write @a-file to send its content",
		"attack http://h/ --body @nowhere": "--body: open nowhere: no such file " +
			"or directory",
		"attack https://h/ --cert nowhere":        "--cert: open nowhere: no such file or directory",
		"attack https://h/ --cert a-file":         "--cert: a-file: the file has no CERTIFICATE in PEM format",
		"attack https://h/ --key a-file":          "--key: want --cert",
		"attack https://h/ --ca a-file":           "--ca: a-file: the file has no CERTIFICATE in PEM format",
		"attack https://h/ --tls-min 1.1":         `--tls-min: unknown value "1.1"`,
		"attack https://h/ --sni a/b":             `sni "a/b": want the name of a host`,
		"attack https://h/ --resolve h:443":       `--resolve: "h:443": want HOST:PORT:ADDRESS`,
		"attack https://h/ --resolve h:0:::1":     `--resolve: "h:0:::1": want HOST:PORT:ADDRESS`,
		"attack https://h/ --resolve h:443:there": `--resolve: "h:443:there": "there" is no IP address`,
		"attack http://h/ --form a":               "--form: want NAME=VALUE or NAME=@FILE",
		"attack http://h/ --form a=@nowhere":      "--form: a: open nowhere: no such file",
		"attack http://h/ --form a=1 --body x":    "--form and --body exclude each other",
		"attack http://h/ --data-once":            "--data-once: want --data",
		"attack http://h/{{u}} --data u.csv --data-once --n 3": "data-once: u.csv has 2 rows, " +
			"and n is 3",
		"attack http://h/{{u}} --data u.csv --data-once --count 2": "--data-once: each of the 2 runs would use all rows",
		"attack http://h/ --http1.1 --http2":                       "--http1.1 and --http2 exclude",
		"attack grpc://h/a.B/C --http1.1":                          "--http1.1: gRPC needs HTTP/2",
		"attack --targets unset":                                   "--targets: unset: line 2: ${PB_NONE}: ",
		"attack --targets unset --targets-format json":             "--targets: unset: line 2: ${PB_NONE}: ",
		"attack --session unset.yaml":                              "--session: unset.yaml:3: ${PB_NONE}: ",
		"attack --curl unset.sh":                                   "--curl: unset.sh: line 2: ${PB_NONE}: ",
		"attack --targets nowhere": "--targets: open nowhere: no such " +
			"file or directory",
		"attack --targets a-file":               "--targets: a-file: line 1: want METHOD URL",
		"attack --targets - --n 1":              "--targets: -: it has no target",
		"attack http://h/ --targets a-file":     `--targets and URL exclude each other, got URL "http://h/"`,
		"attack http://h/ --targets-format xml": `--targets-format: unknown value "xml" (known: http, json, har)`,
		"attack http://h/ --timeout -1s": "--timeout: want a duration above " +
			"0, at most 87600h, got -1s",
		"attack http://h/ --connections -1": `--connections: want a whole number from 1 to 100000000, got "-1"`,
		"attack http://h/ --redirects -1": "--redirects: want a whole number " +
			"from 0 to 100000000, got -1",
		"attack http://h/ --count 0": `--count: want a whole number from 1 to 1000000, got "0"`,
		"attack http://h/ --count 2 --vegeta v": "--vegeta: a file contains a single attack: " +
			"want one strategy, one rate and no --count",
		"attack http://h/ --vegeta a-file":  "--vegeta: a-file: file exists",
		"attack http://h/ --resume --out x": "--resume: want --soak, because other attacks",
		"attack http://h/ --resume --out x --soak --agents 2": "--resume and --agents exclude " +
			"each other",
		"attack http://h/ --resume --out x --soak --vegeta v": "--resume and --vegeta exclude " +
			"each other",
		"attack http://h/ --force":      "--force, --append and --resume need the directory, --out",
		"attack http://h/ --out a-file": "--out: ",
		"gateway http://h/":             `gateway: unexpected argument "http://h/"`,
		"gateway --workload http_get":   "calls its own server",
		"gateway --workload nap":        `--workload: unknown workload "nap" (known: `,
		"gateway --strategy pool":       `--strategy: unknown strategy "pool" (known: `,
		"gateway --limit 0":             `--limit: want a whole number from 1 to 100000000, got "0"`,
		"gateway --strategy semaphore --queue 3": "strategy semaphore: queue 3 given, " +
			"but it has no queue",
		"serve": "serve: TARGET is missing (usage: " +
			"poolbench serve TARGET [flags])",
		"serve wall":                     `serve: unknown target "wall" (known: `,
		"serve token_bucket:rate=0":      "serve: target token_bucket: ",
		"serve none --workload nap":      `--workload: unknown workload "nap" (known: `,
		"serve none --workload http_get": "--workload: http_get calls its own server",
		"serve none --addr 0.0.0.0:0":    `--addr: "0.0.0.0" is not a loopback address: --any-address allows it`,
		"serve none --addr 127.0.0.1":    `--addr: want HOST:PORT, got "127.0.0.1"`,
		"serve none --addr 127.0.0.1:99999": "--addr: listen tcp: address 99999: " +
			"invalid port",
	} {
		t.Run(args, func(t *testing.T) {
			t.Chdir(t.TempDir())
			clitest.Write(t, "a-file", "nothing\n")
			clitest.Write(t, "endless", "GET http://h/\n@/dev/zero\n")
			clitest.Write(t, "u.csv", "u\n1\n2\n")
			clitest.Write(t, "unset", "GET http://h/\nX-A: ${PB_NONE}\n")
			clitest.Write(t, "unset.yaml", "steps:\n- url: http://h/\n  body: ${PB_NONE}\n")
			clitest.Write(t, "unset.sh", "curl http://h/\ncurl http://h/$PB_NONE\n")
			before := clitest.Tree(t)
			o := clitest.Command(t, strings.Fields(args)...)
			if o.Code != clitest.Unusable || o.Stdout != "" || strings.Count(o.Stderr, "\n") != 1 ||
				!strings.HasPrefix(o.Stderr, "poolbench: ") || !strings.Contains(o.Stderr, want) {
				t.Errorf("exit code %d, stdout %q, stderr %q, want %q", o.Code,
					o.Stdout, o.Stderr, want)
			}
			if after := clitest.Tree(t); after != before {
				t.Errorf("left behind:\n%s", after)
			}
		})
	}
}

func TestVegetaFullDisk(t *testing.T) {
	device := clitest.FullDevice(t)
	t.Chdir(t.TempDir())
	if err := os.Symlink(device, "full"); err != nil {
		t.Fatal(err)
	}
	url, _ := clitest.Shop(t, 200)
	for _, n := range []string{"1", "3000"} { // at the end, and in the middle
		if o := clitest.Command(t, "attack", url, "--rate", "5000", "--n", n, "--vegeta", "full",
			"--quiet"); o.Code != clitest.Unusable ||
			clitest.WithoutDoubts(o.Stderr) != "poolbench: --vegeta: full: no space left on device\n" {
			t.Errorf("%s: exit code %d\n%s", n, o.Code, o.Stderr)
		}
	}
}

func TestDeadLetters(t *testing.T) {
	t.Chdir(t.TempDir())
	url, _ := clitest.Shop(t, 429)
	for _, out := range []string{"a", "b"} {
		clitest.Attacked(t, "attack", url+"/x", "--rate", "500", "--n", "9", "--out", out, "--quiet",
			"--strategy", "retry_in_place:attempts=1", "--dead-letters", "letters")
	}
	text, err := os.ReadFile("letters")
	n := strings.Count(string(text), `"status":429},"attempts":1,"error":`)
	if err != nil || n != 6 || n != strings.Count(string(text), "\n") {
		t.Errorf("%d letters, %v\n%s", n, err, text)
	}
	if err := os.Symlink(clitest.FullDevice(t), "full"); err != nil {
		t.Fatal(err)
	}
	o := clitest.Command(t, "attack", url, "--n", "9", "--quiet", "--strategy",
		"retry_in_place:attempts=1", "--dead-letters", "full")
	if o.Code != clitest.Unusable || !strings.Contains(o.Stderr, "dead letters: ") {
		t.Errorf("exit code %d\n%s", o.Code, o.Stderr)
	}
}

func TestAttackRates(t *testing.T) {
	t.Chdir(t.TempDir())
	url, served := clitest.Shop(t, 500) // a third of the requests fails, so 27 are completed
	for objective, code := range map[string]int{"p50-response<1h": clitest.Fine,
		"p50-response<1ns": clitest.Regression, "p90-response<1h": clitest.Regression,
		"completed-p50-response<1h": clitest.Fine,
		"completed-p90-response<1h": clitest.Undecided} {
		o := clitest.Command(t, "attack", url, "--rate", "300,200", "--n", "40", "--name", "here",
			"--objective", objective, "--quiet", "--force", "--out", "x")
		if o.Code != code || !strings.Contains(o.Stdout, "\n  here, 300 /s ") ||
			!strings.Contains(o.Stdout, "\n  here, 200 /s ") ||
			strings.Contains(o.Stdout, "rate 300") ||
			!strings.Contains(o.Stdout, "objectives: 2 ") {
			t.Errorf("%s: exit code %d\n%s%s", objective, o.Code, o.Stdout, o.Stderr)
		}
		text, err := os.ReadFile("x/results.txt")
		if err != nil || strings.Count(string(text), "\nBenchmarkAttack/") != 2 ||
			strings.Count(string(text), "\n# objective ") != 1 {
			t.Errorf("%v\n%s", err, text)
		}
	}
	served.Store(0)
	for args, says := range map[string]string{
		"attack URL --rate 5,5": "--rate: 5 is given twice",
		"attack URL --rate 99,10 --duration 10s --objective p99-response<1h": "p99-response-sec " +
			"needs at least 368 requests, and only 100 are planned: give a longer duration, such as 37s",
		"attack URL --clients 2 --n 30 --objective p90-response<1h": "needs at least 36 requests, " +
			"and only 30 are planned: give n 36",
		"capacity URL --first-rate 9 --duration 1s --objective p90-response<1h": "needs at least 36 requests, " +
			"and only 9 are planned: give a longer duration, such as 4s",
	} {
		o := clitest.Command(t, strings.Fields(strings.Replace(args, "URL", url, 1))...)
		if o.Code != clitest.Unusable || !strings.Contains(o.Stderr, says) ||
			strings.Count(o.Stderr, "\n") != 1 || served.Load() > 0 {
			t.Errorf("%s: exit code %d: %s", args, o.Code, o.Stderr)
		}
	}
}

func TestAttackOutage(t *testing.T) {
	t.Chdir(t.TempDir())
	server := httptest.NewUnstartedServer(http.HandlerFunc(
		func(http.ResponseWriter, *http.Request) { time.Sleep(300 * time.Millisecond) }))
	server.Config.Protocols = new(http.Protocols)
	server.Config.Protocols.SetHTTP1(true)
	server.Config.Protocols.SetUnencryptedHTTP2(true)
	server.Start()
	defer server.Close()
	err := os.WriteFile("s.yaml", []byte("name: two\nsteps:\n- url: /a\n- url: /b\n"), 0o600)
	if err != nil {
		t.Fatal(err)
	}
	ways := [][]string{nil, {"--h2c"}, {"--max-in-flight", "2"}, {"--session", "s.yaml"},
		{"--clients", "8"}, {"--strategy", "worker_pool", "--limit", "2"}}
	if testing.Short() {
		ways = ways[:2]
	}
	for _, of := range ways {
		args := append([]string{"attack", server.URL, "--n", "36", "--objective",
			"p90-response<5ms", "--quiet", "--force", "--out", "x"}, of...)
		if o := clitest.Command(t, args...); o.Code != clitest.Regression ||
			!strings.Contains(o.Stdout, "objectives: 1 missed\n") {
			t.Errorf("%q: exit code %d\n%s%s", of, o.Code, o.Stdout, o.Stderr)
		}
	}
}
