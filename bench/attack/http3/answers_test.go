package http3_test

import (
	"bytes"
	"fmt"
	"maps"
	"math"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/poolbench/poolbench/bench/attack"
)

// The counts, bytes and the p99 of an attack must be those of the server's log. As in package rpc,
// each 100th request takes 300 ms, each 10th has status 503, and each 50th is reset.
func TestKnownAnswers(t *testing.T) {
	const slow = 300 * time.Millisecond
	for mode, load := range map[string]func(a *attack.Attack){
		"closed": func(a *attack.Attack) { a.Clients = 16 },
		"open":   func(a *attack.Attack) { a.Rate = 1000 },
		"soak":   func(a *attack.Attack) { a.Rate, a.Soak = 1000, true },
	} {
		if testing.Short() && mode != "closed" {
			continue
		}
		t.Run(mode, func(t *testing.T) {
			var mu sync.Mutex
			log, resets, sum := map[string]int{}, 0, 0
			_, address := serve(t, func(w http.ResponseWriter, _ *http.Request, n int) {
				status, body := http.StatusOK, bytes.Repeat([]byte("x"), n%300)
				mu.Lock()
				switch {
				case n%50 == 25:
					resets++
					mu.Unlock()
					panic(http.ErrAbortHandler)
				case n%10 == 5:
					status = http.StatusServiceUnavailable
				}
				log[fmt.Sprint(status)]++
				sum += len(body)
				mu.Unlock()
				if n%100 == 0 {
					time.Sleep(slow)
				}
				w.WriteHeader(status)
				_, _ = w.Write(body)
			})
			a := sent(address)
			a.Requests = a.Requests[:1] // a GET would be sent again
			a.Tasks = 1000
			load(&a)
			r, count := run(t, a)
			statuses, failed := map[string]int{}, 0
			for _, s := range r.Statuses {
				statuses[s.What] = s.N
			}
			for _, e := range r.Errors {
				failed += e.N
			}
			p99, _ := r.Metric("p99-response-sec")
			if received := count("received-B/op"); !maps.Equal(statuses, log) || failed != resets ||
				resets != 20 || received != sum || p99 < slow.Seconds() || math.IsNaN(p99) {
				t.Errorf("statuses %v, %d errors, %d bytes, p99 %v s; the server has %v, %d "+
					"resets, %d bytes", statuses, failed, received, p99, log, resets, sum)
			}
		})
	}
}
