package main

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
	"golang.org/x/mod/module"
	"golang.org/x/mod/zip"
)

// root of the repository, from the directory of this package
const root = "../../.."

// A manual page must keep the line breaks of the help texts.
func TestWrite(t *testing.T) {
	t.Setenv("SOURCE_DATE_EPOCH", "1000000000")
	dir := t.TempDir()
	for range 2 { // the second time, files are replaced
		if err := write(dir); err != nil {
			t.Fatal(err)
		}
	}
	for _, program := range programs() {
		for _, c := range program.Commands() {
			if !c.IsAvailableCommand() || c.Name() == "help" {
				continue
			}
			name := program.Name() + "-" + c.Name()
			page := read(t, filepath.Join(dir, "man", name+".1"))
			for _, want := range []string{`.TH "` + strings.ToUpper(name) + `" "1" "Sep 2001"`,
				`-help`, "SEE ALSO"} {
				if !strings.Contains(page, want) {
					t.Errorf("%s.1 has no %q", name, want)
				}
			}
			for line := range strings.Lines(c.Long) {
				// roff escapes other characters
				if plain := strings.TrimSpace(line); !strings.ContainsAny(plain, `\-.'`) &&
					!strings.Contains(page, plain) {
					t.Errorf("%s.1 lacks the line %q", name, plain)
				}
			}
		}
		for _, shell := range []string{"bash", "zsh", "fish"} {
			script := read(t, filepath.Join(dir, "completions", program.Name()+"."+shell))
			if !strings.Contains(script, program.Name()) {
				t.Errorf("the completion of %s for %s does not name it", program.Name(), shell)
			}
		}
	}
}

// The release must use the build settings of the Makefile.
func TestConfiguration(t *testing.T) {
	var config struct {
		Builds []struct {
			ID, Main string
			Tags     []string
		}
		Archives []struct {
			Files []any
		}
		Nfpms []struct {
			Contents []struct{ Src string }
		}
	}
	if err := yaml.UnmarshalWithOptions([]byte(read(t, root+"/.goreleaser.yaml")), &config,
		yaml.AllowDuplicateMapKey()); err != nil { // overridden keys of a merged map
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := write(dir); err != nil {
		t.Fatal(err)
	}
	makefile := read(t, root+"/Makefile")
	if len(config.Builds) != 2 || len(config.Archives) != 2 || len(config.Nfpms) != 2 {
		t.Fatalf("want two of each: %+v", config)
	}
	for _, b := range config.Builds {
		if _, err := os.Stat(filepath.Join(root, b.Main)); err != nil {
			t.Errorf("%s: %v", b.ID, err)
		}
		if tags := "-tags=" + strings.Join(b.Tags, ","); !strings.Contains(makefile, tags) {
			t.Errorf("%s: the Makefile does not build with %s", b.ID, tags)
		}
	}
	var sources []string
	for _, a := range config.Archives {
		for _, f := range a.Files {
			switch f := f.(type) {
			case string:
				sources = append(sources, f)
			case map[string]any:
				sources = append(sources, fmt.Sprint(f["src"]))
			}
		}
	}
	for _, n := range config.Nfpms {
		for _, c := range n.Contents {
			sources = append(sources, c.Src)
		}
	}
	for _, s := range sources {
		path := filepath.Join(root, s)
		if written, ok := strings.CutPrefix(s, "bin/release/"); ok {
			path = filepath.Join(dir, written)
		}
		if found, err := filepath.Glob(path); err != nil || len(found) == 0 {
			t.Errorf("%s: no file, %v", s, err)
		}
	}
}

func TestInstall(t *testing.T) {
	if testing.Short() {
		t.Skip("extracts and links modules")
	}
	const path, version = "github.com/poolbench/poolbench", "v0.1.0"
	proxy := t.TempDir()
	at := filepath.Join(proxy, path, "@v")
	if err := os.MkdirAll(at, 0o755); err != nil {
		t.Fatal(err)
	}
	archive, err := os.Create(filepath.Join(at, version+".zip"))
	if err != nil {
		t.Fatal(err)
	}
	defer archive.Close()
	if err := zip.Create(archive, module.Version{Path: path, Version: version},
		tracked(t)); err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string]string{
		version + ".mod":  read(t, root+"/go.mod"),
		version + ".info": fmt.Sprintf(`{"Version":%q,"Time":"2026-01-01T00:00:00Z"}`, version),
		"list":            version + "\n",
	} {
		if err := os.WriteFile(filepath.Join(at, name), []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	cached := strings.TrimSpace(run(t, "go", "env", "GOMODCACHE"))
	bin := t.TempDir()
	t.Setenv("GOBIN", bin)
	t.Setenv("GOMODCACHE", t.TempDir())
	t.Setenv("GOPROXY", "file://"+proxy+",file://"+cached+"/cache/download")
	t.Setenv("GOSUMDB", "off")
	t.Setenv("GONOPROXY", "none")
	t.Setenv("GOPRIVATE", "")
	t.Setenv("GOFLAGS", "-modcacherw -tags=minimal,grpcnotrace -trimpath")
	for _, program := range []string{"benchgate", "poolbench"} {
		run(t, "go", "install", "-ldflags=-s -w", path+"/cmd/"+program+"@"+version)
		said := run(t, filepath.Join(bin, program), "--version")
		if want := program + " " + version + ", go"; !strings.HasPrefix(said, want) {
			t.Errorf("%s --version: %q, want %q", program, said, want)
		}
	}
}

// tracked returns the files of the git index, with uncommitted changes.
func tracked(t *testing.T) (files []zip.File) {
	t.Helper()
	for name := range strings.SplitSeq(strings.TrimRight(
		run(t, "git", "-C", root, "ls-files", "-z"), "\x00"), "\x00") {
		info, err := os.Lstat(filepath.Join(root, name))
		if os.IsNotExist(err) {
			continue // deleted and not committed
		} else if err != nil {
			t.Fatal(err)
		}
		if info.Mode().IsRegular() {
			files = append(files, file{name, info})
		}
	}
	return files
}

type file struct {
	name string
	info os.FileInfo
}

func (f file) Path() string                { return f.name }
func (f file) Lstat() (os.FileInfo, error) { return f.info, nil }
func (f file) Open() (io.ReadCloser, error) {
	return os.Open(filepath.Join(root, f.name))
}

func read(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func run(t *testing.T, name string, args ...string) string {
	t.Helper()
	out, err := exec.Command(name, args...).CombinedOutput()
	if err != nil {
		t.Fatalf("%s %v: %v\n%s", name, args, err, out)
	}
	return string(out)
}
