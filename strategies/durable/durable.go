package durable

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/poolbench/poolbench/bench/param"
	"github.com/poolbench/poolbench/internal/files"
	"github.com/poolbench/poolbench/internal/machine/pace"
	"github.com/poolbench/poolbench/internal/text"
	"github.com/poolbench/poolbench/strategies"
	"github.com/poolbench/poolbench/strategies/engine"
)

func register(s strategies.Spec) strategies.Spec {
	s.Bound = func(p strategies.Params) int { return p.Limit }
	s.Retries, s.RealClock = true, true
	s.Keys = engine.BrokerKeys(s.Keys...)
	own := s.Check
	s.Check = func(p strategies.Params) error {
		if err := engine.CheckBroker(p); err != nil || own == nil {
			return err
		}
		return own(p)
	}
	if s.OnPanic == "" {
		s.OnPanic = "contained, and the message becomes a dead letter"
	}
	return strategies.Register(s)
}

var dirKey = param.Key{Name: "dir", Kind: param.Text, Default: "tmp",
	Doc: "directory for its files, on the disk to be used; tmp is the system's directory for " +
		"temporary files"}

var leaseKey = param.Key{Name: "lease", Kind: param.Duration, Default: "5s",
	Doc: "time after which a message of an ended process is delivered again; it is renewed while " +
		"the task runs"}

const minLease = 100 * time.Millisecond

func checkLease(p strategies.Params) error {
	if lease := p.Values.Duration("lease"); lease < minLease || lease > 24*time.Hour {
		return fmt.Errorf("lease %v: want %v to 24h", lease, minLease)
	}
	return nil
}

func checkServerParams(p strategies.Params) error {
	return errors.Join(checkLease(p), checkAway(p))
}

func checkAway(p strategies.Params) error {
	if d := p.Values.Duration(awayKey.Name); d < time.Second || d > 24*time.Hour {
		return fmt.Errorf("away %v: want 1s to 24h", d)
	}
	return nil
}

// remove keeps files of an earlier process or of a failed store, because they may contain tasks.
func makeDir(p strategies.Params, h *health) (dir string, remove func() error, err error) {
	parent := p.Values.Text("dir")
	if parent == "tmp" {
		parent = ""
	}
	if p.Resume == nil {
		made, err := files.NewScratch(parent, "queue")
		if err != nil {
			return "", nil, err
		}
		return made.Path, made.Remove, nil
	}
	dir = filepath.Join(cmp.Or(parent, os.TempDir()), p.Resume.Name)
	remove = func() error { return nil }
	if isTemporary(p) {
		remove = func() error {
			if h.unopened.Load() || h.failed.Err() != nil {
				return nil
			}
			return os.RemoveAll(dir)
		}
	}
	// Do not make the parent: if a killed command left this process behind, the next run may have
	// removed it.
	if err = os.Mkdir(dir, 0o700); errors.Is(err, fs.ErrExist) {
		err = nil
	}
	return dir, remove, err
}

func isTemporary(p strategies.Params) bool { return p.Resume == nil || p.Resume.Remove }

// openTimeout limits opening a broker, replyTimeout the completion of a message, and closeTimeout
// closing a broker that failed to open.
const (
	openTimeout  = 8 * time.Second
	replyTimeout = 10 * time.Second
	closeTimeout = time.Second
)

// If open fails, start ignores the error of Close, which has the same cause.
func start(
	ctx context.Context, p strategies.Params, sink strategies.Sink, h *health,
	open func(ctx context.Context) error, b engine.Broker,
) (strategies.Strategy, error) {
	starting, cancel := context.WithTimeout(ctx, openTimeout)
	defer cancel()
	err := open(starting)
	if fault := context.Cause(h.failed); fault != nil {
		err = &strategies.StoreError{Cause: fault}
	} else if isPermanent(err) {
		err = &strategies.StoreError{Cause: err}
	}
	if err == nil {
		return h.withHealth(b).Start(ctx, p, sink), nil
	}
	h.unopened.Store(true)
	closed := make(chan struct{})
	go func() {
		defer close(closed)
		_ = b.Close()
	}()
	select {
	case <-closed:
	case <-time.After(closeTimeout):
	}
	return nil, err
}

func withTimeout(do func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(context.Background(), replyTimeout)
	defer cancel()
	return do(ctx)
}

func sleep(ctx context.Context, d time.Duration) { _ = pace.Sleep(ctx, d) }

type delivery struct {
	body    []byte
	attempt int
}

func (d *delivery) Body() []byte { return d.body }

func (d *delivery) Attempt() int { return d.attempt }

type lease struct {
	mu    sync.Mutex
	timer *time.Timer
	over  bool
}

// renewLease calls renew three times per lease length, and never after end has returned.
func renewLease(length time.Duration, renew func()) *lease {
	l := new(lease)
	l.mu.Lock()
	defer l.mu.Unlock()
	l.timer = time.AfterFunc(length/3, func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		if !l.over {
			renew()
			l.timer.Reset(length / 3)
		}
	})
	return l
}

func (l *lease) end() {
	l.timer.Stop()
	l.mu.Lock()
	defer l.mu.Unlock()
	l.over = true
}

func queueName(p strategies.Params) string {
	if p.Resume != nil {
		return p.Resume.Name
	}
	var name [8]byte
	rand.Read(name[:]) // never fails
	return "poolbench_" + hex.EncodeToString(name[:])
}

func oneLine(err error) string {
	s := text.OneLine(err.Error())
	return s[:min(len(s), 1000)]
}
