//go:build unix

package attack_test

import (
	"encoding/gob"
	"io"
	"net/http"
	"net/http/httptest"
	"syscall"
	"testing"
	"time"

	vegeta "github.com/tsenart/vegeta/v12/lib"

	"github.com/poolbench/poolbench/bench/attack"
)

// BenchmarkOpen is a request of the open loop when it is sent as fast as 64 workers can, by us and
// as the vegeta command does it (`vegeta attack`, which writes each result in gob), in one process
// with a server that answers at once. cpu-ns/op is that of both sides. Run it with -benchtime
// 50000x and in turns: -count 5.
func BenchmarkOpen(b *testing.B) {
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	defer server.Close()
	request := attack.Request{Method: http.MethodGet, URL: server.URL}
	for name, send := range map[string]func(b *testing.B){
		"by=vegeta": func(b *testing.B) {
			attacker := vegeta.NewAttacker(vegeta.Workers(64), vegeta.MaxWorkers(64))
			write := gob.NewEncoder(io.Discard)
			n := 0
			for r := range attacker.Attack(vegeta.NewStaticTargeter(request),
				vegeta.Rate{}, time.Hour, "") {
				if err := write.Encode(r); err != nil || r.Error != "" {
					b.Fatal(err, r.Error)
				}
				if n++; n == b.N {
					attacker.Stop()
				}
			}
		},
		"by=poolbench": func(b *testing.B) {
			a := attack.Defaults()
			a.Requests, a.Rate, a.Duration, a.Tasks = []attack.Request{request}, 1e6, 0, b.N
			r, err := attack.Run(b.Context(), a)
			if err != nil || len(r.Errors) > 0 {
				b.Fatal(err, r.Errors)
			}
		},
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			before := cpu(b)
			send(b)
			b.ReportMetric(float64(cpu(b)-before)/float64(b.N), "cpu-ns/op")
		})
	}
}

// BenchmarkClosed is a request of a closed loop of 10 clients, to the same server, as the command
// sends it, and by net/http.
func BenchmarkClosed(b *testing.B) {
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	defer server.Close()
	a := attack.Defaults()
	a.Requests = []attack.Request{{Method: http.MethodGet, URL: server.URL}}
	a.Clients, a.Duration = 10, 0
	for name, a := range map[string]attack.Attack{"over=wires": a, "over=net_http": a.ByNetHTTP()} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			before := cpu(b)
			a.Tasks = b.N
			r, err := attack.Run(b.Context(), a)
			if err != nil || len(r.Errors) > 0 {
				b.Fatal(err, r.Errors)
			}
			b.ReportMetric(float64(cpu(b)-before)/float64(b.N), "cpu-ns/op")
		})
	}
}

// cpu is the time that the process has computed.
func cpu(b *testing.B) int64 {
	b.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return u.Utime.Nano() + u.Stime.Nano()
}
