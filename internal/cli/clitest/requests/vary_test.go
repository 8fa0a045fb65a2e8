package requests_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/poolbench/poolbench/internal/cli/clitest"
)

// All protocols and options must send the same data. Secrets in the data must not appear in any
// file, also after errors.
func TestVaried(t *testing.T) {
	whole := !testing.Short() // otherwise flags with the same implementation are skipped
	t.Chdir(t.TempDir())
	var mu sync.Mutex
	seen := map[string]int{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		note := fmt.Sprintf("%s %s %s %s", r.Method, r.URL.RequestURI(),
			r.Header.Get("Authorization"), body)
		mu.Lock()
		seen[note]++
		mu.Unlock()
		switch r.URL.Path {
		case "/refusing":
			w.WriteHeader(http.StatusServiceUnavailable)
		case "/broken":
			panic(http.ErrAbortHandler)
		}
		_, _ = fmt.Fprintf(w, `{"echo":%q,"items":[1,2]}`, note)
	}))
	defer server.Close()
	clitest.Write(t, "people.csv", "name,api_token\nann,zq1-geheim\n\"b&c\",zq2 geheim\n")
	clitest.Write(t, "body.json", `{"n":"{{name}}","seq":{{seq}}}`)
	clitest.Write(t, "targets", "POST "+server.URL+"/{{name}}/{{seq}}?k={{api_token}}\n"+
		"Authorization: Bearer {{api_token}}\n@body.json\n")
	clitest.Write(t, "copied.sh", "curl '"+server.URL+"/{{name}}/{{seq}}?k={{api_token}}' "+
		"--data-raw '"+`{"n":"{{name}}","seq":{{seq}}}`+"' -H 'Content-Type: application/json'\n")
	clitest.Write(t, "flags.yaml", "- url: "+server.URL+"/{{name}}/{{seq}}?k={{api_token}}\n"+
		"  method: POST\n  body: \"@body.json\"\n  header: [\"Authorization: Bearer {{api_token}}\"]\n"+
		"  data: people.csv\n  check: [\"status == 200\", \"json .items.# == 2\"]\n"+
		"  stop-if: failed > 50% for 10s\n")
	want := map[string]int{}
	for seq := range 12 {
		name, key, auth := "ann", "zq1-geheim", "zq1-geheim"
		data := fmt.Sprintf(`{"n":"ann","seq":%d}`, seq)
		if seq%2 == 1 {
			name, key, auth = "b&c", "zq2+geheim", "zq2 geheim"
			data = fmt.Sprintf(`{"n":"b&c","seq":%d}`, seq)
		}
		want[fmt.Sprintf("POST /%s/%d?k=%s Bearer %s %s", name, seq, key, auth, data)] = 1
	}
	header := "--header|Authorization: Bearer {{api_token}}"
	url := server.URL + "/{{name}}/{{seq}}?k={{api_token}}|--method|POST|--body|@body.json|" + header
	checked := "|--check|status == 200|--check|json .items.# > 1"
	good := []string{
		url + checked + "|--clients|3", "--targets|targets|--rate|500" + checked,
		"--file|flags.yaml|--rate|500",
		url, url + checked, url + "|--strategy|semaphore", "--curl|copied.sh|" + header,
		url + checked + "|--agents|2", url + "|--rate|500|--format|json" + checked,
	}
	if !whole {
		good = good[:3]
	}
	for i, args := range good {
		mu.Lock()
		clear(seen)
		mu.Unlock()
		if !strings.HasPrefix(args, "--file") {
			args += "|--data|people.csv"
		}
		o := clitest.Command(t, append([]string{"attack", "--n", "12", "--out",
			"good" + fmt.Sprint(i)}, strings.Split(args, "|")...)...)
		if o.Code != clitest.Fine && o.Code != clitest.Undecided ||
			strings.Contains(o.Stdout+o.Stderr, "geheim") {
			t.Errorf("%s: exit code %d, %s%s", args, o.Code, o.Stdout, o.Stderr)
		}
		mu.Lock()
		if len(seen) != len(want) {
			t.Errorf("%s: %d different requests, want %d", args, len(seen), len(want))
		}
		for note, n := range seen {
			if note = strings.ReplaceAll(note, "/b%26c/", "/b&c/"); n != want[note] {
				t.Errorf("%s: %d times %s", args, n, note)
			}
		}
		mu.Unlock()
	}
	bad := []string{
		url + "|--check|json .items.# > 2|--rate|500",
		strings.Replace(url, "/{{name}}/{{seq}}", "/refusing", 1) + "|--strategy|" +
			"retry_queue:base=1ms,attempts=2|--dead-letters|letters|--rate|500",
		url + "|--check|body contains nothing|--format|json",
		url + "|--check|size < 1B|--clients|2|--vegeta|a.bin",
		strings.Replace(url, "/{{name}}/{{seq}}", "/broken", 1) + "|--vegeta|b.bin",
		url + "|--dry-run", url + "|--agents|2|--check|status != 200",
	}
	if !whole {
		bad = bad[:2]
	}
	for i, args := range bad {
		o := clitest.Command(t, append([]string{"attack", "--n", "8", "--data", "people.csv", "--out",
			"bad" + fmt.Sprint(i)}, strings.Split(args, "|")...)...)
		retries := strings.Contains(args, "attempts=2")
		if strings.Contains(o.Stdout+o.Stderr, "geheim") ||
			strings.Contains(o.Stdout, "2.00 attempts a request") != retries {
			t.Errorf("%s: %s%s", args, o.Stdout, o.Stderr)
		}
	}
	if kept := clitest.Read(t, "bad0/failures.json"); !strings.Contains(kept, "json .items.# > 2") ||
		!strings.Contains(kept, "items") {
		t.Errorf("kept are %s", kept)
	}
	clitest.Command(t, "attack", server.URL, "--n", "3", "--check", "size == 1", "--rate", "500",
		"--out", "bad0", "--append", "--quiet")
	if kept := clitest.Read(t, "bad0/failures.json"); strings.Count(kept, `"seed"`) != 2 ||
		!strings.Contains(kept, "size == 1") {
		t.Errorf("kept by two attacks are %s", kept)
	}
	if letters := clitest.Read(t, "letters"); !strings.Contains(letters, "/refusing?k=…") {
		t.Errorf("the letters are %s", letters)
	}
	ours := []string{"people.csv", "targets", "copied.sh", "flags.yaml", "body.json"}
	err := filepath.WalkDir(".", func(path string, d os.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() && !slices.Contains(ours, path) &&
			strings.Contains(clitest.Read(t, path), "geheim") {
			t.Errorf("%s holds a secret", path)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

func TestVaryMistakes(t *testing.T) {
	t.Chdir(t.TempDir())
	clitest.Write(t, "users.csv", "user,pin\nann,1\nbob\n")
	clitest.Write(t, "good.csv", "user,pin\nann,1\n..,\"2\n3\"\n")
	clitest.Write(t, "body", "{\n\"a\":{{usr}}}")
	clitest.Write(t, "copied", "curl http://h/\ncurl http://h/ -F a=b\n")
	clitest.Write(t, "targets", "GET http://h/\n\nGET http://h/{{usr}}\n")
	clitest.Write(t, "bad.har", "{\n\n]")
	clitest.Write(t, "flags.yaml", "- url: http://h/\n  rate: 5\n  check: [\"size < 3\", \"sized\"]\n")
	for args, want := range map[string]string{
		"http://h/{{user}}|--data|users.csv":   "--data: users.csv:3: the row has 1 fields",
		"http://h/{{user}}|--data|nowhere.csv": "--data: open nowhere.csv",
		"http://h/{{user}}/|--data|good.csv": `--data: good.csv:3: URL: a filled-in ` +
			`value makes ".." a segment`,
		"http://h/|--header|X: {{pin}}|--data|good.csv": "--data: good.csv:3: header X: a " +
			"filled-in value",
		"http://h/|--data|good.csv": "data: no request has a {{column}}",
		"http://h/{{usr}}|--data|good.csv": `URL:1: function "usr" not defined ` +
			`(known: seq, uuid`,
		"http://h/|--header|X: {{usr}}": `--header: header X:1: function "usr" not ` +
			`defined`,
		"http://h/|--body|@body": `--body: body:2: function "usr" not defined`,
		"http://{{seq}}/":        "URL:1: scheme and host must be the same",
		"http://h/|--check|statu == 200": `--check: "statu == 200": want status, response, ` +
			`header, body`,
		"http://h/|--check|body ~ (": "missing closing )",
		"http://h/|--stop-if|failed > 5%": `--stop-if: "failed > 5%": want a rule ` +
			`such as`,
		"--curl|copied": "--curl: copied: line 2: -F: this option " +
			"of curl",
		"--curl|copied|--method|PUT": "--curl and --method exclude each other",
		"http://h/|--curl|copied": `--curl and URL exclude each other, got URL ` +
			`"http://h/"`,
		"--targets|targets": `--targets: targets: target 2, line 3: ` +
			`URL:1: function "usr"`,
		"--targets|bad.har|--targets-format|har": "--targets: bad.har: line 3: invalid " +
			"character",
		"--file|flags.yaml": `flags.yaml:3:`,
	} {
		o := clitest.Command(t, append([]string{"attack"}, strings.Split(args, "|")...)...)
		if o.Code != clitest.Unusable || !strings.Contains(o.Stderr, want) ||
			strings.Count(o.Stderr, "\n") != 1 {
			t.Errorf("%s: exit code %d, %s, want %q", args, o.Code, o.Stderr, want)
		}
	}
	if left, _ := filepath.Glob("poolbench-out"); len(left) > 0 {
		t.Error("something is left behind")
	}
}
