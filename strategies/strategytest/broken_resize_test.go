package strategytest_test

import (
	"context"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/poolbench/poolbench/strategies"
)

type badResizer struct {
	strategies.Strategy
	resize func(s *badResizer, limit int) error
	limit  int
	loses  atomic.Bool // whether it loses the next task
}

func (s *badResizer) inner() strategies.Resizer { return s.Strategy.(strategies.Resizer) }

func (s *badResizer) Resize(limit int) error { return s.resize(s, limit) }

func (s *badResizer) Submit(ctx context.Context, t *strategies.Task) error {
	if s.loses.CompareAndSwap(true, false) {
		return nil
	}
	return s.Strategy.Submit(ctx, t)
}

// With -short, TestSound covers the other clauses.
func TestBrokenResize(t *testing.T) {
	var clauses []string // to check; nil means all
	if testing.Short() {
		clauses = []string{"Resize"}
	}
	of := func(resize func(s *badResizer, limit int) error) strategies.Spec {
		return builtinSpec(t, "resizable", func(spec *strategies.Spec) {
			start := spec.New
			spec.New = func(ctx context.Context, p strategies.Params,
				sink strategies.Sink) strategies.Strategy {
				return &badResizer{Strategy: start(ctx, p, sink), resize: resize, limit: p.Limit}
			}
		})
	}
	for what, spec := range map[string]strategies.Spec{
		"it declares it, and has no method": builtinSpec(t, "semaphore",
			func(s *strategies.Spec) { s.Resizes = true }),
		"it has the method, and does not declare it": builtinSpec(t, "resizable",
			func(s *strategies.Spec) { s.Resizes = false }),
		"it takes no notice": of(func(s *badResizer, limit int) error {
			if limit < 1 || limit > s.limit {
				return s.inner().Resize(limit)
			}
			return nil
		}),
		"it takes any limit": of(func(s *badResizer, limit int) error {
			return s.inner().Resize(min(max(limit, 1), s.limit))
		}),
		"it refuses, and is changed all the same": of(func(s *badResizer, limit int) error {
			err := s.inner().Resize(limit)
			if err != nil {
				_ = s.inner().Resize(1)
			}
			return err
		}),
		"a larger limit counts late": of(func(s *badResizer, limit int) error {
			if limit < s.limit || limit > s.limit {
				return s.inner().Resize(limit)
			}
			time.AfterFunc(time.Millisecond, func() { _ = s.inner().Resize(limit) })
			return nil
		}),
		"a smaller limit is one too many": of(func(s *badResizer, limit int) error {
			if limit > 0 && limit < s.limit {
				limit++
			}
			return s.inner().Resize(limit)
		}),
		"the next task is lost": of(func(s *badResizer, limit int) error {
			err := s.inner().Resize(limit)
			if err == nil {
				s.loses.Store(true)
			}
			return err
		}),
	} {
		t.Run(what, func(t *testing.T) {
			if got := failed(t, spec, clauses...); !slices.Equal(got, []string{"Resize"}) {
				t.Errorf("failed %v", got)
			}
		})
	}
}
