//go:build !js

package targets

import (
	"errors"
	"io"
	"net/http"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/poolbench/poolbench/internal/text"
)

const maxBody = 1 << 20

// Handler serves each request by one call of t with work. It numbers the calls from 0. The response
// is
//
//	200  served; the body is empty
//	400  the request's body ended in an error, or its TenantField is not a tenant: t was not called
//	413  the request's body is larger than 1 MiB: t was not called
//	429  throttled; 403 and 503 for other Refusals. Retry-After has the retry time, if known, in
//	     whole seconds, rounded up
//	500  any other error, as a line of text
//
// If t is Metered, responses have the header fields of draft-ietf-httpapi-ratelimit-headers-10.
//
// Handler reads the body before the call, so that the call's context ends when the client
// disconnects. The http.Server must limit the time for the body, as NewServer does.
func Handler(t Target, work Work) http.Handler {
	return &handler{target: t, work: work}
}

type handler struct {
	target Target
	work   Work
	calls  atomic.Uint64
}

func (h *handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if _, err := io.Copy(io.Discard, http.MaxBytesReader(w, r.Body, maxBody)); err != nil {
		if _, tooLarge := errors.AsType[*http.MaxBytesError](err); tooLarge {
			http.Error(w, "the body is larger than 1 MiB", http.StatusRequestEntityTooLarge)
			return
		}
		http.Error(w, "reading the body: "+text.OneLine(err.Error()), http.StatusBadRequest)
		return
	}
	target, err := ForTenant(h.target, r.Header.Get(TenantField))
	if err != nil {
		http.Error(w, text.OneLine(err.Error()), http.StatusBadRequest)
		return
	}
	err = target.Call(r.Context(), h.calls.Add(1)-1, h.work)
	var reset time.Duration
	if metered, ok := target.(Metered); ok {
		q := metered.Quota()
		w.Header().Set("RateLimit-Policy", q.policyField())
		w.Header().Set("RateLimit", q.limitField())
		reset = q.Reset
	}
	if err == nil {
		w.WriteHeader(http.StatusOK)
		return
	}
	status := http.StatusInternalServerError
	if errors.Is(err, ErrThrottled) {
		status = http.StatusTooManyRequests
		if throttled, is := errors.AsType[*Throttled](err); is {
			status = throttled.Refusal.Status()
			if throttled.RetryAfter > 0 {
				// The draft requires Retry-After not to be before the reset.
				w.Header().Set("Retry-After",
					strconv.FormatInt(wholeSeconds(max(throttled.RetryAfter, reset)), 10))
			}
		}
	}
	http.Error(w, text.OneLine(err.Error()), status)
}
