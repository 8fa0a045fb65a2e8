package mistakes

import (
	"encoding/csv"
	"encoding/json"
	"encoding/xml"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/poolbench/poolbench/internal/cli/clitest"
)

func rawIn(text string) string {
	for i, r := range text {
		if r == utf8.RuneError && !strings.HasPrefix(text[i:], "\uFFFD") {
			return "a byte that is no UTF-8: " + text[max(0, i-20):i]
		}
		if r != '\n' && r != '\t' && !unicode.IsGraphic(r) {
			return strings.ToValidUTF8(text[max(0, i-20):i], "?") + string(r)
		}
	}
	return ""
}

var hostileNames = []string{
	"\x1b[31mred\x1b]0;title\a", "over\rwritten\b\x00null\x7f\u009b31m", "\x9b31m\xff\xfe",
	"\u202egpj.exe\u2066a\u2069\u200e\u200f\u061c\u2028\u2029\ufeff",
	`<script>alert(1)</script>"><img src=x>]]>|`, "=1+1", "+1+1", "@SUM(1)", "-2+3",
}

// Each format must escape invisible characters, and JSON, XML and CSV must stay valid.
func TestHostileNames(t *testing.T) {
	if testing.Short() {
		t.Skip("long: skipped with -short")
	}
	t.Chdir(t.TempDir())
	clitest.Succeed(t, clitest.Quick("--out", "run")...)
	results := clitest.Read(t, "run/results.txt")
	for _, name := range hostileNames {
		t.Run(strings.ToValidUTF8(name, "?"), func(t *testing.T) {
			t.Chdir(t.TempDir())
			// Remove characters that a field of a results file cannot contain.
			word := strings.Map(func(r rune) rune {
				if unicode.IsSpace(r) || r == 0 {
					return '_'
				}
				return r
			}, name)
			if !utf8.ValidString(name) {
				word = name
			}
			file := func(values ...string) string {
				var b strings.Builder
				b.WriteString("pkg: " + word + "\nnote: " + word + "\ncommit-" + word + ": 1\n")
				for _, v := range values {
					b.WriteString("Benchmark" + word + "/k=" + word + " 1 " + v + " ns/op " + v +
						" " + word + "/op\n")
				}
				return b.String()
			}
			old, new := "old"+strings.ReplaceAll(name, "/", "_")+".txt", "new.txt"
			old = strings.ReplaceAll(old, "\x00", "")
			clitest.Write(t, old, file("5", "5.1", "5.2", "5", "5.1", "5.2", "5.15"))
			clitest.Write(t, new, file("9", "9.1", "9.2", "9", "9.1", "9.2", "9.15"))
			clitest.Write(t, "bad.yaml", "- "+name+": 1\n  strategy: "+name+"\n")
			t.Setenv("GITHUB_STEP_SUMMARY", "summary.md")
			var series []string
			for _, n := range []string{"a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l"} {
				level := "5"
				if n > "f" {
					level = "9"
				}
				clitest.Write(t, n+".txt", file(level))
				series = append(series, n+".txt")
			}
			if err := os.Mkdir("run", 0o777); err != nil {
				t.Fatal(err)
			}
			clitest.Write(t, "run/results.txt",
				strings.ReplaceAll(results, "strategy=semaphore", "strategy="+word))
			arg := strings.ReplaceAll(name, "\x00", "")
			for _, args := range [][]string{
				{"compare", old, new}, {"compare", arg + "=" + new, new},
				{"compare", old, new, "--format", "markdown"},
				{"compare", arg + "=" + new, new, "--format", "csv"},
				{"compare", old, new, "--format", "json"}, {"compare", old, "--col", "/k"},
				{"compare", old, new, "--table", ".config"}, {"compare", old, new, "--metric", arg},
				{"compare", old, new, "--row", arg}, {"compare", old, new, "--filter", arg},
				{"gate", old, new}, {"gate", old, new, "--format", "markdown"},
				{"gate", old, new, "--format", "json"}, {"gate", old, new, "--format", "junit"},
				{"gate", old, new, "--junit", "junit.xml"}, {"gate", old, new, "--metric", arg},
				append([]string{"trend", "--out", "charts"}, series...),
				append([]string{"trend", "--format", "json"}, series...),
				append([]string{"trend", "--by", arg}, series...),
				{arg}, {"help", arg}, {"list", arg}, {"list", "targets", arg}, {"run", "--" + arg},
				{"run", "-" + arg}, {"run", arg}, {"run", "--strategy", arg},
				{"run", "--workload", "constant:mean=" + arg}, {"run", "--file", "bad.yaml"},
				{"run", "--file", arg}, {"run", "--seed", arg}, {"run", "--clock", arg},
				{"run", "--objective", arg + "<1"}, {"study", arg},
				{"study", "load", "--expect", arg}, {"capacity", "--objective", arg},
				{"compare", arg}, {"why", arg}, {"why", "run"}, {"report", arg}, {"report", "run"},
				{"serve", arg}, {"serve", "none", "--addr", arg}, {"attack", arg, "--dry-run"},
				{"attack", "http://127.0.0.1:1/", "--arrival", arg}, {"gateway", "--arrival", arg},
				{"attack", "http://127.0.0.1:1/", "--dry-run", "--name", arg},
				{"attack", "http://127.0.0.1:1/", "--dry-run", "--header", arg},
				{"completion", arg}, {"version", "--format", arg}, {"calibrate", "--" + arg},
				{"gate", "--base", arg, "--dir", arg},
			} {
				if strings.HasPrefix(name, "-") && args[0] != "gate" && args[0] != "compare" {
					continue // a flag instead of a name
				}
				o := clitest.Command(t, args...)
				for where, text := range map[string]string{"stdout": o.Stdout, "stderr": o.Stderr} {
					if raw := rawIn(text); raw != "" {
						t.Errorf("%q: %s has %q in\n%q", args, where, raw, text)
					}
				}
				if o.Code == clitest.Unusable {
					continue
				}
				wellFormed(t, args, o.Stdout)
			}
			wroteNoneRaw(t, old)
		})
	}
}

func wellFormed(t *testing.T, args []string, text string) {
	t.Helper()
	switch line := strings.Join(args, " "); {
	case strings.HasSuffix(line, "--format json"):
		if !json.Valid([]byte(text)) {
			t.Errorf("%q: not JSON:\n%s", args, text)
		}
	case strings.HasSuffix(line, "--format junit"):
		wellFormedXML(t, line, text)
	case strings.HasSuffix(line, "--format csv"):
		r := csv.NewReader(strings.NewReader(text))
		r.FieldsPerRecord = -1
		records, err := r.ReadAll()
		if err != nil {
			t.Errorf("%q: %v", args, err)
		}
		for _, record := range records {
			for _, cell := range record {
				if number := strings.TrimRight(cell, "%0123456789."); len(cell) > 1 &&
					strings.ContainsAny(cell[:1], "=+-@\t\r") && number != "+" && number != "-" {
					t.Errorf("%q: the cell %q is a formula", args, cell)
				}
			}
		}
	}
}

func wellFormedXML(t *testing.T, name, text string) {
	t.Helper()
	for d := xml.NewDecoder(strings.NewReader(text)); ; {
		if _, err := d.Token(); err == io.EOF {
			return
		} else if err != nil {
			t.Errorf("%s: %v", name, err)
			return
		}
	}
}

func wroteNoneRaw(t *testing.T, given string) {
	t.Helper()
	n := 0
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		ext := filepath.Ext(path)
		if err != nil || d.IsDir() || path == given || ext == ".txt" ||
			ext == ".png" || ext == ".yaml" {
			return err
		}
		n++
		data, err := os.ReadFile(path)
		if raw := rawIn(string(data)); raw != "" {
			t.Errorf("%s has %q", path, raw)
		}
		if ext == ".svg" || ext == ".xml" {
			wellFormedXML(t, path, string(data))
		}
		return err
	})
	if err != nil || n < 2 { // at least the summary and JUnit
		t.Errorf("%d files, %v", n, err)
	}
}
