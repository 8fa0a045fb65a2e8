package measure

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"

	"github.com/poolbench/poolbench/internal/files"
	"github.com/poolbench/poolbench/internal/gate/judge"
	"github.com/poolbench/poolbench/internal/gate/verdict"
	"github.com/poolbench/poolbench/internal/rundir"
	"github.com/poolbench/poolbench/internal/text"
)

const PlanFile = "plan.json"

const planVersion = 1

type plan struct {
	Format     string      `json:"format"`
	Version    int         `json:"version"`
	Base       revision    `json:"base"`
	Head       revision    `json:"head"`
	Directory  string      `json:"directory"` // directory of the module in the repository
	Settings   Settings    `json:"settings"`
	Layouts    int         `json:"layouts"` // number of existing layouts
	Benchmarks []benchmark `json:"benchmarks"`
	// a line for each benchmark that neither side runs
	Skipped []string `json:"skipped,omitempty"`
	// Added are benchmarks that only the head has, Removed are benchmarks that only the base has.
	Added    []string      `json:"added,omitempty"`
	Removed  []string      `json:"removed,omitempty"`
	Controls [2]benchmark  `json:"controls"`
	Judge    judge.Options `json:"judge"`
}

type Settings struct {
	Packages   []string `json:"packages"`
	Bench      string   `json:"bench"`
	Skip       string   `json:"skip"`
	BenchTime  string   `json:"benchtime"`
	Layouts    int      `json:"layouts"` // as requested
	Seed       uint64   `json:"seed"`
	Metrics    []string `json:"metrics"`
	Better     []string `json:"better,omitempty"`
	Args       []string `json:"args,omitempty"`
	Setup      string   `json:"setup,omitempty"`
	Allow      []string `json:"allow,omitempty"` // accepted growth of allocations
	Go         string   `json:"go"`
	Processors int      `json:"processors"`
}

func processors() int { return runtime.GOMAXPROCS(0) }

// Settings returns everything that must be equal for results to belong together, except the
// revisions and the rules of the decision.
func (o Options) Settings(goVersion string) Settings {
	var better []string
	for _, unit := range slices.Sorted(maps.Keys(o.Better)) {
		better = append(better, fmt.Sprintf("%s %+d", unit, o.Better[unit]))
	}
	return Settings{
		Args: o.Args, Setup: o.Setup, Better: better,
		Allow:    text.Texts(o.Allow, verdict.Allowance.String),
		Packages: slices.Clone(o.Packages), Bench: o.Bench, Skip: o.Skip,
		BenchTime: o.BenchTime.String(), Layouts: o.Layouts, Seed: o.Seed,
		Metrics: append([]string{}, o.Metrics...), Go: goVersion, Processors: processors(),
	}
}

func readPlan(dir string) (*plan, error) {
	path := filepath.Join(dir, PlanFile)
	data, err := files.ReadFile(path, maxBytes)
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
	return files.Write(filepath.Join(dir, PlanFile), append(data, '\n'))
}

func (p *plan) differs(now *plan) string {
	switch {
	case p.Base.Tree != now.Base.Tree:
		return "the base is a different one"
	case p.Head.Tree != now.Head.Tree:
		return "the head is a different one"
	case p.Directory != now.Directory:
		return "the directory is a different one"
	}
	return cmp.Or(Changed(p.Settings, now.Settings), Changed(p.Judge, now.Judge))
}

func Changed[T any](before, now T) string {
	was, is := reflect.ValueOf(before), reflect.ValueOf(now)
	for i := range was.NumField() {
		if a, b := was.Field(i).Interface(), is.Field(i).Interface(); !reflect.DeepEqual(a, b) {
			field := was.Type().Field(i)
			return fmt.Sprintf("%s was %v, and now is %v",
				cmp.Or(field.Tag.Get("json"), strings.ToLower(field.Name)), a, b)
		}
	}
	return ""
}

// With force the directory must contain a gate. close removes created directories that are still
// empty.
func openOut(dir string, force bool, beside string) (close func() error, err error) {
	var made []string
	for at := dir; ; at = filepath.Dir(at) {
		if _, err := os.Lstat(at); !errors.Is(err, fs.ErrNotExist) {
			break
		}
		made = append(made, at)
	}
	if err := files.MakeDir(dir); err != nil {
		return nil, fmt.Errorf("--out: %w", err)
	}
	held, err := files.LockDir(dir)
	close = func() error {
		var err error
		if held != nil {
			err = held.Release()
		}
		for _, at := range made {
			_ = os.Remove(at)
		}
		return err
	}
	if err == nil && force {
		err = holdsGate(dir, beside)
	}
	if err != nil {
		return nil, errors.Join(err, close())
	}
	return close, nil
}

func holdsGate(dir, beside string) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	others := slices.DeleteFunc(entries, func(e fs.DirEntry) bool {
		path, err := filepath.Abs(beside)
		return e.Name() == files.LockName || err == nil && path == filepath.Join(dir, e.Name())
	})
	if _, err := os.Stat(filepath.Join(dir, PlanFile)); err != nil && len(others) > 0 {
		return fmt.Errorf("%s exists and contains no gate (it has no %s)", dir, PlanFile)
	}
	return nil
}

func removeGate(dir string) error {
	for _, name := range slices.Concat(resultFiles[:], controlFiles[:],
		[]string{rundir.ReportFile, PlanFile}) {
		if err := files.Remove(filepath.Join(dir, name)); err != nil {
			return err
		}
	}
	return nil
}
