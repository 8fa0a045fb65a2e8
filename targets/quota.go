package targets

import (
	"strconv"
	"time"
)

// A Quota is the remaining part of a target's limit.
type Quota struct {
	Limit int // most calls that may be admitted at one instant, after a pause
	// Window is the time in which the whole Limit is replenished. 0 means that the Limit bounds
	// concurrent calls.
	Window    time.Duration
	Remaining int // calls that would be admitted now
	// Reset is the time until Remaining grows. It is 0 if Remaining equals Limit or Window is 0.
	Reset time.Duration
}

// Metered is implemented by targets that report their remaining quota. Handler sends it to clients.
type Metered interface {
	// Quota is safe for concurrent use and admits nothing.
	Quota() Quota
}

// policyField returns the value of RateLimit-Policy, whose windows are whole seconds. It omits
// other windows, because clients would take a rounded window as exact.
func (q Quota) policyField() string {
	field := `"default";q=` + fieldInteger(int64(q.Limit))
	switch {
	case q.Window == 0:
		field += `;qu="concurrent-requests"`
	case q.Window%time.Second == 0:
		field += ";w=" + fieldInteger(int64(q.Window/time.Second))
	}
	return field
}

func (q Quota) limitField() string {
	field := `"default";r=` + fieldInteger(int64(q.Remaining))
	if q.Reset > 0 {
		field += ";t=" + fieldInteger(wholeSeconds(q.Reset))
	}
	return field
}

// RFC 9651 limits an Integer to 15 digits.
func fieldInteger(n int64) string { return strconv.FormatInt(min(n, 1e15-1), 10) }

// wholeSeconds does not overflow for the longest duration.
func wholeSeconds(d time.Duration) int64 {
	s := int64(d / time.Second)
	if d%time.Second > 0 {
		s++
	}
	return s
}
