package measure

import (
	"debug/elf"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

func TestNoDebuggingInformation(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("it reads the format of Linux")
	}
	m := newModule(t)
	dir := filepath.Join(m.dir, "sub")
	b := &binaries{tool: goTool{dir: dir, temp: t.TempDir()},
		packages: []pkg{{"example.org/m", dir}}, dir: t.TempDir()}
	for layout, seed := range []int{0, 7} {
		if testing.Short() && seed == 0 {
			continue
		}
		if err := b.build(t.Context(), 0, layout, seed); err != nil {
			t.Fatal(err)
		}
		file, err := elf.Open(b.path(0, layout))
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range file.Sections {
			if strings.Contains(s.Name, "debug") || s.Name == ".symtab" {
				t.Errorf("layout %d, seed %d: section %s", layout, seed, s.Name)
			}
		}
		if err := file.Close(); err != nil {
			t.Error(err)
		}
	}
}
