package compare

import (
	"bytes"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/poolbench/poolbench/reports/internal/resultstest"
	"github.com/poolbench/poolbench/reports/results"
)

func xperfTestdata(t *testing.T) string {
	t.Helper()
	out, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "golang.org/x/perf").Output()
	if err != nil {
		t.Fatal(err)
	}
	return filepath.Join(strings.TrimSpace(string(out)), "cmd", "benchstat", "testdata")
}

// compareLikeBenchstat compares files with benchstat's arguments. The tables and warnings must
// equal benchstat's byte for byte. It returns the notes.
func compareLikeBenchstat(t *testing.T, args ...string) (notes string) {
	t.Helper()
	dir := xperfTestdata(t)
	opts := Options{Table: ".config"} // benchstat's default
	var inputs []results.Input
	for i := 0; i < len(args); i++ {
		if option, ok := strings.CutPrefix(args[i], "-"); ok {
			i++
			*map[string]*string{"table": &opts.Table, "row": &opts.Row, "col": &opts.Col,
				"ignore": &opts.Ignore, "filter": &opts.Filter}[option] = args[i]
			continue
		}
		label, path, labelled := strings.Cut(args[i], "=")
		if !labelled {
			path = label
		}
		inputs = append(inputs, results.Input{Label: label,
			Results: resultstest.Read(t, path, read(t, filepath.Join(dir, path)))})
	}
	c, err := All(inputs, opts)
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := WriteCSV(&out, c); err != nil {
		t.Fatal(err)
	}
	if out.Len() == 0 {
		t.Error("nothing was compared")
	}
	stdout, stderr := runBenchstat(t, dir, append([]string{"-format", "csv"}, args...)...)
	warnings := ""
	for _, warning := range CSVWarnings(c) {
		warnings += warning + "\n"
	}
	for _, both := range [][2]string{{stdout, out.String()}, {stderr, warnings}} {
		if diff := cmp.Diff(strings.Split(both[0], "\n"), strings.Split(both[1], "\n")); diff != "" {
			t.Errorf("(-benchstat +ours)\n%s", diff)
		}
	}
	return strings.Join(c.Notes(), "\n")
}

// TestXPerf runs every case of benchstat's own tests (TestCSV, TestCRC, TestUnits, TestZero,
// TestSmallSample, TestIssue19565, TestIssue19634 of its main_test.go).
//
// crcOldNew compares nothing, because a configuration line differs between the files. A note must
// report this.
func TestXPerf(t *testing.T) {
	for _, test := range []struct {
		name string
		args []string
		note string // expected note, which benchstat lacks
	}{
		{"csvOldNew", []string{"old.txt", "new.txt"}, ""},
		{"csvErrors", []string{"-row", ".name", "new.txt"}, ""},
		{"crcOldNew", []string{"crc-old.txt", "crc-new.txt"},
			"nothing to compare: no row (.fullname) has values in two columns (.file) of one " +
				"table (.config)"},
		{"crcIgnore", []string{"-ignore", "note", "crc-old.txt", "crc-new.txt"}, ""},
		{"crcSizeVsPoly", []string{"-filter", "/align:0", "-row", "/size", "-col", "/poly",
			"crc-new.txt"}, ""},
		{"units", []string{"-col", "note", "units.txt"}, ""},
		{"zero", []string{"-col", "note", "zero.txt"}, ""},
		{"smallSample", []string{"-col", "note", "smallSample.txt"}, ""},
		{"issue19565", []string{"-col", "note", "issue19565.txt"}, ""},
		{"issue19634", []string{"-col", "note", "issue19634.txt"}, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			notes := compareLikeBenchstat(t, test.args...)
			if !strings.Contains(notes, test.note) ||
				test.note == "" && strings.Contains(notes, "nothing to compare") {
				t.Errorf("notes:\n%s\nwant %q", notes, test.note)
			}
		})
	}
}

func TestXPerfCases(t *testing.T) {
	goldens, err := filepath.Glob(filepath.Join(xperfTestdata(t), "*.stdout"))
	if err != nil {
		t.Fatal(err)
	}
	if len(goldens) != 10 {
		t.Errorf("benchstat has %d goldens, and TestXPerf runs 10", len(goldens))
	}
}

func TestXPerfManual(t *testing.T) {
	const prompt = "//\t$ benchstat "
	examples := 0
	for line := range strings.Lines(read(t, filepath.Join(xperfTestdata(t), "..", "main.go"))) {
		if args, ok := strings.CutPrefix(line, prompt); ok {
			examples++
			compareLikeBenchstat(t, quoted(strings.TrimSpace(args))...)
		}
	}
	if examples != 8 {
		t.Errorf("%d examples run of 8", examples)
	}
}

// quoted splits a line like a shell that supports only double quotes.
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
