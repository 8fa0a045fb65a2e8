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
	begun          bool // whether Run was called
	runs           int  // number of ended runs
	process        int  // number of the process in which the last run ended
	repeated       bool // whether two runs ended in the same process
	running        bool // whether it runs in the current process

	interrupted bool      // interrupted by a kill, and not begun again
	restart     time.Time // start of the process after that kill
}

// A ledger is not safe for concurrent use.
type ledger struct {
	tasks            map[uint64]*entry
	next             uint64 // ID after the last one known to be submitted
	accepted         int
	open             int // tasks accepted, and neither ended nor dead
	lostOpen         int // open tasks lost with a process whose tasks are volatile
	gone             bool
	lives            int  // number of killed processes
	busy             int  // tasks in service in the current process
	inServiceAtKills int  // sum of tasks in service at the kills
	stalled          bool // no progress within Patience
	refused          bool // whether the last line reported a refusal
	refusals         int
	refusal          string // text of the last refusal
	empty            bool   // the store is empty and idle, so open tasks are lost
	// messages in the store, counted since the last event of a task; -1 if unknown
	stored  int
	counted bool // whether the last line was that number

	began time.Time // start of the current process
	first []time.Duration
	fresh bool // whether no task has begun in the current process

	interrupted int
	recovery    []time.Duration
}

func (l *ledger) record(line string, at time.Time) error {
	kind, rest, _ := strings.Cut(line, " ")
	if len(kind) != 1 {
		return fmt.Errorf("crash: unexpected line of the process: %q", line)
	}
	said := event(kind[0])
	l.counted = said == stored
	switch said {
	case stored:
		n, err := strconv.Atoi(rest)
		if err != nil || n < 0 {
			return fmt.Errorf("crash: unexpected line of the process: %q", line)
		}
		l.stored = n
		return nil
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
		return fmt.Errorf("crash: unexpected line of the process: %q", line)
	}
	l.stored = -1
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
		e.begun, e.running = true, true
		l.busy++
		if e.interrupted {
			e.interrupted = false
			l.recovery = append(l.recovery, at.Sub(e.restart))
		}
		if l.fresh {
			l.fresh = false
			l.first = append(l.first, at.Sub(l.began))
		}
	case ended:
		e.repeated = e.repeated || e.runs > 0 && e.process == l.lives
		e.runs++
		e.running = false
		e.process = l.lives
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

func (l *ledger) interrupt() {
	for _, e := range l.tasks {
		if e.running {
			e.running, e.interrupted, e.restart = false, true, time.Time{}
			l.interrupted++
		}
	}
}

func (l *ledger) restarted(at time.Time) {
	l.began, l.stored = at, -1
	for _, e := range l.tasks {
		if e.interrupted && e.restart.IsZero() {
			e.restart = at
		}
	}
}

func (e *entry) isOpen() bool { return e.accepted && e.runs == 0 && !e.dead }

func readLines(out io.ReadCloser, lines chan<- string) {
	defer close(lines)
	defer out.Close()
	for in := bufio.NewScanner(out); in.Scan(); {
		lines <- in.Text()
	}
}

// A task counts when it is accepted, and again when it is done, dead, or known to be lost.
func (l *ledger) progress() int { return 2*l.accepted - l.open + l.lostOpen }

// Open tasks count as lost if known is set, and otherwise as stored. If the run stalled, as many of
// them as the store contains count as stored, the interrupted ones first. The store may also
// contain messages of tasks that were done and not confirmed.
func (l *ledger) report(known bool) Report {
	r := Report{Accepted: l.accepted, InService: l.inServiceAtKills, Interrupted: l.interrupted,
		Recovered: len(l.recovery)}
	openBegun := 0
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
		default:
			r.Lost++
			if e.begun {
				openBegun++
			}
		}
	}
	switch {
	case !known:
		r.Stored = r.Lost
	case l.stalled && !l.empty:
		r.Stored = min(r.Lost, max(l.stored, 0))
	}
	r.Lost -= r.Stored
	r.LostBegun = min(r.Lost, max(openBegun-r.Stored, 0))
	r.First, r.LongestFirst = medianAndMost(l.first)
	r.Recovery, r.LongestRecovery = medianAndMost(l.recovery)
	return r
}

func medianAndMost(of []time.Duration) (median, most float64) {
	if len(of) == 0 {
		return 0, 0
	}
	of = slices.Sorted(slices.Values(of))
	return of[len(of)/2].Seconds(), of[len(of)-1].Seconds()
}
