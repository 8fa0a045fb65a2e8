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

type Plan struct {
	WorkerConfig
	Command []string  // starts a process that calls Work
	Errors  io.Writer // receives the standard error of the process
	Kills   int
	// killed at random in place of the process; may be nil
	Server Server
	Spared bool // only the server is killed
	// Tasks do not outlive their process, so tasks of a killed process are not awaited.
	Volatile bool
	// Watch is called after a task is accepted. It returns an error when the files of the store are
	// gone, which the store may not detect. It may be nil.
	Watch   func() error
	Removed bool // the queue is in a directory that will be removed
	// Patience is the time without an event after which the run ends. Remaining tasks that are in
	// the store then count as Stored, and the others as Lost.
	Patience time.Duration
	// receives the progress, up to twice the number of tasks; may be nil
	Say func(progress int)
}

type Server interface {
	Kill() error
	Start(ctx context.Context) error
}

// Once, Twice, Dead, Lost and Stored add up to Accepted.
type Report struct {
	Accepted int `json:"accepted"` // Submit returned nil
	Lost     int `json:"lost"`     // never done
	// lost tasks that had begun: they were acknowledged before they were done
	LostBegun int `json:"lost_begun"`
	// Tasks neither done nor known to be lost when the run ended: Patience was over, or a failed
	// store may contain them.
	Stored int `json:"in_store"`
	Once   int `json:"once"`
	Twice  int `json:"twice"` // done at least twice
	// Not counted if a server is killed, because its kill may undo a confirmation.
	Repeated int `json:"twice_without_kill"`
	Dead     int `json:"dead"` // given up after the last attempt and kept as dead letters
	// tasks done although the process was killed before their Submit returned
	Unconfirmed int `json:"unconfirmed"`
	// If no task was in service at a kill, the test cannot detect a store that acknowledges tasks
	// before they are done.
	InService int `json:"in_service_at_kills"`

	// There was no further event before all tasks were done. The remaining tasks count as lost.
	Stalled bool `json:"stalled"`

	Restarts       int `json:"restarts"`
	ServerRestarts int `json:"server_restarts"`
	// median and maximum of the time until a restarted process began its first task
	First        float64 `json:"first_after_restart_sec"`
	LongestFirst float64 `json:"longest_first_after_restart_sec"`
	// Tasks in service at the kills of the process, except tasks that cannot outlive it.
	Interrupted int `json:"interrupted"`
	Recovered   int `json:"recovered"`
	// median and maximum of the time until a restarted process began an interrupted task again
	Recovery        float64 `json:"recovery_sec"`
	LongestRecovery float64 `json:"longest_recovery_sec"`
	Seconds         float64 `json:"seconds"`
}

type run struct {
	Plan
	ledger
	kills  []int // progress at each kill, in order; if tasks are lost, the number of accepted tasks
	random *rand.Rand

	process *exec.Cmd
	stdin   io.Closer
	heard   chan string // lines of the process; closed at its end

	restarts, serverRestarts int
}

// Run removes the queue and returns the known counts, also on failure or when ctx ends.
func Run(ctx context.Context, p Plan) (Report, error) {
	began := time.Now()
	r := &run{Plan: p, random: rand.New(rand.NewPCG(p.Seed, 0)),
		ledger: ledger{tasks: map[uint64]*entry{}, stored: -1}}
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
	err := r.watchProgress(ctx)
	if err != nil {
		err = errors.Join(err, r.kill())
	} else {
		err = r.finish(ctx)
	}
	if err != nil && ctx.Err() == nil {
		err = cmp.Or(r.goneBehind(), err)
	}
	if err == nil && r.accepted == 0 {
		err = fmt.Errorf("crash: none of %d tasks was accepted; the last was refused: %s", r.refusals,
			cmp.Or(r.refusal, "Submit has not returned"))
	}
	if err != nil && !r.Removed && !r.Volatile {
		left := r.remove()
		// A server that was never reached has no queue.
		if left != nil && (r.accepted > 0 || !strings.Contains(err.Error(), left.Error())) {
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
	r.restarted(time.Now())
	err = c.Start()
	_ = theirs.Close() // the process has its own copy
	if err != nil {
		return errors.Join(err, out.Close())
	}
	r.process, r.stdin, r.heard = c, stdin, make(chan string, 1<<16)
	go readLines(out, r.heard)
	o := r.WorkerConfig
	o.Next, o.Tasks = r.next, r.Tasks-r.accepted
	return json.NewEncoder(stdin).Encode(o)
}

const looking = time.Second

// counting is the time in which an idle process reports the number of messages in its store.
const counting = 3 * looking

func (r *run) watchProgress(ctx context.Context) error {
	idle := time.NewTimer(r.Patience)
	defer idle.Stop()
	look := time.NewTicker(looking)
	defer look.Stop()
	asked := false // whether it has waited for the number of messages in the store
	for {
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-idle.C:
			if r.stored < 0 && !r.Volatile && !asked {
				asked = true
				idle.Reset(counting)
				continue
			}
			r.stalled = true
			return nil
		case <-look.C:
			if err := r.watch(); err != nil {
				return err
			}
			continue
		case line, there := <-r.heard:
			if !there {
				// A process that has closed its end of the pipe may still run.
				late := time.AfterFunc(starting, func() { _ = r.process.Process.Kill() })
				defer late.Stop()
				return fmt.Errorf("crash: the process has ended by itself: %w",
					cmp.Or(r.process.Wait(), errors.New("exit status 0")))
			}
			if err := r.record(line, time.Now()); err != nil {
				return err
			}
		}
		if r.empty && r.open > r.lostOpen {
			r.stalled = true
			return nil
		}
		if r.empty = false; r.counted { // the count is not an event
			continue
		}
		if !r.refused { // a store that refuses all tasks must not reset the timer forever
			asked = false
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
			if err := r.killAndRestart(ctx); err != nil {
				return err
			}
		}
		if r.accepted == r.Tasks && (r.open == r.lostOpen || r.Volatile) && len(r.kills) == 0 {
			return nil
		}
	}
}

func (r *run) killAndRestart(ctx context.Context) error {
	time.Sleep(time.Duration(r.random.Int64N(int64(2 * time.Millisecond))))
	if r.Server != nil && (r.Spared || r.random.IntN(2) == 0) {
		r.serverRestarts++
		r.inServiceAtKills += r.busy
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
	r.inServiceAtKills, r.busy = r.inServiceAtKills+r.busy, 0
	if r.Volatile {
		r.lostOpen = r.open
	} else {
		r.interrupt()
	}
	if err := r.watch(); err != nil {
		return err
	}
	r.next++ // one task may have been submitted and not reported
	r.fresh = true
	return r.start()
}

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

// goneBehind checks repeatedly, because the store fails with the first deleted file, but its
// directory exists until the last.
func (r *run) goneBehind() error {
	if r.gone {
		return nil // already reported
	}
	err := r.watch()
	if err == nil {
		time.Sleep(looking)
		err = r.watch()
	}
	return err
}

func (r *run) kill() error {
	_ = r.process.Process.Kill() // hearOut detects a process that has already ended
	err := r.hearOut()
	_ = r.process.Wait() // always an error after a kill
	return err
}

func (r *run) hearOut() (err error) {
	for line := range r.heard {
		err = cmp.Or(err, r.record(line, time.Now()))
	}
	return err
}

func (r *run) finish(ctx context.Context) error {
	_ = r.stdin.Close() // hearOut detects a process that has already ended
	var killed atomic.Bool
	late := time.AfterFunc(r.Patience, func() {
		killed.Store(true)
		_ = r.process.Process.Kill()
	})
	defer late.Stop()
	defer context.AfterFunc(ctx, func() { _ = r.process.Process.Kill() })()
	err := r.hearOut()
	if ended := r.process.Wait(); ended != nil && err == nil {
		err = fmt.Errorf("crash: the process ended with an error: %w", ended)
		if killed.Load() {
			err = fmt.Errorf("crash: Drain has not returned after %v; accepted tasks not done by "+
				"then: %d", r.Patience, r.open-r.lostOpen)
		}
	}
	return err
}
