package compare

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/poolbench/poolbench/reports/internal/resultstest"
	"github.com/poolbench/poolbench/reports/results"
)

// xperfTestdata returns the directory of benchstat's test data in the module cache.
func xperfTestdata(t *testing.T) string {
	t.Helper()
	out, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "golang.org/x/perf").Output()
	if err != nil {
		t.Fatal(err)
	}
	return filepath.Join(strings.TrimSpace(string(out)), "cmd", "benchstat", "testdata")
}

// TestXPerf runs every case of benchstat's own tests (TestCSV, TestCRC, TestUnits, TestZero,
// TestSmallSample, TestIssue19565, TestIssue19634 of its main_test.go) and holds the tables to the
// output expected there, byte for byte.
//
// crcOldNew compares nothing, because a configuration line differs between the files. A note must
// report this.
func TestXPerf(t *testing.T) {
	dir := xperfTestdata(t)
	config := func(opts Options) Options {
		opts.Table = ".config" // benchstat's default
		return opts
	}
	byNote := config(Options{Col: "note"})
	for _, test := range []struct {
		golden string
		csv    bool
		opts   Options
		files  []string
		note   string // what only ours says
	}{
		{"csvOldNew", true, config(Options{}), []string{"old.txt", "new.txt"}, ""},
		{"csvErrors", true, config(Options{Row: ".name"}), []string{"new.txt"}, ""},
		{"crcOldNew", false, config(Options{}), []string{"crc-old.txt", "crc-new.txt"},
			"nothing to compare: no row (.fullname) has values in two columns (.file) of one " +
				"table (.config)"},
		{"crcIgnore", false, config(Options{Ignore: "note"}),
			[]string{"crc-old.txt", "crc-new.txt"}, ""},
		{"crcSizeVsPoly", false, config(Options{Filter: "/align:0", Row: "/size", Col: "/poly"}),
			[]string{"crc-new.txt"}, ""},
		{"units", false, byNote, []string{"units.txt"}, ""},
		{"zero", false, byNote, []string{"zero.txt"}, ""},
		{"smallSample", false, byNote, []string{"smallSample.txt"}, ""},
		{"issue19565", false, byNote, []string{"issue19565.txt"}, ""},
		{"issue19634", false, byNote, []string{"issue19634.txt"}, ""},
	} {
		t.Run(test.golden, func(t *testing.T) {
			var inputs []results.Input
			for _, name := range test.files {
				inputs = append(inputs,
					results.Input{Label: name,
						Results: resultstest.Read(t, name, read(t, filepath.Join(dir, name)))})
			}
			c, err := All(inputs, test.opts)
			if err != nil {
				t.Fatal(err)
			}
			var stdout bytes.Buffer
			stderr := ""
			if test.csv {
				err = WriteCSV(&stdout, c)
				for _, warning := range CSVWarnings(c) {
					stderr += warning + "\n"
				}
			} else {
				stdout.WriteString(benchstatText(c))
			}
			if err != nil {
				t.Fatal(err)
			}
			for suffix, got := range map[string]string{".stdout": stdout.String(),
				".stderr": stderr} {
				want, err := os.ReadFile(filepath.Join(dir, test.golden+suffix))
				if err != nil && !errors.Is(err, fs.ErrNotExist) { // one that is empty is not kept
					t.Fatal(err)
				}
				if diff := cmp.Diff(strings.Split(string(want), "\n"),
					strings.Split(got, "\n")); diff != "" {
					t.Errorf("%s (-benchstat's test +ours)\n%s", suffix, diff)
				}
			}
			if stdout.Len() == 0 {
				t.Error("nothing was compared")
			}
			if notes := strings.Join(c.Notes(), "\n"); !strings.Contains(notes, test.note) ||
				test.note == "" && strings.Contains(notes, "nothing to compare") {
				t.Errorf("notes:\n%s\nwant %q", notes, test.note)
			}
		})
	}
}

// The test fails if benchstat's tests gain a case that TestXPerf lacks.
func TestXPerfCases(t *testing.T) {
	goldens, err := filepath.Glob(filepath.Join(xperfTestdata(t), "*.stdout"))
	if err != nil {
		t.Fatal(err)
	}
	if len(goldens) != 10 {
		t.Errorf("benchstat has %d goldens, and TestXPerf runs 10", len(goldens))
	}
}

// TestXPerfManual runs the examples of benchstat's manual.
func TestXPerfManual(t *testing.T) {
	dir := xperfTestdata(t)
	const prompt = "//\t$ benchstat "
	examples := 0
	for _, block := range strings.Split(read(t, filepath.Join(dir, "..", "main.go")), "\n//\n") {
		line, want, isExample := strings.Cut(block, "\n")
		if !strings.HasPrefix(line, prompt) || !isExample {
			continue
		}
		examples++
		want = strings.ReplaceAll("\n"+want+"\n", "\n//\t", "\n")[1:]
		opts := Options{Table: ".config"}
		var inputs []results.Input
		words := quoted(strings.TrimPrefix(line, prompt))
		for i := 0; i < len(words); i++ {
			if option, ok := strings.CutPrefix(words[i], "-"); ok {
				i++
				*map[string]*string{"table": &opts.Table, "row": &opts.Row, "col": &opts.Col,
					"ignore": &opts.Ignore, "filter": &opts.Filter}[option] = words[i]
				continue
			}
			label, path, labelled := strings.Cut(words[i], "=")
			if !labelled {
				path = label
			}
			inputs = append(inputs,
				results.Input{Label: label,
					Results: resultstest.Read(t, path, read(t, filepath.Join(dir, path)))})
		}
		c, err := All(inputs, opts)
		if err != nil {
			t.Errorf("%s: %v", line, err)
			continue
		}
		if diff := cmp.Diff(strings.Split(want, "\n"),
			strings.Split(benchstatText(c), "\n")); diff != "" {
			t.Errorf("%s (-benchstat's manual +ours)\n%s", line, diff)
		}
	}
	if examples != 8 {
		t.Errorf("%d examples run of 8", examples)
	}
}

// quoted splits a line like a shell that only supports double quotes.
func quoted(line string) (words []string) {
	for i, part := range strings.Split(line, `"`) {
		if i%2 == 1 {
			words = append(words, part)
		} else {
			words = append(words, strings.Fields(part)...)
		}
	}
	return words
}
