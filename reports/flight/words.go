package flight

import (
	"fmt"
	"time"

	"github.com/poolbench/poolbench/internal/text/prose"
	"github.com/poolbench/poolbench/internal/text/quantity"
)

// least is the share of the task's time from which on something is worth a word.
const least = 0.05

// String says in one sentence what the trace shows.
func (a *Account) String() string {
	text := fmt.Sprintf("task %d took %s, %s of it before its start", a.Task, seconds(a.Response),
		seconds(a.Waited))
	if a.Seen < (a.Response-a.Waited)*95/100 {
		text += fmt.Sprintf("; of the rest the trace has the last %s", seconds(a.Seen))
	}
	var parts []string
	of := a.Seen
	add := func(d time.Duration, format string, args ...any) {
		if d.Seconds() >= least*of.Seconds() && d > 0 {
			parts = append(parts, seconds(d)+" "+fmt.Sprintf(format, args...))
		}
	}
	for _, b := range a.Blocked[:min(len(a.Blocked), 2)] {
		woken := ""
		if b.Waking != "" {
			woken = ", until " + b.Waking + " let it go on"
		}
		add(b.For, "blocked in %s (%s)%s", b.At, b.Why, woken)
	}
	add(a.Running, "running")
	add(a.Runnable, "ready without a processor")
	add(a.Syscall, "in system calls")
	if len(parts) > 0 {
		text += "; then " + prose.List(parts)
	}
	if a.Assist.Seconds() >= least*a.Seen.Seconds() && a.Assist > 0 {
		text += fmt.Sprintf(", %s of that to mark for the garbage collector", seconds(a.Assist))
	}
	parts, of = nil, a.Response
	add(a.Marking, "in which the garbage collector marked")
	add(a.Stopped, "in which the whole program was stopped")
	if len(parts) > 0 {
		text += "; in all of it " + prose.List(parts)
	}
	if a.Processors > 0 {
		text += fmt.Sprintf("; %s %s busy", prose.Count(a.Processors, "processor"),
			quantity.WholeShare(a.Busy))
	}
	return text
}

func seconds(d time.Duration) string { return quantity.Seconds(d.Seconds()) }
