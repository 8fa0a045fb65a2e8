package terminal

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

// Interruptible returns a context that the first SIGINT, SIGTERM or SIGHUP ends, but for a SIGHUP
// that nohup has it ignore. Then signals get their default back, so that a second one ends the
// process; say, where there is one, tells the user so. done is for when the work is over.
func Interruptible(ctx context.Context, say func(line string)) (_ context.Context, done func()) {
	ends := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) {
		ends = append(ends, syscall.SIGHUP)
	}
	ctx, stop := signal.NotifyContext(ctx, ends...)
	hush := context.AfterFunc(ctx, func() {
		stop()
		if say != nil {
			say("stopping: the run under way is given up; interrupt again to end at once")
		}
	})
	return ctx, func() { hush(); stop() }
}
