package attack_test

import (
	"context"
	"errors"
	"net"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/poolbench/poolbench/bench/attack"
)

// An attack must wait for an attempt that ignores its context, because the attempt would write to a
// record that is already read.
func TestDeafAttempt(t *testing.T) {
	for _, through := range []string{"", "worker_pool", "semaphore", "unbounded", "dispatcher",
		"retry+semaphore", "retry_queue", "token_bucket:rate=50,burst=1+worker_pool"} {
		synctest.Test(t, func(t *testing.T) {
			a := attack.Attack{Tasks: 3, Rate: 100, Drain: time.Second,
				Requests: []attack.Request{{Method: "GET", URL: "http://127.0.0.1/"}}}
			if through != "" {
				a.Strategy, a.Limit = strategy(t, through), 2
			}
			var within atomic.Int64
			report, err := attack.Run(t.Context(), a.Virtual(
				func(context.Context, string, string) (net.Conn, error) {
					within.Add(1)
					defer within.Add(-1)
					time.Sleep(10 * time.Second)
					return nil, errors.New("nobody is there")
				}))
			if err != nil {
				t.Fatalf("%s: %v", through, err)
			}
			if n := within.Load(); n > 0 {
				t.Errorf("%q: %d attempts go on", through, n)
			}
			if report.Tasks != 3 || len(report.Broken) > 0 {
				t.Errorf("%q: %d requests, %v", through, report.Tasks, report.Broken)
			}
			time.Sleep(time.Hour)
		})
	}
}
