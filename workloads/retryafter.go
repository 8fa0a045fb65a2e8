//go:build !js

package workloads

import (
	"math"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// retryAfter parses a Retry-After header (RFC 9110, 10.2.3), whole seconds or an HTTP date. Invalid
// or past values are 0. Seconds out of range are the largest Duration, because 0 would mean the
// opposite.
func retryAfter(header string, now time.Time) time.Duration {
	header = strings.Trim(header, " \t")
	if header == "" {
		return 0
	}
	if strings.Trim(header, "0123456789") == "" {
		seconds, err := strconv.ParseInt(header, 10, 64)
		if err != nil || seconds > int64(math.MaxInt64/time.Second) {
			return math.MaxInt64
		}
		return time.Duration(seconds) * time.Second
	}
	date, err := http.ParseTime(header)
	if err != nil {
		return 0
	}
	return max(0, date.Sub(now))
}
