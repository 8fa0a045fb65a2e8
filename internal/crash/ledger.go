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

// An entry is what is known of a task.
type entry struct {
	accepted, dead bool
	begun          bool // Run was called
	runs           int  // that have ended
	life           int  // of the process in which the last of these has
	repeated       bool // two have in one life
}

// A ledger is kept by the one who kills. It is for one goroutine at a time.
type ledger struct {
	tasks    map[uint64]*entry
	next     uint64 // the ID after the last that was submitted, as far as is known
	accepted int
	open     int  // accepted, and neither ended nor dead
	given    int  // of these, lost with a process whose tasks outlive nothing
	gone     bool // the store is
	lives    int  // processes that were killed
	busy     int  // tasks in service in this process
	met      int  // tasks in service at the kills, all together
	stalled  bool // nothing happened for as long as patience lasts
	refused  bool // the last line was of a refusal
	refusals int
	refusal  string // what the last one said
	empty    bool   // the store holds nothing and nothing happens: what is open is lost

	began time.Time       // the process that is at work
	first []time.Duration // from the start of one to the first task that it began, after a kill
	fresh bool            // it has not begun any yet
}

// tell notes a line of the process.
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

// hear passes on the lines of a process until it ends.
func hear(out io.ReadCloser, lines chan<- string) {
	defer close(lines)
	defer out.Close()
	for in := bufio.NewScanner(out); in.Scan(); {
		lines <- in.Text()
	}
}

// progress grows from 0 to twice the number of tasks, whatever is lost: by one when a task is
// accepted, and by one when it is done, dead, or known to be lost.
func (l *ledger) progress() int { return 2*l.accepted - l.open + l.given }

// report counts the tasks. Those that are open are lost, unless it was given up before that is
// known.
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
