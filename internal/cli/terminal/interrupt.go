package terminal

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

// Interruptible returns a context that the first SIGINT, SIGTERM or SIGHUP cancels, except for a
// SIGHUP ignored by nohup. It then restores the default handling, so a second signal ends the
// process, and calls say with a notice. say may be nil.
func Interruptible(ctx context.Context, say func(line string)) (_ context.Context, done func()) {
	ends := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) {
		ends = append(ends, syscall.SIGHUP)
	}
	ctx, stop := signal.NotifyContext(ctx, ends...)
	hush := context.AfterFunc(ctx, func() {
		stop()
		if say != nil {
			say("stopping: the current run is abandoned. Press Ctrl-C again to end at once")
		}
	})
	return ctx, func() { hush(); stop() }
}
