// Command workload is poolbench with a custom workload: each task calls an API, here a fake on
// loopback that refuses more than eight concurrent calls.
package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"sync"
	"time"

	"github.com/poolbench/poolbench"
	"github.com/poolbench/poolbench/workloads"
)

func main() {
	workloads.Register(workloads.Func("quote", quote))
	poolbench.Main()
}

// api starts with the first call, because poolbench starts this program again as its child.
var api = sync.OnceValue(func() string { return httptest.NewServer(http.HandlerFunc(fake)).URL })

var busy = make(chan struct{}, 8)

func fake(w http.ResponseWriter, _ *http.Request) {
	select {
	case busy <- struct{}{}:
		defer func() { <-busy }()
		time.Sleep(2 * time.Millisecond)
	default:
		w.WriteHeader(http.StatusServiceUnavailable)
	}
}

var errRefused = errors.New("the API refused the call")

// quote is the code whose concurrency is to be limited.
func quote(ctx context.Context, seq uint64) error {
	url := fmt.Sprintf("%s/quote/%d", api(), seq)
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return err
	}
	answer, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	if answer.StatusCode != http.StatusOK {
		err = errRefused
	}
	return errors.Join(err, answer.Body.Close())
}
