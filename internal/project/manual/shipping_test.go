package manual

import (
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
)

func TestYAML(t *testing.T) {
	texts := map[string]string{}
	for _, pattern := range []string{"*.yml", "*.yaml", ".*.yaml", ".github/*/*.yml",
		"templates/*.yml"} {
		found, err := filepath.Glob(filepath.Join(checkout, pattern))
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range found {
			texts[path] = read(t, path)
		}
	}
	for _, page := range pages(t) {
		for i, block := range blocks(read(t, page)) {
			if block.language == "yaml" {
				texts[fmt.Sprint(page, " block ", i)] = block.text
			}
		}
	}
	if len(texts) < 8 {
		t.Errorf("only %d YAML texts", len(texts))
	}
	for path, text := range texts {
		var v map[string]any
		if err := yaml.Unmarshal([]byte(text), &v); err != nil || len(v) == 0 {
			t.Errorf("%s: %v", path, err)
		}
	}
}

// licences contains words that identify a licence, first match first.
var licences = []struct{ name, words string }{
	{"FTL", "The FreeType Project LICENSE"}, // freetype offers two licences
	{"CC-BY-4.0", "Creative Commons Attribution 4.0"},
	{"Apache-2.0", "Apache License"},
	{"MPL-2.0", "Mozilla Public License"},
	{"MIT", "Permission is hereby granted, free of charge"},
	{"BSD-3-Clause", "Neither the name"},
	{"BSD-3-Clause", "names of its contributors"},
	{"BSD-2-Clause", "Redistributions of source code must retain"},
}

// notices returns the licences of modules linked on any system, without the Apache License, which
// is in LICENSE.
func notices(t *testing.T) string {
	t.Helper()
	dirs := map[string]string{} // directory by module and version
	for _, system := range []string{"linux", "darwin", "windows", "freebsd"} {
		cmd := exec.Command("go", "list", "-deps", "-f",
			"{{with .Module}}{{if not .Main}}{{.Path}} {{.Version}}\t{{.Dir}}{{end}}{{end}}",
			"github.com/poolbench/poolbench"+"/cmd/poolbench")
		// the build tags of make would exclude some modules
		cmd.Env = append(os.Environ(), "GOOS="+system, "GOARCH=amd64", "CGO_ENABLED=0", "GOFLAGS=")
		out, err := cmd.Output()
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(out)) {
			if name, dir, ok := strings.Cut(strings.TrimSpace(line), "\t"); ok {
				dirs[name] = dir
			}
		}
	}
	var table, texts strings.Builder
	for _, name := range slices.Sorted(maps.Keys(dirs)) {
		files, err := filepath.Glob(dirs[name] + "/[Ll][Ii][Cc][Ee][Nn][SsCc][Ee]*")
		if offered, _ := filepath.Glob(dirs[name] + "/licenses/ftl.txt"); len(offered) > 0 {
			files = offered
		}
		if err != nil || len(files) == 0 {
			t.Errorf("%s has no licence in %s", name, dirs[name])
			continue
		}
		text := strings.ReplaceAll(read(t, files[0]), "\r\n", "\n")
		i := slices.IndexFunc(licences, func(l struct{ name, words string }) bool {
			return strings.Contains(strings.Join(strings.Fields(text), " "), l.words)
		})
		if i < 0 {
			t.Errorf("%s has an unknown licence", name)
			continue
		}
		module, version, _ := strings.Cut(name, " ")
		fmt.Fprintf(&table, "| %s | %s | %s |\n", module, version, licences[i].name)
		if licences[i].name == "Apache-2.0" {
			text = "Apache License 2.0, see LICENSE.\n"
			if notice, err := os.ReadFile(dirs[name] + "/NOTICE"); err == nil {
				text += "\n" + string(notice)
			}
		}
		text = regexp.MustCompile(`(?m)[ \t]+$`).ReplaceAllString(strings.Trim(text, "\n"), "")
		fmt.Fprintf(&texts, "\n## %s\n\n~~~\n%s\n~~~\n", module, text)
	}
	return "# Third-party notices\n\nThe command links these modules. `make generate` writes " +
		"this file.\n\n" +
		"| module | version | licence |\n|---|---|---|\n" + table.String() + texts.String()
}

// The flag -update (make generate) writes THIRD_PARTY.md.
func TestThirdParty(t *testing.T) {
	path := filepath.Join(checkout, "THIRD_PARTY.md")
	want := notices(t)
	if *update {
		if err := os.WriteFile(path, []byte(want), 0o666); err != nil {
			t.Fatal(err)
		}
	} else if read(t, path) != want {
		t.Error("THIRD_PARTY.md is behind go.mod: make generate")
	}
}
