package crash

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/poolbench/poolbench/internal/text"
)

type entry struct {
	accepted, dead bool
	begun          bool // Run was called
	runs           int  // ended runs
	life           int  // of the process in which the last run ended
	repeated       bool // two runs ended in one life
}

// A ledger is the killer's record of the tasks. Only one goroutine may use it at a time.
type ledger struct {
	tasks    map[uint64]*entry
	next     uint64 // ID after the last submitted one, as far as known
	accepted int
	open     int // accepted, and neither ended nor dead
	given    int // open tasks lost with a process whose tasks are volatile
	gone     bool
	lives    int  // killed processes
	busy     int  // tasks in service in this process
	met      int  // sum of tasks in service at the kills
	stalled  bool // no progress within Patience
	refused  bool // the last line reported a refusal
	refusals int
	refusal  string // text of the last refusal
	empty    bool   // the store is empty and nothing happens: open tasks are lost

	began time.Time       // start of the current process
	first []time.Duration // from the start of a process after a kill to the first task that it began
	fresh bool            // no task has begun in it yet
}

// tell records a line of the process.
func (l *ledger) tell(line string, at time.Time) error {
	kind, rest, _ := strings.Cut(line, " ")
	if len(kind) != 1 {
		return fmt.Errorf("crash: the process says %q", line)
	}
	said := event(kind[0])
	switch said {
	case failed, gone:
		l.gone = l.gone || said == gone
		why, err := strconv.Unquote(rest)
		if err != nil {
			why = rest
		}
		return fmt.Errorf("crash: %s", text.OneLine(why))
	case empty:
		l.empty = true
		return nil
	}
	number, why, _ := strings.Cut(rest, " ")
	id, err := strconv.ParseUint(number, 10, 64)
	if l.refused = said == refused; err != nil || why != "" && !l.refused {
		return fmt.Errorf("crash: the process says %q", line)
	}
	e := l.tasks[id]
	if e == nil {
		e = new(entry)
		l.tasks[id] = e
	}
	before := e.isOpen()
	switch said {
	case accepted:
		e.accepted = true
		l.accepted++
		l.next = max(l.next, id+1)
	case refused:
		l.next = max(l.next, id+1)
		l.refusals++
		if s, err := strconv.Unquote(why); err == nil {
			l.refusal = text.OneLine(s)
		}
	case begun:
		e.begun = true
		l.busy++
		if l.fresh {
			l.fresh = false
			l.first = append(l.first, at.Sub(l.began))
		}
	case ended:
		e.repeated = e.repeated || e.runs > 0 && e.life == l.lives
		e.runs++
		e.life = l.lives
		l.busy--
	case dead:
		e.dead = true
	}
	switch after := e.isOpen(); {
	case after && !before:
		l.open++
	case before && !after:
		l.open--
	}
	return nil
}

func (e *entry) isOpen() bool { return e.accepted && e.runs == 0 && !e.dead }

func hear(out io.ReadCloser, lines chan<- string) {
	defer close(lines)
	defer out.Close()
	for in := bufio.NewScanner(out); in.Scan(); {
		lines <- in.Text()
	}
}

// progress grows from 0 to twice the number of tasks, even with losses: by one when a task is
// accepted, and by one when it is done, dead, or known to be lost.
func (l *ledger) progress() int { return 2*l.accepted - l.open + l.given }

// report counts the tasks. Open tasks count as lost, or unless known as stored.
func (l *ledger) report(known bool) Report {
	r := Report{Accepted: l.accepted, InService: l.met}
	for _, e := range l.tasks {
		switch {
		case !e.accepted && e.runs > 0:
			r.Unconfirmed++
		case !e.accepted:
		case e.runs == 1:
			r.Once++
		case e.runs > 1:
			r.Twice++
			if e.repeated {
				r.Repeated++
			}
		case e.dead:
			r.Dead++
		case !known:
			r.Stored++
		default:
			r.Lost++
			if e.begun {
				r.LostBegun++
			}
		}
	}
	slices.Sort(l.first)
	if n := len(l.first); n > 0 {
		r.First, r.LongestFirst = l.first[n/2].Seconds(), l.first[n-1].Seconds()
	}
	return r
}
