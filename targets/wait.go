package targets

import (
	"context"
	"sync"
	"time"

	"github.com/poolbench/poolbench/internal/machine/pace"
)

// wait returns after d, or with ctx's error when ctx ends first. It allocates where ctx can end and
// d is above 0.
func wait(ctx context.Context, d time.Duration) error {
	if ctx.Done() == nil {
		time.Sleep(d)
		return nil
	}
	return pace.Sleep(ctx, d)
}

// A clock is the time since its first reading, which is 0. Its zero value is ready, and safe for
// concurrent use.
type clock struct {
	once  sync.Once
	began time.Time
}

func (c *clock) now() time.Duration {
	c.once.Do(func() { c.began = time.Now() })
	return time.Since(c.began)
}
