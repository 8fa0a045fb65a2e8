package rundir

import (
	"path"
	"slices"
	"strings"
	"testing"
)

func TestProfileFile(t *testing.T) {
	seen := map[string]bool{}
	for _, name := range []string{"Run/strategy=worker_pool/limit=4", "Run/strategy=worker_pool/limit=8",
		"Run/strategy=..%2F..%2Fetc:a=b,c/x", "Attack/target=a/rate=5", "Run/strategy=" +
			strings.Repeat("retry+", 90), "Run/strategy=\n\x00/x", ""} {
		for _, kind := range []string{"cpu", "heap"} {
			for seed := range uint64(2) {
				file := ProfileFile(name, seed, kind)
				if dir, base := path.Split(file); dir != ProfilesDir+"/" || seen[file] ||
					len(base) > 100 || strings.HasPrefix(base, ".") ||
					strings.Trim(strings.ToLower(base), "abcdefghijklmnopqrstuvwxyz0123456789_-.") != "" {
					t.Errorf("%q %s: %q", name, kind, file)
				}
				seen[file] = true
			}
		}
	}
	if got := ProfilesOf("Run/strategy=a/profile=cpu+heap/clock=real"); !slices.Equal(got,
		[]string{"cpu", "heap"}) {
		t.Error(got)
	}
	if got := ProfilesOf("Run/strategy=a/clock=real"); got != nil {
		t.Error(got)
	}
}
