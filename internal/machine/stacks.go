package machine

import (
	"bytes"
	"context"
	"fmt"
	"path"
	"path/filepath"
	"runtime"
	"runtime/pprof"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/poolbench/poolbench/internal/text"
)

// A Mark is on the goroutine that set it, and on those that it starts, and they start, and so on.
// It tells the goroutines of one run from all others of the process: of another run, of the test
// around it, of libraries.
//
// It is a pprof label, which the runtime hands on to each new goroutine at no cost. A function that
// a timer starts (time.AfterFunc) has none.
type Mark string

const label = "poolbench-run"

var marks atomic.Uint64

// NewMark makes one that no other run has.
func NewMark() Mark { return Mark(fmt.Sprint(marks.Add(1))) }

// Set marks the calling goroutine. It keeps the labels of ctx beside.
func (m Mark) Set(ctx context.Context) { pprof.SetGoroutineLabels(m.Labelled(ctx)) }

// Labelled is ctx with the mark among its labels, for whoever sets others.
func (m Mark) Labelled(ctx context.Context) context.Context {
	return pprof.WithLabels(ctx, pprof.Labels(label, string(m)))
}

// Stacks returns those of the goroutines that have the mark. It stops the world for some
// microseconds a goroutine.
func (m Mark) Stacks() Stacks {
	var profile bytes.Buffer
	_ = pprof.Lookup("goroutine").WriteTo(&profile, 1) // a bytes.Buffer takes everything
	return m.parse(profile.String())
}

// Where shows on lines of their own what the marked goroutines do in the code of others; "" where
// there are none.
func (m Mark) Where() string {
	if all := m.Stacks().Foreign(); len(all) > 0 {
		return "\n" + all.String()
	}
	return ""
}

// parse reads a goroutine profile in its text form: blocks of a count, the labels, and a line a
// frame, in columns.
func (m Mark) parse(profile string) (all Stacks) {
	mine := fmt.Sprintf("%q:%q", label, m)
	for block := range strings.SplitSeq(profile, "\n\n") {
		var s Stack
		marked := false
		for line := range strings.Lines(block) {
			column := strings.FieldsFunc(line, func(r rune) bool { return r == '\t' || r == '\n' })
			switch {
			case strings.HasPrefix(line, "# labels: "):
				marked = strings.Contains(line, mine)
			case strings.HasPrefix(line, "#\t") && len(column) == 4:
				function, _, _ := strings.Cut(column[2], "+0x")
				s.Frames = append(s.Frames, Frame{function, column[3]})
			case s.Count == 0:
				// the first line of all has another form, and no labels
				_, _ = fmt.Sscanf(line, "%d @", &s.Count)
			}
		}
		if marked {
			all = append(all, s)
		}
	}
	return all
}

// Stacks are goroutines, those with the same stack as one.
type Stacks []Stack

// A Stack is what Count goroutines do.
type Stack struct {
	Count  int
	Frames []Frame // the innermost call first
}

// A Frame is one call.
type Frame struct {
	Func string // with the path of its package
	At   string // file:line
}

// String is short: the package's name without its path, the file's without its directory.
func (f Frame) String() string {
	return fmt.Sprintf("%s (%s)", path.Base(f.Func), filepath.Base(f.At))
}

// StacksHere is the stack of the caller; in a deferred function that has met with a panic or
// runtime.Goexit, that of what did it.
func StacksHere() Stacks {
	pc := make([]uintptr, 128)
	frames := runtime.CallersFrames(pc[:runtime.Callers(2, pc)])
	s, interrupted := Stack{Count: 1}, false
	for more := true; more; {
		var f runtime.Frame
		f, more = frames.Next()
		s.Frames = append(s.Frames, Frame{f.Function, fmt.Sprintf("%s:%d", f.File, f.Line)})
		if !interrupted && (f.Function == "runtime.gopanic" || f.Function == "runtime.Goexit") {
			s.Frames, interrupted = nil, true
		}
	}
	return Stacks{s}
}

// harness are the packages whose calls say nothing of the code under test.
var harness = []string{
	"runtime", "runtime/pprof", "testing", "testing/synctest", "internal/synctest", "internal/sync",
	"github.com/poolbench/poolbench/internal/machine",
	"github.com/poolbench/poolbench/internal/machine/pace",
	"github.com/poolbench/poolbench/bench",
	"github.com/poolbench/poolbench/strategies/strategytest",
}

// waitingPackages are the packages that the harness itself waits by.
var waitingPackages = []string{"time", "sync", "syscall", "golang.org/x/sys/unix"}

// Foreign leaves out the calls of the harness, and the stacks in which nobody else's code is.
func (s Stacks) Foreign() (left Stacks) {
	for _, stack := range s {
		all := stack.Frames
		stack.Frames = slices.DeleteFunc(slices.Clone(all), func(f Frame) bool {
			return slices.Contains(harness, f.pkg())
		})
		sleeps := len(stack.Frames) < len(all) &&
			!slices.ContainsFunc(stack.Frames, func(f Frame) bool {
				return !slices.Contains(waitingPackages, f.pkg())
			})
		if len(stack.Frames) > 0 && !sleeps {
			left = append(left, stack)
		}
	}
	return left
}

// NotOf leaves out the goroutines that begin in one of the packages.
func (s Stacks) NotOf(packages ...string) Stacks {
	return slices.DeleteFunc(s, func(stack Stack) bool {
		own := slices.DeleteFunc(slices.Clone(stack.Frames), func(f Frame) bool {
			return f.pkg() == "runtime"
		})
		return len(own) > 0 && slices.Contains(packages, own[len(own)-1].pkg())
	})
}

func (f Frame) pkg() string {
	name, _, _ := strings.Cut(path.Base(f.Func), ".")
	return path.Join(path.Dir(f.Func), name)
}

// Goroutines counts them.
func (s Stacks) Goroutines() (n int) {
	for _, stack := range s {
		n += stack.Count
	}
	return n
}

// In says whether one of the goroutines is in a call of that function; its name is without the path
// of its package.
func (s Stacks) In(function string) bool {
	return slices.ContainsFunc(s, func(stack Stack) bool { return stack.in(function) })
}

func (s Stack) in(function string) bool {
	return slices.ContainsFunc(s.Frames, func(f Frame) bool {
		return path.Base(f.Func) == function
	})
}

// First puts those in front that are in a call of that function.
func (s Stacks) First(function string) Stacks {
	var first, then Stacks
	for _, stack := range s {
		if stack.in(function) {
			first = append(first, stack)
		} else {
			then = append(then, stack)
		}
	}
	return append(first, then...)
}

// Most of what is shown.
const (
	mostStacks = 6
	mostFrames = 8
)

// String has a line a call, and says what it leaves out.
func (s Stacks) String() string {
	var text strings.Builder
	for i, stack := range s {
		if i == mostStacks {
			fmt.Fprintf(&text, "%d more goroutines\n", s[i:].Goroutines())
			break
		}
		if stack.Count == 1 {
			text.WriteString("1 goroutine:\n")
		} else {
			fmt.Fprintf(&text, "%d goroutines:\n", stack.Count)
		}
		for k, f := range stack.Frames {
			if k == mostFrames {
				fmt.Fprintf(&text, "    … %d more calls\n", len(stack.Frames)-k)
				break
			}
			fmt.Fprintf(&text, "    %s\n", f)
		}
	}
	return strings.TrimSuffix(text.String(), "\n")
}

// Brief is the innermost calls of the first stack, in one line.
func (s Stacks) Brief() string {
	if len(s) == 0 {
		return "nowhere"
	}
	return strings.Join(text.Texts(s[0].Frames[:min(3, len(s[0].Frames))], Frame.String), " ← ")
}
