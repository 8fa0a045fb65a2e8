package machine

import (
	"context"
	"fmt"
	"path"
	"path/filepath"
	"runtime"
	"runtime/pprof"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"

	"github.com/poolbench/poolbench/internal/text"
)

// A Mark identifies a goroutine and all goroutines that it starts, directly or indirectly. It is a
// pprof label, which the runtime copies to each new goroutine at no cost. A function started by a
// timer (time.AfterFunc) has no label.
type Mark string

const label = "poolbench-run"

var marks atomic.Uint64

func NewMark() Mark { return Mark(fmt.Sprint(marks.Add(1))) }

// Set keeps the labels of ctx.
func (m Mark) Set(ctx context.Context) { pprof.SetGoroutineLabels(m.Labelled(ctx)) }

func (m Mark) Labelled(ctx context.Context) context.Context {
	return pprof.WithLabels(ctx, pprof.Labels(label, string(m)))
}

// Stacks stops the world for some microseconds per goroutine.
func (m Mark) Stacks() Stacks {
	return m.parse(goroutines())
}

// Where omits goroutines in the harness.
func (m Mark) Where() string {
	if all := m.Stacks().Foreign(); len(all) > 0 {
		return "\n" + all.String()
	}
	return ""
}

// In the profile each block has a count, the labels, and one line per frame.
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
				// the first line of the profile has a different form and no labels
				count, _, _ := strings.Cut(line, " @")
				s.Count, _ = strconv.Atoi(count)
			}
		}
		if marked {
			all = append(all, s)
		}
	}
	return all
}

// Stacks is a list of goroutines, grouped by their stack.
type Stacks []Stack

type Stack struct {
	Count  int
	Frames []Frame // innermost call first
}

type Frame struct {
	Func string // includes the path of its package
	At   string // file:line
}

func (f Frame) String() string {
	return fmt.Sprintf("%s (%s)", path.Base(f.Func), filepath.Base(f.At))
}

// In a deferred function after a panic or runtime.Goexit, StacksHere returns the stack at the
// origin.
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

var harness = []string{
	"runtime", "runtime/pprof", "testing", "testing/synctest", "internal/synctest", "internal/sync",
	"github.com/poolbench/poolbench/internal/machine",
	"github.com/poolbench/poolbench/internal/machine/pace",
	"github.com/poolbench/poolbench/bench",
	"github.com/poolbench/poolbench/strategies/strategytest",
}

var waitingPackages = []string{"time", "sync", "syscall", "golang.org/x/sys/unix"}

// Foreign removes the calls of the harness, and the stacks without other calls.
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

// NotOf omits goroutines whose first function is in one of the packages.
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

func (s Stacks) Goroutines() (n int) {
	for _, stack := range s {
		n += stack.Count
	}
	return n
}

// function is named without the path of its package.
func (s Stacks) Contains(function string) bool {
	return slices.ContainsFunc(s, func(stack Stack) bool { return stack.contains(function) })
}

func (s Stack) contains(function string) bool {
	return slices.ContainsFunc(s.Frames, func(f Frame) bool {
		return path.Base(f.Func) == function
	})
}

func (s Stacks) First(function string) Stacks {
	var first, then Stacks
	for _, stack := range s {
		if stack.contains(function) {
			first = append(first, stack)
		} else {
			then = append(then, stack)
		}
	}
	return append(first, then...)
}

const (
	maxStacks = 6
	maxFrames = 8
)

func (s Stacks) String() string {
	var text strings.Builder
	for i, stack := range s {
		if i == maxStacks {
			fmt.Fprintf(&text, "%d more goroutines\n", s[i:].Goroutines())
			break
		}
		if stack.Count == 1 {
			text.WriteString("1 goroutine:\n")
		} else {
			fmt.Fprintf(&text, "%d goroutines:\n", stack.Count)
		}
		for k, f := range stack.Frames {
			if k == maxFrames {
				fmt.Fprintf(&text, "    … %d more calls\n", len(stack.Frames)-k)
				break
			}
			fmt.Fprintf(&text, "    %s\n", f)
		}
	}
	return strings.TrimSuffix(text.String(), "\n")
}

func (s Stacks) Brief() string {
	if len(s) == 0 {
		return "nowhere"
	}
	return strings.Join(text.Texts(s[0].Frames[:min(3, len(s[0].Frames))], Frame.String), " ← ")
}
