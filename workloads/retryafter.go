package workloads

import (
	"math"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// retryAfter reads the header of that name (RFC 9110, 10.2.3): how long to wait from now on. It is
// whole seconds or an HTTP date. What is neither, or in the past, is 0; more seconds than a
// Duration holds are the longest one, since "now" would be the opposite of what is asked.
func retryAfter(header string, now time.Time) time.Duration {
	header = strings.Trim(header, " \t")
	if header == "" {
		return 0
	}
	if strings.Trim(header, "0123456789") == "" {
		seconds, err := strconv.ParseInt(header, 10, 64)
		if err != nil || seconds > int64(math.MaxInt64/time.Second) {
			// no error but that it is out of range
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
