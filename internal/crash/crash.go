package crash

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/poolbench/poolbench/strategies/engine"
)

// A Plan is what is to happen.
type Plan struct {
	Order
	Command []string  // starts a process that calls Work
	Errors  io.Writer // receives the process's standard error
	Kills   int
	// Server is killed in place of the process, now and then; nil: there is none to be killed.
	Server Server
	// Spared has the server alone killed.
	Spared bool
	// Volatile says that no task outlives its process: what it held is not waited for.
	Volatile bool
	// Watch returns an error when the files of the store are gone, which it may not see itself. It
	// is called once a task is accepted. Nil: nobody looks.
	Watch func() error
	// Removed says that the queue is in a directory that is removed with all that is in it.
	Removed bool
	// Patience is how long nothing may happen before what is left is given up as lost.
	Patience time.Duration
	// Say is told how far it is, of twice the number of tasks; nil: nobody is.
	Say func(progress int)
}

// A Server can be killed and started again.
type Server interface {
	Kill() error
	Start(ctx context.Context) error
}

// A Report says what became of the tasks. Once, Twice, Dead, Lost and Stored add up to Accepted.
type Report struct {
	Accepted int `json:"accepted"` // Submit has returned nil
	Lost     int `json:"lost"`     // never done
	// lost ones that had begun before: acknowledged before they were done, and not on their way in
	LostBegun int `json:"lost_begun"`
	// neither done nor known to be lost when it was given up, as a store that failed may have them
	Stored int `json:"in_store"`
	Once   int `json:"once"`  // done once
	Twice  int `json:"twice"` // done twice or more often
	// of these: two of its runs ended with no kill between them. It is not counted where a server
	// is killed, whose kill may have undone a confirmation
	Repeated int `json:"twice_without_kill"`
	Dead     int `json:"dead"` // given up after their last attempt, and kept as dead letters
	// done, though a kill came before their Submit had returned
	Unconfirmed int `json:"unconfirmed"`
	// tasks in service when a kill came, of all kills together: of none, that a store acknowledges
	// tasks before they are done does not show
	InService int `json:"in_service_at_kills"`

	// nothing happened any more before all tasks were done: what was left counts as lost
	Stalled bool `json:"stalled"`

	Restarts       int `json:"restarts"` // of the process
	ServerRestarts int `json:"server_restarts"`
	// from the start of the process after a kill to the first task that it began: the median, and
	// the longest
	First        float64 `json:"first_after_restart_sec"`
	LongestFirst float64 `json:"longest_first_after_restart_sec"`
	Seconds      float64 `json:"seconds"` // all of it
}

// A run is a plan under way.
type run struct {
	Plan
	ledger
	kills  []int // at which progress, in order; where tasks are lost, after how many accepted
	random *rand.Rand

	process *exec.Cmd
	stdin   io.Closer
	heard   chan string // lines of the process, closed at its end

	restarts, serverRestarts int
}

// Run carries the plan out. Where it cannot, or ctx ends, it removes the queue all the same, and
// reports what is known.
func Run(ctx context.Context, p Plan) (Report, error) {
	began := time.Now()
	r := &run{Plan: p, random: rand.New(rand.NewPCG(p.Seed, 0)),
		ledger: ledger{tasks: map[uint64]*entry{}}}
	whole := 2 * p.Tasks
	if p.Volatile {
		whole = p.Tasks
	}
	for range p.Kills {
		r.kills = append(r.kills, 1+r.random.IntN(max(whole-1, 1)))
	}
	slices.Sort(r.kills)
	if err := r.start(); err != nil {
		return Report{}, err
	}
	err := r.attend(ctx)
	if err != nil {
		err = errors.Join(err, r.kill())
	} else {
		err = r.finish(ctx)
	}
	if err != nil && ctx.Err() == nil {
		err = cmp.Or(r.goneBehind(), err)
	}
	if err == nil && r.accepted == 0 {
		err = fmt.Errorf("crash: no task was accepted; of %d the last was refused: %s", r.refusals,
			cmp.Or(r.refusal, "Submit has not returned"))
	}
	if err != nil && !r.Removed && !r.Volatile {
		if left := r.remove(); left != nil {
			fmt.Fprintf(r.Errors, "crash: the queue %s may be left behind: %s\n", r.Queue,
				strings.TrimPrefix(left.Error(), "crash: "))
		}
	}
	report := r.report(err == nil || r.gone)
	report.Restarts, report.ServerRestarts = r.restarts, r.serverRestarts
	report.Stalled = r.stalled
	if r.Server != nil {
		report.Repeated = 0
	}
	report.Seconds = time.Since(began).Seconds()
	return report, err
}

// start starts a process.
func (r *run) start() error {
	c := exec.Command(r.Command[0], r.Command[1:]...)
	c.Stderr = r.Errors
	stdin, err := c.StdinPipe()
	if err != nil {
		return err
	}
	out, theirs, err := os.Pipe()
	if err != nil {
		return err
	}
	c.Stdout = theirs
	r.began = time.Now()
	err = c.Start()
	_ = theirs.Close() // the process has its own
	if err != nil {
		return errors.Join(err, out.Close())
	}
	r.process, r.stdin, r.heard = c, stdin, make(chan string, 1<<16)
	go hear(out, r.heard)
	o := r.Order
	o.Next, o.Tasks = r.next, r.Tasks-r.accepted
	return json.NewEncoder(stdin).Encode(o)
}

// looking is how often it is looked for the files of the store.
const looking = time.Second

// attend follows the process, kills and starts it again, until all tasks are done, dead or given
// up.
func (r *run) attend(ctx context.Context) error {
	idle := time.NewTimer(r.Patience)
	defer idle.Stop()
	look := time.NewTicker(looking)
	defer look.Stop()
	for {
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-idle.C:
			r.stalled = true
			return nil
		case <-look.C:
			if err := r.watch(); err != nil {
				return err
			}
			continue
		case line, there := <-r.heard:
			if !there {
				// one that has closed its end of the pipe may live on
				late := time.AfterFunc(starting, func() { _ = r.process.Process.Kill() })
				defer late.Stop()
				return fmt.Errorf("crash: the process has ended by itself: %w",
					cmp.Or(r.process.Wait(), errors.New("exit status 0")))
			}
			if err := r.tell(line, time.Now()); err != nil {
				return err
			}
		}
		if r.empty && r.open > r.given {
			r.stalled = true
			return nil
		}
		r.empty = false
		if !r.refused { // a strategy that refuses all for good does so without an end
			idle.Reset(r.Patience)
		}
		if r.Say != nil {
			r.Say(r.progress())
		}
		now := r.progress()
		if r.Volatile {
			now = r.accepted
		}
		for len(r.kills) > 0 && now >= r.kills[0] {
			r.kills = r.kills[1:]
			if err := r.strike(ctx); err != nil {
				return err
			}
		}
		if r.accepted == r.Tasks && (r.open == r.given || r.Volatile) && len(r.kills) == 0 {
			return nil
		}
	}
}

// strike kills the process, or the server, a random moment later, and starts it again.
func (r *run) strike(ctx context.Context) error {
	time.Sleep(time.Duration(r.random.Int64N(int64(2 * time.Millisecond))))
	if r.Server != nil && (r.Spared || r.random.IntN(2) == 0) {
		r.serverRestarts++
		r.met += r.busy
		if err := r.Server.Kill(); err != nil {
			return err
		}
		return r.Server.Start(ctx)
	}
	if err := r.kill(); err != nil {
		return err
	}
	r.restarts++
	r.lives++
	r.met, r.busy = r.met+r.busy, 0
	if r.Volatile {
		r.given = r.open
	}
	if err := r.watch(); err != nil {
		return err
	}
	r.next++ // one may have been on its way
	r.fresh = true
	return r.start()
}

// watch looks for the files of the store.
func (r *run) watch() error {
	if r.Watch == nil || r.accepted == 0 {
		return nil
	}
	err := r.Watch()
	if err == nil {
		return nil
	}
	r.gone = true
	return fmt.Errorf("crash: the store failed: %w: %w", engine.ErrGone, err)
}

// goneBehind is that the files of a store that has failed are gone, or nil. A directory is there
// until the last file in it is deleted, and the store fails with the first: so it looks again.
func (r *run) goneBehind() error {
	if r.gone {
		return nil // which it has said
	}
	err := r.watch()
	if err == nil {
		time.Sleep(looking)
		err = r.watch()
	}
	return err
}

// kill ends the process, and notes what it has said before.
func (r *run) kill() error {
	_ = r.process.Process.Kill() // one that has ended is heard to have
	err := r.hearOut()
	_ = r.process.Wait() // it was killed
	return err
}

// hearOut notes what the process says until it ends. The error is the first of what it says.
func (r *run) hearOut() (err error) {
	for line := range r.heard {
		err = cmp.Or(err, r.tell(line, time.Now()))
	}
	return err
}

// finish has the process drain and end.
func (r *run) finish(ctx context.Context) error {
	_ = r.stdin.Close() // one that has ended is heard to have
	var killed atomic.Bool
	late := time.AfterFunc(r.Patience, func() {
		killed.Store(true)
		_ = r.process.Process.Kill()
	})
	defer late.Stop()
	defer context.AfterFunc(ctx, func() { _ = r.process.Process.Kill() })()
	err := r.hearOut()
	if ended := r.process.Wait(); ended != nil && err == nil {
		err = fmt.Errorf("crash: the process does not end well: %w", ended)
		if killed.Load() {
			err = fmt.Errorf("crash: Drain has not returned after %v; not done by then: %d of the "+
				"accepted tasks", r.Patience, r.open-r.given)
		}
	}
	return err
}
