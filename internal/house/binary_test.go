package house_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/poolbench/poolbench/internal/house/check"
)

// executors look a method up by its name: where the linker meets one, it keeps every exported
// method of every type, 11 MB of the command.
var executors = []string{"text/template", "html/template"}

// TestNoExecutor: nothing but tests executes a template of the standard library. Pages are made of
// components, requests by an executor that calls no methods.
func TestNoExecutor(t *testing.T) {
	for _, p := range packages(t) {
		for _, e := range executors {
			if slices.Contains(p.Imports, e) {
				t.Errorf("%s imports %s", p.ImportPath, e)
			}
		}
	}
}

// mostBinary is the size of the command up to which it is worth a download, in bytes.
const mostBinary = 60_000_000

// TestBinary: the command that make build makes is small enough, and nothing in it looks methods up
// by their names; else the linker says by which way it comes to what does.
func TestBinary(t *testing.T) {
	check.Only(t)
	lookAround(t)
	path := filepath.Join(t.TempDir(), "poolbench")
	says := exec.Command("make", "-n", "--no-print-directory", "build", "BIN="+path)
	says.Dir = "../.."
	recipe, err := says.Output()
	const flags = "-ldflags '-s -w"
	if err != nil || bytes.Count(recipe, []byte(flags)) != 1 {
		t.Fatalf("%v: %s", err, recipe)
	}
	build := exec.Command("sh", "-c", strings.Replace(string(recipe), flags, flags+" -dumpdep", 1))
	build.Dir = "../.."
	var met bytes.Buffer
	build.Stderr = &met
	if err := build.Run(); err != nil {
		t.Fatalf("%v: %s", err, met.Bytes()[max(0, met.Len()-1000):])
	}
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d bytes", info.Size())
	if info.Size() > mostBinary {
		t.Errorf("the command has %d bytes, want at most %d", info.Size(), mostBinary)
	}
	if way := toLookup(met.String()); way != nil {
		t.Errorf("the command looks methods up by name: %s", strings.Join(way, " <- "))
	}
}

// toLookup is the way from the first function that looks methods up by name back to where the
// linker began, by what it says of what it met: a line "function -> what it needs" each. It is nil
// where there is none.
func toLookup(met string) (way []string) {
	from, first := map[string]string{}, ""
	for line := range strings.Lines(met) {
		user, used, ok := strings.Cut(strings.TrimSpace(line), " -> ")
		if !ok {
			continue
		}
		if first == "" && strings.HasSuffix(used, "<ReflectMethod>") {
			first = used
		}
		user, _, _ = strings.Cut(user, " <")
		used, _, _ = strings.Cut(used, " <")
		if _, known := from[used]; !known {
			from[used] = user
		}
	}
	for at, _, _ := strings.Cut(first, " <"); at != "" && !slices.Contains(way, at); at = from[at] {
		way = append(way, at)
	}
	return way
}

// TestToLookup: the way is found.
func TestToLookup(t *testing.T) {
	const met = `# linking
_ -> main.main
main.main -> a.F
a.F -> go:string."x -> y"
a.F -> type:a.T <UsedInIface>
type:a.T <UsedInIface> -> a.(*T).M
a.(*T).M -> template.eval <ReflectMethod>
template.eval <ReflectMethod> -> other.eval <ReflectMethod>
`
	want := []string{"template.eval", "a.(*T).M", "type:a.T", "a.F", "main.main", "_"}
	if got := toLookup(met); !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if got := toLookup("_ -> main.main\n"); got != nil {
		t.Errorf("%q", got)
	}
}
