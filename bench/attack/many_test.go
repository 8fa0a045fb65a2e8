package attack_test

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"reflect"
	"sync"
	"testing"
	"time"

	"github.com/poolbench/poolbench/bench/attack"
)

// Of a large targets file, only one encoded request per host may be kept in memory.
func TestManyTargets(t *testing.T) {
	const n = 1500
	var mu sync.Mutex
	got := map[string]int{}
	server := httptest.NewUnstartedServer(http.HandlerFunc(
		func(_ http.ResponseWriter, r *http.Request) {
			body, _ := io.ReadAll(r.Body)
			mu.Lock()
			defer mu.Unlock()
			got[fmt.Sprintf("%s %s %s %s %s", r.Method, r.URL, r.Header.Get("X-All"),
				r.Header.Get("X-Own"), body)]++
		}))
	server.Config.Protocols = new(http.Protocols)
	server.Config.Protocols.SetHTTP1(true)
	server.Config.Protocols.SetUnencryptedHTTP2(true)
	server.Start()
	defer server.Close()
	var text bytes.Buffer
	want := map[string]int{}
	for i := range n {
		fmt.Fprintf(&text, "POST %s/item/%d?n=%d\n", server.URL, i, i)
		own := ""
		if i%10 == 0 {
			own = fmt.Sprint("own-", i)
			fmt.Fprintf(&text, "X-Own: %s\n", own)
		}
		text.WriteByte('\n')
		want[fmt.Sprintf("POST /item/%d?n=%d all %s the body", i, i, own)] = 1
	}
	with := attack.Request{Header: http.Header{"X-All": {"all"}}, Body: []byte("the body")}
	all, _, err := attack.ReadRequests(text.Bytes(), attack.Formats[0], with)
	if err != nil {
		t.Fatal(err)
	}
	shared := reflect.ValueOf(with.Header).Pointer()
	for i, r := range all {
		if is := reflect.ValueOf(r.Header).Pointer() == shared; is != (i%10 != 0) {
			t.Fatalf("request %d shares its header: %t", i, is)
		}
	}
	a := attack.Defaults()
	a.Requests, a.Tasks, a.Duration, a.Rate, a.Connections = all, n, 0, 5000, 8
	a.Drain, a.Timeout = 5*time.Minute, 5*time.Minute // a busy machine must not abandon any
	closed, h2c := a, a
	closed.Clients, closed.Rate = 3, 0
	h2c.H2C = true
	for name, a := range map[string]attack.Attack{"open": a, "closed": closed, "HTTP/2": h2c,
		"net/http": a.ByNetHTTP()} {
		if kept := a.KeptMessages(); kept != 1 {
			t.Errorf("%s: %d messages are kept", name, kept)
		}
		clear(got)
		r, err := attack.Run(t.Context(), a)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if len(r.Errors) > 0 {
			t.Errorf("%s: %v", name, r.Errors)
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %d different requests, want %d", name, len(got), len(want))
		}
	}
	if other := a.Encode().WithoutSecrets().Requests; len(other) != 1 {
		t.Errorf("%d requests are in the plan", len(other))
	}
	b := a
	b.Requests = append(all[:n-1:n-1], attack.Request{Method: "GET", URL: server.URL})
	if reflect.DeepEqual(a.Encode().WithoutSecrets(), b.Encode().WithoutSecrets()) {
		t.Error("another request is the same plan")
	}
}
