package rundir

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestResponses: what is written is read again, of the runs that are wanted, beside histograms and
// without a line that was cut off.
func TestResponses(t *testing.T) {
	want := []int64{0, NoResponse, 17_000_000, 1, 1<<62 - 1}
	packed, err := PackResponses(len(want), func(i int) int64 { return want[i] })
	if err != nil {
		t.Fatal(err)
	}
	var log strings.Builder
	if err := WriteHistogramHead(&log); err != nil {
		t.Fatal(err)
	}
	WriteHistogram(&log, Tag("A", 0, "wait"), 5, "HISTFAAA")
	for _, name := range []string{"A", "B=1,c=2", "C"} {
		WriteResponses(&log, Tag(name, 0, "tasks"), len(want), packed)
	}
	path := filepath.Join(t.TempDir(), DistributionsFile)
	if err := os.WriteFile(path, []byte(strings.TrimSuffix(log.String(), "\n")),
		0o600); err != nil {
		t.Fatal(err)
	}
	found := map[string][]int64{}
	all := func(string) bool { return true }
	if err := EachResponses(path, all, func(tag string, responses []int64) {
		found[tag] = responses
	}); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"A#0:tasks", "B=1;c=2#0:tasks"} {
		if !slices.Equal(found[name], want) {
			t.Errorf("%s: %v, want %v", name, found[name], want)
		}
	}
	if len(found) != 2 {
		t.Errorf("found %v", found)
	}
	if err := EachResponses(path+"x", all, nil); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a log that is not there: %v", err)
	}
	for _, n := range []int{0, len(want) - 1, len(want) + 1, mostOfRun + 1} {
		if _, err := UnpackResponses(n, packed); err == nil {
			t.Errorf("%d of %d responses are no error", n, len(want))
		}
	}
}

// FuzzResponses: whatever the line, there are as many responses as it says, or an error.
func FuzzResponses(f *testing.F) {
	packed, err := PackResponses(3, func(i int) int64 { return int64(i * 1000) })
	if err != nil {
		f.Fatal(err)
	}
	var line strings.Builder
	WriteResponses(&line, "A#0:tasks", 3, packed)
	for _, text := range []string{strings.TrimSpace(line.String()), "#Tasks=A,1,",
		"#Tasks=A,9,AAAA", "#Tasks=A,-1,AAAA", "Tag=A"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		_, tasks, packed, ok := ParseResponses(text)
		if !ok {
			return
		}
		got, err := UnpackResponses(tasks, packed)
		if err == nil && (len(got) != tasks || slices.Min(got) < NoResponse) {
			t.Errorf("%d responses, want %d: %v", len(got), tasks, got)
		}
	})
}
