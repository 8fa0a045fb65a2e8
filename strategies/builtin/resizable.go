package builtin

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/poolbench/poolbench/bench/param"
	"github.com/poolbench/poolbench/strategies"
	"github.com/poolbench/poolbench/strategies/engine"
)

// resizable has a limit that changes while tasks run, by Resize or a schedule. A smaller limit
// cancels nothing. Params.Limit is the maximum, which the capacity and the checks of a run use.
type resizable struct {
	engine.Backlog
	engine.FIFO
	maxLimit int
	schedule []resize
}

type resize struct {
	at    time.Duration
	limit int
}

var _ = strategies.RegisterBuiltin(engine.Queued(strategies.Spec{
	Name:    "resizable",
	Summary: "workers whose number changes while tasks run, by a call or a schedule",
	UseIf:   "the limit changes while the process runs",
	Source:  "Tune of ants, Resize of pond: what a pool is asked for once it runs",
	Twin:    strategies.Twin{Of: workerPoolSpec.Name},
	OnPanic: "contained; the worker is replaced",
	Keys: []param.Key{
		{Name: "initial", Kind: param.Int, Default: "0", Doc: "limit at the start; 0: the maximum"},
		{Name: "schedule", Kind: param.Text, Default: "none",
			Doc: "later limits, such as 4@10s;8@20s: limit 4 after 10 seconds and limit 8 after " +
				"20 seconds"},
	},

	FIFO:    true,
	Resizes: true,

	Check: func(p strategies.Params) error {
		if n := p.Values.Int("initial"); n < 0 || n > p.Limit {
			return fmt.Errorf("initial must be 0, or at least 1 and at most the limit %d", p.Limit)
		}
		_, err := readSchedule(p)
		return err
	},
	New: func(ctx context.Context, p strategies.Params, sink strategies.Sink) strategies.Strategy {
		s := &resizable{maxLimit: p.Limit}
		s.schedule, _ = readSchedule(p)
		s.AtEnd = s.stopSchedule
		s.Open(ctx, sink, s, initialLimit(p), p.Limit+p.Queue, false)
		s.Mutex.Lock()
		s.Wake(time.Since(s.Began))
		s.Mutex.Unlock()
		return s
	},
}))

func readSchedule(p strategies.Params) (all []resize, err error) {
	text := p.Values.Text("schedule")
	if text == "none" {
		return nil, nil
	}
	for step := range strings.SplitSeq(text, ";") {
		limit, at, _ := strings.Cut(step, "@")
		n, err := strconv.Atoi(limit)
		if err != nil || n < 1 || n > p.Limit {
			return nil, fmt.Errorf("schedule: want steps as in 4@10s;8@20s with limits of 1 to %d, "+
				"got %q", p.Limit, step)
		}
		d, err := time.ParseDuration(at)
		if err != nil || d < 0 || len(all) > 0 && d <= all[len(all)-1].at {
			return nil, fmt.Errorf("schedule: want increasing times, as in 4@10s;8@20s, got %q", step)
		}
		all = append(all, resize{d, n})
	}
	return all, nil
}

func (s *resizable) Resize(limit int) error {
	if limit < 1 || limit > s.maxLimit {
		return fmt.Errorf("limit %d: want 1 to %d", limit, s.maxLimit)
	}
	s.Mutex.Lock()
	defer s.Mutex.Unlock()
	s.SetSlots(limit, time.Since(s.Began))
	return nil
}

// Callers find Limit with an assertion to interface{ Limit() int }.
func (s *resizable) Limit() int {
	s.Mutex.Lock()
	defer s.Mutex.Unlock()
	return s.Slots()
}

func (s *resizable) Wake(now time.Duration) []*strategies.Task {
	for len(s.schedule) > 0 && s.schedule[0].at <= now {
		s.SetSlots(s.schedule[0].limit, now)
		s.schedule = s.schedule[1:]
	}
	if len(s.schedule) > 0 && s.Ctx.Err() == nil {
		s.WakeAt(s.schedule[0].at, now)
	}
	return nil
}

func (s *resizable) stopSchedule() {
	s.Mutex.Lock()
	defer s.Mutex.Unlock()
	s.Silence()
}
