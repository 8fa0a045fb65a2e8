// Command shop is the service of the example. It answers in 2 ms and allows 100 requests per
// second.
package main

import (
	"log"
	"net/http"
	"os"
	"time"

	"golang.org/x/time/rate"
)

func main() {
	allowed := rate.NewLimiter(100, 10)
	log.Fatal(http.ListenAndServe(os.Args[1], http.HandlerFunc(
		func(w http.ResponseWriter, _ *http.Request) {
			if !allowed.Allow() {
				w.Header().Set("Retry-After", "1")
				w.WriteHeader(http.StatusTooManyRequests)
				return
			}
			time.Sleep(2 * time.Millisecond)
		})))
}
