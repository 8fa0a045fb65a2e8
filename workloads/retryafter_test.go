package workloads

import (
	"math"
	"net/http"
	"testing"
	"time"
)

func TestRetryAfter(t *testing.T) {
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	for header, want := range map[string]time.Duration{
		"":                                 0,
		" ":                                0,
		"0":                                0,
		"120":                              2 * time.Minute,
		" 7\t":                             7 * time.Second,
		"007":                              7 * time.Second,
		"9223372036":                       9223372036 * time.Second,
		"9223372037":                       math.MaxInt64,
		"99999999999999999999999999":       math.MaxInt64,
		"1.5":                              0,
		"-1":                               0,
		"+1":                               0,
		"1e3":                              0,
		"1 2":                              0,
		"soon":                             0,
		"Sun, 01 Mar 2026 12:01:30 GMT":    90 * time.Second,
		"Sunday, 01-Mar-26 12:01:30 GMT":   90 * time.Second,
		"Sun Mar  1 12:01:30 2026":         90 * time.Second,
		"Sun, 01 Mar 2026 11:59:59 GMT":    0,
		"Sun, 01 Mar 2026 12:01:30 +0200":  0,
		"Sun, 31 Feb 2026 12:01:30 GMT":    0,
		"Fri, 31 Dec 9999 23:59:59 GMT":    math.MaxInt64,
		"Sun, 01 Mar 2026 12:01:30 GMT, 1": 0,
	} {
		if got := retryAfter(header, now); got != want {
			t.Errorf("%q: %v, want %v", header, got, want)
		}
	}
}

// The result must not be negative, and times formatted by net/http must be parsed.
func FuzzRetryAfter(f *testing.F) {
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	for _, s := range []string{"", "1", "Sun, 01 Mar 2026 12:01:30 GMT", "9223372037",
		"-1", "Sun, 01 Mar"} {
		f.Add(s, uint32(1))
	}
	f.Fuzz(func(t *testing.T, header string, ahead uint32) {
		if d := retryAfter(header, now); d < 0 {
			t.Errorf("%q: %v", header, d)
		}
		want := time.Duration(ahead) * time.Second
		if d := retryAfter(now.Add(want).Format(http.TimeFormat), now); d != want {
			t.Errorf("%v ahead is read as %v", want, d)
		}
	})
}
