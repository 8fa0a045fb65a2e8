package house_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestTargets: each package in which a target of the Makefile runs tests or benchmarks by name has
// some of that name, and each name is in one of its packages: go test is content with none.
func TestTargets(t *testing.T) {
	makefile, err := os.ReadFile("../../Makefile")
	if err != nil {
		t.Fatal(err)
	}
	calls := 0
	for _, line := range strings.Split(string(makefile), "\n") {
		calls += len(patterns(line))
		for _, fault := range unnamed(t, "../..", line) {
			t.Errorf("%s\n%s", fault, line)
		}
	}
	if calls < 15 {
		t.Errorf("only %d names of tests are in the Makefile", calls)
	}
}

// TestTargetsTest: a name that no package has, a package without the name, and one of two names.
func TestTargetsTest(t *testing.T) {
	for line, want := range map[string]int{
		"\t$(GO) test -run '^TestTargets$$' ./internal/house":                         0,
		"\tcd internal && $(GO) test -run '^TestTargets$$' ./house":                   0,
		"\t$(GO) test -run '^TestTargets$$' ./internal/house/check":                   1,
		"\t$(GO) test -run '^TestTarget$$' ./internal/house":                          1,
		"\t$(GO) test -run '^(TestTargets|TestNone)$$' ./internal/house":              1,
		"\t$(GO) test -run '^$$' -bench '^BenchmarkX$$' ./internal/house":             1,
		"\t$(GO) test -run '^TestTargets$$' ./internal/house ./internal/house/nobody": 1,
	} {
		if faults := unnamed(t, "../..", line); len(faults) != want {
			t.Errorf("%s: %q, want %d", line, faults, want)
		}
	}
}

var (
	testPattern = regexp.MustCompile(`-(run|bench) '\^(\(?[A-Z]\w*[^']*)'`)
	ofSeveral   = regexp.MustCompile(`^(.*)\((.*)\)(.*)$`)
	inFolder    = regexp.MustCompile(`^\tcd (\S+) &&`)
	testPackage = regexp.MustCompile(` \./(\S*)`)
	testNamed   = regexp.MustCompile(`(?m)^func ((?:Test|Benchmark)\w*)\(`)
)

// patterns are what go test is to run by a line.
func patterns(line string) (found []string) {
	if strings.Contains(line, "$(GO) test") {
		for _, m := range testPattern.FindAllStringSubmatch(line, -1) {
			found = append(found, strings.ReplaceAll("^"+m[2], "$$", "$"))
		}
	}
	return found
}

// unnamed says of a line which of its packages has no test of its pattern, and which of the names
// none of them has.
func unnamed(t *testing.T, root, line string) (faults []string) {
	t.Helper()
	var folder string
	if m := inFolder.FindStringSubmatch(line); m != nil {
		folder = m[1]
	}
	packages := testPackage.FindAllStringSubmatch(line, -1)
	if len(packages) == 0 {
		packages = [][]string{{"", ""}}
	}
	for _, pattern := range patterns(line) {
		var all []string
		matches := regexp.MustCompile(pattern).MatchString
		for _, p := range packages {
			files, err := filepath.Glob(filepath.Join(root, folder, p[1], "*_test.go"))
			if err != nil {
				t.Fatal(err)
			}
			var names []string
			for _, f := range files {
				text, err := os.ReadFile(f)
				if err != nil {
					t.Fatal(err)
				}
				for _, m := range testNamed.FindAllStringSubmatch(string(text), -1) {
					names = append(names, m[1])
				}
			}
			if !slices.ContainsFunc(names, matches) {
				faults = append(faults, "./"+p[1]+" has no "+pattern)
			}
			all = append(all, names...)
		}
		if m := ofSeveral.FindStringSubmatch(pattern); m != nil {
			for name := range strings.SplitSeq(m[2], "|") {
				if !slices.ContainsFunc(all, regexp.MustCompile(m[1]+name+m[3]).MatchString) {
					faults = append(faults, "no package has "+m[1]+name+m[3])
				}
			}
		}
	}
	return faults
}
