package fleet

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/poolbench/poolbench/bench"
	"github.com/poolbench/poolbench/internal/fleet/hub"
	"github.com/poolbench/poolbench/internal/machine/pace"
	"github.com/poolbench/poolbench/internal/text"
)

const (
	// interval between two checks
	looking = 2 * time.Second
	// maximum time without progress, including outages of the server or of all workers
	maxSilent = 3 * time.Minute
)

// enqueue waits for an unreachable server and recreates a lost queue. The message ID lets the
// server drop duplicates.
func (s *Sweep) enqueue(ctx context.Context, w *pendingCell) error {
	text, err := json.Marshal(w.cell)
	if err != nil {
		return err
	}
	s.mu.Lock()
	w.queued++
	id := w.id()
	s.mu.Unlock()
	for {
		ack, err := s.publish(ctx, w.subject, id, text)
		if err == nil {
			s.mu.Lock()
			defer s.mu.Unlock()
			w.seq, w.heard, s.trouble = ack.Sequence, time.Now(), nil
			return nil
		}
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		var refused *jetstream.APIError
		if errors.As(err, &refused) && refused.Code < 500 || errors.Is(err, nats.ErrMaxPayload) ||
			errors.Is(err, nats.ErrConnectionClosed) {
			return err
		}
		s.note(err)
		_ = pace.Sleep(ctx, pause) // or until ctx ends
	}
}

func (w *pendingCell) id() string {
	return fmt.Sprintf("%s.%d.%d", w.cell.Sweep, w.cell.Number, w.queued)
}

var errAway = errors.New("the NATS server cannot be reached")

func (s *Sweep) publish(
	ctx context.Context, subject, id string, text []byte,
) (*jetstream.PubAck, error) {
	if !s.conn.IsConnected() && !s.conn.IsClosed() {
		// as in retryUntilAnswered
		return nil, errAway
	}
	ctx, cancel := context.WithTimeout(ctx, partTime)
	defer cancel()
	ack, err := s.js.Publish(ctx, subject, text, jetstream.WithMsgID(id))
	if errors.Is(err, jetstream.ErrNoStreamResponse) {
		err = errors.Join(s.reopen(ctx), errors.New("the queue was lost"))
	}
	return ack, err
}

func (s *Sweep) reopen(ctx context.Context) error {
	s.opening.Lock()
	defer s.opening.Unlock()
	if _, err := s.stream.Info(ctx); !errors.Is(err, jetstream.ErrStreamNotFound) &&
		!errors.Is(err, nats.ErrNoResponders) {
		return err
	}
	_, _, err := openQueue(ctx, s.conn)
	return err
}

func (s *Sweep) note(trouble error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.trouble = trouble
}

// tend requeues lost cells until the sweep ends. It gives up a sweep without progress.
func (s *Sweep) tend(answers string) {
	tick := time.NewTicker(looking)
	defer tick.Stop()
	reconnects, away := s.conn.Stats().Reconnects, false
	for {
		select {
		case <-s.ctx.Done():
			return
		case <-tick.C:
		}
		server := hub.Shown(strings.Join(s.conn.Servers(), ","))
		if there := s.conn.IsConnected(); there == away {
			if away = !there; away {
				s.say("the NATS server at " + server + " cannot be reached: waiting for the server")
			} else {
				s.say("the NATS server at " + server + " can be reached again")
			}
		}
		silent, waiting := s.silence()
		var trouble error
		switch again := s.conn.Stats().Reconnects; {
		case s.conn.IsClosed():
			s.giveUp(fmt.Errorf("the connection to the NATS server at %s is closed: %w", server,
				nats.ErrConnectionClosed))
			return
		case away:
			trouble = errAway
		case again != reconnects || silent > lease || s.Workers() == 0:
			reconnects = again
			_ = s.call(answers) // finds new workers, and workers that were busy with another sweep
			fallthrough
		default:
			trouble = s.restore()
		}
		if silent > maxSilent {
			s.giveUp(s.standstill(waiting, trouble))
			return
		}
	}
}

func (s *Sweep) silence() (time.Duration, int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.wanted) == 0 {
		s.alive = time.Now()
	}
	return time.Since(s.alive), len(s.wanted)
}

func (s *Sweep) standstill(waiting int, trouble error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	trouble = cmp.Or(trouble, s.trouble)
	var first *pendingCell
	for _, w := range s.wanted {
		if first == nil || w.cell.Number < first.cell.Number {
			first = w
		}
	}
	why := "the workers do not answer any more"
	switch {
	case trouble != nil:
		why = text.OneLine(trouble.Error())
	case len(s.shares) == 0:
		why = "no worker has connected"
	case s.host != "" && first != nil && first.clock == bench.Real:
		why = "no worker on " + s.host + ", where all real-clock runs are made, accepts a run"
	}
	missing := ""
	if first != nil {
		missing = fmt.Sprintf(", the first of %s with seed %d", first.name, first.seed)
	}
	return fmt.Errorf("--workers: no progress for %v, %s missing%s: %s", maxSilent,
		text.Count(waiting, "run"), missing, why)
}

// restore requeues cells whose message is lost and whose worker is silent. A message stays in the
// queue until its worker has delivered the result.
func (s *Sweep) restore() error {
	s.mu.Lock()
	var silent []*pendingCell
	queued := uint64(0)
	for _, w := range s.wanted {
		if w.seq > 0 {
			queued++
			if time.Since(w.heard) > lease {
				silent = append(silent, w)
			}
		}
	}
	s.mu.Unlock()
	if len(silent) == 0 {
		return nil
	}
	ctx, cancel := context.WithTimeout(s.ctx, 2*partTime)
	defer cancel()
	own := subjectOf(s.member.Program, "*", s.id)
	info, err := s.stream.Info(ctx, jetstream.WithSubjectFilter(own))
	switch {
	case errors.Is(err, jetstream.ErrStreamNotFound):
		err = s.reopen(ctx)
	case err == nil:
		there := uint64(0)
		for _, n := range info.State.Subjects {
			there += n
		}
		if there >= queued {
			return nil
		}
	}
	if err != nil {
		return err
	}
	slices.SortFunc(silent, func(a, b *pendingCell) int { return a.cell.Number - b.cell.Number })
	lost := 0
	for _, w := range silent {
		var is bool
		if is, err = s.isQueued(ctx, w); err == nil && !is {
			if err = s.enqueue(ctx, w); err == nil {
				lost++
			}
		}
		if err != nil {
			break
		}
	}
	if lost > 0 {
		s.say(text.Count(lost, "run") + " lost by the NATS server: queued again")
	}
	return err
}

// isQueued also returns true if the cell is no longer wanted.
func (s *Sweep) isQueued(ctx context.Context, w *pendingCell) (bool, error) {
	s.mu.Lock()
	seq, id, wanted := w.seq, w.id(), s.wanted[w.cell.Number] == w
	s.mu.Unlock()
	if !wanted {
		return true, nil
	}
	m, err := s.stream.GetMsg(ctx, seq)
	if errors.Is(err, jetstream.ErrMsgNotFound) {
		return false, nil
	}
	return err == nil && m.Header.Get(jetstream.MsgIDHeader) == id, err
}
