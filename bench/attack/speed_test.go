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
	"github.com/poolbench/poolbench/bench/attack/checks"
	"github.com/poolbench/poolbench/bench/attack/requests"
)

// BenchmarkOpen compares 64 workers without pauses with the vegeta command, which encodes each
// result by gob. cpu-ns/op includes the server in this process. Run it with -benchtime 50000x
// -count 5.
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

func cpu(b *testing.B) int64 {
	b.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return u.Utime.Nano() + u.Stime.Nano()
}

// BenchmarkFilled compares a constant request with one that has template values and a check. Run it
// with -benchtime 50000x -count 10.
func BenchmarkFilled(b *testing.B) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		_, _ = io.WriteString(w, `{"items":[1,2,3]}`)
	}))
	defer server.Close()
	data, err := requests.ReadData("users.csv", []byte("user,plan\nann,free\nbob,paid\n"), "csv")
	if err != nil {
		b.Fatal(err)
	}
	check, err := checks.Parse("status == 200")
	if err != nil {
		b.Fatal(err)
	}
	same := attack.Defaults()
	same.Duration = 0
	same.Requests = []attack.Request{{Method: http.MethodPost,
		URL: server.URL + "/users/ann/17?plan=free", Header: http.Header{"X-Id": {"abc"}},
		Body: []byte(`{"user":"ann","seq":17,"n":42}`)}}
	filled := same
	filled.Templates, filled.Data, filled.Checks = true, data, checks.List{check}
	filled.Requests = []attack.Request{{Method: http.MethodPost,
		URL:    server.URL + "/users/{{user}}/{{seq}}?plan={{plan}}",
		Header: http.Header{"X-Id": {"{{uuid}}"}},
		Body:   []byte(`{"user":"{{user}}","seq":{{seq}},"n":{{random 1 100}}}`)}}
	for _, loop := range []string{"open", "closed"} {
		for _, sent := range []string{"same", "filled"} {
			a := map[string]attack.Attack{"same": same, "filled": filled}[sent]
			if a.Rate = 1e6; loop == "closed" {
				a.Rate, a.Clients = 0, 10
			}
			b.Run("loop="+loop+"/sent="+sent, func(b *testing.B) {
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
}
