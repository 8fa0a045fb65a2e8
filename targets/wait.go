package targets

import (
	"context"
	"sync"
	"time"

	"github.com/poolbench/poolbench/internal/machine/pace"
)

// wait allocates if ctx can end and d is above 0.
func wait(ctx context.Context, d time.Duration) error {
	if ctx.Done() == nil {
		time.Sleep(d)
		return nil
	}
	return pace.Sleep(ctx, d)
}

// A clock measures the time since its first reading. The zero value is ready to use and safe for
// concurrent use.
type clock struct {
	once  sync.Once
	began time.Time
}

func (c *clock) now() time.Duration {
	c.once.Do(func() { c.began = time.Now() })
	return time.Since(c.began)
}
