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

func TestResponses(t *testing.T) {
	want := []int64{0, NoResponse, 17_000_000, 1, 1<<62 - 1}
	packer := NewTaskPacker(len(want))
	for i, response := range want {
		packer.Add(int64(i), response != NoResponse, &Parts{0, 0, 0, 0, response})
	}
	packed, err := packer.Pack()
	if err != nil {
		t.Fatal(err)
	}
	var log strings.Builder
	if err := WriteHistogramHead(&log); err != nil {
		t.Fatal(err)
	}
	WriteHistogram(&log, Histogram{Tag: Tag("A", 0, "wait"), Largest: 5, Encoded: "HISTFAAA"})
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
	if err := EachTasks(path, all, func(tag string, tasks *Tasks) {
		found[tag] = tasks.Responses
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
	if err := EachTasks(path+"x", all, nil); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a log that is not there: %v", err)
	}
	for _, n := range []int{0, len(want) - 1, len(want) + 1, maxOfRun + 1} {
		if _, err := UnpackTasks(n, packed); err == nil {
			t.Errorf("%d of %d responses are no error", n, len(want))
		}
	}
}

func FuzzResponses(f *testing.F) {
	packer := NewTaskPacker(3)
	for i := range int64(3) {
		packer.Add(7*i, true, &Parts{i, 0, 900 * i})
	}
	packed, err := packer.Pack()
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
		all, err := UnpackTasks(tasks, packed)
		got := all.Responses
		if err == nil && (len(got) != tasks || slices.Min(got) < NoResponse) {
			t.Errorf("%d responses, want %d: %v", len(got), tasks, got)
		}
		if err != nil || all.Parts == nil {
			return
		}
		for i, p := range all.Parts {
			sum := int64(0)
			for _, v := range p {
				sum += v
			}
			if from, until := all.Due(i); sum != max(got[i], 0) || slices.Min(p[:]) < 0 ||
				from < 0 || until < from {
				t.Errorf("task %d, due from %d to %d, took %d: %v", i, from, until, got[i], p)
			}
		}
	})
}
