package comparisons

import (
	"bytes"
	"compress/gzip"
	"os"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/poolbench/poolbench/internal/cli/clitest"
)

// badResults returns damaged files and files without results, each with the beginning of the
// expected error.
func badResults(t *testing.T) map[string][2]string {
	t.Helper()
	const line = "BenchmarkA 1 5 ns/op\n"
	wide := "\xff\xfe"
	for _, u := range utf16.Encode([]rune(line)) {
		wide += string([]byte{byte(u), byte(u >> 8)})
	}
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	if _, err := z.Write([]byte(strings.Repeat(line, 1000))); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return map[string][2]string{
		"empty": {"", ": the file is empty"},
		"prose": {"this is no benchmark\n", ": no benchmark results in it"},
		"nobench": {"PASS\nok  \ta\t0.1s\n",
			": no benchmark results in it: go test ran without -bench"},
		"long": {line + "BenchmarkA 1 5 ns/op " + strings.Repeat("x", 70000) + "\n" + line,
			":2: the line is longer than 64 KiB"},
		"nan":    {line + "BenchmarkA 1 NaN ns/op\n", ":2: sec/op of A is NaN"},
		"inf":    {line + line + "BenchmarkA 1 +Inf ns/op\n", ":3: sec/op of A is +Inf"},
		"utf16":  {wide, ":1: the text is UTF-16"},
		"gzip":   {packed.String(), ":1: the file is packed by gzip"},
		"binary": {line + "\x00\x01\n", ":2: the line contains a NUL byte"},
		"json": {`{"Action":"start","Package":"a"}` + "\n" +
			`{"Action":"pass","Package":"a"}` + "\n", ": no benchmark results in it"},
		"json-bent": {`{"Action":"output","Output":"BenchmarkA 1 5 ns/op\n"}` + "\n" +
			`{"Action":"output",,}` + "\n", ":2: the line is not a complete event of go test " +
			"-json"},
		"units": {"Unit a better=lower\n" + line + "Unit a better=higher\n",
			":3: metadata better of unit a already set to lower"},
		"ours-bent": {"# poolbench results 1\n" + line +
			"BenchmarkA 1 5..0 ns/op\n# complete 2 runs\n", ":3: the result line is damaged"},
		"ours-newer": {"# poolbench results 99\n" + line, ":1: written by a newer poolbench"},
	}
}

func TestBadResults(t *testing.T) {
	if testing.Short() {
		t.Skip("long: skipped with -short")
	}
	t.Chdir(t.TempDir())
	clitest.Write(t, "good", strings.Repeat("BenchmarkA 1 5 ns/op\n", 10))
	if err := os.MkdirAll("hollow", 0o777); err != nil {
		t.Fatal(err)
	}
	check := func(want string, args ...string) {
		t.Helper()
		o := clitest.Command(t, args...)
		if o.Code != clitest.Unusable || o.Stdout != "" || strings.Count(o.Stderr, "\n") != 1 ||
			!strings.HasPrefix(o.Stderr, "poolbench: "+want) {
			t.Errorf("%q: exit code %d, stdout %q, stderr %q, want %s", args, o.Code,
				o.Stdout, o.Stderr, want)
		}
	}
	commands := [][]string{{"compare", "@"}, {"compare", "good", "@"}, {"compare", "x=@", "good"},
		{"gate", "good", "@"}, {"gate", "@", "good"}, {"trend", "good", "good", "@"}}
	for name, bad := range badResults(t) {
		if err := os.MkdirAll("dir-"+name, 0o777); err != nil {
			t.Fatal(err)
		}
		clitest.Write(t, name, bad[0])
		clitest.Write(t, "dir-"+name+"/results.txt", bad[0])
		for _, args := range commands {
			for given, path := range map[string]string{name: name, "dir-" + name: "dir-" + name +
				"/results.txt"} {
				with := slices.Clone(args)
				for i := range with {
					with[i] = strings.Replace(with[i], "@", given, 1)
				}
				check(path+bad[1], with...)
			}
		}
		check("dir-"+name+"/results.txt"+bad[1], "report", "dir-"+name)
	}
	for _, args := range commands {
		for given, want := range map[string]string{"hollow": "hollow: no results.txt in it",
			"nowhere": "nowhere: no such file or directory"} {
			with := slices.Clone(args)
			for i := range with {
				with[i] = strings.Replace(with[i], "@", given, 1)
			}
			check(want, with...)
		}
	}
}

func TestOddResults(t *testing.T) {
	t.Chdir(t.TempDir())
	// enough digits for the gate to rule out a change
	lines := strings.Repeat("BenchmarkA 1 5003 ns/op\n", 10)
	clitest.Write(t, "plain", lines)
	event := `{"Time":"2026-01-01T00:00:00Z","Action":"output","Package":"a","Output":"`
	for name, text := range map[string]string{
		"crlf":   strings.ReplaceAll(lines, "\n", "\r\n"),
		"bom":    "\xef\xbb\xbf" + lines,
		"no-end": strings.TrimSuffix(lines, "\n"),
		"json":   strings.Repeat(event+`BenchmarkA \t"}`+"\n"+event+`1 5003 ns/op\n"}`+"\n", 10),
		"chatter": "warning: slow disk\n" +
			strings.Repeat("BenchmarkA 1 5003 ns/op\nretrying\n", 10),
	} {
		clitest.Write(t, name, text)
		if o := clitest.Succeed(t, "compare", "plain", name); !strings.Contains(o.Stdout,
			"p=1.000 n=10") {
			t.Errorf("%s: %s%s", name, o.Stdout, o.Stderr)
		}
	}
	clitest.Write(t, "half", lines+"BenchmarkA 1 5003 ns/")
	if o := clitest.Command(t, "compare", "plain", "half"); o.Code != clitest.Unusable ||
		o.Stderr != "poolbench: half:11: the last line is cut off; --allow-partial uses the "+
			"complete lines\n" {
		t.Errorf("exit code %d, %s", o.Code, o.Stderr)
	}
	for _, args := range [][]string{{"gate", "plain", "half"}, {"gate", "half", "plain"},
		{"trend", "plain", "crlf", "half"}, {"trend", "plain", "crlf", "half", "--fail"}} {
		if o := clitest.Command(t, args...); o.Code != clitest.Unusable ||
			!strings.Contains(o.Stdout+o.Stderr, "half:11: the last line is cut off") {
			t.Errorf("%q: exit code %d, %s%s", args, o.Code, o.Stdout, o.Stderr)
		}
		want := clitest.Fine
		if args[0] == "trend" {
			want = clitest.Undecided // there are only three results
		}
		if o := clitest.Command(t, append(args, "--allow-partial")...); o.Code != want ||
			o.Stderr != "" {
			t.Errorf("%q --allow-partial: exit code %d, want %d: %s", args, o.Code, want, o.Stderr)
		}
	}
	if o := clitest.Succeed(t, "compare", "plain", "half", "--allow-partial"); !strings.Contains(o.Stdout,
		"p=1.000 n=10") {
		t.Errorf("%s", o.Stdout)
	}
}
