package directory_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/poolbench/poolbench/bench"
	"github.com/poolbench/poolbench/bench/result"
	"github.com/poolbench/poolbench/internal/directory"
	"github.com/poolbench/poolbench/internal/rundir"
)

func TestProfiles(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "out")
	write := func(mode directory.Mode, seeds ...uint64) {
		t.Helper()
		d, err := directory.Create(dir, mode)
		if err != nil {
			t.Fatal(err)
		}
		for _, seed := range seeds {
			r := resultOf(t, scenarioOf(t,
				bench.Encoded{Load: 0.5, Limit: 2, Tasks: 500, Seed: seed}))
			r.Profiles = []result.Profile{{Kind: "cpu", Data: []byte{1, byte(seed)}},
				{Kind: "heap", Data: []byte{2, byte(seed)}}}
			if err := d.Write(r); err != nil {
				t.Fatal(err)
			}
		}
		if err := d.Close(len(seeds), nil); err != nil {
			t.Fatal(err)
		}
	}
	there := func(want ...uint64) {
		t.Helper()
		files, err := os.ReadDir(filepath.Join(dir, rundir.ProfilesDir))
		if err != nil || len(files) != 2*len(want) {
			t.Errorf("%d files (%v), want %d", len(files), err, 2*len(want))
		}
		all, _, err := directory.Read(dir)
		if err != nil || len(all) != len(want) {
			t.Fatalf("%d results, %v", len(all), err)
		}
		for i, seed := range want {
			data, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(
				rundir.ProfileFile(all[i].Name, seed, "heap"))))
			if err != nil || string(data) != string([]byte{2, byte(seed)}) {
				t.Errorf("seed %d: %v, %v", seed, data, err)
			}
		}
	}
	write(directory.New, 1, 2)
	there(1, 2)
	write(directory.Append, 3)
	there(1, 2, 3)
	write(directory.Force, 4)
	there(4)
}
