package measure

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"

	"github.com/poolbench/poolbench/internal/bounded"
	"github.com/poolbench/poolbench/internal/gate/judge"
)

// planFile says what the results beside it are of.
const planFile = "plan.json"

// planVersion is that of the file. Fields may be added within a version.
const planVersion = 1

// A plan is what a gate measures: all that must be the same for it to go on where it was.
type plan struct {
	Format     string      `json:"format"`
	Version    int         `json:"version"`
	Base       revision    `json:"base"`
	Head       revision    `json:"head"`
	Directory  string      `json:"directory"` // of the module, in the repository
	Settings   settings    `json:"settings"`
	Layouts    int         `json:"layouts"` // that there are
	Benchmarks []benchmark `json:"benchmarks"`
	// a line for each benchmark that neither side runs
	Skipped  []string      `json:"skipped,omitempty"`
	Controls [2]benchmark  `json:"controls"`
	Judge    judge.Options `json:"judge"`
}

// settings are those of a gate and of the system it runs on.
type settings struct {
	Packages   []string `json:"packages"`
	Bench      string   `json:"bench"`
	Skip       string   `json:"skip"`
	BenchTime  string   `json:"benchtime"`
	Layouts    int      `json:"layouts"` // that were asked for
	Seed       uint64   `json:"seed"`
	Metrics    []string `json:"metrics"`
	Go         string   `json:"go"`
	Processors int      `json:"processors"`
}

// processors is GOMAXPROCS, which the benchmarks are told to use, and which is in their names.
func processors() int { return runtime.GOMAXPROCS(0) }

func newSettings(o Options, goVersion string) settings {
	return settings{
		Packages: slices.Clone(o.Packages), Bench: o.Bench, Skip: o.Skip,
		BenchTime: o.BenchTime.String(), Layouts: o.Layouts, Seed: o.Seed,
		Metrics: append([]string{}, o.Metrics...), Go: goVersion, Processors: processors(),
	}
}

// readPlan reads that of a directory; nil where it has none.
func readPlan(dir string) (*plan, error) {
	path := filepath.Join(dir, planFile)
	data, err := bounded.ReadFile(path, mostBytes)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	} else if err != nil {
		return nil, err
	}
	p := &plan{}
	if err := json.Unmarshal(data, p); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if p.Version != planVersion {
		return nil, fmt.Errorf("%s: version %d, and this poolbench knows version %d", path,
			p.Version, planVersion)
	}
	return p, nil
}

func (p *plan) write(dir string) error {
	data, err := json.MarshalIndent(p, "", "  ")
	if err != nil {
		return err
	}
	return replaceFile(filepath.Join(dir, planFile), append(data, '\n'))
}

// differs says in what the plan is not the one that is asked for now; "" for nothing.
func (p *plan) differs(now *plan) string {
	for _, c := range []struct {
		what     string
		was, now any
	}{
		{"the base", p.Base.Tree, now.Base.Tree},
		{"the head", p.Head.Tree, now.Head.Tree},
		{"the directory", p.Directory, now.Directory},
	} {
		if c.was != c.now {
			return fmt.Sprintf("%s is another", c.what)
		}
	}
	was, is := reflect.ValueOf(p.Settings), reflect.ValueOf(now.Settings)
	for i := range was.NumField() {
		if a, b := was.Field(i).Interface(), is.Field(i).Interface(); !reflect.DeepEqual(a, b) {
			return fmt.Sprintf("%s was %v, and now is %v", was.Type().Field(i).Tag.Get("json"), a,
				b)
		}
	}
	wasJudge, isJudge := reflect.ValueOf(p.Judge), reflect.ValueOf(now.Judge)
	for i := range wasJudge.NumField() {
		if a, b := wasJudge.Field(i).Interface(), isJudge.Field(i).Interface(); a != b {
			return fmt.Sprintf("%s was %v, and now is %v",
				strings.ToLower(wasJudge.Type().Field(i).Name), a, b)
		}
	}
	return ""
}
