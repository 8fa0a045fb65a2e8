package fleet

import (
	"context"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/poolbench/poolbench/bench/arrivals"
	"github.com/poolbench/poolbench/bench/attack"
	"github.com/poolbench/poolbench/bench/result"
)

// BenchmarkAgents measures the overhead of agents. They run in this process and send no requests.
// It reports the start time, the messages per agent and second, the bytes of a share, the time to
// merge the shares, and the peak memory. Results are in docs/measured/scale.md.
//
//	go test -run ^$ -bench Agents -benchtime 1x ./internal/fleet
func BenchmarkAgents(b *testing.B) {
	for _, c := range []struct{ agents, requests int }{{2, 1000}, {20, 1000}, {200, 1000},
		{20, 100_000}} {
		b.Run(fmt.Sprintf("agents=%d/requests=%d", c.agents, c.requests), func(b *testing.B) {
			for b.Loop() {
				measureAgents(b, c.agents, c.requests)
			}
		})
	}
}

func measureAgents(b *testing.B, agents, requests int) {
	s := newStage(b)
	const span = 10 * time.Second
	a := attack.Attack{Requests: []attack.Request{{Method: "GET", URL: "http://127.0.0.1/"}},
		Arrival: arrivals.MustParse("poisson"), Tasks: agents * requests, Seed: 1, Agents: agents,
		Rate: float64(agents*requests) / span.Seconds()}
	var began, bytes, peak, ready atomic.Int64
	ctx, cancel := context.WithCancel(b.Context())
	var serving sync.WaitGroup
	for k := range agents {
		agent := Agent{Conn: s.connect(), Self: testMember(fmt.Sprint("host-", k), fmt.Sprint(k)),
			Say: s.say, Attack: func(ctx context.Context, a attack.Attack) (*attack.Share, error) {
				began.Store(time.Now().UnixNano())
				share, err := pretend(ctx, a)
				if err == nil && a.Agent == 0 {
					data, _ := share.AppendBinary(nil)
					bytes.Store(int64(len(data)))
				}
				ready.Store(time.Now().UnixNano())
				return share, err
			}}
		serving.Go(func() {
			if err := agent.Serve(ctx); err != nil {
				b.Error(err)
			}
		})
	}
	conn := s.connect()
	watch := func(attack.Progress) {
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		peak.Store(max(peak.Load(), int64(m.Sys)))
	}
	at := time.Now()
	r, err := Load{Conn: conn, Self: testMember("here", "load"), Attack: a, Say: s.say,
		Watch: watch}.Run(b.Context())
	over := time.Now()
	watch(attack.Progress{})
	in, out := conn.Stats().InMsgs, conn.Stats().OutMsgs
	cancel()
	serving.Wait()
	if err != nil || r.Tasks != agents*requests || r.Verdict == result.Invalid {
		b.Fatal(err, r)
	}
	b.ReportMetric(time.Unix(0, began.Load()).Sub(at).Seconds(), "told-s")
	b.ReportMetric(float64(in+out)/float64(agents), "messages/agent")
	b.ReportMetric(float64(bytes.Load()), "share-B")
	b.ReportMetric(over.Sub(time.Unix(0, ready.Load())).Seconds(), "merged-s")
	b.ReportMetric(float64(peak.Load())/(1<<20), "memory-MiB")
}
