package transport_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/poolbench/poolbench/internal/transport"
)

// If the caller that opens a connection gives up, waiting callers must still get a connection. If
// the host fails, all must get the error of one attempt.
func TestMakerGivesUp(t *testing.T) {
	refused := errors.New("refused")
	for name, c := range map[string]struct {
		fails    error
		patience time.Duration // of the first caller
		tries    int
	}{
		"it stays":     {nil, time.Hour, 1},
		"it gives up":  {nil, time.Second, 2},
		"host refuses": {refused, time.Hour, 1},
		"both":         {refused, time.Second, 2},
	} {
		synctest.Test(t, func(t *testing.T) {
			hosts := transport.Hosts[int]{Stands: func(int) bool { return true }}
			host, tries := hosts.Host("h"), 0
			open := func(ctx context.Context) (int, error) {
				tries++
				select {
				case <-ctx.Done():
					return 0, ctx.Err()
				case <-time.After(10 * time.Second):
					return 7, c.fails
				}
			}
			first, cancel := context.WithTimeout(t.Context(), c.patience)
			defer cancel()
			go func() { _, _ = host.Conn(first, 0, open) }()
			synctest.Wait()
			got := make(chan error)
			for range 3 {
				go func() {
					conn, err := host.Conn(t.Context(), 0, open)
					if err == nil && conn != 7 {
						err = errors.New("another connection")
					}
					got <- err
				}()
			}
			for range 3 {
				if err := <-got; !errors.Is(err, c.fails) {
					t.Errorf("%s: %v, want %v", name, err, c.fails)
				}
			}
			if tries != c.tries {
				t.Errorf("%s: %d tries, want %d", name, tries, c.tries)
			}
		})
	}
}
