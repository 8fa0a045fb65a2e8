// Package regex registers the workload cpu_regex, which matches with a backtracking engine. It is a
// separate package because of the regexp2 library.
package regex

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"time"

	"github.com/dlclark/regexp2"

	"github.com/poolbench/poolbench/bench/param"
	"github.com/poolbench/poolbench/internal/machine"
	"github.com/poolbench/poolbench/workloads"
)

var _ = workloads.Register(workloads.Spec{
	Name: "cpu_regex",
	Summary: "matches evil input against a vulnerable pattern, with a backtracking engine or " +
		"with Go's linear one",
	Source: "pattern: regular expression denial of service, (/.+)+$ against slashes and a " +
		"line feed",
	Kind: workloads.CPU,
	Keys: []param.Key{
		{Name: "engine", Kind: param.Text, Default: "backtrack",
			Doc: "backtrack (regexp2, in the way of JavaScript) or linear (Go's regexp)"},
		{Name: "n", Kind: param.Int, Default: "18",
			Doc: "number of slashes before the line feed; with backtrack, each multiplies the " +
				"time by 1.6"},
	},
	New: func(_ uint64, v param.Values) (workloads.Workload, error) {
		mean, err := calibrated.Task(matchSizes{v.Text("engine")}, v.Int("n"))
		if err != nil {
			return nil, err
		}
		w := newMatcher(v.Text("engine"), v.Int("n"))
		w.mean = mean
		return w, nil
	},
	Check: checkRegex,
})

// A backtracking engine tries a Fibonacci number of ways on n slashes before it fails. n is bounded
// because regexp2 cannot be cancelled: its timeout leaves a goroutine behind.
const (
	backtrack, maxBacktracked = "backtrack", 32 // about a second
	linear, maxLinear         = "linear", 1 << 20
)

const vulnerable = `(/.+)+$`

func checkRegex(v param.Values) error {
	engine, n, most := v.Text("engine"), v.Int("n"), maxLinear
	switch engine {
	case linear:
	case backtrack:
		most = maxBacktracked
	default:
		return fmt.Errorf("engine: want %s or %s, got %q", backtrack, linear, engine)
	}
	if n < 1 || n > most {
		return fmt.Errorf("n: must be between 1 and %d with engine=%s, got %d", most, engine, n)
	}
	return nil
}

type matchSizes struct{ engine string }

func (m matchSizes) Sized(n int) machine.Doer { return newMatcher(m.engine, n) }

var calibrated machine.Calibration

// The seed has no effect.
type cpuRegex struct {
	input string
	match func(string) (bool, error)
	mean  time.Duration
}

// newMatcher uses the ECMAScript mode of regexp2. In other modes $ also matches before a final line
// feed, so the first attempt would succeed.
func newMatcher(engine string, n int) *cpuRegex {
	w := &cpuRegex{input: strings.Repeat("/", n) + "\n"}
	if engine == backtrack {
		w.match = regexp2.MustCompile(vulnerable, regexp2.ECMAScript).MatchString
		return w
	}
	re := regexp.MustCompile(vulnerable)
	w.match = func(s string) (bool, error) { return re.MatchString(s), nil }
	return w
}

var errMatch = errors.New("the evil input matches")

// Do checks ctx only at the start.
func (w *cpuRegex) Do(ctx context.Context, _ uint64) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	valid, err := w.match(w.input)
	if valid {
		return errMatch
	}
	return err
}

func (w *cpuRegex) Mean() time.Duration { return w.mean }

func (w *cpuRegex) C2() float64 { return 0 }
