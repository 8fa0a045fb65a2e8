package measure

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestFixReplacements(t *testing.T) {
	m := newModule(t)
	checkout := filepath.Join(t.TempDir(), "elsewhere")
	if err := os.MkdirAll(filepath.Join(checkout, "sub"), 0o777); err != nil {
		t.Fatal(err)
	}
	const before = `module example.org/m

go 1.24

replace (
	example.org/beside => ../../beside
	example.org/below v1.2.3 => ../../deep/er
	example.org/inside => ../inside
	example.org/own => ./own
	example.org/other => example.org/fork v1.0.0
)
`
	file := filepath.Join(checkout, "sub", "go.mod")
	if err := os.WriteFile(file, []byte(before), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := (goTool{side: head, dir: filepath.Join(checkout, "sub"),
		temp: t.TempDir()}).fixReplacements(t.Context(), checkout, m.dir); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	parent := filepath.Dir(m.dir)
	for _, want := range []string{
		"example.org/beside => " + filepath.Join(parent, "beside") + "\n",
		"example.org/below v1.2.3 => " + filepath.Join(parent, "deep/er") + "\n",
		"example.org/inside => ../inside\n", "example.org/own => ./own\n",
		"example.org/other => example.org/fork v1.0.0\n",
	} {
		if !strings.Contains(string(text), want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
}
