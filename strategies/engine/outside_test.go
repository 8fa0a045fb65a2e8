package engine

import (
	"context"
	"errors"
	"testing"

	"github.com/poolbench/poolbench/strategies"
)

// The inner strategy may see the end of New's context first and refuse with ErrClosed. An accepted
// task must still be done with the context's error.
func TestRefusal(t *testing.T) {
	from, end := context.WithCancel(t.Context())
	s := &partState{newCtx: from}
	s.Open(context.Background(), nil, nil)
	defer func() { _ = s.drain(context.Background()) }()
	defer s.closeIntake()
	if err := s.refusal(&strategies.Task{}, strategies.ErrShed); !errors.Is(
		err,
		strategies.ErrShed,
	) {
		t.Errorf("a task that was shed is done with %v", err)
	}
	end()
	if err := s.refusal(&strategies.Task{}, strategies.ErrClosed); !errors.Is(
		err,
		context.Canceled,
	) {
		t.Errorf("after the end of New's context: %v", err)
	}
}
